//! `terraform-provider-access report`: plans of a real host, and what their applies then change at
//! the service.

mod hostile;
mod input;
mod random;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::fixtures::{
    Block, Configuration, ROLE, Text, import, later, moved, owner, owners, removed, role, settings,
};
use crate::support::{Service, VERSIONS, Workspace, has_parts};

/// A plan, and the report of it in both forms.
struct Planned {
    plan: Value,
    markdown: String,
    json: Value,
}

/// Plans, and reports what the plan means.
#[track_caller]
fn planned_with(workspace: &Workspace, more: &[&str]) -> Planned {
    workspace.plan_with(&[&["-out=saved.tfplan"], more].concat());
    let plan = workspace.saved_plan();
    workspace.write("plan.json", &plan);
    let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
    let arguments = ["report", "--format=json", "--detailed-exitcode", "plan.json"];
    let outcome = workspace.run_provider(&arguments);
    let json: Value = serde_json::from_str(&outcome.stdout).expect("a report of JSON");
    let access = json["counts"].as_object().unwrap().values().any(|count| *count != 0);
    let is_unknown = markdown.starts_with("Changes of access that");
    let outcome = outcome.exits(if access || is_unknown { 2 } else { 0 });
    assert_eq!(outcome.stderr, "");
    Planned { plan: serde_json::from_str(&plan).expect("a plan"), markdown, json }
}

#[track_caller]
fn planned(workspace: &Workspace, configuration: impl Configuration) -> Planned {
    workspace.configure(configuration);
    planned_with(workspace, &[])
}

impl Planned {
    /// Returns the entries of a section, without the list markers.
    fn section(&self, title: &str) -> Vec<&str> {
        let heading = format!("\n## {title}\n\n");
        let Some((_, rest)) = self.markdown.split_once(&heading) else { return Vec::new() };
        rest.lines().take_while(|line| line.starts_with("- ")).map(|line| &line[2..]).collect()
    }

    /// Fails the test unless the report has these counts, sections and entries, and nothing else:
    /// it is compared without its blank lines, its explanations, and the counts at its end.
    #[track_caller]
    fn reads(&self, expected: &str) {
        let text = &self.markdown;
        assert_eq!(text.lines().last(), expected.lines().next(), "{text}");
        let is_compared = |line: &str| line.starts_with("## ") || line.starts_with("- ");
        let shown = text.lines().enumerate().filter(|(at, line)| *at == 0 || is_compared(line));
        let shown: Vec<_> = shown.map(|(_, line)| line).collect();
        assert_eq!(shown, expected.lines().collect::<Vec<_>>(), "{text}");
    }

    /// Returns what the section of the JSON names, with the given action.
    fn named(&self, section: &str, member: &str, actions: &[&str]) -> BTreeSet<(String, String)> {
        let entries = self.json[section].as_array().expect(section).iter();
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let object = |entry: &Value| match section {
            "owners" => text(entry, "integration"),
            _ => text(entry, "role"),
        };
        let found = entries.filter(|entry| {
            actions.is_empty() || actions.iter().any(|action| entry["action"] == *action)
        });
        found.map(|entry| (object(entry), text(entry, member))).collect()
    }

    /// Returns the roles that the report names, also those that renamed roles become.
    fn roles(&self) -> BTreeSet<String> {
        let entries = self.json["roles"].as_array().expect("roles").iter();
        let names = entries.flat_map(|entry| [&entry["role"], &entry["successor"]["role"]]);
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

const OWNERS: &str = "Owners, effective at once";
const ROLES: &str = "Roles, effective for new requests";
const DRIFT: &str = "Changed outside Terraform";
const MANAGEMENT: &str = "Comes under Terraform, leaves Terraform";
const TITLES: [&str; 6] =
    [OWNERS, ROLES, "To revoke by hand", DRIFT, MANAGEMENT, "Known only after apply"];

/// What a service holds: principals by integration, and roles by name.
struct Snapshot {
    owners: BTreeSet<(String, String)>,
    roles: BTreeMap<String, Value>,
}

/// The listings, and the integrations, of the configurations below.
const LISTINGS: [&str; 3] = ["github", "eng", "ops"];
const INTEGRATIONS: [&str; 5] = ["github", "okta", "jira", "pager", "wiki"];

impl Snapshot {
    fn of(service: &Service) -> Self {
        let principals = INTEGRATIONS.iter().flat_map(|integration| {
            let owners = service.principals(integration).into_iter();
            owners.map(|owner| ((*integration).to_owned(), owner))
        });
        let roles = LISTINGS.iter().flat_map(|listing| service.roles(listing));
        let name = |role: &Value| role["name"].as_str().expect("a name").to_owned();
        Self {
            owners: principals.collect(),
            roles: roles.map(|role| (name(&role), role)).collect(),
        }
    }

    fn resources(&self, role: &str) -> BTreeSet<String> {
        let resources = self.roles.get(role).and_then(|role| role["resources"].as_array());
        let texts = resources.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }
}

/// Fails the test unless the apply of the saved plan changes at the service what the report says.
#[track_caller]
fn applies_as_reported(service: &Service, workspace: &Workspace, planned: &Planned) {
    let before = Snapshot::of(service);
    workspace.apply_saved().succeeds();
    let after = Snapshot::of(service);
    let text = &planned.markdown;

    let gained: BTreeSet<_> = after.owners.difference(&before.owners).cloned().collect();
    let sure = planned.named("owners", "principal", &["gains"]);
    let perhaps = planned.named("owners", "principal", &["gains_unless_owner"]);
    assert!(sure.is_subset(&gained), "{gained:?}\n{text}");
    assert!(gained.is_subset(&sure.union(&perhaps).cloned().collect()), "{gained:?}\n{text}");

    let unlisted = planned.named("owners", "principal", &["unlisted_lose"]);
    let is_listed = |pair: &&(String, String)| !unlisted.iter().any(|other| other.0 == pair.0);
    let lost: BTreeSet<_> =
        before.owners.difference(&after.owners).filter(is_listed).cloned().collect();
    assert_eq!(lost, planned.named("owners", "principal", &["loses"]), "{text}");

    let names: BTreeSet<_> = before.roles.keys().chain(after.roles.keys()).cloned().collect();
    let fields = ["displayName", "description", "priority", "resources", "createTime"];
    let changed = names.iter().filter(|name| {
        let of = |roles: &BTreeMap<String, Value>| {
            fields.map(|field| roles.get(*name).map(|role| role[field].clone()))
        };
        of(&before.roles) != of(&after.roles)
    });
    assert!(changed.cloned().eq(planned.roles()), "{text}");

    let overwritten = planned.named("roles", "", &["created_or_overwritten", "overwritten"]);
    let revoke: BTreeSet<_> = names
        .iter()
        .filter(|name| !overwritten.iter().any(|other| other.0 == **name))
        .flat_map(|name| {
            let gone = &before.resources(name) - &after.resources(name);
            gone.into_iter().map(|resource| (name.clone(), resource))
        })
        .collect();
    assert_eq!(revoke, planned.named("revoke", "resource", &[]), "{text}");
}

/// Returns a service with all listings of these tests.
fn large_service() -> Service {
    let service = Service::full();
    LISTINGS.iter().for_each(|listing| service.put_listing(listing));
    INTEGRATIONS.iter().for_each(|integration| service.put_integration(integration));
    service
}

/// Returns a role with resources.
fn holding(id: &str, resources: &[&str]) -> Block {
    role(id).set("resources", format!("{resources:?}"))
}

#[track_caller]
fn changes(service: &Service, workspace: &Workspace, after: impl Configuration) -> Planned {
    let planned = planned(workspace, after);
    applies_as_reported(service, workspace, &planned);
    planned
}

#[test]
fn life_of_roles_and_owners_is_reported_as_it_is_applied() {
    let (service, workspace) = Service::with_workspace();
    let all = |principals| owners(principals).adopting();
    let first = holding("a", &["r/1", "r/2"]) + role("b") + owner("ada");
    changes(&service, &workspace, first + all(&["users/founder", "users/ada"]));
    let a = || holding("a", &["r/2", "r/3"]).text("display_name", "New").set("priority", 9);
    let b = || role("b").text("description", "Why");
    let kept = || owner("bea") + all(&["users/founder", "users/cy"]);
    let planned = changes(&service, &workspace, a() + b() + kept());
    planned.reads(
        "2 gain control, 2 lose it; 2 roles change; 1 grant to revoke by hand
## Owners, effective at once
- `okta`: 2 owners remain
- `users/ada` loses control of `github`
- `users/ada` loses control of `okta`
- `users/bea` gains control of `github`
- `users/cy` gains control of `okta`
## Roles, effective for new requests
- `listings/github/roles/a` changes: resources added (present holders do not get it): `r/3`; resources removed (present holders keep it): `r/1`; display_name: `Role` → `New`; priority: `1` → `9`
- `listings/github/roles/b` changes: resources are not managed; description: none → `Why`
## To revoke by hand
- [ ] `listings/github/roles/a`: `r/1`",
    );
    assert!(planned.markdown.contains("ACCESS_DELETION_POLICY"), "{}", planned.markdown);

    // An option is no change of access.
    let planned = changes(&service, &workspace, a() + b().adopting() + kept());
    assert_eq!(planned.markdown, "No change of access.\n");

    // A role that replaces itself loses the resources that are not managed.
    service.change_role("github", "b", json!({"resources": ["r/9"]}));
    workspace.refresh().succeeds();
    let planned = planned_with(&workspace, &["-replace=access_listing_role.b"]);
    let replaced = "`listings/github/roles/b` is replaced: resources removed (present holders keep it): `r/9`; resources are not managed";
    assert_eq!(planned.section(ROLES), [replaced]);
    applies_as_reported(&service, &workspace, &planned);

    // A `removed` block that destroys is a delete.
    let removed = removed("access_listing_role.a").0.replace("false", "true");
    let planned = changes(&service, &workspace, &removed);
    assert_eq!(planned.json["counts"], json!({"gain": 0, "lose": 3, "roles": 2, "revoke": 2}));
    assert!(planned.section(OWNERS).contains(&"`okta`: 0 owners remain"), "{}", planned.markdown);
}

#[test]
fn objects_come_under_terraform_and_leave_it() {
    let service = Service::full();
    for id in ["imported", "changed", "adopted", "required"] {
        service.put_role("github", id, json!({"displayName": "Theirs", "resources": ["r/1"]}));
    }
    service.put_owner("github", "own-1", "users/ada");
    let workspace = service.workspace();
    let same = |id: &str| role(id).text("display_name", "Theirs").set("priority", 0);
    let configuration = same("imported")
        + import("access_listing_role.imported", "github/imported")
        + same("changed").set("resources", "[]")
        + import("access_listing_role.changed", "github/changed")
        + same("adopted").adopting().create_before_destroy()
        + holding("required", &["r/2"]).set("allow_missing", false)
        + owner("ada")
        + import("access_integration_owner.ada", "github/own-1")
        + owner("bea").adopting()
        + owners(&["users/bea"]).adopting();
    let planned = planned(&workspace, configuration);
    planned.reads(
        "2 gain control, 0 lose it; 3 roles change; 1 grant to revoke by hand
## Owners, effective at once
- `okta`: owners that exist and are not listed lose control
- `okta`: 1 owner remains
- `users/bea` gains control of `github`, unless it has it already
- `users/bea` gains control of `okta`, unless it has it already
## Roles, effective for new requests
- `listings/github/roles/adopted` is created, or overwritten if it exists: resources are not managed; display_name: `Theirs`; priority: `0`
- `listings/github/roles/changed` changes: resources removed (present holders keep it): `r/1`
- `listings/github/roles/required` is overwritten: resources added (present holders do not get it): `r/2`; display_name: `Role`; priority: `1`
## To revoke by hand
- [ ] `listings/github/roles/changed`: `r/1`
## Comes under Terraform, leaves Terraform
- `listings/github/roles/adopted`: comes under Terraform, overwrites what exists
- `listings/github/roles/changed`: comes under Terraform, imported
- `listings/github/roles/imported`: comes under Terraform, imported
- `listings/github/roles/required`: comes under Terraform, overwrites what exists
- all owners of `okta`: comes under Terraform, adopts what exists
- `users/ada` of `github`: comes under Terraform, imported
- `users/bea` of `github`: comes under Terraform, adopts what exists",
    );
    workspace.apply_saved().succeeds();
    // Written in place, a role keeps the resources that are not managed.
    let planned = planned_with(&workspace, &["-replace=access_listing_role.adopted"]);
    let replaced = "`listings/github/roles/adopted` is replaced: resources are not managed";
    planned.reads(&format!("1 role changes\n## {ROLES}\n- {replaced}"));
    workspace.apply_saved().succeeds();
    assert_eq!(service.role("github", "adopted").unwrap()["resources"], json!(["r/1"]));

    // One by a removed block, one by its own policy, and the rest by the provider's.
    let abandoned = same("changed").set("resources", "[]").abandoning();
    let settings = || settings().text("deletion_policy", "abandon");
    workspace.configure(settings() + abandoned + owner("ada") + same("imported"));
    let bea = "access_integration_owner.bea";
    workspace.run(&["state", "rm", bea, "access_integration_owners.all"]).succeeds();
    workspace.apply_with(&["-target=access_listing_role.changed"]).succeeds();
    let removed = removed("access_listing_role.imported");
    changes(&service, &workspace, settings() + removed).reads(
        "No change of access.
## Comes under Terraform, leaves Terraform
- `listings/github/roles/adopted`: leaves Terraform, abandoned
- `listings/github/roles/changed`: leaves Terraform, abandoned
- `listings/github/roles/imported`: leaves Terraform, kept by a removed block
- `listings/github/roles/required`: leaves Terraform, abandoned
- `users/ada` of `github`: leaves Terraform, abandoned",
    );
}

/// A policy that is not a constant of every provider configuration is not in the plan.
#[test]
fn policy_that_a_plan_does_not_show_is_reported_as_a_delete() {
    let (_service, workspace) = Service::with_applied(holding("a", &["r"]) + owner("ada"));
    let provider = |policy: &str| settings().text("deletion_policy", policy);
    let alias = |policy: &str| settings().set("alias", "\"eu\"").set("deletion_policy", policy);
    let variable = "variable \"policy\" {\n  default = \"abandon\"\n}\n".to_owned();
    for (case, settings, is_delete, can_abandon) in [
        ("constants", provider("abandon") + alias("\"abandon\""), false, false),
        // The plan lists the default configuration as well.
        ("one configuration", Text::default() + alias("\"abandon\""), true, true),
        ("two policies", provider("delete") + alias("\"abandon\""), true, false),
        ("one without", settings().set("max_retries", 0) + alias("\"abandon\""), true, true),
        ("expression", Text(variable) + alias("var.policy"), true, true),
        ("none", Text::default(), true, true),
    ] {
        let planned = planned(&workspace, settings);
        let text = &planned.markdown;
        assert_eq!(planned.json["counts"]["roles"], u64::from(is_delete), "{case}: {text}");
        assert_eq!(planned.json["counts"]["lose"], u64::from(is_delete), "{case}: {text}");
        assert_eq!(planned.section(MANAGEMENT).len(), if is_delete { 0 } else { 2 }, "{case}");
        assert_eq!(text.contains("ACCESS_DELETION_POLICY"), can_abandon, "{case}: {text}");
    }
}

#[test]
fn drift_says_what_changed_and_who_wrote_it_as_far_as_fields_show() {
    let service = Service::full();
    let ours = service
        .workspace()
        .with("ACCESS_REPO_URI", "https://git.example.com/ours")
        .with("ACCESS_REPO_DIR", "access");
    let ids = ["hand", "other", "same", "none", "gone", "quiet", "again"];
    let all = ids.iter().fold(Text::default(), |all, id| all + holding(id, &["r/1"]));
    ours.apply_of(all + owner("ada") + owners(&["users/founder"]).adopting()).succeeds();
    let time = "2030-01-01T00:00:00Z";
    let theirs = "https://git.example.com/theirs";
    for (id, mut fields) in [
        ("hand", json!({"displayName": "By `hand`", "manager": null, "resources": ["r/2"]})),
        ("other", json!({"description": "x", "repoUri": theirs, "repoDir": "d"})),
        ("same", json!({"priority": "7"})),
        ("none", json!({"priority": "7", "repoUri": null, "repoDir": null})),
        ("quiet", json!({})),
        ("again", json!({"manager": null, "priority": "3", "createTime": time})),
    ] {
        fields["updateTime"] = json!(time);
        service.change_role("github", id, fields);
    }
    service.remove_role("github", "gone");
    service.remove_principal("github", "users/ada");
    service.put_owner("okta", "own-2", "users/eve");
    let expected = [
        "`listings/github/roles/gone`: deleted",
        "`listings/github/roles/hand`: display_name: `Role` → `` By `hand` ``; resources: added `r/2`, removed `r/1`; manager: `TERRAFORM` → none; last written: `2030-01-01T00:00:00Z`, not Terraform",
        "`listings/github/roles/none`: priority: `1` → `7`; repo_uri: `https://git.example.com/ours` → none; repo_dir: `access` → none; last written: `2030-01-01T00:00:00Z`, Terraform, without a repository",
        "`listings/github/roles/other`: description: none → `x`; repo_uri: `https://git.example.com/ours` → `https://git.example.com/theirs`; repo_dir: `access` → `d`; last written: `2030-01-01T00:00:00Z`, Terraform with repository `https://git.example.com/theirs`, directory `d`",
        "`listings/github/roles/same`: priority: `1` → `7`; last written: `2030-01-01T00:00:00Z`, the same repository",
        "all owners of `okta`: owners: added `users/eve`",
        "`users/ada` of `github`: deleted",
    ];
    for more in [&["-refresh-only"][..], &[]] {
        let planned = planned_with(&ours, more);
        let drift = planned.section(DRIFT);
        let again = "`listings/github/roles/again`: priority: `1` → `3`";
        assert!(drift[0].starts_with(again) && drift[0].contains("create_time: "), "{drift:?}");
        assert_eq!(drift[1..], expected, "{}", planned.markdown);
        if more.is_empty() {
            let counts = "1 gains control, 1 loses it; 6 roles change; 1 grant to revoke by hand";
            assert_eq!(planned.markdown.lines().next(), Some(counts), "{}", planned.markdown);
            applies_as_reported(&service, &ours, &planned);
        } else {
            planned.reads(&format!("No change of access.\n## {DRIFT}\n- {}", drift.join("\n- ")));
        }
    }
}

#[test]
fn unknown_values_are_neither_gained_nor_lost() {
    let service = Service::full();
    // Nothing but an unknown owner: the counts are zero, and access changes.
    let later_owner = || owner("ada").set("owner", "\"users/${terraform_data.x.output}\"");
    let report = planned(&service.workspace(), later("x", "\"one\"") + later_owner());
    assert!(report.markdown.starts_with("Changes of access that are known only after apply.\n"));

    let workspace = service.applied(
        later("x", "\"one\"")
            + holding("a", &["r/1", "r/2"])
            + holding("b", &["r/1"])
            + owner("ada")
            + owners(&["users/founder"]).adopting(),
    );
    let x = "terraform_data.x.output";
    let configuration = later("x", "\"two\"")
        + role("a").set("resources", format!("[\"r/1\", {x}]"))
        + role("b").set("resources", format!("toset({x} == \"\" ? [] : [{x}])"))
        + role("c").set("role", x)
        + role("d").set("resources", format!("{x} == \"two\" ? [\"r/9\"] : null"))
        // A plan contains nothing of an expression without references.
        + role("e").set("resources", "toset([\"r/5\"])")
        + role("f").set("resources", "null")
        + later_owner()
        + owners(&[]).set("owners", format!("[\"users/founder\", \"users/${{{x}}}\"]"));
    planned(&workspace, configuration).reads(
        "0 gain control, 1 loses it; 6 roles change; 1 grant to revoke by hand
## Owners, effective at once
- `users/ada` loses control of `github`
## Roles, effective for new requests
- `listings/github/roles/(known after apply)` (`access_listing_role.c`) is created: resources are not managed; display_name: `Role`; priority: `1`
- `listings/github/roles/a` changes: resources removed (present holders keep it): `r/2`; more resources are known only after apply
- `listings/github/roles/b` changes: resources are not managed, or known only after apply
- `listings/github/roles/d` is created: resources are not managed, or known only after apply; display_name: `Role`; priority: `1`
- `listings/github/roles/e` is created: resources: `r/5`; display_name: `Role`; priority: `1`
- `listings/github/roles/f` is created: resources are not managed; display_name: `Role`; priority: `1`
## To revoke by hand
- [ ] `listings/github/roles/a`: `r/2`
## Known only after apply
- `(known after apply)` of `github` (`access_integration_owner.ada`): owner
- `listings/github/roles/(known after apply)` (`access_listing_role.c`): role
- `listings/github/roles/a`: resources
- `listings/github/roles/b`: resources, now `r/1`
- `listings/github/roles/d`: resources
- all owners of `okta`: owners",
    );
    // What the report names happens.
    workspace.apply_saved().succeeds();
    assert_eq!(service.principals("github"), ["users/founder", "users/two"]);
    let resources = |role| service.role("github", role).expect("a role")["resources"].clone();
    assert_eq!([resources("a"), resources("b")], [json!(["r/1", "two"]), json!(["two"])]);
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
    planned.reads(
        "1 gains control, 0 lose it; 2 roles change
## Owners, effective at once
- `(sensitive)` gains control of `github`
## Roles, effective for new requests
- `listings/github/roles/(sensitive)` is created: resources are not managed; display_name: `Role`; priority: `1`
- `listings/github/roles/b` is created: resources: `(sensitive)`, `(sensitive)`; display_name: `(sensitive)`; priority: `1`",
    );
    assert!(planned.plan.to_string().contains("hush"));
    assert!(!planned.markdown.contains("hush") && !planned.json.to_string().contains("hush"));
    workspace.apply_saved().succeeds();
    let planned = self::planned(&workspace, secret);
    assert_eq!(planned.json["counts"], json!({"gain": 0, "lose": 1, "roles": 2, "revoke": 2}));
    assert!(!planned.markdown.contains("hush") && !planned.json.to_string().contains("hush"));
}

/// Two regions have objects of one name, which are told apart by their addresses.
#[test]
fn objects_of_one_name_in_two_regions_are_two() {
    let (eu, us) = (Service::full(), Service::full());
    let workspace = eu.workspace();
    let region = |alias: &str, service: &Service| {
        settings().text("alias", alias).text("base_url", &service.base_url())
    };
    let both = |first: &str, second: &str| {
        let owner =
            |user, alias: &str| owner(user).at(alias).set("provider", format!("access.{alias}"));
        region("eu", &eu) + region("us", &us) + owner(first, "eu") + owner(second, "us")
    };
    workspace.apply_of(both("ada", "bea")).succeeds();
    // Who moves from one region to the other is lost in the one and gained in the other.
    let planned = planned(&workspace, both("bea", "ada"));
    let line = |owner: &str, verb: &str, region: &str| {
        format!("`users/{owner}` {verb} control of `github` (`access_integration_owner.{region}`)")
    };
    let expected = [
        line("ada", "loses", "eu"),
        line("ada", "gains", "us"),
        line("bea", "gains", "eu"),
        line("bea", "loses", "us"),
    ];
    assert_eq!(planned.section(OWNERS), expected, "{}", planned.markdown);
}

#[test]
fn plan_that_failed_or_is_incomplete_says_so() {
    let (_service, workspace) = Service::with_workspace();
    let report = planned(&workspace, role("a") + role("b") + role("b").at("c"));
    let note = "\n\nThe plan failed: this report shows only a part of the changes.\n\n## ";
    assert!(report.markdown.contains(note), "{}", report.markdown);
    assert_eq!(report.json["counts"]["roles"], 2);
    workspace.configure(role("a") + role("b"));
    let report = planned_with(&workspace, &["-target=access_listing_role.a"]);
    // OpenTofu's plans do not say it.
    let note = "\n\nThe plan is incomplete, because of -target or deferred changes.\n\n## ";
    assert_eq!(report.markdown.contains(note), report.plan["complete"] == false);
    assert_eq!(report.json["counts"]["roles"], 1);

    // No release of the hosts defers by default. The form is that of Terraform 1.15's experiment.
    let mut plan = report.plan;
    let change = plan["resource_changes"][0].take();
    plan["resource_changes"] = json!([]);
    plan["deferred_changes"] =
        json!([{"reason": "provider_config_unknown", "resource_change": change}]);
    workspace.write("deferred.json", &plan.to_string());
    let text = workspace.run_provider(&["report", "deferred.json"]).succeeds().stdout;
    let parts = [
        "No change of access.\n",
        "\nChanges deferred to a later plan: 1.\n",
        "## Known only after apply\n\n- `listings/github/roles/a`: deferred, `provider_config_unknown`\n",
    ];
    has_parts(&text, &parts);
}

// --- Plans that are hard to read, each applied and compared with the service
// --------------------------------

/// A team is reorganised: everything moves at once.
#[test]
fn renames_moves_imports_and_removals_in_one_plan_are_reported() {
    let service = large_service();
    service.put_role("ops", "found", json!({"displayName": "Found", "resources": ["r/1", "r/2"]}));
    let of = |listing: &str, role: Block| role.text("listing", listing);
    let abandoned = || holding("leaver", &["pager"]).abandoning();
    let named =
        |id: &str, name: &str, resource: &str| holding(id, &[resource]).text("display_name", name);
    let workspace = service.applied(
        holding("renamed", &["repo/a", "repo/b"])
            + holding("moved", &["repo/c"])
            + of("eng", abandoned())
            + holding("forgotten", &["repo/d"])
            + holding("deleted", &["repo/e", "repo/f"])
            + named("left", "Left", "repo/left")
            + named("right", "Right", "repo/right"),
    );
    let moved_role = holding("moved", &["repo/c", "repo/new"]);
    workspace.write("team/main.tf", &format!("{VERSIONS}{moved_role}"));
    workspace.configure(
        holding("renamed", &["repo/b"]).text("role", "new-name")
            + Text("module \"team\" {\n  source = \"./team\"\n}\n".to_owned())
            + moved("access_listing_role.moved", "module.team.access_listing_role.moved")
            + of("ops", abandoned())
            + of("ops", holding("found", &["r/2", "r/3"]))
            + import("access_listing_role.found", "ops/found")
            + removed("access_listing_role.forgotten")
            + named("left", "Right", "repo/right")
            + named("right", "Left", "repo/left"),
    );
    workspace.run(&["get"]).succeeds();
    applies_as_reported(&service, &workspace, &planned_with(&workspace, &[]));
}

/// Five integrations get other owners, each in another way.
#[test]
fn five_integrations_that_get_other_owners_are_reported() {
    let service = large_service();
    let one = |integration: &str, user: &str| {
        owner(user).at(integration).text("integration", integration)
    };
    let all = |integration: &str, owners: &[&str]| {
        self::owners(owners).at(integration).text("integration", integration).adopting()
    };
    service.put_owner("wiki", "own-9", "teams/new");
    let workspace = service.applied(
        one("github", "old")
            + one("okta", "old").set("integration_owner_id", "\"first\"")
            + all("jira", &["users/founder", "users/old"])
            + one("pager", "old").abandoning()
            + one("wiki", "old"),
    );
    service.put_owner("jira", "eve", "users/eve");
    let planned = changes(
        &service,
        &workspace,
        // Another principal; the same one under another ID; a list; one that leaves; one that is
        // adopted.
        one("github", "new")
            + one("okta", "old").set("integration_owner_id", "\"second\"")
            + all("jira", &["teams/new", "users/founder"])
            + one("pager", "new")
            + one("wiki", "old").text("owner", "teams/new").adopting(),
    );
    planned.reads(
        "4 gain control, 4 lose it
## Owners, effective at once
- `jira`: 2 owners remain
- `teams/new` gains control of `jira`
- `teams/new` gains control of `wiki`, unless it has it already
- `users/eve` loses control of `jira`
- `users/new` gains control of `github`
- `users/new` gains control of `pager`
- `users/old` loses control of `github`
- `users/old` loses control of `jira`
- `users/old` loses control of `wiki`
## Changed outside Terraform
- all owners of `jira`: owners: added `users/eve`
## Comes under Terraform, leaves Terraform
- `teams/new` of `wiki`: comes under Terraform, adopts what exists
- `users/old` of `pager`: leaves Terraform, abandoned",
    );
    // Eve was added outside Terraform, and is not asked.
    let asked = "\nAsk: `users/founder`, `users/old` (integration `jira`)\n";
    assert!(planned.markdown.contains(asked), "{}", planned.markdown);
}

/// Everything is edited by hand, by another repository and by another directory of ours, and
/// planned at once.
#[test]
fn changes_by_hand_and_by_other_configurations_are_told_apart() {
    let service = large_service();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/ours");
    let ids = ["a", "b", "c", "d", "e"];
    let first = ids.iter().fold(Text::default(), |all, id| all + holding(id, &["r/1", "r/2"]));
    workspace.apply_of(first + owner("ada")).succeeds();
    for (id, fields) in [
        ("a", json!({"resources": ["r/1", "r/night"], "manager": null})),
        ("b", json!({"displayName": "Night", "repoUri": "https://git.example.com/theirs"})),
        ("c", json!({"resources": [], "repoDir": "night"})),
        ("d", json!({"resources": ["r/night"]})),
    ] {
        service.change_role("github", id, fields);
    }
    service.remove_role("github", "e");
    service.remove_principal("github", "users/ada");
    // Its block is deleted: it leaves behind what it had in the night.
    let after = holding("a", &["r/1"])
        + holding("b", &["r/2"])
        + holding("c", &["r/1"])
        + holding("e", &["r/1"]);
    let planned = changes(&service, &workspace, after + owner("ada"));
    let revoke = planned.section("To revoke by hand");
    let expected = ["a`: `r/night", "b`: `r/1", "d`: `r/night"];
    let expected = expected.map(|it| format!("[ ] `listings/github/roles/{it}`"));
    assert_eq!(revoke, expected, "{}", planned.markdown);
    assert_eq!(planned.section(DRIFT).len(), 6, "{}", planned.markdown);
}

/// A second alias of the service takes over what the default one deletes: the object is gone, and
/// the report says so first.
#[test]
fn second_alias_of_the_service_takes_what_the_first_deletes() {
    let service = Service::full();
    let second = || settings().text("alias", "second").text("base_url", &service.base_url());
    let workspace =
        service.applied(second() + holding("a", &["r"]).at("old") + owner("ada").at("old"));
    let at_second = |block: Block| block.set("provider", "access.second");
    let planned = changes(
        &service,
        &workspace,
        second()
            + at_second(holding("a", &["r"]))
            + import("access_listing_role.a", "github/a")
            + at_second(owner("ada"))
            + import("access_integration_owner.ada", "github/users/ada"),
    );
    for contradiction in [
        "`access_listing_role.old` deletes `listings/github/roles/a`, which `access_listing_role.a` takes over",
        "`access_integration_owner.old` removes `users/ada` of `github`, which `access_integration_owner.ada` takes over",
    ] {
        let sentence = format!(
            "\nContradiction: {contradiction} or makes: if both are at one service, it may be gone"
        );
        assert!(planned.markdown.contains(&sentence), "{}", planned.markdown);
    }
    let counts = "0 gain control, 1 loses it; 1 role changes; 1 grant to revoke by hand";
    assert_eq!(planned.markdown.lines().next(), Some(counts));
    assert!(
        service.role("github", "a").is_none() && service.owners_named("github", "users/ada") == 0
    );
}

/// Modules in modules with hostile keys, two provider configurations, a deposed object, and an
/// object with two addresses.
#[test]
fn modules_aliases_deposed_and_doubled_objects_are_reported() {
    let service = large_service();
    let workspace = service.workspace();
    let variables = "variable \"resources\" {\n  type = set(string)\n}\nvariable \"keys\" {\n  type    = list(string)\n  default = []\n}\n";
    let inner = role("inner")
        .text("listing", "eng")
        .set("role", "\"inner-${length(var.resources)}\"")
        .set("resources", "var.resources");
    workspace.write("outer/inner/main.tf", &format!("{VERSIONS}{variables}{inner}"));
    let call = "module \"inner\" {\n  source    = \"./inner\"\n  for_each  = toset(var.keys)\n  resources = setunion(var.resources, [each.key])\n}\n";
    workspace.write("outer/main.tf", &format!("{VERSIONS}{variables}{call}"));
    let url = service.base_url();
    let regions = || {
        settings().text("base_url", &url)
            + settings().text("alias", "second").text("base_url", &url)
    };
    let outer = |key: &str, resources: &[&str]| {
        Text(format!(
            "module \"outer\" {{\n  source    = \"./outer\"\n  keys      = [{key:?}]\n  resources = {resources:?}\n  providers = {{\n    access = access.second\n  }}\n}}\n"
        ))
    };
    let first =
        || regions() + outer("`x` | @all", &["r/1"]) + holding("kept", &["r/1"]) + owner("ada");
    workspace.configure(first());
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds();
    // A second address for what the configuration has already.
    let again = |resources| holding("kept", resources).at("again");
    let imported = again(&["r/1"]) + import("access_listing_role.again", "github/kept");
    workspace.apply_of(first() + imported).succeeds();
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
        regions()
            + outer("].module.y\"]", &["r/1", "r/2"])
            + holding("kept", &["r/2"])
            + again(&["r/2"])
            + owner("ada").set("provider", "access.second"),
    );
    applies_as_reported(&service, &workspace, &planned_with(&workspace, &[]));
}

/// The tables of the guide name every section, and its list in the JSON.
#[test]
fn guide_names_every_section() {
    let page = include_str!("../../docs/guides/access-report.md");
    for title in TITLES {
        assert!(page.contains(&format!("\n| {title} | ")), "{title}");
    }
    for list in ["owners", "roles", "revoke", "drift", "management", "unknown"] {
        assert!(page.contains(&format!("\n| `{list}` | ")), "{list}");
    }
}
