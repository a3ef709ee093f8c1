//! One terraform with one contender: runs a step and measures it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use access_fake::Service;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::contender::{Contender, LISTING};
use crate::meter::{self, Used};
use crate::options::Options;

/// What a user does to a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Create,
    Plan,
    Edit,
    Destroy,
}

impl Step {
    pub(crate) const ALL: [Self; 4] = [Self::Create, Self::Plan, Self::Edit, Self::Destroy];

    /// The step in words.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Create => "Create all (apply)",
            Self::Plan => "Plan without changes",
            Self::Edit => "Edit all (apply)",
            Self::Destroy => "Destroy all",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Create | Self::Edit => &["apply", "-auto-approve"],
            Self::Plan => &["plan", "-detailed-exitcode"],
            Self::Destroy => &["destroy", "-auto-approve"],
        }
    }

    /// The value of the configuration's variable.
    fn edition(self) -> &'static str {
        match self {
            Self::Create | Self::Plan => "1",
            Self::Edit | Self::Destroy => "2",
        }
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// From start to end of the command.
    pub(crate) wall: Duration,
    /// What the plugin's processes used.
    pub(crate) plugin: Used,
    /// Processor time of terraform itself.
    pub(crate) terraform_cpu: Duration,
    /// Requests that the service got.
    pub(crate) requests: usize,
}

/// A directory with a configuration, a state and an environment of its own.
pub(crate) struct Workspace<'b> {
    options: &'b Options,
    contender: &'b Contender,
    service: &'b Service,
    directory: TempDir,
}

impl<'b> Workspace<'b> {
    /// A fresh one.
    pub(crate) fn new(
        options: &'b Options,
        contender: &'b Contender,
        service: &'b Service,
        base_url: &str,
    ) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let workspace = Self { options, contender, service, directory };
        for name in ["home", "configuration", "plugins"] {
            fs::create_dir(workspace.path(name))?;
        }
        let overrides = match &contender.plugin {
            Some((name, _)) => {
                let meter = workspace.path("plugins").join(format!("terraform-provider-{name}"));
                // A link that can be followed anywhere: the meter is told by name where it runs.
                std::os::unix::fs::symlink(options.meter.canonicalize()?, meter)?;
                let plugins = workspace.path("plugins");
                format!("  dev_overrides {{\n    \"{}\" = {plugins:?}\n  }}\n", contender.source())
            }
            None => String::new(),
        };
        let settings = format!("provider_installation {{\n{overrides}  direct {{}}\n}}\n");
        fs::write(workspace.path("cli.tfrc"), settings)?;
        let configuration = contender.configuration(base_url, options.resources);
        fs::write(workspace.path("configuration").join("main.tf"), configuration)?;
        Ok(workspace)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a step, measures it, and sees that it did what it says.
    ///
    /// # Errors
    ///
    /// It failed, or the state or the service are not as they should be after it.
    pub(crate) fn run(&self, step: Step) -> Result<Measured> {
        let record = self.path("record");
        let output = self.path("output");
        self.service.forget_requests();
        let cpu_before = meter::children_cpu()?;
        let start = Instant::now();
        let status = self.command(step, &record, &output)?.status()?;
        let wall = start.elapsed();
        let cpu = meter::children_cpu()?.saturating_sub(cpu_before);
        if status.code() != Some(0) {
            bail!("{}: {status}: {}", step.title(), first_error(&output));
        }
        let plugin = meter::take(&record)?;
        let requests = self.service.requests().len();
        self.check(step).with_context(|| step.title().to_owned())?;
        // All that terraform waited for is in `cpu`: itself, meters and plugins.
        Ok(Measured { wall, plugin, terraform_cpu: cpu.saturating_sub(plugin.cpu), requests })
    }

    fn command(&self, step: Step, record: &Path, output: &Path) -> Result<Command> {
        let output = File::create(output)?;
        let mut command = Command::new(&self.options.terraform);
        command
            .args(step.arguments())
            .args(["-input=false", "-no-color", "-lock=false"])
            .arg(format!("-parallelism={}", self.options.parallelism))
            .current_dir(self.path("configuration"))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TF_CLI_CONFIG_FILE", self.path("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_VAR_edition", step.edition())
            .env(meter::RECORD, record);
        if let Some((_, binary)) = &self.contender.plugin {
            command.env(meter::PLUGIN, OsString::from(binary));
        }
        Ok(command)
    }

    /// A fast provider that does nothing must not win.
    fn check(&self, step: Step) -> Result<()> {
        let expected = if step == Step::Destroy { 0 } else { self.options.resources };
        let state: Value =
            serde_json::from_slice(&fs::read(self.path("configuration/terraform.tfstate"))?)?;
        let resources = state["resources"].as_array().map_or(&[][..], Vec::as_slice);
        let instances: usize =
            resources.iter().map(|it| it["instances"].as_array().map_or(0, Vec::len)).sum();
        ensure!(instances == expected, "{instances} instances in the state, not {expected}");
        if !self.contender.has_roles() {
            return Ok(());
        }
        let roles = self.service.roles(LISTING);
        ensure!(roles.len() == expected, "{} roles at the service, not {expected}", roles.len());
        let edition = format!("Edition {} of ", step.edition());
        let is_current = |role: &Value| {
            role["description"].as_str().is_some_and(|text| text.starts_with(&edition))
        };
        ensure!(roles.iter().all(is_current), "the service has another description");
        Ok(())
    }
}

/// The first error in terraform's words, or the end of what it said.
fn first_error(output: &Path) -> String {
    let text = fs::read_to_string(output).unwrap_or_default();
    let from = text.find("Error: ").unwrap_or(text.len().saturating_sub(400));
    let lines = text.get(from..).unwrap_or_default().lines();
    let words: Vec<&str> = lines
        .map(|line| line.trim_matches(['│', '╷', '╵', ' ']))
        .filter(|it| !it.is_empty())
        .collect();
    words.join(" ").chars().take(600).collect()
}
