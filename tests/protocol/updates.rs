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
        (JSON_404, &["PATCH", "404", "terraform state rm"][..]),
        (TEXT_404, &["PATCH", "404", "terraform state rm"]),
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

/// The update says what it has written to. A refresh accepts what is there without a word.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_somebody_made_anew_is_named_by_the_update_that_writes_it() {
    let (service, mut role, host) = Object::with_host(Role).await;
    service.remove_role("github", "viewer");
    service.put_theirs();
    let read = role.read(&Host::start(&service).await).await;
    assert_eq!(read.diagnostics, []);
    assert_eq!(decode(&read.new_state.unwrap())["display_name"], "Theirs");
    let updated = role.update(&host, &renamed()).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    says(
        &updated.diagnostics,
        &["roles/viewer: was made anew", "The update has written that one."],
    );
    // The next refresh brings its time into the state.
    role.follow(updated.new_state, &updated.private);
    let host = Host::start(&service).await;
    let read = role.read(&host).await;
    assert_eq!(read.diagnostics, []);
    role.follow(read.new_state, &read.private);
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
    says(&created.diagnostics, &["roles/viewer: was stored differently", "display_name"]);
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
        (json!({"repoUri": "", "repoDir": ""}), None),
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
        let state = decode(&read.new_state.unwrap());
        let planned = start(&service).await.plan_destroy(ROLE, &state, &read.private).await;
        assert!(!format!("{:?}", planned.diagnostics).contains("another repository"), "{case}");
        // A create that is refused.
        let created = start(&service).await.apply_create(ROLE, &config()).await;
        let text = format!("{:?}", created.diagnostics);
        let is_by_other = is_recorded && before["manager"] != "";
        assert_eq!(text.contains("Another configuration has it"), is_by_other, "{case}: {text}");
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
    // Who has it.
    service.change_role("github", "viewer", json!({"manager": "UI"}));
    let host = Host::start(&service).await;
    let read = role.read(&host).await;
    let state = decode(&read.new_state.unwrap());
    let planned = host.plan(ROLE, Some(&state), &role.config, &read.private).await;
    says(&planned.diagnostics, &["roles/viewer: is not managed by Terraform", "\"UI\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn role_that_another_configuration_writes_is_named_by_refresh_import_and_plan_of_a_destroy() {
    let repository = |name: &str| json!({"repo_uri": format!("https://example.com/{name}"), "repo_dir": "access"});
    let service = Service::full();
    let start = async |name: &str| Host::start_with(&service, &repository(name)).await;
    let (state, private) = start("ours").await.create(ROLE, &config()).await;
    let theirs = with(config(), &json!({"adopt_existing": true, "display_name": "Theirs"}));
    start("theirs").await.create(ROLE, &theirs).await;

    // Terraform discards the warnings of the refresh before a destroy, so its plan warns as well.
    let there = "https://example.com/theirs";
    let read = start("ours").await.read(ROLE, &state, &private).await;
    says(&read.diagnostics, &["roles/viewer: was changed by Terraform", there]);
    let state = decode(&read.new_state.unwrap());
    let destroyed = start("ours").await.plan_destroy(ROLE, &state, &read.private).await;
    says(&destroyed.diagnostics, &["roles/viewer: is destroyed", there]);
    let imported = start("ours").await.import(ROLE, "github/viewer", None).await;
    says(&imported.diagnostics, &["roles/viewer: records another repository", there]);

    // What the import has read counts like a write.
    let imported = imported.imported_resources.into_iter().next().unwrap();
    let (state, private) = (decode(&imported.state.unwrap()), imported.private);
    let third = "https://example.com/third";
    service.change_role("github", "viewer", json!({ "repoUri": third }));
    let read = start("ours").await.read(ROLE, &state, &private).await;
    let state = decode(&read.new_state.unwrap());
    let destroyed = start("ours").await.plan_destroy(ROLE, &state, &read.private).await;
    says(&destroyed.diagnostics, &["roles/viewer: is destroyed", third]);
}

/// A later time, another value and the manager `TERRAFORM`: without one of them, the refresh says
/// nothing.
#[tokio::test(flavor = "multi_thread")]
async fn another_writer_is_named_by_the_refresh_if_all_three_signs_are_there() {
    let other = json!({"displayName": "Theirs"});
    let (earlier, people) = ("2020-01-01T00:00:00Z", "people");
    for (case, changes, warns) in [
        ("all three", other.clone(), true),
        ("no later time", with(other.clone(), &json!({ "updateTime": earlier })), false),
        ("no other value", json!({}), false),
        ("another manager", with(other.clone(), &json!({ "manager": people })), false),
        ("no manager", with(other, &json!({ "manager": null })), false),
    ] {
        let (service, role, host) = Object::with_host(Role).await;
        service.change_role("github", "viewer", changes);
        let read = role.read(&host).await;
        let expected: &[&str] = match warns {
            true => &[
                "listings/github/roles/viewer: was changed by Terraform since this state was stored: `display_name`",
            ],
            false => &[],
        };
        assert_eq!(warnings(&read.diagnostics), expected, "{case}");
        assert_eq!(errors(&read.diagnostics), [""; 0], "{case}");
        assert_ne!(decode(&read.new_state.unwrap()), role.state, "{case}");
    }
}

/// The list that the data source has read before is older than the write.
#[tokio::test(flavor = "multi_thread")]
async fn data_source_after_a_write_of_the_same_run_shows_it() {
    let (_service, role, host) = Object::with_host(Role).await;
    let names = async || {
        let data = host.read_data(ALL_ROLES, &json!({"listing": "github"})).await;
        assert_eq!(data.diagnostics, []);
        let roles = decode(&data.state.unwrap())["roles"].clone();
        roles
            .as_array()
            .unwrap()
            .iter()
            .map(|role| role["display_name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["Viewer"]);
    let mut role = role;
    let updated = role.update(&host, &renamed()).await;
    assert_eq!(names().await, ["Other"], "after an update");
    role.follow(updated.new_state, &updated.private);
    assert_eq!(errors(&role.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(names().await, [""; 0], "after a destroy");
    let (_service, owner, host) = Object::with_host(Owner).await;
    let owners = async || {
        let data = host.read_data(OWNERS, &json!({"integration": "github"})).await;
        assert_eq!(data.diagnostics, []);
        decode(&data.state.unwrap())["owners"].as_array().unwrap().len()
    };
    let before = owners().await;
    host.apply_create(OWNER, &with(creating(Owner), &json!({"owner": "users/ben"}))).await;
    assert_eq!(owners().await, before + 1, "after an addition");
    assert_eq!(errors(&owner.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(owners().await, before, "after a removal");
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
        } else {
            // The request does not set `resources`, so they are not to blame.
            let found = role.update(&host, &renamed()).await.diagnostics;
            assert_eq!((found.len(), &found[0].attribute), (1, &None), "{body:?}");
            assert!(!format!("{found:?}").contains("`resources`"), "{found:?}");
        }
    }
}
