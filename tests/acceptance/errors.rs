//! Errors and warnings about many objects at once: what a user has to read.

use access_fake::{Absence, Presence};
use serde_json::json;

use crate::support::fixtures::{Text, many_owners, roles, settings};
use crate::support::{Outcome, Service, has_parts};

const ROLES: usize = 12;
const OWNERS: usize = 6;

fn many() -> Text {
    roles(ROLES) + many_owners(OWNERS)
}

/// Adds the objects of others.
fn put_many(service: &Service) {
    for number in 0..ROLES {
        let fields = json!({"displayName": "Theirs", "priority": "7"});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    for number in 1..=OWNERS {
        let owner = format!("users/user-{}", number - 1);
        service.put_owner("github", &format!("own-{number}"), &owner);
    }
}

/// Fails the test if the provider's part of an output is longer than this.
#[track_caller]
fn is_short(outcome: &Outcome, most: usize) {
    let lines = outcome.provider_lines();
    assert!(lines.len() <= most, "{} lines: {lines:#?}", lines.len());
}

#[track_caller]
fn names_each_object(outcome: &Outcome) {
    let roles = (0..ROLES).map(|number| format!("roles/role-{number}"));
    let objects = roles.chain((0..OWNERS).map(|number| format!("users/user-{number} of")));
    has_parts(&outcome.provider_lines().join("\n"), &objects.collect::<Vec<_>>());
}

#[test]
fn existing_objects_are_few_lines_that_name_each_one_and_export() {
    let service = Service::full();
    put_many(&service);
    let workspace = service.workspace();
    let plan = workspace.plan_of(many()).exits(2);
    // Three are complete, and the host folds the others to a count.
    let folded = "More objects: exists, and the apply will not create it";
    let complete = plan.warnings().iter().filter(|it| !it.starts_with(folded)).count();
    assert_eq!(complete, 3, "{:#?}", plan.warnings());
    let screen = workspace.run(&["plan", "-no-color", "-lock=false"]).stdout;
    assert_eq!(screen.matches(folded).count(), 1, "{screen}");
    has_parts(&screen, &["and 14 more similar warnings elsewhere"]);

    // Without the repeated warnings of its plan.
    let apply = workspace.apply().exits(1);
    let errors = apply.errors_only();
    is_short(&errors, 80);
    names_each_object(&errors);
    let errors = errors.provider_lines().join("\n");
    has_parts(&errors, &["export", "import {"]);
    // A few errors are complete.
    assert!((1..=8).contains(&errors.matches("import {").count()), "{errors}");
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn adopted_objects_are_named_and_a_few_with_the_values_that_change() {
    let service = Service::full();
    put_many(&service);
    let workspace = service.workspace();
    let plan = workspace.plan_of(roles(ROLES).adopting() + many_owners(OWNERS).adopting()).exits(2);
    let warnings = plan.warnings();
    for number in 0..ROLES {
        let name = format!("roles/role-{number}: will be adopted: changes `display_name`");
        assert!(warnings.iter().any(|it| it.contains(&name)), "{name}: {warnings:#?}");
    }
    for number in 0..OWNERS {
        let name = format!("users/user-{number} of integrations/github: will be adopted");
        assert!(warnings.iter().any(|it| it.contains(&name)), "{name}: {warnings:#?}");
    }
    let complete = warnings.iter().filter(|it| it.contains("(at http")).count();
    assert_eq!(complete, 3, "{warnings:#?}");
    workspace.apply().succeeds();
}

/// Terraform folds only warnings with a source line, which an object does not have whose block is
/// gone.
#[test]
fn objects_whose_blocks_are_gone_are_warned_about_once() {
    for policy in ["delete", "abandon"] {
        let (_service, mut workspace) = Service::with_applied(many());
        workspace.set("ACCESS_DELETION_POLICY", policy);
        // With those of its plan.
        let apply = workspace.apply_of("").succeeds();
        assert!((1..=4).contains(&apply.warnings().len()), "{policy}: {:#?}", apply.warnings());
    }
}

/// What people read is what Terraform prints.
#[test]
fn errors_after_the_third_are_short_on_the_screen() {
    let [here, there] = [Service::full(), Service::full()];
    let plan = ["plan", "-no-color", "-lock=false"];
    let destroy = ["destroy", "-no-color", "-auto-approve", "-lock=false"];
    put_many(&there);
    let renamed = here.applied(roles(ROLES).text("role", "old-${count.index}"));
    renamed.configure(roles(ROLES).text("role", "old-${count.index + 1}"));
    let renamed = renamed.run(&plan);

    let mut workspace = here.applied(many());
    workspace.set("ACCESS_BASE_URL", &there.base_url());
    let elsewhere = workspace.run(&plan);
    workspace.set("ACCESS_BASE_URL", &here.base_url());
    let absent = Presence::Absent(Absence::MethodNotAllowed);
    here.change_world(|world| {
        (world.operations.roles.delete, world.operations.owners.delete) = (absent, absent)
    });
    let cases = [
        ("shifted indices", renamed, ROLES - 1),
        ("another region", elsewhere, ROLES + OWNERS),
        ("no DELETE", workspace.run(&destroy), ROLES + OWNERS),
    ];
    for (case, outcome, count) in cases {
        let output = outcome.output();
        let errors = output.split("\nError: ").skip(1);
        // Terraform draws three more around an error.
        let lines: Vec<_> = errors.map(|text| text.trim_end().lines().count() + 3).collect();
        assert!(lines.len() >= count, "{case}: {} errors: {}", lines.len(), outcome.output());
        let short = lines.iter().filter(|lines| **lines <= 9).count();
        // Three of each kind of object and of conflict are complete.
        assert!(short + 9 >= lines.len(), "{case}: {lines:?}");
    }
}

/// Returns the number of lines of the errors on the screen.
fn lines_of_errors(outcome: &Outcome) -> usize {
    let text = outcome.output();
    let begin = text.find("\nError: ").expect("an error");
    text[begin..].trim_end().lines().count()
}

#[test]
fn forgotten_moved_block_is_three_complete_errors_and_a_line_for_each_other_object() {
    let (_service, workspace) = Service::with_applied(roles(7));
    workspace.configure(roles(7).at("other"));
    let plan = workspace.run(&["plan", "-no-color", "-lock=false"]);
    let lines = lines_of_errors(&plan);
    assert!(lines <= 130, "{lines} lines: {}", plan.output());
    let complete = plan.output().matches("moved {").count();
    assert_eq!(complete, 3, "{}", plan.output());
}

/// Whether the blocks are there or not: the refresh is not told.
#[test]
fn objects_that_were_deleted_outside_are_three_warnings_and_a_count_of_the_others() {
    let (service, workspace) = Service::with_applied(roles(12));
    (0..12).for_each(|number| service.remove_role("github", &format!("role-{number}")));
    for configuration in [roles(12).to_string(), String::new()] {
        let plan = workspace.plan_of(configuration);
        let warnings = plan.warnings();
        let others = "More objects: was deleted outside Terraform";
        let named = |text: &&String| text.contains(": was deleted outside Terraform\n");
        let (folded, named): (Vec<_>, Vec<_>) =
            warnings.iter().filter(named).partition(|it| it.starts_with(others));
        assert_eq!((named.len(), folded.len()), (3, 9), "{warnings:#?}");
    }
}

/// A host that does not respond, in place of the one that the state was last seen at.
#[test]
fn dead_host_at_a_changed_address_is_named_as_dead() {
    let impatient = settings().text("max_retry_wait", "1s") + many();
    let (_service, mut workspace) = Service::with_applied(impatient);
    workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
    let plan =
        workspace.plan().fails_with(["last seen at", "could not connect", "Check `base_url`"]);
    is_short(&plan, 40);
}

/// One cause fails every object: the first error is complete.
#[test]
fn wrong_key_is_one_complete_error_and_a_line_for_each_other_object() {
    let (_service, mut workspace) = Service::with_workspace();
    workspace.configure(many());
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let created = workspace.apply();
    workspace.set("ACCESS_API_KEY", "admin-key");
    workspace.apply().succeeds();
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let refreshed = workspace.plan();
    let destroyed = workspace.destroy_with(&["-refresh=false"]);
    for outcome in [created, refreshed, destroyed] {
        let outcome = outcome.exits(1);
        is_short(&outcome, 45);
        let text = outcome.provider_lines().join("\n");
        // An error, and a warning of each plan of the run.
        assert!((1..=6).contains(&text.matches("ACCESS_API_KEY").count()), "{text}");
        assert!(text.contains("401"), "{text}");
        assert!(!outcome.output().contains("wrong-key"));
    }
    assert_eq!(workspace.state_size(), ROLES + OWNERS);
}
