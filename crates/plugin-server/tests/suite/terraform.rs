//! Tests with Terraform or OpenTofu: the binary in `TERRAFORM_BINARY`, or `terraform` on PATH.

#[cfg(unix)]
mod debug;
#[cfg(unix)]
mod interrupts;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

use super::support::probe_binary;

pub(super) fn binary() -> PathBuf {
    if let Some(binary) = std::env::var_os("TERRAFORM_BINARY") {
        return binary.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = ["terraform", "tofu"]
        .into_iter()
        .map(|name| format!("{name}{}", std::env::consts::EXE_SUFFIX))
        .flat_map(|name| std::env::split_paths(&path).map(move |directory| directory.join(&name)));
    found.find(|path| path.is_file()).expect("terraform or tofu on PATH, or TERRAFORM_BINARY")
}

/// A directory to run Terraform in, with the probe in place of any registry.
pub(super) struct Workspace {
    directory: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

impl Workspace {
    pub(super) fn new(configuration: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Self { directory, environment: Vec::new() };
        workspace.find_plugins_in(probe_binary().parent().unwrap());
        workspace.write(configuration);
        workspace
    }

    /// Lets Terraform find the probe in this directory.
    pub(super) fn find_plugins_in(&self, directory: &Path) {
        let directory = directory.display().to_string();
        let overrides = format!(
            "provider_installation {{\n  dev_overrides {{\n    \"test/probe\" = {directory:?}\n  }}\n  \
             direct {{}}\n}}\n"
        );
        std::fs::write(self.path("cli.tfrc"), overrides).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn write(&self, configuration: &str) {
        let head = "terraform {\n  required_providers {\n    \
                    probe = { source = \"test/probe\" }\n  }\n}\n";
        std::fs::write(self.path("main.tf"), format!("{head}{configuration}")).unwrap();
    }

    pub(super) fn env(mut self, key: &str, value: &str) -> Self {
        self.environment.push((key.to_owned(), value.to_owned()));
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        for (key, _) in std::env::vars_os() {
            if key.to_string_lossy().starts_with("TF_") || key == "RUST_BACKTRACE" {
                command.env_remove(key);
            }
        }
        command
            .current_dir(self.directory.path())
            .env("TF_CLI_CONFIG_FILE", self.path("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("GOGC", "off")
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(super) fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = text(&output);
        assert!(output.status.success(), "{arguments:?}\n{text}");
        text
    }

    pub(super) fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = text(&output);
        assert!(!output.status.success(), "{arguments:?}\n{text}");
        text
    }

    pub(super) fn apply(&self) -> String {
        self.succeeds(&["apply", "-auto-approve", "-no-color"])
    }

    /// Plans with and without a refresh, and checks that there are no changes.
    pub(super) fn plans_nothing(&self) {
        self.succeeds(&["plan", "-detailed-exitcode", "-no-color"]);
        self.succeeds(&["plan", "-detailed-exitcode", "-no-color", "-refresh=false"]);
    }

    /// Returns the object in the state, if there is one.
    pub(super) fn instance(&self) -> Option<Json> {
        self.instances().into_iter().next()
    }

    /// Returns the objects in the state, by name.
    pub(super) fn instances(&self) -> Vec<Json> {
        let state = std::fs::read_to_string(self.path("terraform.tfstate")).unwrap_or_default();
        let state: Json = serde_json::from_str(&state).unwrap_or_default();
        let resources = state["resources"].as_array().into_iter().flatten();
        resources.map(|resource| resource["instances"][0].clone()).collect()
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn value_that_is_known_after_apply_is_created_and_replaced() {
    let things = |name: &str| {
        format!(
            "resource \"probe_thing\" \"name\" {{\n  replaced_by = \"{name}\"\n}}\n\
             resource \"probe_thing\" \"it\" {{\n  replaced_by = probe_thing.name.made\n  \
             value = \"{name}\"\n}}\n"
        )
    };
    let workspace = Workspace::new(&things("plum"));
    let is_stored = |value: &str| {
        workspace.plans_nothing();
        let attributes = &workspace.instance().unwrap()["attributes"];
        assert_eq!(
            (&attributes["replaced_by"], &attributes["value"]),
            (&json!("made"), &json!(value))
        );
    };
    workspace.apply();
    is_stored("plum");
    workspace.write(&things("pear"));
    assert!(workspace.apply().contains("2 added, 0 changed, 2 destroyed"));
    is_stored("pear");
}

#[test]
#[cfg(unix)]
fn host_may_disable_encryption() {
    let workspace = Workspace::new(&thing("", "value = \"v\"")).env("TF_DISABLE_PLUGIN_TLS", "1");
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(workspace.instance().unwrap()["attributes"]["value"], "v");
}

fn thing(command: &str, rest: &str) -> String {
    format!("resource \"probe_thing\" \"it\" {{\n  command = \"{command}\"\n{rest}\n}}\n")
}

#[test]
fn create_that_fails_is_tainted_or_dropped() {
    let workspace = Workspace::new(&thing("fail_with:create", "value = \"v\""));
    let failed = workspace.fails(&["apply", "-auto-approve", "-no-color"]);
    assert!(failed.contains("Commanded to fail with a state"), "{failed}");
    let instance = workspace.instance().expect("what was created is kept");
    assert_eq!(
        (&instance["status"], &instance["attributes"]["value"]),
        (&json!("tainted"), &json!("v"))
    );
    assert!(instance["private"].is_string(), "{instance}");
    let workspace = Workspace::new(&failing_things("create", ""));
    fails_thrice(&workspace, "apply");
    assert_eq!(workspace.instances(), [Json::Null; 0]);
}

/// Returns things whose calls of this kind fail in three ways.
fn failing_things(what: &str, rest: &str) -> String {
    let thing =
        |way| thing(&format!("{way}:{what}"), rest).replace("\"it\"", &format!("\"{way}\""));
    ["fail", "none", "panic"].map(thing).concat()
}

fn fails_thrice(workspace: &Workspace, command: &str) {
    let failed = workspace.fails(&[command, "-auto-approve", "-no-color"]);
    for error in ["Commanded to fail", "Could not ", "Provider crashed"] {
        assert!(failed.contains(&format!("Error: {error}")), "{error}: {failed}");
    }
}

#[test]
fn update_and_destroy_that_fail_keep_the_state() {
    let value = |value| format!("value = \"{value}\"");
    let workspace = Workspace::new(&failing_things("update", &value("old")));
    workspace.apply();
    let before = workspace.instances();
    assert_eq!(before.len(), 3);
    workspace.write(&failing_things("update", &value("new")));
    fails_thrice(&workspace, "apply");
    assert_eq!(workspace.instances(), before, "with their private data");
    let workspace = Workspace::new(&thing("", &value("old")));
    workspace.apply();
    workspace.write(&thing("fail_with:update", &value("new")));
    workspace.fails(&["apply", "-auto-approve", "-no-color"]);
    let partial = workspace.instance().unwrap();
    assert_eq!((&partial["attributes"]["value"], &partial["status"]), (&json!("old"), &Json::Null));
    let workspace = Workspace::new(&failing_things("destroy", ""));
    workspace.apply();
    let before = workspace.instances();
    assert_eq!(before.len(), 3);
    fails_thrice(&workspace, "destroy");
    assert_eq!(workspace.instances(), before);
}

#[test]
fn replacement_destroys_with_the_private_data_of_its_plan() {
    let workspace = Workspace::new(&thing("private:destroy", "replaced_by = \"a\""));
    workspace.apply();
    let before = workspace.instance().unwrap();
    let destroy = workspace.fails(&["destroy", "-auto-approve", "-no-color"]);
    assert!(destroy.contains("created"), "the private state of the create\n{destroy}");
    workspace.write(&thing("private:destroy", "replaced_by = \"b\""));
    let replace = workspace.fails(&["apply", "-auto-approve", "-no-color"]);
    assert!(replace.contains("planned"), "the private state of the plan of the create\n{replace}");
    assert_eq!(workspace.instance().unwrap(), before, "with its private data");
}

#[test]
fn deferral_is_allowed_in_plans_inside_an_apply_alone() {
    let creates = thing("deferral:plan_create", "value = \"old\"");
    let updates = thing("deferral:plan_update", "value = \"new\"");
    let workspace = Workspace::new(&creates);
    workspace.succeeds(&["plan", "-no-color"]);
    if workspace.succeeds(&["version"]).contains("OpenTofu") {
        workspace.apply();
        workspace.write(&updates);
        workspace.apply();
        return;
    }
    let fails = || {
        let failed = workspace.fails(&["apply", "-auto-approve", "-no-color"]);
        assert!(failed.contains("Error: Deferral is allowed"), "{failed}");
        assert!(failed.contains("Plan: "), "the plan before the apply succeeds: {failed}");
    };
    fails();
    workspace.write(&thing("", "value = \"old\""));
    workspace.apply();
    workspace.write(&updates);
    fails();
}

#[test]
fn host_logs_no_warning() {
    let workspace = Workspace::new(&thing("", "value = \"v\"")).env("TF_LOG", "TRACE");
    let log = workspace.apply();
    let complaints: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("[WARN]") || line.contains("[ERROR]"))
        .filter(|line| {
            ["plugin", "stdio", "Provider \""].iter().any(|word| line.contains(word))
                // The warning about the override.
                && !line.contains("development overrides")
        })
        .collect();
    assert_eq!(complaints, [""; 0]);
    assert!(log.contains("call served"), "the log of the provider is within its host's");
    // Each phase shuts its plugins down, and kills one that does not exit within 2 s.
    assert!(log.contains("plugin process exited"), "{log}");
    assert!(!log.contains("plugin failed to exit gracefully"), "{log}");
}
