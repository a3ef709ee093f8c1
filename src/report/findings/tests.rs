//! What changes mean for access: tables.

use serde_json::{Value, json};

use super::*;
use crate::report::{markdown, plan};

/// Returns a side of a change: a role of the listing `l`, by its ID (`?` is unknown) and its resources, or
/// owners of the integration `i`. `+abandon` and `+adopt` are options; without an object it is null.
fn side(resource: &str, text: &str) -> Value {
    let is_option = |word: &&str| word.starts_with('+');
    let (options, words): (Vec<_>, Vec<_>) = text.split_whitespace().partition(is_option);
    let [first, rest @ ..] = &words[..] else { return Value::Null };
    let mut object = match resource {
        "listing_role" => {
            json!({"listing": "l", "role": first, "display_name": "R", "priority": 1, "resources": rest})
        }
        "integration_owner" => json!({"integration": "i", "owner": first}),
        _ => json!({"integration": "i", "owners": words}),
    };
    if *first == "?" {
        object["role"] = Value::Null;
    }
    if options.contains(&"+abandon") {
        object["deletion_policy"] = "abandon".into();
    }
    object["adopt_existing"] = options.contains(&"+adopt").into();
    object
}

/// Returns a change from its text: `RESOURCE.NAME: ACTIONS: BEFORE -> AFTER`.
fn change(text: &str) -> Value {
    let [address, actions, objects] = text.split(": ").collect::<Vec<_>>()[..] else { panic!() };
    let (resource, _) = address.split_once('.').unwrap();
    let (before, after) = objects.split_once("->").unwrap();
    json!({
        "address": format!("access_{address}"), "type": format!("access_{resource}"),
        "provider_name": "h/n/access",
        "change": {
            "actions": actions.split(' ').collect::<Vec<_>>(),
            "before": side(resource, before), "after": side(resource, after),
            "after_unknown": {"role": after.starts_with(" ?")},
        },
    })
}

/// Returns the Markdown of a plan with these changes as one of its lists.
fn report(list: &str, changes: &[Value]) -> String {
    let plan = json!({"format_version": "1.2", list: changes}).to_string();
    markdown::write(&findings(&plan::read(&plan).expect("a plan")), usize::MAX)
}

/// Returns the report of these changes: counts and entries, each line once.
fn lines(changes: &[&str]) -> String {
    let changes: Vec<_> = changes.iter().map(|text| change(text)).collect();
    let markdown = report("resource_changes", &changes);
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
        (
            "another name",
            &["listing_role.x: delete create: a r -> b r"][..],
            format!(
                "2 roles change; 1 grant to revoke by hand\n{deleted}\n\
                 - `listings/l/roles/b` is created: resources: `r`; {text}\n{revoke}"
            )
            .as_str(),
        ),
        (
            "another name, and the old one is abandoned",
            &["listing_role.x: delete create: a r +abandon -> b"],
            &format!(
                "1 role changes\n- `listings/l/roles/b` is created: {text}\n\
                 - `listings/l/roles/a`: leaves Terraform, abandoned"
            ),
        ),
        (
            "its own name",
            &["listing_role.x: delete create: a r s -> a s"],
            &format!(
                "1 role changes; 1 grant to revoke by hand\n- `listings/l/roles/a` is replaced: \
                 resources removed (present holders keep it): `r`\n{revoke}"
            ),
        ),
        (
            "a name that is known after apply",
            &["listing_role.x: delete create: a r -> ? r"],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - {unknown} is created: resources: `r`; {text}\n{deleted}\n{revoke}\n- {unknown}: role"
            ),
        ),
        (
            "a deposed object of a role that is kept",
            &["listing_role.x: no-op: a r -> a r", "listing_role.x: delete: a s ->"],
            "No change of access.",
        ),
        (
            "two roles that swap their names",
            &[
                "listing_role.x: delete create: a r -> b r",
                "listing_role.y: delete create: b r s -> a r s",
            ],
            &format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - `listings/l/roles/a` ({x}, {y}) is replaced: resources added (present holders do not get it): `s`\n\
                 - `listings/l/roles/b` ({x}, {y}) is replaced: resources removed (present holders keep it): `s`\n\
                 - [ ] `listings/l/roles/b`: `s` ({x}, {y})"
            ),
        ),
        (
            "forgotten by one address and adopted by another",
            &["listing_role.x: forget: a r ->", "listing_role.y: create: -> a +adopt"],
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
            &["integration_owner.x: forget create: users/a -> users/b"],
            "1 gains control, 0 lose it\n- `users/b` gains control of `i`\n\
             - `users/a` of `i`: leaves Terraform, kept by a removed block",
        ),
        (
            "an owner under another ID and at another address",
            &[
                "integration_owner.x: delete create: users/a -> users/a",
                "integration_owner.y: delete: users/b ->",
                "integration_owner.z: create: -> users/b",
            ],
            "No change of access.",
        ),
        (
            "one of two entries of an owner",
            &[
                "integration_owner.x: no-op: users/a -> users/a",
                "integration_owner.y: delete: users/a ->",
            ],
            "No change of access.",
        ),
        (
            "all owners are abandoned",
            &["integration_owners.x: delete: users/a +abandon ->"],
            "No change of access.\n- all owners of `i`: leaves Terraform, abandoned",
        ),
    ] {
        assert_eq!(lines(changes), expected, "{case}");
    }
}

/// `acceptance::report` shows drift of a role that had all three fields.
#[test]
fn writer_is_named_as_far_as_fields_show() {
    // Manager, repository and directory; an empty text is none.
    let with = |object: &mut Value, fields: [&str; 3]| {
        for (name, value) in ["manager", "repo_uri", "repo_dir"].iter().zip(fields) {
            object[name] = Some(value).filter(|it| !it.is_empty()).into();
        }
    };
    for (before, after, expected) in [
        (["TERRAFORM", "u", "d"], ["OTHER", "", ""], "last written: not Terraform"),
        (["", "u", "d"], ["", "v", "d"], ""),
        (["TERRAFORM", "u", ""], ["TERRAFORM", "u", ""], "last written: the same repository"),
        (["TERRAFORM", "u", "d"], ["TERRAFORM", "u", "e"], "repository `u`, directory `e`"),
        (["TERRAFORM", "u", "d"], ["TERRAFORM", "v", ""], "Terraform with repository `v`"),
        (["TERRAFORM", "", ""], ["TERRAFORM", "", ""], "Terraform, without a repository"),
        (["", "", ""], ["TERRAFORM", "v", "e"], "repository `v`, directory `e`"),
    ] {
        let mut change = change("listing_role.x: update: a -> a r");
        with(&mut change["change"]["before"], before);
        with(&mut change["change"]["after"], after);
        let markdown = report("resource_drift", &[change]);
        let entry = markdown.lines().find(|line| line.starts_with("- ")).expect("an entry");
        assert!(entry.ends_with(expected), "{before:?} → {after:?}: {entry}");
        assert_eq!(entry.contains("last written"), !expected.is_empty(), "{entry}");
    }
}

#[test]
fn mark_of_everything_marks_no_attribute_that_an_object_does_not_have() {
    let mut change = change("integration_owner.x: update: users/a -> users/b");
    change["change"]["after_sensitive"] = true.into();
    let markdown = report("resource_drift", &[change]);
    assert!(markdown.contains(": owner: `users/a` → `(sensitive)`\n"), "{markdown}");
}
