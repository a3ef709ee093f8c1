//! Terraform or the plugin is killed while an apply is under way.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::support::process::{children_of, kill_outright};
use crate::support::{Service, Workspace};

const ROLES: usize = 12;

fn configuration(round: u64) -> String {
    format!(
        "resource \"access_listing_role\" \"many\" {{
  count        = {ROLES}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"Round {round}\"
  priority     = count.index
}}
"
    )
}

/// Ends an apply in the middle: the plugin alone, or terraform with it.
fn cut_off(mut terraform: Child, after: Duration, plugin_only: bool) {
    std::thread::sleep(after);
    let plugins = children_of(terraform.id());
    if !plugin_only {
        terraform.kill().expect("terraform is killed");
    }
    plugins.into_iter().for_each(kill_outright);
    terraform.wait().expect("terraform ends");
}

/// Imports the roles that exist at the service and are not in the state.
fn import_orphans(service: &Service, workspace: &Workspace) {
    let state = workspace.state().to_string();
    for role in service.roles("github") {
        let name = role["name"].as_str().expect("a name");
        if !state.contains(&format!("\"{name}\"")) {
            let number = name.rsplit('-').next().expect("a number");
            let address = format!("access_listing_role.many[{number}]");
            workspace.run(&["import", "-lock=false", &address, name]).succeeds();
        }
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "finds the plugin's process in /proc")]
fn killed_apply_is_completed_after_imports() {
    let service = Service::full();
    service.latency(Duration::from_millis(15));
    let workspace = service.workspace();
    let mut seed = std::process::id();
    for round in 0..6_u64 {
        workspace.configure(&configuration(round));
        // A sequence that differs from run to run. The message contains it.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let after = Duration::from_millis(u64::from(seed >> 16) % 900);
        let plugin_only = seed & 0x8000 != 0;
        let apply = workspace
            .command(&["apply", "-auto-approve", "-lock=false"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("terraform starts");
        cut_off(apply, after, plugin_only);

        let case = format!("round {round}, killed after {after:?}, plugin only: {plugin_only}");
        // A create that was killed leaves a role that no state contains; its error asks for this.
        import_orphans(&service, &workspace);
        let first = workspace.apply();
        if first.code != 0 {
            workspace.apply().succeeds();
        }
        assert_eq!(workspace.plan().code, 0, "{case}");
        assert_eq!(workspace.state_size(), ROLES, "{case}");
        let names: BTreeSet<_> =
            service.roles("github").iter().map(|role| role["displayName"].to_string()).collect();
        assert_eq!(names, BTreeSet::from([format!("\"Round {round}\"")]), "{case}");
        assert_eq!(service.roles("github").len(), ROLES, "{case}");
        if round == 2 {
            // Creates are cut off as well as updates.
            workspace.destroy().succeeds();
        }
    }
}
