//! The figures as a Markdown table, and what they depend on.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::case::Case;
use crate::options::Options;
use crate::workspace::{Measured, Step};

const HEADER: [&str; 8] = [
    "configuration",
    "step",
    "provider",
    "wall",
    "host CPU",
    "plugin CPU",
    "plugin memory",
    "requests",
];

/// The columns of texts, which are aligned to the left.
const TEXTS: usize = 3;

/// Returns the row of a step.
pub(crate) fn row(case: &Case, step: Step, measured: &Measured) -> [String; 8] {
    let Measured { wall, plugin, host_cpu, requests } = measured;
    let of_plugin = |cell: String| if case.plugin.is_some() { cell } else { "–".to_owned() };
    [
        case.configuration(),
        step.name().to_owned(),
        case.provider.clone(),
        seconds(*wall),
        seconds(*host_cpu),
        of_plugin(seconds(plugin.cpu)),
        of_plugin(megabytes(plugin.peak)),
        of_plugin(requests.to_string()),
    ]
}

/// Formats a duration: `1.23 s`.
fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Formats a number of bytes: `12.3 MB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Returns a Markdown table with aligned columns.
pub(crate) fn table(rows: &[[String; 8]]) -> String {
    let header = HEADER.map(str::to_owned);
    let lines = || std::iter::once(&header).chain(rows);
    let widths: [usize; 8] = std::array::from_fn(|column| {
        lines().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let mut text = String::new();
    for (index, row) in lines().enumerate() {
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            text += &if column < TEXTS {
                format!("| {cell:<width$} ")
            } else {
                format!("| {cell:>width$} ")
            };
        }
        text += "|\n";
        if index == 0 {
            for (column, width) in widths.into_iter().enumerate() {
                let dashes = "-".repeat(width + 1);
                text += &if column < TEXTS { format!("|{dashes}-") } else { format!("|{dashes}:") };
            }
            text += "|\n";
        }
    }
    text
}

/// Returns the latency, the versions, the machine and the date.
pub(crate) fn conditions(options: &Options) -> Result<String> {
    // A terraform prints warnings about the user's settings before its version.
    let host = first_line(
        Command::new(&options.terraform)
            .arg("version")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env("CHECKPOINT_DISABLE", "1"),
    )?;
    let provider = first_line(Command::new(&options.provider).arg("--version"))?;
    let latency = options.latency_ms;
    Ok(format!("{host}, {provider}, latency {latency} ms; {}.", machine()?))
}

/// Returns processor, number of cores, kernel and date.
fn machine() -> Result<String> {
    let cpuinfo = fs::read_to_string(Path::new("/proc/cpuinfo"))?;
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model);
    let cores = std::thread::available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let date = first_line(Command::new("date").args(["-u", "+%F"]))?;
    Ok(format!("{model}, {cores} cores, Linux {}; {date}", kernel.trim()))
}

/// Returns the first line that a command prints.
fn first_line(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_aligned_markdown() {
        let row = ["500 roles", "plan", "access", "1.50 s", "1.00 s", "0.25 s", "9.0 MB", "4"];
        let expected = "\
            | configuration | step | provider |   wall | host CPU | plugin CPU | plugin memory | requests |\n\
            |---------------|------|----------|-------:|---------:|-----------:|--------------:|---------:|\n\
            | 500 roles     | plan | access   | 1.50 s |   1.00 s |     0.25 s |        9.0 MB |        4 |\n";
        assert_eq!(table(&[row.map(str::to_owned)]), expected);
    }
}
