//! Measures gRPC calls to the plugin without Terraform: the costs of a call, and whether they depend on
//! the number of roles.

mod host;
mod life;

use std::fmt::Write as _;
use std::time::Duration;

use access_fake::{Fake, World};
use anyhow::{Context as _, Result};

use crate::machine;
use crate::options::Options;
use crate::output::{print_line, report_progress, write};
use crate::scenario::Scenario;
use crate::statistics::{median, megabytes, quantile, short};
use crate::table::Table;
use host::{Host, Setup, start_times};
use life::{Phase, live};

/// The number of measured process starts.
const STARTS: usize = 20;
/// Number of roles to which the goals apply.
const GOAL_SIZE: usize = 5000;
/// Goal: processor time of the plugin per call, on average over all kinds of calls.
const GOAL_CPU: Duration = Duration::from_micros(300);
/// Goal: peak memory of the plugin with [`GOAL_SIZE`] roles, in bytes.
const GOAL_PEAK: u64 = 40_000_000;
/// Goal: time from process start to the handshake line.
const GOAL_START: Duration = Duration::from_millis(5);

/// The measurement of one number of roles.
struct Size {
    roles: usize,
    phases: Vec<Phase>,
    peak: u64,
}

impl Size {
    fn calls(&self) -> usize {
        self.phases.iter().map(|phase| phase.calls.len()).sum()
    }

    fn cpu_per_call(&self) -> Duration {
        let cpu: Duration = self.phases.iter().map(|phase| phase.cpu).sum();
        per(cpu, self.calls())
    }

    fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.name == name)
    }
}

fn per(time: Duration, calls: usize) -> Duration {
    time / u32::try_from(calls.max(1)).unwrap_or(u32::MAX)
}

/// Measures and reports.
///
/// # Errors
///
/// Fails if the plugin does not start and if a call fails.
pub(crate) fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let starts = runtime.block_on(start_times(&options.provider, STARTS))?;
    let mut sizes = Vec::new();
    for roles in &options.sizes {
        report_progress(&format!("{roles} roles"));
        sizes.push(runtime.block_on(size(options, *roles))?);
    }
    let report = report(options, &starts, &sizes)?;
    print_line(&report);
    if let Some(directory) = &options.write {
        write(directory, "driver.md", &report)?;
    }
    Ok(())
}

/// Returns the scenario whose latency and rate the driver uses.
fn conditions(options: &Options) -> Result<&Scenario> {
    options.scenarios.first().context("no scenario")
}

async fn size(options: &Options, roles: usize) -> Result<Size> {
    let mut world = World::default();
    conditions(options)?.set_conditions(&mut world);
    let running = Fake::start_blocking(world)?;
    let setup = Setup {
        binary: &options.provider,
        base_url: &running.base_url(),
        drift_detection: &options.drift_detection,
        plain: options.plain,
    };
    let host = Host::start(&setup).await?;
    let phases = live(&host, running.service(), roles, options.parallelism).await?;
    let peak = host.peak()?;
    host.end().await?;
    Ok(Size { roles, phases, peak })
}

fn report(options: &Options, starts: &[Duration], sizes: &[Size]) -> Result<String> {
    let detailed = sizes.iter().find(|size| size.roles == GOAL_SIZE).or(sizes.last());
    let detailed = detailed.context("no sizes")?;
    let mut text = format!(
        "gRPC without Terraform{}, `drift_detection = \"{}\"`, parallelism {}; {} ms per \
         request.\n{}; {}.\n",
        if options.plain { " and without encryption" } else { "" },
        options.drift_detection,
        options.parallelism,
        conditions(options)?.latency.as_millis(),
        machine::machine(),
        machine::today(),
    );
    write!(
        text,
        "\n### By kind of call, {} roles\n\n{}",
        detailed.roles,
        calls(detailed).markdown()
    )?;
    write!(text, "\n### By number of roles\n\n{}", growth(sizes).markdown())?;
    write!(text, "\n### Goals\n\n{}", goals(starts, detailed).markdown())?;
    Ok(text)
}

fn calls(size: &Size) -> Table {
    let mut table = Table::new([
        "call",
        "calls per second",
        "median",
        "99 %",
        "plugin CPU per call",
        "requests per call",
    ]);
    for phase in &size.phases {
        #[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
        let (count, requests) = (phase.calls.len() as f64, phase.requests as f64);
        table.row([
            phase.name.to_owned(),
            format!("{:.0}", count / phase.wall.as_secs_f64()),
            short(median(&phase.calls)),
            short(quantile(&phase.calls, 0.99)),
            short(per(phase.cpu, phase.calls.len())),
            format!("{:.2}", requests / count),
        ]);
    }
    table
}

fn growth(sizes: &[Size]) -> Table {
    let mut table = Table::new([
        "roles",
        "calls",
        "plugin CPU per call",
        "CPU per read",
        "CPU per create",
        "peak memory",
    ]);
    for size in sizes {
        let of = |name| {
            size.phase(name).map_or(String::new(), |phase| short(per(phase.cpu, phase.calls.len())))
        };
        table.row([
            size.roles.to_string(),
            size.calls().to_string(),
            short(size.cpu_per_call()),
            of("read"),
            of("create"),
            megabytes(size.peak),
        ]);
    }
    table
}

fn goals(starts: &[Duration], size: &Size) -> Table {
    let mut table = Table::new(["figure", "goal", "measured", ""]);
    let verdict = |met: bool| if met { "met" } else { "missed" }.to_owned();
    let cpu = size.cpu_per_call();
    table.row([
        "plugin CPU per call".to_owned(),
        short(GOAL_CPU),
        short(cpu),
        verdict(cpu <= GOAL_CPU),
    ]);
    table.row([
        format!("peak memory, {} roles", size.roles),
        megabytes(GOAL_PEAK),
        megabytes(size.peak),
        verdict(size.peak <= GOAL_PEAK),
    ]);
    let start = median(starts);
    table.row([
        format!("process start to handshake, median of {}", starts.len()),
        short(GOAL_START),
        short(start),
        verdict(start <= GOAL_START),
    ]);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(cpu_us: u64, peak: u64) -> Size {
        let phase = Phase {
            name: "read",
            wall: Duration::from_secs(2),
            calls: vec![Duration::from_millis(1); 4],
            cpu: Duration::from_micros(cpu_us),
            requests: 6,
        };
        Size { roles: 4, phases: vec![phase], peak }
    }

    #[test]
    fn calls_are_counted_by_second_and_by_request() {
        let text = calls(&size(400, 0)).markdown();
        let row = text.lines().last().unwrap();
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        assert_eq!(cells[1..7], ["read", "2", "1.00 ms", "1.00 ms", "100 µs", "1.50"]);
    }

    #[test]
    fn goals_are_compared_with_the_measurement() {
        let start = [Duration::from_millis(4)];
        let verdicts = |table: Table| {
            let text = table.markdown();
            let last = |line: &str| {
                line.trim_end_matches([' ', '|']).rsplit(' ').next().map(str::to_owned)
            };
            text.lines().skip(2).filter_map(last).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(goals(&start, &size(1200, 40_000_000))), ["met", "met", "met"]);
        let late = [Duration::from_millis(6)];
        assert_eq!(verdicts(goals(&late, &size(1300, 40_000_001))), ["missed"; 3]);
    }
}
