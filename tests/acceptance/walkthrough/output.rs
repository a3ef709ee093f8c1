//! Quoted output: each `text` block of a guide is what a run prints.

use std::fs;

use serde_json::json;

use super::blocks::{self, Block};
use crate::support::Service;

/// The pages that quote output. A test below produces the output of each.
const PAGES: [(&str, usize); 4] = [
    ("templates/guides/entitlements.md", 1),
    ("templates/guides/existing-roles.md", 1),
    ("templates/guides/permissions.md", 1),
    // A diagnostic and a line of the log.
    ("templates/guides/troubleshooting.md", 2),
];

fn is_quoted(block: &Block) -> bool {
    block.language == "text"
}

/// Returns a configuration of one role whose `resources` are on line 11, as guides quote it.
fn role_with_resources(name: &str, resources: &str) -> String {
    format!(
        "\n\n\n\n\nresource \"access_listing_role\" \"{name}\" {{\n  listing      = \"github\"\n  role         = \"{name}\"\n  display_name = \"Admin\"\n  priority     = 20\n  resources = [\"{resources}\"]\n}}\n"
    )
}

/// The base address in the pages.
const ADDRESS: &str = "https://eu.access.example.com";

const VIEWER: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}
";

/// Returns a text with single blanks, without the frame that Terraform draws around diagnostics.
fn normalised(text: &str) -> String {
    let is_frame = |letter: char| "│╷╵".contains(letter);
    text.replace(is_frame, " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails the test unless the parts are in the output, in this order.
#[track_caller]
fn prints<'a>(output: &str, parts: impl Iterator<Item = &'a str>) {
    let output = normalised(output);
    let mut rest = output.as_str();
    let mut count = 0;
    for part in parts.map(normalised).filter(|part| !part.is_empty() && part != "...") {
        let at = rest.find(&part).unwrap_or_else(|| panic!("{part:?} is not in {rest}"));
        rest = &rest[at + part.len()..];
        count += 1;
    }
    assert!(count > 1, "{count} parts");
}

#[test]
fn quoted_output_is_all_produced_by_some_test() {
    for block in blocks::all().iter().filter(|block| is_quoted(block)) {
        let quoted = PAGES.iter().find(|(page, _)| *page == block.page);
        let (page, count) =
            quoted.unwrap_or_else(|| panic!("{}: no test produces this output", block.place()));
        assert_eq!(blocks::of(page, is_quoted).len(), *count, "{page}");
    }
}

#[test]
fn quoted_plan_of_an_import_is_what_the_host_prints() {
    const PAGE: &str = "templates/guides/existing-roles.md";
    let service = Service::full();
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "0"}));
    let workspace = service.workspace();
    workspace.configure(&blocks::with(PAGE, "to = access_listing_role.viewer\n"));
    let plan = workspace.run(&["plan", "-no-color", "-lock=false"]).succeeds();
    prints(&plan.stdout, blocks::of(PAGE, is_quoted)[0].text.lines());
}

#[test]
fn quoted_warning_is_what_the_host_prints() {
    const PAGE: &str = "templates/guides/entitlements.md";
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&role_with_resources("admin", "repositories/website"));
    workspace.apply().succeeds();
    workspace.configure(&role_with_resources("admin", "repositories/platform"));
    let plan = workspace.run(&["plan", "-no-color", "-lock=false"]).succeeds();
    prints(&plan.stdout, blocks::of(PAGE, is_quoted)[0].text.split("\n\n"));
}

#[test]
fn quoted_errors_are_what_the_host_prints() {
    const PERMISSIONS: &str = "templates/guides/permissions.md";
    let service = Service::full();
    let workspace = service.workspace_with_key("member-key");
    workspace.configure(&role_with_resources("x", "r"));
    let apply = workspace.run(&["apply", "-no-color", "-auto-approve", "-lock=false"]).exits(1);
    let printed = apply.stderr.replace(&service.base_url(), ADDRESS);
    prints(&printed, blocks::of(PERMISSIONS, is_quoted)[0].text.split("\n\n"));

    const TROUBLESHOOTING: &str = "templates/guides/troubleshooting.md";
    let mut workspace = service.workspace();
    workspace.configure(VIEWER);
    workspace.apply().succeeds();
    workspace.set("ACCESS_API_KEY", "reader-key");
    workspace.configure(&VIEWER.replace("\"Viewer\"", "\"Reader\""));
    let apply = workspace.run(&["apply", "-no-color", "-auto-approve", "-lock=false"]).exits(1);
    let printed = apply.stderr.replace(&service.base_url(), ADDRESS);
    prints(&printed, blocks::with(TROUBLESHOOTING, "Error: ").split("\n\n"));
}

#[test]
fn quoted_line_of_the_log_has_the_fields_of_a_request() {
    const PAGE: &str = "templates/guides/troubleshooting.md";
    let service = Service::full();
    let workspace =
        service.workspace().with("TF_LOG_PROVIDER", "DEBUG").with("TF_LOG_PATH", "terraform.log");
    workspace.configure(VIEWER);
    workspace.apply().succeeds();
    fs::remove_file(workspace.path().join("terraform.log")).expect("the log of the apply");
    workspace.plan().exits(0);
    let log = fs::read_to_string(workspace.path().join("terraform.log")).expect("the log");
    let line = log.lines().find(|line| line.contains("path=/api/v1/listings/github/roles/viewer"));
    // The names of the fields, and the module, with which readers filter.
    let shape = |line: &str| {
        let mut shape: Vec<_> = line
            .split_whitespace()
            .skip(1)
            .map(|word| match word.split_once('=') {
                Some((name, _)) if name != "@module" => name.to_owned(),
                _ => word.to_owned(),
            })
            .collect();
        shape.sort();
        shape
    };
    let quoted = blocks::with(PAGE, "[DEBUG]");
    assert_eq!(shape(line.expect("a line of a request")), shape(&quoted), "{log}");
}
