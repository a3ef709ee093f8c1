//! Measures gRPC calls to the plugin without Terraform: the costs of a call, and whether they depend on
//! the number of roles.

mod host;
mod life;

use std::fmt::Write as _;
use std::time::Duration;

use access_fake::{Fake, World};
use anyhow::{Context as _, Result};

use crate::figures::{machine, median, megabytes, quantile, short, table};
use crate::options::Options;
use crate::output::report_progress;
use host::{Host, start_times};
use life::{Phase, live};

/// The number of measured process starts.
const STARTS: usize = 20;
/// Calls at once, as terraform makes them.
const PARALLELISM: usize = 10;

/// The measurement of one number of roles.
struct Size {
    roles: usize,
    phases: Vec<Phase>,
    peak: u64,
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
    options.publish("driver.md", &report(&starts, &sizes)?)
}

async fn size(options: &Options, roles: usize) -> Result<Size> {
    let running = Fake::start_blocking(World::default())?;
    let host = Host::start(&options.provider, &running.base_url()).await?;
    let phases = live(&host, running.service(), roles, PARALLELISM).await?;
    let peak = host.peak()?;
    host.end().await?;
    Ok(Size { roles, phases, peak })
}

fn report(starts: &[Duration], sizes: &[Size]) -> Result<String> {
    let detailed = sizes.last().context("no sizes")?;
    let mut text = format!(
        "# gRPC without Terraform\n\nThe calls that Terraform makes, over the same encrypted gRPC, \
         {PARALLELISM} at once, without latency of the service. {}.\n\n\
         Process start to handshake, median of {}: {}\n",
        machine()?,
        starts.len(),
        short(median(starts.iter().copied()))
    );
    write!(text, "\n## By kind of call, {} roles\n\n{}", detailed.roles, calls(detailed))?;
    write!(text, "\n## By number of roles\n\n{}", growth(sizes))?;
    Ok(text)
}

fn calls(size: &Size) -> String {
    let header =
        ["call", "calls per second", "median", "99 %", "plugin CPU per call", "requests per call"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for phase in &size.phases {
        #[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
        let (count, requests) = (phase.calls.len() as f64, phase.requests as f64);
        rows.push(vec![
            phase.name.to_owned(),
            format!("{:.0}", count / phase.wall.as_secs_f64()),
            short(quantile(&phase.calls, 0.5)),
            short(quantile(&phase.calls, 0.99)),
            short(per(phase.cpu, phase.calls.len())),
            format!("{:.2}", requests / count),
        ]);
    }
    table(&rows)
}

fn growth(sizes: &[Size]) -> String {
    let header = ["roles", "plugin CPU per call", "CPU per read", "CPU per create", "peak memory"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for size in sizes {
        let of = |name| {
            let phase = size.phases.iter().find(|phase| phase.name == name);
            phase.map_or(String::new(), |phase| short(per(phase.cpu, phase.calls.len())))
        };
        let calls = size.phases.iter().map(|phase| phase.calls.len()).sum();
        rows.push(vec![
            size.roles.to_string(),
            short(per(size.phases.iter().map(|phase| phase.cpu).sum(), calls)),
            of("read"),
            of("create"),
            megabytes(size.peak),
        ]);
    }
    table(&rows)
}

fn per(time: Duration, calls: usize) -> Duration {
    time / u32::try_from(calls.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_second_and_by_request() {
        let phase = Phase {
            name: "read",
            wall: Duration::from_secs(2),
            calls: vec![Duration::from_millis(1); 4],
            cpu: Duration::from_micros(400),
            requests: 6,
        };
        let size = Size { roles: 4, phases: vec![phase], peak: 22_000_000 };
        let cells = |text: String| -> Vec<String> {
            let row = text.lines().last().unwrap().split('|').map(|cell| cell.trim().to_owned());
            row.filter(|cell| !cell.is_empty()).collect()
        };
        assert_eq!(cells(calls(&size)), ["read", "2", "1.00 ms", "1.00 ms", "100 µs", "1.50"]);
        assert_eq!(cells(growth(&[size])), ["4", "100 µs", "100 µs", "22.0 MB"]);
    }
}
