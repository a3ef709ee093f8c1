//! A working directory of its own for each test, with an environment of its own.
//!
//! terraform inherits only PATH and, on Windows, SystemRoot from the environment of the test: a
//! developer's CLI configuration, CI variables or proxies must not change the result of a test.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::Value;
use tempfile::TempDir;

use super::fixtures::{Configuration, REPOSITORY};
use super::{Outcome, claims, host};

/// Returns the provider under test: `ACCESS_PROVIDER`, such as a script that runs a build for
/// another platform, or the one that cargo has built for this test.
pub(crate) fn provider() -> &'static Path {
    static PROVIDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let other = env::var_os("ACCESS_PROVIDER").filter(|path| !path.is_empty());
        other.unwrap_or_else(|| env!("CARGO_BIN_EXE_terraform-provider-access").into()).into()
    });
    &PROVIDER
}

/// What a module needs to find the provider.
pub(crate) const VERSIONS: &str = "terraform {\n  required_providers {\n    access = {\n      source = \"access/access\"\n    }\n  }\n}\n";

/// A directory, and the environment of the commands that run in it.
pub(crate) struct Workspace {
    directory: TempDir,
    environment: Vec<(String, OsString)>,
    /// The service whose requests are compared with what the commands print.
    service: Option<access_fake::Service>,
}

impl Workspace {
    /// Returns an empty directory whose terraform finds the provider under test and the service.
    pub(crate) fn new(base_url: &str, api_key: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let provider_directory = provider().parent().expect("the provider's directory");
        // The source address has no host: terraform and tofu each add their own registry.
        let cli_configuration_path = directory.path().join("cli.tfrc");
        let home = directory.path().join("home");
        fs::create_dir(&home).expect("a home directory");
        fs::create_dir(directory.path().join("configuration")).expect("a working directory");
        let mut workspace = Self { directory, environment: Vec::new(), service: None }
            .with("TF_CLI_CONFIG_FILE", &cli_configuration_path.display().to_string())
            .with("ACCESS_BASE_URL", base_url)
            .with("ACCESS_API_KEY", api_key)
            // As pipelines have it: users must not see a backtrace even then.
            .with("RUST_BACKTRACE", "1")
            .with("CHECKPOINT_DISABLE", "1")
            // Terraform's processes are too short to collect garbage. Without, they take a tenth
            // less processor time.
            .with("GOGC", "off")
            // With one thread at a time, a fifth less: tests run beside each other.
            .with("GOMAXPROCS", "1")
            .with("TF_IN_AUTOMATION", "1")
            .with("TF_INPUT", "0");
        // A provider that is killed leaves the directory of its socket in TMPDIR. The last three
        // are for programs on Windows.
        for variable in ["HOME", "TMPDIR", "USERPROFILE", "APPDATA", "TEMP"] {
            workspace.set(variable, &home.display().to_string());
        }
        // Encryption between Terraform and the provider takes a third of the processor time. Tests that
        // call `encrypted`, pipelines and plugin-server's tests have it.
        if cfg!(unix) {
            workspace.set("TF_DISABLE_PLUGIN_TLS", "1");
        }
        workspace.override_providers(&[("access/access", provider_directory)]);
        workspace.write("versions.tf", VERSIONS);
        workspace.write("../.git/HEAD", "ref: refs/heads/main\n");
        workspace.set_remotes(&[("origin", REPOSITORY)]);
        workspace
    }

    /// Sets the remotes of the checkout, in whose directory `configuration` terraform runs.
    pub(crate) fn set_remotes(&self, remotes: &[(&str, &str)]) {
        let sections = remotes.iter();
        let sections = sections.map(|(name, url)| format!("[remote {name:?}]\n\turl = {url}\n"));
        self.write("../.git/config", &sections.collect::<String>());
    }

    /// Makes the checkout an ordinary directory.
    pub(crate) fn remove_checkout(&self) {
        fs::remove_dir_all(self.directory.path().join(".git")).expect("a checkout");
    }

    /// Returns this workspace with encryption between Terraform and the provider.
    pub(crate) fn encrypted(self) -> Self {
        self.with("TF_DISABLE_PLUGIN_TLS", "")
    }

    /// Lets terraform find these providers in these directories.
    pub(crate) fn override_providers(&self, directories: &[(&str, &Path)]) {
        let lines = directories.iter().map(|(provider, directory)| {
            format!("    {provider:?} = {:?}\n", directory.display().to_string())
        });
        let lines: String = lines.collect();
        let text = format!(
            "provider_installation {{\n  dev_overrides {{\n{lines}  }}\n  direct {{}}\n}}\n"
        );
        fs::write(self.directory.path().join("cli.tfrc"), text).expect("the CLI configuration");
    }

    /// Compares what the commands to come print with the requests of this service.
    pub(super) fn of_service(self, service: access_fake::Service) -> Self {
        Self { service: Some(service), ..self }
    }

    /// Sets an environment variable, as [`Self::set`] does.
    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.set(variable, value);
        self
    }

    /// Sets an environment variable for the commands to come; an empty value unsets it.
    pub(crate) fn set(&mut self, variable: &str, value: &str) {
        self.environment.retain(|(name, _)| name != variable);
        if !value.is_empty() {
            self.environment.push((variable.to_owned(), value.into()));
        }
    }

    /// Returns the working directory of terraform.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("configuration")
    }

    /// Writes a file of the working directory.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
        fs::write(path, text).expect("a file of the configuration");
    }

    /// Returns the text of a file of the working directory.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect(name)
    }

    /// Writes the configuration proper, replacing the one before.
    pub(crate) fn configure(&self, configuration: impl Configuration) {
        self.write("main.tf", &configuration.to_string());
    }

    /// Returns a command in the workspace's environment, for tests that need the process itself.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(host::binary());
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            // Windows needs it to open sockets.
            .envs(env::var_os("SystemRoot").map(|root| ("SystemRoot", root)))
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns another command in the same environment.
    pub(crate) fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let template = self.command(&[]);
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env_clear()
            .envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// Runs the provider's binary by hand, in the same environment.
    pub(crate) fn run_provider(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command_of(provider()).args(arguments))
    }

    /// Runs terraform with these arguments. Fails the test if a text contradicts the requests or the state.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        let requests = || self.service.as_ref().map(|it| it.requests()).unwrap_or_default();
        let (earlier, before) = (requests().len(), claims::names_in(&self.state()));
        let outcome = Outcome::of(&mut self.command(arguments));
        let (sent, after) = (requests().split_off(earlier), claims::names_in(&self.state()));
        let errors = outcome.errors();
        for text in errors.iter().chain(&outcome.warnings()) {
            let (summary, detail) = text.split_once('\n').unwrap_or((text, ""));
            claims::check_sent(summary, detail, &sent);
            if self.service.is_some() {
                claims::check_requests(text, &requests());
            }
        }
        for text in &errors {
            let (summary, detail) = text.split_once('\n').unwrap_or((text, ""));
            claims::check_state(summary, detail, &before, &after);
        }
        outcome
    }

    /// Runs `plan`, with exit code 2 if there are changes.
    pub(crate) fn plan(&self) -> Outcome {
        self.plan_with(&[])
    }

    pub(crate) fn plan_with(&self, more: &[&str]) -> Outcome {
        self.run(&[&["plan", "-json", "-detailed-exitcode", "-lock=false"], more].concat())
    }

    pub(crate) fn apply(&self) -> Outcome {
        self.apply_with(&[])
    }

    pub(crate) fn apply_with(&self, more: &[&str]) -> Outcome {
        self.run(&[&["apply", "-json", "-auto-approve", "-lock=false"], more].concat())
    }

    /// Replaces the configuration, and plans.
    pub(crate) fn plan_of(&self, configuration: impl Configuration) -> Outcome {
        self.configure(configuration);
        self.plan()
    }

    /// Replaces the configuration, and applies.
    pub(crate) fn apply_of(&self, configuration: impl Configuration) -> Outcome {
        self.configure(configuration);
        self.apply()
    }

    /// Plans, and fails the test unless there are no changes.
    #[track_caller]
    pub(crate) fn plans_nothing(&self) -> Outcome {
        self.plan().exits(0)
    }

    /// Saves a plan, and fails the test unless it has changes.
    #[track_caller]
    pub(crate) fn save_plan(&self, more: &[&str]) -> Outcome {
        self.plan_with(&[&["-out=saved.tfplan"], more].concat()).exits(2)
    }

    /// Applies the saved plan.
    pub(crate) fn apply_saved(&self) -> Outcome {
        self.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
    }

    /// Returns the saved plan as JSON.
    pub(crate) fn saved_plan(&self) -> String {
        self.run(&["show", "-json", "saved.tfplan"]).succeeds().stdout
    }

    /// Returns the planned change of a resource in the saved plan.
    pub(crate) fn saved_change(&self, address: &str) -> Value {
        let plan: Value = serde_json::from_str(&self.saved_plan()).expect("a plan of JSON");
        let changes = plan["resource_changes"].as_array().expect("changes");
        let change = changes.iter().find(|change| change["address"] == address);
        change.expect("a change of the resource")["change"].clone()
    }

    pub(crate) fn destroy(&self) -> Outcome {
        self.destroy_with(&[])
    }

    pub(crate) fn destroy_with(&self, more: &[&str]) -> Outcome {
        self.run(&[&["destroy", "-json", "-auto-approve", "-lock=false"], more].concat())
    }

    /// Applies what a refresh finds, and nothing else.
    pub(crate) fn refresh(&self) -> Outcome {
        self.apply_with(&["-refresh-only"])
    }

    /// Runs `terraform import`, whose output is text.
    pub(crate) fn import(&self, address: &str, id: &str) -> Outcome {
        self.run(&["import", "-no-color", "-lock=false", address, id])
    }

    /// Marks resources for a replacement by themselves, as `terraform taint` does.
    pub(crate) fn taint(&self, addresses: &[&str]) {
        self.set_status(addresses, "tainted".into());
    }

    /// Removes the mark, as `terraform untaint` does.
    pub(crate) fn untaint(&self, addresses: &[&str]) {
        self.set_status(addresses, Value::Null);
    }

    fn set_status(&self, addresses: &[&str], status: Value) {
        self.edit_state(|resources| {
            for resource in resources {
                let [kind, name] =
                    ["type", "name"].map(|it| resource[it].as_str().unwrap_or_default());
                if addresses.contains(&&*format!("{kind}.{name}")) {
                    resource["instances"][0]["status"] = status.clone();
                }
            }
        });
    }

    /// Returns the attributes of a resource in the state; `None` if the state does not contain it.
    pub(crate) fn state_of(&self, address: &str) -> Option<Value> {
        self.instance(address).map(|instance| instance["attributes"].clone())
    }

    /// Returns the first instance of a resource in the state, with its private state.
    pub(crate) fn instance(&self, address: &str) -> Option<Value> {
        let (kind, name) = address.split_once('.').expect("an address");
        self.state()["resources"]
            .as_array()?
            .iter()
            .find(|resource| resource["type"] == kind && resource["name"] == name)
            .map(|resource| resource["instances"][0].clone())
    }

    /// Returns all instances in the state, also deposed ones.
    pub(crate) fn instances(&self) -> Vec<Value> {
        let state = self.state();
        let resources = state["resources"].as_array().into_iter().flatten();
        let instances = resources.filter_map(|resource| resource["instances"].as_array());
        instances.flatten().cloned().collect()
    }

    /// Returns the number of instances in the state.
    pub(crate) fn state_size(&self) -> usize {
        self.instances().len()
    }

    /// Returns the number of deposed objects in the state.
    pub(crate) fn deposed(&self) -> usize {
        self.instances().iter().filter(|instance| instance["deposed"].is_string()).count()
    }

    /// Edits the resources of the state file, as users should not.
    pub(crate) fn edit_state(&self, edit: impl FnOnce(&mut Vec<Value>)) {
        let mut state = self.state();
        edit(state["resources"].as_array_mut().expect("resources"));
        self.write("terraform.tfstate", &state.to_string());
    }

    /// Returns the state file; null if it does not exist.
    pub(crate) fn state(&self) -> Value {
        match fs::read(self.path().join("terraform.tfstate")) {
            // A terraform that was killed may leave an empty file, which the next one ignores.
            Ok(bytes) if bytes.is_empty() => Value::Null,
            Ok(bytes) => serde_json::from_slice(&bytes).expect("a state of JSON"),
            Err(_) => Value::Null,
        }
    }
}
