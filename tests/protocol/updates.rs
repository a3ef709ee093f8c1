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

/// An update that does not find the role is an error, and keeps the state. A refresh decides.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_an_update_does_not_find_keeps_its_state_until_a_refresh_reads_it() {
    for (patch, parts) in [
        (JSON_404, &["PATCH", "404", "ACCESS_DRIFT_DETECTION=auto", "terraform state rm"][..]),
        (TEXT_404, &["PATCH", "404", "base_url"]),
        ((200, "$DELETED"), &["was deleted at"]),
        ((200, "garbage"), &["PATCH", "200"]),
    ] {
        let case = format!("{patch:?}");
        let service = Service::full();
        let role = Object::create(&service, Role).await;
        service.add_fault(Fault::respond(patch.0, Role.body(patch.1)).on("PATCH"));
        let host = Host::start_with(&service, &off()).await;
        let applied = role.update(&host, &renamed()).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{case}");
        says(&applied.diagnostics, &["roles/viewer"]);
        says(&applied.diagnostics, parts);
        // With an error and no state, Terraform keeps the one before.
        let kept = applied.new_state.map(|state| decode(&state)).filter(|state| !state.is_null());
        assert_eq!(kept.as_ref().unwrap_or(&role.state), &role.state, "{case}");
        // Detection that is off stays off.
        service.clear_requests();
        let read = host.read(ROLE, &role.state, &role.private).await;
        assert_eq!(decode(&read.new_state.unwrap()), role.state, "{case}");
        assert_eq!(service.requests().len(), 0, "{case}");
    }
}

/// Terraform discards the warnings of the refresh before a destroy, so its plan repeats them.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_was_recreated_is_named_by_refresh_update_and_plan_of_a_destroy() {
    let (service, mut role, host) = Object::with_host(Role).await;
    service.remove_role("github", "viewer");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    let updated = role.update(&host, &renamed()).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    says(&updated.diagnostics, &["roles/viewer was recreated", "written that one"]);

    let host = Host::start(&service).await;
    let read = role.read(&host).await;
    says(&read.diagnostics, &["roles/viewer was recreated", "removed"]);
    role.follow(read.new_state, &read.private);
    // Terraform plans a destroy in a process of its own.
    let host = Host::start(&service).await;
    says(&role.plan_destroy(&host).await.diagnostics, &["roles/viewer was recreated"]);
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
