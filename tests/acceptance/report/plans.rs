//! Plans that are hard to read, each applied and compared with the service.

use serde_json::json;

use super::*;
use crate::support::fixtures::{ROLE, Text, import, later, owner, owners, removed, settings};
use crate::support::{VERSIONS, host_version};

const GAINS_NOTHING: &str = "No change of access by this provider.";
const OVERWRITTEN: &str = "What exists and could not be read in the plan is overwritten.";

/// Returns the list of owners of `okta`, imported.
fn imported_owners(principals: &[&str]) -> Text {
    owners(principals) + import("access_integration_owners.all", "okta")
}

#[test]
fn life_of_roles_and_owners() {
    let service = service();
    let workspace = service.workspace();
    let single = owner("zoe").text("integration", "eng");
    let first = holding("a", &["r/1", "r/2"]) + role("b") + owner("ada") + single;
    let planned =
        self::planned(&workspace, first + imported_owners(&["users/founder", "users/ada"]));
    planned.reads(&format!(
        "3 gain control; 2 roles are created; 1 role without resources in the plan
        ## Owners, effective at once
        - `users/zoe` gains control of `eng` (`access_integration_owner.zoe`)
        - `users/ada` gains control of `github` (`access_integration_owner.ada`)
        - `users/ada` gains control of `okta` (`access_integration_owners.all`)
        - `okta` (`access_integration_owners.all`): the list names 2 owners afterwards
        ## Roles, effective for new requests
        - `listings/github/roles/a` (`access_listing_role.a`) is created; resources: `r/1`, `r/2`; display_name: `Role`
        - `listings/github/roles/b` (`access_listing_role.b`) is created; its resources are not in the plan; display_name: `Role`
        {OVERWRITTEN}
        ## Comes under Terraform, leaves Terraform
        - all owners of `okta` (`access_integration_owners.all`) comes under Terraform"
    ));
    planned.applies_as_said(&workspace, &service);

    let a = || holding("a", &["r/2", "r/3"]).text("display_name", "New").set("priority", 9);
    let b = || role("b").text("description", "Why");
    let kept = || owner("bea") + owners(&["users/founder", "users/cy"]);
    // A list takes the place of a single owner, which is forgotten.
    let eng = owners(&["users/zoe", "users/bea"]).at("eng").text("integration", "eng");
    let taken = removed("access_integration_owner.zoe")
        + &eng
        + import("access_integration_owners.eng", "eng");
    let planned = self::planned(&workspace, a() + b() + kept() + taken);
    planned.reads(
        "3 gain control, 3 lose it; 1 role changes what it grants, 1 changes texts or order; 1 grant to revoke by hand; 1 changes nothing of access
        ## Owners, effective at once
        - `users/bea` gains control of `eng` (`access_integration_owners.eng`)
        - `users/bea` gains control of `github` (`access_integration_owner.bea`)
        - `users/cy` gains control of `okta` (`access_integration_owners.all`)
        - `users/founder` loses control of `eng` (`access_integration_owners.eng`)
        - `users/ada` loses control of `github` (`access_integration_owner.ada`)
        - `users/ada` loses control of `okta` (`access_integration_owners.all`)
        - `eng` (`access_integration_owners.eng`): the list names 2 owners afterwards
        - `okta` (`access_integration_owners.all`): the list names 2 owners afterwards
        ## Roles, effective for new requests
        - `listings/github/roles/a` (`access_listing_role.a`) adds `r/3` (present holders do not get it), removes `r/1` (present holders keep it); display_name: `Role` → `New`; priority: `1` → `9`
        - `listings/github/roles/b` (`access_listing_role.b`): description: none → `Why`
        ## To revoke by hand
        - [ ] `listings/github/roles/a` (`access_listing_role.a`): `r/1`
        ## Comes under Terraform, leaves Terraform
        - all owners of `eng` (`access_integration_owners.eng`) comes under Terraform
        - `users/zoe` of `eng` (`access_integration_owner.zoe`) leaves Terraform",
    );
    planned.applies_as_said(&workspace, &service);

    // A `removed` block that destroys is a delete.
    let removed = removed("access_listing_role.a").0.replace("false", "true");
    let planned = self::planned(&workspace, removed + &eng.to_string());
    let line = "3 lose control; 2 roles are deleted; 2 grants to revoke by hand";
    assert_eq!(planned.line(), line, "{}", planned.markdown);
    planned.applies_as_said(&workspace, &service);
}

#[test]
fn deletion_policy_of_a_provider_is_said_and_not_believed() {
    let policy = |policy: &str| settings().set("deletion_policy", policy);
    let [a, ada] = [holding("a", &["r"]), owner("ada")];
    let (service, workspace) = Service::with_applied(a.clone() + &ada);
    let eu = |policy: &str| settings().text("alias", "eu").set("deletion_policy", policy);
    // Whether the objects stay, if the plan is applied.
    for (case, settings, stays) in [
        ("an alias", eu("\"abandon\""), None),
        ("a function", policy("lower(\"ABANDON\")"), Some(true)),
    ] {
        let planned = planned(&workspace, settings);
        let text = &planned.markdown;
        assert_eq!(planned.json["counts"]["or_left"], true, "{case}: {text}");
        assert_eq!(text.matches(", or is left").count(), 4, "{case}: {text}");
        let Some(stays) = stays else { continue };
        planned.applies_no_more(&workspace, &service).succeeds();
        assert_eq!(service.role("github", "a").is_some(), stays, "{case}");
    }
}

/// Commands of other providers, of our resources and of destroys. What a `removed` block runs is in
/// no plan.
#[test]
fn commands_stand_beneath_the_first_line() {
    let run = "provisioner \"local-exec\" {\n    command = \"true\"\n  }";
    let at_destroy =
        "provisioner \"local-exec\" {\n    when    = destroy\n    command = \"true\"\n  }";
    let (service, workspace) = Service::with_workspace();
    workspace.write("m/main.tf", &later("y", "\"y\"").line(at_destroy).to_string());
    let module = "module \"m\" {\n  source = \"./m\"\n}\n";
    let configuration =
        later("x", "\"x\"").line(run) + role("a").line(run) + Text(module.to_owned());
    workspace.configure(configuration);
    workspace.run(&["get"]).succeeds();
    let planned = planned_with(&workspace, &[]);
    planned.reads(&format!(
        "1 role is created; 1 role without resources in the plan; 2 changes of other providers are not read
        An apply runs commands: at least `access_listing_role.a`, `module.m.terraform_data.y`, `terraform_data.x`.
        ## Roles, effective for new requests
        - `listings/github/roles/a` (`access_listing_role.a`) is created; its resources are not in the plan; display_name: `Role`
        {OVERWRITTEN}"
    ));
    planned.applies_as_said(&workspace, &service);

    let removed = removed("terraform_data.x").0.replace("false", "true");
    // Versions before 1.9 do not have it.
    let removed = removed.trim_end().trim_end_matches('}').to_owned() + at_destroy + "\n}\n";
    let planned = self::planned(&workspace, role("a").line(run) + Text(removed));
    planned.reads(&format!(
        "{GAINS_NOTHING} 2 changes of other providers are not read
        An apply runs commands: at least `access_listing_role.a`."
    ));
}

#[test]
fn names_sets_and_elements_that_are_known_only_after_apply() {
    let x = "terraform_data.x.output";
    let service = service();
    let late_owner = || owner("ada").set("owner", format!("\"users/${{{x}}}\""));
    let late_integration = || owner("bea").set("integration", format!("trimprefix({x}, \"-\")"));
    let workspace = service.applied(
        later("x", "\"eng\"")
            + holding("a", &["r/1", "r/2"])
            + holding("b", &["r/1"])
            + owner("ada")
            + imported_owners(&["users/founder", "users/bea"])
            + owners(&["users/old"]).at("eng").text("integration", "eng")
            + import("access_integration_owners.eng", "eng"),
    );
    let configuration = later("x", "\"github\"")
        + holding("a", &[]).set("resources", format!("[\"r/1\", {x}]"))
        + role("b").set("resources", format!("toset({x} == \"\" ? [] : [{x}])"))
        + role("c").set("role", x)
        + role("d").set("resources", format!("{x} == \"two\" ? [\"r/9\"] : null"))
        + holding("e", &["r/5"]).set("adopt_existing", format!("{x} == \"\""))
        + late_owner()
        + late_integration()
        + owners(&[]).set("owners", format!("[\"users/founder\", \"users/${{{x}}}\"]"))
        + owners(&[])
            .at("eng")
            .text("integration", "eng")
            .set("owners", format!("toset({x} == \"\" ? [] : [\"users/${{{x}}}\"])"));
    let planned = self::planned(&workspace, configuration);
    planned.reads(&format!(
        "at least 1 gains control, up to 3 lose it; 2 roles change what they grant, 3 are created; 2 grants to revoke by hand; 2 roles without resources in the plan; 7 known only after apply; 1 change of other providers is not read
        ## Owners, effective at once
        - `users/bea` gains control of `(known after apply)` (`access_integration_owner.bea`)
        - `users/old` loses control of `eng`, or keeps it (`access_integration_owners.eng`)
        - `users/ada` loses control of `github` (`access_integration_owner.ada`)
        - `users/bea` loses control of `okta`, or keeps it (`access_integration_owners.all`)
        - `okta` (`access_integration_owners.all`): the list names at least 1 owner afterwards
        ## Roles, effective for new requests
        - `listings/github/roles/a` (`access_listing_role.a`) removes `r/2` (present holders keep it)
        - `listings/github/roles/b` (`access_listing_role.b`) removes `r/1` (present holders keep it)
        - `listings/github/roles/(known after apply)` (`access_listing_role.c`) is created; its resources are not in the plan; display_name: `Role`
        - `listings/github/roles/d` (`access_listing_role.d`) is created; its resources are not in the plan; display_name: `Role`
        - `listings/github/roles/e` (`access_listing_role.e`) is created, or overwrites what exists; what that had and is not listed is to revoke, and the plan does not name it; resources: `r/5`; display_name: `Role`
        {OVERWRITTEN}
        ## To revoke by hand
        - [ ] `listings/github/roles/a` (`access_listing_role.a`): `r/2`
        - [ ] `listings/github/roles/b` (`access_listing_role.b`): `r/1`
        ## Known only after apply
        - `users/bea` of `(known after apply)` (`access_integration_owner.bea`): integration
        - all owners of `eng` (`access_integration_owners.eng`): owners
        - `(known after apply)` of `github` (`access_integration_owner.ada`): owner
        - all owners of `okta` (`access_integration_owners.all`): owners
        - `listings/github/roles/(known after apply)` (`access_listing_role.c`): role
        - `listings/github/roles/a` (`access_listing_role.a`): resources
        - `listings/github/roles/b` (`access_listing_role.b`): resources"
    ));
    planned.applies_no_more(&workspace, &service).succeeds();
    assert_eq!(service.principals("okta"), ["users/founder", "users/github"]);
}

/// Somebody has added a resource to a role whose block goes, and an owner to a list that goes.
/// Terraform 1.11 plans both deletes before it reads the objects.
#[test]
fn blocks_go_after_changes_by_hand() {
    let service = Service::full();
    let first = holding("a", &["r/1", "r/2"]) + imported_owners(&["users/founder"]);
    let workspace = service.applied(first);
    service.change_role("github", "a", json!({"resources": ["r/2", "r/hand"]}));
    service.put_owner("okta", "eve", "users/eve");
    let planned = planned(&workspace, "");
    let revoke = planned.json["revoke"][0]["resources"].as_array().expect("resources").clone();
    assert!(revoke.contains(&json!("r/2")) && revoke.contains(&json!("r/hand")), "{revoke:?}");
    planned.applies_no_more(&workspace, &service).succeeds();
}

/// What somebody else has written into the fields of a role is shown as what the role records.
#[test]
fn drift_says_what_changed_and_what_the_object_records() {
    let service = Service::full();
    let ours = service
        .workspace()
        .with("ACCESS_REPO_URI", "https://git.example.com/ours")
        .with("ACCESS_REPO_DIR", "access");
    let ids = ["hand", "spoofed", "gone", "quiet"];
    let all = ids.iter().fold(Text::default(), |all, id| all + holding(id, &["r/1"]));
    ours.apply_of(all + owner("ada") + imported_owners(&["users/founder"])).succeeds();
    let time = "2030-01-01T00:00:00Z";
    for (id, mut fields) in [
        ("hand", json!({"displayName": "By `hand`", "manager": null, "resources": ["r/2"]})),
        ("spoofed", json!({"priority": "7"})),
        ("quiet", json!({})),
    ] {
        fields["updateTime"] = json!(time);
        service.change_role("github", id, fields);
    }
    service.remove_role("github", "gone");
    service.remove_principal("github", "users/ada");
    service.put_owner("okta", "own-2", "users/eve");
    let recorded =
        "recorded repository: `https://git.example.com/ours`; recorded directory: `access`";
    let drift = format!(
        "## Changed outside Terraform
        - `users/ada` of `github` (`access_integration_owner.ada`) is gone
        - all owners of `okta` (`access_integration_owners.all`): owners: added `users/eve`
        - `listings/github/roles/gone` (`access_listing_role.gone`) is gone
        - `listings/github/roles/hand` (`access_listing_role.hand`): display_name: `Role` → `` By `hand` ``; resources: added `r/2`, removed `r/1`; manager: `TERRAFORM` → none; last update: `{time}`; {recorded}
        - `listings/github/roles/spoofed` (`access_listing_role.spoofed`): priority: `1` → `7`; last update: `{time}`; recorded manager: `TERRAFORM`; {recorded}"
    );
    let planned = planned_with(&ours, &[]);
    let line = "1 gains control, 1 loses it; 1 role changes what it grants, 1 is created, 1 changes texts or order; 1 grant to revoke by hand";
    assert_eq!(planned.line(), line, "{}", planned.markdown);
    let text = planned.markdown.replace("\n\n", "\n");
    let lines: Vec<_> = drift.lines().map(str::trim).collect();
    assert!(text.contains(&lines.join("\n")), "{text}");
    planned.applies_as_said(&ours, &service);
}

/// Modules in modules with hostile keys, a deposed object, and a `check` with a data source.
#[test]
fn modules_keys_deposed_objects_and_checks() {
    let service = service();
    let workspace = service.workspace();
    let variables = "variable \"resources\" {\n  type = set(string)\n}\nvariable \"keys\" {\n  type    = list(string)\n  default = []\n}\n";
    let inner = role("inner")
        .text("listing", "eng")
        .set("role", "\"inner-${length(var.resources)}\"")
        .set("resources", "var.resources");
    workspace.write("outer/inner/main.tf", &format!("{VERSIONS}{variables}{inner}"));
    let call = "module \"inner\" {\n  source    = \"./inner\"\n  for_each  = toset(var.keys)\n  resources = setunion(var.resources, [each.key])\n}\n";
    workspace.write("outer/main.tf", &format!("{VERSIONS}{variables}{call}"));
    let outer = |key: &str, resources: &[&str]| {
        Text(format!(
            "module \"outer\" {{\n  source    = \"./outer\"\n  keys      = [{key:?}]\n  resources = {resources:?}\n}}\n"
        ))
    };
    let check = || {
        Text("check \"owners\" {\n  data \"access_integration_owners\" \"all\" {\n    integration = \"github\"\n  }\n  assert {\n    condition     = length(data.access_integration_owners.all.owners) > 0\n    error_message = \"none\"\n  }\n}\n".to_owned())
    };
    workspace.configure(
        outer("`x` | @all", &["r/1"]) + holding("kept", &["r/1"]) + owner("ada") + check(),
    );
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds();
    service.put_role("github", "old", json!({"displayName": "Old", "resources": ["r/old"]}));
    workspace.edit_state(|resources| {
        let mut kept = resources.iter_mut();
        let kept = kept.find(|it| it["name"] == "kept" && it["type"] == ROLE).expect("a role");
        let mut deposed = kept["instances"][0].clone();
        deposed["deposed"] = json!("0badcafe");
        // The identity of the role that it is a copy of.
        deposed.as_object_mut().expect("an instance").remove("identity");
        let name = "listings/github/roles/old";
        for (attribute, value) in [
            ("role", json!("old")),
            ("id", json!(name)),
            ("name", json!(name)),
            ("resources", json!(["r/old"])),
            ("create_time", Value::Null),
        ] {
            deposed["attributes"][attribute] = value;
        }
        kept["instances"].as_array_mut().expect("instances").push(deposed);
    });
    workspace.configure(
        outer("].module.y\"]", &["r/1", "r/2"])
            + holding("kept", &["r/2"])
            + owner("ada")
            + check(),
    );
    let planned = planned_with(&workspace, &[]);
    let deposed =
        "`listings/github/roles/old` (`access_listing_role.kept`, deposed `0badcafe`) is deleted";
    assert!(planned.markdown.contains(deposed), "{}", planned.markdown);
    // The data source of the check is read in the apply.
    assert_eq!(planned.json["counts"]["others"], 1, "{}", planned.markdown);
    planned.applies_as_said(&workspace, &service);
}

#[test]
fn plan_that_failed_or_is_incomplete_says_so() {
    let (service, workspace) = Service::with_workspace();
    service.put_viewer();
    // A plan that fails is saved with what it has.
    let report = planned(&workspace, role("a") + role("b") + role("viewer"));
    let note = "\n\nThe plan has failed, and shows only a part of the changes.\n";
    assert!(report.markdown.contains(note), "{}", report.markdown);
    workspace.configure(role("a") + role("b"));
    let report = planned_with(&workspace, &["-target=access_listing_role.a"]);
    // OpenTofu's plans do not say it.
    let note = "\n\nThe plan is incomplete: it leaves changes to a later one.\n";
    assert_eq!(report.markdown.contains(note), report.plan["complete"] == false);
    assert_eq!(report.json["counts"]["created"], 1);

    // No release of the hosts defers by default. The form is that of Terraform 1.15's experiment.
    let mut plan = report.plan.clone();
    let change = plan["resource_changes"][0].take();
    plan["resource_changes"] = json!([]);
    plan["deferred_changes"] =
        json!([{"reason": "provider_config_unknown", "resource_change": change}]);
    workspace.write("deferred.json", &plan.to_string());
    let text = workspace.run_provider(&["report", "deferred.json"]).succeeds().stdout;
    let entry = "## Known only after apply\n\n- `listings/github/roles/a` (`access_listing_role.a`): resources; deferred: `provider_config_unknown`\n";
    assert!(text.starts_with("1 known only after apply\n") && text.contains(entry), "{text}");
}

#[test]
fn lifecycle_that_keeps_the_object_leaves_terraform() {
    let host = host_version();
    if !host.supports(crate::support::Feature::DestroyFalse) {
        return;
    }
    let kept = |id: &str| {
        holding("a", &["r"]).text("role", id).line("lifecycle {\n    destroy = false\n  }")
    };
    let (service, workspace) = Service::with_applied(kept("a"));
    let planned = planned(&workspace, kept("b"));
    planned.reads(&format!(
        "1 role is created
        ## Roles, effective for new requests
        - `listings/github/roles/b` (`access_listing_role.a`) is created; resources: `r`; display_name: `Role`
        {OVERWRITTEN}
        ## Comes under Terraform, leaves Terraform
        - `listings/github/roles/a` (`access_listing_role.a`) leaves Terraform"
    ));
    planned.applies_as_said(&workspace, &service);
}

#[test]
fn sensitive_values_are_not_shown() {
    let (_service, workspace) = Service::with_workspace();
    let secret = "variable \"secret\" {\n  default   = \"hush\"\n  sensitive = true\n}\n";
    let configuration = Text(secret.to_owned())
        + role("a").set("role", "var.secret")
        + role("b").set("resources", "[\"r/1\", var.secret]").set("display_name", "var.secret")
        + owner("ada").set("owner", "\"users/${var.secret}\"");
    let planned = planned(&workspace, configuration);
    planned.reads(&format!(
        "1 gains control; 2 roles are created; 1 role without resources in the plan
        ## Owners, effective at once
        - `(sensitive)` gains control of `github` (`access_integration_owner.ada`)
        ## Roles, effective for new requests
        - `listings/github/roles/(sensitive)` (`access_listing_role.a`) is created; its resources are not in the plan; display_name: `Role`
        - `listings/github/roles/b` (`access_listing_role.b`) is created; resources: `(sensitive)`, `(sensitive)`; display_name: `(sensitive)`
        {OVERWRITTEN}"
    ));
    let is_hidden = |planned: &Planned| {
        !planned.markdown.contains("hush") && !planned.json.to_string().contains("hush")
    };
    assert!(planned.plan.to_string().contains("hush") && is_hidden(&planned));
}
