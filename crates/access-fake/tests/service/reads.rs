//! The undocumented operations: their existence, and pages.

use std::collections::BTreeSet;

use access_fake::{Absence, Presence, World};
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
