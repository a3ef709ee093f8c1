//! What changes mean for access: tables.

use serde_json::{Value, json};

use super::*;
use crate::report::{markdown, plan};

/// Returns a side of a change: a role of the listing `l`, by its ID (`?` is unknown) and its resources, or
/// owners of the integration `i`. `+abandon` and `+adopt` are options; without an object it is null.
fn side(kind: &str, text: &str) -> Value {
    let is_option = |word: &&str| word.starts_with('+');
    let (options, words): (Vec<_>, Vec<_>) = text.split_whitespace().partition(is_option);
    let [first, rest @ ..] = &words[..] else { return Value::Null };
    let mut object = match kind {
        "role" => {
            json!({"listing": "l", "role": first, "display_name": "R", "priority": 1, "resources": rest})
        }
        "owner" => json!({"integration": "i", "owner": first}),
        _ => json!({"integration": "i", "owners": words}),
    };
    for option in options {
        match option {
            "+abandon" => object["deletion_policy"] = "abandon".into(),
            _ => object["adopt_existing"] = true.into(),
        }
    }
    if *first == "?" {
        object["role"] = Value::Null;
    }
    object
}

/// Returns a change from its text: `KIND NAME: ACTIONS: BEFORE -> AFTER`.
fn change(text: &str) -> Value {
    let parts: Vec<_> = text.split(": ").collect();
    let (kind, name) = parts[0].split_once(' ').unwrap();
    let (before, after) = parts[2].split_once("->").unwrap();
    let kinds = [("role", "listing_role"), ("owner", "integration_owner")];
    let resource = kinds.iter().find(|(short, _)| *short == kind);
    let resource =
        resource.map_or("access_integration_owners".to_owned(), |it| format!("access_{}", it.1));
    let actions: Vec<_> = parts[1].split(' ').collect();
    json!({
        "address": format!("{resource}.{name}"), "type": resource, "provider_name": "h/n/access",
        "change": {
            "actions": actions, "before": side(kind, before), "after": side(kind, after),
            "after_unknown": {"role": after.starts_with(" ?")},
        },
    })
}

/// Returns the report of these changes: counts and entries, each line once.
fn lines(changes: &[&str]) -> String {
    let changes: Vec<_> = changes.iter().map(|text| change(text)).collect();
    let plan = json!({"format_version": "1.2", "resource_changes": changes}).to_string();
    let report = findings(&plan::read(&plan).expect("a plan"));
    let markdown = markdown::write(&report, usize::MAX);
    let mut lines: Vec<_> = markdown.lines().collect();
    lines.dedup();
    lines.retain(|line| !line.is_empty() && !line.starts_with(['#', 'D']));
    if lines.len() > 1 {
        lines.pop();
    }
    lines.join("\n")
}

#[test]
fn changes_mean_for_access_what_becomes_of_each_object() {
    let deleted = "- `listings/l/roles/a` is deleted: present holders keep: `r`";
    let revoke = "- [ ] `listings/l/roles/a`: `r`";
    let text = "display_name: `R`; priority: `1`";
    let (x, y) = ("`access_listing_role.x`", "`access_listing_role.y`");
    let unknown = format!("`listings/l/roles/(known after apply)` ({x})");
    for (case, changes, expected) in [
        ("nothing", &[][..], "No change of access."),
        (
            "another name",
            &["role x: delete create: a r -> b r"],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n{deleted}\n\
                 - `listings/l/roles/b` is created: resources: `r`; {text}\n{revoke}"
            ),
        ),
        (
            "another name, and the old one is abandoned",
            &["role x: delete create: a r +abandon -> b"],
            &format!(
                "1 role changes\n- `listings/l/roles/b` is created: {text}\n\
                 - `listings/l/roles/a`: leaves Terraform, abandoned"
            ),
        ),
        (
            "its own name",
            &["role x: delete create: a r s -> a s"],
            &format!(
                "1 role changes; 1 grant to revoke by hand\n- `listings/l/roles/a` is replaced: \
                 resources removed (present holders keep it): `r`\n{revoke}"
            ),
        ),
        (
            "a name that is known after apply",
            &["role x: delete create: a r -> ? r"],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - {unknown} is created: resources: `r`; {text}\n{deleted}\n{revoke}\n- {unknown}: role"
            ),
        ),
        (
            "a deposed object of a role that is kept",
            &["role x: no-op: a r -> a r", "role x: delete: a s ->"],
            "No change of access.",
        ),
        (
            "two roles that swap their names",
            &["role x: delete create: a r -> b r", "role y: delete create: b r s -> a r s"],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - `listings/l/roles/a` ({x}, {y}) is replaced: resources added (present holders do not get it): `s`\n\
                 - `listings/l/roles/b` ({x}, {y}) is replaced: resources removed (present holders keep it): `s`\n\
                 - [ ] `listings/l/roles/b`: `s` ({x}, {y})"
            ),
        ),
        (
            "forgotten by one address and adopted by another",
            &["role x: forget: a r ->", "role y: create: -> a +adopt"],
            &format!(
                "1 role changes; 1 grant to revoke by hand\n\
                 - `listings/l/roles/a` ({x}, {y}) is created, or overwritten if it exists: \
                 resources removed (present holders keep it): `r`\n{revoke} ({x}, {y})\n\
                 - `listings/l/roles/a` ({x}): leaves Terraform, kept by a removed block\n\
                 - `listings/l/roles/a` ({y}): comes under Terraform, overwrites what exists"
            ),
        ),
        (
            "OpenTofu forgets and creates",
            &["owner x: forget create: users/a -> users/b"],
            "1 gains control, 0 lose it\n- `users/b` gains control of `i`\n\
             - `users/a` of `i`: leaves Terraform, kept by a removed block",
        ),
        (
            "an owner under another ID and at another address",
            &[
                "owner x: delete create: users/a -> users/a",
                "owner y: delete: users/b ->",
                "owner z: create: -> users/b",
            ],
            "No change of access.",
        ),
        (
            "one of two entries of an owner",
            &["owner x: no-op: users/a -> users/a", "owner y: delete: users/a ->"],
            "No change of access.",
        ),
        (
            "all owners",
            &["owners x: update: users/a users/b -> users/b users/c"],
            "1 gains control, 1 loses it\n- `i`: 2 owners remain\n\
             - `users/a` loses control of `i`\n- `users/c` gains control of `i`",
        ),
        (
            "all owners are abandoned",
            &["owners x: delete: users/a +abandon ->"],
            "No change of access.\n- all owners of `i`: leaves Terraform, abandoned",
        ),
    ] {
        assert_eq!(lines(changes), *expected, "{case}");
    }
}

#[test]
fn writer_is_named_as_far_as_fields_show() {
    // Manager, repository and directory; an empty text is none.
    let object = |fields: [&str; 3]| {
        let mut change = change("role x: update: a -> a");
        for (name, value) in ["manager", "repo_uri", "repo_dir"].iter().zip(fields) {
            change["change"]["after"][name] = Some(value).filter(|it| !it.is_empty()).into();
        }
        let plan = json!({"format_version": "1.0", "resource_drift": [change]}).to_string();
        plan::read(&plan).expect("a plan").drift.remove(0).after.expect("an object")
    };
    let terraform = |uri: Option<&str>, directory: Option<&str>| {
        let (repo_uri, repo_dir) = (uri.map(str::to_owned), directory.map(str::to_owned));
        Some(Writer::Terraform { repo_uri, repo_dir })
    };
    const TF: &str = "TERRAFORM";
    for (before, after, expected) in [
        ([TF, "u", "d"], ["", "u", "d"], Some(Writer::NotTerraform)),
        ([TF, "u", "d"], ["OTHER", "", ""], Some(Writer::NotTerraform)),
        (["", "", ""], ["", "", ""], None),
        (["", "u", "d"], ["", "v", "d"], None),
        ([TF, "u", "d"], [TF, "u", "d"], Some(Writer::SameRepository)),
        ([TF, "u", ""], [TF, "u", ""], Some(Writer::SameRepository)),
        ([TF, "u", "d"], [TF, "u", "e"], terraform(Some("u"), Some("e"))),
        ([TF, "u", "d"], [TF, "v", ""], terraform(Some("v"), None)),
        ([TF, "u", "d"], [TF, "", ""], terraform(None, None)),
        ([TF, "", ""], [TF, "", ""], terraform(None, None)),
        (["", "", ""], [TF, "v", "e"], terraform(Some("v"), Some("e"))),
    ] {
        assert_eq!(writer(&object(before), &object(after)), expected, "{before:?} → {after:?}");
    }
}

#[test]
fn mark_of_everything_marks_no_attribute_that_an_object_does_not_have() {
    let mut change = change("owner x: update: users/a -> users/b");
    change["change"]["after_sensitive"] = true.into();
    let plan = json!({"format_version": "1.0", "resource_drift": [change]}).to_string();
    let markdown = markdown::write(&findings(&plan::read(&plan).expect("a plan")), usize::MAX);
    assert!(markdown.contains(": owner: `users/a` → `(sensitive)`\n"), "{markdown}");
}
