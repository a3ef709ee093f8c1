//! Creates: the look before them, and what follows from each response.

use access_fake::{Action, Fault, OddList, World};

use super::cases::*;
use super::*;

/// What a create does after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Written, without a warning.
    Written,
    /// Written, with a warning about the object.
    Unchecked,
    /// Not sent: the object exists. With `adopt_existing`, it is adopted.
    Exists,
    /// Not sent: an error.
    Failed,
}
use Effect::{Exists, Failed, Unchecked, Written};

const COULD_NOT_LOOK: &str = "Could not look for existing objects";

const NO_LIST: Response = (405, "");

/// Responses to GET and list; the effect on the create of a role.
const ROLES: [(Response, Response, Effect); 14] = [
    (OBJECT, NO_LIST, Exists),
    ((200, "$DELETED"), NO_LIST, Written),
    (JSON_404, EMPTY, Written),
    (JSON_404, (200, r#"{"$ENTRIES":[$OBJECT]}"#), Exists),
    (JSON_404, (200, r#"{"$ENTRIES":[7]}"#), Unchecked),
    (JSON_404, NO_LIST, Unchecked),
    (TEXT_404, NO_LIST, Unchecked),
    ((405, ""), NO_LIST, Unchecked),
    (FORBIDDEN, NO_LIST, Unchecked),
    ((401, "{}"), NO_LIST, Failed),
    ((409, "{}"), NO_LIST, Failed),
    ((429, "{}"), NO_LIST, Failed),
    (FAILURE, NO_LIST, Failed),
    ((200, "not json"), NO_LIST, Failed),
];

/// Response to the list; the effect on the create of an owner.
const LISTED_OWNERS: [(Response, Effect); 9] = [
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), Exists),
    (EMPTY, Written),
    ((400, "{}"), Unchecked),
    ((405, ""), Unchecked),
    (FORBIDDEN, Unchecked),
    ((200, "not json"), Unchecked),
    ((401, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
];

/// Response to the GET of a fixed ID where there is no list; the effect on the create of an owner.
const FIXED_OWNERS: [(Response, Effect); 5] = [
    (OBJECT, Exists),
    ((405, ""), Unchecked),
    ((401, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
];

/// Fails the test unless the diagnostics of an apply are those of this effect.
fn check(case: &str, effect: Effect, entity: Entity, adopts: bool, found: &[pb::Diagnostic]) {
    let (failed, warned) = (errors(found), warnings(found));
    match effect {
        Written => assert_eq!((failed.len(), warned.len()), (0, 0), "{case}: {found:?}"),
        Unchecked => {
            assert_eq!(failed, [""; 0], "{case}: {found:?}");
            assert!(!warned.is_empty(), "{case}: no warning");
        }
        Exists if adopts => assert_eq!(failed, [""; 0], "{case}: {found:?}"),
        Exists => {
            assert_eq!(failed.len(), 1, "{case}: {found:?}");
            says(found, &["import {", "adopt_existing", "*Import existing roles*", entity.name()]);
        }
        Failed => assert_eq!(failed.len(), 1, "{case}: {found:?}"),
    }
}

/// Plans and applies a create under these responses, as an apply does.
async fn create(config: &Value, entity: Entity, responses: &[(&str, Response)], effect: Effect) {
    let adopts = config["adopt_existing"] == true;
    let case = format!("{responses:?}, adopts: {adopts}");
    let service = Service::full();
    if effect == Exists {
        service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "3"}));
        service.put_owner("github", "own-1", "users/ada");
    }
    for (path, (status, body)) in responses {
        service.add_fault(Fault::respond(*status, entity.body(body)).on("GET").at(path));
    }
    let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
    let plan = host.plan(entity.type_name(), None, config, b"").await;
    if effect == Exists && !adopts {
        check(&case, effect, entity, adopts, &plan.diagnostics);
        says(&plan.diagnostics, &["`terraform destroy` works with `-refresh=false`"]);
    } else {
        assert_eq!(errors(&plan.diagnostics), [""; 0], "{case}");
        let warned = warnings(&plan.diagnostics);
        assert_eq!(warned.is_empty(), effect == Written, "{case}: {warned:?}");
        let is_named = |it: &&str| it.contains(entity.name()) || it.contains("users/ada");
        assert!(effect != Exists || warned.iter().any(is_named), "{case}: {warned:?}");
        if effect == Exists {
            says(&plan.diagnostics, &["will be adopted: changes nothing"]);
        }
    }
    if let (Unchecked, [(_, (status, _)), ..]) = (effect, responses) {
        let text = format!("{:?}", plan.diagnostics);
        assert!(text.contains(&status.to_string()) || text.contains("base_url"), "{case}: {text}");
        let names_entries = text.contains("entries of the list could not be read");
        assert_eq!(names_entries, case.contains("[7]"), "{case}: {text}");
    }
    assert_eq!(service.writes().len(), 0, "{case}: a plan writes nothing");

    // Inside an apply, only the create may fail.
    let sent = service.requests().len();
    let plan = host.plan_in_apply(entity.type_name(), config, b"").await;
    assert_eq!((plan.diagnostics.len(), service.requests().len()), (0, sent), "{case}");
    let applied = host.apply(entity.type_name(), None, config, &plan).await;
    check(&case, effect, entity, adopts, &applied.diagnostics);
    let is_sent = match effect {
        Written | Unchecked => true,
        Exists => adopts && entity == Role,
        Failed => false,
    };
    assert_eq!(service.writes().len(), usize::from(is_sent), "{case}: {:?}", service.requests());
    // A state or an error, never both: Terraform would taint the object.
    let state = applied.new_state.map(|state| decode(&state)).unwrap_or_default();
    assert_eq!(state.is_null(), !errors(&applied.diagnostics).is_empty(), "{case}");
}

/// Returns the values of `adopt_existing`, which counts only for what exists, or may.
fn adoptions(effect: Effect) -> &'static [bool] {
    if matches!(effect, Exists | Unchecked) { &[false, true] } else { &[false] }
}

#[tokio::test(flavor = "multi_thread")]
async fn role_is_written_adopted_or_refused_as_in_the_table() {
    for (get, list, effect) in ROLES {
        for &adopts in adoptions(effect) {
            let config = with(config(), &json!({ "adopt_existing": adopts }));
            let responses = [(Role.object_path(), get), (Role.list_path(), list)];
            create(&config, Role, &responses, effect).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_is_added_adopted_or_refused_as_in_the_tables() {
    let config = |adopts| with(creating(Owner), &json!({ "adopt_existing": adopts }));
    for (list, effect) in LISTED_OWNERS {
        for &adopts in adoptions(effect) {
            create(&config(adopts), Owner, &[(Owner.list_path(), list)], effect).await;
        }
    }
    for (get, effect) in FIXED_OWNERS {
        for &adopts in adoptions(effect) {
            let config = with(config(adopts), &json!({"integration_owner_id": "own-1"}));
            let responses = [(Owner.object_path(), get), (Owner.list_path(), NO_LIST)];
            create(&config, Owner, &responses, effect).await;
        }
    }
}

/// What another create of this run has made is refused, whatever a lagging read returns, and whether
/// or not existing objects are adopted.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_create_of_this_run_has_made_is_refused() {
    for entity in [Role, Owner] {
        for (adopts, lag) in [(false, 100), (true, 0)] {
            let case = format!("{entity:?}, adopts: {adopts}, lag: {lag}");
            let (service, host) = Host::with_service().await;
            service.lag(lag);
            let config = with(creating(entity), &json!({ "adopt_existing": adopts }));
            host.create(entity.type_name(), &config).await;
            let second = host.apply_create(entity.type_name(), &config).await;
            assert_eq!(errors(&second.diagnostics).len(), 1, "{case}");
            assert!(decode(&second.new_state.unwrap()).is_null(), "{case}");
            assert_eq!(service.writes().len(), 1, "{case}");
        }
    }
}

/// A list counts for a create if it was requested after this run's last write of the object. So one
/// list serves all new objects of a parent, and not the one that was deleted before.
#[tokio::test(flavor = "multi_thread")]
async fn creates_share_a_list_and_a_create_after_a_delete_requests_it_anew() {
    for (entity, argument, requests_of_five) in [(Role, "role", 11), (Owner, "owner", 6)] {
        let service = Service::full();
        let new = |id: usize| {
            let id = if entity == Role { format!("role-{id}") } else { format!("users/{id}") };
            with(creating(entity), &json!({ argument: id }))
        };
        let earlier = Object::create_as(&service, entity.type_name(), new(5)).await;
        let host = Host::start(&service).await;
        let lists = || {
            let lines = requests(&service);
            lines.iter().filter(|line| line.ends_with(&entity.list_path()[1..])).count()
                - service.requests_of("POST")
        };
        for number in 0..5 {
            let created = host.apply_create(entity.type_name(), &new(number)).await;
            assert_eq!(created.diagnostics, [], "{entity:?} {number}");
        }
        let sent = requests(&service);
        assert_eq!((lists(), sent.len()), (1, requests_of_five), "{sent:?}");

        // The list has it from before its delete.
        let destroyed = earlier.destroy(&host).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{entity:?}");
        let created = host.apply_create(entity.type_name(), &new(5)).await;
        assert_eq!(created.diagnostics, [], "{entity:?}");
        assert_eq!(lists(), 2, "{:?}", requests(&service));
    }
}

/// A 405 for one object proves nothing about another.
#[tokio::test(flavor = "multi_thread")]
async fn each_create_looks_for_its_own_object() {
    let service = Service::full();
    for id in ["first", "second"] {
        service.put_role("github", id, json!({"displayName": "Theirs", "priority": "7"}));
    }
    service.without_lists();
    service.add_fault(Fault::respond(405, "{}").on("GET").at("*/roles/first"));
    let host = Host::start(&service).await;
    for (id, failed) in [("first", 0), ("second", 1)] {
        let created = host.try_create(ROLE, &with(config(), &json!({ "role": id }))).await;
        assert_eq!(errors(&created.diagnostics).len(), failed, "{id}");
    }
    assert_eq!(service.display_name("second"), "Theirs");
}

/// The list could not be read before the POST, or not whole, so it does not show that the owner is new.
#[tokio::test(flavor = "multi_thread")]
async fn owner_of_a_list_that_was_not_read_before_is_not_the_one_that_the_post_added() {
    for (status, before, part) in [
        (500, FORBIDDEN, "owners/ID"),
        (409, FORBIDDEN, "owners/ID"),
        (409, (200, r#"{"$ENTRIES":[7]}"#), "owners/own-1"),
    ] {
        let service = Service::full();
        let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
        let list = Fault::respond(before.0, Owner.body(before.1));
        service.add_fault(list.on("GET").at(Owner.list_path()).times(1));
        service.add_fault(Fault::respond(status, "{}").on("POST"));
        service.put_owner("github", "own-1", "users/ada");
        let applied = host.apply_create(OWNER, &creating(Owner)).await;
        says(&applied.diagnostics, &["The owner may exist", part, "import {"]);
        assert!(decode(&applied.new_state.unwrap()).is_null(), "{status} {before:?}");
    }
}

/// A page that shows the owner is evidence, whatever follows it.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_breaks_after_the_page_with_the_owner_adds_no_second_one() {
    for (fail_page, loop_tokens) in [(Some(2), false), (None, true)] {
        let list = OddList {
            largest_page_size: Some(1),
            fail_page,
            fail_status: Some(400),
            loop_tokens,
            ..OddList::default()
        };
        let world = World { duplicate_owners: true, lists: vec![list], ..World::default() };
        let service = Service::start(world);
        service.put_owner("github", "aaa", "users/ada");
        let host = Host::start(&service).await;
        let applied = host.try_create(OWNER, &creating(Owner)).await;
        says(&applied.diagnostics, &["users/ada", "import {"]);
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{fail_page:?}");
    }
}

/// POST is sent once, and reads show its outcome.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whose_response_is_lost_is_added_once() {
    let respond = |status, processed| {
        let body = "{}".to_owned();
        Action::Respond { status, headers: [].into(), body, processed }
    };
    for action in [
        Action::ResetAfterProcessing,
        Action::CutBody { bytes: 7 },
        Action::Garbage,
        respond(500, true),
        respond(503, false),
    ] {
        for id in [Value::Null, json!("own-ada")] {
            let case = format!("{action:?}, {id}");
            let service = Service::full();
            service.add_fault(Fault::new(action.clone()).on("POST"));
            let config = with(creating(Owner), &json!({ "integration_owner_id": id }));
            let host = Host::start(&service).await;
            let applied = host.try_create(OWNER, &config).await;
            assert_eq!(service.requests_of("POST"), 1, "{case}");
            let exists = service.owners_named("github", "users/ada") == 1;
            assert_eq!(errors(&applied.diagnostics).is_empty(), exists, "{case}");
            if !exists {
                says(&applied.diagnostics, &["The owner may exist", "It was not sent again."]);
                service.clear_faults();
                let host = Host::start(&service).await;
                host.create(OWNER, &config).await;
            }
            assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
        }
    }
    // Nothing shows whether the owner was added, so the error says how to find out.
    for absence in [404, 405] {
        let service = Service::documented_only(absence);
        service.add_fault(Fault::new(Action::ResetAfterProcessing).on("POST"));
        let host = Host::start(&service).await;
        let applied = host.try_create(OWNER, &creating(Owner)).await;
        says(&applied.diagnostics, &["import {", "users/ada"]);
        assert_eq!(service.requests_of("POST"), 1);
    }
}

/// Without a whole list, only GET of the fixed ID shows that the POST has added the owner.
#[tokio::test(flavor = "multi_thread")]
async fn owner_with_a_fixed_id_is_found_by_get_after_a_lost_response() {
    for list in [NO_LIST, (200, r#"{"$ENTRIES":[7]}"#)] {
        let service = Service::full();
        let fault = Fault::respond(list.0, Owner.body(list.1));
        service.add_fault(fault.on("GET").at(Owner.list_path()));
        service.add_fault(Fault::new(Action::ResetAfterProcessing).on("POST"));
        let host = Host::start(&service).await;
        let config = with(creating(Owner), &json!({"integration_owner_id": "own-ada"}));
        let applied = host.try_create(OWNER, &config).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0], "{:?}", applied.diagnostics);
        let state = decode(&applied.new_state.unwrap());
        assert_eq!(state["name"], "integrations/github/owners/own-ada");
        assert_eq!(service.requests_of("POST"), 1);
    }
}

/// Who is in the entries that cannot be read is not known.
#[tokio::test(flavor = "multi_thread")]
async fn list_with_unreadable_entries_does_not_show_that_an_owner_is_new() {
    for body in [r#"{"integrationOwners":[7]}"#, r#"{"integrationOwners":[{"name":"other"}]}"#] {
        let service = Service::full();
        service.add_fault(Fault::respond(200, body).on("GET").at(Owner.list_path()));
        let host = Host::start(&service).await;
        let planned = host.plan(OWNER, None, &creating(Owner), b"").await;
        says(&planned.diagnostics, &["users/ada", "entries of the list could not be read"]);
        let applied = host.apply(OWNER, None, &creating(Owner), &planned).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0], "{body}");
        says(&applied.diagnostics, &["entries of the list could not be read", "added twice"]);
    }
}

/// A list that returns 404 does not show that an owner is new, although another one was read.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_is_not_found_does_not_show_that_an_owner_is_new() {
    let (service, owner, host) = Object::with_host(Owner).await;
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Owner.list_path()));
    assert_eq!(errors(&owner.read(&host).await.diagnostics), [""; 0]);
    let ben = with(creating(Owner), &json!({"owner": "users/ben"}));
    says(&host.try_create(OWNER, &ben).await.diagnostics, &["users/ben", "added twice"]);
}

/// The warning about a 404 that shows nothing names the failure of the list as well.
#[tokio::test(flavor = "multi_thread")]
async fn unclear_404_is_reported_with_the_failure_of_the_list() {
    let service = Service::full();
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Role.object_path()));
    service.add_fault(Fault::respond(403, "{}").on("GET").at(Role.list_path()));
    let host = Host::start(&service).await;
    let planned = host.plan(ROLE, None, &config(), b"").await;
    says(&planned.diagnostics, &["roles/viewer", "404", "the list of its listing", "403"]);
}

/// The fourth role of a plan is looked up in the list.
#[tokio::test(flavor = "multi_thread")]
async fn role_is_looked_up_by_get_if_the_list_of_its_plan_fails() {
    let service = Service::full();
    service.put_theirs();
    service.add_fault(Fault::respond(500, "{}").on("GET").at(Role.list_path()));
    let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
    for role in ["first", "second", "third"] {
        let planned = host.plan(ROLE, None, &with(config(), &json!({ "role": role })), b"").await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{role}");
    }
    let planned = host.plan(ROLE, None, &config(), b"").await;
    says(&planned.diagnostics, &["listings/github/roles/viewer", "exists", "adopt_existing"]);
}

/// The list has entries that cannot be read, so each create needs it, and the first one has it.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_explains_a_404_is_requested_once_for_all_creates() {
    let service = Service::full();
    service
        .add_fault(Fault::respond(200, r#"{"listingRoles":[7]}"#).on("GET").at(Role.list_path()));
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Role.object_path()));
    let host = Host::start(&service).await;
    for role in ["first", "second", "third"] {
        host.apply_create(ROLE, &with(config(), &json!({ "role": role }))).await;
    }
    let lines = requests(&service);
    assert_eq!(service.requests_of("PATCH"), 3, "{lines:?}");
    let lists = lines.iter().filter(|line| line.ends_with("/roles"));
    assert_eq!(lists.count(), 1, "{lines:?}");
}

/// The create has requested the list before its write, to explain a 404.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_this_run_has_created_is_in_the_data_source_of_its_listing() {
    let (_service, host) = Host::with_service().await;
    assert_eq!(errors(&host.apply_create(ROLE, &config()).await.diagnostics), [""; 0]);
    let data = host.read_data(ALL_ROLES, &json!({"listing": "github"})).await;
    let roles = decode(&data.state.unwrap())["roles"].clone();
    assert_eq!(roles[0]["role"], "viewer", "{roles}");
}

/// The plan inside an apply is followed by the create, which looks.
#[tokio::test(flavor = "multi_thread")]
async fn plan_after_the_first_apply_call_requests_and_warns_nothing() {
    let (service, role, host) = Object::with_host(Role).await;
    assert_eq!(errors(&role.read(&host).await.diagnostics), [""; 0]);
    host.create(ROLE, &with(config(), &json!({"role": "second"}))).await;
    service.put_role("github", "theirs", json!({"displayName": "Theirs", "priority": "7"}));
    service.clear_requests();
    for name in ["viewer", "theirs"] {
        let config = with(config(), &json!({ "role": name }));
        let planned = host.plan(ROLE, None, &config, b"").await;
        assert_eq!(planned.diagnostics, [], "{name}");
    }
    assert_eq!(requests(&service), [""; 0]);
}

/// A service may answer with the owner that there is, in its own spelling. A page of the list has
/// shown it, whether or not another page fails.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_the_response_shows_and_a_list_has_shown_was_not_added() {
    for fail_page in [None, Some(2)] {
        let list = OddList {
            largest_page_size: Some(1),
            fail_page,
            fail_status: Some(400),
            ..OddList::default()
        };
        let service = Service::start(World { lists: vec![list], ..World::default() });
        service.put_owner("github", "aaa", "users/id-17");
        let stored = service.owner("github", "aaa").expect("an owner").to_string();
        service.add_fault(Fault::respond(200, stored).on("POST"));
        let created = Host::start(&service).await.apply_create(OWNER, &creating(Owner)).await;
        says(&created.diagnostics, &["owners/aaa", "users/id-17", "Nothing was added"]);
    }
    // Where there is no list, another create of this run may have made it.
    let canonical_owners = [("users/ada".to_owned(), "users/id-17".to_owned())].into();
    let service = Service::start(World {
        canonical_owners,
        returns_existing_owner: true,
        ..World::default()
    });
    service.without_lists();
    let host = Host::start(&service).await;
    host.create(OWNER, &creating(Owner)).await;
    let respelt = with(creating(Owner), &json!({"owner": "users/id-17"}));
    let created = host.apply_create(OWNER, &respelt).await;
    says(&created.diagnostics, &["users/id-17", "Nothing was added"]);
}

/// The list lacked the owner before the POST, which a gateway may have sent twice.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_a_conflict_shows_and_the_list_lacked_is_the_one_that_was_added() {
    let service = Service::full();
    service.put_owner("github", "own-7", "users/ada");
    let empty = Owner.body(EMPTY.1);
    service.add_fault(Fault::respond(200, empty).on("GET").at(Owner.list_path()).times(1));
    service.add_fault(Fault::respond(409, "{}").on("POST"));
    let created = Host::start(&service).await.apply_create(OWNER, &creating(Owner)).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(decode(&created.new_state.unwrap())["integration_owner_id"], "own-7");
}

/// No read shows the owner, so the error says what the service has answered.
#[tokio::test(flavor = "multi_thread")]
async fn conflict_that_no_read_explains_shows_the_response_of_the_service() {
    for status in [409, 412] {
        let service = Service::full();
        let body = r#"{"message":"the directory is locked"}"#;
        service.add_fault(Fault::respond(status, body).on("POST"));
        let created = Host::start(&service).await.apply_create(OWNER, &creating(Owner)).await;
        let sent = "POST /api/v1/integrations/github/owners";
        let status = status.to_string();
        let parts = [sent, status.as_str(), "the directory is locked", "may exist", "import {"];
        says(&created.diagnostics, &parts);
        let text = format!("{:?}", created.diagnostics);
        assert!(!text.contains("changed nothing") && !text.contains("spelling"), "{text}");
    }
    // What was surely refused is not looked for.
    for status in [302, 400, 401, 403, 405, 429] {
        let service = Service::full();
        service.add_fault(Fault::respond(status, "{}").on("POST"));
        let host = Host::start_with(&service, &json!({"max_retries": 0})).await;
        let created = host.apply_create(OWNER, &creating(Owner)).await;
        assert_eq!(errors(&created.diagnostics).len(), 1, "{status}");
        assert!(!format!("{:?}", created.diagnostics).contains("may exist"), "{status}");
        assert_eq!(service.requests_of("GET"), 1, "{status}");
    }
}

/// Terraform may plan a tainted resource twice, without its state. With `-refresh=false` only the upgrade
/// of the state shows that the object is its own.
#[tokio::test(flavor = "multi_thread")]
async fn tainted_object_may_be_planned_twice() {
    let all_owners = owners_config("okta", &["users/ada"]);
    for (type_name, config) in [(ROLE, config()), (OWNER, creating(Owner)), (OWNERS, all_owners)] {
        for refreshes in [true, false] {
            let service = Service::with_empty_okta();
            let object = Object::create_as(&service, type_name, config.clone()).await;
            let host = Host::start(&service).await;
            host.upgrade(type_name, &object.state).await;
            if refreshes {
                assert_eq!(errors(&object.read(&host).await.diagnostics), [""; 0]);
            }
            for _ in 0..2 {
                let planned = host.plan(type_name, None, &config, b"").await;
                assert_eq!(planned.diagnostics, [], "{type_name} {refreshes}: its own object");
            }
        }
    }
}

/// `repo_dir` alone clears the address of a repository, and a new role has none.
#[tokio::test(flavor = "multi_thread")]
async fn new_role_is_sent_no_empty_repository() {
    let service = Service::full();
    let host = Host::start_with(&service, &json!({"repo_dir": "access"})).await;
    host.create(ROLE, &config()).await;
    let [write] = &service.writes()[..] else { panic!("{:?}", service.requests()) };
    let text = format!("{write:?}");
    assert!(text.contains("repoDir") && !text.contains("repoUri"), "{text}");
}

/// The service stores `users/ada` as `users/id-17`, and answers a POST with the owner it has.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_is_being_deleted_is_not_adopted_but_added_again() {
    let single =
        |arguments: Value| with(with(creating(Owner), &json!({"integration": "okta"})), &arguments);
    let adopting = |owner: &str| single(json!({"owner": owner, "adopt_existing": true}));
    let (configured, stored) = ("users/ada", "users/id-17");
    for (type_name, deleted, created, principal) in [
        // The list shows it in the spelling of the create.
        (OWNER, single(json!({ "owner": configured })), adopting(stored), stored),
        // It is one of all owners.
        (OWNERS, owners_config("okta", &["users/ben"]), adopting("users/ben"), "users/ben"),
    ] {
        let case = format!("{deleted} {created}");
        let service = Service::with_empty_okta();
        service.change_world(|world| {
            world.canonical_owners = [(configured.to_owned(), stored.to_owned())].into();
            world.returns_existing_owner = true;
        });
        let object = Object::create_as(&service, type_name, deleted).await;
        let host = Host::start(&service).await;
        let planned = Host::plan_create(OWNER, &created).await;
        let create = host.apply(OWNER, None, &created, &planned);
        let (destroyed, created) =
            meanwhile((&service, &host, "DELETE"), object.destroy(&host), create).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{case}");
        assert_eq!(errors(&created.diagnostics), [""; 0], "{case}");
        let id = decode(&created.new_state.unwrap())["integration_owner_id"].clone();
        assert_eq!(service.owner_ids("okta", principal), [id.as_str().unwrap()], "{case}");
    }
}

/// The first half of a replacement has deleted the owner. A list that lags still shows it, without
/// the time that tells it from the new one.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_this_process_has_deleted_is_new_although_a_list_without_times_shows_it() {
    let service = Service::full();
    let config = with(creating(Owner), &json!({"integration_owner_id": "mine"}));
    let owner = Object::create_as(&service, OWNER, config.clone()).await;
    let host = Host::start(&service).await;
    assert_eq!(errors(&owner.destroy(&host).await.diagnostics), [""; 0]);
    let body =
        r#"{"integrationOwners":[{"name":"integrations/github/owners/mine","owner":"users/ada"}]}"#;
    service.add_fault(Fault::respond(200, body).on("GET").at(Owner.list_path()));
    let (state, _) = host.create(OWNER, &config).await;
    assert_eq!(state["integration_owner_id"], "mine");
}

/// The list lacks an older owner that has the fixed ID, and the response with 409 is lost.
#[tokio::test(flavor = "multi_thread")]
async fn older_owner_with_the_fixed_id_is_not_the_one_that_the_post_added() {
    let service = Service::full();
    let fields = json!({"owner": "users/ben", "createTime": "2024-01-01T00:00:00Z"});
    service.put("integrations/github/owners/ada-1", &fields).expect("an owner");
    service.hide("integrations/github/owners/ada-1", None);
    service.add_fault(Fault::new(Action::ResetAfterProcessing).on("POST"));
    let host = Host::start(&service).await;
    let config = with(creating(Owner), &json!({"integration_owner_id": "ada-1"}));
    says(&host.try_create(OWNER, &config).await.diagnostics, &["ada-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_under_another_id_is_an_error_at_the_id_in_both_directions() {
    let service = Service::full();
    service.put_owner("github", "own-7", "users/ada");
    let host = Host::start(&service).await;
    let set = "Set `integration_owner_id = \"own-7\"`, or omit it.";
    let choose = "choose another `integration_owner_id`, or omit it.";
    for (arguments, part, way) in [
        (json!({"integration_owner_id": "ada"}), "own-7", set),
        (json!({"integration_owner_id": "ada", "adopt_existing": true}), "own-7", set),
        (json!({"integration_owner_id": "own-7", "owner": "users/ben"}), "users/ada", choose),
    ] {
        let config = with(creating(Owner), &arguments);
        let planned = Host::start(&service).await.plan(OWNER, None, &config, b"").await;
        says(&planned.diagnostics, &[part, "exists already", way]);
        let applied = host.apply_create(OWNER, &config).await;
        says(&applied.diagnostics, &[part, way]);
        assert_eq!(blamed(&applied.diagnostics), "integration_owner_id", "{arguments}");
    }
    assert_eq!(service.writes().len(), 0);
}

/// The service keeps IDs in lower case. Another name is another object.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_is_returned_under_another_name_is_an_error_with_that_name() {
    let service = Service::start(World { lower_case_ids: true, ..World::default() });
    service.put_viewer();
    let named = with(config(), &json!({"role": "Viewer"}));
    let returned = "another role, `listings/github/roles/viewer`";
    let planned = Host::start(&service).await.plan(ROLE, None, &named, b"").await;
    says(&planned.diagnostics, &[COULD_NOT_LOOK, returned]);
    let created = Host::start(&service).await.try_create(ROLE, &named).await;
    says(&created.diagnostics, &["roles/Viewer: could not be created", returned]);
    assert_eq!(service.writes().len(), 0);
    let imported = Host::start(&service).await.import(ROLE, "github/Viewer", None).await;
    says(&imported.diagnostics, &["roles/Viewer: could not be imported", returned]);
}

/// A list that is larger than the provider reads has failed: it may show the owner.
#[tokio::test(flavor = "multi_thread")]
async fn list_that_is_too_large_ends_the_create_of_an_owner() {
    let service = Service::full();
    let large = format!(r#"{{"integrationOwners": [], "more": "{}"}}"#, "x".repeat(9 << 20));
    service.add_fault(Fault::respond(200, large).on("GET"));
    let created = Host::start(&service).await.try_create(OWNER, &creating(Owner)).await;
    says(&created.diagnostics, &["users/ada", "GET /api/v1/integrations/github/owners"]);
    assert_eq!(errors(&created.diagnostics).len(), 1, "{:?}", created.diagnostics);
    assert_eq!(service.writes().len(), 0);
}

/// The service stores `users/ada` as `users/id-17`.
#[tokio::test(flavor = "multi_thread")]
async fn owner_stored_in_another_spelling_is_added_once_and_kept() {
    for id in [Value::Null, json!("one")] {
        let spelling = ("users/ada".to_owned(), "users/id-17".to_owned());
        let canonical_owners = [spelling].into();
        let service =
            Service::start(World { duplicate_owners: true, canonical_owners, ..World::default() });
        let config = with(creating(Owner), &json!({ "integration_owner_id": id }));
        let owner = Object::create_as(&service, OWNER, config).await;
        assert_eq!(owner.state["owner"], "users/ada");
        owner.plans_nothing(&service).await;
        assert_eq!(service.owners_named("github", "users/id-17"), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn adoption_that_changes_resources_names_them() {
    let service = Service::full();
    service.put_theirs();
    for (resources, is_named) in [
        (json!(["repo/new"]), true),
        (json!([unknown()]), true),
        (json!(["repo/old"]), false),
        (Value::Null, false),
    ] {
        let host = Host::start(&service).await;
        let config = with(config(), &json!({"adopt_existing": true, "resources": resources}));
        let planned = host.plan(ROLE, None, &config, b"").await;
        let text = format!("{:?}", planned.diagnostics);
        assert_eq!(text.contains("repo/old"), is_named, "{resources}: {text}");
        let is_said = text.contains("Access that was granted earlier does not change.");
        assert_eq!(is_said, is_named, "{resources}: {text}");
    }
}

/// What the apply overwrites is complete, however much it is.
#[tokio::test(flavor = "multi_thread")]
async fn adoption_names_each_resource_that_the_role_has_now() {
    let service = Service::full();
    let resources: Vec<_> = (100..140).map(|number| format!("repositories/{number}")).collect();
    let fields = json!({"displayName": "Viewer \"x\"", "priority": "3", "resources": resources});
    service.put_role("github", "viewer", fields);
    let host = Host::start(&service).await;
    let changes = json!({"adopt_existing": true, "resources": ["repositories/new"]});
    let planned = host.plan(ROLE, None, &with(config(), &changes), b"").await;
    says(&planned.diagnostics, &["`display_name`, now \"Viewer \\\"x\\\"\""]);
    for resource in &resources {
        says(&planned.diagnostics, &[&format!("\"{resource}\"")]);
    }
}

/// A role that names `TERRAFORM` and another repository is in another configuration.
#[tokio::test(flavor = "multi_thread")]
async fn role_of_another_configuration_is_named_with_its_repository_and_time() {
    let service = Service::full();
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM",
                        "repoUri": "https://github.com/other/repo", "repoDir": "infra",
                        "updateTime": "2026-03-04T05:06:07Z"});
    service.put_role("github", "viewer", fields);
    let parts = ["roles/viewer", "https://github.com/other/repo in infra", "2026-03-04"];
    for adopts in [true, false] {
        let host = Host::start(&service).await;
        let config = with(config(), &json!({ "adopt_existing": adopts }));
        let planned = host.plan(ROLE, None, &config, b"").await;
        says(&planned.diagnostics, &parts);
        if !adopts {
            let applied = host.try_create(ROLE, &config).await;
            for found in [&planned.diagnostics, &applied.diagnostics] {
                says(found, &["Another configuration has it", parts[1], "import {"]);
                assert!(!format!("{found:?}").contains("`moved`"), "{found:?}");
            }
        }
    }
    // If it records our own repository, another address of this configuration may have it.
    let own = json!({"repo_uri": "https://github.com/other/repo", "repo_dir": "infra"});
    for adopts in [true, false] {
        let host = Host::start_with(&service, &own).await;
        let config = with(config(), &json!({ "adopt_existing": adopts }));
        let planned = host.plan(ROLE, None, &config, b"").await;
        says(&planned.diagnostics, &[parts[0], "`moved` block"]);
        if !adopts {
            let applied = host.try_create(ROLE, &config).await;
            for found in [&planned.diagnostics, &applied.diagnostics] {
                says(found, &["deposed object", "`terraform state rm`", "`moved`", "import {"]);
            }
        }
    }
    // Nobody's configuration has what Terraform does not manage, whatever it records.
    for (uri, directory, part) in [
        (json!("https://github.com/other/repo"), Value::Null, "recorded for https://github.com"),
        (Value::Null, json!("infra"), "recorded for the directory infra"),
        (Value::Null, Value::Null, "Without a recorded manager"),
    ] {
        let unmanaged = json!({"manager": null, "repoUri": uri, "repoDir": directory});
        service.change_role("github", "viewer", unmanaged);
        let refused = Host::start(&service).await.apply_create(ROLE, &config()).await;
        assert_eq!(errors(&refused.diagnostics).len(), 1, "{part}");
        let text = format!("{:?}", refused.diagnostics);
        assert!(text.contains(part), "{part}: {text}");
        assert!(!text.contains("nother configuration") && !text.contains("moved"), "{text}");
    }
    assert_eq!(service.writes().len(), 0);
}

/// Terraform has deposed it, or makes it again with `create_before_destroy`: both are its own states.
#[tokio::test(flavor = "multi_thread")]
async fn create_of_what_this_run_has_a_state_of_names_the_way_back() {
    let ours = json!({"repo_uri": "https://example.com/ours", "repo_dir": "access"});
    for entity in [Role, Owner] {
        let service = Service::full();
        let (type_name, config) = (entity.type_name(), creating(entity));
        let (state, _) = Host::start_with(&service, &ours).await.create(type_name, &config).await;
        service.clear_requests();
        let host = Host::start_with(&service, &ours).await;
        host.upgrade(type_name, &state).await;
        let created = host.try_create(type_name, &config).await;
        says(&created.diagnostics, &["exists already", "terraform untaint", "import {"]);
        assert!(!format!("{created:?}").contains("moved"), "{created:?}");
        assert_eq!(service.writes().len(), 0);
    }
}

/// A host that marks nothing makes the same call inside an apply, where another resource may destroy the
/// object.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_the_plan_of_a_create_has_refused_is_not_deleted() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        let planned = host.plan(object.type_name, None, &object.config, b"").await;
        says(&planned.diagnostics, &["exists already"]);
        let destroyed = object.destroy(&host).await;
        says(&destroyed.diagnostics, &["is wanted by another resource"]);
        assert_eq!(service.requests_of("DELETE"), 0, "{entity:?}");
    }
}

/// Whether it will be adopted is known only in the apply.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_exists_is_a_warning_while_its_adoption_is_unknown() {
    for (entity, arguments, is_error) in [
        (Role, json!({}), false),
        (Owner, json!({}), false),
        (Owner, json!({"integration_owner_id": "another"}), true),
    ] {
        let (_service, object, host) = Object::with_host(entity).await;
        let late = with(arguments, &json!({"adopt_existing": unknown()}));
        let planned =
            host.plan(object.type_name, None, &with(object.config.clone(), &late), b"").await;
        assert_eq!(errors(&planned.diagnostics).len(), usize::from(is_error), "{planned:?}");
        says(&planned.diagnostics, &["exists already"]);
    }
}

/// The first of a kind ends the plan, and hosts fold the others. What another resource of the walk reports,
/// such as the data source of a `check`, is not the first.
#[tokio::test(flavor = "multi_thread")]
async fn first_object_that_exists_ends_the_plan_and_the_others_are_counted() {
    let service = Service::full();
    for number in 0..5 {
        let fields = json!({"displayName": "Theirs", "priority": "1"});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    // Nothing is written, so the missing repository is not worth a warning.
    let host = Host::start_with(&service, &json!({"repo_detection": "auto"})).await;
    let mut found = Vec::new();
    for number in 0..5 {
        let config = with(config(), &json!({"role": format!("role-{number}")}));
        let planned = host.plan(ROLE, None, &config, b"").await;
        let state = decode(&planned.planned_state.unwrap());
        assert_eq!(state["display_name"].is_null(), number == 0, "{number}: {state}");
        found.extend(planned.diagnostics);
    }
    assert_eq!(errors(&found), ["listings/github/roles/role-0: exists already"]);
    assert_eq!(warnings(&found), ["More objects: exists already"; 4]);
    says(&found, &["listings/github/roles/role-4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_to_exist_is_missed_at_its_attribute() {
    let (_service, host) = Host::with_service().await;
    for (entity, arguments, attribute, parts) in [
        (Role, json!({"listing": "nowhere"}), "listing", ["nowhere", "404"]),
        (Owner, json!({"integration": "nowhere"}), "integration", ["nowhere", "404"]),
    ] {
        let config = with(creating(entity), &arguments);
        let planned = host.plan(entity.type_name(), None, &config, b"").await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{arguments}");
        let applied = host.apply(entity.type_name(), None, &config, &planned).await;
        says(&applied.diagnostics, &parts);
        assert_eq!(blamed(&applied.diagnostics), attribute, "{arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn create_looks_with_drift_detection_off() {
    let service = Service::full();
    service.put_theirs();
    let host = Host::start_with(&service, &json!({ "drift_detection": "off" })).await;
    for entity in [Role, Owner] {
        let config = creating(entity);
        let planned = host.plan(entity.type_name(), None, &config, b"").await;
        assert_eq!(planned.diagnostics, [], "{entity:?}");
        let applied = host.apply(entity.type_name(), None, &config, &planned).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{entity:?}");
        assert_eq!(service.writes().len(), 0, "{entity:?}");
    }
}

/// The service wrote the role as a deleted one, or a gateway dropped the body.
#[tokio::test(flavor = "multi_thread")]
async fn response_without_a_role_is_no_state() {
    for (status, body, parts) in [
        (200, "$DELETED", &["roles/viewer"][..]),
        (204, "", &["204", "may have been written", "import"]),
    ] {
        let service = Service::full();
        service.add_fault(Fault::respond(status, Role.body(body)).on("PATCH"));
        let host = Host::start(&service).await;
        let applied = host.try_create(ROLE, &config()).await;
        says(&applied.diagnostics, parts);
        assert_eq!(errors(&applied.diagnostics).len(), 1);
        assert!(decode(&applied.new_state.unwrap()).is_null());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unrecorded_manager_is_one_warning_and_no_permanent_diff() {
    let service = Service::full();
    service.change_world(|world| world.ignores_caller = true);
    let host = Host::start(&service).await;
    let mut warned = 0;
    for id in ["viewer", "editor"] {
        let created = host.try_create(ROLE, &with(config(), &json!({ "role": id }))).await;
        warned += warnings(&created.diagnostics).iter().filter(|it| it.contains("manager")).count();
    }
    assert_eq!(warned, 1);
    let third = with(config(), &json!({"role": "third"}));
    Object::create_as(&service, ROLE, third).await.plans_nothing(&service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_values_are_errors_at_their_attributes_before_any_request() {
    let (service, host) = Host::with_service().await;
    for (type_name, attribute, value) in [
        (ROLE, "priority", json!(1.5)),
        (ROLE, "priority", json!(9_223_372_036_854_775_808_u64)),
        (ROLE, "display_name", json!(" ")),
        (ROLE, "display_name", json!({"not": "text"})),
        (ROLE, "create_time", json!("2020-01-02T03:04:05Z")),
        (ROLE, "role", json!("a/b")),
        (ROLE, "listing", json!("..")),
        (OWNER, "owner", json!("robots/x")),
        (OWNER, "owner", json!("teams/")),
        (OWNER, "owner", json!("platform")),
        (OWNER, "integration", json!("a/b")),
        (OWNERS, "owners", json!([])),
    ] {
        let config = match type_name {
            ROLE => config(),
            OWNER => creating(Owner),
            _ => owners_config("github", &["users/ada"]),
        };
        let config = with(config, &json!({ attribute: value }));
        let mut found = host.validate(type_name, &config).await;
        if errors(&found).is_empty() {
            found = host.plan(type_name, None, &config, b"").await.diagnostics;
        }
        assert_eq!(errors(&found).len(), 1, "{attribute} = {value}: {found:?}");
        assert_eq!(blamed(&found), attribute, "{attribute} = {value}");
    }
    assert_eq!(service.requests().len(), 0);
}

/// The plan names a failure once, and looks no more after one that would meet every object.
#[tokio::test(flavor = "multi_thread")]
async fn failed_check_of_a_plan_is_one_warning_and_the_last_check() {
    let owners = owners_config("github", &["users/ada"]);
    for status in [401, 500] {
        for [first, second] in [
            [(ROLE, config()), (OWNERS, owners.clone())],
            [(OWNERS, owners.clone()), (ROLE, config())],
        ] {
            let service = Service::full();
            service.respond_to_all("GET", status, "{}");
            let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
            let found = host.plan(first.0, None, &first.1, &[]).await.diagnostics;
            assert!(matches!(warnings(&found)[..], [COULD_NOT_LOOK]), "{found:?}");
            let sent = service.requests().len();
            let found = host.plan(second.0, None, &second.1, &[]).await.diagnostics;
            let looks_on = service.requests().len() > sent;
            assert_eq!((found.len(), looks_on), (0, status == 500), "{found:?}");
        }
    }
}
