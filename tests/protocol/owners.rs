//! Conclusions of `access_integration_owners` from lists and GET.

use access_fake::HiddenObject;

use super::*;

const OWNERS: &str = "access_integration_owners";

fn state_of(owners: &Value) -> Value {
    let mut state = schema::empty_resource(OWNERS);
    state["integration"] = json!("github");
    state["id"] = json!("integrations/github");
    state["name"] = state["id"].clone();
    state["owners"] = owners.clone();
    state
}

/// Returns the owners after a refresh, and the summaries of the errors and warnings.
async fn refresh(host: &Host, owners: &Value, private: &[u8]) -> (Value, Vec<String>, Vec<String>) {
    let read = host.read_as(OWNERS, &state_of(owners), private).await;
    let (failed, warned): (Vec<_>, Vec<_>) = read
        .diagnostics
        .iter()
        .partition(|diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error);
    let summaries = |all: Vec<&pb::Diagnostic>| all.iter().map(|it| it.summary.clone()).collect();
    let state = decode(&read.new_state.unwrap());
    (state["owners"].clone(), summaries(failed), summaries(warned))
}

/// Returns the private state of an earlier run that has read these owners.
async fn history(service: &Service, owners: &Value) -> Vec<u8> {
    let host = Host::start(service).await;
    let read = host.read_as(OWNERS, &state_of(owners), b"").await;
    assert_eq!(decode(&read.new_state.unwrap())["owners"], *owners);
    host.end().await;
    read.private.to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_list_never_changes_the_owners() {
    // Whether the state is kept with an error, or with a warning: never read, and read before.
    for (status, body, fails) in [
        (404, "{}", [false, true]),
        (404, "not found", [false, true]),
        (405, "{}", [false, false]),
        (501, "{}", [false, false]),
        (401, "{}", [true, true]),
        (403, "{}", [true, true]),
        (400, "{}", [true, true]),
        (500, "{}", [true, true]),
        (302, "", [true, true]),
        (200, "{\"integrationOwners\": 1}", [true, true]),
        (200, "<html>", [true, true]),
    ] {
        let service = Service::full();
        let owners = json!(["users/founder"]);
        let known = history(&service, &owners).await;
        service.respond_to_all("GET", status, body);
        for (private, fails) in [Vec::new(), known].into_iter().zip(fails) {
            let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
            let (after, failed, warned) = refresh(&host, &owners, &private).await;
            let case = format!("{status} {body:?}, known: {}", !private.is_empty());
            assert_eq!(after, owners, "{case}");
            // Nothing says what a 404 of a list means that was never read.
            if status != 404 || !private.is_empty() {
                assert_eq!(!failed.is_empty(), fails, "{case}: {failed:?} {warned:?}");
                assert_eq!(warned.len(), usize::from(!fails), "{case}: {warned:?}");
            }
            host.end().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_the_state_if_private_state_is_unreadable() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for private in UNREADABLE {
        let (owners, failed, warned) = refresh(&host, &json!(["users/ada"]), private).await;
        assert_eq!(owners, json!(["users/founder"]), "{private:?}");
        assert_eq!((failed.len(), warned.len()), (0, 0), "{private:?}");
    }
    host.end().await;
}

/// Only GET contradicts a list.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_the_list_lacks_is_read_by_get() {
    for (get, is_kept, fails) in
        [(None, true, false), (Some(404), false, false), (Some(401), true, true)]
    {
        let service = Service::full();
        service.put_owner("github", "own-7", "users/ada");
        let owners = json!(["users/ada", "users/founder"]);
        let private = history(&service, &owners).await;
        let object = "integrations/github/owners/own-7".to_owned();
        service.hide(HiddenObject { object, get, omit_from_list: true, ..Default::default() });
        let host = Host::start(&service).await;
        let (after, failed, _) = refresh(&host, &owners, &private).await;
        let kept = if is_kept { owners } else { json!(["users/founder"]) };
        assert_eq!(after, kept, "{get:?}");
        assert_eq!(!failed.is_empty(), fails, "{get:?}: {failed:?}");
        host.end().await;
    }
}

/// The one window: an owner that this provider has added less than five minutes ago.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_was_just_added_is_kept() {
    let service = Service::with_empty_okta();
    let host = Host::start(&service).await;
    let mut config = schema::empty_resource(OWNERS);
    config["integration"] = json!("okta");
    config["owners"] = json!(["users/ada", "users/ben"]);
    // Neither the list nor GET shows it yet.
    service.change_world(|world| world.reads_lag = 100);
    let (state, private) = host.create(OWNERS, &config).await;
    host.end().await;
    let host = Host::start(&service).await;
    let read = host.read_as(OWNERS, &state, &private).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(decode(&read.new_state.unwrap())["owners"], config["owners"]);
    host.end().await;
}

/// An owner that was removed and added again outside Terraform, before a read has shown it. The service has
/// its own spelling of the owner.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_was_just_added_and_made_anew_counts_once() {
    let service = Service::with_empty_okta();
    service.change_world(|world| {
        world.canonical_owners.insert("users/ada".to_owned(), "users/id-17".to_owned());
    });
    let host = Host::start(&service).await;
    let mut config = schema::empty_resource(OWNERS);
    config["integration"] = json!("okta");
    config["owners"] = json!(["users/ada"]);
    let (state, private) = host.create(OWNERS, &config).await;
    host.end().await;
    service.remove_owner("okta", "own-1");
    service.put_owner("okta", "own-9", "users/id-17");
    assert_eq!(service.owners_named("okta", "users/id-17"), 1);
    let host = Host::start(&service).await;
    let read = host.read_as(OWNERS, &state, &private).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(decode(&read.new_state.unwrap())["owners"], config["owners"]);
    host.end().await;
}

/// The destroy of a state that is older than a write of the same process.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_for_owners_that_this_process_has_written_since() {
    let service = Service::with_empty_okta();
    let mut config = schema::empty_resource(OWNERS);
    config["integration"] = json!("okta");
    config["owners"] = json!(["users/ada", "users/ben"]);
    let host = Host::start(&service).await;
    let (state, private) = host.create(OWNERS, &config).await;
    host.end().await;
    let host = Host::start(&service).await;
    config["adopt_existing"] = json!(true);
    host.create(OWNERS, &config).await;
    let destroyed = host.destroy(OWNERS, &state, &private).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(destroyed.diagnostics.len(), 1, "a warning: {:?}", destroyed.diagnostics);
    assert_eq!(service.requests_of("DELETE"), 0);
    host.end().await;
}

/// One process creates the list, and then destroys the single resource of an owner in it. The integration
/// was unknown when both were planned.
#[tokio::test(flavor = "multi_thread")]
async fn single_owner_that_the_list_has_taken_over_is_not_deleted() {
    let service = Service::with_empty_okta();
    let mut single = schema::empty_resource(OWNER);
    single["integration"] = json!("okta");
    single["owner"] = json!("users/ada");
    let host = Host::start(&service).await;
    let (state, private) = host.create(OWNER, &single).await;
    host.end().await;
    let host = Host::start(&service).await;
    let mut list = schema::empty_resource(OWNERS);
    list["integration"] = json!("okta");
    list["owners"] = json!(["users/ada"]);
    list["adopt_existing"] = json!(true);
    let created = host.apply_create(OWNERS, &list).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    let destroyed = host.destroy(OWNER, &state, &private).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_listed_as_one_resource() {
    let service = Service::full();
    service.put_owner("okta", "own-9", "groups/platform");
    let host = Host::start(&service).await;
    for (integration, limit, expected) in [("okta", 100, 1), ("okta", 0, 0), ("github", 1, 1)] {
        let request = pb::list_resource::Request {
            type_name: OWNERS.to_owned(),
            config: Some(encode(&json!({"integration": integration}))),
            include_resource_object: true,
            limit,
        };
        let mut stream = host.client.list_resource(request).await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = stream.message().await.unwrap() {
            events.push(event);
        }
        assert_eq!(events.len(), expected, "{integration} {limit}");
        if limit == 100 {
            let identity = events[0].identity.as_ref().unwrap().identity_data.as_ref().unwrap();
            assert_eq!(decode(identity), json!({"integration": "okta"}));
            let state = decode(events[0].resource_object.as_ref().unwrap());
            assert_eq!(state["owners"], json!(["groups/platform", "users/founder"]));
        }
    }
    host.end().await;
}
