//! Replacements: the first call of the plan, which has the prior state, and the destroy that comes
//! before the create.

use access_fake::{Fault, World};
use tokio::task::JoinSet;

use super::cases::*;
use super::*;

fn renamed() -> Value {
    with(config(), &json!({"role": "reader"}))
}

/// What a replacement by another name does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Its first plan call fails, and so does the destroy: no DELETE is sent.
    Stops,
    /// Its first plan call warns, and the destroy goes on.
    Warns,
    Goes,
}
use Verdict::{Goes, Stops, Warns};

/// Whether the new name exists, and may be adopted; the status of reads of it, if they fail (GET of a
/// role, the list of owners); the verdict.
const FOUND: [(&str, bool, bool, Option<u16>, Verdict); 11] = [
    ("exists", true, false, None, Stops),
    ("may be adopted", true, true, None, Warns),
    ("absent", false, false, None, Goes),
    ("absent, and might be adopted", false, true, None, Goes),
    ("a 404 that no list explains", false, false, Some(404), Stops),
    ("a 404, and might be adopted", false, true, Some(404), Stops),
    ("not allowed", false, false, Some(403), Warns),
    ("not offered", false, false, Some(405), Warns),
    ("not offered", false, false, Some(501), Warns),
    ("unauthorized", false, false, Some(401), Stops),
    ("failed", false, false, Some(500), Stops),
];

/// When the new name is found as in the table, and how the destroy was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planned {
    /// The plan and the apply find the same.
    Today,
    /// The plan has found the name free.
    Yesterday,
    /// The same of a tainted object, whose private state the plan does not have.
    Tainted,
}
use Planned::{Tainted, Today, Yesterday};

/// Plans a replacement by a new name in its two calls, or in one for a tainted object. Then destroys
/// the object with the private state of the last call, in another process. `rows` are those of the table that
/// are tried; none for all.
async fn replace(entity: Entity, planned: Planned, settings: &Value, rows: &[&str]) {
    for (found, exists, adopts, status, verdict) in
        FOUND.into_iter().filter(|row| rows.is_empty() || rows.contains(&row.0))
    {
        let case = format!("{entity:?}, {found} ({status:?}), {planned:?}, {settings}");
        let settings = with(json!({"max_retries": 0}), settings);
        let service = Service::full();
        let object = Object::create(&service, entity).await;
        let old = object.state["name"].as_str().unwrap();
        let (new, arguments, path) = match entity {
            Role => ("roles/reader", json!({"role": "reader"}), "*/roles/reader"),
            Owner => ("users/ben", json!({"owner": "users/ben"}), Owner.list_path()),
        };
        let config = with(creating(entity), &with(arguments, &json!({ "adopt_existing": adopts })));
        let prepare = || {
            if exists {
                let fields = json!({"displayName": "Theirs", "priority": "7"});
                service.put_role("github", "reader", fields);
                service.put_owner("github", "own-9", "users/ben");
            }
            if let Some(status) = status {
                service.add_fault(Fault::respond(405, "{}").on("GET").at(Role.list_path()));
                service.add_fault(Fault::respond(status, "{}").on("GET").at(path));
            }
        };
        if planned == Today {
            prepare();
        }
        let host = Host::start_with(&service, &settings).await;
        let mut private = Vec::new();
        if planned != Tainted {
            let first = object.plan(&host, &config).await;
            private = first.planned_private.to_vec();
            let names_new =
                |it: &&pb::Diagnostic| it.summary.contains(new) || it.detail.contains(new);
            let about_new: Vec<_> = first.diagnostics.iter().filter(names_new).cloned().collect();
            let expected = match verdict {
                _ if planned == Yesterday => (0, 0),
                Stops => (1, 0),
                Warns => (0, 1),
                Goes => (0, 0),
            };
            let counts = (errors(&about_new).len(), warnings(&about_new).len());
            assert_eq!(counts, expected, "{case}: {:?}", first.diagnostics);
            if expected == (1, 0) {
                says(&about_new, &[new, old, "changed nothing"]);
                // A failed look fails the destroy as well.
                let is_told = format!("{about_new:?}").contains("-refresh=false");
                assert_eq!(is_told, !matches!(status, Some(401 | 500)), "{case}: {about_new:?}");
                assert_eq!(service.writes().len(), 0, "{case}");
                continue;
            }
        }
        let second = host.plan(entity.type_name(), None, &config, &private).await;
        assert_eq!(errors(&second.diagnostics), [""; 0], "{case}");
        if planned != Today {
            prepare();
        }
        let host = Host::start_with(&service, &settings).await;
        let destroyed =
            host.destroy(entity.type_name(), &object.state, &second.planned_private).await;
        let failed = usize::from(verdict == Stops);
        assert_eq!(errors(&destroyed.diagnostics).len(), failed, "{case}: {destroyed:?}");
        if verdict == Stops {
            says(&destroyed.diagnostics, &[new, old, "changed nothing"]);
        } else if exists {
            says(&destroyed.diagnostics, &[new, "will be adopted"]);
        }
        let sends = verdict != Stops && settings["deletion_policy"] != "abandon";
        let sent = requests(&service).iter().filter(|line| line.starts_with("DELETE")).count();
        assert_eq!(
            (sent, service.writes().len()),
            (usize::from(sends), usize::from(sends)),
            "{case}"
        );
    }
}

/// What the create would refuse, the plan and the destroy before it refuse: nothing is lost. Neither
/// `abandon` nor `drift_detection` changes anything about that.
#[tokio::test(flavor = "multi_thread")]
async fn replacement_by_another_name_goes_on_or_stops_as_in_the_table() {
    let mut running = JoinSet::new();
    for entity in [Role, Owner] {
        let abandon = json!({"deletion_policy": "abandon"});
        for (planned, settings, rows) in [
            (Today, json!({}), &[][..]),
            (Today, json!({"drift_detection": "off"}), &["exists", "failed"]),
            (Today, abandon.clone(), &["exists", "absent"]),
            (
                Yesterday,
                json!({}),
                &["exists", "may be adopted", "absent", "not allowed", "failed"],
            ),
            (Yesterday, abandon, &["exists", "absent"]),
            (Tainted, json!({}), &["exists", "a 404 that no list explains", "absent"]),
        ] {
            running.spawn(async move { replace(entity, planned, &settings, rows).await });
        }
    }
    running.join_all().await;
}

/// Plans a replacement in its two calls. Returns the private state that its destroy gets.
async fn plan_replacement(object: &Object, host: &Host, config: &Value) -> Vec<u8> {
    let first = object.plan(host, config).await;
    assert_eq!(errors(&first.diagnostics), [""; 0]);
    let second = host.plan(object.type_name, None, config, &first.planned_private).await;
    assert_eq!(errors(&second.diagnostics), [""; 0]);
    second.planned_private.to_vec()
}

/// The own object counts as absent, because the destroy deletes it. Under `abandon` it stays.
#[tokio::test(flavor = "multi_thread")]
async fn own_owner_under_another_id_is_in_the_way_only_if_it_stays() {
    let (service, owner, host) = Object::with_host(Owner).await;
    let other = with(creating(Owner), &json!({"integration_owner_id": "other"}));
    let private = plan_replacement(&owner, &host, &other).await;

    let abandoning = Host::start_with(&service, &json!({"deletion_policy": "abandon"})).await;
    let found = owner.plan(&abandoning, &other).await.diagnostics;
    says(&found, &["users/ada", "exists already"]);
    let kept = abandoning.destroy(OWNER, &owner.state, &private).await;
    says(&kept.diagnostics, &["users/ada", "exists already"]);
    assert_eq!(service.writes().len(), 0);

    let destroyed = Host::start(&service).await.destroy(OWNER, &owner.state, &private).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    assert_eq!(service.requests_of("DELETE"), 1);
}

/// Another resource has created the new name before, in the same run, or is just creating it.
#[tokio::test(flavor = "multi_thread")]
async fn object_is_not_replaced_by_what_another_create_of_this_run_has_made() {
    for (entity, arguments) in
        [(Role, json!({"role": "reader"})), (Owner, json!({"owner": "users/ben"}))]
    {
        for (adopts, is_running) in [(false, false), (true, false), (false, true)] {
            let (service, object, host) = Object::with_host(entity).await;
            let config = with(creating(entity), &arguments);
            let config = with(config, &json!({ "adopt_existing": adopts }));
            let private = plan_replacement(&object, &host, &config).await;
            let planned = Host::plan_create(entity.type_name(), &config).await;
            let create = host.apply(entity.type_name(), None, &config, &planned);
            let destroy = host.destroy(entity.type_name(), &object.state, &private);
            let (created, destroyed) = if is_running {
                let method = if entity == Role { "PATCH" } else { "POST" };
                meanwhile((&service, &host, method), create, destroy).await
            } else {
                (create.await, destroy.await)
            };
            assert_eq!(errors(&created.diagnostics), [""; 0]);
            let old = object.state["name"].as_str().unwrap();
            says(&destroyed.diagnostics, &["was made by another resource of this run", old]);
            assert_eq!(
                service.requests_of("DELETE"),
                0,
                "{entity:?}, adopts: {adopts}, {is_running}"
            );
        }
    }
}

/// The old object is gone. The error of the run that has destroyed it says so, and no other run's.
#[tokio::test(flavor = "multi_thread")]
async fn create_that_fails_names_the_object_that_this_run_has_destroyed_for_it() {
    for (type_name, before, after, new) in [
        (ROLE, config(), renamed(), "listings/github/roles/reader"),
        (
            OWNER,
            creating(Owner),
            with(creating(Owner), &json!({"owner": "users/ben"})),
            "users/ben",
        ),
        (
            OWNERS,
            owners_config("github", &["users/ada"]),
            owners_config("okta", &["users/ben"]),
            "users/ben",
        ),
    ] {
        for exists in [false, true] {
            // Owners share a list, which was requested before the destroy.
            if exists && type_name != ROLE {
                continue;
            }
            let case = format!("{type_name}, exists: {exists}");
            let service = Service::full();
            let object = Object::create_as(&service, type_name, before.clone()).await;
            let host = Host::start(&service).await;
            let first = object.plan(&host, &after).await;
            let second = host.plan(type_name, None, &after, &first.planned_private).await;
            let destroyed = host.destroy(type_name, &object.state, &second.planned_private).await;
            assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{case}");
            if exists {
                service.put_role("github", "reader", json!({"displayName": "x", "priority": "7"}));
            } else {
                service.add_fault(Fault::respond(422, "{}").on("PATCH"));
                service.add_fault(Fault::respond(422, "{}").on("POST"));
            }
            let old = object.state["name"].as_str().unwrap();
            let says_so = format!("has destroyed {old}");
            let created = host.apply(type_name, None, &after, &second).await;
            assert_eq!(errors(&created.diagnostics).len(), 1, "{case}");
            says(&created.diagnostics, &[new, &says_so]);
            let later = Host::start(&service).await.apply(type_name, None, &after, &second).await;
            assert_eq!(errors(&later.diagnostics).len(), 1, "{case}");
            assert!(!format!("{:?}", later.diagnostics).contains(&says_so), "{case}");
        }
    }
}

/// Two resources that are replaced get one name.
#[tokio::test(flavor = "multi_thread")]
async fn name_that_two_resources_get_is_an_error_at_its_argument() {
    let (service, role, host) = Object::with_host(Role).await;
    let second = with(config(), &json!({"role": "second"}));
    let second = Object::create_as(&service, ROLE, second).await;
    assert_eq!(errors(&role.plan(&host, &renamed()).await.diagnostics), [""; 0]);
    let found = second.plan(&host, &renamed()).await.diagnostics;
    says(&found, &["roles/reader: is created by two resources"]);
    assert_eq!(blamed(&found), "role");
}

#[tokio::test(flavor = "multi_thread")]
async fn role_in_another_listing_is_another_role() {
    let (service, role, host) = Object::with_host(Role).await;
    let moved = with(config(), &json!({ "listing": unknown() }));
    let planned = role.plan(&host, &moved).await;
    assert_eq!(planned.requires_replace.len(), 1);
    assert_eq!(service.writes().len(), 0);
}

/// Terraform discards the warnings of the second call, and hosts that show them would show each
/// twice.
#[tokio::test(flavor = "multi_thread")]
async fn second_plan_call_of_a_replacement_repeats_no_warning() {
    let adopting = with(renamed(), &json!({"adopt_existing": true}));
    let [old, new] = ["okta", "github"].map(|it| owners_config(it, &["users/ada"]));
    for (type_name, before, after, warned) in [
        (ROLE, config(), adopting, &["roles/reader: will be adopted"][..]),
        (
            OWNERS,
            old,
            new,
            &[
                "integrations/github: has owners that are not listed",
                "integrations/okta: is left without owners",
            ],
        ),
    ] {
        let service = Service::with_empty_okta();
        let object = Object::create_as(&service, type_name, before).await;
        service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
        let host = Host::start(&service).await;
        let first = object.plan(&host, &after).await;
        for text in warned {
            says(&first.diagnostics, &[text]);
        }
        service.clear_requests();
        let second = host.plan(type_name, None, &after, &first.planned_private).await;
        assert_eq!((second.diagnostics, requests(&service)), (vec![], vec![]), "{type_name}");
    }
}

/// A list may lag. The plan of a replacement reads the new name by GET, however many roles were
/// read before.
#[tokio::test(flavor = "multi_thread")]
async fn new_name_that_a_list_lacks_is_found_by_get() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    service.hide("listings/github/roles/reader", None);
    let host = Host::start(&service).await;
    for _ in 0..4 {
        assert_eq!(errors(&role.read(&host).await.diagnostics), [""; 0]);
    }
    says(&role.plan(&host, &renamed()).await.diagnostics, &["roles/reader", "exists"]);
    // A refresh has shown that another resource has it, which an `import` block would only double.
    let name = "listings/github/roles/reader";
    let reader = json!({"role": "reader", "id": name, "name": name, "create_time": null});
    host.read(ROLE, &with(role.state.clone(), &reader), b"").await;
    let found = role.plan(&host, &renamed()).await.diagnostics;
    says(&found, &["roles/reader", "another has it", "moved {"]);
    assert!(!format!("{found:?}").contains("import {"), "{found:?}");
}

/// With `-refresh=false` nothing has shown that the object is here.
#[tokio::test(flavor = "multi_thread")]
async fn object_of_another_address_is_not_replaced() {
    let (home, there) = (Service::full(), Service::full());
    let role = Object::create(&home, Role).await;
    there.put_theirs();
    let planned = role.plan(&Host::start(&there).await, &renamed()).await;
    assert_eq!(errors(&planned.diagnostics).len(), 1, "{:?}", planned.diagnostics);
    says(&planned.diagnostics, &[&home.base_url(), &there.base_url()]);
}

/// A slip in the ID of an `import` block would destroy the imported object.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_the_plan_imports_is_not_replaced() {
    let service = Service::full();
    service.put_theirs();
    let bens = json!({"owner": "users/ben"});
    for (type_name, id, config, names) in [
        (
            ROLE,
            "github/viewer",
            renamed(),
            ["listings/github/roles/viewer", "listings/github/roles/reader"],
        ),
        (
            OWNER,
            "github/own-7",
            with(creating(Owner), &bens),
            ["integrations/github/owners/own-7", "users/ben"],
        ),
        (
            OWNERS,
            "github",
            owners_config("okta", &["users/ada"]),
            ["integrations/github", "integrations/okta"],
        ),
    ] {
        let host = Host::start(&service).await;
        let imported = host.import(type_name, id, None).await.imported_resources.remove(0);
        let state = decode(&imported.state.unwrap());
        let found =
            host.plan(type_name, Some(&state), &config, &imported.private).await.diagnostics;
        assert_eq!(errors(&found).len(), 1, "{type_name}: {found:?}");
        says(&found, &["is imported", names[0], names[1], "-refresh=false"]);
    }
}

/// Two owners cannot have one ID: with a block of its own, the new one could not be added.
#[tokio::test(flavor = "multi_thread")]
async fn new_owner_with_the_id_of_the_old_one_needs_its_delete_first() {
    let service = Service::full();
    let mine = with(creating(Owner), &json!({"integration_owner_id": "mine"}));
    let owner = Object::create_as(&service, OWNER, mine.clone()).await;
    // Without a list, GET shows the own owner, which does not count.
    service.without_lists();
    let ben = with(mine.clone(), &json!({"owner": "users/ben"}));
    let found = owner.plan(&Host::start(&service).await, &ben).await.diagnostics;
    assert_eq!(errors(&found), [""; 0]);
    service.add_fault(Fault::respond(500, "{}").on("GET"));
    let other_id = json!({"owner": "users/ben", "integration_owner_id": "other"});
    for (change, way) in [
        (json!({"owner": "users/ben"}), "delete this block, apply, and add it again"),
        (other_id, "add a block of its own for the new name"),
    ] {
        let host = Host::start_with(&service, &json!({"max_retries": 0})).await;
        let found = owner.plan(&host, &with(mine.clone(), &change)).await.diagnostics;
        assert_eq!(errors(&found).len(), 1, "{found:?}");
        says(&found, &["integrations/github/owners/mine", way]);
    }
}

/// Under `abandon` an owner that is respelt to the service's spelling is its own conflict, which
/// `adopt_existing` resolves.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_stays_is_adopted_in_the_spelling_of_the_service() {
    let canonical_owners = [("users/ada".to_owned(), "users/id-17".to_owned())].into();
    let service = Service::start(World { canonical_owners, ..World::default() });
    let owner = Object::create(&service, Owner).await;
    let abandon = json!({"deletion_policy": "abandon"});
    let respelt = with(creating(Owner), &json!({"owner": "users/id-17"}));
    let refused = owner.plan(&Host::start_with(&service, &abandon).await, &respelt).await;
    says(&refused.diagnostics, &["users/id-17", "exists already"]);

    let adopting = with(respelt, &json!({"adopt_existing": true}));
    let host = Host::start_with(&service, &abandon).await;
    let planned = owner.plan(&host, &adopting).await;
    let second = host.plan(OWNER, None, &adopting, &planned.planned_private).await;
    let host = Host::start_with(&service, &abandon).await;
    let destroyed = host.destroy(OWNER, &owner.state, &second.planned_private).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    let created = host.apply(OWNER, None, &adopting, &second).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    let state = decode(&created.new_state.unwrap());
    assert_eq!((&state["name"], &state["owner"]), (&owner.state["name"], &json!("users/id-17")));
    assert_eq!(service.owners_named("github", "users/id-17"), 1);
}

/// A replacement by the same name, as with a taint or `-replace`: under `abandon` the object would
/// stay, and the create would be refused, or adopt what was to be replaced.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_is_replaced_by_itself_under_abandon_keeps_its_state() {
    for entity in [Role, Owner] {
        let (service, object, _) = Object::with_host(entity).await;
        let settings = json!({"deletion_policy": "abandon"});
        for adopts in [json!(null), unknown(), json!(true)] {
            let config = with(object.config.clone(), &json!({ "adopt_existing": adopts }));
            for private in [&b""[..], &object.private] {
                let host = Host::start_with(&service, &settings).await;
                host.upgrade(object.type_name, &object.state).await;
                let planned = host.plan(object.type_name, None, &config, private).await;
                assert_eq!(errors(&planned.diagnostics), [""; 0], "{entity:?}");
                let host = Host::start_with(&service, &settings).await;
                let destroyed =
                    host.destroy(object.type_name, &object.state, &planned.planned_private).await;
                assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{entity:?} {adopts}");
                let name = object.state["name"].as_str().unwrap();
                says(&destroyed.diagnostics, &[name, "abandon", "terraform untaint"]);
            }
        }
        assert_eq!(service.writes().len(), 0, "{entity:?}");
    }
}

/// The plan cannot say it: Terraform passes the state only to a first call, which does not know of the
/// replacement.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_is_replaced_by_itself_without_its_resources_says_so() {
    for (resources, says_so) in [(json!(null), true), (json!(["repo/a"]), false)] {
        let (service, role, _) = Object::with_host(Role).await;
        let state = with(role.state.clone(), &json!({"resources": ["repo/a"]}));
        let host = Host::start(&service).await;
        let config = with(role.config.clone(), &json!({ "resources": resources }));
        let planned = host.plan(ROLE, None, &config, &role.private).await;
        let destroyed = host.destroy(ROLE, &state, &planned.planned_private).await;
        let found = warnings(&destroyed.diagnostics);
        assert!(found.iter().any(|it| it.contains("granted earlier does not change")), "{found:?}");
        let is_said = found.iter().any(|it| it.contains("replaced without its resources"));
        assert_eq!(is_said, says_so, "{found:?}");
    }
}

/// One of the two keys of an owner stays, or is known only after apply, and the other belongs to
/// somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn owner_whose_new_id_or_principal_is_taken_is_an_error_at_plan() {
    let ids = |id: &str, owner: Value| json!({"integration_owner_id": id, "owner": owner});
    for (before, after) in [
        (json!({}), ids("taken", json!("users/ada"))),
        (json!({}), ids("taken", unknown())),
        (ids("mine", json!("users/ada")), ids("mine", json!("users/bob"))),
    ] {
        let service = Service::full();
        let owner = Object::create_as(&service, OWNER, with(creating(Owner), &before)).await;
        let after = with(creating(Owner), &after);
        let host = Host::start(&service).await;
        assert_eq!(errors(&owner.plan(&host, &after).await.diagnostics), [""; 0]);
        service.put_owner("github", "taken", "users/bob");
        let host = Host::start(&service).await;
        says(&owner.plan(&host, &after).await.diagnostics, &["owners/taken", "users/bob"]);
        assert_eq!(service.writes().len(), 0);
    }
}

/// The ID of an owner is known in the plan, its principal only after apply.
#[tokio::test(flavor = "multi_thread")]
async fn owner_with_a_known_id_is_compared_before_its_principal_is_known() {
    let service = Service::full();
    let fixed = with(creating(Owner), &json!({"integration_owner_id": "mine"}));
    let late = with(fixed.clone(), &json!({"owner": unknown()}));
    let owner = Object::create_as(&service, OWNER, fixed).await;
    let name = "integrations/github/owners/mine";

    // Its address is renamed without `moved`, in either order.
    let host = Host::start(&service).await;
    assert_eq!(errors(&owner.plan_destroy(&host).await.diagnostics), [""; 0]);
    let found = host.plan(OWNER, None, &late, &[]).await.diagnostics;
    says(
        &found,
        &[name, "created by one resource, and another has it", "This resource creates it", "moved"],
    );
    let host = Host::start(&service).await;
    host.upgrade(OWNER, &owner.state).await;
    assert_eq!(errors(&host.plan(OWNER, None, &late, &[]).await.diagnostics), [""; 0]);
    let found = owner.plan_destroy(&host).await.diagnostics;
    says(
        &found,
        &[name, "created by one resource, and another has it", "This resource has it", "moved"],
    );

    // Another resource keeps it.
    let host = Host::start(&service).await;
    assert_eq!(errors(&owner.plan(&host, &owner.config).await.diagnostics), [""; 0]);
    let found = host.plan(OWNER, None, &late, &[]).await.diagnostics;
    says(&found, &[name, "created by one resource, and another has it"]);

    // An owner that stays under its ID cannot be added again.
    let settings = json!({"deletion_policy": "abandon"});
    let host = Host::start_with(&service, &settings).await;
    let found = owner.plan(&host, &late).await.diagnostics;
    says(&found, &[name, "exists already"]);

    // All owners are one resource.
    let host = Host::start(&service).await;
    host.upgrade(OWNER, &owner.state).await;
    assert_eq!(errors(&host.plan(OWNER, None, &late, &[]).await.diagnostics), [""; 0]);
    let found = host.plan(OWNERS, None, &owners_config("github", &["users/ada"]), &[]).await;
    says(&found.diagnostics, &["integrations/github", "two resource types"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn taken_id_is_refused_before_the_principal_is_known() {
    let service = Service::full();
    service.put_owner("github", "taken", "users/bob");
    for adopts in [false, true] {
        let late =
            json!({"integration_owner_id": "taken", "owner": unknown(), "adopt_existing": adopts});
        let host = Host::start(&service).await;
        let found = host.plan(OWNER, None, &with(creating(Owner), &late), &[]).await.diagnostics;
        says(&found, &["owners/taken", "exists already", "Unless `owner` is users/bob"]);
    }
}
