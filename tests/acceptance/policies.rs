//! The rules of `examples/policies`, evaluated on plans of the host.

use regorus::{Engine, Value as RegoValue};
use serde_json::{Value, json};

use crate::support::fixtures::{Configuration, Text, later, owner, owners, role, settings};
use crate::support::{Service, Workspace, text_of};

/// Returns an interpreter with the rules and their tests.
fn engine() -> Engine {
    let mut engine = Engine::new();
    for name in ["access.rego", "access_test.rego"] {
        let text = text_of(&format!("examples/policies/{name}"));
        engine.add_policy(name.to_owned(), text).expect("valid rules");
    }
    engine
}

/// Fails the test unless the rules deny a plan with these messages, by their parts, and with no
/// others.
#[track_caller]
pub(super) fn denies(case: &str, plan: &str, allowed: &Value, expected: &[&str]) {
    let mut engine = engine();
    let data = json!({ "allowed": allowed }).to_string();
    engine.add_data(RegoValue::from_json_str(&data).expect("data")).expect("data");
    engine.set_input(RegoValue::from_json_str(plan).expect("a plan"));
    let messages = engine.eval_rule("data.access.deny".to_owned()).expect("a result");
    let messages: Vec<_> = messages.as_set().expect("a set").iter().collect();
    let messages: Vec<_> = messages.iter().map(|it| it.as_string().expect("a text")).collect();
    assert_eq!(messages.len(), expected.len(), "{case}: {messages:#?}");
    for part in expected {
        assert!(messages.iter().any(|message| message.contains(part)), "{case}: {messages:#?}");
    }
}

/// Plans, and returns the plan as JSON.
pub(super) fn plan(workspace: &Workspace) -> String {
    workspace.run(&["plan", "-json", "-lock=false", "-out=saved.tfplan"]).succeeds();
    workspace.saved_plan()
}

fn planned(workspace: &Workspace, configuration: impl Configuration) -> String {
    workspace.configure(configuration);
    plan(workspace)
}

#[test]
fn rules_pass_their_own_tests() {
    let text = text_of("examples/policies/access_test.rego");
    let names = text.lines().filter_map(|line| line.strip_suffix(" if {"));
    let names: Vec<_> = names.filter(|name| name.starts_with("test_")).collect();
    assert_eq!(names.len(), text.matches("\ntest_").count(), "{names:?}");
    assert!(names.len() >= 13, "{names:?}");
    for name in names {
        let result = engine().eval_rule(format!("data.access_test.{name}"));
        assert_eq!(result.expect(name), RegoValue::from(true), "{name}");
    }
}

/// Returns a provider configuration with this expression, if any, and a resource without instances
/// that uses it.
fn region(alias: &str, base_url: Option<&str>) -> Text {
    let provider = settings().text("alias", alias);
    let provider = base_url.iter().fold(provider, |provider, url| provider.set("base_url", url));
    let of_region = owner(alias).set("provider", format!("access.{alias}"));
    provider + of_region.set("count", 0)
}

const VARIABLE: &str = "variable \"url\" {\n  default = \"https://eu.access.example.com\"\n}\n";

/// The rules on what a plan contains: each of them is broken by a resource or a region of its own.
#[test]
fn plan_is_denied_by_the_rules_that_it_breaks() {
    let (service, workspace) = Service::with_workspace();
    let viewer = role("viewer").text("description", "Reads.");
    let configuration = settings().text("base_url", &service.base_url())
        + role("a")
        + role("b").text("description", " ").set("priority", 2)
        + viewer.clone().set("priority", 3)
        + viewer.at("other").text("listing", "production").set("priority", 3)
        + role("c").text("description", "Writes.").set("priority", 3)
        + owner("ada")
        + owner("c").set("owner", "terraform_data.team.output")
        + owners(&["users/ada"])
        + owners(&[])
            .at("slack")
            .text("integration", "slack")
            .set("owners", "[\"teams/a\", terraform_data.team.output]")
        + later("team", "\"teams/c\"")
        + region("text", Some("\"https://us.access.example.com\""))
        + region("environment", None)
        + region("null", Some("null"));
    let expected = [
        "provider access.text: https://us.access.example.com is not in `allowed.base_urls`.",
        "access_listing_role.a: the role has no description.",
        "access_listing_role.b: the role has no description.",
        "access_listing_role.c, access_listing_role.viewer: these roles of a listing",
        "access_integration_owner.ada: the owner users/ada is not a team or a group.",
        "access_integration_owner.c: owner is known only after the apply",
        "access_integration_owners.all: the owner users/ada is not a team or a group.",
        "access_integration_owners.all: an integration needs two owners.",
        "access_integration_owners.slack: owners is known only after the apply",
    ];
    let allowed = json!({"base_urls": [service.base_url()], "destroy": []});
    denies("all rules", &planned(&workspace, configuration), &allowed, &expected);
    // A state is no plan.
    let state = workspace.run(&["show", "-json"]).succeeds().stdout;
    denies("a state", &state, &allowed, &["the input is not a plan"]);
}

/// The rules on what a plan removes.
#[test]
fn plan_that_destroys_is_denied() {
    let service = Service::full();
    let provider = || settings().text("base_url", &service.base_url());
    let viewer = || role("viewer").text("description", "Reads.");
    let admin = || role("admin").text("description", "Writes.").set("priority", 2);
    let old = || role("old").text("description", "Abandoned.").set("priority", 3).abandoning();
    let one = || owner("b").text("owner", "groups/b");
    let two = || owner("a").text("owner", "teams/a") + one();
    let workspace = service.applied(provider() + viewer() + admin() + old() + two());
    let destroys = "access_listing_role.viewer: the plan destroys it.";
    let keeps_one = "access_integration_owner.a: the configuration keeps 1 of two owners of the integration github.";
    let a = "access_integration_owner.a";
    for (case, provider, objects, destroy, expected) in [
        // The policy in the state of `old` counts.
        ("no change", provider(), viewer() + admin() + two(), "", &[][..]),
        ("a role", provider(), admin() + two(), "", &[destroys]),
        ("one of two owners", provider(), viewer() + admin() + one(), a, &[keeps_one]),
        ("the provider abandons", provider().abandoning(), admin() + two(), "", &[]),
    ] {
        let allowed = json!({"base_urls": [service.base_url()], "destroy": [destroy]});
        denies(case, &planned(&workspace, provider + objects), &allowed, expected);
    }
}

/// The key goes to `base_url` at plan. An expression can make any address of an allowed one.
#[test]
fn address_that_is_computed_is_denied_unless_the_rule_is_off() {
    let (service, workspace) = Service::with_workspace();
    let region_of = "locals {\n  url = { default = var.url }\n}\n";
    for expression in [
        "var.url",
        "local.url[terraform.workspace]",
        "terraform.workspace == \"eu\" ? \"https://eu.access.example.com\" : \"https://us.access.example.com\"",
        "replace(var.url, \"eu\", \"evil\")",
        "\"https://evil${substr(var.url, 0, 0)}\"",
        "lower(\"https://eu.access.example.com\")",
        "trimprefix(\"https://eu.access.example.com\", \"x\")",
    ] {
        let configuration = Text(format!("{VARIABLE}{region_of}")) + region("eu", Some(expression));
        let plan = planned(&workspace, configuration);
        let mut allowed = json!({"base_urls": ["https://eu.access.example.com"]});
        denies(expression, &plan, &allowed, &["provider access.eu: `base_url` cannot be checked."]);
        allowed["off"] = json!(["base_urls"]);
        denies(expression, &plan, &allowed, &[]);
    }
    // No resource uses the second one. A data source of a check sends the key, too.
    let check = "check \"owners\" {
  data \"access_integration_owners\" \"github\" {
    provider    = access.eu
    integration = \"github\"
  }
  assert {
    condition     = length(data.access_integration_owners.github.owners) > 0
    error_message = \"No owners.\"
  }
}
";
    let evil = "provider access.eu: https://evil.example.com is not in `allowed.base_urls`.";
    let provider = settings().text("alias", "eu").text("base_url", "https://evil.example.com");
    let unused = settings() + provider;
    let elsewhere = settings().text("alias", "eu").text("base_url", &service.base_url());
    let elsewhere_denied = format!("provider access.eu: {} is not in", service.base_url());
    for (case, configuration, expected) in
        [("unused", unused, evil), ("a check", elsewhere + check, elsewhere_denied.as_str())]
    {
        denies(case, &planned(&workspace, configuration), &json!({"base_urls": []}), &[expected]);
    }
}

/// The default provider configuration deletes what had no alias, also if nothing else uses it any
/// more.
#[test]
fn blocks_that_move_to_an_alias_that_abandons_do_not_hide_a_delete() {
    let service = Service::full();
    let viewer = || role("viewer").text("description", "Reads.");
    let admin = role("admin").text("description", "Writes.").set("priority", 2);
    let workspace = service.applied(viewer() + admin);
    let alias = settings().text("alias", "x").abandoning();
    let moved = alias + viewer().set("provider", "access.x");
    let plan = planned(&workspace, moved);
    let destroys = "access_listing_role.admin: the plan destroys it.";
    denies("moved", &plan, &json!({}), &[destroys]);
    for (pattern, expected) in [("access_listing_role.*", &[][..]), ("*.viewer", &[destroys])] {
        denies(pattern, &plan, &json!({"destroy": [pattern]}), expected);
    }
    // It is as the rule says.
    workspace.apply().succeeds();
    assert!(service.role("github", "admin").is_none());
}

/// Two regions have an integration of one name. The owners that stay in one do not stand in for
/// those of the other.
#[test]
fn owners_of_another_region_do_not_stand_in_for_those_that_are_removed() {
    let (eu, us) = (Service::full(), Service::full());
    let alias = || settings().text("alias", "us").text("base_url", &us.base_url());
    let teams = |names: &str| {
        owner("each").set("for_each", format!("toset({names})")).set("owner", "each.value")
    };
    let single = || owner("single").text("owner", "teams/single");
    let in_us = || teams("[\"teams/c\", \"teams/d\"]").at("us").set("provider", "access.us");
    let all = "[\"teams/a\", \"teams/b\"]";
    let workspace = eu.applied(alias() + teams(all) + single() + in_us());
    assert_eq!(us.principals("github").len(), 3);
    for (case, configuration, expected) in [
        ("kept", alias() + teams("[\"teams/a\"]") + single() + in_us(), &[][..]),
        (
            "an entry",
            alias() + teams("[]") + single() + in_us(),
            &[
                "each[\"teams/a\"]: the configuration keeps 1",
                "each[\"teams/b\"]: the configuration keeps 1",
            ],
        ),
        ("a block", alias() + teams(all) + in_us(), &["the plan does not show from which region"]),
        (
            "a block with `count = 0`",
            alias() + teams(all) + single().set("count", 0) + in_us(),
            &[],
        ),
    ] {
        let plan = planned(&workspace, configuration);
        let allowed = json!({"base_urls": [us.base_url()], "destroy": ["*"]});
        denies(case, &plan, &allowed, expected);
    }
}

/// Configurations in the structures that public repositories have.
#[test]
fn plans_of_usual_structures_pass_or_name_the_rule_that_does_not_suit() {
    let service = Service::full();
    // The plan does not look for roles at addresses that do not exist.
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "off");
    let viewer = || role("viewer").text("description", "Reads.").to_string();
    let module =
        format!("{}{}", crate::support::VERSIONS, viewer().replace("\"github\"", "var.listing"));
    workspace.write("listing/main.tf", &format!("{module}variable \"listing\" {{}}\n"));
    workspace.write("roles.yaml", "github:\nproduction:\n");
    let each = "module \"listing\" {
  source   = \"./listing\"
  for_each = yamldecode(file(\"roles.yaml\"))
  listing  = each.key
}
";
    let legacy =
        format!("{VARIABLE}module \"listing\" {{\n  source = \"./legacy\"\n  url = var.url\n}}\n");
    let provider = "provider \"access\" {\n  base_url = var.url\n}\nvariable \"url\" {}\nvariable \"listing\" {\n  default = \"github\"\n}\n";
    workspace.write("legacy/main.tf", &format!("{module}{provider}"));
    let text = settings().text("base_url", &service.base_url()).to_string();
    let variable = format!("{}{VARIABLE}", settings().set("base_url", "var.url"));
    let cannot = "`base_url` cannot be checked";
    for (case, configuration, expected) in [
        ("the environment, without a block", viewer(), &[][..]),
        ("the environment, an empty block", settings().to_string() + &viewer(), &[]),
        ("a text", text.clone() + &viewer(), &[]),
        ("a module for each listing of a file", each.to_owned(), &[]),
        ("a module and a text", text + each, &[]),
        ("a variable", variable + &viewer(), &[cannot]),
        ("a provider in a module", legacy, &[cannot]),
    ] {
        workspace.configure(configuration);
        workspace.run(&["get"]).succeeds();
        let plan = plan(&workspace);
        let allowed = json!({"base_urls": [service.base_url()]});
        denies(case, &plan, &allowed, expected);
        let allowed = json!({"off": ["base_urls"]});
        denies(case, &plan, &allowed, &[]);
    }
}
