//! Services without the list or without DELETE, keys that may not use them, and other addresses.

use std::net::SocketAddr;

use access_fake::{HiddenObject, Running};

use super::*;

/// Hides the list of owners with a status.
fn hide_list(service: &Service, status: u16) {
    let object = "integrations/github/owners".to_owned();
    let rule = HiddenObject { object, list: Some(status), ..HiddenObject::default() };
    service.change_world(|world| world.hidden.push(rule));
}

#[test]
fn create_without_a_list_fails_at_plan_and_offers_the_additive_resource() {
    for status in [404, 405, 501, 403] {
        let service = Service::full();
        if status == 403 {
            hide_list(&service, status);
        } else {
            without_list(&service, status);
        }
        let workspace = service.workspace();
        workspace.configure(&adopting(&["users/ada"]));
        for outcome in [workspace.plan(), workspace.apply()] {
            let error = outcome.exits(1).only_error();
            for part in ["needs the list of owners", "`access_integration_owner`"] {
                assert!(error.contains(part), "{status}: {part}: {error}");
            }
        }
        // Drift detection that reads nothing does not check at plan; the create does.
        for mode in ["off", "patch"] {
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(&adopting(&["users/ada"]));
            workspace.plan().exits(2);
            workspace.apply().fails_with("needs the list of owners");
        }
        assert_eq!(writes(&service), [""; 0], "{status}");
    }
}

#[test]
fn refresh_without_a_list_keeps_the_state() {
    for status in [405, 501] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        without_list(&service, status);
        let plan = workspace.plan().exits(0);
        plan.warns("Drift detection unavailable").warns("`access_integration_owner`");
        workspace.configure(&adopting(&["users/founder"]));
        workspace.apply().fails_with("needs the list of owners");
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
        assert_eq!(writes(&service), [""; 0]);
        // The IDs are in private state.
        workspace.destroy().succeeds();
        assert_eq!(at_service(&service), [""; 0]);
    }
}

#[test]
fn list_that_fails_is_an_error_that_keeps_the_state() {
    for (status, part) in [
        (404, "The list worked before"),
        (403, "`drift_detection = \"off\"`"),
        (401, "ACCESS_API_KEY_FILE"),
    ] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        hide_list(&service, status);
        workspace.plan().fails_with(part);
        workspace.destroy().exits(1);
        let unrefreshed = ["destroy", "-json", "-auto-approve", "-lock=false", "-refresh=false"];
        if status != 403 {
            workspace.run(&unrefreshed).exits(1);
            assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{status}");
            assert_eq!(writes(&service), [""; 0], "{status}");
        }
    }
}

#[test]
fn deleted_integration_is_an_error_that_keeps_the_state() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    assert!(service.local().remove_integration("github"));
    workspace.plan().fails_with("The integration was deleted, or");
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
    let error = workspace.apply().exits(1).only_error();
    assert!(error.contains("terraform state rm"), "{error}");
}

#[test]
fn update_without_delete_fails_with_the_true_state_and_the_alternatives() {
    for status in [405, 501, 404] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let absent = Presence::Absent(Absence::of_status(status).unwrap());
        service.change_world(|world| world.owners.delete = absent);
        workspace.configure(&adopting(&["users/founder", "users/ben"]));
        let error = workspace.apply().exits(1).only_error();
        for part in ["\"users/ada\" to `owners`", "`access_integration_owner`", "owners/own-"] {
            assert!(error.contains(part), "{status}: {part}: {error}");
        }
        assert_eq!(in_state(&workspace), ["users/ada", "users/ben", "users/founder"]);
        assert_eq!(in_state(&workspace), at_service(&service));

        workspace.configure(&adopting(&["users/founder", "users/ben", "users/ada"]));
        workspace.plan().exits(0);
        let error = workspace.destroy().exits(1).only_error();
        assert!(error.contains("from = access_integration_owners.example"), "{error}");
        assert_eq!(workspace.state_size(), 1);
    }
}

#[test]
fn services_without_get_find_changes_by_the_list() {
    for status in [404, 405] {
        let service = Service::full();
        let absent = Presence::Absent(Absence::of_status(status).unwrap());
        service.change_world(|world| world.owners.get = absent);
        let workspace = service.workspace();
        workspace.configure(&adopting(&["users/founder", "users/ada"]));
        workspace.apply().succeeds();
        workspace.plan().exits(0).without_warnings();
        service.remove_owner("github", &id_of(&service, "users/ada"));
        assert_eq!(workspace.plan().exits(2).action(OWNERS), "update", "{status}");
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
        workspace.destroy().succeeds();
        assert_eq!(at_service(&service), [""; 0]);
    }
}

#[test]
fn other_address_is_an_error_that_keeps_the_state() {
    let (home, mut workspace) = applied(&["users/founder", "users/ada"]);
    let elsewhere = Service::full();
    workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
    let unrefreshed = ["destroy", "-json", "-auto-approve", "-lock=false", "-refresh=false"];
    for missing in [false, true] {
        if missing {
            assert!(elsewhere.local().remove_integration("github"));
        }
        workspace.configure(&adopting(&["users/founder"]));
        let apply = workspace.apply_with(&["-refresh=false"]);
        for outcome in [workspace.plan(), workspace.run(&unrefreshed), apply] {
            let error = outcome.exits(1).only_error();
            assert!(error.contains(&home.base_url()), "{error}");
            assert!(error.contains(&elsewhere.base_url()), "{error}");
        }
    }
    assert_eq!((elsewhere.writes().len(), home.writes().len()), (0, 0));
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
}

#[test]
fn same_service_at_a_new_address_plans_nothing() {
    let (old, mut workspace) = applied(&["users/founder", "users/ada"]);
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let new = Running::start_blocking(old.local().clone(), any_port).expect("a second address");
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.plan().exits(0).without_warnings();
    workspace.configure(&adopting(&["users/founder"]));
    workspace.apply().succeeds();
    assert_eq!(at_service(&old), ["users/founder"]);
    workspace.plan().exits(0);
}

/// One list for a plan, and one more for what an apply has added.
#[test]
fn requests_of_each_command_are_few() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.plan().exits(0);
    assert_eq!(service.requests().len(), 1);
    service.clear_requests();
    workspace.configure(&adopting(&["users/founder", "users/ben"]));
    workspace.apply().succeeds();
    // The refresh, the update, which is another process, and the read-back.
    assert_eq!((service.requests_of("GET"), service.writes().len()), (3, 2));
}
