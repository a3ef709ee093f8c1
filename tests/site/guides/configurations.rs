//! The host accepts every block of configuration.

use super::VIEWER;
use super::blocks::{self, Block};
use crate::examples::accepts_modules;
use crate::support::{Service, text_of};

/// Returns what a block needs to stand alone: the locals of its page, and the resource that it
/// imports.
fn context(block: &Block, page: &[Block]) -> String {
    let mut context = String::new();
    if block.text.contains("local.") && !block.text.contains("locals {") {
        let first = page.iter().find(|other| other.text.starts_with("locals {"));
        let locals = first.expect("locals on the page").text.split("\n}\n").next();
        context.push_str(locals.expect("the block of locals"));
        context.push_str("\n}\n");
    }
    let imports_viewer = block.text.contains("to = access_listing_role.viewer");
    if imports_viewer && !block.text.contains("resource \"access_listing_role\" \"viewer\"") {
        context.push_str(VIEWER);
    }
    if block.text.contains("(access_listing_role.github)") {
        let roles = "\"on.call\" = \"On call\"";
        context.push_str(&blocks::with("docs/guides/existing-roles.md", roles));
    }
    if block.text.contains("in module.listing ") {
        context
            .push_str(&blocks::with("docs/guides/roles-from-yaml.md", "source   = \"./listing\""));
    }
    context
}

/// Runs the tests of a block.
fn check_tests(block: &Block, page: &[Block]) {
    let place = block.place();
    let service = Service::full();
    let workspace = service.workspace();
    // A block that sets values of data sources is about the configuration above it.
    let tested = page.iter().find(|other| other.text.starts_with("data "));
    let tested = tested.filter(|_| block.text.contains("mock_data"));
    workspace.configure(tested.map_or(VIEWER, |other| &other.text));
    workspace.write("roles.tftest.hcl", &block.text);
    let outcome = workspace.run(&["test", "-no-color"]);
    assert_eq!(outcome.code, 0, "{place}:\n{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("1 passed, 0 failed"), "{place}: {}", outcome.stdout);
    assert_eq!(service.requests().len(), 0, "{place}");
}

#[test]
fn configurations_are_valid() {
    let all = blocks::all();
    // It belongs to the CLI configuration, with which a test of the mirror installs.
    let is_foreign = |block: &&Block| block.text.starts_with("provider_installation {");
    let is_wanted = |block: &&Block| block.is_configuration() && !is_foreign(block);
    let wanted: Vec<_> = all.iter().filter(is_wanted).collect();
    assert!(wanted.len() >= 15, "{}", wanted.len());
    let service = Service::full();
    let workspace = service.workspace();
    // `validate` reads a file of this name.
    workspace.write("key", "admin-key\n");
    let mut modules = Vec::new();
    for block in wanted {
        let page: Vec<_> = all.iter().filter(|other| other.page == block.page).cloned().collect();
        if block.text.contains("mock_provider") {
            check_tests(block, &page);
            continue;
        }
        let text = block.text.replace("/run/secrets/access-api-key", "key");
        let text = format!("{}{text}", context(block, &page)).replace("./listing", "../listing");
        if text.contains("import {") || text.contains("variable \"") {
            // Modules cannot contain `import` blocks, and their variables need values.
            let workspace = service.configured(text);
            workspace.write("key", "admin-key\n");
            let outcome = workspace.run(&["validate", "-json"]);
            assert_eq!(outcome.code, 0, "{}:\n{}", block.place(), outcome.stdout);
        } else {
            modules.push((block.place(), text));
        }
    }
    workspace.write("listing/main.tf", &text_of("examples/team/region/listing/main.tf"));
    accepts_modules(&workspace, &modules);
}
