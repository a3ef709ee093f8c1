//! Five plans that are hard to read, each applied and compared with the service. Their reports are written to
//! `target/tmp/report-*.md`.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{DRIFT, Planned, applies_as_reported, holding, large_service, planned, planned_with};
use crate::support::fixtures::{
    Block, ROLE, Text, import, later, moved, owner, owners, removed, resource, role, settings,
};

fn keep(name: &str, planned: &Planned) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.md"));
    fs::write(file, &planned.markdown).expect("a file");
}

fn in_listing(block: Block, listing: &str) -> Block {
    block.text("listing", listing)
}

fn owner_of(integration: &str, owner: &str) -> Block {
    let address = format!("{integration}_{}", owner.replace('/', "_"));
    resource(crate::support::fixtures::OWNER, &address)
        .text("integration", integration)
        .text("owner", owner)
}

/// A team is reorganised: everything moves at once.
#[test]
fn reorganisation() {
    let service = large_service();
    service.put_role("ops", "found", json!({"displayName": "Found", "resources": ["r/1", "r/2"]}));
    let workspace = service.workspace();
    let abandoned = || in_listing(holding("leaver", &["pager"]), "eng").abandoning();
    workspace.configure(
        holding("renamed", &["repo/a", "repo/b"])
            + holding("moved", &["repo/c"])
            + abandoned()
            + holding("forgotten", &["repo/d"])
            + holding("deleted", &["repo/e", "repo/f"])
            + holding("left", &["repo/left"]).text("display_name", "Left")
            + holding("right", &["repo/right"]).text("display_name", "Right"),
    );
    workspace.apply().succeeds();
    workspace.write(
        "team/main.tf",
        &format!(
            "terraform {{\n  required_providers {{\n    access = {{\n      source = \"access/access\"\n    }}\n  }}\n}}\n{}",
            holding("moved", &["repo/c", "repo/new"])
        ),
    );
    workspace.configure(
        holding("renamed", &["repo/b"]).text("role", "new-name")
            + Text("module \"team\" {\n  source = \"./team\"\n}\n".to_owned())
            + moved("access_listing_role.moved", "module.team.access_listing_role.moved")
            + in_listing(abandoned(), "ops")
            + in_listing(holding("found", &["r/2", "r/3"]), "ops")
            + import("access_listing_role.found", "ops/found")
            + removed("access_listing_role.forgotten")
            + holding("left", &["repo/right"]).text("display_name", "Right")
            + holding("right", &["repo/left"]).text("display_name", "Left"),
    );
    workspace.run(&["get"]).succeeds();
    let planned = planned_with(&workspace, &[]);
    keep("reorganisation", &planned);
    applies_as_reported(&service, &workspace, &planned);
}

/// Five integrations are handed over, each in another way.
#[test]
fn handover() {
    let service = large_service();
    for integration in ["slack", "jira", "aws"] {
        service.put_owner(integration, "own-0", "users/founder");
    }
    let workspace = service.workspace();
    let all = |integration: &str, principals: &[&str]| {
        owners(principals).at(integration).text("integration", integration).adopting()
    };
    workspace.configure(
        owner_of("github", "users/ada")
            + owner_of("github", "users/bea")
            + all("okta", &["users/founder", "users/ada"])
            + all("slack", &["users/founder", "users/ada"])
            + owner_of("jira", "users/ada").at("jira")
            + owner_of("aws", "users/ada").abandoning(),
    );
    workspace.apply().succeeds();
    workspace.configure(
        owner_of("github", "groups/platform")
            + owner_of("github", "users/bea").text("integration_owner_id", "own-bea")
            + all("okta", &["groups/platform", "users/cy"])
            + all("slack", &["users/founder"])
            + owner_of("jira", "groups/platform").at("jira")
            + owner_of("aws", "groups/platform"),
    );
    let planned = planned_with(&workspace, &[]);
    keep("handover", &planned);
    applies_as_reported(&service, &workspace, &planned);
}

/// Everything was edited over night: by hand, by another repository, and by another directory of our own.
#[test]
fn night_shift() {
    let service = large_service();
    let workspace = service
        .workspace()
        .with("ACCESS_REPO_URI", "https://git.example.com/access")
        .with("ACCESS_REPO_DIR", "team");
    let configuration = |viewer: &[&str]| {
        holding("by-hand", &["r/1", "r/2"])
            + holding("by-others", &["r/1"])
            + holding("by-us", &["r/1"]).text("description", "Ours")
            + holding("gone", &["r/1"])
            + holding("viewer", viewer)
            + owner("ada")
            + owners(&["users/founder", "users/bea"]).adopting()
    };
    workspace.configure(configuration(&["r/1"]));
    workspace.apply().succeeds();
    let edit = |id: &str, fields| service.change_role("github", id, fields);
    edit("by-hand", json!({"displayName": "@all", "resources": ["r/2", "r/3"], "manager": null}));
    let theirs =
        json!({"priority": "9", "repoUri": "https://git.example.com/theirs", "repoDir": "x"});
    edit("by-others", theirs);
    edit("by-us", json!({"description": "Changed", "repoDir": "other-team"}));
    edit("viewer", json!({"resources": ["r/1", "r/night"], "manager": null}));
    service.remove_role("github", "gone");
    service.remove_principal("github", "users/ada");
    service.remove_principal("okta", "users/founder");
    service.put_owner("okta", "own-9", "users/mallory");
    let planned = planned(&workspace, configuration(&["r/1", "r/2"]));
    keep("night-shift", &planned);
    assert_eq!(planned.section(DRIFT).len(), 7, "{}", planned.markdown);
    applies_as_reported(&service, &workspace, &planned);
}

/// Modules in modules with hostile keys, two provider configurations, a deposed object, and an object with
/// two addresses.
#[test]
fn platform() {
    let service = large_service();
    let workspace = service.workspace();
    let required = "terraform {\n  required_providers {\n    access = {\n      source = \"access/access\"\n    }\n  }\n}\n";
    let variable = "variable \"resources\" {\n  type = set(string)\n}\n";
    let inner = in_listing(role("inner"), "eng")
        .set("role", "\"inner-${length(var.resources)}\"")
        .set("resources", "var.resources");
    workspace.write("outer/inner/main.tf", &format!("{required}{variable}{inner}"));
    let call = "module \"inner\" {\n  source    = \"./inner\"\n  for_each  = toset([\"`x` | @all\", \"].module.y\"])\n  resources = setunion(var.resources, [each.key])\n}\n";
    let call = call.replace("toset([\"`x` | @all\", \"].module.y\"])", "toset(var.keys)");
    let keys = "variable \"keys\" {\n  type = list(string)\n}\n";
    workspace.write("outer/main.tf", &format!("{required}{variable}{keys}{call}"));
    let alias = settings().set("alias", "\"second\"").text("base_url", &service.base_url());
    let outer = |keys: &[&str], resources: &[&str]| {
        Text(format!(
            "module \"outer\" {{\n  source    = \"./outer\"\n  keys      = {keys:?}\n  resources = {resources:?}\n  providers = {{\n    access = access.second\n  }}\n}}\n"
        ))
    };
    let first = settings().text("base_url", &service.base_url());
    let both = || Text::default() + &first + &alias;
    workspace.configure(
        both() + outer(&["`x` | @all"], &["r/1"]) + holding("kept", &["r/1"]) + owner("ada"),
    );
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds();
    // A second address for what the configuration has already.
    workspace.configure(
        both()
            + outer(&["`x` | @all"], &["r/1"])
            + holding("kept", &["r/1"])
            + owner("ada")
            + holding("kept", &["r/1"]).at("again")
            + import("access_listing_role.again", "github/kept"),
    );
    workspace.apply().succeeds();
    service.put_role("github", "old", json!({"displayName": "Old", "resources": ["r/old"]}));
    workspace.edit_state(|resources| {
        let kept =
            resources.iter_mut().find(|it| it["name"] == "kept" && it["type"] == ROLE).expect("it");
        let mut deposed = kept["instances"][0].clone();
        deposed["deposed"] = json!("0badcafe");
        // The identity of the role that it is a copy of.
        deposed.as_object_mut().expect("an instance").remove("identity");
        let name = json!("listings/github/roles/old");
        let attributes = &mut deposed["attributes"];
        (attributes["role"], attributes["id"], attributes["name"]) =
            (json!("old"), name.clone(), name);
        (attributes["resources"], attributes["create_time"]) = (json!(["r/old"]), json!(null));
        kept["instances"].as_array_mut().expect("instances").push(deposed);
    });
    workspace.configure(
        both()
            + outer(&["].module.y\"]"], &["r/1", "r/2"])
            + holding("kept", &["r/2"])
            + holding("kept", &["r/2"]).at("again")
            + owner("ada").set("provider", "access.second"),
    );
    let planned = planned_with(&workspace, &[]);
    keep("platform", &planned);
    applies_as_reported(&service, &workspace, &planned);
}

/// Half of the plan is known only after apply, and some of it is sensitive.
#[test]
fn half_unknown() {
    let service = large_service();
    let workspace = service.workspace();
    let secret = "variable \"secret\" {\n  default   = \"r/secret\"\n  sensitive = true\n}\n";
    let secret = || Text(secret.to_owned());
    workspace.configure(
        secret()
            + later("x", "\"one\"")
            + holding("partly", &["r/1", "r/2"])
            + holding("wholly", &["r/1"])
            + role("secret").set("resources", "[\"r/1\", var.secret]")
            + holding("renamed", &["r/1"])
            + owner("ada")
            + owners(&["users/founder", "users/ada"]).adopting(),
    );
    workspace.apply().succeeds();
    let x = "terraform_data.x.output";
    workspace.configure(
        secret()
            + later("x", "\"two\"")
            + role("partly").set("resources", format!("[\"r/1\", {x}]"))
            + role("wholly").set("resources", format!("toset({x} == \"\" ? [] : [\"r/1\"])"))
            + role("secret").set("resources", "[\"r/1\"]").set("display_name", "var.secret")
            + holding("renamed", &["r/1"]).set("role", x)
            + owner("ada").set("owner", format!("\"users/${{{x}}}\""))
            + owners(&[]).set("owners", format!("[\"users/founder\", \"users/${{{x}}}\"]")),
    );
    let planned = planned_with(&workspace, &[]);
    keep("half-unknown", &planned);
    assert!(!planned.markdown.contains("r/secret"), "{}", planned.markdown);
    let resources = |role| service.role("github", role).unwrap_or_default()["resources"].clone();
    let before = (resources("partly"), resources("wholly"), resources("secret"));
    workspace.apply_saved().succeeds();
    let after = (resources("partly"), resources("wholly"), resources("secret"));
    // What the report could name has happened: these three are to revoke, and nothing of `wholly`.
    assert_eq!(before, (json!(["r/1", "r/2"]), json!(["r/1"]), json!(["r/1", "r/secret"])));
    assert_eq!(after, (json!(["r/1", "two"]), json!(["r/1"]), json!(["r/1"])));
    assert_eq!(service.role("github", "renamed"), None);
    assert_eq!(planned.json["counts"], json!({"gain": 0, "lose": 2, "roles": 5, "revoke": 3}));
    assert_eq!(service.principals("github"), ["users/founder", "users/two"]);
    assert_eq!(service.principals("okta"), ["users/founder", "users/two"]);
}
