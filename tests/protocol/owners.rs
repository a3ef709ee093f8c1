//! Conclusions of `access_integration_owners` from lists and GET.

use access_fake::{EditedEntry, Fault, HiddenObject, OddList};

use super::cases::*;
use super::*;

fn state_of(owners: &Value) -> Value {
    let name = "integrations/github";
    with(owners_config("github", &[]), &json!({"id": name, "name": name, "owners": owners}))
}

/// Returns the owners after a refresh, and the number of errors and of warnings.
async fn refresh(host: &Host, owners: &Value, private: &[u8]) -> (Value, usize, usize) {
    let read = host.read(OWNERS, &state_of(owners), private).await;
    let (failed, warned) = (errors(&read.diagnostics).len(), warnings(&read.diagnostics).len());
    (decode(&read.new_state.unwrap())["owners"].clone(), failed, warned)
}

/// Returns the private state of an earlier run that has read these owners.
async fn history(service: &Service, owners: &Value) -> Vec<u8> {
    let host = Host::start(service).await;
    let read = host.read(OWNERS, &state_of(owners), b"").await;
    assert_eq!(decode(&read.new_state.unwrap())["owners"], *owners);
    read.private.to_vec()
}

/// Creates the list of these owners of the integration `okta`.
async fn list_in_okta(service: &Service, owners: &[&str]) -> Object {
    Object::create_as(service, OWNERS, owners_config("okta", owners)).await
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
                assert_eq!(failed > 0, fails, "{case}");
                assert_eq!(warned, usize::from(!fails), "{case}");
            }
        }
    }
}

/// A refresh is the list. Before an owner is added again whose ID is known, GET looks for it.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_the_list_lacks_is_drift_and_is_looked_for_before_it_is_added_again() {
    // Response to the GET of the owner; whether it is added again, and whether the update fails.
    for (get, is_added, fails) in [
        (None, false, false),
        (Some(404), true, false),
        (Some(405), true, false),
        (Some(501), true, false),
        (Some(401), false, true),
        (Some(403), false, true),
        (Some(500), false, true),
    ] {
        let service = Service::full();
        service.change_world(|world| world.duplicate_owners = true);
        service.put_owner("github", "own-7", "users/ada");
        let owners = json!(["users/ada", "users/founder"]);
        let private = history(&service, &owners).await;
        service.hide("integrations/github/owners/own-7", get);
        let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
        let read = host.read(OWNERS, &state_of(&owners), &private).await;
        assert_eq!(errors(&read.diagnostics), [""; 0], "{get:?}");
        let state = decode(&read.new_state.unwrap());
        assert_eq!(state["owners"], json!(["users/founder"]), "{get:?}");
        let config = owners_config("github", &["users/ada", "users/founder"]);
        let planned = host.plan(OWNERS, Some(&state), &config, &read.private).await;
        let updated = host.apply(OWNERS, Some(&state), &config, &planned).await;
        assert_eq!(service.requests_of("POST"), usize::from(is_added), "{get:?}");
        assert_eq!(!errors(&updated.diagnostics).is_empty(), fails, "{get:?}");
    }
}

/// Where GET is not offered, a list that is requested anew shows the owner.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_a_new_list_shows_is_not_added_again() {
    let service = Service::with_empty_okta();
    let mut list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    service.change_world(|world| world.duplicate_owners = true);
    service.hide("integrations/okta/owners/own-1", Some(405));
    let host = Host::start(&service).await;
    let read = list.read(&host).await;
    list.follow(read.new_state, &read.private);
    assert_eq!(list.state["owners"], json!(["users/ben"]));
    let planned = host.plan(OWNERS, Some(&list.state), &list.config, &list.private).await;
    // The apply is another process. Its first list still lags.
    let host = Host::start(&service).await;
    service.change_world(|world| world.hidden.clear());
    let lagging =
        r#"{"integrationOwners":[{"name":"integrations/okta/owners/own-2","owner":"users/ben"}]}"#;
    service.add_fault(
        Fault::respond(200, lagging).on("GET").at("*/integrations/okta/owners").times(1),
    );
    service.add_fault(Fault::respond(405, "{}").on("GET").at("*/owners/own-1"));
    let updated = host.apply(OWNERS, Some(&list.state), &list.config, &planned).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.requests_of("POST"), 0);
    assert_eq!(service.principals("okta"), ["users/ada", "users/ben"]);
}

/// A destroy also deletes owners that the list does not show.
#[tokio::test(flavor = "multi_thread")]
async fn destroy_deletes_owners_that_a_refresh_missed() {
    let service = Service::with_empty_okta();
    let mut list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    let hidden = HiddenObject {
        object: "integrations/okta/owners/own-1".to_owned(),
        omit_from_list: true,
        ..HiddenObject::default()
    };
    service.change_world(|world| world.hidden.push(hidden));
    let read = list.read(&Host::start(&service).await).await;
    list.follow(read.new_state, &read.private);
    assert_eq!(list.state["owners"], json!(["users/ben"]));
    let destroyed = list.destroy(&Host::start(&service).await).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), [""; 0]);
}

/// What the list shows and what this update added count.
#[tokio::test(flavor = "multi_thread")]
async fn last_owner_that_the_list_shows_is_not_removed() {
    let service = Service::with_empty_okta();
    let mut list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    let host = Host::start(&service).await;
    let one = owners_config("okta", &["users/ada"]);
    let planned = host.plan(OWNERS, Some(&list.state), &one, &list.private).await;
    // Somebody removes the owner that stays, after the plan.
    service.remove_owner("okta", "own-1");
    let host = Host::start(&service).await;
    let applied = host.apply(OWNERS, Some(&list.state), &one, &planned).await;
    says(&applied.diagnostics, &["integrations/okta"]);
    assert_eq!(service.principals("okta"), ["users/ben"]);
    // With an owner that it adds, the update removes the other.
    let read = list.read(&Host::start(&service).await).await;
    list.follow(read.new_state, &read.private);
    let applied = list.update(&Host::start(&service).await, &one).await;
    assert_eq!(errors(&applied.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
}

/// The times of a list may be cut: the owners are the same, and private state does not change.
#[tokio::test(flavor = "multi_thread")]
async fn list_with_coarser_times_is_no_diff() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    let entry = service.owners("okta").remove(0);
    let cut = entry["createTime"].as_str().unwrap().split('.').next().unwrap().to_owned() + "Z";
    let id = entry["name"].as_str().unwrap().rsplit('/').next().map(str::to_owned);
    service.change_world(|world| {
        let fields = [("createTime".to_owned(), json!(cut))].into_iter().collect();
        world.lists =
            vec![OddList { edit: vec![EditedEntry { id, fields }], ..OddList::default() }];
    });
    let read = list.read(&Host::start(&service).await).await;
    assert_eq!(decode(&read.new_state.unwrap())["owners"], list.config["owners"]);
    assert_eq!((read.diagnostics, read.private.to_vec()), (vec![], list.private));
}

/// The integration was unknown when both were planned.
#[tokio::test(flavor = "multi_thread")]
async fn list_and_single_resource_add_an_owner_once() {
    let service = Service::with_empty_okta();
    service.change_world(|world| {
        world.duplicate_owners = true;
        world.latency_ms = 100;
    });
    let host = Host::start(&service).await;
    let list = owners_config("okta", &["users/ada"]);
    let single = with(creating(Owner), &json!({"integration": "okta"}));
    let [of_list, of_single] =
        tokio::join!(host.apply_create(OWNERS, &list), host.apply_create(OWNER, &single)).into();
    assert_eq!(service.owners_named("okta", "users/ada"), 1);
    let failed = [of_list, of_single].map(|created| errors(&created.diagnostics).len());
    assert_eq!(failed.iter().sum::<usize>(), 1, "{failed:?}");
}

/// The destroy of a state that is older than a write of the same process.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_for_owners_that_this_process_has_written_since() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    let host = Host::start(&service).await;
    host.create(OWNERS, &with(list.config.clone(), &json!({"adopt_existing": true}))).await;
    let destroyed = list.destroy(&host).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(destroyed.diagnostics.len(), 1, "a warning: {:?}", destroyed.diagnostics);
    assert_eq!(service.requests_of("DELETE"), 0);
}

/// One process creates the list, and then destroys the single resource of an owner in it. The
/// integration was unknown when both were planned.
#[tokio::test(flavor = "multi_thread")]
async fn single_owner_that_the_list_has_taken_over_is_not_deleted() {
    let service = Service::with_empty_okta();
    let single = with(creating(Owner), &json!({"integration": "okta"}));
    let single = Object::create_as(&service, OWNER, single).await;
    let host = Host::start(&service).await;
    let list = with(owners_config("okta", &["users/ada"]), &json!({"adopt_existing": true}));
    let created = host.apply_create(OWNERS, &list).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(errors(&single.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn create_and_update_without_a_list_fail_and_send_nothing() {
    let owners = json!(["users/founder"]);
    for status in [404, 405, 501, 403] {
        for drift_detection in ["auto", "off"] {
            let service = Service::full();
            let known = history(&service, &owners).await;
            let message = r#"{"message":"no list"}"#;
            service.add_fault(Fault::respond(status, message).on("GET").at(Owner.list_path()));
            let settings = json!({ "drift_detection": drift_detection });
            let host = Host::start_with(&service, &settings).await;
            let list = owners_config("github", &["users/ada"]);
            let adopting = with(list.clone(), &json!({"adopt_existing": true}));
            let created = host.apply_create(OWNERS, &adopting).await;
            says(&created.diagnostics, &["integrations/github", "`access_integration_owner`"]);
            let state = state_of(&owners);
            let planned = host.plan(OWNERS, Some(&state), &list, &known).await;
            let updated = host.apply(OWNERS, Some(&state), &list, &planned).await;
            assert_eq!(errors(&updated.diagnostics).len(), 1, "{status} {drift_detection}");
            assert_eq!(service.writes().len(), 0, "{status} {drift_detection}");
        }
    }
}

/// Who was added since the state was stored stays, and so do owners that nothing shows.
#[tokio::test(flavor = "multi_thread")]
async fn destroy_removes_only_the_owners_of_the_state() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    service.put_owner("okta", "theirs", "users/ben");
    assert_eq!(errors(&list.destroy(&Host::start(&service).await).await.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ben"]);
    // Without the list, the IDs of all owners of the state have to be known.
    let list = list_in_okta_with(&service, &["users/ada", "users/ben"]).await;
    service.without_lists();
    let both = with(list.state.clone(), &json!({"owners": ["users/ada", "users/eve"]}));
    let host = Host::start(&service).await;
    let destroyed = host.destroy(OWNERS, &both, &list.private).await;
    assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{:?}", destroyed.diagnostics);
    assert_eq!(service.requests_of("DELETE"), 0);
}

/// Adopts the owners that the integration `okta` has.
async fn list_in_okta_with(service: &Service, owners: &[&str]) -> Object {
    let config = with(owners_config("okta", owners), &json!({"adopt_existing": true}));
    Object::create_as(service, OWNERS, config).await
}

/// As with `-replace`.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_is_replaced_by_itself_is_not_destroyed() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    let host = Host::start(&service).await;
    let planned = host.plan(OWNERS, None, &list.config, &list.private).await;
    assert_eq!(errors(&planned.diagnostics), [""; 0]);
    let host = Host::start(&service).await;
    let destroyed = host.destroy(OWNERS, &list.state, &planned.planned_private).await;
    says(&destroyed.diagnostics, &["integrations/okta", "without owners"]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_created_again_under_lagging_reads_after_its_destroy() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    service.lag(20);
    let host = Host::start(&service).await;
    assert_eq!(errors(&list.destroy(&host).await.diagnostics), [""; 0]);
    let created = host.apply_create(OWNERS, &list.config).await;
    assert_eq!(errors(&created.diagnostics), [""; 0], "{:?}", created.diagnostics);
    assert_eq!(service.principals("okta"), ["users/ada"]);
}

/// The service stores both as `users/id-17`. It refuses the second, or answers with the first.
#[tokio::test(flavor = "multi_thread")]
async fn two_spellings_of_one_owner_are_an_error() {
    let spellings = ["users/ada", "users/lovelace"];
    for (returns_existing_owner, part) in [(false, "in another spelling"), (true, spellings[0])] {
        let service = Service::with_empty_okta();
        let stored = spellings.map(|owner| (owner.to_owned(), "users/id-17".to_owned()));
        service.change_world(|world| {
            world.canonical_owners = stored.clone().into();
            world.returns_existing_owner = returns_existing_owner;
        });
        let both = owners_config("okta", &spellings);
        let created = Host::start(&service).await.apply_create(OWNERS, &both).await;
        says(&created.diagnostics, &["integrations/okta", spellings[1], part]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn integration_without_owners_is_not_imported_and_a_new_policy_with_a_new_name_is_an_error() {
    let service = Service::with_empty_okta();
    let host = Host::start(&service).await;
    let imported = host.import(OWNERS, "okta", None).await;
    says(&imported.diagnostics, &["integrations/okta", "the list of owners is empty"]);
    let list = list_in_okta(&service, &["users/ada"]).await;
    let other =
        json!({"integration": "github", "deletion_policy": "abandon", "adopt_existing": true});
    let planned = list.plan(&host, &with(list.config.clone(), &other)).await;
    says(&planned.diagnostics, &["integrations/okta", "abandon", "first"]);
}

/// A single owner that is kept, in either order.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_is_kept_contradicts_a_list_of_its_integration() {
    let service = Service::full();
    let single = Object::create(&service, Owner).await;
    let list = owners_config("github", &["users/ben"]);
    for list_is_first in [false, true] {
        let host = Host::start(&service).await;
        let mut found = Vec::new();
        for is_list in [list_is_first, !list_is_first] {
            let planned = if is_list {
                host.plan(OWNERS, None, &list, &[]).await
            } else {
                single.plan(&host, &single.config).await
            };
            found.extend(planned.diagnostics);
        }
        assert_eq!(errors(&found).len(), 1, "{list_is_first}: {found:?}");
        says(&found, &["integrations/github", "users/ada"]);
    }
}

/// A single owner that is created, in either order.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_is_created_contradicts_a_list_that_destroys_it() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    let single = with(creating(Owner), &json!({"integration": "okta"}));
    for list_is_first in [false, true] {
        let host = Host::start(&service).await;
        let mut found = Vec::new();
        for is_list in [list_is_first, !list_is_first] {
            let planned = if is_list {
                list.plan_destroy(&host).await
            } else {
                host.plan(OWNER, None, &single, &[]).await
            };
            found.extend(planned.diagnostics);
        }
        assert_eq!(errors(&found).len(), 1, "{list_is_first}: {found:?}");
        let from_to =
            "`access_integration_owners` would remove an owner that `access_integration_owner`";
        says(&found, &[from_to, "ACCESS_DELETION_POLICY=abandon"]);
    }
}

/// Terraform would taint a list that differs from its plan, so the next refresh corrects the state,
/// whatever `drift_detection` is.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_a_create_could_not_add_is_in_the_next_plan() {
    for drift_detection in ["auto", "off"] {
        let service = Service::with_empty_okta();
        service.add_fault(Fault::respond(422, "{}").on("POST").skipping(1));
        let settings = json!({ "drift_detection": drift_detection });
        let config = owners_config("okta", &["users/ada", "users/ben"]);
        let host = Host::start_with(&service, &settings).await;
        let created = host.apply_create(OWNERS, &config).await;
        assert_eq!(errors(&created.diagnostics), [""; 0], "{drift_detection}");
        says(&created.diagnostics, &["integrations/okta"]);
        let state = decode(&created.new_state.unwrap());
        assert_eq!(state["owners"], config["owners"], "{drift_detection}");
        let host = Host::start_with(&service, &settings).await;
        let read = host.read(OWNERS, &state, &created.private).await;
        let owners = &decode(&read.new_state.unwrap())["owners"];
        assert_eq!(*owners, json!(["users/ada"]), "{drift_detection}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_address_is_an_error_that_keeps_the_state() {
    let (home, elsewhere) = (Service::full(), Service::full());
    let owners = json!(["users/founder"]);
    let private = history(&home, &owners).await;
    let host = Host::start(&elsewhere).await;
    let state = state_of(&owners);
    let read = host.read(OWNERS, &state, &private).await;
    let config = owners_config("github", &["users/ada"]);
    let planned = host.plan(OWNERS, Some(&state), &config, &private).await;
    let updated = host.apply(OWNERS, Some(&state), &config, &planned).await;
    let destroyed = host.destroy(OWNERS, &state, &private).await;
    for found in [read.diagnostics, updated.diagnostics, destroyed.diagnostics] {
        says(&found, &[&home.base_url(), &elsewhere.base_url()]);
    }
    assert_eq!(decode(&read.new_state.unwrap()), state);
    assert_eq!(elsewhere.writes().len(), 0);
}
