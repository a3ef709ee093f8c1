//! gRPC straight to the plugin: what a call costs, and that it costs the same among many.

mod host;
mod life;

use std::fmt::Write as _;
use std::time::Duration;

use access_fake::Fake;
use anyhow::{Context as _, Result};

use crate::options::Options;
use crate::statistics::{median, megabytes, quantile, short};
use crate::table::Table;
use crate::{complain, machine, tell, write};
use host::{Host, Setup, start_times};
use life::{Phase, live};

/// How often the start of the process is measured.
const STARTS: usize = 20;
/// The number of roles that the goals are about.
const GOAL_SIZE: usize = 5000;
/// Processor time of the plugin for a call, on average over all kinds.
const GOAL_CPU: Duration = Duration::from_micros(300);
/// Most memory of the plugin, with [`GOAL_SIZE`] roles.
const GOAL_PEAK: u64 = 40_000_000;
/// From process start to the handshake line.
const GOAL_START: Duration = Duration::from_millis(5);

/// One life of so many roles.
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
/// The plugin does not start, or a call fails.
pub(crate) fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let starts = runtime.block_on(start_times(&options.provider, STARTS))?;
    let mut sizes = Vec::new();
    for roles in &options.sizes {
        complain(&format!("{roles} roles"));
        sizes.push(runtime.block_on(size(options, *roles))?);
    }
    let report = report(options, &starts, &sizes)?;
    tell(&report);
    if let Some(directory) = &options.write {
        write(directory, "driver.md", &report)?;
    }
    Ok(())
}

async fn size(options: &Options, roles: usize) -> Result<Size> {
    let running = Fake::start_blocking(options.world.clone())?;
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
        "gRPC without Terraform{}, `drift_detection = \"{}\"`, parallelism {}; the service answers \
         after {} ms.\n{}; {}.\n",
        if options.plain { " and without encryption" } else { "" },
        options.drift_detection,
        options.parallelism,
        options.world.latency_ms,
        machine::machine(),
        machine::today(),
    );
    write!(text, "\n### {} roles, call by call\n\n{}", detailed.roles, calls(detailed).markdown())?;
    write!(text, "\n### Few roles and many\n\n{}", growth(sizes).markdown())?;
    write!(text, "\n### Goals\n\n{}", goals(starts, detailed).markdown())?;
    Ok(text)
}

fn calls(size: &Size) -> Table {
    let mut table = Table::new([
        "call",
        "calls a second",
        "median",
        "99 %",
        "plugin CPU a call",
        "requests a call",
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
        "plugin CPU a call",
        "CPU of a read",
        "CPU of a create",
        "peak memory",
    ]);
    for size in sizes {
        let of =
            |name| size.phase(name).map_or(String::new(), |it| short(per(it.cpu, it.calls.len())));
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
    let mut table = Table::new(["what", "goal", "measured", ""]);
    let verdict = |met: bool| if met { "met" } else { "missed" }.to_owned();
    let cpu = size.cpu_per_call();
    table.row([
        "plugin CPU a call".to_owned(),
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
    fn goals_are_met_or_missed_by_what_was_measured() {
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
