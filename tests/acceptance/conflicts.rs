//! Two resources for one object, in one plan or in two states. No apply may lose an object.
//!
//! `protocol::registry` has every combination. Here Terraform's graph calls the provider.

use access_fake::Fault;
use serde_json::{Value, json};

use crate::support::fixtures::{Text, import, later, moved, owner, removed, role, roles};
use crate::support::{Feature, Service, Workspace, host_version, number};

/// Runs of each order in the normal test run. `RENAMED_RUNS` sets another number.
const RUNS: u64 = 2;

fn both(address: &str) -> Text {
    role("viewer").at(address) + owner("ada").at(address)
}

fn both_adopting(address: &str) -> Text {
    role("viewer").at(address).adopting() + owner("ada").at(address).adopting()
}

/// Fails the test unless the service still has both objects.
#[track_caller]
fn both_exist(service: &Service) {
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

/// Adds another resource, `two`, for each object of the state.
fn add_duplicates(workspace: &Workspace) {
    workspace.edit_state(|resources| {
        for mut resource in resources.clone() {
            resource["name"] = "two".into();
            resources.push(resource);
        }
    });
}

#[test]
fn two_creates_of_one_object_fail_the_plan() {
    let service = Service::full();
    let workspace = service.workspace();
    let other = |adopts: bool| {
        let role = role("viewer").at("two").text("display_name", "Other");
        let owner = owner("ada").at("two").text("integration_owner_id", "other");
        if adopts { role.adopting() + owner.adopting() } else { role + owner }
    };
    for (one, two) in [(both("one"), other(false)), (both_adopting("one"), other(true))] {
        workspace.configure(one + two);
        for outcome in [workspace.plan(), workspace.apply()] {
            let outcome = outcome.fails_with("roles/viewer").fails_with("integrations/github");
            assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
        }
    }
    assert_eq!(service.writes().len(), 0);
}

/// A copied block, whose first resource is new or managed.
#[test]
fn copied_resource_block_fails_and_deletes_nothing() {
    for is_managed in [false, true] {
        let service = Service::full();
        let workspace = service.workspace();
        if is_managed {
            workspace.configure(both("one"));
            workspace.apply().succeeds();
        }
        for copy in [both("two"), both_adopting("two")] {
            workspace.configure(both("one") + copy);
            workspace.apply().fails_with("roles/viewer").fails_with("integrations/github");
        }
        // The copy is removed again.
        workspace.configure(both("one"));
        workspace.apply().succeeds();
        both_exist(&service);
        assert_eq!((service.requests_of("DELETE"), workspace.state_size()), (0, 2));
        workspace.plans_nothing();
    }
}

#[test]
fn create_of_an_object_that_another_resource_imports_fails_the_plan() {
    let service = Service::full();
    service.put_theirs();
    let workspace = service.workspace();
    let import = import("access_listing_role.one", "github/viewer");
    workspace.configure(role("viewer").at("one") + role("viewer").at("two").adopting() + import);
    workspace.apply().fails_with("roles/viewer");
    assert_eq!((service.writes().len(), service.display_name("viewer")), (0, json!("Theirs")));
}

#[test]
fn renamed_address_fails_the_plan_with_the_moved_block_that_then_works() {
    let service = Service::full();
    let workspace = service.workspace();
    let cbd = |address: &str| {
        let role = role("viewer").at(address).create_before_destroy();
        role + owner("ada").at(address).create_before_destroy()
    };
    let forms: [&dyn Fn(&str) -> Text; 3] = [&both, &both_adopting, &cbd];
    for form in forms {
        workspace.configure(form("old"));
        workspace.apply().succeeds();
        let state = workspace.state();
        service.clear_requests();
        workspace.configure(form("new"));
        for outcome in [workspace.plan(), workspace.apply()] {
            for kind in ["access_listing_role", "access_integration_owner"] {
                assert_eq!(outcome.code, 1, "{}", outcome.output());
                let errors = outcome.errors();
                let error = errors.iter().find(|error| error.contains(&format!("{kind}.")));
                let error = error.unwrap_or_else(|| panic!("{kind}: {errors:#?}"));
                assert!(error.contains("moved {"), "{error}");
            }
        }
        assert_eq!(service.writes().len(), 0);
        assert_eq!(workspace.state()["resources"], state["resources"]);
    }
    let blocks = moved("access_listing_role.old", "access_listing_role.new")
        + moved("access_integration_owner.old", "access_integration_owner.new");
    workspace.configure(both("new") + blocks);
    workspace.apply().succeeds().without_warnings();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    assert!(workspace.state_of("access_listing_role.new").is_some());
    workspace.plans_nothing();
}

#[test]
fn renamed_address_of_thirty_roles_loses_none() {
    let service = Service::full();
    let workspace = service.applied(roles(30));
    workspace.configure(roles(30).at("renamed"));
    for _ in 0..number("RENAMED_RUNS").unwrap_or(RUNS) {
        workspace.apply().fails_with("moved {");
    }
    assert_eq!((service.roles("github").len(), workspace.state_size()), (30, 30));
    assert_eq!(service.requests_of("DELETE"), 0);
    workspace.configure(roles(30));
    workspace.plans_nothing();
}

/// The plan cannot know that both are one object. Whatever comes first in the apply, the object that the
/// configuration wants exists afterwards, and one address has it.
#[test]
fn object_that_turns_out_to_be_destroyed_and_created_is_not_lost() {
    for run in 0..number("RENAMED_RUNS").unwrap_or(RUNS) {
        for adopts in [false, true] {
            let service = Service::full();
            let workspace = service.applied(both("old"));
            let new = if adopts { both_adopting("new") } else { both("new") };
            let new = new.to_string();
            let new = new.replace("role = \"viewer\"", "role = terraform_data.role.output");
            let new = new.replace("\"users/ada\"", "terraform_data.owner.output");
            let names = later("role", "\"viewer\"") + later("owner", "\"users/ada\"");
            workspace.configure(names + new);
            let parallelism = if run % 2 == 0 { "-parallelism=10" } else { "-parallelism=1" };
            let outcome = workspace.apply_with(&[parallelism]);
            let case = format!("run {run}, adopts: {adopts}: {}", outcome.output());
            assert!(!outcome.output().contains("a bug in the provider"), "{case}");
            assert!(service.role("github", "viewer").is_some(), "{case}");
            assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
            let state = workspace.state().to_string();
            assert!(state.contains("listings/github/roles/viewer"), "{case}");
            assert!(state.contains("integrations/github/owners/"), "{case}");
            if outcome.code == 0 {
                workspace.plans_nothing();
            } else {
                assert!(!outcome.errors().is_empty(), "{case}");
            }
        }
    }
}

/// While the DELETE of this process is under way, the create waits: it neither adopts nor refuses.
#[test]
fn object_that_this_process_deletes_is_added_again_and_not_adopted() {
    let service = Service::full();
    let workspace = service.applied(owner("ada").at("a"));
    let known_after_apply =
        owner("ada").at("b").adopting().set("integration", "terraform_data.i.output");
    workspace.configure(later("i", "\"github\"") + known_after_apply);
    service.fault(Fault::new(access_fake::Action::Delay { milliseconds: 1_500 }).on("DELETE"));
    let outcome = workspace.apply();
    let case = outcome.output();
    assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
    service.respond_normally();
    if outcome.code == 0 {
        workspace.plans_nothing();
    } else {
        assert_eq!(service.requests_of("DELETE"), 0, "{case}");
    }
}

#[test]
fn removing_one_of_two_duplicates_fails_the_plan_and_abandon_keeps_the_object() {
    let service = Service::full();
    let mut workspace = service.applied(both("one"));
    add_duplicates(&workspace);
    workspace.configure(both("one") + both("two"));
    workspace.plans_nothing();
    workspace.configure(both("two"));
    let plan = workspace.plan().fails_with(["roles/viewer", "ACCESS_DELETION_POLICY=abandon"]);
    let plan = plan.fails_with(["integrations/github", "removed {"]);
    assert_eq!(plan.errors().len(), 2, "{}", plan.output());

    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "");
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    workspace.plans_nothing();

    // The other way: a `removed` block.
    add_duplicates(&workspace);
    workspace.edit_state(|resources| {
        resources.truncate(2);
        let mut ones: Vec<Value> = resources.clone();
        ones.iter_mut().for_each(|resource| resource["name"] = "one".into());
        resources.extend(ones);
    });
    let blocks = removed("access_listing_role.one") + removed("access_integration_owner.one");
    workspace.configure(both("two") + blocks);
    workspace.apply().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    workspace.plans_nothing();
}

#[test]
fn replacement_of_one_of_two_duplicates_is_finished_by_abandon() {
    let service = Service::full();
    let mut workspace = service.applied(both("one"));
    add_duplicates(&workspace);
    let replaced = role("editor").at("one") + owner("ben").at("one");
    workspace.configure(replaced + both("two"));
    workspace.plan().fails_with(["roles/viewer", "ACCESS_DELETION_POLICY=abandon"]);
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "");
    both_exist(&service);
    assert!(service.role("github", "editor").is_some());
    assert_eq!(service.owners_named("github", "users/ben"), 1);
    workspace.plans_nothing();
}

/// A destroy that failed leaves a deposed object. Back to the old configuration, it must not be deleted.
#[test]
fn deposed_object_that_the_configuration_wants_again_is_not_deleted() {
    let service = Service::full();
    let old = role("old").at("viewer").create_before_destroy();
    let new = role("new").at("viewer").create_before_destroy();
    let workspace = service.applied(&old);
    service.fault(Fault::respond(403, r#"{"message":"no"}"#).on("DELETE"));
    workspace.configure(&new);
    workspace.apply().fails_with("roles/old");
    assert_eq!(workspace.deposed(), 1);
    service.respond_normally();

    workspace.configure(&old);
    workspace.plan().fails_with("roles/old");
    assert!(service.role("github", "old").is_some());

    // The configuration that failed can be applied again.
    workspace.configure(&new);
    workspace.apply().succeeds();
    assert_eq!((workspace.deposed(), service.role("github", "old")), (0, None));
    assert!(service.role("github", "new").is_some());
    workspace.plans_nothing();
}

#[test]
fn deposed_object_of_an_object_that_is_kept_is_discarded_by_abandon() {
    let service = Service::full();
    let mut workspace = service.applied(both("viewer"));
    workspace.edit_state(|resources| {
        for resource in resources {
            let mut old = resource["instances"][0].clone();
            old["deposed"] = json!("0badcafe");
            resource["instances"].as_array_mut().expect("instances").push(old);
        }
    });
    let outcome = workspace.apply().fails_with("ACCESS_DELETION_POLICY=abandon");
    assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    assert_eq!((workspace.deposed(), service.writes().len(), workspace.state_size()), (0, 0, 2));
    workspace.set("ACCESS_DELETION_POLICY", "");
    workspace.plans_nothing();
}

#[test]
fn second_state_of_a_directory_is_refused_and_loses_nothing() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(both("one"));
    workspace.apply_with(&["-state=first.tfstate"]).succeeds();
    service.clear_requests();
    workspace.apply_with(&["-state=second.tfstate"]).fails_with("import {");
    workspace.destroy_with(&["-state=second.tfstate"]).succeeds();
    assert_eq!(service.writes().len(), 0);
    both_exist(&service);
    workspace.plan_with(&["-state=first.tfstate"]).exits(0);
}

#[test]
fn abandoned_object_is_adopted_by_another_resource_only_if_it_is_asked_to() {
    let service = Service::full();
    let abandoning = role("viewer").at("old").abandoning() + owner("ada").at("old").abandoning();
    let workspace = service.applied(abandoning);
    // The create refuses it, if the plan has not taken it for a tainted resource that is replaced.
    workspace.configure(both("new"));
    workspace.apply().fails_with("adopt_existing = true");
    assert_eq!(service.writes().len(), 0);
    workspace.configure(both_adopting("new"));
    workspace.apply().succeeds();
    both_exist(&service);
    assert_eq!((service.requests_of("DELETE"), workspace.state_size()), (0, 2));
    workspace.plans_nothing();
}

#[test]
fn object_that_the_state_forgets_is_not_adopted_silently() {
    let service = Service::full();
    let workspace = service.applied(both("old"));
    let blocks = removed("access_listing_role.old") + removed("access_integration_owner.old");
    workspace.configure(role("viewer").at("new").text("display_name", "New") + blocks);
    workspace.apply().fails_with(["import {", "roles/viewer"]);
    assert_eq!((service.writes().len(), service.display_name("viewer")), (0, json!("Role")));
}

/// The service cannot distinguish the two applies.
#[test]
fn concurrent_applies_of_one_role_end_in_one_of_the_two_configurations() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    service.latency(std::time::Duration::from_millis(30));
    let sides = ["One", "Other"].map(|name| {
        let workspace = service.workspace();
        workspace.configure(role("viewer").text("display_name", name));
        workspace
    });
    let outcomes = std::thread::scope(|scope| {
        let running = sides.each_ref().map(|side| scope.spawn(|| side.apply()));
        running.map(|apply| apply.join().expect("its outcome"))
    });
    assert!(outcomes.iter().any(|outcome| outcome.code == 0));
    let quiet = sides.iter().filter(|side| side.plan().code == 0).count();
    assert_eq!(quiet, 1);
}
