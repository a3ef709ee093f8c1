//! What has cost objects and states: applies that meet another service than their plan, gateways, objects
//! that somebody made anew, clocks, and lists that end early.

use access_fake::{Action, EditedEntry, Fault, LagRule, OddList, Read, World, Write};
use serde_json::json;

use crate::support::fixtures::{Text, impatient, import, later, owner, owners, role};
use crate::support::{Service, Workspace};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";
const LIST: &str = "access_integration_owners.all";

/// A plan inside an apply that fails leaves the object deposed. So it never fails because of a response, and
/// Terraform restores what it has deposed when the create fails.
#[test]
fn saved_plan_of_create_before_destroy_that_meets_a_failing_service_keeps_the_objects() {
    let all = |state: &str| {
        let [role, owner, list] = [
            role("viewer").text("role", state),
            owner("ada").text("owner", &format!("users/{state}")),
            owners(&["users/ada"]).text("integration", if state == "a" { "okta" } else { "empty" }),
        ]
        .map(crate::support::fixtures::Block::create_before_destroy);
        Text(impatient().to_string()) + role + owner + list
    };
    for failure in ["key", "503", "400", "403", "404"] {
        let service = Service::with_empty_okta();
        service.local().put_integration("empty");
        let ids = service.owner_ids("empty", "users/founder");
        ids.iter().for_each(|id| service.remove_owner("empty", id));
        let mut workspace = service.applied(all("a"));
        workspace.configure(all("b"));
        workspace.save_plan(&[]);
        match failure {
            "key" => workspace.set("ACCESS_API_KEY", "wrong-key"),
            status => {
                let status = status.parse().expect("a status");
                for (method, status) in [("GET", status), ("PATCH", 500), ("POST", 500)] {
                    service.fault(Fault::respond(status, "{}").on(method));
                }
            }
        }
        let outcome = workspace.apply_saved().exits(1);
        assert_eq!(workspace.deposed(), 0, "{failure}: {}", outcome.output());
        assert_eq!(workspace.state_size(), 3, "{failure}");
        assert_eq!(workspace.state_of(ROLE).unwrap()["role"], "a", "{failure}");
        assert!(service.role("github", "a").is_some(), "{failure}");
        // And afterwards the same edit is applied.
        workspace.set("ACCESS_API_KEY", "admin-key");
        service.respond_normally();
        workspace.apply().succeeds();
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{failure}");
        workspace.plans_nothing();
    }
}

/// A deposed object that the configuration wants, and nothing current: the two ways that the errors name.
#[test]
fn deposed_object_that_the_configuration_wants_has_two_ways_out() {
    for way in ["state rm and import", "adopt and abandon"] {
        let service = Service::with_empty_okta();
        let all = || role("viewer") + owner("ada") + owners(&["users/ada"]);
        let mut workspace = service.applied(all());
        workspace.edit_state(|resources| {
            for resource in resources {
                resource["instances"][0]["deposed"] = json!("12345678");
            }
        });
        let plan = workspace.plan().exits(1);
        for part in
            ["adopt_existing = true", "ACCESS_DELETION_POLICY=abandon", "terraform state rm"]
        {
            assert!(plan.errors().iter().all(|error| error.contains(part)), "{:#?}", plan.errors());
        }
        let id = workspace.state()["resources"][0]["instances"][0]["attributes"]["name"].clone();
        assert!(id.is_string());
        if way == "adopt and abandon" {
            let [viewer, ada, list] = [role("viewer"), owner("ada"), owners(&["users/ada"])]
                .map(crate::support::fixtures::Block::adopting);
            workspace.configure(viewer + ada + list);
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
            workspace.apply().succeeds();
            workspace.set("ACCESS_DELETION_POLICY", "");
        } else {
            workspace.run(&["state", "rm", "-lock=false", ROLE, OWNER, LIST]).succeeds();
            let imports = import(ROLE, "github/viewer")
                + import(OWNER, "github/users/ada")
                + import(LIST, "okta");
            workspace.configure(all() + imports);
            workspace.apply().succeeds();
        }
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{way}");
        assert_eq!(service.principals("okta"), ["users/ada"], "{way}");
        assert_eq!(service.display_name("viewer"), "Role", "{way}");
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{way}");
        workspace.plans_nothing();
    }
}

/// Two names that become known in the apply and collide, with `create_before_destroy`.
#[test]
fn late_names_that_collide_lose_nothing_and_have_a_way_out() {
    let service = Service::full();
    let pair = |name: &str| {
        let late = |address: &str| {
            role(address).set("role", format!("\"{address}${{terraform_data.late.output}}\""))
        };
        let one = late("viewer").create_before_destroy();
        let two = role("editor")
            .set("role", "terraform_data.late.output == \"x\" ? \"viewerx\" : \"editor\"")
            .create_before_destroy();
        later("late", format!("{name:?}")) + one + two
    };
    let workspace = service.applied(pair(""));
    let plain = later("late", "\"x\"") + role("viewer").text("role", "viewerx") + role("editor");
    workspace.configure(pair("x"));
    workspace.apply().exits(1);
    assert!(service.role("github", "viewerx").is_some());
    // The configuration is corrected. What is deposed is discarded by the ways of the errors.
    workspace.configure(plain);
    let outcome = workspace.apply();
    if outcome.code != 0 {
        outcome.fails_with("ACCESS_DELETION_POLICY=abandon");
        let abandoning =
            [role("viewer").text("role", "viewerx").adopting(), role("editor").adopting()];
        let [viewer, editor] = abandoning;
        workspace.configure(later("late", "\"x\"") + viewer + editor);
        let workspace = workspace.with("ACCESS_DELETION_POLICY", "abandon");
        workspace.apply().succeeds();
        assert_eq!(workspace.deposed(), 0);
    }
    assert!(
        service.role("github", "viewerx").is_some() && service.role("github", "editor").is_some()
    );
}

/// A gateway without routes answers every path with its own JSON.
#[test]
fn gateway_with_json_404_for_everything_empties_no_state() {
    let service = Service::with_empty_okta();
    let all = || {
        role("viewer")
            + role("other").text("listing", "production")
            + owner("ada")
            + owners(&["users/ada"])
    };
    let mut workspace = service.applied(all());
    service.fault(Fault::respond(404, r#"{"message":"no Route matched with those values"}"#));
    for refresh in [workspace.refresh(), workspace.plan()] {
        refresh
            .fails_with(["roles/viewer", "base_url", "removed {", "terraform state rm"])
            .fails_with(["integrations/okta", "base_url"]);
    }
    assert_eq!(workspace.state_size(), 4);
    // The way out for a parent that is really gone.
    workspace.configure(Text(String::new()));
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply_with(&["-refresh=false"]).succeeds();
    assert_eq!(workspace.state_size(), 0);
}

/// Deletes and recreates the objects, as another team.
fn make_anew(service: &Service) {
    service.remove_role("github", "viewer");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    let ids = service.owner_ids("github", "users/ada");
    ids.iter().for_each(|id| service.remove_owner("github", id));
    service.put_owner("github", "fixed", "users/theirs");
}

fn fixed() -> Text {
    Text(String::new()) + role("viewer") + owner("ada").text("integration_owner_id", "fixed")
}

#[test]
fn saved_destroy_and_one_without_a_refresh_delete_nothing_that_was_made_anew() {
    for drift_detection in ["auto", "off"] {
        let service = Service::full();
        let workspace = service.applied(fixed()).with("ACCESS_DRIFT_DETECTION", drift_detection);
        workspace.plan_with(&["-destroy", "-out=saved.tfplan"]).changes();
        make_anew(&service);
        service.clear_requests();
        for outcome in [workspace.apply_saved(), workspace.destroy_with(&["-refresh=false"])] {
            outcome
                .fails_with(["roles/viewer", "made another one", "terraform state rm", "removed {"])
                .fails_with(["owners/fixed", "made another one"]);
        }
        assert_eq!(service.requests_of("DELETE"), 0, "{drift_detection}");
        assert_eq!(workspace.state_size(), 2, "{drift_detection}");
    }
}

/// Terraform discards the warnings of the refresh before a destroy.
#[test]
fn plan_of_a_destroy_says_that_an_object_was_made_anew_and_a_refresh_as_well() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    make_anew_role(&service);
    workspace.plan().warns(["roles/viewer was made anew", "removed"]);
    workspace.plan_with(&["-destroy"]).warns(["roles/viewer was made anew"]);
    workspace.destroy().succeeds().warns(["roles/viewer was made anew"]);
    assert_eq!(service.role("github", "viewer"), None);
}

fn make_anew_role(service: &Service) {
    service.remove_role("github", "viewer");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
}

#[test]
fn update_of_a_role_that_was_made_anew_since_the_plan_says_so() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    workspace.configure(role("viewer").text("display_name", "Other"));
    workspace.save_plan(&[]);
    make_anew_role(&service);
    workspace.apply_saved().succeeds().warns(["roles/viewer was made anew", "written that one"]);
}

/// Drift that the plan shows is corrected by one apply.
#[test]
fn fixed_id_that_somebody_gave_to_another_principal_is_replaced_by_one_apply() {
    let service = Service::full();
    let ada = owner("ada").text("integration_owner_id", "fixed");
    let workspace = service.applied(ada);
    service.remove_owner("github", "fixed");
    service.put_owner("github", "fixed", "users/theirs");
    workspace.apply().succeeds();
    assert_eq!(service.owner_ids("github", "users/ada"), ["fixed"]);
    workspace.plans_nothing();
}

/// Without private state, an object that was created at another time is one in another region.
#[test]
fn state_without_private_data_at_another_address_overwrites_nothing() {
    let [here, there] = [Service::full(), Service::full()];
    let workspace = here.applied(role("viewer"));
    there.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    workspace.edit_state(|resources| {
        resources[0]["instances"][0].as_object_mut().expect("an instance").remove("private");
    });
    let workspace = workspace.with("ACCESS_BASE_URL", &there.base_url());
    workspace.configure(role("viewer").text("display_name", "Other"));
    for outcome in [workspace.apply(), workspace.apply_with(&["-refresh=false"])] {
        outcome.fails_with(["roles/viewer", "base_url", &there.base_url()]);
    }
    assert_eq!(there.display_name("viewer"), "Theirs");
    assert_eq!(there.writes().len(), 0);
}

/// A page that shows the owner is evidence, whatever follows it.
#[test]
fn list_that_breaks_after_the_page_with_the_owner_adds_no_second_one() {
    let broken = |fail_page, loop_tokens| OddList {
        collection: Some("integrations/github/owners".to_owned()),
        largest_page_size: Some(1),
        fail_page,
        fail_status: Some(400),
        loop_tokens,
        ..OddList::default()
    };
    for list in [broken(Some(2), false), broken(None, true)] {
        let world = World { duplicate_owners: true, lists: vec![list.clone()], ..World::default() };
        let service = Service::start(world);
        service.put_owner("github", "aaa", "users/ada");
        let workspace = service.workspace();
        workspace.configure(owner("ada"));
        workspace.apply().fails_with(["users/ada", "import {"]);
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{list:?}");
    }
}

/// A list that lags still contains an owner that the last apply has removed.
#[test]
fn owner_that_a_list_shows_after_its_removal_is_no_diff() {
    let service = Service::with_empty_okta();
    let workspace = service.applied(owners(&["users/ada", "users/ben"]));
    service.change_world(|world| {
        let after = Some(Write::Delete);
        world.lags =
            vec![LagRule { after, read: Some(Read::List), reads: 100, ..LagRule::default() }];
    });
    workspace.configure(owners(&["users/ada"]));
    workspace.apply().succeeds();
    workspace.plans_nothing();
    assert_eq!(workspace.state_of(LIST).unwrap()["owners"], json!(["users/ada"]));
}

/// A service may cut the fraction of a second in reads.
#[test]
fn reads_that_cut_times_are_no_older_version_and_no_other_owner() {
    let service = Service::with_empty_okta();
    let workspace = service.applied(role("viewer") + owner("ada") + owners(&["users/ada"]));
    let cut = |time: &str| format!("{}Z", time.split('.').next().unwrap_or(time));
    let stored = service.role("github", "viewer").expect("a role");
    let mut read = stored.clone();
    for field in ["createTime", "updateTime"] {
        read[field] = json!(cut(stored[field].as_str().expect("a time")));
    }
    service.fault(Fault::respond(200, read.to_string()).on("GET").at("*/roles/viewer"));
    let entries = service.local().owners("okta");
    service.change_world(|world| {
        world.lists = vec![OddList {
            collection: Some("integrations/okta/owners".to_owned()),
            edit: vec![EditedEntry {
                fields: [(
                    "createTime".to_owned(),
                    json!(cut(entries[0]["createTime"].as_str().unwrap())),
                )]
                .into_iter()
                .collect(),
                ..EditedEntry::default()
            }],
            ..OddList::default()
        }];
    });
    workspace.plans_nothing().without_warnings();
}

/// Gateways stamp `Date`, so two clocks are never compared.
#[test]
fn date_of_a_gateway_shows_nothing_about_a_new_role() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    let stamp = |created: &str, updated: &str| {
        let body = json!({"name": "listings/github/roles/viewer", "displayName": "Role",
            "priority": "1", "manager": "TERRAFORM", "createTime": created, "updateTime": updated});
        Fault::new(Action::Respond {
            status: 200,
            headers: [("date".to_owned(), "Thu, 01 Jan 2032 00:00:00 GMT".to_owned())].into(),
            body: body.to_string(),
            processed: true,
        })
        .on("PATCH")
    };
    service.fault(stamp("2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z"));
    workspace.apply().succeeds().does_not_warn("overwritten");
    // A role of 2020 that no read has found.
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    service.remove_role("github", "viewer");
    service.respond_normally();
    service.fault(stamp("2020-01-01T00:00:00Z", "2026-01-01T00:00:02Z"));
    workspace.apply().succeeds().warns(["roles/viewer was overwritten", "2020-01-01"]);
}

/// An import of an object that another address manages.
#[test]
fn import_of_what_another_address_manages_warns() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    let second = role("viewer").at("second");
    workspace
        .configure(role("viewer") + second + import("access_listing_role.second", "github/viewer"));
    workspace.plan().warns(["roles/viewer has two addresses", "removed {"]);
}

#[test]
fn success_without_a_body_says_how_to_go_on() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    service.fault(
        Fault::new(Action::Respond {
            status: 204,
            headers: [].into(),
            body: String::new(),
            processed: true,
        })
        .on("PATCH"),
    );
    workspace.apply().fails_with(["204", "may exist", "import"]);
}

/// 410 is a 404.
#[test]
fn delete_that_returns_410_is_decided_like_a_404() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    service.fault(
        Fault::new(Action::Respond {
            status: 410,
            headers: [].into(),
            body: "{}".to_owned(),
            processed: true,
        })
        .on("DELETE"),
    );
    workspace.destroy().succeeds();
    assert_eq!(workspace.state_size(), 0);
}

/// A create that fails wants its object: the destroy of the old address leaves it.
#[test]
fn object_whose_create_failed_is_not_deleted_under_its_old_address() {
    let service = Service::full();
    let late = |name: &str| later("late", format!("{name:?}"));
    let workspace = service.applied(late("other") + role("viewer"));
    // The new address creates the same role under a name that is known only in the apply.
    let again = role("again").set("role", "terraform_data.late.output");
    workspace.configure(late("viewer") + again);
    service.fault(Fault::respond(423, "{}").on("PATCH"));
    let outcome = workspace.apply_with(&["-parallelism=1"]).exits(1);
    let kept = service.role("github", "viewer").is_some();
    let deleted_first = service.writes().first().is_some_and(|write| write.method == "DELETE");
    assert!(kept || deleted_first, "{}", outcome.output());
}

/// The last owner is tainted: the integration is left without owners for a moment.
#[test]
fn tainted_last_owner_is_planned_with_the_warning() {
    let service = Service::with_empty_okta();
    let workspace = service.applied(owner("ada").text("integration", "okta"));
    workspace.taint(&[OWNER]);
    workspace.plan().warns(["integrations/okta is left without owners"]);
}

/// The plan of a create never fails because of a response.
#[test]
fn plan_of_a_create_warns_about_every_failure_within_seconds() {
    for (status, said) in [
        (401, "The create of"),
        (400, "Could not check whether"),
        (500, "if this lasts"),
        (503, "if this lasts"),
    ] {
        let service = Service::full();
        service.respond_to_all("GET", status, "{}");
        let workspace = service.workspace();
        workspace.configure(role("viewer") + role("editor") + owner("ada"));
        let started = std::time::Instant::now();
        let plan = workspace.plan().changes();
        let plan = plan.warns(said);
        assert!(started.elapsed().as_secs() < 10, "{status}: {:?}", started.elapsed());
        assert!(plan.warnings().len() <= 3, "{status}: {:#?}", plan.warnings());
    }
    dead(&Service::full().workspace());
}

fn dead(workspace: &Workspace) {
    workspace.configure(role("viewer") + role("editor") + owner("ada"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let mut arguments = vec!["plan", "-json", "-detailed-exitcode", "-lock=false"];
    arguments.push("-refresh=false");
    let started = std::time::Instant::now();
    let mut command = workspace.command(&arguments);
    command.env("ACCESS_BASE_URL", &url);
    let output = command.output().expect("terraform runs");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

/// Two configurations write one role.
#[test]
fn refresh_and_destroy_say_that_another_configuration_writes_the_role() {
    let service = Service::full();
    let of = |repository: &str| {
        service.workspace().with("ACCESS_REPO_URI", repository).with("ACCESS_REPO_DIR", "access")
    };
    let ours = of("https://example.com/ours");
    ours.configure(role("viewer"));
    ours.apply().succeeds();
    let theirs = of("https://example.com/theirs");
    theirs.configure(role("viewer").adopting().text("display_name", "Theirs"));
    theirs.apply().succeeds();
    let parts = ["roles/viewer is written by another configuration", "https://example.com/theirs"];
    ours.plan().changes().warns(parts);
    ours.plan_with(&["-destroy"]).warns(parts);

    let imported = of("https://example.com/ours");
    imported.configure(role("viewer") + import(ROLE, "github/viewer"));
    imported.plan().warns(["roles/viewer", "https://example.com/theirs"]);
}
