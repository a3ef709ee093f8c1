//! One terraform with one contender and a service of its own: runs a step and measures it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use access_fake::{Fake, Running, World};
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::contender::{Contender, KEY};
use crate::meter::{self, Used};
use crate::options::Options;
use crate::scenario::{Scenario, Step};

/// The costs of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// Time from start to end of the command.
    pub(crate) wall: Duration,
    /// Costs of the plugin's processes.
    pub(crate) plugin: Used,
    /// Processor time of terraform itself.
    pub(crate) terraform_cpu: Duration,
    /// Requests that the service received.
    pub(crate) requests: usize,
}

/// A directory with a configuration, a state and an environment of its own, and a service.
pub(crate) struct Workspace<'b> {
    /// The terraform or tofu that runs the steps.
    host: PathBuf,
    scenario: &'b Scenario,
    contender: &'b Contender,
    running: Running,
    directory: TempDir,
}

impl<'b> Workspace<'b> {
    /// Starts the service, writes the configuration, and creates the roles if the scenario does not
    /// measure that.
    pub(crate) fn new(
        options: &'b Options,
        scenario: &'b Scenario,
        contender: &'b Contender,
    ) -> Result<Self> {
        let workspace = Self::empty(options, scenario, contender)?;
        let configuration = contender.configuration(&workspace.base_url(), scenario);
        workspace.write("main.tf", &configuration)?;
        if !scenario.steps.contains(&Step::Create) {
            workspace.run(Step::Create)?;
        }
        workspace.set_conditions(scenario);
        Ok(workspace)
    }

    /// Starts the service with the listings of the scenario. There is no configuration.
    pub(crate) fn empty(
        options: &Options,
        scenario: &'b Scenario,
        contender: &'b Contender,
    ) -> Result<Self> {
        let running = Fake::start_blocking(World::default())?;
        scenario.listing_names().for_each(|listing| running.service().put_listing(&listing));
        let directory = tempfile::tempdir()?;
        let host = options.terraform.clone();
        let workspace = Self { host, scenario, contender, running, directory };
        for name in ["home", "configuration", "plugins"] {
            fs::create_dir(workspace.path(name))?;
        }
        let overrides = match &contender.plugin {
            Some((source, _)) => {
                let name = source.rsplit('/').next().unwrap_or_default();
                let meter = workspace.path("plugins").join(format!("terraform-provider-{name}"));
                // This program runs the plugin whose path the environment contains.
                std::os::unix::fs::symlink(std::env::current_exe()?, meter)?;
                let plugins = workspace.path("plugins");
                format!("  dev_overrides {{\n    \"{source}\" = {plugins:?}\n  }}\n")
            }
            None => String::new(),
        };
        let settings = format!("provider_installation {{\n{overrides}  direct {{}}\n}}\n");
        fs::write(workspace.path("cli.tfrc"), settings)?;
        Ok(workspace)
    }

    /// Lets another terraform or tofu run the next steps.
    pub(crate) fn set_host(&mut self, host: &Path) {
        self.host = host.to_owned();
    }

    /// Returns the base address of the service.
    pub(crate) fn base_url(&self) -> String {
        self.running.base_url()
    }

    pub(crate) fn service(&self) -> &access_fake::Service {
        self.running.service()
    }

    /// Writes a file of the configuration.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path("configuration").join(name);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(&path, text).with_context(|| path.display().to_string())
    }

    /// Returns the text of a file of the configuration.
    pub(crate) fn read(&self, name: &str) -> Result<String> {
        let path = self.path("configuration").join(name);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// Removes a file of the configuration.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        let path = self.path("configuration").join(name);
        fs::remove_file(&path).with_context(|| path.display().to_string())
    }

    /// Sets latency and rate limit of the service.
    pub(crate) fn set_conditions(&self, scenario: &Scenario) {
        self.running.service().change_world(|world| scenario.set_conditions(world));
    }

    /// Returns a path below the workspace's own directory.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a step, measures it, and checks the state and the service afterwards.
    pub(crate) fn run(&self, step: Step) -> Result<Measured> {
        let record = self.path("record");
        let output = self.path("output");
        self.running.service().clear_requests();
        let cpu_before = meter::children_cpu()?;
        let start = Instant::now();
        let status = self
            .command(&self.host, &output)?
            .args(step.arguments())
            .args(["-input=false", "-no-color", "-lock=false"])
            .env("TF_VAR_edition", step.edition())
            .env(meter::RECORD, &record)
            .status()?;
        let wall = start.elapsed();
        let cpu = meter::children_cpu()?.saturating_sub(cpu_before);
        if status.code() != Some(0) {
            bail!("{}: {status}: {}", step.title(), first_error(&output));
        }
        let plugin = meter::take(&record)?;
        let requests = self.running.service().requests().len();
        self.check(step).with_context(|| step.title().to_owned())?;
        // `cpu` contains terraform and all processes that it waited for: meters and plugins.
        Ok(Measured { wall, plugin, terraform_cpu: cpu.saturating_sub(plugin.cpu), requests })
    }

    /// Runs a command of terraform, or of another program, that is not measured.
    pub(crate) fn run_unmeasured(&self, program: Option<&Path>, arguments: &[&str]) -> Result<()> {
        let record = self.path("record");
        let output = self.path("output");
        let status = self
            .command(program.unwrap_or(&self.host), &output)?
            .args(arguments)
            .env(meter::RECORD, &record)
            .status()?;
        if !status.success() {
            bail!("{}: {status}: {}", arguments.join(" "), first_error(&output));
        }
        meter::take(&record).map(|_| ())
    }

    /// Returns a command in the directory of the configuration, without the variables of this
    /// process. Its output goes to the file `output`.
    fn command(&self, program: &Path, output: &Path) -> Result<Command> {
        let output = File::create(output)?;
        let mut command = Command::new(program);
        command
            .current_dir(self.path("configuration"))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TF_CLI_CONFIG_FILE", self.path("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("ACCESS_BASE_URL", self.base_url())
            .env("ACCESS_API_KEY", KEY);
        if let Some((_, binary)) = &self.contender.plugin {
            command.env(meter::PLUGIN, OsString::from(binary));
        }
        Ok(command)
    }

    /// Checks the state and the service: a provider that does nothing must not be the fastest.
    fn check(&self, step: Step) -> Result<()> {
        let expected = if step == Step::Destroy { 0 } else { self.scenario.roles };
        let state: Value =
            serde_json::from_slice(&fs::read(self.path("configuration/terraform.tfstate"))?)?;
        let resources = state["resources"].as_array().map_or(&[][..], Vec::as_slice);
        let instances: usize = resources
            .iter()
            .map(|resource| resource["instances"].as_array().map_or(0, Vec::len))
            .sum();
        ensure!(instances == expected, "{instances} instances in the state, not {expected}");
        if self.contender.plugin.is_none() {
            return Ok(());
        }
        let service = self.running.service();
        let roles: Vec<Value> =
            self.scenario.listing_names().flat_map(|listing| service.roles(&listing)).collect();
        ensure!(roles.len() == expected, "{} roles at the service, not {expected}", roles.len());
        let edition = format!("Edition {} of ", step.edition());
        let is_current = |role: &Value| {
            role["description"].as_str().is_some_and(|text| text.starts_with(&edition))
        };
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
