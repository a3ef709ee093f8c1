//! Terraform with the configuration of one case, and a local service: runs the steps and measures
//! them.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use access_fake::{Fake, Running, World};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::case::Case;
use crate::meter::{self, Used};
use crate::options::Options;

/// An admin's key of the local service.
const KEY: &str = "admin-key";

/// A terraform command on the whole configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    ApplyNew,
    PlanSame,
    ApplyEdit,
    Destroy,
}

/// The steps that are measured, in this order.
pub(crate) const STEPS: [Step; 4] =
    [Step::ApplyNew, Step::PlanSame, Step::ApplyEdit, Step::Destroy];

impl Step {
    /// Returns what the table calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ApplyNew => "apply new",
            Self::PlanSame => "plan same",
            Self::ApplyEdit => "apply edit",
            Self::Destroy => "destroy",
        }
    }

    /// Returns the arguments of terraform.
    fn arguments(self) -> [&'static str; 2] {
        match self {
            Self::ApplyNew | Self::ApplyEdit => ["apply", "-auto-approve"],
            // It fails if it plans a change.
            Self::PlanSame => ["plan", "-detailed-exitcode"],
            Self::Destroy => ["destroy", "-auto-approve"],
        }
    }

    /// Returns the number in the descriptions of the roles.
    fn edition(self) -> &'static str {
        match self {
            Self::ApplyNew | Self::PlanSame => "1",
            Self::ApplyEdit | Self::Destroy => "2",
        }
    }
}

/// The costs of a step.
pub(crate) struct Measured {
    /// Time from start to end of the command.
    pub(crate) wall: Duration,
    /// Costs of the plugin's processes.
    pub(crate) plugin: Used,
    /// Processor time of terraform, with its side of gRPC.
    pub(crate) host_cpu: Duration,
    /// Requests that the service received.
    pub(crate) requests: usize,
}

/// A directory with a configuration, a state and an environment of its own, and a service.
pub(crate) struct Workspace<'a> {
    options: &'a Options,
    case: &'a Case,
    service: Running,
    directory: TempDir,
}

impl<'a> Workspace<'a> {
    /// Starts the service and writes the configuration.
    pub(crate) fn new(options: &'a Options, case: &'a Case) -> Result<Self> {
        let world = World { latency_ms: options.latency_ms, ..World::default() };
        let service = Fake::start_blocking(world)?;
        for listing in case.listing_names() {
            let added = service.service().put_parent(&format!("listings/{listing}"));
            added.map_err(anyhow::Error::msg)?;
        }
        let workspace = Self { options, case, service, directory: tempfile::tempdir()? };
        fs::create_dir(workspace.path("home"))?;
        let configuration = workspace.path("configuration");
        case.write(&configuration)?;
        let mut overrides = String::new();
        if case.plugin.is_some() {
            let address = case.source_address(&configuration)?;
            let plugins = workspace.path("plugins");
            fs::create_dir(&plugins)?;
            let name = address.rsplit('/').next().unwrap_or_default();
            // This program runs the plugin whose path the environment contains.
            symlink(std::env::current_exe()?, plugins.join(format!("terraform-provider-{name}")))?;
            overrides = format!("  dev_overrides {{\n    \"{address}\" = {plugins:?}\n  }}\n");
        }
        let settings = format!("provider_installation {{\n{overrides}  direct {{}}\n}}\n");
        fs::write(workspace.path("cli.tfrc"), settings)?;
        if case.listings > 1 {
            workspace.terraform(&["get"], "1")?;
        }
        Ok(workspace)
    }

    /// Runs a step, measures it, and checks the state and the service afterwards.
    pub(crate) fn run(&self, step: Step) -> Result<Measured> {
        self.case.write_data(&self.path("configuration"), step.edition())?;
        self.service.service().clear_requests();
        let [command, option] = step.arguments();
        let arguments = [command, option, "-input=false", "-no-color", "-lock=false"];
        let cpu_before = meter::children_cpu()?;
        let start = Instant::now();
        self.terraform(&arguments, step.edition()).with_context(|| step.name())?;
        let wall = start.elapsed();
        let cpu = meter::children_cpu()?.saturating_sub(cpu_before);
        let plugin = meter::take(&self.path("record"))?;
        let requests = self.service.service().requests().len();
        self.check(step).with_context(|| step.name())?;
        // `cpu` contains terraform and all processes that it waited for: meters and plugins.
        Ok(Measured { wall, plugin, host_cpu: cpu.saturating_sub(plugin.cpu), requests })
    }

    /// Runs a command of terraform in the directory of the configuration, without the variables of
    /// this process.
    fn terraform(&self, arguments: &[&str], edition: &str) -> Result<()> {
        let path = self.path("output");
        let output = File::create(&path)?;
        let mut command = Command::new(&self.options.terraform);
        command
            .args(arguments)
            .current_dir(self.path("configuration"))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TF_CLI_CONFIG_FILE", self.path("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("ACCESS_BASE_URL", self.service.base_url())
            .env("ACCESS_API_KEY", KEY)
            // Variables that a configuration does not declare are ignored.
            .env("TF_VAR_base_url", self.service.base_url())
            .env("TF_VAR_api_key", KEY)
            .env("TF_VAR_edition", edition)
            .env("TF_VAR_roles", self.case.roles.to_string())
            .env(meter::RECORD, self.path("record"));
        if let Some(binary) = &self.case.plugin {
            command.env(meter::PLUGIN, binary);
        }
        let status = command.status()?;
        ensure!(status.success(), "{status}: {}", first_error(&path));
        Ok(())
    }

    /// Returns a path below the workspace's own directory.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Checks the state and the service: a provider that does nothing must not be the fastest.
    fn check(&self, step: Step) -> Result<()> {
        let expected = if step == Step::Destroy { 0 } else { self.case.roles };
        let state: Value =
            serde_json::from_slice(&fs::read(self.path("configuration/terraform.tfstate"))?)?;
        let resources = state["resources"].as_array().map_or(&[][..], Vec::as_slice);
        let instances: usize = resources
            .iter()
            .map(|resource| resource["instances"].as_array().map_or(0, Vec::len))
            .sum();
        ensure!(instances == expected, "{instances} instances in the state, not {expected}");
        if self.case.plugin.is_none() {
            return Ok(());
        }
        let service = self.service.service();
        let roles: Vec<Value> = self
            .case
            .listing_names()
            .flat_map(|listing| service.objects(&format!("listings/{listing}")))
            .collect();
        ensure!(roles.len() == expected, "{} roles at the service, not {expected}", roles.len());
        let description = format!("Edition {}", step.edition());
        let is_current = |role: &Value| role["description"] == description.as_str();
        ensure!(roles.iter().all(is_current), "the service has another description");
        Ok(())
    }
}

/// Returns the first error in terraform's output, or the end of the output without an error.
fn first_error(output: &Path) -> String {
    let output = fs::read_to_string(output).unwrap_or_default();
    let error = output.split("Error: ").nth(1);
    let end = || output.get(output.len().saturating_sub(400)..).unwrap_or_default();
    let lines = error.unwrap_or_else(end).lines();
    let lines: Vec<&str> = lines
        .map(|line| line.trim_matches(['│', '╷', '╵', ' ']))
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(" ").chars().take(400).collect()
}
