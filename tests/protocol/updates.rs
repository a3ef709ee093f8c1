//! Updates: an object that is not the state's, that is gone, or that others write.

use access_fake::Fault;

use super::cases::*;
use super::*;

fn off() -> Value {
    json!({ "drift_detection": "off", "max_retries": 0 })
}

fn renamed() -> Value {
    with(config(), &json!({"display_name": "Other"}))
}

/// With `drift_detection = "off"` no refresh finds another address first.
#[tokio::test(flavor = "multi_thread")]
async fn update_at_another_address_writes_only_what_it_has_read_there() {
    for (history, get, writes) in [
        (ReadElsewhere, (200, "$SAME"), true),
        (ReadElsewhere, (200, "$RECREATED"), false),
        (ReadElsewhere, JSON_404, false),
        (NeverRead, (200, "$RECREATED"), false),
    ] {
        let case = Case { drift_detection: "off", get: Some(get), ..Case::new(Role, history) };
        let (service, host, private) = case.begin().await;
        service.put_theirs();
        let planned = host.plan(ROLE, Some(&Role.state()), &renamed(), &private).await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{get:?}");
        let applied = host.apply(ROLE, Some(&Role.state()), &renamed(), &planned).await;
        assert_eq!(errors(&applied.diagnostics).is_empty(), writes, "{get:?}");
        assert_eq!(service.writes().len(), usize::from(writes), "{get:?}");
    }
}

/// An update that does not find the role is an error. The next refresh reads the role, also with drift
/// detection off, and decides like every other.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_an_update_has_not_found_is_read_by_the_next_refresh() {
    // Response to PATCH, to the GET and the list of the refresh; whether the state drops the role.
    for (patch, get, list, is_gone) in [
        (JSON_404, JSON_404, EMPTY, true),
        (JSON_404, (405, ""), EMPTY, true),
        (JSON_404, (501, ""), EMPTY, true),
        (JSON_404, OBJECT, EMPTY, false),
        (JSON_404, JSON_404, JSON_404, false),
        (JSON_404, FAILURE, EMPTY, false),
        ((200, "$DELETED"), JSON_404, EMPTY, true),
        // A gateway's response shows nothing, so nothing is read.
        ((200, "garbage"), JSON_404, EMPTY, false),
        (TEXT_404, JSON_404, EMPTY, false),
    ] {
        let case = format!("{patch:?} {get:?} {list:?}");
        let service = Service::full();
        let role = Object::create(&service, Role).await;
        service.add_fault(Fault::respond(patch.0, Role.body(patch.1)).on("PATCH"));
        let host = Host::start_with(&service, &off()).await;
        let applied = role.update(&host, &renamed()).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{case}");
        if patch.0 == 404 {
            says(&applied.diagnostics, &["PATCH", "roles/viewer", "404"]);
        }
        // With an error and no state, Terraform keeps the one before.
        let kept = applied.new_state.map(|state| decode(&state)).filter(|state| !state.is_null());
        assert_eq!(kept.as_ref().unwrap_or(&role.state), &role.state, "{case}");
        let private = if kept.is_some() { applied.private.to_vec() } else { role.private.clone() };
        service.clear_faults();
        service.add_fault(Fault::respond(get.0, Role.body(get.1)).on("GET").at(Role.object_path()));
        service.add_fault(Fault::respond(list.0, Role.body(list.1)).on("GET").at(Role.list_path()));
        let read = host.read(ROLE, &role.state, &private).await;
        assert_eq!(decode(&read.new_state.unwrap()).is_null(), is_gone, "{case}");
    }
}

/// A 404 to an update, then a confirmed read: the role is there, and later refreshes read nothing.
#[tokio::test(flavor = "multi_thread")]
async fn confirmed_read_clears_what_an_update_has_not_found() {
    let (service, mut role, host) = Object::with_host(Role).await;
    service.add_fault(Fault::respond(404, JSON_404.1).on("PATCH"));
    role.private = role.update(&host, &renamed()).await.private.to_vec();
    service.clear_faults();
    for _ in 0..5 {
        // The fourth is confirmed by the list.
        let read = role.read(&host).await;
        assert_eq!(decode(&read.new_state.unwrap()), role.state);
        role.private = read.private.to_vec();
    }
    service.clear_requests();
    let host = Host::start_with(&service, &off()).await;
    assert_eq!(decode(&role.read(&host).await.new_state.unwrap()), role.state);
    assert_eq!(service.requests().len(), 0);
}

/// Terraform discards the warnings of the refresh before a destroy, so its plan repeats them.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_was_made_anew_is_named_by_refresh_update_and_plan_of_a_destroy() {
    let (service, mut role, host) = Object::with_host(Role).await;
    service.remove_role("github", "viewer");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    let updated = role.update(&host, &renamed()).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    says(&updated.diagnostics, &["roles/viewer was made anew", "written that one"]);

    let host = Host::start(&service).await;
    let read = role.read(&host).await;
    says(&read.diagnostics, &["roles/viewer was made anew", "removed"]);
    role.follow(read.new_state, &read.private);
    // Terraform plans a destroy in a process of its own.
    let host = Host::start(&service).await;
    says(&role.plan_destroy(&host).await.diagnostics, &["roles/viewer was made anew"]);
    assert_eq!(errors(&role.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.role("github", "viewer"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn role_that_another_configuration_writes_is_named_by_refresh_import_and_plan_of_a_destroy() {
    let repository = |name: &str| json!({"repo_uri": format!("https://example.com/{name}"), "repo_dir": "access"});
    let service = Service::full();
    let start = async |name: &str| Host::start_with(&service, &repository(name)).await;
    let (state, private) = start("ours").await.create(ROLE, &config()).await;
    let theirs = with(config(), &json!({"adopt_existing": true, "display_name": "Theirs"}));
    start("theirs").await.create(ROLE, &theirs).await;

    let parts = ["roles/viewer is written by another configuration", "https://example.com/theirs"];
    let read = start("ours").await.read(ROLE, &state, &private).await;
    says(&read.diagnostics, &parts);
    let state = decode(&read.new_state.unwrap());
    let destroyed = start("ours").await.plan_destroy(ROLE, &state, &read.private).await;
    says(&destroyed.diagnostics, &parts);
    let imported = start("ours").await.import(ROLE, "github/viewer", None).await;
    says(&imported.diagnostics, &["roles/viewer", parts[1]]);
}

/// Only admins may set `resources`; a gateway may refuse as well.
#[tokio::test(flavor = "multi_thread")]
async fn refused_resources_are_an_error_at_the_attribute() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let resources = with(config(), &json!({"resources": ["repo/a"]}));
    for body in [None, Some("no entry"), Some(""), Some("<html></html>")] {
        let key = if body.is_none() { "member-key" } else { "admin-key" };
        if let Some(body) = body {
            service.respond_to_all("PATCH", 403, body);
        }
        let host = Host::start_with(&service, &json!({ "api_key": key })).await;
        let updated = role.update(&host, &resources).await;
        says(&updated.diagnostics, &["403", "admin", "`resources`", "PATCH /api/v1/listings"]);
        assert_eq!(blamed(&updated.diagnostics), "resources", "{body:?}");
        if body.is_none() {
            let updated = role.update(&host, &renamed()).await;
            assert_eq!(errors(&updated.diagnostics), [""; 0], "a key that may not set resources");
        }
    }
}
