//! Plans that would never become empty, and plans that would write to another repository.

use access_fake::{OmittedFields, ResponseTo};
use serde_json::json;

use super::*;

const ROLE: &str = "access_listing_role.viewer";

fn fields(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn reads_and_lists_that_omit_fields_plan_nothing() {
    let cases: [(&[ResponseTo], &[&str]); 6] = [
        (&[ResponseTo::Get], &["manager"]),
        (&[ResponseTo::List], &["manager"]),
        (&[ResponseTo::Get, ResponseTo::List], &["manager"]),
        (&[ResponseTo::Get, ResponseTo::List], &["manager", "repoUri", "repoDir"]),
        (&[ResponseTo::List], &["description", "resources", "priority", "updateTime"]),
        (&[ResponseTo::Get, ResponseTo::List], &["createTime", "updateTime"]),
    ];
    for mode in ["auto", "list"] {
        for (responses, names) in cases {
            let service = Service::full();
            service.change_world(|world| {
                world.omitted_fields.push(OmittedFields {
                    responses: responses.to_vec(),
                    fields: fields(names),
                    ..OmittedFields::default()
                });
            });
            let workspace = service
                .workspace()
                .with("ACCESS_DRIFT_DETECTION", mode)
                .with("ACCESS_REPO_URI", "https://example.com/a/b")
                .with("ACCESS_REPO_DIR", "access");
            workspace
                .configure(&role("viewer", "  description = \"Text\"\n  resources = [\"repo/a\"]"));
            workspace.apply().succeeds();
            let case = format!("{mode} {responses:?} {names:?}");
            for _ in 0..2 {
                let plan = workspace.plan();
                assert_eq!(plan.code, 0, "{case}: {}", plan.output());
                workspace.apply().succeeds();
            }
            // A real change is found all the same.
            service.change_role("github", "viewer", json!({"displayName": "By hand"}));
            let plan = workspace.plan();
            assert_eq!(plan.action(ROLE), "update", "{case}: {}", plan.output());
        }
    }
}

/// Another workspace has recorded its repository on the role meanwhile.
#[test]
fn plan_under_patch_does_not_clear_what_another_repository_recorded() {
    for ours in ["", "https://example.com/ours"] {
        let service = Service::full();
        let mut workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "patch");
        workspace.set("ACCESS_REPO_URI", ours);
        workspace.configure(&role("viewer", ""));
        workspace.apply().succeeds();
        // Before this configuration has ever seen it: nothing is known about the repository.
        if ours.is_empty() {
            let theirs = json!({"repoUri": "https://example.com/theirs", "repoDir": "their/dir"});
            service.change_role("github", "viewer", theirs);
            service.clear_requests();
            workspace.plan().exits(0);
            assert_eq!(service.writes().len(), 0);
            let role = service.role("github", "viewer").unwrap();
            assert_eq!(role["repoUri"], "https://example.com/theirs");
            assert_eq!(role["repoDir"], "their/dir");
        } else {
            // The plan sends the value that was last seen, which is ours, and none of a third
            // repository.
            workspace.set("ACCESS_REPO_URI", "https://example.com/third");
            workspace.plan().exits(2);
            assert_eq!(service.role("github", "viewer").unwrap()["repoUri"], ours);
        }
    }
}

#[test]
fn directory_of_one_repository_never_stays_with_the_uri_of_another() {
    for mode in ["auto", "list", "patch", "off"] {
        let (service, mut workspace) = {
            let service = Service::full();
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            (service, workspace)
        };
        workspace.set("ACCESS_REPO_URI", "https://example.com/one");
        workspace.set("ACCESS_REPO_DIR", "dir/of/one");
        workspace.configure(&role("viewer", ""));
        workspace.apply().succeeds();
        workspace.set("ACCESS_REPO_URI", "https://example.com/two");
        workspace.set("ACCESS_REPO_DIR", "");
        workspace.apply().succeeds();
        let role = service.role("github", "viewer").unwrap();
        assert_eq!(role["repoUri"], "https://example.com/two", "{mode}");
        assert_eq!(role["repoDir"].as_str().unwrap_or_default(), "", "{mode}");
        workspace.plan().exits(0);
    }
}

#[test]
fn spelling_of_the_repository_is_the_service_s_own_and_explicit_values_are_enforced() {
    for mode in ["auto", "list", "patch"] {
        let service = Service::full();
        service.change_world(|world| {
            world.repo_uri_git_suffix = true;
            world.repo_uri_upper_host = true;
        });
        let workspace = service
            .workspace()
            .with("ACCESS_DRIFT_DETECTION", mode)
            .with("ACCESS_REPO_URI", "https://example.com/a/b");
        workspace.configure(&role("viewer", ""));
        workspace.apply().succeeds();
        assert_eq!(
            service.role("github", "viewer").unwrap()["repoUri"],
            "https://EXAMPLE.COM/a/b.git"
        );
        for _ in 0..2 {
            workspace.plan().exits(0);
        }
        if mode == "patch" {
            continue;
        }
        service.change_role("github", "viewer", json!({"repoUri": "https://example.com/c"}));
        assert_eq!(workspace.plan().exits(2).action(ROLE), "update", "{mode}");
        workspace.apply().succeeds();
        workspace.plan().exits(0);
    }
}
