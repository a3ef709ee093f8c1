//! Services without the list or without DELETE, keys that may not use them, and other addresses.

use access_fake::HiddenObject;

use super::*;

/// Hides the list of owners with a status.
fn hide_list(service: &Service, status: u16) {
    let object = "integrations/github/owners".to_owned();
    let rule = HiddenObject { object, list: Some(status), ..HiddenObject::default() };
    service.change_world(|world| world.hidden.push(rule));
}

#[test]
fn create_without_a_list_fails_and_offers_the_additive_resource() {
    for status in [404, 405, 501, 403] {
        for mode in ["auto", "off"] {
            let service = Service::full();
            if status == 403 {
                hide_list(&service, status);
            } else {
                without_list(&service, status);
            }
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(adopting(&["users/ada"]));
            workspace.apply().fails_with(["integrations/github", "`access_integration_owner`"]);
            assert_eq!(writes(&service), [""; 0], "{status} {mode}");
        }
    }
}

#[test]
fn refresh_without_a_list_keeps_the_state() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for status in [405, 501] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        without_list(&service, status);
        let plan = workspace.plans_nothing();
        assert_eq!(plan.warnings().len(), 1, "{:#?}", plan.warnings());
        workspace.configure(adopting(&["users/founder"]));
        workspace.apply().fails_with("integrations/github");
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
        assert_eq!(writes(&service), [""; 0]);
    }
}

#[test]
fn list_that_fails_is_an_error_that_keeps_the_state() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for (status, part) in [(404, "404"), (403, "403"), (401, "api_key")] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        hide_list(&service, status);
        for outcome in [workspace.plan(), workspace.destroy()] {
            outcome.fails_with(["integrations/github", part]);
        }
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{status}");
        assert_eq!(writes(&service), [""; 0], "{status}");
    }
}

#[test]
fn deleted_integration_is_an_error_that_keeps_the_state() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    assert!(service.local().remove_integration("github"));
    workspace.apply().fails_with(["404", "terraform state rm"]);
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
}

#[test]
fn update_without_delete_fails_with_the_true_state_and_the_alternatives() {
    for status in [405, 501, 404] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let absent = Presence::Absent(Absence::of_status(status).unwrap());
        service.change_world(|world| world.owners.delete = absent);
        workspace.configure(adopting(&["users/founder", "users/ben"]));
        workspace.apply().fails_with(["users/ada", "DELETE"]);
        assert_eq!(in_state(&workspace), ["users/ada", "users/ben", "users/founder"]);
        assert_eq!(in_state(&workspace), at_service(&service));

        workspace.configure(adopting(&["users/founder", "users/ben", "users/ada"]));
        workspace.plans_nothing();
        workspace.destroy().fails_with(["abandon", "removed {", "terraform state rm"]);
        assert_eq!(workspace.state_size(), 1);
    }
}

#[test]
fn services_without_get_find_changes_by_the_list() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for status in [404, 405] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let absent = Presence::Absent(Absence::of_status(status).unwrap());
        service.change_world(|world| world.owners.get = absent);
        workspace.plans_nothing().without_warnings();
        service.remove_owner("github", &id_of(&service, "users/ada"));
        workspace.plan().plans(OWNERS, "update");
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
    for missing in [false, true] {
        if missing {
            assert!(elsewhere.local().remove_integration("github"));
        }
        workspace.configure(adopting(&["users/founder"]));
        let apply = workspace.apply_with(&["-refresh=false"]);
        for outcome in [workspace.plan(), workspace.destroy_with(&["-refresh=false"]), apply] {
            outcome.fails_with([&home.base_url() as &str, &elsewhere.base_url()]);
        }
    }
    assert_eq!((elsewhere.writes().len(), home.writes().len()), (0, 0));
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
}

/// One list for a plan, and one more for what an apply has added.
#[test]
fn requests_of_each_command_are_few() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.plans_nothing();
    assert_eq!(service.requests().len(), 1);
    service.clear_requests();
    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.apply().succeeds();
    // The refresh, the update, which is another process, and a read-back.
    assert!(service.requests_of("GET") <= 3, "{:?}", service.requests());
    assert_eq!(service.writes().len(), 2);
}
