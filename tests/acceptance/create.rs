//! Creates: what is sent, objects that exist already, adoptions, and looks that cannot be made.
//!
//! `protocol::creates` has the whole table of looks. Here Terraform shows what its user meets.

use access_fake::{Absence, Fault, OddList, World};
use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{impatient, import, later, owner, owners, role};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";
const NAMES: [&str; 2] = ["listings/github/roles/viewer", "integrations/github/owners/own-7"];

#[test]
fn role_is_created_planned_without_changes_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    let viewer = role("viewer").text("description", "Reads everything");
    workspace.configure(viewer.clone().set("resources", "[\"repo/b\", \"repo/a\"]"));
    workspace.plan().plans(ROLE, "create");
    workspace.apply().succeeds().without_warnings();

    let stored = service.role("github", "viewer").expect("the role exists");
    assert_eq!(stored["displayName"], "Role");
    assert_eq!(stored["resources"], json!(["repo/a", "repo/b"]));
    assert_eq!(stored["manager"], "TERRAFORM");
    let state = workspace.state_of(ROLE).unwrap();
    for name in ["id", "name"] {
        assert_eq!(state[name], "listings/github/roles/viewer");
    }
    assert_eq!((&state["manager"], &state["management"]), (&json!("TERRAFORM"), &json!(null)));
    assert!(state["create_time"].is_string() && state["update_time"].is_string(), "{state}");

    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plans_nothing().without_warnings();
    workspace.configure(viewer.set("resources", "[\"repo/a\", \"repo/b\"]"));
    workspace.plans_nothing();

    workspace.destroy().succeeds().warns("revoke");
    assert_eq!((service.role("github", "viewer"), workspace.state_size()), (None, 0));
}

#[test]
fn owner_is_created_planned_without_changes_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(owner("ada"));
    workspace.plan().plans(OWNER, "create");
    workspace.apply().succeeds().without_warnings();
    let state = workspace.state_of(OWNER).unwrap();
    let id = state["integration_owner_id"].as_str().unwrap();
    assert_eq!(state["name"], format!("integrations/github/owners/{id}"));
    assert_eq!(state["id"], state["name"]);
    assert!(state["create_time"].is_string());
    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plans_nothing().without_warnings();
    workspace.destroy().succeeds();
    assert_eq!(service.principals("github"), ["users/founder"], "others are left alone");

    let fixed = owner("ada").text("integration_owner_id", "one");
    workspace.configure(&fixed);
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(OWNER).unwrap()["id"], "integrations/github/owners/one");
    workspace.plans_nothing();
    workspace.configure(owner("ada"));
    workspace.plans_nothing();
}

#[test]
fn create_sends_no_read_only_field() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].query_value("allowMissing").as_deref(), Some("true"));
    let mask = writes[0].query_value("updateMask").expect("a mask");
    let mut mask: Vec<_> = mask.split(',').collect();
    mask.sort_unstable();
    assert_eq!(mask, ["description", "displayName", "priority"]);
    assert_eq!(writes[0].body, json!({"displayName": "Role", "priority": "1", "description": ""}));
}

/// A plan never fails because an object exists: it warns. Only the create decides, in every mode and
/// with every kind of plan.
#[test]
fn existing_objects_are_a_warning_at_plan_and_refused_by_the_create() {
    for mode in ["auto", "off"] {
        let service = Service::full();
        service.put_theirs();
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(role("viewer") + owner("ada"));
        let plan = workspace.save_plan(&[]);
        for name in ["listings/github/roles/viewer", "integrations/github"] {
            assert_eq!(plan.warnings_with(name), usize::from(mode == "auto"), "{mode} {name}");
        }
        if mode == "auto" {
            for warning in plan.warnings() {
                assert!(warning.contains("import {") && warning.contains("export"), "{warning}");
                let summary = warning.lines().next().unwrap();
                let named = ["roles/viewer", "users/ada", "owners/own-7"];
                assert!(named.iter().any(|name| summary.contains(name)), "{summary}");
            }
        }
        for outcome in [workspace.apply_saved(), workspace.apply()] {
            let mut outcome = outcome;
            for name in NAMES {
                let id = format!("id = \"{name}\"");
                outcome = outcome.fails_with(["import {", &id, "export"]);
            }
            assert_eq!(outcome.errors().len(), 2, "{mode}: {}", outcome.output());
        }
        assert_eq!((service.writes().len(), workspace.state_size()), (0, 0), "{mode}");
        assert_eq!(service.display_name("viewer"), "Theirs");

        // The block of the error works.
        let imports = import(ROLE, NAMES[0]) + import(OWNER, NAMES[1]);
        workspace.configure(role("viewer") + owner("ada") + imports);
        workspace.apply().succeeds();
        assert_eq!((service.requests_of("POST"), workspace.state_size()), (0, 2), "{mode}");
        workspace.plans_nothing();
    }
}

#[test]
fn adoption_shows_the_present_values_at_plan_and_touches_only_what_is_configured() {
    let service = Service::full();
    service.put_theirs();
    let workspace = service.workspace();
    let both = role("viewer").adopting() + owner("ada").adopting();
    workspace.configure(&both);
    let plan = workspace.plan().changes();
    let plan = plan.warns(["listings/github/roles/viewer", "`display_name`", "Theirs"]);
    let plan = plan
        .warns(["listings/github/roles/viewer", "`priority`", "7"])
        .warns("integrations/github");
    plan.does_not_warn("`resources`").does_not_warn("import {");
    assert_eq!(service.writes().len(), 0);
    workspace.apply().succeeds();
    let stored = service.role("github", "viewer").unwrap();
    assert_eq!((&stored["displayName"], &stored["priority"]), (&json!("Role"), &json!("1")));
    assert_eq!(stored["resources"], json!(["repo/old"]), "not configured and not touched");
    assert_eq!(stored["manager"], "TERRAFORM");
    assert_eq!(service.requests_of("POST"), 0);
    workspace.plans_nothing();

    // The argument itself is not sent to the service.
    service.clear_requests();
    workspace.configure(role("viewer") + owner("ada"));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn adoption_that_changes_resources_warns_about_entitlements() {
    for (resources, warned) in [
        (Some("[\"repo/new\"]"), true),
        (Some("[terraform_data.later.output]"), true),
        (Some("[\"repo/old\"]"), false),
        (None, false),
    ] {
        let service = Service::full();
        service.put_theirs();
        let workspace = service.workspace();
        let viewer = role("viewer").adopting();
        let viewer = resources.map_or(viewer.clone(), |value| viewer.set("resources", value));
        workspace.configure(viewer + later("later", "\"repo/new\""));
        let plan = workspace.plan().changes();
        let named = plan.warnings_with("repo/old") > 0;
        assert_eq!(named, warned, "{resources:?}: {:#?}", plan.warnings());
    }
}

/// A role that names `TERRAFORM` and another repository is in another configuration.
#[test]
fn role_of_another_configuration_is_named_with_its_repository_and_time() {
    let service = Service::full();
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM",
                        "repoUri": "https://github.com/other/repo", "repoDir": "infra",
                        "updateTime": "2026-03-04T05:06:07Z"});
    service.put_role("github", "viewer", fields);
    let workspace = service.workspace();
    for viewer in [role("viewer"), role("viewer").adopting()] {
        workspace.configure(viewer);
        let parts =
            ["roles/viewer", "TERRAFORM", "https://github.com/other/repo in infra", "2026-03-04"];
        workspace.plan().changes().warns(parts);
    }
    workspace.configure(role("viewer"));
    let error = workspace.apply().only_error();
    for part in ["Another configuration", "https://github.com/other/repo in infra", "2026-03-04"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(error.contains("import {") && !error.contains("create_before_destroy"), "{error}");
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn allow_missing_false_adopts_the_role_and_requires_it() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer").set("allow_missing", false));
    let outcome = workspace.apply().fails_with(["allow_missing", "roles/viewer"]);
    assert_eq!(outcome.blamed_lines(), ["role = \"viewer\""]);
    assert_eq!(service.role("github", "viewer"), None);

    service.put_theirs();
    workspace.apply().succeeds();
    assert_eq!(service.display_name("viewer"), "Role");
    assert!(service.writes().iter().all(|write| write.query_value("allowMissing").is_none()));
    workspace.plans_nothing();
}

/// Also by an expression that turns out null.
#[test]
fn adoption_that_is_known_after_apply_is_decided_by_the_create() {
    let output = "terraform_data.flag.output";
    let null = format!("{output} ? true : null");
    for (argument, expression, value, is_adopted) in [
        ("adopt_existing", output, true, true),
        ("adopt_existing", output, false, false),
        ("adopt_existing", &null, false, false),
        ("allow_missing", output, false, true),
        ("allow_missing", output, true, false),
    ] {
        for saved in [false, true] {
            let case = format!("{argument} = {expression} with {value}, saved: {saved}");
            let service = Service::full();
            service.put_theirs();
            let workspace = service.workspace();
            let flag = later("flag", value);
            let viewer = role("viewer").set(argument, expression);
            if argument == "adopt_existing" {
                let list = owners(&["users/founder"]).set(argument, expression);
                workspace.configure(flag + viewer + owner("ada").set(argument, expression) + list);
            } else {
                workspace.configure(flag + viewer);
            }
            let apply = if saved {
                workspace.save_plan(&[]);
                workspace.apply_saved()
            } else {
                workspace.apply()
            };
            if is_adopted {
                assert_eq!(apply.code, 0, "{case}: {}", apply.output());
                assert_eq!(service.display_name("viewer"), "Role", "{case}");
                workspace.plans_nothing();
            } else {
                apply.fails_with("import {");
                assert_eq!(service.display_name("viewer"), "Theirs", "{case}");
                assert_eq!((service.writes().len(), workspace.state_size()), (0, 1), "{case}");
            }
            assert_eq!(service.requests_of("POST"), 0, "{case}");
        }
    }
}

/// An object that appears between the plan and the apply, or after a refresh has found its predecessor
/// deleted, is somebody else's.
#[test]
fn object_that_appears_after_a_saved_plan_is_not_overwritten() {
    for was_managed in [false, true] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(role("viewer") + owner("ada"));
        if was_managed {
            workspace.apply().succeeds();
            service.remove_role("github", "viewer");
            service.remove_principal("github", "users/ada");
        }
        workspace.save_plan(&[]).plans(ROLE, "create");
        service.put_theirs();
        service.clear_requests();
        workspace.apply_saved().fails_with(["import {", NAMES[0]]).fails_with(NAMES[1]);
        assert_eq!(service.display_name("viewer"), "Theirs", "{was_managed}");
        assert_eq!((service.writes().len(), workspace.state_size()), (0, 0), "{was_managed}");
    }
}

/// On a service with the two documented operations, the plan says that it could not look, and the apply
/// that a role was, or may have been, overwritten.
#[test]
fn create_that_could_not_look_warns_at_plan_and_apply() {
    for (status, mode) in [(404, "auto"), (405, "auto"), (501, "off")] {
        let service = Service::documented_only(status);
        // The times show which of the two roles is older than the run.
        for (id, created) in [("old", "2020-01-02T03:04:05Z"), ("new", "2100-01-02T03:04:05Z")] {
            let fields = json!({"displayName": "Theirs", "priority": "7", "createTime": created});
            service.put_role("github", id, fields);
        }
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(role("old") + role("new").adopting());
        let plan = workspace.plan().changes();
        if mode == "auto" && status != 404 {
            assert!(!plan.warnings().is_empty(), "{status}: {}", plan.output());
        }
        let apply = workspace.apply().succeeds();
        let apply = apply.warns(["listings/github/roles/old", "overwritten"]);
        let apply = apply.warns(["roles/new", "overwritten"]);
        // `new` adopts already.
        apply.does_not_warn(["roles/new", "Set `adopt_existing"]);
        workspace.plans_nothing();
    }
}

#[test]
fn look_that_cannot_be_made_is_a_warning_at_plan() {
    let html = "<html><body><h1>404 Not Found</h1></body></html>";
    let denied = r#"{"message":"no reads for you"}"#;
    for (status, body, part) in
        [(405, "{}", "405"), (501, "{}", "501"), (403, denied, "403"), (404, html, "base_url")]
    {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(role("viewer") + owner("ada"));
        service.respond_to_all("GET", status, body);
        workspace.plan().changes().warns(part);
        assert_eq!(service.writes().len(), 0);
    }
}

#[test]
fn parent_that_does_not_exist_is_a_warning_at_plan_and_an_error_at_its_line() {
    let service = Service::full();
    let workspace = service.workspace();
    for (block, line) in [
        (role("viewer").text("listing", "nowhere"), "listing = \"nowhere\""),
        (owner("ada").text("integration", "nowhere"), "integration = \"nowhere\""),
    ] {
        workspace.configure(block);
        workspace.plan().changes().warns("nowhere");
        let outcome = workspace.apply().fails_with(["nowhere", "404"]);
        assert_eq!(outcome.blamed_lines(), [line]);
        assert_eq!(workspace.state_size(), 0);
    }
}

/// A 405 for one object proves nothing about another.
#[test]
fn each_create_looks_for_its_own_object() {
    let service = Service::full();
    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    service.put_role("github", "first", theirs.clone());
    service.put_role("github", "second", theirs);
    service.without_lists();
    service.fault(Fault::respond(405, "{}").on("GET").at("*/roles/first"));
    let workspace = service.workspace();
    workspace
        .configure(role("first") + role("second").line("depends_on = [access_listing_role.first]"));
    workspace.apply().fails_with(["listings/github/roles/second", "import {"]);
    assert_eq!(service.display_name("second"), "Theirs");
}

#[test]
fn malformed_list_entry_blocks_no_new_owner() {
    for insert in [json!({"no": "name"}), json!(17), json!(null), json!({"name": "integrations/x"})]
    {
        let service = Service::full();
        let insert = vec![insert];
        service.change_world(|world| world.lists = vec![OddList { insert, ..OddList::default() }]);
        let workspace = service.workspace();
        workspace.configure(owner("ada") + owner("ben"));
        workspace.apply().succeeds();
        assert_eq!(service.principals("github"), ["users/ada", "users/ben", "users/founder"]);
        workspace.plans_nothing();
    }
}

#[test]
fn owner_under_another_id_is_an_error_at_its_line_in_both_directions() {
    let service = Service::full();
    service.put_owner("github", "own-7", "users/ada");
    let workspace = service.workspace();
    // The principal has another ID, and the ID another principal.
    for (block, part) in [
        (owner("ada").text("integration_owner_id", "ada"), "own-7"),
        (owner("ada").text("integration_owner_id", "ada").adopting(), "own-7"),
        (owner("ben").text("integration_owner_id", "own-7"), "users/ada"),
    ] {
        workspace.configure(&block);
        workspace.plan().changes();
        let outcome = workspace.apply().fails_with(part);
        assert!(outcome.blamed_lines()[0].starts_with("integration_owner_id"), "{block}");
    }
    assert_eq!(service.writes().len(), 0);
    workspace.configure(owner("ada").text("integration_owner_id", "own-7").adopting());
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(OWNER).unwrap()["integration_owner_id"], "own-7");
}

/// The list of owners does not show the conflict: the service does.
#[test]
fn conflict_that_only_the_service_reports_shows_how_to_import() {
    let service = Service::full();
    service.without_lists();
    service.put_theirs();
    let workspace = service.workspace();
    workspace.configure(owner("ada"));
    workspace.apply().fails_with(["409", "import {"]);
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

/// The service stores `users/ada` as `users/id-17`.
#[test]
fn owner_stored_in_another_spelling_is_added_once_and_kept() {
    for mode in ["auto", "off"] {
        for fixed in [false, true] {
            let spelling = ("users/ada".to_owned(), "users/id-17".to_owned());
            let service = Service::start(World {
                duplicate_owners: true,
                canonical_owners: [spelling].into(),
                ..World::default()
            });
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            let ada = owner("ada");
            let ada = if fixed { ada.text("integration_owner_id", "one") } else { ada };
            workspace.configure(ada);
            for _ in 0..2 {
                workspace.apply().succeeds();
                assert_eq!(service.owners_named("github", "users/id-17"), 1, "{mode} {fixed}");
                workspace.plans_nothing();
            }
            workspace.destroy().succeeds();
            assert_eq!(service.owners_named("github", "users/id-17"), 0, "{mode} {fixed}");
        }
    }
}

#[test]
fn second_create_of_one_object_in_a_process_is_refused_if_the_names_were_unknown() {
    let service = Service::start(World {
        duplicate_owners: true,
        ..World::documented_only(Absence::MethodNotAllowed)
    });
    let workspace = service.workspace();
    let both = |address: &str| {
        let parent = "terraform_data.parent.output";
        let viewer = role("viewer").at(address).set("listing", parent);
        viewer + owner("ada").at(address).set("integration", parent)
    };
    workspace.configure(later("parent", "\"github\"") + both("one") + both("two"));
    let outcome = workspace.apply().fails_with("roles/viewer").fails_with("users/ada");
    assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (2, 3));
}

#[test]
fn member_key_manages_a_role_whose_resources_are_not_configured() {
    let service = Service::full();
    let workspace = service.workspace_with_key("member-key");
    workspace.configure(role("viewer"));
    workspace.apply().succeeds().without_warnings();
    workspace.configure(role("viewer").text("description", "more"));
    workspace.apply().succeeds();
    workspace.plans_nothing();
    workspace.configure(role("editor").set("resources", "[\"repo/a\"]"));
    let outcome = workspace.apply().fails_with(["admin", "`resources`", "PATCH /api/v1/listings"]);
    assert_eq!(outcome.blamed_lines(), ["resources = [\"repo/a\"]"]);
    assert_eq!(service.role("github", "editor"), None);
}

#[test]
fn unrecorded_manager_is_one_warning_and_no_permanent_diff() {
    for status in [None, Some(501)] {
        let service = status.map_or_else(Service::full, Service::documented_only);
        service.stop_recognising_callers();
        let workspace = service.workspace();
        workspace.configure(role("viewer") + role("editor"));
        let outcome = workspace.apply().succeeds();
        assert_eq!(outcome.warnings_with("manager"), 1, "{status:?}: {}", outcome.output());
        assert_eq!(workspace.state_of(ROLE).unwrap()["manager"], json!(null));
        workspace.plans_nothing();
        workspace.plan_with(&["-refresh=false"]).exits(0);
    }
}

#[test]
fn response_with_omitted_and_unknown_fields_is_read() {
    let service = Service::full();
    service.omit_defaults();
    service.return_unknown_fields();
    service.return_priority_as_number();
    service.manage_listing("github", json!({"kind": "DELEGATED", "since": 2026}));
    let workspace = service.workspace();
    let viewer = role("viewer").set("priority", 0).text("description", "").set("resources", "[]");
    workspace.configure(viewer);
    workspace.apply().succeeds().without_warnings();
    workspace.plans_nothing().without_warnings();
    let state = workspace.state_of(ROLE).unwrap();
    assert_eq!((&state["priority"], &state["resources"]), (&json!(0), &json!([])));
    assert_eq!(state["management"], "{\"kind\":\"DELEGATED\",\"since\":2026}");
}

#[test]
fn priority_keeps_all_64_bits() {
    let service = Service::full();
    let workspace = service.workspace();
    for priority in [i64::MAX, i64::MIN] {
        workspace.configure(role("viewer").set("priority", priority));
        workspace.apply().succeeds();
        assert_eq!(service.role("github", "viewer").unwrap()["priority"], priority.to_string());
        assert_eq!(workspace.state_of(ROLE).unwrap()["priority"].as_i64(), Some(priority));
        workspace.plans_nothing();
    }
}

/// The read-back is one request, and the role is written.
#[test]
fn read_back_that_fails_or_hangs_neither_delays_nor_fails_the_apply() {
    for fault in [Fault::respond(500, "{}"), Fault::new(access_fake::Action::Hang)] {
        check_read_back(fault.on("GET"));
    }
}

fn check_read_back(fault: Fault) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    // The look of the create succeeds. Every read that begins after the PATCH fails.
    service.fault(Fault::new(access_fake::Action::Delay { milliseconds: 2_000 }).on("PATCH"));
    workspace.save_plan(&[]);
    service.clear_requests();
    let started = std::time::Instant::now();
    let failing = std::thread::scope(|scope| {
        let apply = scope.spawn(|| workspace.apply_saved());
        crate::support::progress::wait_until("the role is sent", || {
            service.requests_of("PATCH") > 0 || apply.is_finished()
        });
        service.fault(fault);
        apply.join().expect("an outcome")
    });
    failing.succeeds();
    let elapsed = started.elapsed();
    // `request_timeout` is 30 s.
    assert!(elapsed < std::time::Duration::from_secs(20), "{elapsed:?}");
    let requests = service.requests();
    let after = requests.iter().skip_while(|request| request.method != "PATCH").skip(1);
    assert!(after.count() <= 1, "{requests:?}");
    assert_eq!(workspace.state_size(), 1);
    service.respond_normally();
    workspace.plans_nothing();
}

#[test]
fn names_known_at_plan_can_be_used_elsewhere() {
    let service = Service::full();
    let workspace = service.workspace();
    let output = "output \"name\" {\n  value = access_listing_role.viewer.name\n}\n";
    workspace.configure(impatient() + role("viewer") + output);
    let plan = workspace.run(&["plan", "-no-color", "-lock=false"]).succeeds();
    assert!(plan.stdout.contains("name = \"listings/github/roles/viewer\""), "{}", plan.stdout);
}
