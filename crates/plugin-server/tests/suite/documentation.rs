//! The provider of the README, which `cargo test` builds as an example.

use serde_json::Value as Json;

use super::support::example;
use super::terraform::Workspace;

#[test]
fn provider_of_the_readme_is_the_one_that_is_tested() {
    let readme = include_str!("../../README.md");
    let code = readme.split("```rust,no_run\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(include_str!("../../examples/documentation/provider.rs"), code);
}

#[test]
fn provider_of_the_readme_creates_changes_and_destroys() {
    example("terraform-provider-larder");
    let jar = |content: &str| {
        format!("resource \"larder_jar\" \"plum\" {{\n  label = \"plum\"\n{content}}}\n")
    };
    let workspace = Workspace::new(&jar(""));
    let content = || std::fs::read_to_string(workspace.path("plum")).ok();
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(content().as_deref(), Some("jam"), "the default");
    workspace.write(&jar("  content = \"jelly\"\n"));
    workspace.apply();
    workspace.plans_nothing();
    assert_eq!(workspace.instance().unwrap()["attributes"]["weight"], 5);
    workspace.write(&jar(""));
    let plan = workspace.succeeds(&["plan", "-no-color"]);
    assert!(plan.contains("content = \"jelly\" -> \"jam\""), "the default returns\n{plan}");
    assert!(plan.contains("(known after apply)") && !plan.contains("replacement"), "{plan}");
    let moved = jar("").replace("= \"plum\"", "= \"pear\"");
    workspace.write(&moved);
    let plan = workspace.succeeds(&["plan", "-no-color"]);
    let forcing: Vec<&str> =
        plan.lines().filter(|line| line.contains("# forces replacement")).collect();
    assert!(forcing.len() == 1 && forcing[0].contains("label"), "{plan}");
    workspace.write(&moved.replace("pear", " "));
    let invalid: Json = serde_json::from_str(&workspace.fails(&["validate", "-json"])).unwrap();
    let errors = invalid["diagnostics"].as_array().unwrap().iter();
    let errors: Vec<&Json> = errors.filter(|found| found["severity"] == "error").collect();
    let [error] = errors[..] else { panic!("{errors:?}") };
    assert_eq!(error["detail"], "`label` must not be blank.");
    assert!(error["snippet"]["code"].as_str().unwrap().contains("label"), "{error}");
    workspace.write("");
    workspace.apply();
    assert_eq!(content(), None);
}
