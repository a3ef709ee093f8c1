//! Terraform or the plugin is killed while an apply is under way.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::process::Child;

use access_fake::{Action, Fault};

use crate::support::process::{children_of, kill_host, kill_outright, start_apply, wait_until};
use crate::support::{Service, Workspace};

const ROLES: usize = 12;

fn configuration(round: usize) -> String {
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

/// The processes that are killed.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Plugin,
    TerraformAndPlugin,
}

fn cut_off(mut terraform: Child, workspace: &Workspace, victim: Victim) {
    let plugins = match victim {
        Victim::Plugin => children_of(terraform.id()),
        Victim::TerraformAndPlugin => kill_host(&mut terraform, workspace),
    };
    assert!(!plugins.is_empty(), "the provider runs");
    plugins.into_iter().for_each(kill_outright);
    terraform.wait_with_output().expect("terraform ends");
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
    let workspace = service.workspace();
    let rounds = [0_usize, 5, 9, 0, 3, 11].into_iter().enumerate();
    let victims = [Victim::Plugin, Victim::TerraformAndPlugin].into_iter().cycle();
    for ((round, responses), victim) in rounds.zip(victims) {
        workspace.configure(&configuration(round));
        // The other roles are written, and their responses do not arrive.
        let held = Fault::new(Action::Hold { processed: true }).on("PATCH");
        service.fault(held.skipping(responses as u64));
        service.clear_requests();
        let apply = start_apply(&workspace);
        wait_until("a response is held", || service.requests_of("PATCH") > responses);
        cut_off(apply, &workspace, victim);
        service.respond_normally();

        let case = format!("round {round}, killed after {responses} responses: {victim:?}");
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
