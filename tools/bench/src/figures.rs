//! Medians, the units of figures, tables, and the machine that the figures depend on.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

/// Returns the median; of an even number of values, the lower one of the two in the middle. Without
/// values it is zero.
pub(crate) fn median<T: Copy + Default + Ord>(values: impl Iterator<Item = T>) -> T {
    let mut sorted: Vec<_> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Formats a duration in seconds: `1.23 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Formats bytes in millions: `12.3 MB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Returns a Markdown table with aligned columns. The first row is the header.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let width = |column| rows.iter().map(|row| cell(row, column).chars().count()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (column, width) in widths.iter().enumerate() {
            let cell = cell(row, column);
            text += &if column == 0 {
                format!("| {cell:<width$} |")
            } else {
                format!(" {cell:>width$} |")
            };
        }
        text.push('\n');
        if index == 0 {
            for (column, width) in widths.iter().enumerate() {
                let dashes = "-".repeat(width + 1);
                text += &if column == 0 { format!("|{dashes}-|") } else { format!("{dashes}:|") };
            }
            text.push('\n');
        }
    }
    text
}

/// Returns processor, number of cores, kernel and date in one line.
pub(crate) fn machine() -> Result<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo")?;
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model);
    let cores = std::thread::available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let date = first_line(Command::new("date").args(["-u", "+%F"]))?;
    Ok(format!("{model}, {cores} cores, Linux {}; {date}", kernel.trim()))
}

/// Returns the first line that a command prints.
pub(crate) fn first_line(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Returns the name and the version of a terraform or tofu, which prints warnings about the user's
/// settings before them.
pub(crate) fn version_of(host: &Path) -> Result<String> {
    let mut command = Command::new(host);
    first_line(
        command
            .arg("version")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env("CHECKPOINT_DISABLE", "1"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_a_value_that_was_measured() {
        assert_eq!(median([7, 9, 1].into_iter()), 7);
        assert_eq!(median([4, 1, 2, 3].into_iter()), 2);
        assert_eq!(median(std::iter::empty::<u32>()), 0);
    }

    #[test]
    fn table_is_aligned_markdown() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let table = table(&[row(&["name", "time"]), row(&["access", "1.5 s"]), row(&["b"])]);
        let expected = "\
            | name   |  time |\n\
            |--------|------:|\n\
            | access | 1.5 s |\n\
            | b      |       |\n";
        assert_eq!(table, expected);
    }
}
