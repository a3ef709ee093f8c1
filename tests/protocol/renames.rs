//! Replacements by another name: the first call of the plan, which has the prior state.

use access_fake::{Fault, World};

use super::cases::*;
use super::*;

fn renamed() -> Value {
    with(config(), &json!({"role": "reader"}))
}

/// A check that fails would fail in the apply as well, after the destroy.
#[tokio::test(flavor = "multi_thread")]
async fn new_name_is_checked_by_the_plan_as_in_the_table() {
    for (status, is_error) in
        [(401, true), (418, true), (500, true), (403, false), (405, false), (501, false)]
    {
        for drift_detection in ["auto", "off"] {
            let case = format!("{status}, {drift_detection}");
            let service = Service::full();
            let role = Object::create(&service, Role).await;
            service.add_fault(Fault::respond(status, "{}").on("GET").at("*/roles/reader"));
            let settings = json!({"drift_detection": drift_detection, "max_retries": 0});
            let host = Host::start_with(&service, &settings).await;
            let planned = role.plan(&host, &renamed()).await;
            assert_eq!(!errors(&planned.diagnostics).is_empty(), is_error, "{case}");
            let could = "could destroy listings/github/roles/viewer";
            let part = if is_error { could } else { "overwritten" };
            says(&planned.diagnostics, &["roles/reader", part]);
            assert_eq!(service.writes().len(), 0, "{case}");
        }
    }
}

/// Under `abandon` the old object stays, so the create may fail.
#[tokio::test(flavor = "multi_thread")]
async fn new_name_that_cannot_be_looked_up_is_a_warning_if_the_old_object_stays() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    service.add_fault(Fault::respond(500, "{}").on("GET").at("*/roles/reader"));
    let settings = json!({"deletion_policy": "abandon", "max_retries": 0});
    let host = Host::start_with(&service, &settings).await;
    let planned = role.plan(&host, &renamed()).await;
    assert_eq!(errors(&planned.diagnostics), [""; 0], "{:?}", planned.diagnostics);
    says(&planned.diagnostics, &["roles/reader", "500"]);
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
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    let host = Host::start(&service).await;
    let adopting = with(renamed(), &json!({"adopt_existing": true}));
    let first = role.plan(&host, &adopting).await;
    says(&first.diagnostics, &["roles/reader", "adopt"]);
    service.clear_requests();
    let second = host.plan(ROLE, None, &adopting, &first.planned_private).await;
    assert_eq!((second.diagnostics, requests(&service)), (vec![], vec![]));
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

#[tokio::test(flavor = "multi_thread")]
async fn policy_or_an_import_in_the_same_plan_as_a_new_name_is_an_error() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let owner = Object::create(&service, Owner).await;
    service.put_role("github", "theirs", json!({"displayName": "Theirs", "priority": "7"}));
    let host = Host::start(&service).await;
    let abandon = json!({"deletion_policy": "abandon"});
    let found = role.plan(&host, &with(renamed(), &abandon)).await.diagnostics;
    says(&found, &["abandon", "first"]);
    let ben = with(with(creating(Owner), &abandon), &json!({"owner": "users/ben"}));
    let found = owner.plan(&host, &ben).await.diagnostics;
    says(&found, &["integrations/github", "abandon"]);

    let must_exist = with(renamed(), &json!({"allow_missing": false}));
    let found = role.plan(&host, &must_exist).await.diagnostics;
    let way = "add a block of its own for the new name without `allow_missing = false`";
    says(&found, &["roles/reader", "would destroy listings/github/roles/viewer", way]);
    // A slip in the ID would destroy the imported object.
    let imported = host.import(ROLE, "github/theirs", None).await.imported_resources.remove(0);
    let state = decode(&imported.state.unwrap());
    let found = host.plan(ROLE, Some(&state), &renamed(), &imported.private).await.diagnostics;
    says(&found, &["listings/github/roles/theirs", "listings/github/roles/reader", "import"]);
}

/// Two owners cannot have one ID: with a block of its own, the new one could not be added.
#[tokio::test(flavor = "multi_thread")]
async fn new_owner_with_the_id_of_the_old_one_needs_its_delete_first() {
    let service = Service::full();
    let mine = with(creating(Owner), &json!({"integration_owner_id": "mine"}));
    let owner = Object::create_as(&service, OWNER, mine.clone()).await;
    service.add_fault(Fault::respond(500, "{}").on("GET"));
    let other_id = json!({"owner": "users/ben", "integration_owner_id": "other"});
    for (change, way) in [
        (json!({"owner": "users/ben"}), "delete this block, apply, and then add it"),
        (other_id, "add a block of its own for the new name, apply"),
    ] {
        let host = Host::start_with(&service, &json!({"max_retries": 0})).await;
        let found = owner.plan(&host, &with(mine.clone(), &change)).await.diagnostics;
        assert_eq!(errors(&found).len(), 1, "{found:?}");
        says(&found, &["integrations/github/owners/mine", way]);
    }
}

/// Without a list, the plan cannot tell that the create would add the owner under another ID: the
/// destroy keeps the state.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_stays_is_not_adopted_under_another_id() {
    let service = Service::full();
    let options = json!({"deletion_policy": "abandon", "adopt_existing": true, "integration_owner_id": "mine"});
    let adopting = with(creating(Owner), &options);
    let owner = Object::create_as(&service, OWNER, adopting.clone()).await;
    service.add_fault(Fault::respond(501, "{}").on("GET"));
    let host = Host::start(&service).await;
    let other = with(adopting, &json!({"integration_owner_id": "other"}));
    let planned = owner.plan(&host, &other).await;
    assert_eq!(errors(&planned.diagnostics), [""; 0]);
    let second = host.plan(OWNER, None, &other, &planned.planned_private).await;
    let destroyed =
        Host::start(&service).await.destroy(OWNER, &owner.state, &second.planned_private).await;
    assert_eq!(errors(&destroyed.diagnostics).len(), 1, "{:?}", destroyed.diagnostics);
    let parts = ["owners/mine", &service.base_url(), "abandon", "its state would be lost"];
    says(&destroyed.diagnostics, &parts);
}

/// Under `abandon` an owner that is respelt to the service's spelling is its own conflict, and
/// `adopt_existing` is the way that the error names.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_stays_is_adopted_in_the_spelling_of_the_service() {
    let canonical_owners = [("users/ada".to_owned(), "users/id-17".to_owned())].into();
    let service = Service::start(World { canonical_owners, ..World::default() });
    let abandoning = with(creating(Owner), &json!({"deletion_policy": "abandon"}));
    let owner = Object::create_as(&service, OWNER, abandoning.clone()).await;
    let respelt = with(abandoning, &json!({"owner": "users/id-17"}));
    let refused = owner.plan(&Host::start(&service).await, &respelt).await;
    says(&refused.diagnostics, &["its state would be lost", "set `adopt_existing = true`"]);

    let adopting = with(respelt, &json!({"adopt_existing": true}));
    let host = Host::start(&service).await;
    let planned = owner.plan(&host, &adopting).await;
    assert_eq!(errors(&planned.diagnostics), [""; 0]);
    let second = host.plan(OWNER, None, &adopting, &planned.planned_private).await;
    let host = Host::start(&service).await;
    let destroyed = host.destroy(OWNER, &owner.state, &second.planned_private).await;
    assert_eq!(errors(&destroyed.diagnostics), [""; 0]);
    let created = host.apply(OWNER, None, &adopting, &second).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    let state = decode(&created.new_state.unwrap());
    assert_eq!((&state["name"], &state["owner"]), (&owner.state["name"], &json!("users/id-17")));
    assert_eq!(service.owners_named("github", "users/id-17"), 1);
}

/// The policy of the run is new, and the object is tainted: its destroy would leave what the create
/// refuses.
#[tokio::test(flavor = "multi_thread")]
async fn tainted_object_that_a_new_policy_leaves_keeps_its_state() {
    for entity in [Role, Owner] {
        let service = Service::full();
        let object = Object::create(&service, entity).await;
        let settings = json!({"deletion_policy": "abandon"});
        let host = Host::start_with(&service, &settings).await;
        let read = object.read(&host).await;
        // An adoption that is known only after apply does not count.
        for adopts in [json!(null), unknown()] {
            let config = with(object.config.clone(), &json!({ "adopt_existing": adopts }));
            let host = Host::start_with(&service, &settings).await;
            let planned = host.plan(object.type_name, None, &config, &read.private).await;
            assert_eq!(errors(&planned.diagnostics), [""; 0], "{entity:?}");
            let private = planned.planned_private;
            let host = Host::start_with(&service, &settings).await;
            let destroyed = host.destroy(object.type_name, &object.state, &private).await;
            says(&destroyed.diagnostics, &["abandon", "its state would be lost"]);
        }
        assert_eq!(service.writes().len(), 0, "{entity:?}");
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
    says(&found, &[name, "destroyed and created", "moved"]);
    let host = Host::start(&service).await;
    assert_eq!(errors(&host.plan(OWNER, None, &late, &[]).await.diagnostics), [""; 0]);
    let found = owner.plan_destroy(&host).await.diagnostics;
    says(&found, &[name, "destroyed and created", "moved"]);

    // Another resource keeps it.
    let host = Host::start(&service).await;
    assert_eq!(errors(&owner.plan(&host, &owner.config).await.diagnostics), [""; 0]);
    let found = host.plan(OWNER, None, &late, &[]).await.diagnostics;
    says(&found, &[name, "Two resources manage one"]);

    // Two new resources have one ID.
    let host = Host::start(&service).await;
    let other = with(late.clone(), &json!({"integration_owner_id": "other"}));
    for config in [&late, &other] {
        assert_eq!(errors(&host.plan(OWNER, None, config, &[]).await.diagnostics), [""; 0]);
    }
    let found = host.plan(OWNER, None, &late, &[]).await.diagnostics;
    says(&found, &[name, "Two resources create one", "integration_owner_id"]);

    // An owner that stays under its ID cannot be added again.
    let settings = json!({"deletion_policy": "abandon"});
    let host = Host::start_with(&service, &settings).await;
    let found = owner.plan(&host, &late).await.diagnostics;
    says(&found, &[name, "its state would be lost"]);

    // All owners are one resource.
    let host = Host::start(&service).await;
    assert_eq!(errors(&host.plan(OWNER, None, &late, &[]).await.diagnostics), [""; 0]);
    let found = host.plan(OWNERS, None, &owners_config("github", &["users/ada"]), &[]).await;
    says(&found.diagnostics, &["integrations/github", "known only after apply"]);
}

/// Whether the principal is the same is known only after apply.
#[tokio::test(flavor = "multi_thread")]
async fn taken_id_is_a_warning_before_the_principal_is_known() {
    let service = Service::full();
    service.put_owner("github", "taken", "users/bob");
    let late = json!({"integration_owner_id": "taken", "owner": unknown()});
    let late = with(creating(Owner), &late);
    let host = Host::start(&service).await;
    let found = host.plan(OWNER, None, &late, &[]).await.diagnostics;
    says(&found, &["owners/taken", "users/bob", "will not create it", "known only after apply"]);
    let adopting = with(late, &json!({"adopt_existing": true}));
    let host = Host::start(&service).await;
    let found = host.plan(OWNER, None, &adopting, &[]).await.diagnostics;
    says(&found, &["owners/taken", "may be adopted", "depends on `owner`"]);
}
