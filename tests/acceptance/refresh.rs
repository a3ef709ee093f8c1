//! Refreshes: changes made outside Terraform, deletions, reads that fail, lag or omit fields, and other
//! base addresses. None loses a state or hides a change.
//!
//! `protocol::reads` has the whole table of responses.

use access_fake::{Fault, HiddenObject, LagRule, OmittedFields, Read, ResponseTo, World, Write};
use serde_json::json;

use crate::support::fixtures::{Text, impatient, many_owners, owner, role, roles};
use crate::support::{Feature, Service, Workspace, host_version};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";

fn viewer() -> crate::support::fixtures::Block {
    role("viewer").text("description", "Reads").set("resources", "[\"repo/a\"]")
}

fn both() -> Text {
    viewer() + owner("ada")
}

fn applied() -> (Service, Workspace) {
    let service = Service::full();
    let workspace = service.applied(both());
    (service, workspace)
}

/// Plans and refreshes, and checks that nothing is planned and the whole state is kept.
#[track_caller]
fn keeps_the_state(workspace: &Workspace) {
    let size = workspace.state_size();
    workspace.plans_nothing();
    workspace.refresh().succeeds();
    assert_eq!(workspace.state_size(), size);
}

#[test]
fn every_kind_of_drift_is_planned_and_corrected() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied();
    let original = service.role("github", "viewer").unwrap();
    for change in [
        json!({"displayName": "By hand"}),
        json!({"description": ""}),
        json!({"priority": "6"}),
        json!({"resources": ["repo/a", "repo/b"]}),
        json!({"resources": []}),
        json!({"manager": null}),
    ] {
        service.change_role("github", "viewer", change.clone());
        let plan = workspace.plan().plans(ROLE, "update");
        if change.get("manager").is_some() {
            plan.warns(["roles/viewer", "manager"]);
        }
        workspace.apply().succeeds();
        let role = service.role("github", "viewer").unwrap();
        for field in ["displayName", "description", "priority", "resources", "manager"] {
            assert_eq!(role[field], original[field], "{field} after {change}");
        }
    }
    workspace.plans_nothing();
}

#[test]
fn deleted_objects_are_planned_for_creation_with_a_warning() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for returns_deleted in [false, true] {
        let (service, workspace) = applied();
        if returns_deleted {
            service.return_deleted_roles();
        }
        service.soft_delete_role("github", "viewer");
        service.remove_principal("github", "users/ada");
        let plan = workspace.plan().plans(ROLE, "create").plans(OWNER, "create");
        let plan = plan.warns("listings/github/roles/viewer").warns("integrations/github/owners/");
        assert_eq!(plan.warnings().len(), 2, "{:#?}", plan.warnings());
        workspace.apply().succeeds();
        assert!(service.role("github", "viewer").is_some());
        assert_eq!(service.owners_named("github", "users/ada"), 1);
        workspace.plans_nothing().without_warnings();
    }
}

#[test]
fn failed_reads_are_errors_that_keep_the_state_and_name_the_next_step() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    let workspace = service.applied(viewer());
    let before = workspace.state_of(ROLE);
    workspace.configure(impatient() + viewer());
    for (status, body, part) in [
        (401, "{}", "api_key"),
        (403, r#"{"message":"not for you"}"#, "drift_detection"),
        (404, "404 page not found", "base_url"),
        (404, "<html><body>not here</body></html>", "base_url"),
        (302, "", "base_url"),
        (500, "boom", "500"),
        (200, "garbage", "200"),
        (200, r#"{"name":"listings/github/roles/other","displayName":"x"}"#, "other"),
    ] {
        service.respond_to_all("GET", status, body);
        workspace.apply().fails_with(["GET /api/v1/listings/github/roles/viewer", part]);
        assert_eq!(workspace.state_of(ROLE), before, "{status} {body:?}");
    }
    service.respond_normally();
    workspace.plans_nothing();
}

#[test]
fn plan_and_refresh_write_nothing_and_a_key_that_reads_is_enough() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace.set("ACCESS_API_KEY", "reader-key");
    workspace.plan().changes();
    workspace.plan_with(&["-refresh-only"]).exits(2);
    assert_eq!(service.writes().len(), 0);
    workspace.apply().fails_with(["403", "PATCH"]);
}

#[test]
fn off_reads_nothing_without_a_warning() {
    let (service, workspace) = applied();
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace.plans_nothing().without_warnings();
    assert_eq!(service.requests().len(), 0);
}

/// A service with the two documented operations only.
#[test]
fn objects_are_kept_and_updated_without_reads() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for absence in [404, 405, 501] {
        let service = Service::documented_only(absence);
        let workspace = service.applied(role("viewer") + role("editor") + owner("ada"));
        let plan = workspace.plans_nothing();
        assert!((1..=2).contains(&plan.warnings().len()), "once per run: {:#?}", plan.warnings());
        let reader = role("viewer").text("display_name", "Reader");
        workspace.configure(reader.clone() + role("editor") + owner("ada"));
        workspace.plan().plans(ROLE, "update");
        workspace.apply().succeeds();
        assert_eq!(service.display_name("viewer"), "Reader");
        assert_eq!(service.owners_named("github", "users/ada"), 1);

        // A 404 to an update is an error. Where reads are not offered, the next plan creates the role. A 404
        // to a read that has never worked does not tell whether they are.
        service.remove_role("github", "viewer");
        workspace.configure(reader.text("display_name", "Other") + role("editor") + owner("ada"));
        workspace.apply().fails_with(["404", "roles/viewer"]);
        assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Reader");
        if absence == 404 {
            workspace.plan().plans(ROLE, "update");
            workspace.run(&["state", "rm", "-lock=false", ROLE]).succeeds();
        }
        workspace.plan().plans(ROLE, "create");
        workspace.apply().succeeds();
        workspace.plans_nothing();
    }
}

/// A key that may not read one role of a listing, and may read all others. An update is no read.
#[test]
fn role_that_was_never_read_is_not_deleted_because_another_was_read() {
    let service = Service::full();
    let object = "listings/github/roles/secret".to_owned();
    let hidden =
        HiddenObject { object, get: Some(404), omit_from_list: true, ..Default::default() };
    service.hide(hidden);
    let workspace = service.applied(role("viewer"));
    workspace.configure(role("viewer") + role("secret"));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
    workspace.configure(role("viewer") + role("secret").text("description", "Changed"));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
}

#[test]
fn deletion_of_an_adopted_object_is_detected_after_its_look() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    service.without_lists();
    service.put_theirs();
    let fixed = owner("ada").text("integration_owner_id", "own-7").adopting();
    let workspace = service.applied(role("viewer").adopting() + fixed);
    service.remove_role("github", "viewer");
    service.remove_owner("github", "own-7");
    workspace.plan().plans(ROLE, "create").plans(OWNER, "create");
}

/// Each read returns what was before the last write, for longer than a run.
#[test]
fn reads_that_lag_behind_a_write_change_nothing_and_warn_once() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for (reads, write) in [(3, None), (10_000, Some(Write::Update))] {
        let service = Service::full();
        let mut world = World { duplicate_owners: true, ..World::default() };
        let two = |name: &str| {
            let named = |id: &str| role(id).text("display_name", name);
            named("viewer") + named("editor") + owner("ada")
        };
        if write.is_none() {
            world.lags.push(LagRule { reads, ..LagRule::default() });
        }
        service.change_world(|old| *old = world);
        let workspace = service.applied(two("One"));
        service.change_world(|world| {
            world.lags = vec![LagRule { after: write, reads, ..LagRule::default() }];
        });
        workspace.configure(two("Two"));
        workspace.apply().succeeds();
        let plan = workspace.plans_nothing();
        if write.is_some() {
            assert_eq!(plan.warnings().len(), 1, "{:#?}", plan.warnings());
        }
        workspace.refresh().succeeds();
        assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Two");
        assert_eq!(workspace.state_size(), 3);
        workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "users/ada"), 1);
        assert_eq!(service.display_name("viewer"), "Two");
    }
}

/// The next run does not find the owner yet, neither by GET nor in the list.
#[test]
fn owner_that_no_read_shows_yet_is_not_added_twice() {
    let service = Service::full();
    service.change_world(|world| {
        world.duplicate_owners = true;
        for read in [Some(Read::Get), Some(Read::List)] {
            let after = Some(Write::Create);
            world.lags.push(LagRule { read, after, reads: 12, ..LagRule::default() });
        }
    });
    let workspace = service.workspace();
    workspace.configure(owner("ada"));
    for _ in 0..3 {
        workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "users/ada"), 1);
    }
}

/// The role was imported, and its last write is ten minutes old.
#[test]
fn restored_backup_counts() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::start(World { clock_offset_ms: -600_000, ..World::default() });
    for id in ["viewer", "editor"] {
        let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
        service.put_role("github", id, fields);
    }
    let workspace = service.workspace();
    workspace.configure(role("viewer") + role("editor"));
    for id in ["viewer", "editor"] {
        workspace.import(&format!("access_listing_role.{id}"), &format!("github/{id}")).succeeds();
    }
    service.change_world(|world| world.clock_offset_ms = 0);
    let backup = json!({"displayName": "One", "updateTime": "2020-01-02T03:04:05Z"});
    service.change_role("github", "viewer", backup);
    let plan = workspace.plan().plans(ROLE, "update").without_warnings();
    assert_eq!(plan.action("access_listing_role.editor"), "no-op");
    workspace.apply().succeeds();
    assert_eq!(service.display_name("viewer"), "Role");
}

#[test]
fn reads_and_lists_that_omit_fields_plan_nothing() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    use ResponseTo::{Get, List};
    let cases: [(&[ResponseTo], &[&str]); 5] = [
        (&[Get], &["manager"]),
        (&[List], &["manager"]),
        (&[Get, List], &["manager", "repoUri", "repoDir"]),
        (&[List], &["description", "resources", "priority", "updateTime"]),
        (&[Get, List], &["createTime", "updateTime"]),
    ];
    for (responses, fields) in cases {
        let service = Service::full();
        service.change_world(|world| {
            let fields = fields.iter().map(|&field| field.to_owned()).collect();
            let responses = responses.to_vec();
            world.omitted_fields.push(OmittedFields { responses, fields, ..Default::default() });
        });
        let workspace = service
            .workspace()
            .with("ACCESS_REPO_URI", "https://example.com/a/b")
            .with("ACCESS_REPO_DIR", "access");
        workspace.configure(both());
        workspace.apply().succeeds();
        let case = format!("{responses:?} {fields:?}");
        let plan = workspace.plan();
        assert_eq!(plan.code, 0, "{case}: {}", plan.output());
        workspace.apply().succeeds();
        let plan = workspace.plan();
        assert_eq!(plan.code, 0, "{case}: {}", plan.output());
        // A real change is found all the same.
        service.change_role("github", "viewer", json!({"displayName": "By hand"}));
        workspace.plan().plans(ROLE, "update");
    }
}

#[test]
fn role_that_is_imported_without_the_manager_does_not_warn() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    service.put_theirs();
    let workspace = service.workspace();
    workspace.configure(role("viewer").text("display_name", "Theirs").set("priority", 7));
    workspace.import(ROLE, "github/viewer").succeeds();
    workspace.plan().plans(ROLE, "update");
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["manager"], "TERRAFORM");
    workspace.plans_nothing().without_warnings();
    for manager in [json!(null), json!("CONSOLE")] {
        service.change_role("github", "viewer", json!({ "manager": manager }));
        workspace.plan().plans(ROLE, "update").warns(["roles/viewer", "manager"]);
        workspace.apply().succeeds();
    }
}

#[test]
fn explicit_repository_is_enforced_and_its_spelling_is_the_service_s_own() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    service.change_world(|world| {
        world.repo_uri_git_suffix = true;
        world.repo_uri_upper_host = true;
    });
    let mut workspace = service.workspace().with("ACCESS_REPO_URI", "https://example.com/a/b");
    workspace.set("ACCESS_REPO_DIR", "dir/of/one");
    workspace.configure(role("viewer"));
    workspace.apply().succeeds();
    let stored = |field: &str| service.role("github", "viewer").unwrap()[field].clone();
    assert_eq!(stored("repoUri"), "https://EXAMPLE.COM/a/b.git");
    workspace.plans_nothing();
    service.change_role("github", "viewer", json!({"repoUri": "https://example.com/c"}));
    workspace.plan().plans(ROLE, "update");
    workspace.apply().succeeds();
    workspace.plans_nothing();

    // The directory of one repository never stays with the URI of another.
    workspace.set("ACCESS_REPO_URI", "https://example.com/two");
    workspace.set("ACCESS_REPO_DIR", "");
    workspace.apply().succeeds();
    assert_eq!(stored("repoDir").as_str().unwrap_or_default(), "");
    workspace.plans_nothing();
}

/// Fails the test unless plan, refresh, update and destroy fail and name both addresses.
#[track_caller]
fn loses_nothing(workspace: &Workspace, there: &str, here: &str) {
    let size = workspace.state_size();
    for outcome in [
        workspace.plan(),
        workspace.refresh(),
        workspace.destroy(),
        workspace.destroy_with(&["-refresh=false"]),
    ] {
        let errors = outcome.exits(1).errors();
        assert_eq!(errors.len(), size, "{errors:#?}");
        for error in errors {
            assert!(error.contains(there) && error.contains(here), "{error}");
        }
    }
    assert_eq!(workspace.state_size(), size);
}

/// Another region lacks the objects, or has others of the same names, with or without a creation time.
#[test]
fn other_region_fails_and_keeps_the_state() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for (has_others, omits_times) in [(false, false), (true, false), (true, true)] {
        let home = Service::full();
        let mut workspace = home.applied(role("viewer") + owner("ada"));
        let ids = home.owner_ids("github", "users/ada");
        let elsewhere = Service::full();
        if has_others {
            elsewhere.change_world(|world| world.clock_offset_ms = -600_000);
            elsewhere.put_role("github", "viewer", json!({"displayName": "Role", "priority": "1"}));
            elsewhere.put_owner("github", &ids[0], "users/ada");
        }
        if omits_times {
            let fields = vec!["createTime".to_owned()];
            let omitted = OmittedFields { fields, ..OmittedFields::default() };
            elsewhere.change_world(|world| world.omitted_fields.push(omitted));
        }
        workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
        loses_nothing(&workspace, &home.base_url(), &elsewhere.base_url());
        let replaced = workspace.apply_with(&[&format!("-replace={ROLE}"), "-refresh=false"]);
        replaced.fails_with([&home.base_url() as &str, &elsewhere.base_url()]);
        assert_eq!((home.writes().len(), elsewhere.writes().len()), (0, 0));
        workspace.set("ACCESS_BASE_URL", &home.base_url());
        workspace.plans_nothing();
    }
}

#[test]
fn path_prefix_of_a_gateway_loses_nothing() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for body in ["{}", "<html></html>"] {
        let (service, mut workspace) = applied();
        service.fault(Fault::respond(404, body).at("/eu*"));
        let here = format!("{}/eu", service.base_url());
        workspace.set("ACCESS_BASE_URL", &here);
        loses_nothing(&workspace, &service.base_url(), &here);
        assert_eq!(service.writes().len(), 0);
    }
}

#[test]
fn same_service_under_a_new_address_plans_nothing_and_is_remembered() {
    let (old, mut workspace) = applied();
    let new = old.elsewhere();
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.plans_nothing().without_warnings();
    workspace.configure(viewer().text("display_name", "Other") + owner("ada"));
    workspace.apply().succeeds().without_warnings();
    // Without a refresh, the destroy finds the owner there.
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!((new.role("github", "viewer"), workspace.state_size()), (None, 0));
    assert_eq!(new.principals("github"), ["users/founder"]);
}

#[test]
fn drift_of_many_objects_is_found_by_a_list() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    let workspace = service.applied(roles(30) + many_owners(10));
    service.change_role("github", "role-4", json!({"displayName": "By hand"}));
    service.remove_role("github", "role-5");
    service.remove_principal("github", "users/user-6");
    let plan = workspace.plan().plans("access_listing_role.many[4]", "update");
    let plan = plan.plans("access_listing_role.many[5]", "create");
    plan.plans("access_integration_owner.many[6]", "create");
    workspace.apply().succeeds();
    workspace.plans_nothing().without_warnings();
}
