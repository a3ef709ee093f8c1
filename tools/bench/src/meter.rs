//! Measures plugins. Terraform starts this program in place of a plugin; it runs the plugin and
//! records its costs.
//!
//! The kernel's figures for a process are complete once its parent has waited for it. Polling
//! `/proc` would miss the time between the last poll and the exit.
//!
//! A record has a line for the start of a plugin and one for its end. A start without an end is an
//! error, because the costs of that plugin are unknown.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// The environment variable that contains the path of the plugin.
pub(crate) const PLUGIN: &str = "PLUGIN_METER_PLUGIN";
/// The environment variable that contains the path of the record.
pub(crate) const RECORD: &str = "PLUGIN_METER_RECORD";

/// The costs of the plugins of one terraform command.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Used {
    /// Processor time of all processes.
    pub(crate) cpu: Duration,
    /// Peak memory of the largest process, in bytes.
    pub(crate) peak: u64,
}

/// Runs the plugin to its end and returns its exit code.
pub(crate) fn run_plugin(plugin: &Path) -> Result<u8> {
    let record = std::env::var_os(RECORD).with_context(|| format!("{RECORD} is not set"))?;
    // One write call for each line, so that lines of plugins that end together do not mix.
    let mut record = OpenOptions::new().create(true).append(true).open(record)?;
    record.write_all(b"started\n")?;
    let status = Command::new(plugin)
        .args(std::env::args_os().skip(1))
        .env_remove(PLUGIN)
        .env_remove(RECORD)
        .status()
        .with_context(|| plugin.display().to_string())?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    // Linux counts memory in KiB.
    let line = format!("ended {} {}\n", cpu(&usage)?.as_micros(), usage.max_rss() * 1024);
    record.write_all(line.as_bytes())?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Reads and removes a record. Without a record no plugin was started.
/// Fails if a plugin has not ended and if the record is damaged.
pub(crate) fn take(record: &Path) -> Result<Used> {
    if !record.exists() {
        return Ok(Used::default());
    }
    let text = fs::read_to_string(record)?;
    fs::remove_file(record)?;
    read(&text)
}

/// Reads a record. Fails if a plugin has not ended.
fn read(text: &str) -> Result<Used> {
    let mut used = Used::default();
    let (mut started, mut ended) = (0, 0);
    for line in text.lines() {
        if let Some(figures) = line.strip_prefix("ended ") {
            let (cpu, peak) = figures.split_once(' ').context("a damaged record")?;
            used.cpu += Duration::from_micros(cpu.parse()?);
            used.peak = used.peak.max(peak.parse()?);
            ended += 1;
        } else {
            started += 1;
        }
    }
    ensure!(started == ended, "{started} plugins were started, and {ended} of them ended normally");
    Ok(used)
}

/// Returns the processor time of all processes, direct and indirect, that this process has waited
/// for.
pub(crate) fn children_cpu() -> Result<Duration> {
    cpu(&getrusage(UsageWho::RUSAGE_CHILDREN)?)
}

/// Returns the processor time, in user and system mode.
fn cpu(usage: &Usage) -> Result<Duration> {
    let time = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(time)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_the_sum_of_all_processes_and_the_largest_memory() {
        let expected = Used { cpu: Duration::from_micros(12), peak: 3072 };
        assert_eq!(read("started\nstarted\nended 5 3072\nended 7 2048\n").unwrap(), expected);
        let error = read("started\nstarted\nended 5 3072\n").unwrap_err();
        assert!(error.to_string().contains("1 of them ended"), "{error}");
    }
}
