//! Refreshes: the conclusion from each response of GET and of the parent's list.

use std::time::{Duration, Instant};

use access_fake::ResponseTo::{self, Get, List};
use access_fake::{Action, Fault, OddList, World};
use tokio::task::JoinSet;

use super::cases::Conclusion::{Dropped, Failed, Kept, Refreshed, Warned};
use super::cases::*;
use super::*;

/// Response; conclusion where the list of the parent does not exist.
const GET: [(Response, Conclusion); 16] = [
    ((200, "$CUT"), Kept),
    (OBJECT, Refreshed),
    ((200, "$OTHER"), Failed),
    ((200, "not json"), Failed),
    ((301, ""), Failed),
    ((400, r#"{"message":"bad"}"#), Failed),
    ((401, r#"{"message":"who"}"#), Failed),
    (FORBIDDEN, Failed),
    (JSON_404, Warned),
    (TEXT_404, Warned),
    ((405, ""), Warned),
    ((409, "{}"), Failed),
    ((410, r#"{"message":"gone"}"#), Warned),
    ((501, ""), Warned),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
];

/// Response of the parent's list to a GET with 404; conclusion. The list is the only witness.
const LIST_AFTER_404: [(Response, Conclusion); 13] = [
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), Warned),
    ((200, r#"{"$ENTRIES":[$DELETED]}"#), Dropped),
    (EMPTY, Dropped),
    ((200, r#"{"$ENTRIES":[$OTHER]}"#), Dropped),
    ((200, r#"{"$ENTRIES":[{"name":"unreadable"}]}"#), Warned),
    ((200, "not json"), Warned),
    (JSON_404, Warned),
    (TEXT_404, Warned),
    ((405, ""), Warned),
    ((401, "{}"), Warned),
    (FORBIDDEN, Warned),
    ((429, "{}"), Warned),
    (FAILURE, Warned),
];

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_get_are_those_of_the_table() {
    let mut cases = Vec::new();
    for entity in [Role, Owner] {
        let mut add = |response, history, expected| {
            let (get, list) = (Some(response), Some((405, "")));
            cases.push((Case { get, list, ..Case::new(entity, history) }, expected));
        };
        for (response, expected) in GET {
            add(response, Read, expected);
        }
        // One of each conclusion; `resource::whose` has the table of addresses and times.
        for (response, expected) in
            [((200, "$CUT"), Kept), (OBJECT, Refreshed), (FAILURE, Failed), (JSON_404, Warned)]
        {
            add(response, NeverRead, expected);
            // At another address only the same object counts.
            let there = if [Refreshed, Kept].contains(&expected) { expected } else { Failed };
            add(response, ReadElsewhere, there);
        }
        add((200, "$RECREATED"), Read, Refreshed);
        add((200, "$RECREATED"), NeverRead, Failed);
        add((200, "$RECREATED"), ReadElsewhere, Failed);
        if entity == Role {
            add((200, "$DELETED"), Read, Dropped);
            add((200, "$DELETED"), NeverRead, Dropped);
        }
    }
    compare(cases, |case| case.read_after(0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn not_found_is_decided_by_the_list_as_in_the_table() {
    let mut cases = Vec::new();
    for entity in [Role, Owner] {
        let mut add = |get, list, history, expected| {
            let (get, list) = (Some(get), Some(list));
            cases.push((Case { get, list, ..Case::new(entity, history) }, expected));
        };
        for (list, expected) in LIST_AFTER_404 {
            // The service returns no deleted owners.
            if entity == Owner && list.1.contains("$DELETED") {
                continue;
            }
            add(JSON_404, list, Read, expected);
        }
        // The one list that drops, and one that does not, after each 404 and for each address.
        for (list, expected) in [(EMPTY, Dropped), (FORBIDDEN, Warned)] {
            for get in [TEXT_404, (410, "")] {
                add(get, list, Read, expected);
            }
            for get in [JSON_404, TEXT_404, (410, "")] {
                add(get, list, NeverRead, expected);
                add(get, list, ReadElsewhere, Failed);
            }
        }
    }
    compare(cases, |case| case.read_after(0)).await;
    // An entry of an earlier page that cannot be read may be the object.
    let (service, role, host) = Object::with_host(Role).await;
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Role.object_path()));
    let list = |body: &str| Fault::respond(200, body).on("GET").at(Role.list_path());
    let first = r#"{"listingRoles":[{"name":"unreadable"}],"nextPageToken":"t"}"#;
    service.add_fault(list(first).times(1));
    service.add_fault(list(&Role.body(EMPTY.1)));
    let read = role.read(&host).await;
    says(&read.diagnostics, &["could not be read (1)", "state is kept"]);
}

/// Response of the parent's list, and whether it confirms the state. GET returns another version.
const LIST_BEFORE_GET: [(Response, bool); 8] = [
    ((200, r#"{"$ENTRIES":[$SAME]}"#), true),
    ((200, r#"{"$ENTRIES":[$OTHER,$SAME]}"#), true),
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), false),
    ((200, r#"{"$ENTRIES":[$ENDED]}"#), false),
    ((200, r#"{"$ENTRIES":[$UNTIMED]}"#), false),
    (EMPTY, false),
    ((200, "not json"), false),
    (FORBIDDEN, false),
];

#[tokio::test(flavor = "multi_thread")]
async fn list_confirms_and_only_get_contradicts_as_in_the_table() {
    let mut cases = Vec::new();
    for (response, confirms) in LIST_BEFORE_GET {
        // The service returns no deleted owners.
        let entities = if response.1.contains("$ENDED") { vec![Role] } else { vec![Role, Owner] };
        for entity in entities {
            let case = Case { get: Some(OBJECT), list: Some(response), ..Case::new(entity, Read) };
            cases.push((case, if confirms { Kept } else { Refreshed }));
        }
    }
    // The run requests the list for the fourth.
    compare(cases, |case| case.read_after(3)).await;
    // The reads go on without a list that fails, so it is requested once.
    let (service, role, host) = Object::with_host(Role).await;
    service.add_fault(Fault::respond(503, "{}").on("GET").at(Role.list_path()));
    for _ in 0..5 {
        assert_eq!(role.read(&host).await.diagnostics, []);
    }
    assert_eq!(requests(&service).iter().filter(|line| line.ends_with("/roles")).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_requested_with_drift_detection_off() {
    for entity in [Role, Owner] {
        for history in [Read, NeverRead, ReadElsewhere] {
            let case = Case { drift_detection: "off", ..Case::new(entity, history) };
            let (seen, requests) = case.read_after(0).await;
            assert_eq!((seen, requests.len()), (Kept, 0), "{case:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_read_names_the_request_and_the_next_step() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    for (status, body, part) in [
        (401, "{}", "api_key"),
        (403, r#"{"message":"not for you"}"#, "drift_detection"),
        (403, "<html>", "an HTML page"),
        (302, "", "base_url"),
        (500, "boom", "500"),
        (200, "garbage", "200"),
        (200, r#"{"name":"listings/github/roles/other","displayName":"x"}"#, "other"),
    ] {
        service.respond_to_all("GET", status, body);
        let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
        let read = role.read(&host).await;
        says(&read.diagnostics, &["GET /api/v1/listings/github/roles/viewer", part]);
    }
    let nowhere = json!({"max_retries": 0, "base_url": "http://127.0.0.1:1"});
    let host = Host::start_with(&service, &nowhere).await;
    let read = host.read(ROLE, &role.state, b"").await;
    says(&read.diagnostics, &["base_url", "http://127.0.0.1:1"]);
}

/// The list decides what a 404 means, so it has all retries.
#[tokio::test(flavor = "multi_thread")]
async fn deletion_is_detected_although_the_list_fails_once() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        let read = object.read(&host).await;
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        match entity {
            Role => service.remove_role("github", "viewer"),
            Owner => service.remove_principal("github", "users/ada"),
        }
        let list = Fault::respond(503, "{}").on("GET").at(entity.list_path());
        service.add_fault(list.times(1));
        let host = Host::start(&service).await;
        let read = host.read(object.type_name, &object.state, &read.private).await;
        assert!(decode(&read.new_state.unwrap()).is_null(), "{:?}", read.diagnostics);
    }
}

/// Without times, another object of the name is not told from the state's.
#[tokio::test(flavor = "multi_thread")]
async fn list_of_another_address_confirms_nothing() {
    for entity in [Role, Owner] {
        let list = (200, r#"{"$ENTRIES":[$SAME]}"#);
        let case =
            Case { get: Some(JSON_404), list: Some(list), ..Case::new(entity, ReadElsewhere) };
        let (seen, requests) = case.read_after(3).await;
        assert_eq!(seen, Failed, "{entity:?}: {requests:?}");
    }
}

/// The role was imported, and its last write is ten minutes old.
#[tokio::test(flavor = "multi_thread")]
async fn restored_backup_counts() {
    let service = Service::start(World { clock_offset_ms: -600_000, ..World::default() });
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
    service.put_role("github", "viewer", fields);
    let host = Host::start(&service).await;
    let imported = host.import(ROLE, "github/viewer", None).await.imported_resources.remove(0);
    service.change_world(|world| world.clock_offset_ms = 0);
    // What another configuration wrote before is no write since.
    let backup = json!({"displayName": "One", "updateTime": "2020-01-02T03:04:05Z",
                        "repoUri": "https://example.com/theirs"});
    service.change_role("github", "viewer", backup);
    let state = decode(&imported.state.unwrap());
    let read = host.read(ROLE, &state, &imported.private).await;
    assert_eq!(read.diagnostics, []);
    assert_eq!(decode(&read.new_state.unwrap())["display_name"], "One");
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_lists_that_omit_fields_change_nothing() {
    let cases: [(&[ResponseTo], &[&str]); 5] = [
        (&[Get], &["manager"]),
        (&[List], &["manager"]),
        (&[Get, List], &["manager", "repoUri", "repoDir"]),
        (&[List], &["description", "resources", "priority", "updateTime"]),
        (&[Get, List], &["createTime", "updateTime"]),
    ];
    let repository = json!({"repo_uri": "https://example.com/a/b", "repo_dir": "access"});
    let described = with(config(), &json!({"description": "Reads", "resources": ["repo/a"]}));
    let viewer = json!({"listing": "github", "role": "viewer"});
    for (responses, fields) in cases {
        let case = format!("{responses:?} {fields:?}");
        let service = Service::full();
        service.omit(fields, responses);
        let host = Host::start_with(&service, &repository).await;
        let (state, private) = host.create(ROLE, &described).await;
        let host = Host::start_with(&service, &repository).await;
        // The run requests the list for the fourth.
        for _ in 0..4 {
            let read = host.read(ROLE, &state, &private).await;
            assert_eq!(decode(&read.new_state.unwrap()), state, "{case}");
        }
        let planned = host.plan(ROLE, Some(&state), &described, &private).await;
        assert_eq!(decode(&planned.planned_state.unwrap()), state, "{case}");
        // The data source of one object uses GET.
        let data = host.read_data(ROLE, &viewer).await;
        assert_eq!(decode(&data.state.unwrap())["resources"], json!(["repo/a"]), "{case}");
        // A real change is found all the same.
        service.change_role("github", "viewer", json!({"displayName": "By hand"}));
        let host = Host::start_with(&service, &repository).await;
        let read = host.read(ROLE, &state, &private).await;
        assert_eq!(decode(&read.new_state.unwrap())["display_name"], "By hand", "{case}");
    }
}

/// As with `-minimal-refresh`, which plans an object before it is read.
#[tokio::test(flavor = "multi_thread")]
async fn another_resource_may_create_what_a_read_has_found_deleted() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        assert_eq!(errors(&object.read(&host).await.diagnostics), [""; 0]);
        assert_eq!(errors(&object.plan(&host, &object.config).await.diagnostics), [""; 0]);
        match entity {
            Role => service.remove_role("github", "viewer"),
            Owner => service.remove_principal("github", "users/ada"),
        }
        let deleted = object.read(&host).await;
        assert!(decode(&deleted.new_state.unwrap()).is_null(), "{entity:?}");
        let created = host.plan(entity.type_name(), None, &object.config, b"").await;
        assert_eq!(errors(&created.diagnostics), [""; 0], "{entity:?}");
    }
}

/// A read that lags returns the role of that name which was deleted before this one was made.
#[tokio::test(flavor = "multi_thread")]
async fn older_deleted_role_does_not_empty_the_state() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let older = json!({"createTime": "2020-01-01T00:00:00Z", "deleteTime": "2020-01-02T00:00:00Z"});
    let older = with(Role.object("2020-01-02T00:00:00Z"), &older);
    service.add_fault(Fault::respond(200, older.to_string()).on("GET").at(Role.object_path()));
    let read = role.read(&Host::start(&service).await).await;
    assert_eq!(decode(&read.new_state.unwrap()), role.state);
    assert_eq!(errors(&read.diagnostics), [""; 0]);
}

/// Errors with one cause are complete for the first objects, and one line each for the others.
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_one_cause_are_complete_three_times() {
    let (_service, host) = Host::with_service().await;
    for number in 0..5 {
        let missing = host.import(ROLE, &format!("github/missing-{number}"), None).await;
        let [error] = &missing.diagnostics[..] else { panic!("{:?}", missing.diagnostics) };
        assert_eq!(error.detail.is_empty(), number >= 3, "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_source_of_all_roles_leaves_out_deleted_ones_and_names_unreadable_ones() {
    let service = Service::full();
    let entry = |id: &str, fields: &Value| {
        let name = format!("listings/github/roles/{id}");
        with(json!({"name": name, "displayName": id, "priority": "1"}), fields)
    };
    let deleted = json!({"deleteTime": "2026-01-01T00:00:00Z"});
    // In the order that users see.
    let roles = [
        entry("a", &json!({"priority": "9"})),
        entry("b", &json!({})),
        entry("c", &deleted),
        json!({"name": "unreadable"}),
    ];
    let body = json!({ "listingRoles": roles }).to_string();
    service.add_fault(Fault::respond(200, body).on("GET").at(Role.list_path()));
    let host = Host::start(&service).await;
    let data = host.read_data(ALL_ROLES, &json!({"listing": "github"})).await;
    assert_eq!(warnings(&data.diagnostics).len(), 1, "{:?}", data.diagnostics);
    let state = decode(&data.state.unwrap());
    let roles = state["roles"].as_array().expect("roles");
    let ids: Vec<_> = roles.iter().map(|role| role["role"].as_str().unwrap()).collect();
    assert_eq!(ids, ["b", "a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_role_is_not_imported() {
    let (service, host) = Host::with_service().await;
    let deleted = Role.body("$DELETED");
    service.add_fault(Fault::respond(200, deleted).on("GET").at(Role.object_path()));
    let imported = host.import(ROLE, "github/viewer", None).await;
    says(&imported.diagnostics, &["roles/viewer", "was deleted at"]);
    assert_eq!(imported.imported_resources.len(), 0);
}

/// The state keeps its spelling of the principal for its own owner alone.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_somebody_made_anew_under_its_id_is_read_with_its_principal() {
    let service = Service::full();
    let config = with(creating(Owner), &json!({"integration_owner_id": "own-7"}));
    let owner = Object::create_as(&service, OWNER, config).await;
    service.remove_owner("github", "own-7");
    service.put_owner("github", "own-7", "users/ben");
    let host = Host::start(&service).await;
    let read = owner.read(&host).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(decode(&read.new_state.unwrap())["owner"], "users/ben");
    // The principal is no longer the resource's own.
    service.put_owner("github", "own-9", "users/ada");
    let planned = host.plan(OWNER, None, &creating(Owner), b"").await;
    says(&planned.diagnostics, &["owners/own-9", "exists already"]);
}

/// The object is the resource's own, or another resource has it, whose error says more.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_is_being_refreshed_is_not_looked_for_by_the_plan_of_a_create() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        let plan = host.plan(object.type_name, None, &object.config, b"");
        let (read, planned) = meanwhile((&service, &host, "GET"), object.read(&host), plan).await;
        assert_eq!(read.diagnostics, [], "{entity:?}");
        assert_eq!(planned.diagnostics, [], "{entity:?}");
        // The refresh comes while the plan looks.
        let host = Host::start(&service).await;
        service.clear_requests();
        let plan = host.plan(object.type_name, None, &object.config, b"");
        let (planned, read) = meanwhile((&service, &host, "GET"), plan, object.read(&host)).await;
        assert_eq!(read.diagnostics, [], "{entity:?}");
        assert_eq!(planned.diagnostics, [], "{entity:?}");
    }
}

/// The refresh has found the role deleted, and somebody else makes another one.
#[tokio::test(flavor = "multi_thread")]
async fn create_of_what_a_read_has_found_deleted_looks_once_more() {
    let (service, role, host) = Object::with_host(Role).await;
    assert_eq!(errors(&role.read(&host).await.diagnostics), [""; 0]);
    service.remove_role("github", "viewer");
    assert!(decode(&role.read(&host).await.new_state.unwrap()).is_null());
    service.put_theirs();
    let planned = host.plan(ROLE, None, &role.config, b"").await;
    says(&planned.diagnostics, &["roles/viewer", "exists", "adopt_existing"]);
}

/// Reads may lag behind a create. A list that was requested two seconds later shows the object, or that it
/// is gone.
#[tokio::test(flavor = "multi_thread")]
async fn object_is_gone_by_a_list_that_was_requested_two_seconds_later() {
    let mut running = JoinSet::new();
    for entity in [Role, Owner] {
        for (lists_without_it, status, is_kept) in
            [(Some(1), 404, true), (None, 404, false), (None, 410, false)]
        {
            running.spawn(async move {
                let (service, object, host) = Object::with_host(entity).await;
                let object_fault = Fault::respond(status, "{}").on("GET").at(entity.object_path());
                service.add_fault(object_fault);
                let list = Fault::respond(200, entity.body(EMPTY.1)).on("GET");
                let list = list.at(entity.list_path());
                service.add_fault(match lists_without_it {
                    Some(times) => list.times(times),
                    None => list,
                });
                let start = Instant::now();
                let read = object.read(&host).await;
                assert!(start.elapsed() >= Duration::from_secs(2), "{entity:?} {status}");
                let is_null = decode(&read.new_state.unwrap()).is_null();
                assert_eq!(is_null, !is_kept, "{entity:?} {status}");
                let expected: &[&str] = if is_kept { &[] } else { &[entity.name()] };
                let found = warnings(&read.diagnostics);
                assert_eq!(found.len(), expected.len(), "{found:?}");
                if !is_kept {
                    says(&read.diagnostics, &[entity.name(), "was deleted outside Terraform"]);
                }
                // Once a run.
                let start = Instant::now();
                object.read(&host).await;
                assert!(start.elapsed() < Duration::from_secs(1), "{entity:?} {status}");
            });
        }
    }
    running.join_all().await;
}

/// An interrupt ends the wait for that list, which then shows nothing.
#[tokio::test(flavor = "multi_thread")]
async fn refresh_that_is_interrupted_while_it_waits_for_a_list_fails_and_keeps_the_state() {
    let (service, role, host) = Object::with_host(Role).await;
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Role.object_path()));
    service.add_fault(Fault::respond(200, Role.body(EMPTY.1)).on("GET").at(Role.list_path()));
    let interrupt = async {
        while service.requests().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        host.client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
    };
    let start = Instant::now();
    let (read, ()) = tokio::join!(role.read(&host), interrupt);
    assert!(start.elapsed() < Duration::from_secs(2));
    says(&read.diagnostics, &["could not be read", "interrupted"]);
    assert_eq!(errors(&read.diagnostics).len(), 1, "{read:?}");
    assert_eq!(decode(&read.new_state.unwrap()), role.state);
}

/// An import is refreshed as well, and each of its errors is one.
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_imported_objects_are_not_folded() {
    let (service, host) = Host::with_service().await;
    let mut imported = Vec::new();
    for role in ["one", "other"] {
        service.put_role("github", role, json!({"displayName": "Role", "priority": "1"}));
        let import = host.import(ROLE, &format!("github/{role}"), None).await;
        imported.push(decode(import.imported_resources[0].state.as_ref().unwrap()));
    }
    service.respond_to_all("GET", 401, "{}");
    for state in imported {
        let read = host.read(ROLE, &state, b"").await;
        assert_eq!(errors(&read.diagnostics).len(), 1, "{:?}", read.diagnostics);
    }
}

/// The first error of a refresh ends the plan, and hosts fold the others of its kind.
#[tokio::test(flavor = "multi_thread")]
async fn first_error_of_a_refresh_ends_the_plan_and_the_others_are_counted() {
    let service = Service::full();
    service.respond_to_all("GET", 401, "{}");
    let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
    // A data source, whose errors a host may show as warnings, is not the first.
    let data = host.read_data(ALL_ROLES, &json!({"listing": "github"})).await;
    assert_eq!(errors(&data.diagnostics).len(), 1);
    let mut found = Vec::new();
    for number in 0..5 {
        let name = format!("listings/github/roles/role-{number}");
        let names = json!({"role": format!("role-{number}"), "id": name, "name": name});
        let state = with(state(), &names);
        let read = host.read(ROLE, &state, b"").await;
        assert_eq!(decode(&read.new_state.unwrap()), state, "the state that it was given");
        found.extend(read.diagnostics);
    }
    let [error] = errors(&found)[..] else { panic!("{found:?}") };
    assert!(error.contains("role-0: could not be read: 401"), "{error}");
    assert_eq!(warnings(&found), ["More objects: could not be read"; 4]);
    // Another status is another kind, and after the first apply call each is an error.
    service.respond_to_all("GET", 500, "{}");
    let read = host.read(ROLE, &state(), b"").await;
    assert_eq!(errors(&read.diagnostics).len(), 1, "{:?}", read.diagnostics);
    host.destroy(ROLE, &state(), b"").await;
    let other = with(state(), &json!({"role": "x", "name": "listings/github/roles/x"}));
    let read = host.read(ROLE, &other, b"").await;
    assert_eq!(errors(&read.diagnostics).len(), 1, "{:?}", read.diagnostics);
}

/// Unchanged plans of many objects: a handful of requests per parent, and none with detection off.
#[tokio::test(flavor = "multi_thread")]
async fn two_pages_of_unchanged_roles_take_a_handful_of_requests() {
    const ROLES: usize = 61;
    let service = Service::full();
    let list = OddList { largest_page_size: Some(60), ..OddList::default() };
    service.change_world(|world| world.lists.push(list));
    for number in 0..ROLES {
        let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    let stored = service.roles("github");
    for (drift_detection, read, most) in [("auto", ROLES, 3 + 2), ("off", 10, 0)] {
        // The private state of an earlier run that has read the objects.
        let private = Object::create(&service, Role).await.private;
        service.remove_role("github", "viewer");
        service.clear_requests();
        let settings = json!({ "drift_detection": drift_detection });
        let host = Host::start_with(&service, &settings).await;
        for role in &stored[..read] {
            let name = role["name"].as_str().expect("a name");
            let state = json!({
                "listing": "github",
                "role": name.rsplit('/').next(),
                "display_name": "Role",
                "priority": 1,
                "resources": [],
                "id": name,
                "name": name,
                "manager": "TERRAFORM",
                "create_time": role["createTime"],
                "update_time": role["updateTime"],
            });
            let state = with(SCHEMAS.resources[ROLE].empty.clone(), &state);
            let read = host.read(ROLE, &state, &private).await;
            assert_eq!(errors(&read.diagnostics), [""; 0], "{name}");
        }
        let requests = service.requests().len();
        assert!(requests <= most, "{drift_detection}: {requests} requests");
    }
}

/// The service was reached, so nothing is wrong with its address.
#[tokio::test(flavor = "multi_thread")]
async fn response_that_breaks_off_is_not_a_service_that_cannot_be_reached() {
    let service = Service::full();
    service.put_viewer();
    let host = Host::start_with(&service, &json!({"max_retries": 0})).await;
    for action in [Action::Reset, Action::ResetAfterProcessing, Action::CutBody { bytes: 7 }] {
        service.add_fault(Fault::new(action).on("GET").times(1));
        let read = host.read(ROLE, &state(), b"").await;
        says(
            &read.diagnostics,
            &["could not be read: no complete response", "Run Terraform again"],
        );
        let shown = format!("{:?}", read.diagnostics);
        assert!(!shown.contains("be reached") && !shown.contains("Check host"), "{shown}");
    }
}
