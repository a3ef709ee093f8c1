//! Deleted roles.

use access_fake::{DeletedRoles, World};
use serde_json::{Value, json};

use crate::support::Host;

const ROLES: &str = "/api/v1/listings/github/roles";
const VIEWER: &str = "/api/v1/listings/github/roles/viewer";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5", "description": "Reads"})
}

fn with_role(world: World) -> Host {
    let host = Host::new(world);
    host.service().put_role("github", "viewer", &viewer()).unwrap();
    host
}

#[test]
fn deleted_role_is_returned_with_its_delete_time_if_configured() {
    let world = World { deleted_roles: DeletedRoles::Returned, ..World::default() };
    let host = with_role(world);
    host.admin().delete(VIEWER).json(200);
    let role = host.admin().get(VIEWER).json(200);
    assert!(role["deleteTime"].is_string());
    assert_eq!(role["description"], "Reads");
    assert_eq!(host.admin().get(ROLES).json(200)["listingRoles"], json!([]));
    host.admin().patch(VIEWER, &viewer()).is_refused(404, "roles/viewer");
    host.admin().delete(VIEWER).is_refused(404, "roles/viewer");
}
