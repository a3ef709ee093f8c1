//! The plugin's process, started like by Terraform, and its costs, which the kernel counts.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, encode};
use serde_json::{Map, Value, json};

use crate::contender::KEY;

/// A configured plugin.
pub(crate) struct Host {
    plugin: Plugin,
    pub(crate) client: Client,
    clock: ClockId,
    /// A role whose attributes are all null.
    pub(crate) blank: Value,
}

impl Host {
    /// Starts the plugin, connects and configures it.
    ///
    /// # Errors
    ///
    /// Fails if a call fails or returns an error diagnostic.
    pub(crate) async fn start(binary: &Path, base_url: &str) -> Result<Self> {
        let plugin = Plugin::start(Launch::new(binary)).await;
        let client = plugin.connect().await;
        let pid = Pid::from_raw(i32::try_from(plugin.id())?);
        let clock = clock_getcpuclockid(pid).context("the plugin's clock")?;
        let request = pb::get_provider_schema::Request {};
        let response = client.get_provider_schema(request).await;
        let schema = response.map_err(|status| anyhow!("{status}"))?;
        refuse_errors(&schema.diagnostics)?;
        let role =
            schema.resource_schemas.get("access_listing_role").context("the role's schema")?;
        let blank = nulls(Some(role))?;
        let mut config = nulls(schema.provider.as_ref())?;
        config["base_url"] = json!(base_url);
        config["api_key"] = json!(KEY);
        config["repo_detection"] = json!("off");
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        let response = client.configure_provider(request).await;
        refuse_errors(&response.map_err(|status| anyhow!("{status}"))?.diagnostics)?;
        Ok(Self { plugin, client, clock, blank })
    }

    /// Returns the processor time of all threads of the plugin so far.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        Ok(clock_gettime(self.clock)?.into())
    }

    /// Returns the plugin's peak memory so far, in bytes.
    pub(crate) fn peak(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.plugin.id()))?;
        peak_of(&status).context("VmHWM")
    }

    /// Stops the plugin in the same way as Terraform.
    pub(crate) async fn end(mut self) -> Result<()> {
        let status = self.plugin.shutdown(self.client).await;
        ensure!(status.success(), "the plugin ended with {status}");
        Ok(())
    }
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Measures the time from the start of the process to its handshake line, `times` times.
pub(crate) async fn start_times(binary: &Path, times: usize) -> Result<Vec<Duration>> {
    let mut all = Vec::new();
    for _ in 0..times {
        // Creates the client's certificate, which is not part of the plugin's time.
        let launch = Launch::new(binary);
        let start = Instant::now();
        let mut plugin = Plugin::start(launch).await;
        all.push(start.elapsed());
        let client = plugin.connect().await;
        let status = plugin.shutdown(client).await;
        ensure!(status.success(), "the plugin ended with {status}");
    }
    Ok(all)
}

/// Returns an object of a schema whose attributes are all null.
fn nulls(schema: Option<&pb::Schema>) -> Result<Value> {
    let block = schema.and_then(|schema| schema.block.as_ref()).context("a schema has a block")?;
    let members = block.attributes.iter().map(|attribute| (attribute.name.clone(), Value::Null));
    Ok(Value::Object(members.collect::<Map<_, _>>()))
}

/// Returns the first error among diagnostics as an error.
pub(crate) fn refuse_errors(diagnostics: &[pb::Diagnostic]) -> Result<()> {
    let error = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error);
    match error {
        Some(error) => Err(anyhow!("{}: {}", error.summary, error.detail)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_is_read_in_bytes() {
        assert_eq!(peak_of("VmPeak:\t 9 kB\nVmHWM:\t    12 kB\nVmRSS:\t 1 kB\n"), Some(12_288));
        assert_eq!(peak_of("VmRSS:\t 1 kB\n"), None);
    }

    #[test]
    fn errors_are_distinguished_from_warnings() {
        let diagnostic = |severity: pb::diagnostic::Severity| pb::Diagnostic {
            severity: severity.into(),
            ..Default::default()
        };
        assert!(refuse_errors(&[diagnostic(pb::diagnostic::Severity::Warning)]).is_ok());
        assert!(refuse_errors(&[diagnostic(pb::diagnostic::Severity::Error)]).is_err());
    }
}
