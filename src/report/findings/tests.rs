//! What changes mean for access: tables.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;
use crate::report::{markdown, plan};

const ROLE: &str = "access_listing_role";
const OWNER: &str = "access_integration_owner";

/// Returns a role of the listing `l`. Its display name is `R` and its order 1.
fn role(id: &str, resources: &[&str]) -> Value {
    let id = if id.is_empty() { Value::Null } else { id.into() };
    json!({"listing": "l", "role": id, "display_name": "R", "priority": 1, "resources": resources})
}

fn owner(user: &str) -> Value {
    json!({"integration": "i", "owner": format!("users/{user}")})
}

fn owners(users: &[&str]) -> Value {
    let users: Vec<_> = users.iter().map(|user| format!("users/{user}")).collect();
    json!({"integration": "i", "owners": users})
}

fn with(mut object: Value, name: &str, value: impl Into<Value>) -> Value {
    object[name] = value.into();
    object
}

/// Returns a change. `actions` is a list with blanks between.
fn change(kind: &str, address: &str, actions: &str, sides: [Value; 2]) -> Value {
    let [before, after] = sides;
    let unknown: Value = match after["role"] == Value::Null && kind == ROLE {
        true => json!({"role": true}),
        false => json!({}),
    };
    let actions: Vec<_> = actions.split(' ').collect();
    json!({
        "address": format!("{kind}.{address}"), "type": kind, "provider_name": "h/n/access",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": unknown},
    })
}

/// Returns the report of these changes: counts and entries, each line once.
fn lines(changes: &[Value]) -> Vec<String> {
    let plan = json!({"format_version": "1.2", "resource_changes": changes}).to_string();
    let report = findings(&plan::read(&plan).expect("a plan"));
    let markdown = markdown::write(&report, usize::MAX);
    let mut lines: Vec<_> = markdown.lines().map(str::to_owned).collect();
    lines.dedup_by(|a, b| a == b);
    let is_shown = |line: &String| !line.is_empty() && !line.starts_with(['#', 'D']);
    lines.retain(is_shown);
    if lines.len() > 1 {
        lines.pop();
    }
    lines
}

const NONE: Value = Value::Null;

#[test]
fn changes_mean_for_access_what_becomes_of_each_object() {
    let abandoned = |object| with(object, "deletion_policy", "abandon");
    let adopting = |object| with(object, "adopt_existing", true);
    let deleted = "- `listings/l/roles/a` is deleted: present holders keep: `r`";
    let revoke = "- [ ] `listings/l/roles/a`: `r`";
    let text = "display_name: `R`; priority: `1`";
    for (case, changes, expected) in [
        ("nothing", vec![], "No change of access."),
        (
            "another name",
            vec![change(ROLE, "x", "delete create", [role("a", &["r"]), role("b", &["r"])])],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n{deleted}\n\
                 - `listings/l/roles/b` is created: resources: `r`; {text}\n{revoke}"
            ),
        ),
        (
            "another name, and the old one is abandoned",
            vec![change(
                ROLE,
                "x",
                "delete create",
                [abandoned(role("a", &["r"])), role("b", &[])],
            )],
            &format!(
                "1 role changes\n- `listings/l/roles/b` is created: {text}\n\
                 - `listings/l/roles/a`: leaves Terraform, abandoned"
            ),
        ),
        (
            "its own name",
            vec![change(ROLE, "x", "delete create", [role("a", &["r", "s"]), role("a", &["s"])])],
            &format!(
                "1 role changes; 1 grant to revoke by hand\n- `listings/l/roles/a` is replaced: \
                 resources removed (present holders keep it): `r`\n{revoke}"
            ),
        ),
        (
            "a name that is known after apply",
            vec![change(ROLE, "x", "delete create", [role("a", &["r"]), role("", &["r"])])],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - `listings/l/roles/(known after apply)` (`access_listing_role.x`) is created: resources: `r`; {text}\n\
                 {deleted}\n{revoke}\n\
                 - `listings/l/roles/(known after apply)` (`access_listing_role.x`): role"
            ),
        ),
        (
            "a deposed object of a role that is kept",
            vec![
                change(ROLE, "x", "no-op", [role("a", &["r"]), role("a", &["r"])]),
                change(ROLE, "x", "delete", [role("a", &["s"]), NONE]),
            ],
            "No change of access.",
        ),
        (
            "two roles that swap their names",
            vec![
                change(ROLE, "x", "delete create", [role("a", &["r"]), role("b", &["r"])]),
                change(
                    ROLE,
                    "y",
                    "delete create",
                    [role("b", &["r", "s"]), role("a", &["r", "s"])],
                ),
            ],
            "2 roles change; 1 grant to revoke by hand\n\
             - `listings/l/roles/a` (`access_listing_role.x`, `access_listing_role.y`) is replaced: resources added (present holders do not get it): `s`\n\
             - `listings/l/roles/b` (`access_listing_role.x`, `access_listing_role.y`) is replaced: resources removed (present holders keep it): `s`\n\
             - [ ] `listings/l/roles/b`: `s` (`access_listing_role.x`, `access_listing_role.y`)",
        ),
        (
            "forgotten by one address and adopted by another",
            vec![
                change(ROLE, "x", "forget", [role("a", &["r"]), NONE]),
                change(ROLE, "y", "create", [NONE, adopting(role("a", &[]))]),
            ],
            &format!(
                "1 role changes; 1 grant to revoke by hand\n\
                 - `listings/l/roles/a` (`access_listing_role.x`, `access_listing_role.y`) is created, or overwritten if it exists: resources removed (present holders keep it): `r`\n\
                 {revoke} (`access_listing_role.x`, `access_listing_role.y`)\n\
                 - `listings/l/roles/a` (`access_listing_role.x`): leaves Terraform, kept by a removed block\n\
                 - `listings/l/roles/a` (`access_listing_role.y`): comes under Terraform, overwrites what exists"
            ),
        ),
        (
            "OpenTofu forgets and creates",
            vec![change(OWNER, "x", "forget create", [owner("a"), owner("b")])],
            "1 gains control, 0 lose it\n- `users/b` gains control of `i`\n\
             - `users/a` of `i`: leaves Terraform, kept by a removed block",
        ),
        (
            "an owner under another ID and at another address",
            vec![
                change(OWNER, "x", "delete create", [owner("a"), owner("a")]),
                change(OWNER, "y", "delete", [owner("b"), NONE]),
                change(OWNER, "z", "create", [NONE, owner("b")]),
            ],
            "No change of access.",
        ),
        (
            "one of two entries of an owner",
            vec![
                change(OWNER, "x", "no-op", [owner("a"), owner("a")]),
                change(OWNER, "y", "delete", [owner("a"), NONE]),
            ],
            "No change of access.",
        ),
        (
            "all owners",
            vec![change(
                "access_integration_owners",
                "x",
                "update",
                [owners(&["a", "b"]), owners(&["b", "c"])],
            )],
            "1 gains control, 1 loses it\n- `i`: 2 owners remain\n\
             - `users/a` loses control of `i`\n- `users/c` gains control of `i`",
        ),
        (
            "all owners are abandoned",
            vec![change(
                "access_integration_owners",
                "x",
                "delete",
                [abandoned(owners(&["a"])), NONE],
            )],
            "No change of access.\n- all owners of `i`: leaves Terraform, abandoned",
        ),
    ] {
        assert_eq!(lines(&changes).join("\n"), *expected, "{case}");
    }
}

#[test]
fn writer_is_named_as_far_as_fields_show() {
    let terraform = |uri: Option<&str>, directory: Option<&str>| Writer::Terraform {
        repo_uri: uri.map(str::to_owned),
        repo_dir: directory.map(str::to_owned),
    };
    let object = |manager: &str, uri: &str, directory: &str| {
        let mut change = change(ROLE, "x", "update", [role("a", &[]), role("a", &[])]);
        for (name, value) in [("manager", manager), ("repo_uri", uri), ("repo_dir", directory)] {
            let value = if value.is_empty() { Value::Null } else { value.into() };
            change["change"]["after"][name] = value;
        }
        let plan = json!({"format_version": "1.0", "resource_drift": [change]}).to_string();
        plan::read(&plan).expect("a plan").drift.remove(0).after.expect("an object")
    };
    const TF: &str = "TERRAFORM";
    let mut failed = String::new();
    for (before, after, expected) in [
        ((TF, "u", "d"), ("", "u", "d"), Some(Writer::NotTerraform)),
        ((TF, "u", "d"), ("OTHER", "", ""), Some(Writer::NotTerraform)),
        (("", "", ""), ("", "", ""), None),
        (("", "u", "d"), ("", "v", "d"), None),
        ((TF, "u", "d"), (TF, "u", "d"), Some(Writer::SameRepository)),
        ((TF, "u", ""), (TF, "u", ""), Some(Writer::SameRepository)),
        ((TF, "u", "d"), (TF, "u", "e"), Some(terraform(Some("u"), Some("e")))),
        ((TF, "u", "d"), (TF, "v", ""), Some(terraform(Some("v"), None))),
        ((TF, "u", "d"), (TF, "", ""), Some(terraform(None, None))),
        ((TF, "", ""), (TF, "", ""), Some(terraform(None, None))),
        (("", "", ""), (TF, "v", "e"), Some(terraform(Some("v"), Some("e")))),
    ] {
        let of = |(manager, uri, directory)| object(manager, uri, directory);
        let found = writer(&of(before), &of(after));
        if found != expected {
            let _ = writeln!(failed, "{before:?} → {after:?}: {found:?}, not {expected:?}");
        }
    }
    assert_eq!(failed, "");
}
