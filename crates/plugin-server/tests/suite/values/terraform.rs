//! Values that are hard to represent, with Terraform or OpenTofu: see `terraform.rs`.

use serde_json::{Value as Json, json};

use crate::suite::terraform::Workspace;

/// Returns a configuration of `probe_values`, with two things whose attributes are unknown until
/// they are created.
fn values(arguments: &str) -> String {
    format!(
        "resource \"probe_thing\" \"a\" {{}}\nresource \"probe_thing\" \"b\" {{\n  value = \"b\"\n}}\n\
         resource \"probe_values\" \"it\" {{\n{arguments}\n}}\n"
    )
}

fn attributes(workspace: &Workspace) -> Json {
    let state = std::fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
    let state: Json = serde_json::from_str(&state).unwrap();
    let resources = state["resources"].as_array().unwrap();
    let it = resources.iter().find(|resource| resource["type"] == "probe_values").unwrap();
    it["instances"][0]["attributes"].clone()
}

#[test]
fn floats_are_stored_as_the_decimals_they_were_written_as() {
    let third = "ratio = 1 / 3\n  ratios = [0.1, 1 / 3]\n  exact = 1 / 3";
    let tenths = values("ratio = 0.1\n  ratios = [0.1, 2.5]\n  exact = 0.1");
    let workspace = Workspace::new(&tenths);
    workspace.apply();
    workspace.plans_nothing();
    let stored = attributes(&workspace);
    let tenth = json!(0.1);
    assert_eq!([&stored["ratio"], &stored["share"], &stored["exact"]], [&tenth; 3]);
    let state = std::fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
    assert!(!state.contains("0.1000"), "the exact value of the float\n{state}");
    workspace.write(&values(third));
    workspace.apply();
    workspace.plans_nothing();
    let state = std::fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
    assert!(state.contains("0.33333333333333333333333333333333"), "all digits\n{state}");
}

#[test]
fn set_with_two_unknown_elements_is_planned_and_applied() {
    let workspace = Workspace::new(&values(
        "names = [\"${probe_thing.a.made}-a\", \"${probe_thing.b.made}-b\"]\n  \
         labels = [\"${probe_thing.a.made}-a\", \"${probe_thing.b.made}-b\", \"c\"]\n  \
         limits = [{ name = \"${probe_thing.a.made}-a\" }, { name = \"${probe_thing.b.made}-b\" }]",
    ));
    workspace.apply();
    workspace.plans_nothing();
    let stored = attributes(&workspace);
    assert_eq!(stored["names"], json!(["made-a", "made-b"]));
    assert_eq!(stored["labels"], json!(["c", "made-a", "made-b"]));
    assert_eq!(stored["limits"].as_array().unwrap().len(), 2);
}

#[test]
fn optional_block_with_an_unknown_for_each_is_planned_as_unknown() {
    let block = |each: &str| {
        values(&format!(
            "dynamic \"limit\" {{\n    for_each = probe_thing.a.made == \"made\" ? {each} : []\n    \
             content {{\n      name = \"n\"\n    }}\n  }}"
        ))
    };
    let workspace = Workspace::new(&block("[1]"));
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(attributes(&workspace)["limit"], json!([{ "name": "n", "id": "id" }]));
    let workspace = Workspace::new(&block("[]"));
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(attributes(&workspace)["limit"], json!([]));
}

#[test]
fn text_is_stored_as_terraform_normalises_it() {
    let config = |ratio: u8| {
        let ignoring = "lifecycle {\n    ignore_changes = [note]\n  }";
        values(&format!("ratio = {ratio}\n  {ignoring}"))
    };
    let workspace = Workspace::new(&config(1));
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(attributes(&workspace)["text"], "caf\u{e9}", "normalisation form C");
    // A read-only attribute can be in `ignore_changes`.
    workspace.write(&config(2));
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(attributes(&workspace)["ratio"], 2);
}
