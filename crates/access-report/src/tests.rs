//! What a change of a plan says, and what the first line counts.
//!
//! The plans are written by hand: one case for each rule. `tests/acceptance/report` has the plans
//! of real hosts.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::*;

/// Returns a change of an object under the address of its kind and `x`.
fn change(kind: &str, actions: &[&str], before: Value, after: Value) -> Value {
    json!({
        "address": format!("{kind}.x"), "mode": "managed", "type": format!("access_{kind}"),
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
    report(&plan::read(&plan.to_string()).unwrap())
}

/// Returns the report of changes without blank lines, and without the counts at its end.
fn lines(plan: &Value) -> String {
    let text = markdown::write(&read(plan), usize::MAX);
    let mut lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    if lines.len() > 1 {
        assert_eq!(lines.pop(), lines.first().copied(), "{text}");
    }
    lines.join("\n")
}

#[track_caller]
fn says(case: &str, plan: Value, expected: &str) {
    let plan = but(json!({"format_version": "1.2", "resource_changes": []}), plan);
    let expected: Vec<_> = expected.lines().map(str::trim).collect();
    assert_eq!(lines(&plan), expected.join("\n"), "{case}");
}

const CREATE: &[&str] = &["create"];
const UPDATE: &[&str] = &["update"];
const DELETE: &[&str] = &["delete"];
const REPLACE: &[&str] = &["delete", "create"];
const NULL: Value = Value::Null;

#[test]
fn owner_gains_and_loses() {
    let of = |actions, before, after| change("integration_owner", actions, before, after);
    let ada = || owner("users/ada");
    let bea = || owner("users/bea");
    let late = |names: &[&str]| {
        let marks: Value = names.iter().map(|name| ((*name).to_owned(), json!(true))).collect();
        json!({"after_unknown": marks})
    };
    let adopting = || but(ada(), json!({"adopt_existing": true}));
    let renamed = "1 gains control, 1 loses it
        ## Owners, effective at once
        - `users/bea` gains control of `i` (`integration_owner.x`)
        - `users/ada` loses control of `i` (`integration_owner.x`)";
    let gains = "1 gains control
        ## Owners, effective at once
        - `users/ada` gains control of `i` (`integration_owner.x`)";
    let gains_or_has = "up to 1 gains control
        ## Owners, effective at once
        - `users/ada` gains control of `i`, or has it already (`integration_owner.x`)";
    let loses = "1 loses control
        ## Owners, effective at once
        - `users/ada` loses control of `i` (`integration_owner.x`)";
    let again = "1 gains control, 1 loses it
        ## Owners, effective at once
        - `users/ada` of `i` (`integration_owner.x`) is removed and added again; if that fails, it is gone";
    let unknown = "1 known only after apply
        ## Known only after apply
        - `(known after apply)` of `i` (`integration_owner.x`): owner";
    let somewhere = "1 gains control; 1 known only after apply
        ## Owners, effective at once
        - `users/ada` gains control of `(known after apply)` (`integration_owner.x`)
        ## Known only after apply
        - `users/ada` of `(known after apply)` (`integration_owner.x`): integration";
    let becomes_unknown = "1 loses control; 1 known only after apply
        ## Owners, effective at once
        - `users/ada` loses control of `i` (`integration_owner.x`)
        ## Known only after apply
        - `(known after apply)` of `i` (`integration_owner.x`): owner";
    for (case, change, expected) in [
        ("create", of(CREATE, NULL, ada()), gains),
        ("adopting", of(CREATE, NULL, adopting()), gains_or_has),
        ("adopt late", with(of(CREATE, NULL, ada()), late(&["adopt_existing"])), gains_or_has),
        ("delete", of(DELETE, ada(), NULL), loses),
        ("replace", of(REPLACE, ada(), bea()), renamed),
        ("create first", of(&["create", "delete"], ada(), bea()), renamed),
        ("another name by an update", of(UPDATE, ada(), bea()), renamed),
        ("replaced by itself", of(REPLACE, ada(), ada()), again),
        (
            "late owner",
            with(of(CREATE, NULL, json!({"integration": "i"})), late(&["owner"])),
            unknown,
        ),
        (
            "late integration",
            with(of(CREATE, NULL, json!({"owner": "users/ada"})), late(&["integration"])),
            somewhere,
        ),
        (
            "becomes late",
            with(of(REPLACE, ada(), json!({"integration": "i"})), late(&["owner"])),
            becomes_unknown,
        ),
        (
            "option",
            of(UPDATE, ada(), adopting()),
            "No change of access by this provider. 1 changes nothing of access",
        ),
        (
            "forgotten and created",
            of(&["forget", "create"], ada(), bea()),
            "1 gains control
            ## Owners, effective at once
            - `users/bea` gains control of `i` (`integration_owner.x`)
            ## Comes under Terraform, leaves Terraform
            - `users/ada` of `i` (`integration_owner.x`) leaves Terraform",
        ),
    ] {
        says(case, json!({"resource_changes": [change]}), expected);
    }
}

#[test]
fn list_of_owners_gains_and_loses() {
    let of = |actions, before, after| change("integration_owners", actions, before, after);
    let list = || owners(&["users/ada", "users/bea"]);
    let elsewhere = || but(owners(&["users/bea", "users/cy"]), json!({"integration": "j"}));
    let late = |marks: Value| json!({"after_unknown": {"owners": marks}});
    let moved = "up to 2 gain control, 2 lose it
        ## Owners, effective at once
        - `users/bea` gains control of `j`, or has it already (`integration_owners.x`)
        - `users/cy` gains control of `j`, or has it already (`integration_owners.x`)
        - `users/ada` loses control of `i` (`integration_owners.x`)
        - `users/bea` loses control of `i` (`integration_owners.x`)
        - `j` (`integration_owners.x`): owners that are not listed stay until the next plan";
    for (case, change, expected) in [
        ("create", of(CREATE, NULL, list()), "up to 2 gain control
            ## Owners, effective at once
            - `users/ada` gains control of `i`, or has it already (`integration_owners.x`)
            - `users/bea` gains control of `i`, or has it already (`integration_owners.x`)
            - `i` (`integration_owners.x`): owners that are not listed stay until the next plan"),
        ("late create", with(of(CREATE, NULL, json!({"integration": "i"})), late(json!(true))), "1 known only after apply
            ## Owners, effective at once
            - `i` (`integration_owners.x`): owners that are not listed stay until the next plan
            ## Known only after apply
            - all owners of `i` (`integration_owners.x`): owners"),
        ("create with a late element", with(of(CREATE, NULL, json!({"integration": "i", "owners": ["users/ada", null]})), late(json!([false, true]))), "at least 1 gains control; 1 known only after apply
            ## Owners, effective at once
            - `users/ada` gains control of `i`, or has it already (`integration_owners.x`)
            - `i` (`integration_owners.x`): owners that are not listed stay until the next plan
            ## Known only after apply
            - all owners of `i` (`integration_owners.x`): owners"),
        ("update", of(UPDATE, list(), owners(&["users/bea", "users/cy", "users/d"])), "2 gain control, 1 loses it
            ## Owners, effective at once
            - `users/cy` gains control of `i` (`integration_owners.x`)
            - `users/d` gains control of `i` (`integration_owners.x`)
            - `users/ada` loses control of `i` (`integration_owners.x`)
            - `i` (`integration_owners.x`): the list names 3 owners afterwards"),
        ("late element", with(of(UPDATE, list(), json!({"integration": "i", "owners": ["users/bea", null]})), late(json!([false, true]))), "up to 1 loses control; 1 known only after apply
            ## Owners, effective at once
            - `users/ada` loses control of `i`, or keeps it (`integration_owners.x`)
            - `i` (`integration_owners.x`): the list names at least 1 owner afterwards
            ## Known only after apply
            - all owners of `i` (`integration_owners.x`): owners"),
        ("late list", with(of(UPDATE, list(), json!({"integration": "i"})), late(json!(true))), "up to 2 lose control; 1 known only after apply
            ## Owners, effective at once
            - `users/ada` loses control of `i`, or keeps it (`integration_owners.x`)
            - `users/bea` loses control of `i`, or keeps it (`integration_owners.x`)
            ## Known only after apply
            - all owners of `i` (`integration_owners.x`): owners"),
        ("delete", of(DELETE, list(), NULL), "2 lose control
            ## Owners, effective at once
            - `users/ada` loses control of `i` (`integration_owners.x`)
            - `users/bea` loses control of `i` (`integration_owners.x`)"),
        ("another integration", of(REPLACE, list(), elsewhere()), moved),
        ("another integration by an update", of(UPDATE, list(), elsewhere()), moved),
        ("replaced by itself", of(REPLACE, list(), owners(&["users/bea", "users/cy"])), "up to 2 gain control, 2 lose it
            ## Owners, effective at once
            - `users/bea` of `i` (`integration_owners.x`) is removed and added again; if that fails, it is gone
            - `users/cy` gains control of `i`, or has it already (`integration_owners.x`)
            - `users/ada` loses control of `i` (`integration_owners.x`)
            - `i` (`integration_owners.x`): owners that are not listed stay until the next plan"),
        ("mark", with(of(UPDATE, list(), list()), json!({"after_sensitive": {"owners": true}})), "No change of access by this provider. 1 changes nothing of access"),
    ] {
        says(case, json!({"resource_changes": [change]}), expected);
    }
}

#[test]
fn role_changes() {
    let of = |actions, before, after| change("listing_role", actions, before, after);
    let late = |marks: Value| json!({"after_unknown": marks});
    let unmanaged = || but(role("a", &[]), json!({"resources": null}));
    let overwritten = "What exists and could not be read in the plan is overwritten.";
    let adopting = |role| but(role, json!({"adopt_existing": true}));
    let renamed = format!(
        "1 role is created, 1 deleted; 1 grant to revoke by hand
        ## Roles, effective for new requests
        - `listings/l/roles/b` (`listing_role.x`) is created, with `s`
        - `listings/l/roles/a` (`listing_role.x`) is deleted
        {overwritten}
        ## To revoke by hand
        - [ ] `listings/l/roles/a` (`listing_role.x`): `r`"
    );
    for (case, change, expected) in [
        ("create", of(CREATE, NULL, role("a", &["r", "s"])), format!("1 role is created
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is created, with `r`, `s`
            {overwritten}")),
        ("create without resources", of(CREATE, NULL, role("a", &[])), format!("1 role is created
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is created, without resources
            {overwritten}")),
        ("create of unmanaged resources", with(of(CREATE, NULL, unmanaged()), late(json!({"resources": true}))), format!("1 role is created; 1 role without resources in the plan
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is created; its resources are not in the plan
            {overwritten}")),
        ("create with a late element", with(of(CREATE, NULL, but(unmanaged(), json!({"resources": ["r", null]}))), late(json!({"resources": [false, true]}))), format!("1 role is created; 1 known only after apply
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is created, with `r`
            {overwritten}
            ## Known only after apply
            - `listings/l/roles/a` (`listing_role.x`): resources")),
        ("adopting", of(CREATE, NULL, adopting(role("a", &["r"]))), format!("1 role is created
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is created, or overwrites what exists, with `r`; what that had and is not listed is to revoke, and the plan does not name it
            {overwritten}")),
        ("late name", with(of(CREATE, NULL, json!({"listing": "l", "resources": ["r"]})), late(json!({"role": true}))), format!("1 role is created; 1 known only after apply
            ## Roles, effective for new requests
            - `listings/l/roles/(known after apply)` (`listing_role.x`) is created, with `r`
            {overwritten}
            ## Known only after apply
            - `listings/l/roles/(known after apply)` (`listing_role.x`): role")),
        ("resources and texts", of(UPDATE, role("a", &["r", "s"]), but(role("a", &["s", "t"]), json!({"display_name": "New", "priority": 2}))), "1 role changes what it grants; 1 grant to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) adds `t` (present holders do not get it), removes `r` (present holders keep it)
            - `listings/l/roles/a` (`listing_role.x`): display_name: `Role` → `New`; priority: `1` → `2`
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`".to_owned()),
        ("texts", of(UPDATE, role("a", &["r"]), but(role("a", &["r"]), json!({"description": "d"}))), "1 role changes texts or order
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`): description: none → `d`".to_owned()),
        ("a late text", with(of(UPDATE, role("a", &["r"]), role("a", &["r"])), late(json!({"description": true}))), "1 role changes texts or order
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`): description: none → `(known after apply)`".to_owned()),
        ("an empty text and none", of(UPDATE, role("a", &["r"]), but(role("a", &["r"]), json!({"description": null}))), "No change of access by this provider. 1 changes nothing of access".to_owned()),
        ("the manager", of(UPDATE, role("a", &["r"]), but(role("a", &["r"]), json!({"manager": "TERRAFORM", "repo_uri": "u"}))), "No change of access by this provider. 1 changes nothing of access".to_owned()),
        ("late resources", with(of(UPDATE, role("a", &["r", "s"]), unmanaged()), late(json!({"resources": true}))), "1 role changes what it grants; 2 grants to revoke by hand; 1 known only after apply
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) removes `r`, `s` (present holders keep it)
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`, `s`
            ## Known only after apply
            - `listings/l/roles/a` (`listing_role.x`): resources".to_owned()),
        ("a late resource", with(of(UPDATE, role("a", &["r", "s"]), but(unmanaged(), json!({"resources": ["r", null]}))), late(json!({"resources": [false, true]}))), "1 role changes what it grants; 1 grant to revoke by hand; 1 known only after apply
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) removes `s` (present holders keep it)
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `s`
            ## Known only after apply
            - `listings/l/roles/a` (`listing_role.x`): resources".to_owned()),
        ("delete", of(DELETE, role("a", &["r"]), NULL), "1 role is deleted; 1 grant to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is deleted
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`".to_owned()),
        ("replaced by itself", of(REPLACE, role("a", &["r", "s"]), but(role("a", &["s"]), json!({"display_name": "New"}))), format!("1 role is created, 1 deleted; 1 grant to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is replaced, with `s`; removes `r` (present holders keep it)
            - `listings/l/roles/a` (`listing_role.x`): display_name: `Role` → `New`
            {overwritten}
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`")),
        ("replaced by itself without resources", with(of(REPLACE, role("a", &["r"]), unmanaged()), late(json!({"resources": true}))), format!("1 role is created, 1 deleted; 1 grant to revoke by hand; 1 role without resources in the plan
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is replaced; its resources are not in the plan; removes `r` (present holders keep it)
            {overwritten}
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`")),
        ("replaced by another name", of(REPLACE, role("a", &["r"]), role("b", &["s"])), renamed.clone()),
        ("another name by an update", of(UPDATE, role("a", &["r"]), role("b", &["s"])), renamed),
    ] {
        says(case, json!({"resource_changes": [change]}), &expected);
    }
}

#[test]
fn objects_come_leave_drift_and_wait() {
    let of = |actions, before, after| change("listing_role", actions, before, after);
    let recorded = || {
        but(
            role("a", &["r"]),
            json!({"repo_uri": "u", "repo_dir": "d", "manager": "TERRAFORM", "update_time": "t1"}),
        )
    };
    let import = json!({"importing": {"id": "l/a"}});
    let comes = "- `listings/l/roles/a` (`listing_role.x`) comes under Terraform; recorded repository: `u`; recorded directory: `d`";
    for (case, plan, expected) in [
        ("import", json!({"resource_changes": [with(of(&["no-op"], recorded(), recorded()), import.clone())]}),
            format!("No change of access by this provider. 1 changes nothing of access
            ## Comes under Terraform, leaves Terraform
            {comes}")),
        ("import with a change", json!({"resource_changes": [with(of(UPDATE, recorded(), role("a", &[])), import)]}),
            format!("1 role changes what it grants; 1 grant to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) removes `r` (present holders keep it)
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `r`
            ## Comes under Terraform, leaves Terraform
            {comes}")),
        ("forget", json!({"resource_changes": [of(&["forget"], role("a", &["r"]), NULL)]}),
            "No change of access by this provider. 1 changes nothing of access
            ## Comes under Terraform, leaves Terraform
            - `listings/l/roles/a` (`listing_role.x`) leaves Terraform".to_owned()),
        ("drift", json!({"resource_drift": [of(UPDATE, recorded(), but(role("a", &["s"]), json!({"description": "d", "update_time": "t2", "repo_uri": "v"})))]}),
            "No change of access by this provider.
            ## Changed outside Terraform
            - `listings/l/roles/a` (`listing_role.x`): description: none → `d`; resources: added `s`, removed `r`; manager: `TERRAFORM` → none; repo_uri: `u` → `v`; repo_dir: `d` → none; last update: `t2`; recorded repository: `v`".to_owned()),
        ("a later time alone", json!({"resource_drift": [of(UPDATE, recorded(), but(recorded(), json!({"update_time": "t2"})))]}),
            "No change of access by this provider.".to_owned()),
        ("gone", json!({"resource_drift": [of(DELETE, recorded(), NULL)]}),
            "No change of access by this provider.
            ## Changed outside Terraform
            - `listings/l/roles/a` (`listing_role.x`) is gone".to_owned()),
        ("a delete of what a refresh has read", json!({
                "resource_changes": [of(DELETE, role("a", &["r"]), NULL)],
                "resource_drift": [of(UPDATE, role("a", &["r"]), role("a", &["hand"]))],
            }),
            "1 role is deleted; 2 grants to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`) is deleted
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`): `hand`, `r`
            ## Changed outside Terraform
            - `listings/l/roles/a` (`listing_role.x`): resources: added `hand`, removed `r`".to_owned()),
        ("a delete of a deposed object, and drift of another", json!({
                "resource_changes": [but(of(DELETE, role("a", &["r"]), NULL), json!({"deposed": "0bad"}))],
                "resource_drift": [of(UPDATE, role("a", &["r"]), role("a", &["hand"]))],
            }),
            "1 role is deleted; 1 grant to revoke by hand
            ## Roles, effective for new requests
            - `listings/l/roles/a` (`listing_role.x`, deposed `0bad`) is deleted
            ## To revoke by hand
            - [ ] `listings/l/roles/a` (`listing_role.x`, deposed `0bad`): `r`
            ## Changed outside Terraform
            - `listings/l/roles/a` (`listing_role.x`): resources: added `hand`, removed `r`".to_owned()),
        ("deferred", json!({"deferred_changes": [{"reason": "absent_prereq", "resource_change": with(of(CREATE, NULL, json!({"listing": "l"})), json!({"after_unknown": {"role": true}}))}]}),
            "1 known only after apply
            ## Known only after apply
            - `listings/l/roles/(known after apply)` (`listing_role.x`): role; deferred: `absent_prereq`".to_owned()),
        ("deferred without a name", json!({"deferred_changes": [{"reason": "r", "resource_change": of(CREATE, NULL, NULL)}]}),
            "1 known only after apply
            ## Known only after apply
            - `listings/(known after apply)/roles/(known after apply)` (`listing_role.x`): listing, role; deferred: `r`".to_owned()),
    ] {
        says(case, plan, &expected);
    }
}

/// Notes about the plan as a whole, and changes that are not read.
#[test]
fn plan_as_a_whole_is_described() {
    let delete = || change("integration_owner", DELETE, owner("users/a"), NULL);
    let other = |actions: &[&str]| json!({"address": "o.x", "mode": "managed", "type": "o", "change": {"actions": actions}});
    let broken = |members| but(delete(), members);
    let policy = |policy: Value| json!({"configuration": {"provider_config": {"access": {"expressions": {"deletion_policy": policy}}}}});
    let quiet = "No change of access by this provider.";
    let unreadable = "1 change that could not be read";
    let left = "1 loses control, or is left; 1 role is deleted, or is left
        ## Owners, effective at once
        - `users/a` loses control of `i`, or is left (`integration_owner.x`)
        ## Roles, effective for new requests
        - `listings/l/roles/a` (`listing_role.x`) is deleted, or is left";
    let deleted = "1 loses control; 1 role is deleted
        ## Owners, effective at once
        - `users/a` loses control of `i` (`integration_owner.x`)
        ## Roles, effective for new requests
        - `listings/l/roles/a` (`listing_role.x`) is deleted";
    let deletes = |plan: Value| {
        but(
            plan,
            json!({"resource_changes": [delete(), change("listing_role", DELETE, role("a", &[]), NULL)]}),
        )
    };
    let provisioned =
        |address: &str| json!({"address": address, "provisioners": [{"type": "local-exec"}]});
    let commands = json!({
        "configuration": {"root_module": {
            "resources": [provisioned("o.x"), {"address": "o.quiet"}],
            "module_calls": {"m": {"module": {"module_calls": {"n": {"module": {"resources": [provisioned("o.y")]}}}}}},
        }},
        "action_invocations": [{"address": "action.a.b"}],
    });
    for (case, plan, expected) in [
        (
            "errored",
            json!({"errored": true, "complete": false}),
            format!(
                "{quiet}
            The plan has failed, and shows only a part of the changes.
            The plan is incomplete: it leaves changes to a later one."
            ),
        ),
        ("complete", json!({"complete": true}), quiet.to_owned()),
        (
            "commands",
            commands,
            format!(
                "{quiet}
            An apply runs commands: at least `action.a.b`, `module.m.module.n.o.y`, `o.x`."
            ),
        ),
        (
            "others",
            json!({"resource_changes": [other(CREATE), other(&["no-op"]), other(&["read"])]}),
            format!("{quiet} 1 change of other providers is not read"),
        ),
        (
            "data source",
            json!({"resource_changes": [broken(json!({"mode": "data", "change": {"actions": ["read"]}}))]}),
            quiet.to_owned(),
        ),
        (
            "deferred others",
            json!({"deferred_changes": [{"reason": "r", "resource_change": other(&["read"])}]}),
            format!("{quiet} 1 change of other providers is not read"),
        ),
        (
            "no mode",
            json!({"resource_changes": [broken(json!({"mode": 1}))]}),
            unreadable.to_owned(),
        ),
        (
            "no type",
            json!({"resource_changes": [broken(json!({"type": null}))]}),
            unreadable.to_owned(),
        ),
        (
            "unknown action",
            json!({"resource_changes": [broken(json!({"change": {"actions": ["burn"], "before": owner("a")}}))]}),
            unreadable.to_owned(),
        ),
        (
            "no action",
            json!({"resource_changes": [broken(json!({"change": {"actions": []}}))]}),
            unreadable.to_owned(),
        ),
        ("no object", json!({"resource_changes": [7]}), unreadable.to_owned()),
        (
            "no address",
            json!({"resource_changes": [broken(json!({"address": 1}))]}),
            unreadable.to_owned(),
        ),
        (
            "other values",
            json!({"resource_changes": [change("integration_owners", DELETE, json!({"integration": "i", "owners": [1]}), NULL)]}),
            unreadable.to_owned(),
        ),
        (
            "no name",
            json!({"resource_changes": [change("integration_owner", DELETE, json!({"integration": "i"}), NULL)]}),
            unreadable.to_owned(),
        ),
        (
            "drift",
            json!({"resource_drift": [change("integration_owner", DELETE, json!({}), NULL)]}),
            unreadable.to_owned(),
        ),
        ("policy delete", deletes(policy(json!({"constant_value": "delete"}))), deleted.to_owned()),
        ("policy null", deletes(policy(json!({"constant_value": null}))), deleted.to_owned()),
        ("policy abandon", deletes(policy(json!({"constant_value": "abandon"}))), left.to_owned()),
        (
            "policy of a variable",
            deletes(policy(json!({"references": ["var.x"]}))),
            left.to_owned(),
        ),
        ("policy of a function", deletes(policy(json!({}))), left.to_owned()),
    ] {
        says(case, plan, &expected);
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
    use counts::Precision::{AtLeast, UpTo};
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
    let expected = "1 gains control, 2 lose it; 1 role is deleted; 1 grant to revoke by hand
## Owners, effective at once
- `(sensitive)` gains control of `(sensitive)` (`integration_owners.x`)
- `(sensitive)` loses control of `i` (`integration_owners.x`)
- `(sensitive)` loses control of `i` (`integration_owners.x`)
- `(sensitive)` (`integration_owners.x`): the list names 1 owner afterwards
## Roles, effective for new requests
- `listings/l/roles/(sensitive)` (`listing_role.x`) is deleted
## To revoke by hand
- [ ] `listings/l/roles/(sensitive)` (`listing_role.x`): `(sensitive)`";
    assert_eq!(lines(&plan), expected);
    assert!(!serde_json::to_string(&read(&plan)).unwrap().contains("hush"));
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
