//! Plan modifiers and validators, with Terraform itself.

use serde_json::{Value as Json, json};

use super::terraform::Workspace;

fn drawer(arguments: &str) -> String {
    format!("resource \"probe_drawer\" \"it\" {{\n{arguments}\n}}\n")
}

/// Returns an attribute of the drawer in the state.
fn attribute(workspace: &Workspace, name: &str) -> Json {
    workspace.instance().unwrap()["attributes"][name].clone()
}

#[test]
fn use_default_returns_when_the_argument_is_removed() {
    let workspace = Workspace::new(&drawer("label = \"a\"\nleft = true"));
    workspace.apply();
    assert_eq!(attribute(&workspace, "depth"), json!(3));
    workspace.plans_nothing();
    workspace.write(&drawer("label = \"a\"\nleft = true\ndepth = 5"));
    workspace.apply();
    assert_eq!(attribute(&workspace, "depth"), json!(5));
    workspace.plans_nothing();
    workspace.write(&drawer("label = \"a\"\nleft = true"));
    let plan = workspace.succeeds(&["plan", "-no-color"]);
    assert!(plan.contains("depth  = 5 -> 3"), "{plan}");
    assert!(plan.contains("(known after apply)") && !plan.contains("~ number"), "{plan}");
    workspace.apply();
    assert_eq!(attribute(&workspace, "depth"), json!(3));
    workspace.plans_nothing();
}

#[test]
fn requires_replace_shows_the_attributes_that_force_it() {
    let workspace = Workspace::new(&drawer("label = \"a\"\nwood = \"oak\"\nleft = true"));
    workspace.apply();
    workspace.write(&drawer("label = \"a\"\nwood = \"oak\"\nright = true"));
    let plan = workspace.succeeds(&["plan", "-no-color"]);
    assert!(plan.contains("1 to change") && !plan.contains("forces replacement"), "{plan}");
    workspace.write(&drawer("label = \"a\"\nwood = \"pine\"\nleft = true"));
    let plan = workspace.succeeds(&["plan", "-no-color"]);
    let forcing: Vec<&str> =
        plan.lines().filter(|line| line.contains("# forces replacement")).collect();
    assert_eq!(forcing.len(), 1, "{plan}");
    assert!(forcing[0].contains("wood"), "{plan}");
    workspace.apply();
    workspace.plans_nothing();
}

#[test]
fn validators_show_the_line_of_the_attribute() {
    for (arguments, argument, detail) in [
        ("label = \" \"\nleft = true", "label", "`label` must not be blank."),
        ("label = \"123456789\"\nleft = true", "label", "must have at most 8 characters, not 9."),
        ("label = \"s\u{fc}\u{df}\"\nleft = true", "label", "`label` must be ASCII."),
        (
            "label = \"a\"\nwood = \"fir\"\nleft = true",
            "wood",
            "`wood` must be `oak` or `pine`, not \"fir\".",
        ),
        ("label = \"a\"\nleft = true\nright = true", "right", "Exactly one of `left` and `right`"),
        ("label = \"a\"", "", "and none of them is."),
    ] {
        let workspace = Workspace::new(&drawer(arguments));
        let output = workspace.fails(&["validate", "-json"]);
        let output: Json = serde_json::from_str(&output).unwrap();
        let errors: Vec<&Json> = output["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|diagnostic| diagnostic["severity"] == "error")
            .collect();
        let [error] = errors[..] else { panic!("{arguments}: one error, not {errors:?}") };
        let (text, code) = (error["detail"].as_str().unwrap(), &error["snippet"]["code"]);
        assert!(text.contains(detail), "{text}");
        assert!(code.as_str().unwrap().trim_start().starts_with(argument), "{code}");
    }
}

#[test]
fn validators_pass_values_that_are_not_known_yet() {
    let workspace = Workspace::new(
        "resource \"terraform_data\" \"it\" {}\n\
         resource \"probe_drawer\" \"it\" {\n  label = substr(terraform_data.it.id, 0, 8)\n  \
         wood = terraform_data.it.id == \"\" ? \"fir\" : \"oak\"\n  \
         left = terraform_data.it.id == \"\" ? true : null\n  right = true\n}\n",
    );
    workspace.apply();
    workspace.plans_nothing();
}
