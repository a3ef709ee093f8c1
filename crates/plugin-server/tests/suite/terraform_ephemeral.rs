//! Ephemeral resources and actions of the pantry, with Terraform itself.

use super::host::supports_actions;
use super::terraform::Workspace;
#[cfg(unix)]
use super::terraform::interrupts::interrupted;

/// A configuration that uses a key in a command of `sh`, which runs while the key is lent.
fn uses_key(label: &str, seconds: u32, command: &str) -> String {
    format!(
        "ephemeral \"pantry_key\" \"it\" {{\n  label = \"{label}\"\n  seconds = {seconds}\n}}\n\
         resource \"terraform_data\" \"it\" {{\n  provisioner \"local-exec\" {{\n    \
         command = \"{command}\"\n    \
         environment = {{ KEY = ephemeral.pantry_key.it.secret }}\n  }}\n}}\n"
    )
}

#[cfg(unix)]
#[test]
fn ephemeral_resource_is_lent_and_renewed_during_the_run_and_stored_nowhere() {
    // Waits for the renewal, which is requested after a second, and fails if there is none within a minute.
    let command = "cat shelf/.key-plum > seen; printf %s $KEY >> seen; for i in $(seq 600); \
                   do grep -q renewed shelf/.key-plum && exit 0; sleep 0.1; done; exit 1";
    let workspace = Workspace::new(&uses_key("plum", 1, command)).env("TF_LOG", "TRACE");
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

#[test]
fn ephemeral_resource_that_fails_is_an_error_at_its_block() {
    let workspace = Workspace::new(&uses_key("a/b", 300, "true"));
    let failed = workspace.fails(&["plan", "-no-color"]);
    assert!(failed.contains("Could not lend the key"), "{failed}");
    workspace.write(&uses_key(" ", 300, "true"));
    let failed = workspace.fails(&["validate", "-no-color"]);
    assert!(failed.contains("`label` must not be blank"), "{failed}");
}

/// A jar, after which an action runs.
fn counted_jar(file: &str) -> String {
    format!(
        "action \"pantry_inventory\" \"it\" {{\n  config {{\n    file = \"{file}\"\n  }}\n}}\n\
         resource \"pantry_jar\" \"it\" {{\n  label = \"plum\"\n  content = \"jam\"\n  \
         lifecycle {{\n    action_trigger {{\n      events = [after_create]\n      \
         actions = [action.pantry_inventory.it]\n    }}\n  }}\n}}\n"
    )
}

#[test]
fn action_runs_after_the_create_and_on_request() {
    if !supports_actions("the inventory of a pantry") {
        return;
    }
    let workspace = Workspace::new(&counted_jar("${path.module}/inventory"));
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

#[test]
fn action_that_fails_is_an_error_of_the_apply() {
    if !supports_actions("an inventory that fails") {
        return;
    }
    let workspace = Workspace::new(&counted_jar("${path.module}/missing/inventory"));
    let failed = workspace.fails(&["apply", "-auto-approve", "-no-color"]);
    assert!(failed.contains("Could not write the inventory"), "{failed}");
    workspace.write(&counted_jar(""));
    let failed = workspace.fails(&["validate", "-no-color"]);
    assert!(failed.contains("`file` must not be blank"), "{failed}");
}

#[cfg(unix)]
#[test]
fn action_ends_when_the_terminal_interrupts_the_host() {
    if !supports_actions("the interrupt of an action") {
        return;
    }
    let workspace = Workspace::new(
        "action \"probe_pause\" \"it\" {\n  config {\n    \
         directory = \"${abspath(path.module)}/shelf\"\n  }\n}\n",
    );
    let arguments = ["apply", "-auto-approve", "-no-color", "-invoke=action.probe_pause.it"];
    let text = interrupted(&workspace, &arguments);
    assert!(text.contains("Waiting.") && text.contains("The action was cancelled."), "{text}");
}
