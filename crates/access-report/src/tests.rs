//! What a change of a plan says, and what the first line counts.
//!
//! The plans are written by hand: one case for each rule. `tests/acceptance/report` has the plans
//! of real hosts.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::*;
use crate::counts::{Counts, Precision};

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
/// headings and addresses.
#[track_caller]
fn says(case: &str, plan: Value, expected: &str) {
    let plan = but(json!({"format_version": "1.2", "resource_changes": []}), plan);
    let text = page::write(&read(&plan), usize::MAX);
    let mut lines: Vec<_> = text.lines().map(|line| line.replace(" (`x`)", "")).collect();
    lines.retain(|line| !line.is_empty() && !line.starts_with("## "));
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
        ("itself, adopting", of(REPLACE, ada(), adopting()), &*format!("up to {again}")),
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
            "itself, unchanged",
            of(REPLACE, list(), list()),
            &*format!(
                "up to 2 gain control, 2 lose it | - `users/ada` of `i` is removed and added again; if that fails, it is gone | - `users/bea` of `i` is removed and added again; if that fails, it is gone | - {stay}"
            ),
        ),
        (
            "nobody",
            of(CREATE, NULL, owners(&[])),
            &*format!("No change of access by this provider. | - {stay}"),
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
    let named = "display_name: `Role`";
    let renamed = &*format!(
        "1 role is created, 1 deleted; 1 grant to revoke by hand | - `listings/l/roles/b` is created; resources: `s`; {named} | - {a} is deleted | {end} | - [ ] {a}: `r`"
    );
    let revoke = "1 grant to revoke by hand";
    let unknown = "1 known only after apply";
    for (case, change, expected) in [
        (
            "create",
            of(CREATE, NULL, role(&["r", "s"])),
            &*format!("1 role is created | - {a} is created; resources: `r`, `s`; {named} | {end}"),
        ),
        (
            "without resources",
            of(CREATE, NULL, role(&[])),
            &*format!("1 role is created | - {a} is created; no resources; {named} | {end}"),
        ),
        (
            "with a description",
            of(CREATE, NULL, has(json!({"description": "d", "priority": 7}))),
            &*format!(
                "1 role is created | - {a} is created; resources: `r`; {named}; description: `d` | {end}"
            ),
        ),
        (
            "unmanaged",
            late("resources", of(CREATE, NULL, unmanaged())),
            &*format!(
                "1 role is created; 1 role without resources in the plan | - {a} is created; its resources are not in the plan; {named} | {end}"
            ),
        ),
        (
            "create with a late element",
            late_element(of(CREATE, NULL, some())),
            &*format!(
                "1 role is created; {unknown} | - {a} is created; resources: `r`; {named} | {end} | - {a}: resources"
            ),
        ),
        (
            "adopting",
            of(CREATE, NULL, has(json!({"adopt_existing": true}))),
            &*format!(
                "1 role is created | - {a} is created, or overwrites what exists; what that had and is not listed is to revoke, and the plan does not name it; resources: `r`; {named} | {end}"
            ),
        ),
        (
            "late name",
            late("role", of(CREATE, NULL, has(json!({"role": null})))),
            &*format!(
                "1 role is created; {unknown} | - {late_name} is created; resources: `r`; {named} | {end} | - {late_name}: role"
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
                "1 role changes what it grants; {revoke} | - {a} adds `t` (present holders do not get it), removes `r` (present holders keep it); display_name: `Role` → `New`; priority: `1` → `2` | - [ ] {a}: `r`"
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
                "1 role is created, 1 deleted; {revoke} | - {a} is replaced; resources: `s`; removes `r` (present holders keep it); priority: `1` → `2` | {end} | - [ ] {a}: `r`"
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
            "deferred owner beside one who gains control",
            but(
                deferred(with(
                    change("integration_owner", CREATE, NULL, json!({"integration": "i"})),
                    json!({"after_unknown": {"owner": true}}),
                )),
                changes(change("integration_owner", CREATE, NULL, owner("users/a"))),
            ),
            "1 gains control; 1 known only after apply | - `users/a` gains control of `i` | - `(known after apply)` of `i`: owner; deferred: `absent_prereq`",
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
    let abandons = |change: Value| but(policy(json!({})), changes(change));
    let quiet = "No change of access by this provider.";
    let others = &*format!("{quiet} 1 change of other providers is not read");
    let unreadable = "1 change that could not be read";
    let left = "1 loses control, or is left; 1 role is deleted, or is left | - `users/a` loses control of `i`, or is left | - `listings/l/roles/a` is deleted, or is left";
    let deleted = "1 loses control; 1 role is deleted | - `users/a` loses control of `i` | - `listings/l/roles/a` is deleted";
    let runs =
        |address: Value| json!({"address": address, "provisioners": [{"type": "local-exec"}]});
    let commands = json!({
        "configuration": {"root_module": {
            "resources": [runs(json!("o.x")), runs(NULL), {"address": "o.quiet"}],
            "module_calls": {"m": {"module": {"module_calls": {"n": {"module": {"resources": [runs(json!("o.y"))]}}}}}},
        }},
        "action_invocations": [{"address": "action.a.b"}],
        "deferred_action_invocations": [{"action_invocation": {"address": "action.a.c"}, "reason": "unknown"}],
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
                "{quiet} | An apply runs commands: at least `(unknown)`, `action.a.b`, `action.a.c`, `module.m.module.n.o.y`, `o.x`."
            ),
        ),
        ("others", json!({"resource_changes": [other("create"), other("no-op")]}), others),
        // A read that is in a plan is read in the apply, and can write.
        ("a read of others", json!({"resource_changes": [other("read")]}), others),
        (
            "an import of others",
            json!({"resource_changes": [with(other("no-op"), json!({"importing": {"id": "x"}}))]}),
            quiet,
        ),
        ("deferred others", deferred_other, others),
        ("data source", broken(json!({"mode": "data", "change": {"actions": ["read"]}})), others),
        (
            "read",
            broken(
                json!({"change": {"actions": ["read"], "before": owner("a"), "after": owner("a")}}),
            ),
            quiet,
        ),
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
        (
            "deferred values of others",
            json!({"deferred_changes": [{"resource_change": change("integration_owner", CREATE, NULL, json!({"owner": 1}))}]}),
            unreadable,
        ),
        ("policy delete", policy(json!({"constant_value": "delete"})), deleted),
        ("policy null", policy(json!({"constant_value": null})), deleted),
        ("policy abandon", policy(json!({"constant_value": "abandon"})), left),
        ("policy of a variable", policy(json!({"references": ["var.x"]})), left),
        ("policy of a function", policy(json!({})), left),
        (
            "policy of who may keep control",
            abandons(with(
                change(
                    "integration_owners",
                    UPDATE,
                    owners(&["users/a"]),
                    json!({"integration": "i"}),
                ),
                json!({"after_unknown": {"owners": true}}),
            )),
            "up to 1 loses control; 1 known only after apply | - `users/a` loses control of `i`, or keeps it | - all owners of `i`: owners",
        ),
        (
            "policy of a replacement",
            abandons(change("listing_role", REPLACE, role("a", &[]), role("a", &[]))),
            "1 role is created, 1 deleted | - `listings/l/roles/a` is replaced; no resources | What exists and could not be read in the plan is overwritten.",
        ),
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
            Counts {
                gain: 2,
                gain_is: AtLeast,
                lose: 2,
                lose_is: UpTo,
                loss_or_left: true,
                ..none()
            },
            "at least 2 gain control, up to 2 lose it, or are left",
        ),
        (
            Counts { lose: 1, deleted: 2, loss_or_left: true, delete_or_left: true, ..none() },
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

/// Returns changes of which each has its number in its address.
fn many(numbers: std::ops::Range<usize>, of: impl Fn(usize) -> Value) -> Vec<Value> {
    numbers.map(|number| but(of(number), json!({"address": format!("x[{number}]")}))).collect()
}

/// Twenty roles get a resource, and one a resource that begins alike: no text is said of another.
#[test]
fn each_change_is_an_entry_of_its_own() {
    let start = "a".repeat(150);
    let changes = many(0..21, |number| {
        let resource = format!("{start}/{}", if number == 7 { "root" } else { "readonly" });
        let id = format!("{number:02}");
        change("listing_role", UPDATE, role(&id, &[]), role(&id, &[&resource]))
    });
    for limit in [20_000, usize::MAX] {
        let report = read(&json!({"format_version": "1.2", "resource_changes": changes}));
        let text = page::write(&report, limit);
        assert_eq!(text.matches("\n- ").count(), 21, "{text}");
        let of_7 = format!(
            "- `listings/l/roles/07` (`x[7]`) adds `{}…{}/root` (",
            &start[..60],
            &start[..55]
        );
        assert!(text.contains(&of_7), "{text}");
        assert_eq!(report.entries.roles.len(), 21);
    }
}

#[test]
fn limit_cuts_what_hides_the_least_first() {
    let long: Vec<_> = (0..60).map(|number| format!("r/{number:02}")).collect();
    let long: Vec<_> = long.iter().map(String::as_str).collect();
    let mut changes = many(0..10, |number| {
        let id = format!("alike-{number}");
        let new = but(role(&id, &["logs"]), json!({"display_name": id}));
        change("listing_role", UPDATE, role(&id, &[]), new)
    });
    changes.extend(many(0..12, |number| {
        change("integration_owner", CREATE, NULL, owner(&format!("users/u{number}")))
    }));
    changes.extend(many(0..10, |number| {
        let id = format!("text-{number}");
        let new = but(role(&id, &[]), json!({"description": "d"}));
        change("listing_role", UPDATE, role(&id, &[]), new)
    }));
    let import = json!({"importing": {"id": "l/a"}});
    changes.extend([
        change("listing_role", CREATE, NULL, role("long", &long)),
        change("listing_role", UPDATE, role("root", &[]), role("root", &["db/root"])),
        change("integration_owner", DELETE, owner("users/a"), NULL),
        with(change("listing_role", &["no-op"], NULL, role("in", &[])), import),
    ]);
    let runs = |number| json!({"address": format!("o.x{number:02}"), "provisioners": [{}]});
    let report = read(&json!({
        "format_version": "1.2",
        "configuration": {"root_module": {"resources": (0..25).map(runs).collect::<Vec<_>>()}},
        "resource_changes": changes,
        "resource_drift": [change("listing_role", DELETE, role(&"gone ".repeat(9), &[]), NULL)],
    }));
    let page = |limit| page::write(&report, limit);
    let (smallest, whole) = (page(0), page(usize::MAX));
    let (head, _) = smallest.split_once("\n\n## ").unwrap();
    assert!(head.ends_with(", `o.x18`, `o.x19` and 5 more."), "{head}");
    assert!(smallest.contains("\nWhat exists and could not be read in the plan is overwritten.\n"));
    assert!(!smallest.contains("\n- "), "{smallest}");

    let mut room = whole.len() + 1;
    for part in [
        ", `o.x20`",
        " comes under ",
        " is gone",
        "text-9",
        "text-0",
        "`r/20`",
        "users/u9",
        "alike-9",
        "alike-1",
        "roles/long",
        "alike-0",
        "`db/root`",
        "`users/a`",
    ] {
        let limits: Vec<_> = (0..room).collect();
        let needed = limits.partition_point(|limit| !page(*limit).contains(part));
        assert!(needed < room, "{part} needs {needed} bytes, and the part before it {room}");
        room = needed;
        let text = page(needed);
        assert!(
            text.len() <= needed && text.starts_with(head.split(" and ").next().unwrap()),
            "{part}: {text}"
        );
        // Each entry is on the page or in the number of its section.
        let entries = text.matches("\n- ").count();
        let missing = text.lines().filter(|line| line.contains(" not shown; `--format json` has "));
        let missing = missing.map(|line| line.split(' ').next().unwrap().parse::<usize>().unwrap());
        assert_eq!(entries + missing.sum::<usize>(), 37, "{part}: {text}");
        assert_eq!(text.matches("\n## ").count(), 4, "{part}: {text}");
    }
}

#[test]
fn entries_are_in_order() {
    let of = |actions, before, after| change("listing_role", actions, before, after);
    let named = |id: &str| role(id, &[]);
    let import = |entry| with(entry, json!({"importing": {"id": "x"}}));
    let owner_of = |principal: &str| but(owner(principal), json!({"integration": "h"}));
    let changes = [
        of(&["forget"], named("a"), NULL),
        import(of(&["no-op"], named("b"), named("b"))),
        import(change("integration_owner", &["no-op"], owner("users/z"), owner("users/z"))),
        of(UPDATE, named("c"), but(named("c"), json!({"priority": 2}))),
        of(REPLACE, named("d"), named("d")),
        of(DELETE, named("e"), NULL),
        of(CREATE, NULL, named("f")),
        of(UPDATE, named("g"), role("g", &["r"])),
        change("integration_owner", DELETE, owner_of("users/b"), NULL),
        change("integration_owner", CREATE, NULL, owner("users/a")),
        change("integration_owner", CREATE, NULL, owner_of("users/c")),
    ];
    let text = page::write(
        &read(&json!({"format_version": "1.2", "resource_changes": changes})),
        usize::MAX,
    );
    let lines = text.lines().filter_map(|line| line.strip_prefix("- `"));
    let names: Vec<_> =
        lines.filter_map(|line| line.split('`').next()?.rsplit('/').next()).collect();
    assert_eq!(names.concat(), "cabgfedczba", "{text}");
}

/// `--help` documents the members.
#[test]
fn json_has_the_documented_form() {
    let late = with(
        change(
            "integration_owners",
            UPDATE,
            owners(&["users/a"]),
            json!({"integration": "i", "owners": ["users/b", null]}),
        ),
        json!({"after_unknown": {"owners": [false, true]}}),
    );
    let deposed =
        but(change("listing_role", DELETE, role("a", &["r"]), NULL), json!({"deposed": "d"}));
    let report = read(
        &json!({"format_version": "1.2", "errored": true, "resource_changes": [late, deposed]}),
    );
    let list = json!({"address": "x", "integration": "i"});
    let role = json!({"address": "x", "deposed": "d", "role": "listings/l/roles/a"});
    let expected = json!({
        "format_version": "1.0",
        "counts": {
            "gain": 1, "gain_is": "at_least", "lose": 1, "lose_is": "up_to", "change_grants": 0,
            "created": 0, "deleted": 1, "change_texts": 0, "revoke": 1, "without_resources": 0,
            "unknown": 1, "unreadable": 0, "nothing": 0, "others": 0, "or_left": false,
        },
        "notes": [{"kind": "errored", "addresses": []}],
        "owners": [
            but(list.clone(), json!({"action": "gains", "principal": "users/b"})),
            but(list.clone(), json!({"action": "loses_or_keeps", "principal": "users/a"})),
            but(list.clone(), json!({"action": "names", "principal": null, "owners": 1, "at_least": true})),
        ],
        "roles": [but(
            role.clone(),
            json!({"action": "deleted", "added": [], "removed": ["r"], "resources": null, "attributes": []}),
        )],
        "revoke": [but(role, json!({"resources": ["r"]}))],
        "unknown": [but(list, json!({"principal": null, "attributes": ["owners"], "deferred": null}))],
        "drift": [],
        "management": [],
    });
    assert_eq!(serde_json::to_value(&report).unwrap(), expected);
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
    let description = with(
        change(
            "listing_role",
            UPDATE,
            role("b", &[]),
            but(role("b", &[]), json!({"description": "hush"})),
        ),
        json!({"before_sensitive": {"description": true}, "after_sensitive": {"description": true}}),
    );
    let plan = json!({"format_version": "1.2", "resource_changes": [list, named, description]});
    assert!(!serde_json::to_string(&read(&plan)).unwrap().contains("hush"));
    let expected = "1 gains control, 2 lose it; 1 role is deleted, 1 changes texts or order; 1 grant to revoke by hand | - `(sensitive)` gains control of `(sensitive)` | - `(sensitive)` loses control of `i` | - `(sensitive)` loses control of `i` | - `(sensitive)`: the list names 1 owner afterwards | - `listings/l/roles/(sensitive)` is deleted | - `listings/l/roles/b`: description: `(sensitive)` → `(sensitive)` | - [ ] `listings/l/roles/(sensitive)`: `(sensitive)`";
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
