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
fn deleted_role_is_not_found() {
    let host = with_role(World::default());
    assert_eq!(host.admin().delete(VIEWER).json(200), json!({}));
    host.admin().get(VIEWER).is_refused(404, "roles/viewer");
    host.admin().delete(VIEWER).is_refused(404, "roles/viewer");
    host.admin().patch(VIEWER, &viewer()).is_refused(404, "roles/viewer");
    assert_eq!(host.admin().get(ROLES).json(200)["listingRoles"], json!([]));
    assert_eq!(host.service().role("github", "viewer"), None);
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

#[test]
fn deleted_role_is_created_anew() {
    let host = with_role(World::default());
    let before = host.service().role("github", "viewer").unwrap();
    host.admin().delete(VIEWER).json(200);
    let body = json!({"displayName": "New", "priority": "1"});
    let role = host.admin().patch(&format!("{VIEWER}?allowMissing=true"), &body).json(200);
    assert_eq!(role.get("deleteTime"), None);
    assert_eq!(role["description"], "", "nothing of the old one is left");
    assert!(role["createTime"].as_str() > before["createTime"].as_str());
}

#[test]
fn role_is_deleted_and_removed_by_hand() {
    let host = with_role(World { deleted_roles: DeletedRoles::Returned, ..World::default() });
    assert!(host.service().delete_role("github", "viewer"));
    assert!(!host.service().delete_role("github", "viewer"));
    assert!(host.admin().get(VIEWER).json(200)["deleteTime"].is_string());
    assert!(host.service().remove_role("github", "viewer"));
    assert!(!host.service().remove_role("github", "viewer"));
    host.admin().get(VIEWER).is_refused(404, "roles/viewer");
}
