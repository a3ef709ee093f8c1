//! Large listings, and spellings of repositories.

use access_fake::OddList;
use serde_json::json;

use super::*;

/// 15 MB in one page of the default size: the provider reads at most 8 MiB of a response.
#[test]
fn listing_of_large_roles_is_listed_in_smaller_pages() {
    for refuse_over_bytes in [None, Some(2_000_000)] {
        let service = Service::full();
        service.change_world(|world| {
            world.lists.push(OddList {
                default_page_size: Some(1000),
                refuse_over_bytes,
                ..OddList::default()
            });
        });
        let description = "x".repeat(150_000);
        for number in 0..100 {
            service.put_role(
                "github",
                &format!("role-{number}"),
                json!({"displayName": "Role", "priority": "1", "description": description}),
            );
        }
        let workspace = service.workspace();
        workspace.configure(
            "data \"access_listing_roles\" \"all\" {
  listing = \"github\"
}
output \"count\" {
  value = length(data.access_listing_roles.all.roles)
}
",
        );
        workspace.apply().succeeds();
        assert_eq!(workspace.state()["outputs"]["count"]["value"], 100, "{refuse_over_bytes:?}");
    }
}

#[test]
fn http_origin_of_bitbucket_is_recorded_with_https() {
    let service = Service::full();
    let workspace = service
        .workspace()
        .with("BITBUCKET_BUILD_NUMBER", "7")
        .with("BITBUCKET_GIT_HTTP_ORIGIN", "http://bitbucket.org/team/access");
    workspace.configure(&role("viewer", ""));
    workspace.apply().succeeds();
    assert_eq!(
        service.role("github", "viewer").unwrap()["repoUri"],
        "https://bitbucket.org/team/access"
    );
}

#[test]
fn text_404_of_a_gateway_under_patch_does_not_count_as_deleted() {
    for body in ["404 page not found", "<html></html>", ""] {
        let service = Service::full();
        let workspace = service
            .workspace()
            .with("ACCESS_DRIFT_DETECTION", "patch")
            .with("ACCESS_REPO_URI", "https://example.com/a/b");
        workspace.configure(&role("viewer", ""));
        workspace.apply().succeeds();
        service.respond_to_all("PATCH", 404, body);
        workspace.plan().fails_with("404");
        workspace.apply_with(&["-refresh-only"]).exits(1);
        assert_eq!(workspace.state_size(), 1, "{body:?}");
    }
}
