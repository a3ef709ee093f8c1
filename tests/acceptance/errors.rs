//! Errors and warnings about many objects at once: what a user has to read.

use access_fake::{Absence, Presence};
use serde_json::json;

use crate::support::fixtures::{Text, import, many_owners, roles, settings};
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

/// Returns the number of lines of a screen from the first warning or error to the last line, with empty ones,
/// as a terminal of 78 columns has them.
fn lines_on_screen(outcome: &Outcome) -> usize {
    let text = format!("{}{}", outcome.stdout, outcome.stderr);
    let begins = |line: &&str| {
        (line.starts_with("Warning: ") || line.starts_with("Error: "))
            && !line.contains("development overrides")
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.iter().position(begins).map_or(0, |first| lines.len() - first)
}

const PLAN: [&str; 3] = ["plan", "-no-color", "-lock=false"];
const APPLY: [&str; 4] = ["apply", "-no-color", "-lock=false", "-auto-approve"];

/// Fails the test unless a screen has this number of errors, and at most this number of lines.
#[track_caller]
fn is_screen(outcome: &Outcome, most: usize, errors: usize) {
    let output = outcome.output();
    assert_eq!(output.matches("\nError: ").count(), errors, "{output}");
    let lines = lines_on_screen(outcome);
    assert!(lines <= most, "{lines} lines: {output}");
}

/// Returns a service with roles that nothing manages.
fn with_roles(count: usize) -> Service {
    let service = Service::full();
    for number in 0..count {
        let fields = json!({"displayName": "Role", "priority": "1"});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    service
}

/// What people read is what Terraform prints: the first of a kind, and a count of the others.
#[test]
fn screens_of_objects_that_exist_are_short_for_one_and_for_thirty() {
    let service = with_roles(1);
    is_screen(&service.configured(roles(1)).run(&APPLY), 16, 1);
    // An empty state, as after it was lost.
    let service = with_roles(30);
    is_screen(&service.configured(roles(30)).run(&PLAN), 24, 1);
    let import = |number| {
        import(&format!("access_listing_role.many[{number}]"), &format!("github/role-{number}"))
    };
    let imports = (0..12).fold(roles(12) + Text::default(), |all, number| all + import(number));
    is_screen(&service.configured(imports).run(&PLAN), 0, 0);
}

#[test]
fn screens_of_thirty_objects_of_a_state_are_short() {
    let (service, mut workspace) = Service::with_applied(roles(30));
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let plan = workspace.run(&PLAN);
    is_screen(&plan, 24, 1);
    assert!(!plan.output().contains("wrong-key"));
    workspace.set("ACCESS_API_KEY", "admin-key");
    (0..30).for_each(|number| service.remove_role("github", &format!("role-{number}")));
    is_screen(&workspace.run(&PLAN), 24, 0);
    assert_eq!(workspace.state_size(), 30);
}

/// A saved plan is older than the objects.
#[test]
fn objects_that_have_appeared_since_a_saved_plan_are_each_named() {
    let service = Service::full();
    let workspace = service.configured(many());
    workspace.save_plan(&[]).without_warnings();
    put_many(&service);
    let errors = workspace.apply_saved().exits(1).errors_only();
    is_short(&errors, 45);
    names_each_object(&errors);
    let errors = errors.provider_lines().join("\n");
    // A few errors are complete.
    assert!((1..=8).contains(&errors.matches("import {").count()), "{errors}");
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn adopted_objects_are_named_and_a_few_with_the_values_that_change() {
    let service = Service::full();
    put_many(&service);
    let workspace = service.workspace();
    let all = roles(ROLES).adopting() + many_owners(OWNERS).adopting();
    let warnings = workspace.apply_of(all).succeeds().warnings();
    for number in 0..ROLES {
        let name = format!("roles/role-{number}: will be adopted: changes `display_name`");
        assert!(warnings.iter().any(|it| it.contains(&name)), "{name}: {warnings:#?}");
    }
    for number in 0..OWNERS {
        let name = format!("users/user-{number} of integrations/github: will be adopted");
        assert!(warnings.iter().any(|it| it.contains(&name)), "{name}: {warnings:#?}");
    }
    let complete = warnings.iter().filter(|it| it.contains("At http")).count();
    assert_eq!(complete, 3, "{warnings:#?}");
}

/// Terraform folds only warnings with a source line, which an object does not have whose block is
/// gone.
#[test]
fn objects_whose_blocks_are_gone_are_warned_about_once() {
    let (_service, mut workspace) = Service::with_applied(many());
    let state = workspace.read("terraform.tfstate");
    for policy in ["abandon", "delete"] {
        workspace.write("terraform.tfstate", &state);
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
    let destroy = ["destroy", "-no-color", "-auto-approve", "-lock=false"];
    put_many(&there);
    let mut workspace = here.applied(many());
    workspace.set("ACCESS_BASE_URL", &there.base_url());
    let elsewhere = workspace.run(&PLAN);
    workspace.set("ACCESS_BASE_URL", &here.base_url());
    let renamed = roles(ROLES).text("role", "role-${count.index + 1}");
    workspace.configure(renamed + many_owners(OWNERS));
    let renamed = workspace.run(&PLAN);
    // A forgotten `moved` block.
    workspace.configure(roles(ROLES).at("other") + many_owners(OWNERS));
    let moved = workspace.run(&PLAN);
    assert_eq!(moved.output().matches("moved {").count(), 3, "{}", moved.output());
    workspace.configure(many());
    let absent = Presence::Absent(Absence::MethodNotAllowed);
    here.change_world(|world| {
        (world.operations.roles.delete, world.operations.owners.delete) = (absent, absent)
    });
    let cases = [
        ("shifted indices", renamed, ROLES - 1),
        ("another address", moved, ROLES),
        ("another region", elsewhere, 1),
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

/// One cause fails every object of an apply: the first errors are complete. A host that does not respond, in
/// place of the one that the state was last seen at, is named as dead.
#[test]
fn wrong_key_and_dead_host_are_a_line_for_each_other_object() {
    let (service, mut workspace) = Service::with_workspace();
    workspace.configure(settings().text("max_retry_wait", "1s") + many());
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let created = workspace.apply();
    workspace.set("ACCESS_API_KEY", "admin-key");
    workspace.apply().succeeds();
    workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
    let plan =
        workspace.plan().fails_with(["last seen at", "could not connect", "Check `base_url`"]);
    is_short(&plan, 12);
    workspace.set("ACCESS_BASE_URL", &service.base_url());
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let destroyed = workspace.destroy_with(&["-refresh=false"]);
    for outcome in [created, destroyed] {
        let outcome = outcome.exits(1);
        is_short(&outcome, 32);
        let text = outcome.provider_lines().join("\n");
        // An error, and a warning of the plan.
        assert!((1..=6).contains(&text.matches("ACCESS_API_KEY").count()), "{text}");
        assert!(text.contains("401"), "{text}");
        assert!(!outcome.output().contains("wrong-key"));
    }
    assert_eq!(workspace.state_size(), ROLES + OWNERS);
}
