//! Updates: an object that is not the state's, that is gone, or that others write.

use access_fake::{Fault, ResponseTo};

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
    let planned = role.plan_destroy(&host).await;
    let text = format!("{:?}", planned.diagnostics);
    assert!(!text.contains("was recreated"), "the refresh of this process has said so: {text}");
    // Terraform plans a destroy in a process of its own.
    let host = Host::start(&service).await;
    says(&role.plan_destroy(&host).await.diagnostics, &["roles/viewer was recreated"]);
    assert_eq!(errors(&role.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.role("github", "viewer"), None);
}

/// An update never creates a role that others have deleted.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_was_deleted_is_not_created_by_an_update() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    service.remove_role("github", "viewer");
    let host = Host::start_with(&service, &off()).await;
    assert_eq!(errors(&role.update(&host, &renamed()).await.diagnostics).len(), 1);
    assert_eq!(service.role("github", "viewer"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn description_that_is_omitted_is_cleared() {
    let service = Service::full();
    let described = with(config(), &json!({"description": "Reads"}));
    let role = Object::create_as(&service, ROLE, described).await;
    let host = Host::start(&service).await;
    assert_eq!(errors(&role.update(&host, &config()).await.diagnostics), [""; 0]);
    let stored = service.role("github", "viewer").expect("the role");
    assert_eq!(stored["description"].as_str().unwrap_or_default(), "");
}

/// The service stores another name than it was sent.
#[tokio::test(flavor = "multi_thread")]
async fn value_that_is_stored_differently_is_a_warning_at_its_attribute() {
    let service = Service::full();
    let stored = with(Role.object("2026-01-01T00:00:00Z"), &json!({"displayName": "Other"}));
    service.add_fault(Fault::respond(200, stored.to_string()).on("PATCH"));
    let created = Host::start(&service).await.try_create(ROLE, &config()).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    says(&created.diagnostics, &["roles/viewer was stored differently", "display_name"]);
}

/// The update has made the role that others have created its own.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_an_update_has_taken_over_is_not_named_as_recreated_again() {
    let (service, mut role, host) = Object::with_host(Role).await;
    service.remove_role("github", "viewer");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    let updated = role.update(&host, &renamed()).await;
    says(&updated.diagnostics, &["roles/viewer was recreated"]);
    role.follow(updated.new_state, &updated.private);
    let read = role.read(&Host::start(&service).await).await;
    role.follow(read.new_state, &read.private);
    let planned = role.plan_destroy(&Host::start(&service).await).await;
    let text = format!("{:?}", planned.diagnostics);
    assert!(!text.contains("was recreated"), "{text}");
}

/// The time of the create counts, where the response to an update leaves it out.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_was_recreated_after_an_update_without_a_time_is_named_by_the_plan_of_a_destroy()
{
    let (service, mut role, host) = Object::with_host(Role).await;
    service.omit(&["createTime"], &[ResponseTo::Write]);
    let updated = role.update(&host, &renamed()).await;
    assert_eq!(updated.diagnostics, []);
    role.follow(updated.new_state, &updated.private);
    service.remove_role("github", "viewer");
    service.put_theirs();
    let read = role.read(&Host::start(&service).await).await;
    role.follow(read.new_state, &read.private);
    let planned = role.plan_destroy(&Host::start(&service).await).await;
    says(&planned.diagnostics, &["roles/viewer was recreated"]);
}

/// Two states have the role. One of them is updated, and the other destroyed meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_is_being_updated_is_not_deleted() {
    let (service, role, host) = Object::with_host(Role).await;
    let planned = role.plan(&host, &renamed()).await;
    let config = renamed();
    let update = host.apply(ROLE, Some(&role.state), &config, &planned);
    let (updated, destroyed) =
        meanwhile((&service, &host, "PATCH"), update, role.destroy(&host)).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(service.display_name("viewer"), "Other");
}

/// An import counts as a write of this configuration.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_was_recreated_after_its_import_is_named_by_the_plan_of_a_destroy() {
    let service = Service::full();
    service.put_viewer();
    let host = Host::start(&service).await;
    let imported = host.import(ROLE, "github/viewer", None).await.imported_resources.remove(0);
    service.remove_role("github", "viewer");
    service.put_theirs();
    let host = Host::start(&service).await;
    let read = host.read(ROLE, &decode(&imported.state.unwrap()), &imported.private).await;
    let state = decode(&read.new_state.unwrap());
    let planned = Host::start(&service).await.plan_destroy(ROLE, &state, &read.private).await;
    says(&planned.diagnostics, &["roles/viewer was recreated"]);
}

/// Each warning has conditions, and a role that meets all but one of them gets none.
#[tokio::test(flavor = "multi_thread")]
async fn role_gets_no_warning_that_does_not_apply() {
    let repository = |name: &str| json!({"repo_uri": format!("https://example.com/{name}"), "repo_dir": "access"});
    let start = async |service: &Service| Host::start_with(service, &repository("ours")).await;
    let theirs = |fields: Value| {
        let role = json!({"displayName": "Viewer", "priority": "3", "manager": "TERRAFORM",
                          "repoUri": "https://example.com/theirs", "repoDir": "access"});
        with(role, &fields)
    };
    // Nobody has written the role since it was imported, or people have, or it records no
    // repository.
    let edited = json!({"displayName": "By hand", "repoUri": "https://example.com/people"});
    for (before, after) in [
        (json!({}), None),
        (json!({"manager": ""}), Some(edited)),
        (json!({"repoUri": "", "repoDir": ""}), Some(json!({"displayName": "Other"}))),
    ] {
        let case = format!("{before} {after:?}");
        let service = Service::full();
        service.put_role("github", "viewer", theirs(before.clone()));
        let imported = start(&service).await.import(ROLE, "github/viewer", None).await;
        let is_recorded = before["repoUri"] != "";
        assert_eq!(imported.diagnostics.len(), usize::from(is_recorded), "{case}");
        if let Some(after) = after {
            service.change_role("github", "viewer", after);
        }
        let role = &imported.imported_resources[0];
        let state = decode(role.state.as_ref().unwrap());
        let read = start(&service).await.read(ROLE, &state, &role.private).await;
        assert_eq!(read.diagnostics, [], "{case}");
        // A create that is refused.
        let created = start(&service).await.apply_create(ROLE, &config()).await;
        let text = format!("{:?}", created.diagnostics);
        let is_by_other = is_recorded && before["manager"] != "";
        assert_eq!(text.contains("Another configuration"), is_by_other, "{case}: {text}");
    }
    // Entitlements, if `resources` stay; and resources that are carried over, or that there are
    // not.
    let service = Service::full();
    let with_resources = with(config(), &json!({"resources": ["repo/a"]}));
    let role = Object::create_as(&service, ROLE, with_resources.clone()).await;
    let host = Host::start(&service).await;
    let other_name = with(with_resources.clone(), &json!({"display_name": "Other"}));
    assert_eq!(role.plan(&host, &other_name).await.diagnostics, []);
    let bare = with(config(), &json!({"role": "bare"}));
    let bare = Object::create_as(&service, ROLE, bare).await;
    // A state that no read has completed.
    let unread = with(bare.state.clone(), &json!({ "resources": null }));
    let other_name = with(bare.config.clone(), &json!({"display_name": "Other"}));
    let host = Host::start(&service).await;
    assert_eq!(host.plan(ROLE, Some(&unread), &other_name, &bare.private).await.diagnostics, []);
    let replaced = |config: &Value| with(config.clone(), &json!({"role": "reader"}));
    for (object, config, warns) in
        [(&role, config(), true), (&role, with_resources, false), (&bare, config(), false)]
    {
        let planned = object.plan(&Host::start(&service).await, &replaced(&config)).await;
        let text = format!("{:?}", planned.diagnostics);
        assert_eq!(text.contains("created without them"), warns, "{config}: {text}");
    }
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
