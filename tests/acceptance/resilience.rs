//! Interrupts and kills: nothing is lost, and nothing exists twice.
//!
//! `access-client` has the tables of retries, rate limits and outages in virtual time, and `lives` plays
//! them against the provider. `protocol` has the tables of lost responses.

use access_fake::{Action, Fault};

use crate::support::fixtures::{Text, import, owner, roles};
use crate::support::{Service, Workspace};

#[cfg(unix)]
mod processes {
    //! Ctrl-C and kills while an apply is under way.

    use super::*;
    use crate::support::process::{
        children_of, interrupt, kill_host, kill_outright, start_apply, wait_until,
    };

    #[test]
    fn interrupt_lets_requests_in_flight_finish_and_keeps_what_they_wrote() {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(roles(8) + owner("ada"));
        for method in ["PATCH", "POST"] {
            service.fault(Fault::new(Action::Hold { processed: true }).on(method));
        }
        let apply = start_apply(&workspace);
        wait_until("objects are written", || {
            service.roles("github").len() >= 3 && service.owners_named("github", "users/ada") == 1
        });
        interrupt(&apply, &workspace);
        service.respond_normally();
        apply.wait_with_output().expect("terraform ends");
        let written = service.roles("github").len() + 1;
        assert_eq!(workspace.state_size(), written, "each written object is in the state");
        workspace.apply().succeeds().without_warnings();
        assert_eq!(workspace.state_size(), 9);
    }

    /// Returns `import` blocks for the roles that exist at the service and are not in the state.
    fn imports(service: &Service, workspace: &Workspace) -> Text {
        let state = workspace.state().to_string();
        let mut blocks = Text::default();
        for role in service.roles("github") {
            let name = role["name"].as_str().expect("a name");
            if !state.contains(&format!("\"{name}\"")) {
                let number = name.rsplit('-').next().expect("a number");
                blocks = blocks + import(&format!("access_listing_role.many[{number}]"), name);
            }
        }
        blocks
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "finds the plugin's process in /proc")]
    fn killed_apply_is_completed_after_imports() {
        const ROLES: usize = 12;
        let service = Service::full();
        let workspace = service.workspace();
        for (round, (responses, kills_host)) in [(3, false), (5, true)].into_iter().enumerate() {
            let configuration = roles(ROLES).text("display_name", &format!("Round {round}"));
            workspace.configure(&configuration);
            // The other roles are written, and their responses do not arrive.
            let held = Fault::new(Action::Hold { processed: true }).on("PATCH");
            service.fault(held.skipping(responses as u64));
            service.clear_requests();
            let mut apply = start_apply(&workspace);
            wait_until("a response is held", || service.requests_of("PATCH") > responses);
            let plugins = if kills_host {
                kill_host(&mut apply, &workspace)
            } else {
                children_of(apply.id())
            };
            assert!(!plugins.is_empty(), "the provider runs");
            plugins.into_iter().for_each(kill_outright);
            apply.wait_with_output().expect("terraform ends");
            service.respond_normally();

            let case = format!("round {round}, killed after {responses} responses");
            let orphans = imports(&service, &workspace);
            if !orphans.0.is_empty() {
                // A create that was killed leaves a role that no state contains; its error asks for this.
                workspace.apply().fails_with("import {");
            }
            workspace.configure(configuration + orphans);
            workspace.apply().succeeds();
            assert_eq!(workspace.plan().code, 0, "{case}");
            assert_eq!((workspace.state_size(), service.roles("github").len()), (ROLES, ROLES));
            let name = format!("Round {round}");
            let all = service.roles("github");
            assert!(all.iter().all(|role| role["displayName"] == *name), "{case}: {all:?}");
        }
    }
}
