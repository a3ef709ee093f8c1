//! The machine and the programs that the figures depend on.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// Returns processor, number of cores and kernel in one line.
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

/// Returns the date in UTC, as `2026-01-31`.
pub(crate) fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}

/// Returns the product and version of a binary, such as `Terraform 1.11.4` or `OpenTofu 1.12.6`.
///
/// # Errors
///
/// Fails if the binary cannot be started or prints something else.
pub(crate) fn terraform_version(binary: &std::path::Path) -> Result<String> {
    let output = Command::new(binary)
        .args(["version", "-json"])
        .env("CHECKPOINT_DISABLE", "1")
        .env_remove("TF_CLI_CONFIG_FILE")
        .output()
        .with_context(|| format!("could not start {}", binary.display()))?;
    let version: Value = serde_json::from_slice(&output.stdout).context("terraform version")?;
    let number = version["terraform_version"].as_str().context("terraform_version")?;
    // Both print `terraform_version` in JSON. The plain output contains the product.
    let output = Command::new(binary)
        .arg("version")
        .env("CHECKPOINT_DISABLE", "1")
        .env_remove("TF_CLI_CONFIG_FILE")
        .output()?;
    let plain = String::from_utf8_lossy(&output.stdout);
    let name = if plain.starts_with("OpenTofu") { "OpenTofu" } else { "Terraform" };
    Ok(format!("{name} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_is_written_as_year_month_and_day() {
        let today = today();
        assert_eq!(today.len(), 10, "{today}");
        assert_eq!(today.split('-').count(), 3, "{today}");
    }

    #[test]
    fn cpu_is_named_by_its_model() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Some CPU @ 3GHz\n"), "Some CPU @ 3GHz");
        assert_eq!(cpu_model("Features : fp"), std::env::consts::ARCH);
    }
}
