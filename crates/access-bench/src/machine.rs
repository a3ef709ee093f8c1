//! What the figures were measured on.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The machine in a line: processor, cores, kernel.
pub(crate) fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{}, {cores} cores, Linux {}", cpu_model(&cpuinfo), kernel.trim())
}

fn cpu_model(cpuinfo: &str) -> String {
    let model = cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    model.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Today in UTC, as `2026-01-31`.
pub(crate) fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86_400)
}

/// The date so many days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Which terraform or tofu this is: `Terraform 1.11.4`, `OpenTofu 1.12.6`.
pub(crate) fn terraform_version(binary: &std::path::Path) -> Result<String> {
    let output = Command::new(binary)
        .args(["version", "-json"])
        .env("CHECKPOINT_DISABLE", "1")
        .env_remove("TF_CLI_CONFIG_FILE")
        .output()
        .with_context(|| format!("could not start {}", binary.display()))?;
    let version: Value = serde_json::from_slice(&output.stdout).context("terraform version")?;
    let number = version["terraform_version"].as_str().context("terraform_version")?;
    // Both say terraform_version; the words for people tell them apart.
    let output = Command::new(binary)
        .arg("version")
        .env("CHECKPOINT_DISABLE", "1")
        .env_remove("TF_CLI_CONFIG_FILE")
        .output()?;
    let words = String::from_utf8_lossy(&output.stdout);
    let name = if words.starts_with("OpenTofu") { "OpenTofu" } else { "Terraform" };
    Ok(format!("{name} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_counts_leap_years() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_818, "2026-12-31"),
            (20_819, "2027-01-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn cpu_is_named_by_its_model() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Some CPU @ 3GHz\n"), "Some CPU @ 3GHz");
        assert_eq!(cpu_model("Features : fp"), std::env::consts::ARCH);
    }
}
