//! The provider of the README, which `cargo test` builds as an example.

use super::support::example;
use super::terraform::Workspace;

#[test]
fn provider_of_the_readme_is_the_one_that_is_tested() {
    let readme = include_str!("../../README.md");
    let code = readme.split("```rust,no_run\n").nth(1).unwrap().split("```").next().unwrap();
    let tested = include_str!("../../examples/documentation/larder.rs");
    assert_eq!(tested.split_once("\n\n").unwrap().1, code);
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
    workspace.write("");
    workspace.apply();
    assert_eq!(content(), None);
}
