//! `terraform-provider-access report`: plans of a real host, and what their applies then change at the
//! service.

mod hard;
mod hostile;
mod input;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::fixtures::{
    Block, Configuration, OWNER, Text, import, later, moved, owner, owners, removed, resource,
    role, settings,
};
use crate::support::{Outcome, Service, Workspace, provider};

/// A plan, and the report of it in both forms.
pub(super) struct Planned {
    plan: Value,
    markdown: String,
    json: Value,
}

/// Plans, and reports what the plan means.
#[track_caller]
pub(super) fn planned_with(workspace: &Workspace, more: &[&str]) -> Planned {
    let outcome = workspace.plan_with(&[&["-out=saved.tfplan"], more].concat());
    assert!(Path::new(&workspace.path().join("saved.tfplan")).exists(), "{}", outcome.stdout);
    let plan = workspace.run(&["show", "-json", "saved.tfplan"]).succeeds().stdout;
    workspace.write("plan.json", &plan);
    let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
    let json = workspace.run_provider(&["report", "--format=json", "plan.json"]).succeeds().stdout;
    let json: Value = serde_json::from_str(&json).expect("a report of JSON");
    let access = json["counts"].as_object().unwrap().values().any(|count| *count != 0);
    let detailed = workspace.run_provider(&["report", "--detailed-exitcode", "plan.json"]);
    let code = if access || markdown.starts_with("Changes of access that") { 2 } else { 0 };
    assert_eq!(detailed.code, code, "{markdown}");
    Planned { plan: serde_json::from_str(&plan).expect("a plan"), markdown, json }
}

#[track_caller]
pub(super) fn planned(workspace: &Workspace, configuration: impl Configuration) -> Planned {
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

    /// Fails the test unless the report has these counts, sections and entries, and nothing else.
    #[track_caller]
    fn reads(&self, counts: &str, sections: &[(&str, &[&str])]) {
        let text = &self.markdown;
        assert_eq!(text.lines().next(), Some(counts), "{text}");
        assert_eq!(text.lines().last(), Some(counts), "{text}");
        let titles: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(titles, sections.iter().map(|section| section.0).collect::<Vec<_>>(), "{text}");
        for (title, entries) in sections {
            assert_eq!(self.section(title), *entries, "{text}");
        }
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
}

pub(super) const OWNERS: &str = "Owners, effective at once";
pub(super) const ROLES: &str = "Roles, effective for new requests";
pub(super) const REVOKE: &str = "To revoke by hand";
pub(super) const DRIFT: &str = "Changed outside Terraform";
pub(super) const MANAGEMENT: &str = "Comes under Terraform, leaves Terraform";
pub(super) const UNKNOWN: &str = "Known only after apply";

/// What a service holds: principals by integration, and roles by name.
struct Snapshot {
    owners: BTreeSet<(String, String)>,
    roles: BTreeMap<String, Value>,
}

const PARENTS: [&str; 8] = ["github", "production", "eng", "ops", "okta", "slack", "jira", "aws"];

impl Snapshot {
    fn of(service: &Service) -> Self {
        let principals = PARENTS.iter().flat_map(|integration| {
            let owners = service.principals(integration).into_iter();
            owners.map(|owner| ((*integration).to_owned(), owner))
        });
        let roles = PARENTS.iter().flat_map(|listing| service.roles(listing));
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
pub(super) fn applies_as_reported(service: &Service, workspace: &Workspace, planned: &Planned) {
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
    for (integration, _) in planned.named("owners", "principal", &["remain"]) {
        let entries = planned.json["owners"].as_array().unwrap().iter();
        let mut entries = entries.filter(|entry| entry["integration"] == *integration);
        let remain = entries.find_map(|entry| entry["owners"].as_u64());
        let now = after.owners.iter().filter(|pair| pair.0 == integration).count();
        assert_eq!(remain, Some(now as u64), "{integration}\n{text}");
    }

    let names: BTreeSet<_> = before.roles.keys().chain(after.roles.keys()).cloned().collect();
    let fields = ["displayName", "description", "priority", "resources", "createTime"];
    let changed = names.iter().filter(|name| {
        let of = |roles: &BTreeMap<String, Value>| {
            fields.map(|field| roles.get(*name).map(|role| role[field].clone()))
        };
        of(&before.roles) != of(&after.roles)
    });
    let reported = planned.named("roles", "", &[]);
    assert_eq!(changed.cloned().collect::<Vec<_>>(), names_of(&reported), "{text}");

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

fn names_of(pairs: &BTreeSet<(String, String)>) -> Vec<String> {
    pairs.iter().map(|pair| pair.0.clone()).collect()
}

/// Returns a service with more listings and integrations.
pub(super) fn large_service() -> Service {
    let service = Service::full();
    for parent in PARENTS {
        service.put_listing(parent);
        if !["github", "okta"].contains(&parent) {
            service.local().put_integration(parent);
        }
    }
    service
}

/// Returns a role with resources.
pub(super) fn holding(id: &str, resources: &[&str]) -> Block {
    role(id).set("resources", format!("{resources:?}"))
}

#[track_caller]
fn changes(service: &Service, workspace: &Workspace, after: impl Configuration) -> Planned {
    let planned = planned(workspace, after);
    applies_as_reported(service, workspace, &planned);
    planned
}

#[test]
fn creates_updates_and_deletes() {
    let service = Service::full();
    let workspace = service.workspace();
    let planned =
        changes(&service, &workspace, holding("a", &["r/1", "r/2"]) + role("b") + owner("ada"));
    planned.reads(
        "1 gains control, 0 lose it; 2 roles change",
        &[
            (OWNERS, &["`users/ada` gains control of `github`"]),
            (
                ROLES,
                &[
                    "`listings/github/roles/a` is created: resources: `r/1`, `r/2`; display_name: `Role`; priority: `1`",
                    "`listings/github/roles/b` is created: resources are not managed; display_name: `Role`; priority: `1`",
                ],
            ),
        ],
    );

    let a = holding("a", &["r/2", "r/3"]).text("display_name", "New").set("priority", 9);
    let planned =
        changes(&service, &workspace, a + role("b").text("description", "Why") + owner("bea"));
    planned.reads(
        "1 gains control, 1 loses it; 2 roles change; 1 grant to revoke by hand",
        &[
            (
                OWNERS,
                &["`users/ada` loses control of `github`", "`users/bea` gains control of `github`"],
            ),
            (
                ROLES,
                &[
                    "`listings/github/roles/a` changes: resources added (present holders do not get it): `r/3`; resources removed (present holders keep it): `r/1`; display_name: `Role` → `New`; priority: `1` → `9`",
                    "`listings/github/roles/b` changes: resources are not managed; description: none → `Why`",
                ],
            ),
            (REVOKE, &["[ ] `listings/github/roles/a`: `r/1`"]),
        ],
    );
    assert!(planned.markdown.contains("ACCESS_DELETION_POLICY"), "{}", planned.markdown);

    service.change_role("github", "b", json!({"resources": ["r/9"]}));
    workspace.refresh().succeeds();
    let planned = changes(&service, &workspace, "");
    planned.reads(
        "0 gain control, 1 loses it; 2 roles change; 3 grants to revoke by hand",
        &[
            (OWNERS, &["`users/bea` loses control of `github`"]),
            (
                ROLES,
                &[
                    "`listings/github/roles/a` is deleted: present holders keep: `r/2`, `r/3`",
                    "`listings/github/roles/b` is deleted: present holders keep: `r/9`",
                ],
            ),
            (
                REVOKE,
                &[
                    "[ ] `listings/github/roles/a`: `r/2`",
                    "[ ] `listings/github/roles/a`: `r/3`",
                    "[ ] `listings/github/roles/b`: `r/9`",
                ],
            ),
        ],
    );
}

/// An update that records the manager, or changes an option, is no change of access.
#[test]
fn updates_of_other_attributes_change_no_access() {
    let service = Service::full();
    let workspace = service
        .applied(holding("a", &["r"]) + owner("ada") + owners(&["users/founder"]).adopting());
    let kept = holding("a", &["r"]).abandoning() + owner("ada").abandoning();
    let planned = changes(&service, &workspace, kept + owners(&["users/founder"]));
    planned.reads("No change of access.", &[]);
    assert_eq!(planned.markdown, "No change of access.\n");
    planned_with(&workspace, &[]).reads("No change of access.", &[]);
}

#[test]
fn replacements() {
    let service = Service::full();
    let workspace = service.applied(holding("a", &["r/1"]) + role("b"));
    service.change_role("github", "b", json!({"resources": ["r/2"]}));
    workspace.refresh().succeeds();
    // Under another name: deleted and created, and nothing that was held is carried over.
    let renamed = holding("a", &["r/1"]).text("role", "new") + role("b").text("role", "other");
    let planned = changes(&service, &workspace, renamed.clone());
    planned.reads(
        "4 roles change; 2 grants to revoke by hand",
        &[
            (
                ROLES,
                &[
                    "`listings/github/roles/a` is deleted: present holders keep: `r/1`",
                    "`listings/github/roles/b` is deleted: present holders keep: `r/2`",
                    "`listings/github/roles/new` is created: resources: `r/1`; display_name: `Role`; priority: `1`",
                    "`listings/github/roles/other` is created: resources are not managed; display_name: `Role`; priority: `1`",
                ],
            ),
            (
                REVOKE,
                &["[ ] `listings/github/roles/a`: `r/1`", "[ ] `listings/github/roles/b`: `r/2`"],
            ),
        ],
    );
    // By themselves: the resources of the unmanaged one are lost.
    service.change_role("github", "other", json!({"resources": ["r/2", "r/3"]}));
    workspace.refresh().succeeds();
    let replace = ["-replace=access_listing_role.a", "-replace=access_listing_role.b"];
    let planned = planned_with(&workspace, &replace);
    planned.reads(
        "2 roles change; 2 grants to revoke by hand",
        &[
            (
                ROLES,
                &[
                    "`listings/github/roles/new` is replaced",
                    "`listings/github/roles/other` is replaced: resources removed (present holders keep it): `r/2`, `r/3`; resources are not managed",
                ],
            ),
            (
                REVOKE,
                &[
                    "[ ] `listings/github/roles/other`: `r/2`",
                    "[ ] `listings/github/roles/other`: `r/3`",
                ],
            ),
        ],
    );
    applies_as_reported(&service, &workspace, &planned);
}

/// With `create_before_destroy` and adoption, a role is written in place, and keeps what is not managed.
#[test]
fn replacement_in_place_keeps_resources_that_are_not_managed() {
    let service = Service::full();
    let role = || role("a").adopting().create_before_destroy();
    let workspace = service.applied(role());
    service.change_role("github", "a", json!({"resources": ["r/1"]}));
    workspace.refresh().succeeds();
    let planned = planned_with(&workspace, &["-replace=access_listing_role.a"]);
    planned.reads(
        "1 role changes",
        &[(ROLES, &["`listings/github/roles/a` is replaced: resources are not managed"])],
    );
    workspace.apply_saved().succeeds();
    assert_eq!(service.role("github", "a").unwrap()["resources"], json!(["r/1"]));
}

#[test]
fn owners_that_one_plan_removes_and_adds_keep_control() {
    let service = Service::full();
    let old =
        owner("ada") + owner("bea").at("old") + owners(&["users/founder", "users/ada"]).adopting();
    let workspace = service.applied(old);
    let new =
        owner("ada").text("integration_owner_id", "own-ada") + owner("bea").at("new").adopting();
    let all = owners(&["users/ada", "users/bea", "users/cy"]);
    let planned = planned(
        &workspace,
        new + moved("access_integration_owner.old", "access_integration_owner.new") + all,
    );
    planned.reads(
        "2 gain control, 1 loses it",
        &[(
            OWNERS,
            &[
                "`okta`: 3 owners remain",
                "`users/bea` gains control of `okta`",
                "`users/cy` gains control of `okta`",
                "`users/founder` loses control of `okta`",
            ],
        )],
    );
    applies_as_reported(&service, &workspace, &planned);
    let planned =
        changes(&service, &workspace, owner("ada").text("integration_owner_id", "own-ada"));
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
        + same("adopted").adopting()
        + holding("required", &["r/2"]).set("allow_missing", false)
        + owner("ada")
        + import("access_integration_owner.ada", "github/own-1")
        + owner("bea").adopting()
        + owners(&["users/bea"]).adopting();
    let planned = planned(&workspace, configuration);
    planned.reads(
        "2 gain control, 0 lose it; 3 roles change; 1 grant to revoke by hand",
        &[
            (
                OWNERS,
                &[
                    "`okta`: owners that exist and are not listed lose control",
                    "`okta`: 1 owner remains",
                    "`users/bea` gains control of `github`, unless it has it already",
                    "`users/bea` gains control of `okta`, unless it has it already",
                ],
            ),
            (
                ROLES,
                &[
                    "`listings/github/roles/adopted` is created, or overwritten if it exists: resources are not managed; display_name: `Theirs`; priority: `0`",
                    "`listings/github/roles/changed` changes: resources removed (present holders keep it): `r/1`",
                    "`listings/github/roles/required` is overwritten: resources added (present holders do not get it): `r/2`; display_name: `Role`; priority: `1`",
                ],
            ),
            (REVOKE, &["[ ] `listings/github/roles/changed`: `r/1`"]),
            (
                MANAGEMENT,
                &[
                    "`listings/github/roles/adopted`: comes under Terraform, overwrites what exists",
                    "`listings/github/roles/changed`: comes under Terraform, imported",
                    "`listings/github/roles/imported`: comes under Terraform, imported",
                    "`listings/github/roles/required`: comes under Terraform, overwrites what exists",
                    "all owners of `okta`: comes under Terraform, adopts what exists",
                    "`users/ada` of `github`: comes under Terraform, imported",
                    "`users/bea` of `github`: comes under Terraform, adopts what exists",
                ],
            ),
        ],
    );
    workspace.apply_saved().succeeds();

    // One by a removed block, one by its own policy, and the rest by the provider's.
    let abandoned = same("changed").set("resources", "[]").abandoning();
    let settings = || settings().text("deletion_policy", "abandon");
    workspace.configure(settings() + abandoned + owner("ada") + same("imported"));
    workspace
        .run(&["state", "rm", "access_integration_owner.bea", "access_integration_owners.all"])
        .succeeds();
    workspace.apply_with(&["-target=access_listing_role.changed"]).succeeds();
    let removed = removed("access_listing_role.imported");
    let planned = changes(&service, &workspace, settings() + removed);
    planned.reads(
        "No change of access.",
        &[(
            MANAGEMENT,
            &[
                "`listings/github/roles/adopted`: leaves Terraform, abandoned",
                "`listings/github/roles/changed`: leaves Terraform, abandoned",
                "`listings/github/roles/imported`: leaves Terraform, kept by a removed block",
                "`listings/github/roles/required`: leaves Terraform, abandoned",
                "`users/ada` of `github`: leaves Terraform, abandoned",
            ],
        )],
    );
}

/// A policy that is not a constant of every provider configuration is not in the plan.
#[test]
fn policy_that_a_plan_does_not_show_is_reported_as_a_delete() {
    let service = Service::full();
    let alias = |policy: &str| settings().set("alias", "\"eu\"").set("deletion_policy", policy);
    let variable = "variable \"policy\" {\n  default = \"abandon\"\n}\n";
    for (case, settings, is_delete, can_abandon) in [
        (
            "constants",
            settings().text("deletion_policy", "abandon") + alias("\"abandon\""),
            false,
            false,
        ),
        ("one configuration", Text::default() + alias("\"abandon\""), false, false),
        (
            "two policies",
            settings().text("deletion_policy", "delete") + alias("\"abandon\""),
            true,
            false,
        ),
        ("one without", settings().set("max_retries", 0) + alias("\"abandon\""), true, true),
        ("expression", Text(variable.to_owned()) + alias("var.policy"), true, false),
        ("none", Text::default(), true, true),
    ] {
        let workspace = service.applied(holding("a", &["r"]) + owner("ada"));
        let planned = planned(&workspace, settings);
        let text = &planned.markdown;
        assert_eq!(planned.json["counts"]["roles"], u64::from(is_delete), "{case}: {text}");
        assert_eq!(planned.json["counts"]["lose"], u64::from(is_delete), "{case}: {text}");
        assert_eq!(planned.section(MANAGEMENT).len(), if is_delete { 0 } else { 2 }, "{case}");
        assert_eq!(text.contains("ACCESS_DELETION_POLICY"), can_abandon, "{case}: {text}");
        workspace.configure("");
        workspace.apply().succeeds();
    }
}

/// Destroyed by a `removed` block, a resource is deleted.
#[test]
fn removed_block_that_destroys_is_a_delete() {
    let service = Service::full();
    let workspace = service.applied(holding("a", &["r"]));
    let block = removed("access_listing_role.a").0.replace("false", "true");
    let planned = changes(&service, &workspace, &block);
    assert_eq!(planned.json["counts"], json!({"gain": 0, "lose": 0, "roles": 1, "revoke": 1}));
    assert_eq!(planned.section(MANAGEMENT).len(), 0, "{}", planned.markdown);
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
    ours.configure(all + owner("ada") + owners(&["users/founder"]).adopting());
    ours.apply().succeeds();
    let write = |id: &str, fields: Value| service.change_role("github", id, fields);
    let time = "2030-01-01T00:00:00Z";
    write(
        "hand",
        json!({"displayName": "By `hand`", "manager": null, "resources": ["r/2"], "updateTime": time}),
    );
    write(
        "other",
        json!({"description": "x", "repoUri": "https://git.example.com/theirs", "repoDir": "d", "updateTime": time}),
    );
    write("same", json!({"priority": "7", "updateTime": time}));
    write("none", json!({"priority": "7", "repoUri": null, "repoDir": null, "updateTime": time}));
    write("quiet", json!({"updateTime": time}));
    write(
        "again",
        json!({"manager": null, "priority": "3", "createTime": time, "updateTime": time}),
    );
    service.remove_role("github", "gone");
    service.remove_principal("github", "users/ada");
    service.put_owner("okta", "own-2", "users/eve");
    let role = |id: &str, text: &str| format!("`listings/github/roles/{id}`: {text}");
    let created =
        service.role("github", "again").unwrap()["createTime"].as_str().unwrap().to_owned();
    assert_eq!(created, time);
    for more in [&[][..], &["-refresh-only"]] {
        let planned = planned_with(&ours, more);
        let drift = planned.section(DRIFT);
        let expected = [
            role("gone", "deleted"),
            role(
                "hand",
                "display_name: `Role` → `` By `hand` ``; resources: added `r/2`, removed `r/1`; manager: `TERRAFORM` → none; last written: `2030-01-01T00:00:00Z`, not Terraform",
            ),
            role(
                "none",
                "priority: `1` → `7`; repo_uri: `https://git.example.com/ours` → none; repo_dir: `access` → none; last written: `2030-01-01T00:00:00Z`, Terraform, without a repository",
            ),
            role(
                "other",
                "description: none → `x`; repo_uri: `https://git.example.com/ours` → `https://git.example.com/theirs`; repo_dir: `access` → `d`; last written: `2030-01-01T00:00:00Z`, Terraform with repository `https://git.example.com/theirs`, directory `d`",
            ),
            role(
                "same",
                "priority: `1` → `7`; last written: `2030-01-01T00:00:00Z`, the same repository",
            ),
        ];
        assert!(
            drift[0].starts_with("`listings/github/roles/again`: priority: `1` → `3`"),
            "{drift:?}"
        );
        assert!(drift[0].contains("create_time: "), "{drift:?}");
        assert_eq!(drift[1..6], expected, "{}", planned.markdown);
        assert_eq!(
            drift[6..],
            ["all owners of `okta`: owners: added `users/eve`", "`users/ada` of `github`: deleted"]
        );
        if more.is_empty() {
            let counts = "1 gains control, 1 loses it; 6 roles change; 1 grant to revoke by hand";
            assert_eq!(planned.markdown.lines().next(), Some(counts), "{}", planned.markdown);
        } else {
            planned.reads("No change of access.", &[(DRIFT, &drift)]);
        }
    }
    let planned = planned_with(&ours, &[]);
    applies_as_reported(&service, &ours, &planned);
}

/// Where the state has no manager, a write without one says nothing about who wrote.
#[test]
fn drift_of_a_role_without_a_manager_names_nobody() {
    let service = Service::full();
    service.stop_recognising_callers();
    let workspace = service.applied(role("a"));
    service.change_role("github", "a", json!({"displayName": "x"}));
    let planned = planned_with(&workspace, &["-refresh-only"]);
    let drift = planned.section(DRIFT);
    assert!(drift.len() == 1 && drift[0].contains("last written: `"), "{drift:?}");
    assert!(!drift[0].contains("Terraform"), "{drift:?}");
}

#[test]
fn unknown_values_are_neither_gained_nor_lost() {
    let service = large_service();
    let workspace = service.applied(
        later("x", "\"one\"")
            + holding("a", &["r/1", "r/2"])
            + holding("b", &["r/1"])
            + owner("ada")
            + owners(&["users/founder"]).adopting(),
    );
    let configuration = later("x", "\"two\"")
        + role("a").set("resources", "[\"r/1\", terraform_data.x.output]")
        + role("b").set(
            "resources",
            "toset(terraform_data.x.output == \"\" ? [] : [terraform_data.x.output])",
        )
        + role("c").set("role", "terraform_data.x.output")
        + role("d").set("resources", "terraform_data.x.output == \"two\" ? [\"r/9\"] : null")
        + owner("ada").set("owner", "\"users/${terraform_data.x.output}\"")
        + owners(&[]).set("owners", "[\"users/founder\", \"users/${terraform_data.x.output}\"]");
    let planned = planned(&workspace, configuration);
    planned.reads(
        "0 gain control, 1 loses it; 4 roles change; 1 grant to revoke by hand",
        &[
            (OWNERS, &["`users/ada` loses control of `github`"]),
            (
                ROLES,
                &[
                    "`listings/github/roles/(known after apply)` (`access_listing_role.c`) is created: resources are not managed; display_name: `Role`; priority: `1`",
                    "`listings/github/roles/a` changes: resources removed (present holders keep it): `r/2`; more resources are known only after apply",
                    "`listings/github/roles/b` changes: resources are not managed, or known only after apply",
                    "`listings/github/roles/d` is created: resources are not managed, or known only after apply; display_name: `Role`; priority: `1`",
                ],
            ),
            (REVOKE, &["[ ] `listings/github/roles/a`: `r/2`"]),
            (
                UNKNOWN,
                &[
                    "`(known after apply)` of `github` (`access_integration_owner.ada`): owner",
                    "`listings/github/roles/(known after apply)` (`access_listing_role.c`): role",
                    "`listings/github/roles/a`: resources",
                    "`listings/github/roles/b`: resources",
                    "`listings/github/roles/d`: resources",
                    "all owners of `okta`: owners",
                ],
            ),
        ],
    );
    // Nothing but an unknown owner: the counts are zero, and access changes.
    let service = Service::full();
    let workspace = service.workspace();
    let owner = owner("ada").set("owner", "\"users/${terraform_data.x.output}\"");
    let report = self::planned(&workspace, later("x", "\"one\"") + owner);
    assert!(report.markdown.starts_with("Changes of access that are known only after apply.\n"));
}

#[test]
fn sensitive_values_are_not_shown() {
    let service = Service::full();
    let workspace = service.workspace();
    let secret = "variable \"secret\" {\n  default   = \"hush\"\n  sensitive = true\n}\n";
    let configuration = Text(secret.to_owned())
        + role("a").set("role", "var.secret")
        + role("b").set("resources", "[\"r/1\", var.secret]").set("display_name", "var.secret")
        + owner("ada").set("owner", "\"users/${var.secret}\"");
    let planned = planned(&workspace, configuration);
    planned.reads(
        "1 gains control, 0 lose it; 2 roles change",
        &[
            (OWNERS, &["`(sensitive)` gains control of `github`"]),
            (
                ROLES,
                &[
                    "`listings/github/roles/(sensitive)` is created: resources are not managed; display_name: `Role`; priority: `1`",
                    "`listings/github/roles/b` is created: resources: `(sensitive)`, `(sensitive)`; display_name: `(sensitive)`; priority: `1`",
                ],
            ),
        ],
    );
    assert!(planned.plan.to_string().contains("hush"));
    assert!(!planned.markdown.contains("hush") && !planned.json.to_string().contains("hush"));
    workspace.apply_saved().succeeds();
    let planned = self::planned(&workspace, secret);
    assert_eq!(planned.json["counts"], json!({"gain": 0, "lose": 1, "roles": 2, "revoke": 2}));
    assert!(!planned.markdown.contains("hush") && !planned.json.to_string().contains("hush"));
    applies(&workspace);
}

#[track_caller]
fn applies(workspace: &Workspace) -> Outcome {
    workspace.apply_saved().succeeds()
}

/// Two regions have objects of one name, which are told apart by their addresses.
#[test]
fn regions_modules_and_keys() {
    let (eu, us) = (Service::full(), Service::full());
    let workspace = eu.workspace();
    let region = |alias: &str, service: &Service| {
        let name = format!("\"{alias}\"");
        settings().set("alias", name).text("base_url", &service.base_url())
    };
    let module = "terraform {
  required_providers {
    access = {
      source = \"access/access\"
    }
  }
}
variable \"owners\" {
  type = set(string)
}
resource \"access_integration_owner\" \"this\" {
  for_each    = var.owners
  integration = \"github\"
  owner       = each.key
}
resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Role\"
  priority     = length(var.owners)
}
";
    workspace.write("region/main.tf", module);
    let call = |alias: &str, owners: &[&str]| {
        Text(format!(
            "module \"{alias}\" {{
  source    = \"./region\"
  for_each  = toset([\"k].module.x\\\"]\"])
  owners    = {owners:?}
  providers = {{\n    access = access.{alias}\n  }}
}}
"
        ))
    };
    let both = |first: &[&str], second: &[&str]| {
        Text::default()
            + region("eu", &eu)
            + region("us", &us)
            + call("eu", first)
            + call("us", second)
    };
    workspace.configure(both(&["users/ada"], &["users/bea"]));
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds();
    // What moves from one region to the other is lost in the one and gained in the other.
    let planned = planned(&workspace, both(&["users/bea"], &["users/ada"]));
    let line = |owner: &str, verb: &str, region: &str| {
        format!(
            "`users/{owner}` {verb} control of `github` (`module.{region}[\"k].module.x\\\"]\"].access_integration_owner.this[\"users/{owner}\"]`)"
        )
    };
    let expected = [
        line("ada", "loses", "eu"),
        line("ada", "gains", "us"),
        line("bea", "gains", "eu"),
        line("bea", "loses", "us"),
    ];
    assert_eq!(planned.section(OWNERS), expected, "{}", planned.markdown);
    assert!(planned.section(ROLES).is_empty(), "{}", planned.markdown);
    workspace.apply_saved().succeeds();
    assert_eq!(
        (eu.owners_named("github", "users/bea"), us.owners_named("github", "users/bea")),
        (1, 0)
    );

    let planned = self::planned(&workspace, both(&["users/bea", "users/cy"], &["users/ada"]));
    let roles = planned.section(ROLES);
    assert_eq!(roles.len(), 1, "{}", planned.markdown);
    assert!(roles[0].starts_with("`listings/github/roles/viewer` (`module.eu["), "{roles:?}");
    assert!(
        roles[0].contains("changes: resources are not managed; priority: `1` → `2`"),
        "{roles:?}"
    );
}

#[test]
fn deposed_object_counts_by_its_own_name() {
    let service = Service::full();
    service.put_role("github", "old", json!({"displayName": "Old", "resources": ["r/1"]}));
    let workspace = service.applied(holding("new", &["r/2"]));
    workspace.edit_state(|resources| {
        let mut deposed = resources[0]["instances"][0].clone();
        deposed["deposed"] = json!("0badcafe");
        let name = "listings/github/roles/old";
        let attributes = deposed["attributes"].as_object_mut().expect("attributes");
        for (attribute, value) in [("role", "old"), ("id", name), ("name", name)] {
            attributes.insert(attribute.to_owned(), json!(value));
        }
        attributes.insert("resources".to_owned(), json!(["r/1"]));
        attributes.insert("create_time".to_owned(), Value::Null);
        resources[0]["instances"].as_array_mut().expect("instances").push(deposed);
    });
    let planned = planned_with(&workspace, &["-refresh=false"]);
    planned.reads(
        "1 role changes; 1 grant to revoke by hand",
        &[
            (ROLES, &["`listings/github/roles/old` is deleted: present holders keep: `r/1`"]),
            (REVOKE, &["[ ] `listings/github/roles/old`: `r/1`"]),
        ],
    );
    applies_as_reported(&service, &workspace, &planned);
}

#[test]
fn plan_that_failed_or_is_incomplete_says_so() {
    let service = Service::full();
    let workspace = service.workspace();
    let twice = role("a") + role("b") + role("b").at("c");
    let report = planned(&workspace, twice);
    assert!(
        report
            .markdown
            .contains("\n\nThe plan failed: this report shows only a part of the changes.\n\n## "),
        "{}",
        report.markdown
    );
    assert_eq!(report.json["counts"]["roles"], 2);
    workspace.configure(role("a") + role("b"));
    let report = planned_with(&workspace, &["-target=access_listing_role.a"]);
    // OpenTofu's plans do not say it.
    let says_so = report
        .markdown
        .contains("\n\nThe plan is incomplete, because of -target or deferred changes.\n\n## ");
    assert_eq!(says_so, report.plan["complete"] == false, "{}", report.markdown);
    assert_eq!(report.json["counts"]["roles"], 1);

    // No release of the hosts defers by default. The form is that of Terraform 1.15's experiment.
    let mut plan = report.plan.clone();
    let change = plan["resource_changes"][0].take();
    plan["resource_changes"] = json!([]);
    plan["deferred_changes"] =
        json!([{"reason": "provider_config_unknown", "resource_change": change}]);
    workspace.write("deferred.json", &plan.to_string());
    let outcome = workspace.run_provider(&["report", "deferred.json"]).succeeds();
    assert!(outcome.stdout.starts_with("No change of access.\n"), "{}", outcome.stdout);
    let expected = "## Known only after apply\n\n- `listings/github/roles/a`: deferred, `provider_config_unknown`\n";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("\nChanges deferred to a later plan: 1.\n"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn resources_of_other_providers_are_passed_over() {
    let service = Service::full();
    let workspace = service.applied(
        later("x", 1)
            + resource(OWNER, "ada").text("integration", "github").text("owner", "users/ada"),
    );
    let planned = planned(&workspace, later("x", 2));
    assert_eq!(planned.json["counts"]["lose"], 1);
    let change = |provider: &str, mode: &str| {
        let mut plan = planned.plan.clone();
        for change in plan["resource_changes"].as_array_mut().unwrap() {
            if change["type"] == OWNER {
                change["provider_name"] = json!(provider);
                change["mode"] = json!(mode);
            }
        }
        workspace.write("other.json", &plan.to_string());
        let outcome = workspace.run_provider(&["report", "--format=json", "other.json"]).succeeds();
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()["counts"]["lose"].clone()
    };
    for (provider, mode, expected) in [
        ("registry.terraform.io/access/access", "managed", 1),
        ("registry.opentofu.org/access/access", "managed", 1),
        ("example.com/corp/access", "managed", 1),
        ("example.com/access/other", "managed", 0),
        ("example.com/corp/openaccess", "managed", 0),
        ("registry.terraform.io/access/access", "data", 0),
    ] {
        assert_eq!(change(provider, mode), expected, "{provider} {mode}");
    }
}

/// The guide's block works as pasted, and its table names every section and its JSON.
#[cfg(unix)]
#[test]
fn guide_block_prints_a_report() {
    use std::process::Command;

    const GUIDE: &str = "docs/guides/access-report.md";
    let block = super::walkthrough::blocks::with(GUIDE, "terraform plan -out");
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("a"));
    let terraform = workspace.command(&[]);
    // Programs that start the host may depend on their own path, so links do not do.
    let script = format!(
        "shim() {{ printf '#!/bin/sh\\nexec \"%s\" \"$@\"\\n' \"$(command -v \"$2\")\" > bin/$1; }}\n\
         mkdir -p bin .terraform/providers\nshim terraform \"$HOST\"\n\
         ln -s \"$PROVIDER\" .terraform/providers/terraform-provider-access_v0.1.0\n\
         chmod +x bin/*\nPATH=$PWD/bin:$PATH\n{block}"
    );
    let environment = terraform.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let output = Command::new("sh")
        .args(["-euc", &script])
        .current_dir(workspace.path())
        .env_clear()
        .envs(environment)
        .env("HOST", terraform.get_program())
        .env("PROVIDER", provider())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.ends_with("\n\n1 role changes\n"), "{text}");
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(GUIDE)).unwrap();
    for title in [OWNERS, ROLES, REVOKE, DRIFT, MANAGEMENT, UNKNOWN] {
        assert!(page.contains(&format!("\n| {title} | ")), "{title}");
    }
    for list in ["owners", "roles", "revoke", "drift", "management", "unknown"] {
        assert!(page.contains(&format!("\n| `{list}` | ")), "{list}");
    }
}
