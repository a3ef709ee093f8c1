//! The record of `plugin-meter`: how it is written and read.
//!
//! It has a line for the start of a plugin and one for its end. A start without an end is an error,
//! because the costs of that plugin are unknown.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike as _};
use serde::{Deserialize, Serialize};

/// The environment variable that contains the path of the plugin.
pub const PLUGIN: &str = "PLUGIN_METER_PLUGIN";
/// The environment variable that contains the path of the record.
pub const RECORD: &str = "PLUGIN_METER_RECORD";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Started,
    Ended { cpu_us: u64, peak_kib: u64 },
}

/// The costs of the plugins of one terraform command.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Number of processes.
    pub processes: usize,
    /// Processor time of all processes.
    pub cpu: Duration,
    /// Peak memory of the largest process, in bytes.
    pub peak: u64,
}

/// Runs the plugin to its end and returns its exit code.
///
/// # Errors
///
/// Fails if an environment variable is not set, if the plugin cannot be started, and if the record
/// cannot be written.
pub fn run_plugin() -> Result<u8> {
    let plugin = std::env::var_os(PLUGIN).with_context(|| format!("{PLUGIN} is not set"))?;
    let record = std::env::var_os(RECORD).with_context(|| format!("{RECORD} is not set"))?;
    append(Path::new(&record), &Line::Started)?;
    let status = Command::new(&plugin)
        .args(std::env::args_os().skip(1))
        .env_remove(PLUGIN)
        .env_remove(RECORD)
        .status()
        .with_context(|| format!("could not start {}", Path::new(&plugin).display()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let ended = Line::Ended {
        cpu_us: u64::try_from(cpu(&usage).as_micros())?,
        // Linux counts in KiB.
        peak_kib: u64::try_from(usage.max_rss())?,
    };
    append(Path::new(&record), &ended)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Appends a line with one write call, so that lines of plugins that end together do not mix.
fn append(record: &Path, line: &Line) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(record)?;
    file.write_all(format!("{}\n", serde_json::to_string(line)?).as_bytes())?;
    Ok(())
}

/// Reads and removes a record. Without a record no plugin was started.
///
/// # Errors
///
/// Fails if a plugin has not ended and if the record is damaged.
pub(crate) fn take(record: &Path) -> Result<Used> {
    let text = match fs::read_to_string(record) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Used::default()),
        text => text?,
    };
    fs::remove_file(record)?;
    read(&text)
}

fn read(text: &str) -> Result<Used> {
    let mut used = Used::default();
    let mut started = 0;
    for line in text.lines() {
        match serde_json::from_str(line)? {
            Line::Started => started += 1,
            Line::Ended { cpu_us, peak_kib } => {
                used.processes += 1;
                used.cpu += Duration::from_micros(cpu_us);
                used.peak = used.peak.max(peak_kib * 1024);
            }
        }
    }
    if started != used.processes {
        bail!("{started} plugins were started, and {} of them ended normally", used.processes);
    }
    Ok(used)
}

/// Returns the processor time of all processes, direct and indirect, that this process has waited for.
///
/// # Errors
///
/// Fails if the kernel does not return it.
pub(crate) fn children_cpu() -> Result<Duration> {
    Ok(cpu(&getrusage(UsageWho::RUSAGE_CHILDREN)?))
}

fn cpu(usage: &Usage) -> Duration {
    let time = |time: TimeVal| {
        Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or_default())
    };
    time(usage.user_time()) + time(usage.system_time())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_the_sum_of_all_processes_and_the_largest_memory() {
        let text = "\"started\"\n\"started\"\n{\"ended\":{\"cpu_us\":5,\"peak_kib\":3}}\n\
                    {\"ended\":{\"cpu_us\":7,\"peak_kib\":2}}\n";
        let expected = Used { processes: 2, cpu: Duration::from_micros(12), peak: 3072 };
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn record_with_a_plugin_that_never_ended_is_an_error() {
        let text = "\"started\"\n\"started\"\n{\"ended\":{\"cpu_us\":5,\"peak_kib\":3}}\n";
        assert!(read(text).is_err());
    }

    #[test]
    fn record_that_was_appended_reads_back() {
        let directory = tempfile::tempdir().unwrap();
        let record = directory.path().join("record");
        assert_eq!(take(&record).unwrap(), Used::default());
        append(&record, &Line::Started).unwrap();
        append(&record, &Line::Ended { cpu_us: 1, peak_kib: 1 }).unwrap();
        assert_eq!(take(&record).unwrap().processes, 1);
        assert!(!record.exists());
    }
}
