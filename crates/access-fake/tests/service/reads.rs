//! The undocumented operations: their existence, pages, and the lag of reads.

use std::collections::BTreeSet;

use access_fake::{Absence, NotFoundBody, Presence, World};
use serde_json::{Value, json};

use crate::support::{Host, Reply};

const ROLES: &str = "/api/v1/listings/github/roles";
const VIEWER: &str = "/api/v1/listings/github/roles/viewer";
const OWNERS: &str = "/api/v1/integrations/github/owners";
const FOUNDER: &str = "/api/v1/integrations/github/owners/founder";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5"})
}

fn with_role(world: World) -> Host {
    let host = Host::new(world);
    host.service().put_role("github", "viewer", &viewer()).unwrap();
    host
}

fn undocumented(host: &Host) -> [Reply; 6] {
    let admin = host.admin();
    [
        admin.get(VIEWER),
        admin.get(ROLES),
        admin.delete(VIEWER),
        admin.get(FOUNDER),
        admin.get(OWNERS),
        admin.delete(FOUNDER),
    ]
}

#[test]
fn missing_operations_return_their_status_and_do_nothing() {
    for status in [404, 405, 501] {
        let host = with_role(World::documented_only(Absence::of_status(status).unwrap()));
        for reply in undocumented(&host) {
            reply.is_refused(status, "does not exist here");
        }
        assert!(host.service().role("github", "viewer").is_some());
        assert!(host.service().owner("github", "founder").is_some());
        host.admin().patch(VIEWER, &viewer()).json(200);
        host.admin().post(OWNERS, &json!({"owner": "users/x"})).json(200);
    }
    assert_eq!(Absence::of_status(403), None);
}

#[test]
fn each_operation_can_be_removed_alone() {
    let absent = Presence::Absent(Absence::NotImplemented);
    let switches: [fn(&mut World) -> &mut Presence; 6] = [
        |world| &mut world.roles.get,
        |world| &mut world.roles.list,
        |world| &mut world.roles.delete,
        |world| &mut world.owners.get,
        |world| &mut world.owners.list,
        |world| &mut world.owners.delete,
    ];
    for (at, switch) in switches.into_iter().enumerate() {
        let mut world = World::default();
        *switch(&mut world) = absent;
        let host = with_role(world);
        let statuses = undocumented(&host).map(|reply| reply.status);
        let mut expected = [200; 6];
        expected[at] = 501;
        assert_eq!(statuses, expected);
    }
}

#[test]
fn missing_operation_returns_the_configured_body() {
    let table = [
        (NotFoundBody::Text, "404 page not found"),
        (NotFoundBody::Empty, ""),
        (NotFoundBody::Html, "<!doctype html>"),
        (NotFoundBody::Json, "{\"error\":"),
    ];
    for (not_found_body, start) in table {
        let mut world = World::documented_only(Absence::NotFound);
        world.not_found_body = not_found_body;
        let host = with_role(world);
        for reply in undocumented(&host) {
            assert_eq!(reply.status, 404);
            let text = reply.text();
            assert!(text.starts_with(start), "{not_found_body:?}: {text}");
            assert_eq!(text.is_empty(), start.is_empty(), "{not_found_body:?}: {text}");
        }
        // An object that does not exist has the service's own error body.
        let missing = "/api/v1/listings/github/roles/missing";
        host.admin().patch(missing, &viewer()).is_refused(404, "roles/missing");
    }
}

#[test]
fn missing_operation_requires_a_key() {
    let host = with_role(World::documented_only(Absence::MethodNotAllowed));
    host.caller("wrong", "").get(VIEWER).is_refused(401, "");
}

#[test]
fn list_has_every_object_in_pages() {
    let host = Host::full();
    for number in 0..250 {
        let role = format!("role-{number:03}");
        host.service().put_role("github", &role, &viewer()).unwrap();
        let owner = json!({"owner": format!("users/{number}")});
        host.service().put_owner("okta", &format!("o-{number:03}"), &owner).unwrap();
    }
    let owners = "/api/v1/integrations/okta/owners";
    for (target, field, total) in [(ROLES, "listingRoles", 250), (owners, "integrationOwners", 251)]
    {
        for (query, size) in
            [("", 100), ("pageSize=0", 100), ("pageSize=50", 50), ("pageSize=1000", 1000)]
        {
            let mut names = BTreeSet::new();
            let mut token = String::new();
            let mut count = 0;
            loop {
                let page =
                    host.admin().get(&format!("{target}?{query}&pageToken={token}")).json(200);
                count += 1;
                for object in page[field].as_array().unwrap() {
                    assert!(names.insert(object["name"].to_string()), "{object} comes twice");
                }
                token = page["nextPageToken"].as_str().unwrap().to_owned();
                if token.is_empty() {
                    break;
                }
            }
            assert_eq!(names.len(), total, "{target} {query}");
            assert_eq!(count, total.div_ceil(size), "{target} {query}");
        }
    }
}

#[test]
fn list_has_a_thousand_objects_a_page_at_most() {
    let host = Host::full();
    for number in 0..1001 {
        host.service().put_role("github", &format!("r{number}"), &viewer()).unwrap();
    }
    let page = host.admin().get(&format!("{ROLES}?pageSize=5000")).json(200);
    assert_eq!(page["listingRoles"].as_array().unwrap().len(), 1000);
    assert_ne!(page["nextPageToken"], "");
}

#[test]
fn list_survives_changes_between_its_pages() {
    let host = Host::full();
    for role in ["a", "b", "c", "d"] {
        host.service().put_role("github", role, &viewer()).unwrap();
    }
    let page = host.admin().get(&format!("{ROLES}?pageSize=2")).json(200);
    host.service().remove_role("github", "a");
    host.service().remove_role("github", "b");
    let token = page["nextPageToken"].as_str().unwrap();
    let page = host.admin().get(&format!("{ROLES}?pageSize=2&pageToken={token}")).json(200);
    let names: Vec<&Value> =
        page["listingRoles"].as_array().unwrap().iter().map(|role| &role["name"]).collect();
    assert_eq!(names, ["listings/github/roles/c", "listings/github/roles/d"]);
    assert_eq!(page["nextPageToken"], "");
}

#[test]
fn wrong_parameters_of_reads_are_refused() {
    let host = with_role(World::default());
    for query in ["pageSize=-1", "pageSize=x", "pageToken=forged", "page=2", "filter=x"] {
        host.admin().get(&format!("{ROLES}?{query}")).is_refused(400, "");
        host.admin().get(&format!("{OWNERS}?{query}")).is_refused(400, "");
    }
    host.admin().get(&format!("{VIEWER}?view=full")).is_refused(400, "view");
    host.admin().delete(&format!("{VIEWER}?force=true")).is_refused(400, "force");
}

#[test]
fn empty_list_follows_the_settings() {
    let host = Host::full();
    assert_eq!(host.admin().get(ROLES).json(200), json!({"listingRoles": [], "nextPageToken": ""}));
    host.service().change_world(|world| world.omit_defaults = true);
    assert_eq!(host.admin().get(ROLES).json(200), json!({}));
    host.admin().get("/api/v1/listings/nowhere/roles").is_refused(404, "listings/nowhere");
}

#[test]
fn reads_after_a_write_lag_behind_it() {
    let host = Host::new(World { reads_lag: 2, ..World::default() });
    let create = format!("{VIEWER}?allowMissing=true");
    host.admin().patch(&create, &viewer()).json(200);
    host.admin().get(VIEWER).is_refused(404, "");
    assert_eq!(host.admin().get(ROLES).json(200)["listingRoles"], json!([]));
    assert_eq!(host.admin().get(VIEWER).json(200)["displayName"], "Viewer");

    // Writes do not lag: the update finds the role that reads do not return yet.
    let body = json!({"displayName": "New", "priority": "5"});
    host.admin().patch(VIEWER, &body).json(200);
    let names = [(); 3].map(|()| host.admin().get(VIEWER).json(200)["displayName"].clone());
    assert_eq!(names, ["Viewer", "Viewer", "New"]);

    host.admin().delete(VIEWER).json(200);
    let statuses = [(); 3].map(|()| host.admin().get(VIEWER).status);
    assert_eq!(statuses, [200, 200, 404]);

    host.admin().post(&format!("{OWNERS}?integrationOwnerId=x"), &json!({"owner": "users/x"}));
    let statuses = [(); 3].map(|()| host.admin().get(&format!("{OWNERS}/x")).status);
    assert_eq!(statuses, [404, 404, 200]);
    host.admin().delete(&format!("{OWNERS}/x")).json(200);
    let statuses = [(); 3].map(|()| host.admin().get(&format!("{OWNERS}/x")).status);
    assert_eq!(statuses, [200, 200, 404]);
}

#[test]
fn reads_lag_for_a_time() {
    let host = Host::new(World { reads_lag_ms: 3_600_000, ..World::default() });
    host.admin().patch(&format!("{VIEWER}?allowMissing=true"), &viewer()).json(200);
    for _ in 0..5 {
        host.admin().get(VIEWER).is_refused(404, "");
    }
    host.service().change_role("github", "viewer", &json!({"displayName": "By hand"})).unwrap();
    assert_eq!(host.admin().get(VIEWER).json(200)["displayName"], "By hand");
}
