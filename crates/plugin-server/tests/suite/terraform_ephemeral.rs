//! Ephemeral resources and actions of the pantry, with Terraform itself.

use std::io::Write as _;
use std::process::Command;

use super::terraform::{Workspace, binary};

#[cfg(unix)]
#[test]
fn ephemeral_resource_is_lent_and_renewed_during_the_run_and_stored_nowhere() {
    // A command that runs while the key is lent. It waits for the renewal, which is requested after a second,
    // and fails if there is none within a minute.
    let command = "cat shelf/.key-plum > seen; printf %s $KEY >> seen; for i in $(seq 600); \
                   do grep -q renewed shelf/.key-plum && exit 0; sleep 0.1; done; exit 1";
    let configuration = format!(
        "ephemeral \"pantry_key\" \"it\" {{\n  label = \"plum\"\n  seconds = 1\n}}\n\
         resource \"terraform_data\" \"it\" {{\n  provisioner \"local-exec\" {{\n    \
         command = \"{command}\"\n    \
         environment = {{ KEY = ephemeral.pantry_key.it.secret }}\n  }}\n}}\n"
    );
    let workspace = Workspace::new(&configuration).env("TF_LOG", "TRACE");
    let log = workspace.apply();
    let seen = std::fs::read_to_string(workspace.path("seen")).unwrap();
    assert!(seen.ends_with("open-plum") && !seen.starts_with("open"), "{seen}");
    assert!(!workspace.path("shelf/.key-plum").exists(), "the key is returned");
    let state = std::fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
    assert!(!state.contains("open-plum"), "{state}");
    // The log of the host contains the log of the provider, and the bytes of no message.
    let provider: Vec<&str> = log.lines().filter(|line| line.contains("pantry")).collect();
    assert!(provider.iter().any(|line| line.contains("OpenEphemeralResource")), "{log}");
    assert!(!log.contains("open-plum"), "the log contains the secret");
}

/// Returns whether the host supports `action` blocks, as Terraform 1.14 does. If not, a line on standard
/// error states that the test did not run. The test runner does not capture it.
fn supports_actions() -> bool {
    let mut command = Command::new(binary());
    command.arg("version").env("CHECKPOINT_DISABLE", "1").env_remove("TF_CLI_CONFIG_FILE");
    let output = String::from_utf8(command.output().expect("a host").stdout).unwrap();
    let host = output.lines().next().expect("the name and the version");
    let (name, version) = host.split_once(" v").expect("the name and the version");
    let mut numbers = version.split(['.', '-']).map(|number| number.parse().unwrap());
    let version: (u32, u32) = (numbers.next().unwrap(), numbers.next().unwrap());
    let supported = name == "Terraform" && version >= (1, 14);
    if !supported {
        let line = format!("NOT TESTED with {host}: the inventory of a pantry needs actions\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    supported
}

#[test]
fn action_runs_after_the_create_and_on_request() {
    if !supports_actions() {
        return;
    }
    let workspace = Workspace::new(
        "action \"pantry_inventory\" \"it\" {\n  config {\n    file = \"${path.module}/inventory\"\n  }\n}\n\
         resource \"pantry_jar\" \"it\" {\n  label = \"plum\"\n  content = \"jam\"\n  \
         lifecycle {\n    action_trigger {\n      events = [after_create]\n      \
         actions = [action.pantry_inventory.it]\n    }\n  }\n}\n",
    );
    std::fs::write(workspace.path("shelf/pear"), "").unwrap();
    let applied = workspace.apply();
    assert!(applied.contains("Found pear.") && applied.contains("Found plum."), "{applied}");
    let inventory = || std::fs::read_to_string(workspace.path("inventory")).unwrap();
    assert_eq!(inventory(), "pear\nplum");
    std::fs::remove_file(workspace.path("shelf/pear")).unwrap();
    let invoke = ["apply", "-auto-approve", "-no-color", "-invoke=action.pantry_inventory.it"];
    workspace.succeeds(&invoke);
    assert_eq!(inventory(), "plum");
}
