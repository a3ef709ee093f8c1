//! What changes mean for access: tables.

use serde_json::{Value, json};

use super::*;
use crate::report::entries::Parent;
use crate::report::{markdown, plan};

/// Returns a side of a change: a role of the listing `l`, by its ID (`?` is unknown) and its
/// resources, or owners of the integration `i`. Words with `+` are options; without an object it is
/// null.
fn side(resource: &str, text: &str) -> Value {
    let is_option = |word: &&str| word.starts_with('+');
    let (options, words): (Vec<_>, Vec<_>) = text.split_whitespace().partition(is_option);
    let [first, rest @ ..] = &words[..] else { return Value::Null };
    let mut object = match resource {
        "listing_role" => {
            json!({"listing": "l", "role": first, "display_name": "R", "priority": 1, "resources": rest})
        }
        "integration_owner" => {
            json!({"integration": "i", "owner": first, "integration_owner_id": "own-1"})
        }
        _ => json!({"integration": "i", "owners": words}),
    };
    if *first == "?" {
        object["role"] = Value::Null;
    }
    for option in options {
        match option.split_once('=').unwrap_or((option, "")) {
            ("+abandon", _) => object["deletion_policy"] = "abandon".into(),
            ("+delete", _) => object["deletion_policy"] = "delete".into(),
            ("+adopt", _) => object["adopt_existing"] = true.into(),
            ("+required", _) => object["allow_missing"] = false.into(),
            ("+text", text) => object["display_name"] = text.into(),
            ("+id", id) => object["integration_owner_id"] = id.into(),
            ("+late", attribute) => object[attribute] = Value::Null,
            _ => panic!("{option}"),
        }
    }
    object
}

/// Returns a change from its text: `RESOURCE.NAME: ACTIONS: BEFORE -> AFTER`.
/// `RESOURCE.NAME@PROVIDER` has a block with this provider configuration, and `import` is no
/// action. `+late=ATTRIBUTE` marks an attribute as unknown.
fn change(text: &str) -> Value {
    let [address, actions, objects] = text.split(": ").collect::<Vec<_>>()[..] else { panic!() };
    let (address, _) = address.split_once('@').unwrap_or((address, ""));
    let (resource, _) = address.split_once('.').unwrap();
    let (before, after) = objects.split_once("->").unwrap();
    let (imports, actions): (Vec<_>, Vec<_>) =
        actions.split(' ').partition(|action| *action == "import");
    let mut unknown = json!({"role": after.starts_with(" ?")});
    for word in after.split(' ') {
        if let Some(attribute) = word.strip_prefix("+late=") {
            unknown[attribute] = true.into();
        }
    }
    let mut change = json!({
        "address": format!("access_{address}"), "type": format!("access_{resource}"),
        "provider_name": "h/n/access",
        "change": {
            "actions": actions, "before": side(resource, before), "after": side(resource, after),
            "after_unknown": unknown,
        },
    });
    if !imports.is_empty() {
        change["change"]["importing"] = json!({"id": "x"});
    }
    change
}

/// Returns the configuration of a plan: provider configurations from their texts,
/// `NAME=BASE_URL+POLICY` (`$` is an expression), and the blocks that changes name.
fn configuration(providers: &str, changes: &[&str]) -> Value {
    let mut configuration = json!({"provider_config": {}, "root_module": {"resources": []}});
    for provider in providers.split_whitespace() {
        let (name, arguments) = provider.split_once('=').unwrap_or((provider, ""));
        let (base_url, policy) = arguments.split_once('+').unwrap_or((arguments, ""));
        let mut expressions = json!({});
        match base_url {
            "" => {}
            "$" => expressions["base_url"] = json!({"references": ["var.x"]}),
            "each" => expressions["base_url"] = json!({"references": ["each.value"]}),
            url => expressions["base_url"] = json!({"constant_value": url}),
        }
        if !policy.is_empty() {
            expressions["deletion_policy"] = json!({"constant_value": policy});
        }
        let mut listed = json!({"full_name": "h/n/access"});
        // A default configuration without a block has no expressions.
        if provider.contains('=') {
            listed["expressions"] = expressions;
        }
        configuration["provider_config"][name] = listed;
    }
    for text in changes {
        let address = text.split(": ").next().unwrap();
        if let Some((address, provider)) = address.split_once('@') {
            let (address, _) = address.split_once('[').unwrap_or((address, ""));
            let block = json!({
                "address": format!("access_{address}"), "provider_config_key": provider,
                "expressions": {"resources": {}},
            });
            let blocks = configuration["root_module"]["resources"].as_array_mut().unwrap();
            blocks.push(block);
        }
    }
    configuration
}

/// Returns the report of a plan.
fn findings_of(plan: &Value) -> Report {
    findings(&plan::read(&plan.to_string()).expect("a plan"))
}

/// Returns the Markdown of a plan with these changes as one of its lists.
fn report(list: &str, changes: &[Value]) -> String {
    let plan = json!({"format_version": "1.2", list: changes});
    markdown::write(&findings_of(&plan), usize::MAX)
}

/// Returns the lines of a report: counts, contradictions and entries.
fn lines_of(plan: &Value) -> String {
    let markdown = markdown::write(&findings_of(plan), usize::MAX);
    let mut lines: Vec<_> = markdown.lines().collect();
    lines.retain(|line| {
        let remarks = ["Count on", "The plan does not", "Ask: "];
        let is_remark = remarks.iter().any(|remark| line.starts_with(remark));
        !line.is_empty() && !line.starts_with('#') && !is_remark
    });
    if lines.len() > 1 {
        assert_eq!(lines.pop(), lines.first().copied());
    }
    lines.join("\n")
}

fn plan_of(providers: &str, changes: &[&str]) -> Value {
    let all: Vec<_> = changes.iter().map(|text| change(text)).collect();
    json!({
        "format_version": "1.2", "configuration": configuration(providers, changes),
        "resource_changes": all,
    })
}

/// Returns the report of these changes, with a single provider configuration.
fn lines(changes: &[&str]) -> String {
    lines_of(&plan_of("", changes))
}

/// The variable can keep what the report calls deleted.
#[test]
fn sentence_about_the_variable_is_beneath_deletes_only() {
    let again = "integration_owners.x: delete create: users/a users/b -> users/a users/b";
    let removed = "integration_owners.y: update: users/c users/d -> users/c";
    for (changes, is_shown) in [
        (vec!["listing_role.x: delete: a r ->"], true),
        (vec!["integration_owner.x: delete: users/a ->"], true),
        (vec!["integration_owners.x: delete: users/a ->"], true),
        (vec![again], false),
        (vec![again, removed], false),
        (vec!["integration_owner.x: delete create: users/a -> users/a"], false),
    ] {
        let plan = plan_of("access=", &changes);
        let text = markdown::write(&findings_of(&plan), usize::MAX);
        assert_eq!(text.contains("Count on these deletes"), is_shown, "{changes:?}: {text}");
    }
}

#[test]
fn changes_mean_for_access_what_becomes_of_each_object() {
    let revoke = "- [ ] `listings/l/roles/a`: `r`";
    let text = "display_name: `R`; priority: `1`";
    let (x, y) = ("`access_listing_role.x`", "`access_listing_role.y`");
    let unknown = format!("`listings/l/roles/(known after apply)` ({x})");
    for (case, changes, expected) in [
        (
            "another name",
            &["listing_role.x: delete create: a r -> b r +text=New"][..],
            format!(
                "2 roles change; 1 grant to revoke by hand\n\
                 - `listings/l/roles/a` becomes `listings/l/roles/b`: its resources: `r`; \
                 present holders of the old role keep: `r`; display_name: `R` → `New`\n{revoke}"
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
                 - `listings/l/roles/a` becomes `listings/l/roles/(known after apply)`: its resources: `r`; \
                 present holders of the old role keep: `r`\n{revoke}\n- {unknown}: role"
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
                "integration_owner.x: no-op: users/a +id=own-2 -> users/a +id=own-2",
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

/// Plans of insiders, and plans with two regions. Each was applied, and the report said less than
/// happened.
#[test]
fn report_says_no_less_than_a_plan_does() {
    let owner = |name: &str| format!("(`access_integration_owner.{name}`)");
    let role = |name: &str| format!("(`access_listing_role.{name}`)");
    let (x, y) = (role("x"), role("y"));
    let both = "(`access_listing_role.x`, `access_listing_role.y`)";
    let pair = |what: &str| {
        let contradiction =
            "Contradiction: `access_listing_role.x` deletes `listings/l/roles/a`, which";
        format!("{contradiction} `access_listing_role.y` {what}")
    };
    let (is_gone, may_be_gone) = (
        pair("keeps or makes: it may be gone after the apply."),
        pair("takes over or makes: if both are at one service, it may be gone after the apply."),
    );
    let deleted = |address: &str| {
        format!("- `listings/l/roles/a` {address} is deleted: present holders keep: `r`")
    };
    let revoke = |address: &str| format!("- [ ] `listings/l/roles/a`: `r` {address}");
    let one_deleted = "1 role changes; 1 grant to revoke by hand";
    let text = "display_name: `R`; priority: `1`";
    let perhaps_overwritten = format!(
        "1 role changes\n- `listings/l/roles/a` is created, or overwritten if it exists: \
         resources added (present holders do not get it): `r`; {text}\n\
         - `listings/l/roles/a`: comes under Terraform, overwrites what exists"
    );
    for (case, providers, changes, expected) in [
        (
            "the block of one region is deleted, and that of the other stays",
            "access= access.us=https://us",
            &[
                "integration_owner.x@access: no-op: users/a -> users/a",
                "integration_owner.y: delete: users/a ->",
            ][..],
            format!(
                "0 gain control, 1 loses it\n- `users/a` loses control of `i` {}",
                owner("y")
            ),
        ),
        (
            "one region loses what the other keeps, and both are expressions",
            "access.eu=$ access.us=$",
            &[
                "integration_owner.x@access.eu: no-op: users/a -> users/a",
                "integration_owner.y[0]@access.us: delete: users/a ->",
            ],
            format!(
                "0 gain control, 1 loses it\n- `users/a` loses control of `i` {}",
                owner("y[0]")
            ),
        ),
        (
            "two deleted blocks in two regions",
            "access.eu=https://eu access.us=https://us",
            &["listing_role.x: delete: a r ->", "listing_role.y: delete: a r ->"],
            format!(
                "2 roles change; 2 grants to revoke by hand\n{}\n{}\n{}\n{}",
                deleted(&x),
                deleted(&y),
                revoke(&x),
                revoke(&y)
            ),
        ),
        (
            "instances of a provider configuration",
            "access.by=each",
            &[
                "listing_role.x@access.by: delete: a r ->",
                "listing_role.y@access.by: no-op: a r -> a r",
            ],
            format!("{one_deleted}\n{}\n{}", deleted(&x), revoke(&x)),
        ),
        (
            "one object at two addresses, by two aliases of one service",
            "access.a=https://eu access.b=https://eu",
            &[
                "listing_role.x@access.a: update: a r -> a r s",
                "listing_role.y@access.b: update: a r -> a r s",
            ],
            format!(
                "1 role changes\n- `listings/l/roles/a` {both} changes: \
                 resources added (present holders do not get it): `s`"
            ),
        ),
        (
            "an unused alias abandons",
            "access access.eu=https://eu+abandon",
            &["listing_role.x: delete: a r ->"],
            format!("{one_deleted}\n{}\n{}", deleted(&x), revoke(&x)),
        ),
        (
            "the policy of the state counts before that of every provider configuration",
            "access=https://eu+abandon",
            &["listing_role.x: delete: a r +delete ->"],
            format!(
                "{one_deleted}\n- `listings/l/roles/a` is deleted: present holders keep: `r`\n\
                 - [ ] `listings/l/roles/a`: `r`"
            ),
        ),
        (
            "one address edits a text, and another imports the role and adds a resource",
            "access=",
            &[
                "listing_role.x@access: update: a r -> a r +text=New",
                "listing_role.y@access: import update: a r -> a db/admin r",
            ],
            format!(
                "1 role changes\n\
                 Contradiction: `access_listing_role.x` and `access_listing_role.y` write `listings/l/roles/a` \
                 differently, and the last write counts.\n\
                 - `listings/l/roles/a` {x} changes: display_name: `R` → `New`\n\
                 - `listings/l/roles/a` {y} changes: resources added (present holders do not get it): `db/admin`\n\
                 - `listings/l/roles/a` {y}: comes under Terraform, imported"
            ),
        ),
        (
            "one list keeps whom the other removes",
            "access=",
            &[
                "integration_owners.x@access: update: users/a users/b -> users/b",
                "integration_owners.y@access: no-op: users/a users/b -> users/a users/b",
            ],
            "0 gain control, 1 loses it\n\
             Contradiction: `access_integration_owners.x` and `access_integration_owners.y` write all owners of \
             `i` differently, and the last write counts.\n\
             Contradiction: `access_integration_owners.x` removes `users/a` of `i`, which \
             `access_integration_owners.y` keeps or makes: it may be gone after the apply.\n\
             - `i`: 1 owner remains (`access_integration_owners.x`)\n\
             - `users/a` loses control of `i` (`access_integration_owners.x`, `access_integration_owners.y`)"
                .to_owned(),
        ),
        (
            "a second alias of the service imports what the default one deletes",
            "access=https://eu access.b=https://eu",
            &["listing_role.x: delete: a r ->", "listing_role.y@access.b: import no-op: a r -> a r"],
            format!(
                "{one_deleted}\n{is_gone}\n{}\n{}\n\
                 - `listings/l/roles/a` {y}: comes under Terraform, imported",
                deleted(&x),
                revoke(&x)
            ),
        ),
        (
            "perhaps the same service",
            "access= access.b=https://eu",
            &["listing_role.x: delete: a r ->", "listing_role.y@access.b: create: -> a r +adopt"],
            format!(
                "2 roles change; 1 grant to revoke by hand\n{may_be_gone}\n{}\n\
                 - `listings/l/roles/a` {y} is created, or overwritten if it exists: \
                 resources added (present holders do not get it): `r`; {text}\n{}\n\
                 - `listings/l/roles/a` {y}: comes under Terraform, overwrites what exists",
                deleted(&x),
                revoke(&x)
            ),
        ),
        (
            "an owner of two aliases of one service",
            "access.a=https://eu access.b=https://eu",
            &[
                "integration_owner.x[0]@access.a: delete: users/a ->",
                "integration_owner.y@access.b: create: -> users/a +adopt",
            ],
            format!(
                "1 gains control, 1 loses it\n\
                 Contradiction: `access_integration_owner.x[0]` removes `users/a` of `i`, which \
                 `access_integration_owner.y` keeps or makes: it may be gone after the apply.\n\
                 - `users/a` gains control of `i`, unless it has it already \
                 (`access_integration_owner.x[0]`, `access_integration_owner.y`)\n\
                 - `users/a` loses control of `i` (`access_integration_owner.x[0]`, `access_integration_owner.y`)\n\
                 - `users/a` of `i` {}: comes under Terraform, adopts what exists",
                owner("y")
            ),
        ),
        (
            "adoption that is known only after apply",
            "access=",
            &["listing_role.x@access: create: -> a r +late=adopt_existing"],
            perhaps_overwritten.clone(),
        ),
        (
            "a role that may have to exist",
            "access=",
            &["listing_role.x@access: create: -> a r +late=allow_missing"],
            perhaps_overwritten,
        ),
        (
            "a role that has to exist is not created",
            "access=",
            &["listing_role.x@access: create: -> a r +required +adopt"],
            format!(
                "1 role changes\n- `listings/l/roles/a` is overwritten: \
                 resources added (present holders do not get it): `r`; {text}\n\
                 - `listings/l/roles/a`: comes under Terraform, overwrites what exists"
            ),
        ),
        (
            "a list that replaces itself",
            "access=",
            &["integration_owners.x@access: delete create: users/a users/b -> users/a users/b"],
            "No change of access.\n- `i`: 2 owners remain".to_owned(),
        ),
        (
            "all owners are perhaps adopted",
            "access=",
            &["integration_owners.x@access: create: -> users/a +late=adopt_existing"],
            "1 gains control, 0 lose it\n\
             - `i`: owners that exist and are not listed lose control\n\
             - `i`: 1 owner remains\n\
             - `users/a` gains control of `i`, unless it has it already\n\
             - all owners of `i`: comes under Terraform, adopts what exists"
                .to_owned(),
        ),
        (
            "single owners that are left to a list, which removes the others",
            "access=",
            &[
                "integration_owner.x: delete: users/a +abandon ->",
                "integration_owners.y@access: create: -> users/a +adopt",
            ],
            "Changes of access that are known only after apply.\n\
             - `i`: owners that exist and are not listed lose control\n\
             - `i`: 1 owner remains\n\
             - all owners of `i`: comes under Terraform, adopts what exists\n\
             - `users/a` of `i` (`access_integration_owner.x`): leaves Terraform, abandoned"
                .to_owned(),
        ),
        (
            "lifecycle { destroy = false }",
            "access=",
            &["listing_role.x[0]@access: forget: a r ->"],
            "No change of access.\n\
             - `listings/l/roles/a`: leaves Terraform, kept by `destroy = false` of its lifecycle"
                .to_owned(),
        ),
        (
            "a role that is forgotten and made again",
            "access=",
            &["listing_role.x@access: forget create: a r -> a s"],
            "1 role changes; 1 grant to revoke by hand\n\
             - `listings/l/roles/a` leaves Terraform and is made again, which fails while it exists: \
             resources added (present holders do not get it): `s`; \
             resources removed (present holders keep it): `r`\n\
             - [ ] `listings/l/roles/a`: `r`\n\
             - `listings/l/roles/a`: leaves Terraform, kept by `destroy = false` of its lifecycle"
                .to_owned(),
        ),
        (
            "a rename that adopts",
            "access=",
            &["listing_role.x@access: delete create: a r -> b s +adopt"],
            "2 roles change; 1 grant to revoke by hand\n\
             - `listings/l/roles/a` becomes `listings/l/roles/b`, which is created, or overwritten if it exists: \
             its resources: `s`; present holders of the old role keep: `r`\n\
             - [ ] `listings/l/roles/a`: `r`\n\
             - `listings/l/roles/b`: comes under Terraform, overwrites what exists"
                .to_owned(),
        ),
        (
            "a text that is known only after apply, and was not set",
            "access=",
            &["listing_role.x@access: update: a r -> a r +late=description"],
            "1 role changes\n\
             - `listings/l/roles/a` changes: description: none → `(known after apply)`"
                .to_owned(),
        ),
        (
            "a replacement whose resources are known only after apply, if at all",
            "access=",
            &["listing_role.x@access: delete create: a r -> a +late=resources"],
            "1 role changes; 1 grant to revoke by hand\n\
             - `listings/l/roles/a` is replaced: resources removed (present holders keep it): `r`; \
             resources are not managed, or known only after apply\n\
             - [ ] `listings/l/roles/a`: `r`\n\
             - `listings/l/roles/a`: resources, now `r`"
                .to_owned(),
        ),
    ] {
        assert_eq!(lines_of(&plan_of(providers, changes)), expected, "{case}");
    }
}

/// A plan contains nothing of an expression without references, such as `toset(["a"])`.
#[test]
fn resources_are_managed_unless_their_expression_is_missing_or_null() {
    for (expressions, is_managed) in [
        (json!({}), false),
        (json!({"resources": {"constant_value": null}}), false),
        (json!({"resources": {"constant_value": []}}), true),
        (json!({"resources": {"references": ["var.x"]}}), true),
        (json!({"resources": {}}), true),
    ] {
        let mut plan = plan_of("access=", &["listing_role.x@access: update: a r -> a r +text=New"]);
        plan["configuration"]["root_module"]["resources"][0]["expressions"] = expressions.clone();
        let treatment = if is_managed { "" } else { "resources are not managed; " };
        let expected = format!(
            "1 role changes\n- `listings/l/roles/a` changes: {treatment}display_name: `R` → `New`"
        );
        assert_eq!(lines_of(&plan), expected, "{expressions}");
    }
}

/// Terraform 1.9 to 1.11 plans the delete of an object whose block is gone before it reads the
/// object.
#[test]
fn deleted_object_leaves_behind_what_the_service_had_at_the_plan() {
    let mut plan = plan_of("access=", &["listing_role.x: delete: a r ->"]);
    plan["resource_drift"] = json!([change("listing_role.x: update: a r -> a s")]);
    let revoke = "- [ ] `listings/l/roles/a`: `s`";
    let text = lines_of(&plan);
    assert!(text.contains(revoke) && !text.contains("roles/a`: `r`"), "{text}");
    // Another object of the address.
    plan["resource_changes"][0]["deposed"] = "0badcafe".into();
    let text = lines_of(&plan);
    assert!(text.contains("- [ ] `listings/l/roles/a`: `r`"), "{text}");
}

#[test]
fn first_line_never_says_no_change_where_something_is_missing() {
    let unchanged = || plan_of("access=", &["listing_role.x@access: no-op: a r -> a r"]);
    let mut failed = unchanged();
    failed["errored"] = true.into();
    let mut unreadable = unchanged();
    let mut action = change("listing_role.y: no-op: b -> b");
    action["change"]["actions"] = json!(["unheard-of"]);
    let mut set = change("listing_role.z: no-op: c -> c");
    set["change"]["after"]["resources"] = json!([7]);
    unreadable["resource_changes"].as_array_mut().unwrap().extend([action, set]);
    let mut one = unchanged();
    one["resource_changes"][0]["change"]["after"]["role"] = 7.into();
    for (plan, expected, changes_access) in [
        (unchanged(), "No change of access.", false),
        (failed, "The plan failed before it showed a change of access.", false),
        (unreadable, "2 resources could not be read", true),
        (one, "1 resource could not be read", true),
    ] {
        let found = findings_of(&plan);
        let markdown = markdown::write(&found, usize::MAX);
        assert_eq!(markdown.lines().next(), Some(expected));
        assert_eq!(found.changes_access(), changes_access, "{expected}");
    }
}

/// Whom a plan asks. A plan does not choose its own reviewer.
#[test]
fn owners_before_the_plan_are_asked() {
    let added = "integration_owner.b@access: create: -> users/b";
    let kept = "integration_owner.a@access: no-op: teams/a -> teams/a";
    let role = json!({
        "address": "access_listing_role.x", "type": "access_listing_role", "provider_name": "h/n/access",
        "change": {
            "actions": ["create"], "before": null,
            "after": {"listing": "i", "role": "r", "display_name": "R", "priority": 1},
        },
    });
    let listed = |owners: &[&str]| {
        let owners: Vec<_> = owners.iter().map(|owner| json!({"owner": owner})).collect();
        json!({
            "address": "data.access_integration_owners.d", "mode": "data",
            "type": "access_integration_owners", "provider_name": "h/n/access",
            "values": {"integration": "i", "owners": owners}, "sensitive_values": {},
        })
    };
    let state = json!({
        "address": "access_integration_owner.s", "mode": "managed", "type": "access_integration_owner",
        "provider_name": "h/n/access", "values": {"integration": "i", "owner": "teams/state"},
    });
    let list_drift = "integration_owners.l@access: update: teams/a -> teams/a users/eve";
    let list_change = "integration_owners.l@access: update: teams/a users/eve -> teams/a";
    for (case, changes, prior, drift, expected) in [
        ("nobody is known", &[][..], json!([]), None, None),
        ("who is kept", &[kept, added], json!([]), None, Some("teams/a")),
        (
            "who is removed",
            &["integration_owner.a@access: delete: teams/a ->"],
            json!([]),
            None,
            Some("teams/a"),
        ),
        ("who is in the state only", &[], json!([state]), None, Some("teams/state")),
        (
            "who is in a data source only",
            &[added],
            json!([listed(&["teams/d"])]),
            None,
            Some("teams/d"),
        ),
        (
            "a resource is asked before a data source",
            &[kept],
            json!([listed(&["users/eve"])]),
            None,
            Some("teams/a"),
        ),
        ("not who was added outside", &[list_change], json!([]), Some(list_drift), Some("teams/a")),
        ("nobody else is known", &[added], json!([]), None, Some("users/b")),
    ] {
        let mut plan = plan_of("access=", changes);
        plan["resource_changes"].as_array_mut().unwrap().push(role.clone());
        plan["prior_state"]["values"]["root_module"]["resources"] = prior;
        plan["resource_drift"] = drift.into_iter().map(change).collect();
        let found = findings_of(&plan);
        let asked: BTreeSet<_> = found.approvers.iter().flat_map(|it| &it.owners).collect();
        assert_eq!(asked.into_iter().next().map(String::as_str), expected, "{case}");
        assert!(found.approvers.iter().all(|it| it.owners.len() == 1), "{case}");
        assert!(
            found.approvers.iter().all(|it| it.become_owners == (case == "nobody else is known"))
        );
        let listings = found.approvers.iter().filter(|it| matches!(it.parent, Parent::Listing(_)));
        assert_eq!(listings.count(), usize::from(expected.is_some()), "{case}");
    }
}

#[test]
fn owners_that_nothing_shows_are_named_as_unseen() {
    let owner = |address: &str, integration: &str| {
        json!({
            "address": address, "mode": "managed", "type": "access_integration_owner",
            "provider_name": "h/n/access", "values": {"integration": integration, "owner": "users/a"},
        })
    };
    let all = |integration: &str, mode: &str| {
        json!({
            "address": format!("{mode}.x"), "mode": mode, "type": "access_integration_owners",
            "provider_name": "h/n/access",
            "values": {"integration": integration, "owners": [{"owner": "users/a"}, {"owner": "users/eve"}]},
        })
    };
    let mut plan = plan_of("access=", &[]);
    plan["prior_state"]["values"]["root_module"] = json!({
        "resources": [owner("access_integration_owner.x", "seen"), all("seen", "data")],
        "child_modules": [{"resources": [owner("module.m.access_integration_owner.x", "unseen")]}],
    });
    let found = findings_of(&plan);
    assert_eq!(found.unseen_owners, BTreeSet::from(["unseen".to_owned()]));
    let markdown = markdown::write(&found, usize::MAX);
    let entry = "- `users/eve` of `seen`: an owner that no resource has\n";
    assert!(
        markdown.starts_with("No change of access.\n") && markdown.contains(entry),
        "{markdown}"
    );
}

/// Whoever writes texts does not choose what is missing.
#[test]
fn grants_and_losses_are_shown_before_texts() {
    let mut plan = plan_of(
        "access=",
        &[
            "listing_role.z@access: update: zz r -> zz db/admin",
            "integration_owner.z: delete: users/zoe ->",
        ],
    );
    let changes = plan["resource_changes"].as_array_mut().unwrap();
    for number in 0..60 {
        let mut edit =
            change(&format!("listing_role.a{number}: update: a{number} r -> a{number} r"));
        edit["change"]["after"]["description"] = "long ".repeat(2_000).into();
        changes.push(edit);
    }
    let found = findings_of(&plan);
    for limit in [2_000, 5_000, 20_000] {
        let markdown = markdown::write(&found, limit);
        assert!(markdown.len() <= limit, "{limit}: {}", markdown.len());
        for part in [
            "- `users/zoe` loses control of `i`\n",
            "- `listings/l/roles/zz` changes: resources added (present holders do not get it): `db/admin`; \
             resources removed (present holders keep it): `r`\n",
            "- [ ] `listings/l/roles/zz`: `r`\n",
        ] {
            assert!(markdown.contains(part), "{limit}: {part}: {markdown}");
        }
        assert_eq!(markdown.contains("more are not shown."), limit < 10_000, "{markdown}");
    }
    // Where not even all grants fit, no text takes the place of one.
    let changes = plan["resource_changes"].as_array_mut().unwrap();
    for number in 0..60 {
        changes
            .push(change(&format!("listing_role.g{number}: update: g{number} r -> g{number} s")));
    }
    let markdown = markdown::write(&findings_of(&plan), 3_000);
    let shown = |role: &str| markdown.matches(&format!("\n- `listings/l/roles/{role}")).count();
    assert!(shown("g") > 1 && shown("a") == 0, "{markdown}");
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
