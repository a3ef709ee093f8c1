//! Destroys: responses to DELETE, the reads that decide what its 404 means, and objects that this
//! process has written.

use access_fake::Fault;

use super::cases::Conclusion::{Dropped, Failed};
use super::cases::*;
use super::*;

/// Response to DELETE; conclusion, whatever was read before. The tables below decide a 404.
const DELETE: [(Response, Conclusion); 11] = [
    ((200, "{}"), Dropped),
    ((200, ""), Dropped),
    ((204, ""), Dropped),
    // A response that is not the service's does not prove a deletion.
    ((200, "garbage"), Failed),
    ((301, ""), Failed),
    ((401, "{}"), Failed),
    (FORBIDDEN, Failed),
    ((405, ""), Failed),
    ((409, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
];

/// After DELETE with 404: responses to GET and list; conclusion.
const AFTER_404: [(Response, Response, Conclusion); 13] = [
    (OBJECT, EMPTY, Failed),
    (JSON_404, EMPTY, Dropped),
    (TEXT_404, EMPTY, Dropped),
    ((410, "gone"), EMPTY, Dropped),
    (JSON_404, (200, r#"{"$ENTRIES":[$OBJECT]}"#), Failed),
    (JSON_404, (200, r#"{"$ENTRIES":[7]}"#), Failed),
    (JSON_404, JSON_404, Failed),
    (JSON_404, (405, ""), Failed),
    (JSON_404, FORBIDDEN, Failed),
    (JSON_404, FAILURE, Failed),
    ((405, ""), EMPTY, Failed),
    (FORBIDDEN, EMPTY, Failed),
    (FAILURE, EMPTY, Failed),
];

/// The same, if the service returns deleted roles.
const AFTER_404_OF_A_DELETED_ROLE: [(Response, Response); 2] =
    [((200, "$DELETED"), EMPTY), (JSON_404, (200, r#"{"$ENTRIES":[$ENDED]}"#))];

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_deletes_are_those_of_the_tables() {
    let mut cases = Vec::new();
    for entity in [Role, Owner] {
        let case = Case::new(entity, Read);
        for (response, expected) in DELETE {
            cases.push((Case { delete: Some(response), ..case }, expected));
        }
        let mut add = |case, get, list, expected| {
            let (delete, get, list) = (Some(JSON_404), Some(get), Some(list));
            cases.push((Case { delete, get, list, ..case }, expected));
        };
        for (get, list, expected) in AFTER_404 {
            add(case, get, list, expected);
        }
        for (get, list) in AFTER_404_OF_A_DELETED_ROLE.into_iter().filter(|_| entity == Role) {
            add(case, get, list, Dropped);
        }
        // Neither what was read before nor the setting counts: one of each conclusion.
        for case in [Case::new(entity, NeverRead), Case { drift_detection: "off", ..case }] {
            add(case, JSON_404, EMPTY, Dropped);
            add(case, JSON_404, FORBIDDEN, Failed);
        }
    }
    compare(cases, Case::destroy).await;
    // The object may still be there.
    let (get, delete) = (Some(FORBIDDEN), Some(JSON_404));
    let (_service, host, private) = Case { get, delete, ..Case::new(Role, Read) }.begin().await;
    let destroyed = host.destroy(ROLE, &Role.state(), &private).await;
    let parts =
        ["could not be deleted: 404", "not for this key", "`terraform state rm`", "removed {"];
    says(&destroyed.diagnostics, &parts);
}

/// Sixty objects that are gone cost one list: a DELETE that was answered 404 at once is no write.
#[tokio::test(flavor = "multi_thread")]
async fn objects_that_are_gone_are_shown_by_one_list() {
    for entity in [Role, Owner] {
        let service = Service::full();
        let object = Object::create(&service, entity).await;
        let gone = || {
            service.add_fault(Fault::respond(404, "{}").on("GET").at(entity.object_path()));
            service.add_fault(Fault::respond(404, "{}").on("DELETE"));
            let empty = entity.body(EMPTY.1);
            service.add_fault(Fault::respond(200, empty).on("GET").at(entity.list_path()));
        };
        gone();
        let host = Host::start(&service).await;
        let lists = || {
            let lines = requests(&service);
            lines.iter().filter(|line| line.ends_with(&entity.list_path()[1..])).count()
        };
        for _ in 0..5 {
            assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        }
        assert_eq!(lists(), 1, "{entity:?}");
        // The first attempt may have deleted it, after that list.
        service.clear_faults();
        service.add_fault(Fault::respond(503, "{}").on("DELETE").times(1));
        gone();
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        assert_eq!(lists(), 2, "{entity:?}");
    }
}

/// What was read before, and the response to the GET before DELETE; whether DELETE follows. A
/// DELETE names the object, not the name. Without private state no address is known: an object that
/// was created at another time is somebody else's.
/// Where the object cannot be read, it is deleted. Any other failure may pass.
const NAMED: [(History, Response, bool); 18] = [
    (Read, (200, "$SAME"), true),
    (Read, (200, "$RECREATED"), false),
    (Read, JSON_404, true),
    (Read, (405, ""), true),
    (Read, (501, ""), true),
    (Read, FORBIDDEN, true),
    (Read, (401, "{}"), false),
    (Read, (429, "{}"), false),
    (Read, FAILURE, false),
    (NeverRead, (200, "$SAME"), true),
    (NeverRead, (200, "$RECREATED"), false),
    (ReadElsewhere, OBJECT, true),
    (ReadElsewhere, (200, "$RECREATED"), false),
    (ReadElsewhere, JSON_404, false),
    (ReadElsewhere, TEXT_404, false),
    (ReadElsewhere, (405, ""), false),
    (ReadElsewhere, FORBIDDEN, false),
    (ReadElsewhere, FAILURE, false),
];

#[tokio::test(flavor = "multi_thread")]
async fn destroy_deletes_only_the_object_of_the_state() {
    for (history, get, deletes) in NAMED {
        for (entity, drift_detection) in [(Role, "auto"), (Role, "off"), (Owner, "auto")] {
            let (get, delete) = (Some(get), Some((200, "{}")));
            let case = Case { drift_detection, get, delete, ..Case::new(entity, history) };
            let (seen, requests) = case.destroy().await;
            assert_eq!(seen, if deletes { Dropped } else { Failed }, "{case:?}");
            let sent = requests.iter().any(|request| request.starts_with("DELETE"));
            assert_eq!(sent, deletes, "{case:?}");
        }
    }
    let get = r#"{"name":"listings/github/roles/viewer","createTime":"2030-01-01T00:00:00Z","deleteTime":"2030-01-02T00:00:00Z"}"#;
    let case = Case { get: Some((200, get)), delete: Some((200, "{}")), ..Case::new(Role, Read) };
    assert_eq!(case.destroy().await.0, Dropped, "another one was made, and deleted");
}

/// The destroy of a state that is older than a write of the same process, as of a deposed object
/// whose successor has adopted it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_for_an_object_that_this_process_has_written_since() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        let adopting = with(creating(entity), &json!({"adopt_existing": true}));
        host.create(entity.type_name(), &adopting).await;
        service.clear_requests();
        let destroyed = object.destroy(&host).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{entity:?}");
        assert_eq!(destroyed.diagnostics.len(), 1, "a warning: {:?}", destroyed.diagnostics);
        assert_eq!(requests(&service), [""; 0], "{entity:?}");
        // An object of that name at another address is another one: its state is kept.
        let there = Service::full();
        let other = Object::create(&there, entity).await;
        assert_eq!(errors(&other.destroy(&host).await.diagnostics).len(), 1, "{entity:?}");

        // The next process deletes it.
        let host = Host::start(&service).await;
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        assert_eq!(service.requests_of("DELETE"), 1, "{entity:?}");
    }
}

/// A successor has asked for the ID of a deposed owner, and the service has answered with another
/// owner.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whose_id_its_successor_did_not_get_is_deleted() {
    let service = Service::full();
    service.change_world(|world| world.returns_existing_owner = true);
    service.put_owner("github", "own-7", "users/ben");
    let config = with(creating(Owner), &json!({"integration_owner_id": "fixed"}));
    let deposed = Object::create_as(&service, OWNER, config.clone()).await;
    service.respond_to_all("GET", 405, "{}");
    let host = Host::start(&service).await;
    let created = host.apply_create(OWNER, &with(config, &json!({"owner": "users/ben"}))).await;
    let state = decode(created.new_state.as_ref().unwrap());
    assert_eq!(state["name"], "integrations/github/owners/own-7");
    says(&created.diagnostics, &["sets the ID fixed", "Set `integration_owner_id = \"own-7\"`"]);
    assert_eq!(errors(&deposed.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.owner_ids("github", "users/ada"), [""; 0]);
}

/// If a create of this process was refused or has failed, a configuration wants the object.
#[tokio::test(flavor = "multi_thread")]
async fn object_whose_create_was_refused_or_failed_is_not_deleted_by_the_same_process() {
    for entity in [Role, Owner] {
        for fails in [false, true] {
            let (service, object, host) = Object::with_host(entity).await;
            let adopting = with(creating(entity), &json!({ "adopt_existing": fails }));
            if fails {
                service.add_fault(Fault::respond(423, "{}").at(entity.object_path()));
                service.add_fault(Fault::respond(423, "{}").at(entity.list_path()));
            }
            // Both names were unknown when the create was planned.
            let refused = host.apply_create(entity.type_name(), &adopting).await;
            assert_eq!(errors(&refused.diagnostics).len(), 1, "{entity:?} {fails}");
            service.clear_faults();
            service.clear_requests();
            let destroyed = object.destroy(&host).await;
            assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{entity:?} {fails}");
            assert_eq!(service.requests_of("DELETE"), 0, "{entity:?} {fails}");
        }
    }
}

/// The service stores `users/ada` as `users/id-17`, and another resource creates that.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whose_create_was_refused_in_another_spelling_is_not_deleted() {
    let service = Service::full();
    let state = Owner.state();
    let fields = json!({ "owner": "users/id-17", "createTime": state["create_time"] });
    service.put("integrations/github/owners/own-1", &fields).expect("an owner");
    let host = Host::start(&service).await;
    let config = with(creating(Owner), &json!({"owner": "users/id-17"}));
    let refused = host.apply_create(OWNER, &config).await;
    assert_eq!(errors(&refused.diagnostics).len(), 1);
    let destroyed = host.destroy(OWNER, &state, b"").await;
    assert_eq!(errors(&destroyed.diagnostics).len(), 1);
    assert_eq!(service.requests_of("DELETE"), 0);
}

/// What this process has deleted does not exist, whatever a lagging read returns.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_this_process_has_deleted_is_created_again_under_lagging_reads() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        service.lag(20);
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        let created = host.apply_create(entity.type_name(), &object.config).await;
        assert_eq!(errors(&created.diagnostics), [""; 0], "{entity:?}");
        assert!(!decode(&created.new_state.unwrap()).is_null());
    }
    // Nothing is known about another principal under the ID of the owner that was deleted.
    let (service, mut object, host) = Object::with_host(Owner).await;
    service.without_lists();
    assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0]);
    let other = json!({"owner": "users/ben", "integration_owner_id": "own-1"});
    object.config = with(object.config, &other);
    let created = host.apply_create(Owner.type_name(), &object.config).await;
    says(&created.diagnostics, &["users/ben", "added twice"]);
}

/// What this process has deleted does not exist, also where no read shows that.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_this_process_has_deleted_is_created_again_without_a_warning() {
    for entity in [Role, Owner] {
        let service = Service::full();
        service.add_fault(Fault::respond(405, "{}").on("GET"));
        let object = Object::create(&service, entity).await;
        let host = Host::start(&service).await;
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        let created = host.apply_create(entity.type_name(), &object.config).await;
        assert_eq!(created.diagnostics, [], "{entity:?}");
    }
}

/// Without a creation time, nothing shows that an object at another address is the state's.
#[tokio::test(flavor = "multi_thread")]
async fn object_without_a_creation_time_is_not_deleted_at_another_address() {
    // A service may give no times at all.
    let role = r#"{"name":"listings/github/roles/viewer","displayName":"Viewer","priority":"3"}"#;
    let owner = r#"{"name":"integrations/github/owners/own-1","owner":"users/ada"}"#;
    for (entity, body) in [(Role, "$SAME"), (Owner, "$SAME"), (Role, role), (Owner, owner)] {
        let (get, delete) = (Some((200, body)), Some((200, "{}")));
        let case = Case { get, delete, ..Case::new(entity, ReadElsewhere) };
        let (service, host, private) = case.begin().await;
        let state = with(entity.state(), &json!({ "create_time": null }));
        let destroyed = host.destroy(entity.type_name(), &state, &private).await;
        assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{entity:?}");
        assert_eq!(service.requests_of("DELETE"), 0, "{entity:?}");
    }
}

/// The same user under another ID is another owner.
#[tokio::test(flavor = "multi_thread")]
async fn owner_is_deleted_although_this_process_has_added_the_user_under_another_id() {
    let service = Service::full();
    service.without_lists();
    service.change_world(|world| world.duplicate_owners = true);
    let with_id = |id: &str| with(creating(Owner), &json!({ "integration_owner_id": id }));
    let old = Object::create_as(&service, OWNER, with_id("old")).await;
    let host = Host::start(&service).await;
    let created = host.apply_create(OWNER, &with_id("new")).await;
    assert_eq!(errors(&created.diagnostics), [""; 0], "{:?}", created.diagnostics);
    assert_eq!(errors(&old.destroy(&host).await.diagnostics), [""; 0]);
    assert_eq!(service.owner_ids("github", "users/ada"), ["new"]);
}

/// What a plan leaves stays, whatever the policy of the apply is.
#[tokio::test(flavor = "multi_thread")]
async fn policy_of_the_plan_decides_about_a_destroy() {
    let abandon = json!({"deletion_policy": "abandon"});
    let okta = || with(creating(Owner), &json!({"integration": "okta"}));
    for (type_name, config) in
        [(ROLE, config()), (OWNER, okta()), (OWNERS, owners_config("okta", &["users/ada"]))]
    {
        let service = Service::with_empty_okta();
        let object = Object::create_as(&service, type_name, config).await;
        let host = Host::start_with(&service, &abandon).await;
        let planned = object.plan_destroy(&host).await;
        says(&planned.diagnostics, &["Abandoned objects stay at the service"]);
        let host = Host::start(&service).await;
        let destroyed = host.destroy(type_name, &object.state, &planned.planned_private).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{type_name}");
        assert_eq!(service.requests_of("DELETE"), 0, "{type_name}");
        // The policy of the apply counts as well.
        let host = Host::start_with(&service, &abandon).await;
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{type_name}");
        assert_eq!(service.requests_of("DELETE"), 0, "{type_name}");
    }
    // A replacement by another name, and of a tainted object.
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let other = with(config(), &json!({"role": "reader"}));
    let host = Host::start_with(&service, &abandon).await;
    let first = role.plan(&host, &other).await;
    let second = host.plan(ROLE, None, &other, &first.planned_private).await;
    assert_eq!(errors(&second.diagnostics), [""; 0], "{:?}", second.diagnostics);
    let tainted = host.plan(ROLE, None, &with(config(), &json!({"role": "third"})), b"").await;
    for planned in [second, tainted] {
        let host = Host::start(&service).await;
        let destroyed = host.destroy(ROLE, &role.state, &planned.planned_private).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
        assert_eq!(service.requests_of("DELETE"), 0);
    }
}

/// Terraform folds no warnings of destroys, so the first one speaks for all.
#[tokio::test(flavor = "multi_thread")]
async fn destroy_of_many_roles_warns_once() {
    let (service, role, host) = Object::with_host(Role).await;
    says(&role.plan_destroy(&host).await.diagnostics, &["roles/viewer"]);
    let second = with(config(), &json!({"role": "second"}));
    let second = Object::create_as(&service, ROLE, second).await;
    assert_eq!(second.plan_destroy(&host).await.diagnostics, []);
}

/// As a host plans a deposed object inside an apply.
#[tokio::test(flavor = "multi_thread")]
async fn plan_of_a_destroy_inside_an_apply_says_nothing() {
    let (_service, role, host) = Object::with_host(Role).await;
    let adopting = with(config(), &json!({"adopt_existing": true}));
    host.create(ROLE, &adopting).await;
    assert_eq!(role.plan_destroy(&host).await.diagnostics, []);
}

/// A list that leaves out the creation time does not show whose the object is.
#[tokio::test(flavor = "multi_thread")]
async fn entry_without_a_creation_time_confirms_no_object_before_its_delete() {
    let list = r#"{"listingRoles":[{"name":"listings/github/roles/viewer","displayName":"Viewer","priority":"3"}]}"#;
    let get = Some((200, "$RECREATED"));
    let case = Case { get, list: Some((200, list)), ..Case::new(Role, Read) };
    let (service, host, private) = case.begin().await;
    // The list confirms objects after so many reads.
    for _ in 0..3 {
        host.read(ROLE, &Role.state(), &private).await;
    }
    let destroyed = host.destroy(ROLE, &Role.state(), &private).await;
    assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{:?}", requests(&service));
    assert_eq!(service.requests_of("DELETE"), 0);
}

/// Without drift detection, the plan of a destroy asks nothing. Without owners, nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn plan_that_destroys_an_owner_warns_only_about_owners_that_the_list_shows() {
    let service = Service::with_empty_okta();
    let config = with(creating(Owner), &json!({"integration": "okta"}));
    let owner = Object::create_as(&service, OWNER, config).await;
    let off = Host::start_with(&service, &json!({"drift_detection": "off"})).await;
    assert_eq!(owner.plan_destroy(&off).await.diagnostics, []);
    assert_eq!(requests(&service), [""; 0]);
    let host = Host::start(&service).await;
    says(&owner.plan_destroy(&host).await.diagnostics, &["integrations/okta", "without owners"]);
    // Somebody has removed it.
    service.remove_principal("okta", "users/ada");
    let host = Host::start(&service).await;
    assert_eq!(owner.plan_destroy(&host).await.diagnostics, []);
    let list = owners_config("okta", &["users/ada"]);
    let list = Object::create_as(&service, OWNERS, list).await;
    assert_eq!(list.plan_destroy(&off).await.diagnostics, []);
    assert_eq!(requests(&service), [""; 0]);
    let host = Host::start(&service).await;
    // Whatever the plan is about, the steps fit.
    let parts = ["integrations/okta", "without owners", "are added first", "`destroy = false`"];
    says(&list.plan_destroy(&host).await.diagnostics, &parts);
}

/// What somebody has made since under its name is another object.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_was_made_after_the_delete_of_this_process_is_not_overwritten() {
    for entity in [Role, Owner] {
        let (service, object, host) = Object::with_host(entity).await;
        assert_eq!(errors(&object.destroy(&host).await.diagnostics), [""; 0], "{entity:?}");
        service.put_theirs();
        service.clear_requests();
        let refused = host.apply_create(entity.type_name(), &object.config).await;
        assert_eq!(errors(&refused.diagnostics).len(), 1, "{entity:?}");
        assert_eq!(service.writes().len(), 0, "{entity:?}");
    }
}
