//! The rules of `examples/policies`, evaluated on plans of the host.

use std::fs;
use std::path::{Path, PathBuf};

use regorus::{Engine, Value as RegoValue};
use serde_json::{Value, json};

use crate::support::fixtures::{
    OWNER, Text, later, owner, owners, removed, resource, role, settings,
};
use crate::support::{Feature, Service, Workspace, host_version};

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/policies")
}

/// Returns an interpreter with the rules and their tests.
fn engine() -> Engine {
    let mut engine = Engine::new();
    for name in ["access.rego", "access_test.rego"] {
        let text = fs::read_to_string(policies().join(name)).expect("the rules");
        engine.add_policy(name.to_owned(), text).expect("valid rules");
    }
    engine
}

/// Returns the messages of the rules for a plan, in order.
fn denied(plan: &str, allowed: &Value) -> Vec<String> {
    let mut engine = engine();
    let data = json!({ "allowed": allowed }).to_string();
    engine.add_data(RegoValue::from_json_str(&data).expect("data")).expect("data");
    engine.set_input(RegoValue::from_json_str(plan).expect("a plan"));
    let messages = engine.eval_rule("data.access.deny".to_owned()).expect("a result");
    let messages = messages.as_set().expect("a set").iter();
    messages.map(|message| message.as_string().expect("a text").to_string()).collect()
}

/// Plans, and returns the plan as JSON.
fn plan(workspace: &Workspace) -> String {
    workspace.run(&["plan", "-json", "-lock=false", "-out=saved.tfplan"]).succeeds();
    workspace.run(&["show", "-json", "saved.tfplan"]).succeeds().stdout
}

/// Fails the test unless the messages are these, by their parts.
#[track_caller]
fn assert_denied(case: &str, messages: &[String], expected: &[&str]) {
    assert_eq!(messages.len(), expected.len(), "{case}: {messages:#?}");
    for part in expected {
        assert!(messages.iter().any(|message| message.contains(part)), "{case}: {messages:#?}");
    }
}

#[test]
fn rules_pass_their_own_tests() {
    let text = fs::read_to_string(policies().join("access_test.rego")).expect("the tests");
    let names = text.lines().filter_map(|line| line.strip_suffix(" if {"));
    let names: Vec<_> = names.filter(|name| name.starts_with("test_")).collect();
    assert_eq!(names.len(), text.matches("\ntest_").count(), "{names:?}");
    assert!(names.len() >= 13, "{names:?}");
    for name in names {
        let result = engine().eval_rule(format!("data.access_test.{name}"));
        assert_eq!(result.expect(name), RegoValue::from(true), "{name}");
    }
}

/// Returns the configuration that keeps every rule: two roles and two owners.
fn conforming(service: &Service) -> Text {
    settings().text("base_url", &service.base_url())
        + role("viewer").text("description", "Reads.")
        + role("admin").text("description", "Writes.").set("priority", 2)
        + owner("a").text("owner", "teams/a")
        + owner("b").text("owner", "groups/b")
}

/// The rules on what a plan contains: each of them is broken by a resource of its own.
#[test]
fn plan_is_denied_by_the_rules_that_it_breaks() {
    let service = Service::full();
    let provider = settings().text("base_url", &service.base_url());
    let viewer = role("viewer").text("description", "Reads.");
    let unknown = later("team", "\"teams/c\"");
    let cases = [
        (
            "all rules are kept",
            conforming(&service) + viewer.clone().at("other").text("listing", "production"),
            &[][..],
        ),
        (
            "roles and single owners",
            provider.clone()
                + role("a")
                + role("b").text("description", " ").set("priority", 2)
                + viewer.clone().set("priority", 3)
                + role("c").text("description", "Writes.").set("priority", 3)
                + owner("ada")
                + owner("c").set("owner", "terraform_data.team.output")
                + unknown.clone(),
            &[
                "access_listing_role.a: the role has no description.",
                "access_listing_role.b: the role has no description.",
                "access_listing_role.c, access_listing_role.viewer: these roles of a listing",
                "access_integration_owner.ada: the owner users/ada is not a team or a group.",
                "access_integration_owner.c: owner is known only after the apply",
            ],
        ),
        (
            "lists of owners",
            provider.clone()
                + owners(&["users/ada"])
                + owners(&[])
                    .at("github")
                    .text("integration", "github")
                    .set("owners", "[\"teams/a\", terraform_data.team.output]")
                + unknown,
            &[
                "access_integration_owners.all: the owner users/ada is not a team or a group.",
                "access_integration_owners.all: an integration needs two owners.",
                "access_integration_owners.github: owners is known only after the apply",
            ],
        ),
    ];
    let allowed = json!({"base_urls": [service.base_url()], "destroy": []});
    for (case, configuration, expected) in cases {
        let workspace = service.workspace();
        workspace.configure(&configuration);
        assert_denied(case, &denied(&plan(&workspace), &allowed), expected);
    }
    // A state is no plan.
    let workspace = service.workspace();
    let state = workspace.run(&["show", "-json"]).succeeds().stdout;
    assert_denied("a state", &denied(&state, &allowed), &["the input is not a plan"]);
}

/// Returns a provider configuration with this address, and a resource without instances that uses it, so a
/// plan sends no request.
fn region(alias: &str, base_url: Option<&str>) -> Text {
    let base_url = base_url.map_or(String::new(), |url| format!("  base_url = {url}\n"));
    let provider = format!("provider \"access\" {{\n  alias = {alias:?}\n{base_url}}}\n");
    let nothing = resource(OWNER, alias)
        .set("provider", format!("access.{alias}"))
        .set("count", 0)
        .text("integration", "okta")
        .text("owner", "teams/a");
    Text(provider) + nothing
}

#[test]
fn plan_is_denied_unless_each_region_is_allowed() {
    let service = Service::full();
    let workspace = service.workspace();
    let allowed = "https://eu.access.example.com";
    let variables = "locals {
  url = \"https://eu.access.example.com\"
}

variable \"eu\" {
  default = \"https://eu.access.example.com/\"
}

variable \"other\" {
  default = \"https://example.com\"
}
";
    let regions = [
        ("text", Some("\"https://eu.access.example.com\"")),
        ("variable", Some("var.eu")),
        ("other_text", Some("\"https://us.access.example.com\"")),
        ("other_variable", Some("var.other")),
        ("local", Some("local.url")),
        ("environment", None),
    ];
    let regions: String =
        regions.iter().map(|(alias, base_url)| region(alias, *base_url).to_string()).collect();
    workspace.configure(&format!("{variables}{regions}"));
    let messages = denied(&plan(&workspace), &json!({"base_urls": [allowed], "destroy": []}));
    let expected = [
        "provider access.other_text: https://us.access.example.com is not in `allowed.base_urls`.",
        "provider access.other_variable: https://example.com is not in `allowed.base_urls`.",
        "provider access.local: `base_url` cannot be checked.",
        "provider access.environment: `base_url` cannot be checked.",
    ];
    assert_denied("regions", &messages, &expected);
}

/// The rules on what a plan removes.
#[test]
fn plan_that_destroys_is_denied() {
    let service = Service::full();
    let allowed = |destroy: &[&str]| json!({"base_urls": [service.base_url()], "destroy": destroy});
    let workspace = service.applied(conforming(&service));
    let whole = conforming(&service).to_string();
    let viewer = role("viewer").text("description", "Reads.").to_string();
    let of_team = owner("a").text("owner", "teams/a").to_string();
    let cases = [
        ("no change", whole.clone(), &[][..], &[][..]),
        (
            "a role",
            whole.replace(&viewer, ""),
            &[],
            &["access_listing_role.viewer: the plan destroys it."],
        ),
        ("an allowed role", whole.replace(&viewer, ""), &["access_listing_role.viewer"], &[]),
        (
            "a `removed` block",
            whole.replace(&viewer, &removed("access_listing_role.viewer").to_string()),
            &[],
            &[],
        ),
        (
            "a replacement",
            whole.replace("role = \"viewer\"", "role = \"reader\""),
            &[],
            &["access_listing_role.viewer: the plan destroys it."],
        ),
        (
            "one of two owners",
            whole.replace(&of_team, ""),
            &["access_integration_owner.a"],
            &[
                "access_integration_owner.a: the configuration keeps 1 of two owners of the integration github.",
            ],
        ),
        (
            "the provider abandons",
            whole.replace(&viewer, "").replace(
                "provider \"access\" {",
                "provider \"access\" {\n  deletion_policy = \"abandon\"",
            ),
            &[],
            &[],
        ),
    ];
    for (case, configuration, destroy, expected) in cases {
        workspace.configure(&configuration);
        let messages = denied(&plan(&workspace), &allowed(destroy));
        assert_denied(case, &messages, expected);
    }
    // The policy in the state counts.
    let abandoning = role("viewer").text("description", "Reads.").abandoning().to_string();
    workspace.configure(&whole.replace(&viewer, &abandoning));
    workspace.apply().succeeds();
    workspace.configure(&whole.replace(&viewer, ""));
    assert_denied("an abandoned role", &denied(&plan(&workspace), &allowed(&[])), &[]);
}

/// Two regions have listings and integrations of one name.
#[test]
fn example_with_two_regions_keeps_the_rules() {
    if !host_version().supports(Feature::EphemeralVariables) {
        return;
    }
    let (eu, us) = (Service::full(), Service::full());
    let workspace = super::team::stack(&eu, &us);
    let plan = plan(&workspace);
    let urls = [eu.base_url(), us.base_url()];
    assert_denied("both regions", &denied(&plan, &json!({"base_urls": urls, "destroy": []})), &[]);
    let one = json!({"base_urls": [eu.base_url()], "destroy": []});
    assert_denied("one region", &denied(&plan, &one), &["provider access.us: "]);
}

/// Conftest and OPA are not in the suite: stubs check that each file of a command exists. The rules are
/// evaluated above.
#[cfg(unix)]
#[test]
fn commands_name_files_that_exist() {
    use super::walkthrough::VIEWER;
    use super::walkthrough::blocks;
    use super::walkthrough::paste::{Desk, shells};

    const PAGE: &str = "examples/policies/README.md";
    for shell in shells() {
        let service = Service::full();
        let desk = Desk::new(&service);
        desk.workspace.configure(VIEWER);
        let copy = desk.workspace.path().join("policies");
        std::os::unix::fs::symlink(policies(), copy).expect("the rules");
        let stub = "for word in \"$@\"; do
  case $word in (policies*|*.json) [ -e \"$word\" ] || exit 1; echo \"found $word\" ;; esac
done";
        desk.tool("conftest", stub);
        desk.tool("opa", stub);
        let text = blocks::with(PAGE, "conftest test") + &blocks::with(PAGE, "opa eval");
        let pasted = desk.paste(shell, PAGE, &text);
        // The plan's output ends without a line break.
        let found = pasted.stdout.matches("found ").count();
        assert_eq!(found, 5, "{}", pasted.stdout);
        let plan = fs::read_to_string(desk.workspace.path().join("plan.json")).expect("a plan");
        assert_denied("as pasted", &denied(&plan, &json!({})), &["no description", "`base_url`"]);
    }
}
