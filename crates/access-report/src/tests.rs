//! What a change of a plan says, and what the first line counts.
//!
//! The plans are written by hand: one case for each rule. `tests/acceptance/report` has the plans
//! of real hosts.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::*;
use crate::entries::{Counts, Precision};

/// Returns a change of an object under the address `x`.
fn change(kind: &str, actions: &[&str], before: Value, after: Value) -> Value {
    json!({
        "address": "x", "mode": "managed", "type": format!("access_{kind}"),
        "change": {"actions": actions, "before": before, "after": after},
    })
}

/// Returns a change with more members in its `change`.
fn with(mut entry: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        entry["change"][name] = value.clone();
    }
    entry
}

fn role(id: &str, resources: &[&str]) -> Value {
    json!({
        "listing": "l", "role": id, "display_name": "Role", "description": "", "priority": 1,
        "resources": resources,
    })
}

fn owner(principal: &str) -> Value {
    json!({"integration": "i", "owner": principal})
}

fn owners(principals: &[&str]) -> Value {
    json!({"integration": "i", "owners": principals})
}

/// Returns an object with other values.
fn but(mut object: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

fn read(plan: &Value) -> Report {
    Report::of(&plan::read(&plan.to_string()).unwrap())
}

/// Fails the test unless the report has these lines, divided by ` | `. It is compared without its
/// headings and addresses, and without the counts at its end.
#[track_caller]
fn says(case: &str, plan: Value, expected: &str) {
    let plan = but(json!({"format_version": "1.2", "resource_changes": []}), plan);
    let text = markdown::write(&read(&plan), usize::MAX);
    let mut lines: Vec<_> = text.lines().map(|line| line.replace(" (`x`)", "")).collect();
    lines.retain(|line| !line.is_empty() && !line.starts_with("## "));
    if lines.len() > 1 {
        assert_eq!(lines.pop(), lines.first().cloned(), "{case}: {text}");
    }
    assert_eq!(lines.join("\n"), expected.replace(" | ", "\n"), "{case}");
}

const CREATE: &[&str] = &["create"];
const UPDATE: &[&str] = &["update"];
const DELETE: &[&str] = &["delete"];
const REPLACE: &[&str] = &["delete", "create"];
const NULL: Value = Value::Null;
const NOTHING: &str = "No change of access by this provider. 1 changes nothing of access";

#[test]
fn owner_gains_and_loses() {
    let of = |actions, before, after| change("integration_owner", actions, before, after);
    let ada = || owner("users/ada");
    let bea = || owner("users/bea");
    let no_owner = || json!({"integration": "i"});
    let no_integration = || json!({"owner": "users/ada"});
    let adopting = || but(ada(), json!({"adopt_existing": true}));
    let late = |name: &str| json!({"after_unknown": {name: true}});
    let gains = "1 gains control | - `users/ada` gains control of `i`";
    let gains_or_has =
        "up to 1 gains control | - `users/ada` gains control of `i`, or has it already";
    let loses = "1 loses control | - `users/ada` loses control of `i`";
    let renamed = "1 gains control, 1 loses it | - `users/bea` gains control of `i` | - `users/ada` loses control of `i`";
    let again = "1 gains control, 1 loses it | - `users/ada` of `i` is removed and added again; if that fails, it is gone";
    let late_owner = "1 known only after apply | - `(known after apply)` of `i`: owner";
    let becomes_late = "1 loses control; 1 known only after apply | - `users/ada` loses control of `i` | - `(known after apply)` of `i`: owner";
    let somewhere = "1 gains control; 1 known only after apply | - `users/ada` gains control of `(known after apply)` | - `users/ada` of `(known after apply)`: integration";
    let forgotten = "1 gains control | - `users/bea` gains control of `i` | - `users/ada` of `i` leaves Terraform";
    for (case, change, expected) in [
        ("create", of(CREATE, NULL, ada()), gains),
        ("adopting", of(CREATE, NULL, adopting()), gains_or_has),
        ("late adoption", with(of(CREATE, NULL, ada()), late("adopt_existing")), gains_or_has),
        ("delete", of(DELETE, ada(), NULL), loses),
        ("replace", of(REPLACE, ada(), bea()), renamed),
        ("create first", of(&["create", "delete"], ada(), bea()), renamed),
        ("another name by an update", of(UPDATE, ada(), bea()), renamed),
        ("itself", of(REPLACE, ada(), ada()), again),
        ("late owner", with(of(CREATE, NULL, no_owner()), late("owner")), late_owner),
        ("becomes late", with(of(REPLACE, ada(), no_owner()), late("owner")), becomes_late),
        (
            "late integration",
            with(of(CREATE, NULL, no_integration()), late("integration")),
            somewhere,
        ),
        ("option", of(UPDATE, ada(), adopting()), NOTHING),
        ("forgotten and created", of(&["forget", "create"], ada(), bea()), forgotten),
    ] {
        says(case, json!({"resource_changes": [change]}), expected);
    }
}

#[test]
fn list_of_owners_gains_and_loses() {
    let of = |actions, before, after| change("integration_owners", actions, before, after);
    let list = || owners(&["users/ada", "users/bea"]);
    let other = || owners(&["users/bea", "users/cy"]);
    let elsewhere = || but(other(), json!({"integration": "j"}));
    let late = |entry| with(entry, json!({"after_unknown": {"owners": true}}));
    let late_element = |entry| with(entry, json!({"after_unknown": {"owners": [false, true]}}));
    let none = || json!({"integration": "i"});
    let some = || json!({"integration": "i", "owners": ["users/bea", null]});
    let stay = "`i`: owners that are not listed stay until the next plan";
    let unknown = "all owners of `i`: owners";
    let moved = "up to 2 gain control, 2 lose it | - `users/bea` gains control of `j`, or has it already | - `users/cy` gains control of `j`, or has it already | - `users/ada` loses control of `i` | - `users/bea` loses control of `i` | - `j`: owners that are not listed stay until the next plan";
    for (case, change, expected) in [
        (
            "create",
            of(CREATE, NULL, list()),
            &*format!(
                "up to 2 gain control | - `users/ada` gains control of `i`, or has it already | - `users/bea` gains control of `i`, or has it already | - {stay}"
            ),
        ),
        (
            "late create",
            late(of(CREATE, NULL, none())),
            &*format!("1 known only after apply | - {stay} | - {unknown}"),
        ),
        (
            "create with a late element",
            late_element(of(CREATE, NULL, some())),
            &*format!(
                "at least 1 gains control; 1 known only after apply | - `users/bea` gains control of `i`, or has it already | - {stay} | - {unknown}"
            ),
        ),
        (
            "update",
            of(UPDATE, list(), other()),
            "1 gains control, 1 loses it | - `users/cy` gains control of `i` | - `users/ada` loses control of `i` | - `i`: the list names 2 owners afterwards",
        ),
        (
            "late element",
            late_element(of(UPDATE, list(), some())),
            &*format!(
                "up to 1 loses control; 1 known only after apply | - `users/ada` loses control of `i`, or keeps it | - `i`: the list names at least 1 owner afterwards | - {unknown}"
            ),
        ),
        (
            "late list",
            late(of(UPDATE, list(), none())),
            &*format!(
                "up to 2 lose control; 1 known only after apply | - `users/ada` loses control of `i`, or keeps it | - `users/bea` loses control of `i`, or keeps it | - {unknown}"
            ),
        ),
        (
            "delete",
            of(DELETE, list(), NULL),
            "2 lose control | - `users/ada` loses control of `i` | - `users/bea` loses control of `i`",
        ),
        ("another integration", of(REPLACE, list(), elsewhere()), moved),
        ("another integration by an update", of(UPDATE, list(), elsewhere()), moved),
        (
            "itself",
            of(REPLACE, list(), other()),
            &*format!(
                "up to 2 gain control, 2 lose it | - `users/bea` of `i` is removed and added again; if that fails, it is gone | - `users/cy` gains control of `i`, or has it already | - `users/ada` loses control of `i` | - {stay}"
            ),
        ),
        (
            "itself, sensitive afterwards",
            with(of(REPLACE, list(), other()), json!({"after_sensitive": {"owners": true}})),
            &*format!(
                "up to 2 gain control, 2 lose it | - `(sensitive)` of `i` is removed and added again; if that fails, it is gone | - `(sensitive)` gains control of `i`, or has it already | - `users/ada` loses control of `i` | - {stay}"
            ),
        ),
        (
            "mark",
            with(of(UPDATE, list(), list()), json!({"after_sensitive": {"owners": true}})),
            NOTHING,
        ),
    ] {
        says(case, json!({"resource_changes": [change]}), expected);
    }
}

#[test]
fn role_changes() {
    let of = |actions, before, after| change("listing_role", actions, before, after);
    let role = |resources: &[&str]| role("a", resources);
    let b = || super::tests::role("b", &["s"]);
    let has = |members| but(role(&["r"]), members);
    let unmanaged = || has(json!({"resources": null}));
    let some = || has(json!({"resources": ["r", null]}));
    let late = |name: &str, entry| with(entry, json!({"after_unknown": {name: true}}));
    let late_element = |entry| with(entry, json!({"after_unknown": {"resources": [false, true]}}));
    let a = "`listings/l/roles/a`";
    let end = "What exists and could not be read in the plan is overwritten.";
    let late_name = "`listings/l/roles/(known after apply)`";
    let renamed = &*format!(
        "1 role is created, 1 deleted; 1 grant to revoke by hand | - `listings/l/roles/b` is created, with `s` | - {a} is deleted | {end} | - [ ] {a}: `r`"
    );
    let revoke = "1 grant to revoke by hand";
    let unknown = "1 known only after apply";
    for (case, change, expected) in [
        (
            "create",
            of(CREATE, NULL, role(&["r", "s"])),
            &*format!("1 role is created | - {a} is created, with `r`, `s` | {end}"),
        ),
        (
            "without resources",
            of(CREATE, NULL, role(&[])),
            &*format!("1 role is created | - {a} is created, without resources | {end}"),
        ),
        (
            "unmanaged",
            late("resources", of(CREATE, NULL, unmanaged())),
            &*format!(
                "1 role is created; 1 role without resources in the plan | - {a} is created; its resources are not in the plan | {end}"
            ),
        ),
        (
            "create with a late element",
            late_element(of(CREATE, NULL, some())),
            &*format!(
                "1 role is created; {unknown} | - {a} is created, with `r` | {end} | - {a}: resources"
            ),
        ),
        (
            "adopting",
            of(CREATE, NULL, has(json!({"adopt_existing": true}))),
            &*format!(
                "1 role is created | - {a} is created, or overwrites what exists, with `r`; what that had and is not listed is to revoke, and the plan does not name it | {end}"
            ),
        ),
        (
            "late name",
            late("role", of(CREATE, NULL, has(json!({"role": null})))),
            &*format!(
                "1 role is created; {unknown} | - {late_name} is created, with `r` | {end} | - {late_name}: role"
            ),
        ),
        (
            "update",
            of(
                UPDATE,
                role(&["r", "s"]),
                but(role(&["s", "t"]), json!({"display_name": "New", "priority": 2})),
            ),
            &*format!(
                "1 role changes what it grants; {revoke} | - {a} adds `t` (present holders do not get it), removes `r` (present holders keep it) | - {a}: display_name: `Role` → `New`; priority: `1` → `2` | - [ ] {a}: `r`"
            ),
        ),
        (
            "text",
            of(UPDATE, role(&["r"]), has(json!({"description": "d"}))),
            &*format!("1 role changes texts or order | - {a}: description: none → `d`"),
        ),
        (
            "late text",
            late("description", of(UPDATE, role(&["r"]), role(&["r"]))),
            &*format!(
                "1 role changes texts or order | - {a}: description: none → `(known after apply)`"
            ),
        ),
        (
            "an empty text and none",
            of(UPDATE, role(&["r"]), has(json!({"description": null}))),
            NOTHING,
        ),
        (
            "manager",
            of(UPDATE, role(&["r"]), has(json!({"manager": "TERRAFORM", "repo_uri": "u"}))),
            NOTHING,
        ),
        (
            "late resources",
            late("resources", of(UPDATE, role(&["r"]), unmanaged())),
            &*format!(
                "1 role changes what it grants; {revoke}; {unknown} | - {a} removes `r` (present holders keep it) | - [ ] {a}: `r` | - {a}: resources"
            ),
        ),
        (
            "late element",
            late_element(of(UPDATE, role(&["r", "s"]), some())),
            &*format!(
                "1 role changes what it grants; {revoke}; {unknown} | - {a} removes `s` (present holders keep it) | - [ ] {a}: `s` | - {a}: resources"
            ),
        ),
        (
            "delete",
            of(DELETE, role(&["r"]), NULL),
            &*format!("1 role is deleted; {revoke} | - {a} is deleted | - [ ] {a}: `r`"),
        ),
        (
            "itself",
            of(REPLACE, role(&["r", "s"]), but(role(&["s"]), json!({"priority": 2}))),
            &*format!(
                "1 role is created, 1 deleted; {revoke} | - {a} is replaced, with `s`; removes `r` (present holders keep it) | - {a}: priority: `1` → `2` | {end} | - [ ] {a}: `r`"
            ),
        ),
        (
            "itself, unmanaged",
            late("resources", of(REPLACE, role(&["r"]), unmanaged())),
            &*format!(
                "1 role is created, 1 deleted; {revoke}; 1 role without resources in the plan | - {a} is replaced; its resources are not in the plan; removes `r` (present holders keep it) | {end} | - [ ] {a}: `r`"
            ),
        ),
        ("replaced by another name", of(REPLACE, role(&["r"]), b()), renamed),
        ("another name by an update", of(UPDATE, role(&["r"]), b()), renamed),
    ] {
        says(case, json!({"resource_changes": [change]}), expected);
    }
}

#[test]
fn objects_come_leave_drift_and_wait() {
    let of = |actions, before, after| change("listing_role", actions, before, after);
    let role = |resources: &[&str]| role("a", resources);
    let recorded = || {
        but(
            role(&["r"]),
            json!({"repo_uri": "u", "repo_dir": "d", "manager": "TERRAFORM", "update_time": "t1"}),
        )
    };
    let drifted =
        || but(role(&["s"]), json!({"description": "d", "update_time": "t2", "repo_uri": "v"}));
    let import = |entry| with(entry, json!({"importing": {"id": "l/a"}}));
    let changes = |change| json!({"resource_changes": [change]});
    let drift = |change| json!({"resource_drift": [change]});
    let deferred = |change| json!({"deferred_changes": [{"reason": "absent_prereq", "resource_change": change}]});
    let gone = |entry| {
        but(json!({"resource_drift": [of(UPDATE, role(&["r"]), role(&["hand"]))]}), changes(entry))
    };
    let late =
        with(of(CREATE, NULL, json!({"listing": "l"})), json!({"after_unknown": {"role": true}}));
    let quiet = "No change of access by this provider.";
    let a = "`listings/l/roles/a`";
    let hand = format!("{a}: resources: added `hand`, removed `r`");
    let comes =
        &*format!("{a} comes under Terraform; recorded repository: `u`; recorded directory: `d`");
    let deleted = of(DELETE, role(&["r"]), NULL);
    for (case, plan, expected) in [
        (
            "import",
            changes(import(of(&["no-op"], recorded(), recorded()))),
            &*format!("{NOTHING} | - {comes}"),
        ),
        (
            "import with a change",
            changes(import(of(UPDATE, recorded(), role(&[])))),
            &*format!(
                "1 role changes what it grants; 1 grant to revoke by hand | - {a} removes `r` (present holders keep it) | - [ ] {a}: `r` | - {comes}"
            ),
        ),
        (
            "forget",
            changes(of(&["forget"], role(&["r"]), NULL)),
            &*format!("{NOTHING} | - {a} leaves Terraform"),
        ),
        (
            "drift",
            drift(of(UPDATE, recorded(), drifted())),
            &*format!(
                "{quiet} | - {a}: description: none → `d`; resources: added `s`, removed `r`; manager: `TERRAFORM` → none; repo_uri: `u` → `v`; repo_dir: `d` → none; last update: `t2`; recorded repository: `v`"
            ),
        ),
        (
            "a later time alone",
            drift(of(UPDATE, recorded(), but(recorded(), json!({"update_time": "t2"})))),
            quiet,
        ),
        ("gone", drift(of(DELETE, recorded(), NULL)), &*format!("{quiet} | - {a} is gone")),
        (
            "delete of what a refresh has read",
            gone(deleted.clone()),
            &*format!(
                "1 role is deleted; 2 grants to revoke by hand | - {a} is deleted | - [ ] {a}: `hand`, `r` | - {hand}"
            ),
        ),
        (
            "delete of a deposed object",
            gone(but(deleted, json!({"deposed": "0bad"}))),
            &*format!(
                "1 role is deleted; 1 grant to revoke by hand | - {a} (`x`, deposed `0bad`) is deleted | - [ ] {a} (`x`, deposed `0bad`): `r` | - {hand}"
            ),
        ),
        (
            "deferred",
            deferred(late),
            "1 known only after apply | - `listings/l/roles/(known after apply)`: role; deferred: `absent_prereq`",
        ),
        (
            "deferred without a name",
            deferred(of(CREATE, NULL, NULL)),
            "1 known only after apply | - `listings/(known after apply)/roles/(known after apply)`: listing, role; deferred: `absent_prereq`",
        ),
    ] {
        says(case, plan, expected);
    }
}

/// Notes about the plan as a whole, and changes that are not read.
#[test]
fn plan_as_a_whole_is_described() {
    let delete = || change("integration_owner", DELETE, owner("users/a"), NULL);
    let changes = |change| json!({"resource_changes": [change]});
    let broken = |members| changes(but(delete(), members));
    let other = |action| json!({"mode": "managed", "type": "o", "change": {"actions": [action]}});
    let deferred_other = json!({"deferred_changes": [{"resource_change": other("read")}]});
    let policy = |policy: Value| {
        json!({
            "configuration": {"provider_config": {"access": {"expressions": {"deletion_policy": policy}}}},
            "resource_changes": [delete(), change("listing_role", DELETE, role("a", &[]), NULL)],
        })
    };
    let quiet = "No change of access by this provider.";
    let others = &*format!("{quiet} 1 change of other providers is not read");
    let unreadable = "1 change that could not be read";
    let left = "1 loses control, or is left; 1 role is deleted, or is left | - `users/a` loses control of `i`, or is left | - `listings/l/roles/a` is deleted, or is left";
    let deleted = "1 loses control; 1 role is deleted | - `users/a` loses control of `i` | - `listings/l/roles/a` is deleted";
    let runs =
        |address: &str| json!({"address": address, "provisioners": [{"type": "local-exec"}]});
    let commands = json!({
        "configuration": {"root_module": {
            "resources": [runs("o.x"), {"address": "o.quiet"}],
            "module_calls": {"m": {"module": {"module_calls": {"n": {"module": {"resources": [runs("o.y")]}}}}}},
        }},
        "action_invocations": [{"address": "action.a.b"}],
    });
    for (case, plan, expected) in [
        (
            "errored",
            json!({"errored": true, "complete": false}),
            &*format!(
                "{quiet} | The plan has failed, and shows only a part of the changes. | The plan is incomplete: it leaves changes to a later one."
            ),
        ),
        ("complete", json!({"complete": true}), quiet),
        (
            "commands",
            commands,
            &*format!(
                "{quiet} | An apply runs commands: at least `action.a.b`, `module.m.module.n.o.y`, `o.x`."
            ),
        ),
        (
            "others",
            json!({"resource_changes": [other("create"), other("no-op"), other("read")]}),
            others,
        ),
        ("deferred others", deferred_other, others),
        ("data source", broken(json!({"mode": "data", "change": {"actions": ["read"]}})), quiet),
        ("no mode", broken(json!({"mode": 1})), unreadable),
        ("no type", broken(json!({"type": null})), unreadable),
        (
            "unknown action",
            broken(json!({"change": {"actions": ["burn"], "before": owner("a")}})),
            unreadable,
        ),
        ("no action", broken(json!({"change": {"actions": []}})), unreadable),
        ("no address", broken(json!({"address": 1})), unreadable),
        ("no object", changes(json!(7)), unreadable),
        (
            "no name",
            changes(change("integration_owner", DELETE, json!({"integration": "i"}), NULL)),
            unreadable,
        ),
        (
            "other values",
            changes(change(
                "integration_owners",
                DELETE,
                json!({"integration": "i", "owners": [1]}),
                NULL,
            )),
            unreadable,
        ),
        (
            "drift",
            json!({"resource_drift": [change("integration_owner", DELETE, json!({}), NULL)]}),
            unreadable,
        ),
        (
            "drift without a type",
            json!({"resource_drift": [but(delete(), json!({"type": null}))]}),
            unreadable,
        ),
        ("policy delete", policy(json!({"constant_value": "delete"})), deleted),
        ("policy null", policy(json!({"constant_value": null})), deleted),
        ("policy abandon", policy(json!({"constant_value": "abandon"})), left),
        ("policy of a variable", policy(json!({"references": ["var.x"]})), left),
        ("policy of a function", policy(json!({})), left),
    ] {
        says(case, plan, expected);
    }
}

#[test]
fn exit_code_is_0_only_if_nothing_is_said() {
    let of = |plan: Value| {
        read(&but(json!({"format_version": "1.2", "planned_values": {}}), plan)).is_quiet()
    };
    let role = |before: Value, after: Value| json!({"resource_changes": [change("listing_role", UPDATE, before, after)]});
    let text = but(super::tests::role("a", &[]), json!({"display_name": "New"}));
    for (case, plan, is_quiet) in [
        ("nothing", json!({}), true),
        ("an option", role(super::tests::role("a", &[]), super::tests::role("a", &[])), true),
        (
            "drift",
            json!({"resource_drift": [change("listing_role", DELETE, super::tests::role("a", &[]), NULL)]}),
            true,
        ),
        ("a text", role(super::tests::role("a", &[]), text), false),
        ("errored", json!({"errored": true}), false),
        ("incomplete", json!({"complete": false}), false),
        ("commands", json!({"action_invocations": [{"address": "a"}]}), false),
        ("unreadable", json!({"resource_changes": [7]}), false),
    ] {
        assert_eq!(of(plan), is_quiet, "{case}");
    }
}

#[test]
fn first_line_has_the_parts_that_are_not_zero() {
    use Precision::{AtLeast, UpTo};
    let all = Counts {
        gain: 1,
        lose: 1,
        change_grants: 2,
        created: 1,
        deleted: 1,
        change_texts: 58,
        revoke: 3,
        without_resources: 1,
        unknown: 2,
        unreadable: 1,
        nothing: 60,
        others: 5,
        ..Counts::default()
    };
    let none = Counts::default;
    for (counts, expected) in [
        (
            all,
            "1 gains control, 1 loses it; 2 roles change what they grant, 1 is created, 1 deleted, 58 change texts or order; 3 grants to revoke by hand; 1 role without resources in the plan; 2 known only after apply; 1 change that could not be read; 60 change nothing of access; 5 changes of other providers are not read",
        ),
        (none(), "No change of access by this provider."),
        (
            Counts { nothing: 1, others: 1, ..none() },
            "No change of access by this provider. 1 changes nothing of access; 1 change of other providers is not read",
        ),
        (
            Counts { gain: 2, gain_is: AtLeast, lose: 2, lose_is: UpTo, or_left: true, ..none() },
            "at least 2 gain control, up to 2 lose it, or are left",
        ),
        (
            Counts { lose: 1, deleted: 2, or_left: true, ..none() },
            "1 loses control, or is left; 2 roles are deleted, or are left",
        ),
        (
            Counts { change_grants: 1, deleted: 1, revoke: 1, ..none() },
            "1 role changes what it grants, 1 is deleted; 1 grant to revoke by hand",
        ),
        (Counts { created: 2, deleted: 2, ..none() }, "2 roles are created, 2 deleted"),
        (
            Counts { change_texts: 1, without_resources: 2, unreadable: 2, ..none() },
            "1 role changes texts or order; 2 roles without resources in the plan; 2 changes that could not be read",
        ),
    ] {
        assert_eq!(counts.line(), expected);
    }
}

/// Returns a plan in which each of the roles has the address of its number.
fn many(numbers: std::ops::Range<usize>, of: impl Fn(usize) -> Value) -> Value {
    let changes = numbers.map(|number| but(of(number), json!({"address": format!("r[{number}]")})));
    json!({"format_version": "1.2", "resource_changes": changes.collect::<Vec<_>>()})
}

#[test]
fn roles_with_the_same_change_of_resources_are_one_entry() {
    let plan = many(0..301, |number| {
        let added: &[&str] = if number == 150 { &["db/admin", "logs"] } else { &["logs"] };
        let id = format!("{number:03}");
        change("listing_role", UPDATE, role(&id, &[]), role(&id, added))
    });
    let text = markdown::write(&read(&plan), usize::MAX);
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].starts_with(
            "- adds `logs` (present holders do not get it): `listings/l/roles/000` (`r[0]`), `"
        ),
        "{text}"
    );
    assert!(lines[0].ends_with("`listings/l/roles/019` (`r[19]`) and 280 more"), "{text}");
    assert_eq!(
        lines[1],
        "- `listings/l/roles/150` (`r[150]`) adds `db/admin`, `logs` (present holders do not get it)"
    );
    let json = serde_json::to_value(read(&plan)).unwrap();
    assert_eq!(json["roles"].as_array().unwrap().len(), 301);

    // Deletes of other resources are other entries.
    let plan = many(0..4, |number| {
        let id = number.to_string();
        change(
            "listing_role",
            DELETE,
            role(&id, if number == 3 { &["db/admin"] } else { &[] }),
            NULL,
        )
    });
    let text = markdown::write(&read(&plan), usize::MAX);
    assert_eq!(text.matches("\n- ").count(), 3, "{text}");
}

#[test]
fn limit_leaves_out_entries_of_the_longest_section_and_never_the_first_line() {
    let mut plan = many(0..1_000, |number| {
        let id = format!("{number:04}");
        change(
            "listing_role",
            UPDATE,
            role(&id, &[]),
            but(role(&id, &[]), json!({"display_name": "x".repeat(200)})),
        )
    });
    for number in 0..2 {
        let id = format!("new-{number}");
        plan["resource_changes"].as_array_mut().unwrap().push(change(
            "listing_role",
            CREATE,
            NULL,
            role(&id, &[&id]),
        ));
        plan["resource_changes"].as_array_mut().unwrap().push(change(
            "integration_owner",
            DELETE,
            owner(&id),
            NULL,
        ));
    }
    let report = read(&plan);
    let line = report.counts.line();
    let whole = markdown::write(&report, usize::MAX);
    assert_eq!(whole.matches("\n- ").count(), 1_004);
    for limit in [0, 10, 600, 1_000, 3_000, 20_000, whole.len()] {
        let text = markdown::write(&report, limit);
        let ends = (text.lines().next().unwrap(), text.lines().last().unwrap());
        assert_eq!(ends, (&*line, &*line), "{limit}");
        let Some((_, roles)) = text.split_once("## Roles") else {
            assert_eq!((text.as_str(), limit < 1_000), (&*format!("{line}\n"), true), "{limit}");
            continue;
        };
        assert!(text.len() <= limit, "{limit}");
        let missing = roles.lines().find_map(|line| line.strip_suffix(" more are not shown."));
        let missing = missing.map_or(0, |count| count.parse().unwrap());
        assert_eq!(roles.matches("\n- ").count() + missing, 1_002, "{limit}");
        assert!(roles.contains("What exists and could not be read"), "{limit}");
        // The longest section is shortened, and keeps what matters most.
        if limit >= 3_000 {
            assert_eq!(text.matches("loses control of").count(), 2, "{limit}");
            assert!(text.contains("is created, with `new-1`") && missing < 1_000, "{limit}");
        }
    }
}

#[test]
fn sensitive_values_are_masked_and_counted() {
    let mut list = change(
        "integration_owners",
        UPDATE,
        owners(&["users/hush", "users/x"]),
        owners(&["users/hush2"]),
    );
    list = with(list, json!({"before_sensitive": {"owners": true}, "after_sensitive": true}));
    let named = with(
        change("listing_role", DELETE, role("hush", &["hush"]), NULL),
        json!({"before_sensitive": {"role": true, "resources": [true]}}),
    );
    let plan = json!({"format_version": "1.2", "resource_changes": [list, named]});
    assert!(!serde_json::to_string(&read(&plan)).unwrap().contains("hush"));
    let expected = "1 gains control, 2 lose it; 1 role is deleted; 1 grant to revoke by hand | - `(sensitive)` gains control of `(sensitive)` | - `(sensitive)` loses control of `i` | - `(sensitive)` loses control of `i` | - `(sensitive)`: the list names 1 owner afterwards | - `listings/l/roles/(sensitive)` is deleted | - [ ] `listings/l/roles/(sensitive)`: `(sensitive)`";
    says("sensitive", plan, expected);
}

/// `acceptance::report` shows what right arguments do.
#[test]
fn wrong_argument_is_named() {
    for (line, part) in [
        ("a b", "\"b\""),
        ("--format xml", "\"xml\" is neither"),
        ("--limit -1", "-1"),
        ("--limit", "missing argument"),
        ("--key x", "--key"),
    ] {
        let error = parse(line.split(' ').map(OsString::from)).err().expect(line).to_string();
        assert!(error.contains(part), "{line}: {error}");
    }
}
