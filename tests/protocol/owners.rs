//! All owners of an integration as one resource, `access_integration_owners`, by the list alone.

use access_fake::{Action, EditedEntry, Fault, OddList};

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
    // A destroy needs the list as well.
    assert!(!format!("{:?}", read.diagnostics).contains("-refresh=false"), "{read:?}");
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
    // Whether the state is kept with an error, or with a warning.
    for (status, body, fails) in [
        (404, "{}", false),
        (404, "not found", false),
        (405, "{}", false),
        (501, "{}", false),
        (200, r#"{"integrationOwners": [7]}"#, true),
        (401, "{}", true),
        (403, "{}", true),
        (400, "{}", true),
        (500, "{}", true),
        (302, "", true),
        (200, "{\"integrationOwners\": 1}", true),
        (200, "<html>", true),
    ] {
        let service = Service::full();
        let owners = json!(["users/founder"]);
        let known = history(&service, &owners).await;
        service.respond_to_all("GET", status, body);
        for private in [Vec::new(), known] {
            let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
            let (after, failed, warned) = refresh(&host, &owners, &private).await;
            let case = format!("{status} {body:?}, known: {}", !private.is_empty());
            assert_eq!(after, owners, "{case}");
            assert_eq!((failed, warned), (usize::from(fails), usize::from(!fails)), "{case}");
        }
    }
}

/// A refresh is the list. The resource stays, whoever is left.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_the_list_lacks_is_drift_and_is_added_again() {
    for gone in [&["users/ada"][..], &["users/ada", "users/ben"]] {
        let service = Service::with_empty_okta();
        let mut list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
        for principal in gone {
            service.remove_principal("okta", principal);
        }
        let host = Host::start(&service).await;
        let read = list.read(&host).await;
        assert_eq!(read.diagnostics, [], "{gone:?}");
        list.follow(read.new_state, &read.private);
        assert_eq!(list.state["owners"].as_array().unwrap().len(), 2 - gone.len(), "{gone:?}");
        assert_eq!(errors(&list.update(&host, &list.config).await.diagnostics), [""; 0]);
        assert_eq!(service.principals("okta"), ["users/ada", "users/ben"], "{gone:?}");
    }
}

/// The update requests the list anew, after the refresh of the same run.
#[tokio::test(flavor = "multi_thread")]
async fn update_adds_nobody_who_was_added_since_its_plan_and_removes_nobody_else() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    service.change_world(|world| world.duplicate_owners = true);
    let host = Host::start(&service).await;
    assert_eq!(list.read(&host).await.diagnostics, []);
    let config = owners_config("okta", &["users/ada", "users/eve"]);
    let planned = list.plan(&host, &config).await;
    for owner in ["users/eve", "users/guest"] {
        service.put_owner("okta", &owner.replace('/', "-"), owner);
    }
    let updated = host.apply(OWNERS, Some(&list.state), &config, &planned).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.requests_of("POST"), 0);
    // The next plan shows the other one.
    assert_eq!(service.principals("okta"), ["users/ada", "users/eve", "users/guest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn create_only_adds_and_the_next_apply_removes() {
    let service = Service::full();
    let config = owners_config("okta", &["users/ada"]);
    let host = Host::start(&service).await;
    let planned = host.plan(OWNERS, None, &config, b"").await;
    says(
        &planned.diagnostics,
        &["integrations/okta: has owners that are not listed", "users/founder"],
    );
    // Twenty are named.
    for number in 10..31 {
        service.put_owner("github", &format!("own-{number}"), &format!("users/u{number}"));
    }
    let many = owners_config("github", &["users/founder"]);
    let many = Host::start(&service).await.plan(OWNERS, None, &many, b"").await;
    says(&many.diagnostics, &["users/u10, ", "users/u29 and 1 more"]);
    // An owner that is known only after apply may be the one that is there.
    let late = owners_config("okta", &[]);
    let late = with(late, &json!({"owners": ["users/ada", unknown()]}));
    let late = Host::start(&service).await.plan(OWNERS, None, &late, b"").await;
    assert_eq!(late.diagnostics, []);
    let created = host.apply(OWNERS, None, &config, &planned).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada", "users/founder"]);
    let mut list = Object { type_name: OWNERS, config, state: Value::Null, private: Vec::new() };
    list.follow(created.new_state, &created.private);
    assert_eq!(list.state["owners"], json!(["users/ada"]));

    let host = Host::start(&service).await;
    let read = list.read(&host).await;
    list.follow(read.new_state, &read.private);
    assert_eq!(list.state["owners"], json!(["users/ada", "users/founder"]));
    let updated = list.update(&host, &list.config).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
    list.follow(updated.new_state, &updated.private);
    assert_eq!(list.read(&Host::start(&service).await).await.private, updated.private);
    // Who is there already is adopted.
    let host = Host::start(&service).await;
    service.clear_requests();
    let planned = host.plan(OWNERS, None, &list.config, b"").await;
    assert_eq!(planned.diagnostics, []);
    assert_eq!(
        errors(&host.apply(OWNERS, None, &list.config, &planned).await.diagnostics),
        [""; 0]
    );
    assert_eq!(service.writes().len(), 0);
}

/// The second of two additions fails. The state stays what it was, and nobody is removed.
#[tokio::test(flavor = "multi_thread")]
async fn create_or_update_that_fails_half_way_names_who_was_added_and_goes_on_next_time() {
    let config = owners_config("okta", &["users/ada", "users/ben"]);
    for (is_update, is_lost) in [(false, false), (true, false), (true, true)] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/zoe"]).await;
        let lost = Fault::new(Action::Reset);
        let fault = if is_lost { lost } else { Fault::respond(422, "{}") };
        service.add_fault(fault.on("POST").skipping(1).times(1));
        for (attempt, fails) in [(1, true), (2, false)] {
            let case = format!("update: {is_update}, lost: {is_lost}, attempt {attempt}");
            service.clear_requests();
            let host = Host::start(&service).await;
            let prior = is_update.then_some(&list.state);
            let private: &[u8] = if is_update { &list.private } else { b"" };
            let planned = host.plan(OWNERS, prior, &config, private).await;
            let applied = host.apply(OWNERS, prior, &config, &planned).await;
            assert_eq!(errors(&applied.diagnostics).len(), usize::from(fails), "{case}");
            // With an error and no state, Terraform keeps the one before.
            let state = applied.new_state.map(|state| decode(&state)).filter(|it| !it.is_null());
            if fails {
                let way = if is_lost { "The owner may exist" } else { "422" };
                says(&applied.diagnostics, &["users/ben", "Added in this apply: users/ada", way]);
                assert!(!applied.diagnostics[0].detail.contains("import {"), "{case}");
                assert!(state.is_none() || state == prior.cloned(), "{case}: {state:?}");
                if !is_update {
                    // A configuration wants these owners: another address does not destroy them.
                    let destroyed = list.destroy(&host).await;
                    assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{case}");
                }
                assert_eq!(service.principals("okta"), ["users/ada", "users/zoe"], "{case}");
                continue;
            }
            assert_eq!(state.expect("a state")["owners"], config["owners"], "{case}");
            let writes: Vec<_> = service.writes().into_iter().map(|write| write.method).collect();
            let (sent, stay): (&[&str], &[&str]) = match is_update {
                true => (&["POST", "DELETE"], &["users/ada", "users/ben"]),
                false => (&["POST"], &["users/ada", "users/ben", "users/zoe"]),
            };
            assert_eq!(writes, sent, "{case}");
            assert_eq!(service.principals("okta"), stay, "{case}");
        }
    }
}

/// A removal fails after an addition, which is named. The next update removes who is left.
#[tokio::test(flavor = "multi_thread")]
async fn update_whose_removal_fails_keeps_the_state_and_goes_on_next_time() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben", "users/eve"]).await;
    let fewer = owners_config("okta", &["users/ada", "users/new"]);
    service.add_fault(Fault::respond(423, "{}").on("DELETE").skipping(1).times(1));
    let failed = list.update(&Host::start(&service).await, &fewer).await;
    assert_eq!(errors(&failed.diagnostics).len(), 1, "{:?}", failed.diagnostics);
    says(&failed.diagnostics, &["users/eve", "423", "Added in this apply: users/new"]);
    let state = failed.new_state.map(|state| decode(&state)).filter(|state| !state.is_null());
    assert!(state.is_none_or(|state| state == list.state));
    assert_eq!(service.principals("okta"), ["users/ada", "users/eve", "users/new"]);
    let updated = list.update(&Host::start(&service).await, &fewer).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada", "users/new"]);
}

/// Nothing shows that an owner whom the list lacks is gone.
#[tokio::test(flavor = "multi_thread")]
async fn destroy_names_owners_of_the_state_that_the_list_lacks() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    service.hide("integrations/okta/owners/own-1", None);
    let destroyed = list.destroy(&Host::start(&service).await).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    let summary =
        "integrations/okta: has owners in the state that the service does not list: users/ada";
    assert_eq!(warnings(&destroyed.diagnostics), [summary]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
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
    says(&applied.diagnostics, &["integrations/okta", "No owner was removed."]);
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

/// One that has listed nobody yet, and one that adds the owner. The integration was unknown when they
/// were planned.
#[tokio::test(flavor = "multi_thread")]
async fn list_does_not_take_over_an_owner_that_another_create_of_this_run_has_made() {
    let wanted = owners_config("okta", &["users/ada", "users/zoe"]);
    for is_update in [false, true] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/zoe"]).await;
        let host = Host::start(&service).await;
        let prior = is_update.then_some(&list.state);
        let private: &[u8] = if is_update { &list.private } else { b"" };
        let planned = Host::start(&service).await.plan(OWNERS, prior, &wanted, private).await;
        let single = with(creating(Owner), &json!({"integration": "okta"}));
        let created = host.apply_create(OWNER, &single).await;
        assert_eq!(errors(&created.diagnostics), [""; 0], "update: {is_update}");
        service.clear_requests();
        let applied = host.apply(OWNERS, prior, &wanted, &planned).await;
        says(&applied.diagnostics, &["users/ada", "was made by another resource of this run"]);
        assert_eq!(service.writes().len(), 0, "update: {is_update}");
    }
}

/// The destroy of a state that is older than a write of the same process.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_for_owners_that_this_process_has_written_since() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
    let host = Host::start(&service).await;
    host.create(OWNERS, &list.config).await;
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
    let list = owners_config("okta", &["users/ada"]);
    let created = host.apply_create(OWNERS, &list).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(errors(&single.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada"]);
    // What the list has, and the list itself, no other create of this run may have.
    let adopting = with(single.config, &json!({"adopt_existing": true}));
    for (type_name, config) in [(OWNER, adopting), (OWNERS, list)] {
        let refused = host.apply_create(type_name, &config).await;
        assert_eq!(errors(&refused.diagnostics).len(), 1, "{type_name}");
        says(&refused.diagnostics, &["was made by another resource of this run"]);
    }
    assert_eq!(service.writes().len(), 0);
}

/// One process adopts an owner of the list as a single resource, and then updates or destroys the list.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_a_single_resource_has_taken_over_is_not_removed_with_the_list() {
    let single = json!({"integration": "okta", "adopt_existing": true});
    let single = with(creating(Owner), &single);
    for (is_update, stay) in [(true, &["users/ada", "users/ben"][..]), (false, &["users/ada"])] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
        let host = Host::start(&service).await;
        let adopted = host.apply_create(OWNER, &single).await;
        assert_eq!(errors(&adopted.diagnostics), [""; 0]);
        let applied = match is_update {
            true => list.update(&host, &owners_config("okta", &["users/ben"])).await,
            false => list.destroy(&host).await,
        };
        assert_eq!(errors(&applied.diagnostics), [""; 0], "update: {is_update}");
        assert_eq!(service.principals("okta"), stay, "update: {is_update}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_without_a_list_fail_and_send_nothing() {
    let owners = json!(["users/founder"]);
    for (status, body, settings) in [
        (404, "{}", &["auto"][..]),
        (405, "{}", &["auto", "off"]),
        (501, "{}", &["auto"]),
        (403, r#"{"message":"no list"}"#, &["auto"]),
        (500, "{}", &["auto", "off"]),
        (200, r#"{"integrationOwners": [7]}"#, &["auto"]),
    ] {
        for drift_detection in settings {
            let case = format!("{status} {body} {drift_detection}");
            let service = Service::full();
            let known = history(&service, &owners).await;
            service.add_fault(Fault::respond(status, body).on("GET").at(Owner.list_path()));
            let settings = json!({ "drift_detection": drift_detection, "max_retries": 0 });
            let host = Host::start_with(&service, &settings).await;
            let (list, state) = (owners_config("github", &["users/ada"]), state_of(&owners));
            let created = host.apply_create(OWNERS, &list).await;
            let planned = host.plan(OWNERS, Some(&state), &list, &known).await;
            let updated = host.apply(OWNERS, Some(&state), &list, &planned).await;
            // The failed create wants the list. In a run of its own, the destroy fails by itself.
            let host = Host::start_with(&service, &settings).await;
            let destroyed = host.destroy(OWNERS, &state, &known).await;
            for found in [created.diagnostics, updated.diagnostics, destroyed.diagnostics] {
                assert_eq!(errors(&found).len(), 1, "{case}: {found:?}");
                says(&found, &["integrations/github: could not be"]);
                assert_eq!(blamed(&found), "integration", "{case}");
            }
            assert_eq!(service.writes().len(), 0, "{case}");
        }
    }
}

/// Replaced by the list of another integration, which is refused in the plan, or only in the apply.
#[tokio::test(flavor = "multi_thread")]
async fn owners_are_not_replaced_by_those_of_an_integration_without_a_list() {
    for status in [403, 404, 405, 500] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/ada"]).await;
        let github = owners_config("github", &["users/ada"]);
        let settings = json!({ "max_retries": 0 });
        let host = Host::start_with(&service, &settings).await;
        let first = list.plan(&host, &github).await;
        says(&first.diagnostics, &["integrations/github: has owners that are not listed"]);
        let second = host.plan(OWNERS, None, &github, &first.planned_private).await;

        service
            .add_fault(Fault::respond(status, "{}").on("GET").at("*/integrations/github/owners"));
        let host = Host::start_with(&service, &settings).await;
        let planned = list.plan(&host, &github).await;
        let destroyed = host.destroy(OWNERS, &list.state, &second.planned_private).await;
        for found in [planned.diagnostics, destroyed.diagnostics] {
            assert_eq!(errors(&found).len(), 1, "{status}: {found:?}");
            says(
                &found,
                &["integrations/github: could not be", "integrations/okta", "changed nothing"],
            );
        }
        assert_eq!(service.writes().len(), 0, "{status}");
        service.clear_faults();
        let host = Host::start_with(&service, &settings).await;
        let destroyed = host.destroy(OWNERS, &list.state, &second.planned_private).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{status}");
        assert_eq!(service.principals("okta"), [""; 0], "{status}");
    }
}

/// Who was added since the state was stored stays.
#[tokio::test(flavor = "multi_thread")]
async fn destroy_removes_only_the_owners_of_the_state() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    service.put_owner("okta", "theirs", "users/ben");
    assert_eq!(list.destroy(&Host::start(&service).await).await.diagnostics, []);
    assert_eq!(service.principals("okta"), ["users/ben"]);
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

/// The service stores both as `users/id-17`. It refuses the second, or answers with the first, which
/// the create has added.
#[tokio::test(flavor = "multi_thread")]
async fn second_spelling_of_an_owner_is_an_error() {
    let spellings = ["users/ada", "users/lovelace"];
    for (returns_existing_owner, part) in [(false, "409"), (true, "users/id-17")] {
        let service = Service::with_empty_okta();
        let stored = spellings.map(|owner| (owner.to_owned(), "users/id-17".to_owned()));
        service.change_world(|world| {
            world.canonical_owners = stored.clone().into();
            world.returns_existing_owner = returns_existing_owner;
        });
        let both = owners_config("okta", &spellings);
        let created = Host::start(&service).await.apply_create(OWNERS, &both).await;
        says(&created.diagnostics, &["integrations/okta", spellings[0], spellings[1], part]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn integration_without_owners_is_not_imported() {
    let service = Service::with_empty_okta();
    let host = Host::start(&service).await;
    let imported = host.import(OWNERS, "okta", None).await;
    says(&imported.diagnostics, &["integrations/okta", "The list of owners is empty"]);
}

/// In either order. Only where both are destroyed, nothing is left to undo.
#[tokio::test(flavor = "multi_thread")]
async fn list_and_single_owners_of_one_integration_are_an_error_unless_both_are_destroyed() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    service.put_owner("okta", "own-7", "users/ben");
    let host = Host::start(&service).await;
    let imported = host.import(OWNER, "okta/own-7", None).await.imported_resources.remove(0);
    let config = json!({"integration": "okta", "owner": "users/ben"});
    let single = Object {
        type_name: OWNER,
        config: with(creating(Owner), &config),
        state: decode(&imported.state.unwrap()),
        private: imported.private.to_vec(),
    };
    for (list_stays, single_stays) in [(true, true), (true, false), (false, true), (false, false)] {
        for list_is_first in [false, true] {
            let case = format!("{list_stays}, {single_stays}, {list_is_first}");
            let host = Host::start(&service).await;
            let mut found = Vec::new();
            for is_list in [list_is_first, !list_is_first] {
                let (object, stays) =
                    if is_list { (&list, list_stays) } else { (&single, single_stays) };
                let planned = match stays {
                    true => object.plan(&host, &object.config).await,
                    false => object.plan_destroy(&host).await,
                };
                found.extend(planned.diagnostics);
            }
            let failed = usize::from(list_stays || single_stays);
            assert_eq!(errors(&found).len(), failed, "{case}: {found:?}");
            if failed > 0 {
                // The way out is a `removed` block for what goes.
                let goes = match (list_stays, single_stays) {
                    (true, false) => "from = access_integration_owner.example",
                    (false, true) => "from = access_integration_owners.example",
                    _ => "removed {",
                };
                says(&found, &["integrations/okta", "removed {", goes, "-refresh=false"]);
            }
        }
    }
    // One that is created stays as well.
    let host = Host::start(&service).await;
    assert_eq!(errors(&host.plan(OWNERS, None, &list.config, b"").await.diagnostics), [""; 0]);
    let found = host.plan(OWNER, None, &single.config, b"").await.diagnostics;
    says(&found, &["integrations/okta", "removed {"]);
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
        let (seen, here) = (home.base_url(), elsewhere.base_url());
        says(&found, &[&format!("last seen at {seen}"), &format!("configured with {here}")]);
    }
    assert_eq!(decode(&read.new_state.unwrap()), state);
    assert_eq!(elsewhere.writes().len(), 0);
    // A region without this integration, or without lists.
    elsewhere.add_fault(Fault::respond(404, "{}").on("GET"));
    let read = Host::start(&elsewhere).await.read(OWNERS, &state, &private).await;
    says(&read.diagnostics, &["last seen at", &home.base_url(), "404"]);
    assert_eq!(errors(&read.diagnostics).len(), 1);
}

/// The service has moved: an owner with the same creation time is the same, so the integration is.
#[tokio::test(flavor = "multi_thread")]
async fn list_goes_on_at_an_address_that_has_one_of_its_owners() {
    for has_times in [true, false] {
        let service = Service::with_empty_okta();
        if !has_times {
            service.omit(&["createTime"], &[]);
        }
        let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
        service.remove_principal("okta", "users/ben");
        let there = service.elsewhere();
        let host = Host::start(&there).await;
        let read = list.read(&host).await;
        let state = decode(&read.new_state.unwrap());
        let destroyed = list.destroy(&Host::start(&there).await).await;
        for found in [&read.diagnostics, &destroyed.diagnostics] {
            assert_eq!(errors(found).len(), usize::from(!has_times), "{has_times}: {found:?}");
        }
        if has_times {
            // The refresh remembers the new address.
            assert_eq!(state["owners"], json!(["users/ada"]));
            assert_ne!(read.private.to_vec(), list.private);
            assert_eq!(service.principals("okta"), [""; 0]);
        } else {
            assert_eq!((state, read.private.to_vec()), (list.state, list.private));
            assert_eq!(service.principals("okta"), ["users/ada"]);
        }
    }
}

/// Who is read is shown and kept in whatever form. Only who is added has to have the form.
#[tokio::test(flavor = "multi_thread")]
async fn owner_in_another_form_is_kept_removed_and_never_added() {
    let gone = "deleted:users/ada?uid=1";
    let service = Service::with_empty_okta();
    service.put_owner("okta", "own-7", gone);
    service.put_owner("okta", "own-8", "users/jose\u{301}");
    service.put_owner("okta", "own-9", "users/zoe");
    let host = Host::start(&service).await;
    let imported = host.import(OWNERS, "okta", None).await.imported_resources.remove(0);
    let all = [gone, "users/jos\u{e9}", "users/zoe"];
    let mut list = Object {
        type_name: OWNERS,
        config: owners_config("okta", &all),
        state: decode(&imported.state.unwrap()),
        private: imported.private.to_vec(),
    };
    assert_eq!(list.state["owners"], json!(all));
    let request = pb::generate_resource_config::Request {
        type_name: OWNERS.to_owned(),
        state: Some(encode(&list.state)),
    };
    let generated = host.client.generate_resource_config(request).await.unwrap();
    assert_eq!(decode(&generated.config.unwrap())["owners"], json!(all));
    assert_eq!(host.validate(OWNERS, &list.config).await, []);
    list.plans_nothing(&service).await;

    // The host holds a text in NFC: the leaver is found, and the others stay.
    let fewer = owners_config("okta", &[gone, "users/zoe"]);
    let updated = list.update(&Host::start(&service).await, &fewer).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), [gone, "users/zoe"]);
    list.follow(updated.new_state, &updated.private);
    let updated = list.update(&host, &owners_config("okta", &["users/zoe"])).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/zoe"]);

    list.follow(updated.new_state, &updated.private);
    for (prior, added, part) in [
        (Some(&list), gone, "must have the form users/{id}"),
        (Some(&list), "users/a b", "must not contain blanks"),
        (None, "robots/r2", "must have the form users/{id}"),
    ] {
        let config = owners_config("okta", &["users/zoe", added]);
        let host = Host::start(&service).await;
        let (state, private) = prior.map_or((None, &b""[..]), |it| (Some(&it.state), &it.private));
        let found = host.plan(OWNERS, state, &config, private).await.diagnostics;
        says(&found, &[added, part, "-refresh=false"]);
        assert_eq!(blamed(&found), "owners", "{added}");
        // In a replacement of another list, before anything is destroyed.
        let github = with(
            list.state.clone(),
            &json!({"integration": "github", "id": "integrations/github", "name": "integrations/github"}),
        );
        let host = Host::start(&service).await;
        let found = host.plan(OWNERS, Some(&github), &config, b"").await.diagnostics;
        says(&found, &[added, part]);
    }
    // One that is known only after apply is refused there.
    let late = with(owners_config("okta", &[]), &json!({"owners": ["users/zoe", unknown()]}));
    let mut planned = list.plan(&host, &late).await;
    let known = with(
        decode(&planned.planned_state.unwrap()),
        &json!({"owners": ["robots/r2", "users/zoe"]}),
    );
    planned.planned_state = Some(encode(&known));
    let config = owners_config("okta", &["robots/r2", "users/zoe"]);
    let applied = host.apply(OWNERS, Some(&list.state), &config, &planned).await;
    says(&applied.diagnostics, &["robots/r2", "must have the form users/{id}"]);
    assert_eq!(service.principals("okta"), ["users/zoe"]);
}

/// Its principal is shown and counted. Its removal is an error that names it, after all others.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whose_id_no_request_can_contain_is_counted_and_never_addressed() {
    let all = ["users/ada", "users/ben", "users/zoe"];
    let entries = [("a b", "users/ada"), ("own-2", "users/ben"), ("own-3", "users/zoe")];
    let entries = entries.map(
        |(id, owner)| json!({"name": format!("integrations/okta/owners/{id}"), "owner": owner}),
    );
    let body = json!({ "integrationOwners": entries }).to_string();
    let service = Service::with_empty_okta();
    service.add_fault(Fault::respond(200, body).on("GET").at("*/integrations/okta/owners"));
    let list = list_in_okta(&service, &all).await;
    assert_eq!(list.state["owners"], json!(all));
    for (stay, part) in [(Some(&["users/zoe"][..]), "own-2"), (None, "own-3")] {
        service.clear_requests();
        let host = Host::start(&service).await;
        service.add_fault(Fault::respond(200, "{}").on("DELETE"));
        let applied = match stay {
            Some(stay) => list.update(&host, &owners_config("okta", stay)).await,
            None => list.destroy(&host).await,
        };
        says(&applied.diagnostics, &["owners/a b (users/ada)", "blanks", "at the service"]);
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{:?}", applied.diagnostics);
        let sent: Vec<_> = service.writes().into_iter().map(|write| write.path).collect();
        assert!(sent.iter().any(|path| path.ends_with(part)), "{sent:?}");
        assert!(sent.iter().all(|path| path.contains("/own-")), "{sent:?}");
    }
    // It is not the last one while it stays.
    let host = Host::start(&service).await;
    let updated = list.update(&host, &owners_config("okta", &["users/ada"])).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    // A create of it is refused, also one that adopts.
    for adopt_existing in [false, true] {
        let single = json!({"integration": "okta", "adopt_existing": adopt_existing});
        let host = Host::start(&service).await;
        let created = host.apply_create(OWNER, &with(creating(Owner), &single)).await;
        says(&created.diagnostics, &["users/ada", "exists already", "must not contain blanks"]);
    }
}

/// An entry that may be anybody: nobody is gone.
#[tokio::test(flavor = "multi_thread")]
async fn owner_is_not_gone_while_an_entry_does_not_show_who_it_is() {
    for owner in [json!(7), Value::Null] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
        let entries = [
            json!({"name": "integrations/okta/owners/own-1", "owner": owner}),
            json!({"name": "integrations/okta/owners/own-9", "owner": "users/eve"}),
        ];
        let body = json!({ "integrationOwners": entries }).to_string();
        service.add_fault(Fault::respond(200, body).on("GET").at("*/integrations/okta/owners"));
        let read = list.read(&Host::start(&service).await).await;
        says(&read.diagnostics, &["Could not read every object", "owners/own-1"]);
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        let state = decode(&read.new_state.unwrap());
        assert_eq!(state["owners"], json!(["users/ada", "users/ben", "users/eve"]));
        // A single owner may be added twice, as without a list.
        let single = with(creating(Owner), &json!({"integration": "okta", "owner": "users/new"}));
        let created = Host::start(&service).await.apply_create(OWNER, &single).await;
        says(&created.diagnostics, &["may have been added twice", "owners/own-1"]);
    }
}

/// A list that lags behind an addition is followed by another one, two seconds later, once a run.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whom_one_list_lacks_is_gone_only_by_a_later_one() {
    for step in ["refresh", "update", "destroy"] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/ada", "users/ben"]).await;
        let host = Host::start(&service).await;
        let ada = owners_config("okta", &["users/ada"]);
        let planned = list.plan(&host, &ada).await;
        let empty = Fault::respond(200, "{}").on("GET").at("*/integrations/okta/owners");
        service.add_fault(empty.times(1));
        let (found, stay) = match step {
            "refresh" => {
                let read = list.read(&host).await;
                assert_eq!(decode(&read.new_state.unwrap()), list.state);
                assert_eq!(read.private.to_vec(), list.private);
                (read.diagnostics, &["users/ada", "users/ben"][..])
            }
            "update" => {
                let applied = host.apply(OWNERS, Some(&list.state), &ada, &planned).await;
                (applied.diagnostics, &["users/ada"][..])
            }
            _ => (list.destroy(&host).await.diagnostics, &[][..]),
        };
        assert_eq!(found, [], "{step}");
        assert_eq!(service.principals("okta"), stay, "{step}");
        let lists = service.requests().into_iter().filter(|it| it.path.ends_with("/owners"));
        assert_eq!(lists.filter(|it| it.method == "GET").count(), 2, "{step}");
    }
    // A later list that fails, or that may have more, shows nothing.
    for (status, body, parts) in [
        (501, "{}", ["Could not read every object", "501"]),
        (200, r#"{"integrationOwners":[7]}"#, ["could not be read", "entries of the list"]),
    ] {
        let service = Service::with_empty_okta();
        let list = list_in_okta(&service, &["users/ada"]).await;
        let lists = "*/integrations/okta/owners";
        service.add_fault(Fault::respond(200, "{}").on("GET").at(lists).times(1));
        service.add_fault(Fault::respond(status, body).on("GET").at(lists));
        let read = list.read(&Host::start(&service).await).await;
        assert_eq!(decode(&read.new_state.unwrap()), list.state);
        says(&read.diagnostics, &parts);
    }
}

/// Each addition is tried, except after a failure that would meet all.
#[tokio::test(flavor = "multi_thread")]
async fn addition_that_fails_stops_no_other_one_and_every_removal() {
    let wanted = ["users/ben", "users/cem", "users/dan"];
    for (status, posts, there) in [
        (422, 3, &["users/ada", "users/cem", "users/dan"][..]),
        (403, 3, &["users/ada", "users/cem", "users/dan"]),
        (401, 1, &["users/ada"]),
    ] {
        let service = Service::with_empty_okta();
        // One of two was removed outside Terraform after the plan.
        let had: &[&str] = if status == 422 { &["users/ada", "users/eve"] } else { &["users/ada"] };
        let list = list_in_okta(&service, had).await;
        for id in service.owner_ids("okta", "users/eve") {
            service.remove_owner("okta", &id);
        }
        service.add_fault(Fault::respond(status, "{}").on("POST").times(1));
        let host = Host::start(&service).await;
        let applied = list.update(&host, &owners_config("okta", &wanted)).await;
        assert!(!format!("{applied:?}").contains("users/eve"), "{applied:?}");
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{status}: {:?}", applied.diagnostics);
        let parts = ["users/ben of integrations/okta", "Not removed because of this: users/ada"];
        says(&applied.diagnostics, &parts);
        if posts > 1 {
            says(&applied.diagnostics, &["Added in this apply: users/cem, users/dan"]);
        }
        let sent: Vec<_> = service.writes().into_iter().map(|write| write.method).collect();
        assert_eq!(sent, vec!["POST"; posts], "{status}");
        assert_eq!(service.principals("okta"), there, "{status}");
    }
}

/// Of many single owners beside a list three errors are complete.
#[tokio::test(flavor = "multi_thread")]
async fn single_owners_beside_a_list_are_one_kind() {
    let service = Service::with_empty_okta();
    let host = Host::start(&service).await;
    let list = owners_config("okta", &["users/zoe"]);
    assert_eq!(errors(&host.plan(OWNERS, None, &list, b"").await.diagnostics), [""; 0]);
    let mut complete = 0;
    for number in 0..6 {
        let owner = format!("users/user-{number}");
        let single = with(creating(Owner), &json!({"integration": "okta", "owner": owner}));
        let found = host.plan(OWNER, None, &single, b"").await.diagnostics;
        assert_eq!(errors(&found).len(), 1, "{found:?}");
        says(&found, &[&owner, "integrations/okta", "two resource types"]);
        complete += usize::from(found[0].detail.contains("removed {"));
    }
    assert_eq!(complete, 3);
}

/// Planned under `abandon`, and applied under `delete`.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_its_plan_leaves_is_left_whatever_the_policy_of_the_apply() {
    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    let abandon = json!({"deletion_policy": "abandon"});
    let host = Host::start_with(&service, &abandon).await;
    let github = owners_config("github", &["users/founder"]);
    let first = list.plan(&host, &github).await;
    let replaced = host.plan(OWNERS, None, &github, &first.planned_private).await;
    let host = Host::start_with(&service, &abandon).await;
    let destroyed = list.plan_destroy(&host).await;
    assert_eq!(warnings(&destroyed.diagnostics), ["Abandoned objects stay at the service"]);
    for private in [replaced.planned_private, destroyed.planned_private] {
        let host = Host::start(&service).await;
        let applied = host.destroy(OWNERS, &list.state, &private).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0]);
        says(&applied.diagnostics, &["Abandoned objects stay at the service"]);
    }
    assert_eq!(service.writes().len(), 0);
}

/// Two lists of one integration whose name was unknown when they were planned, and a list that is
/// destroyed at another address while it is updated.
#[tokio::test(flavor = "multi_thread")]
async fn calls_for_one_list_wait_for_each_other() {
    let service = Service::with_empty_okta();
    let host = Host::start(&service).await;
    let [one, other] = [["users/ada"], ["users/ben"]].map(|it| owners_config("okta", &it));
    let both = (host.apply_create(OWNERS, &one), host.apply_create(OWNERS, &other));
    let (one, other) = meanwhile((&service, &host, "POST"), both.0, both.1).await;
    assert_eq!(errors(&one.diagnostics), [""; 0]);
    says(&other.diagnostics, &["integrations/okta", "was made by another resource of this run"]);
    assert_eq!(service.principals("okta"), ["users/ada"]);

    let service = Service::with_empty_okta();
    let list = list_in_okta(&service, &["users/ada"]).await;
    let host = Host::start(&service).await;
    let more = owners_config("okta", &["users/ada", "users/ben"]);
    let planned = list.plan(&host, &more).await;
    let update = host.apply(OWNERS, Some(&list.state), &more, &planned);
    let (updated, destroyed) =
        meanwhile((&service, &host, "POST"), update, list.destroy(&host)).await;
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(service.principals("okta"), ["users/ada", "users/ben"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_list_remembers_its_address() {
    let (home, elsewhere) = (Service::full(), Service::full());
    let host = Host::start(&home).await;
    let imported = host.import(OWNERS, "okta", None).await.imported_resources.remove(0);
    let state = decode(&imported.state.unwrap());
    let read = Host::start(&elsewhere).await.read(OWNERS, &state, &imported.private).await;
    says(&read.diagnostics, &[&home.base_url(), &elsewhere.base_url()]);
    // The service has moved.
    let read = Host::start(&home.elsewhere()).await.read(OWNERS, &state, &imported.private).await;
    assert_eq!((read.diagnostics, decode(&read.new_state.unwrap())), (vec![], state));
}
