//! Quoted output: each `text` block of a guide is what a run prints.

use super::VIEWER;
use super::blocks;
use crate::support::{Service, Workspace};

/// Returns a configuration of one role whose `resources` are on line 11, as guides quote it.
fn role_with_resources(name: &str, resources: &str) -> String {
    format!(
        "\n\n\n\n\nresource \"access_listing_role\" \"{name}\" {{\n  listing      = \"github\"\n  role         = \"{name}\"\n  display_name = \"Admin\"\n  priority     = 20\n  resources = [\"{resources}\"]\n}}\n"
    )
}

/// Returns a text with single blanks, without the frame that Terraform draws around diagnostics.
fn normalised(text: &str) -> String {
    text.replace(['│', '╷', '╵'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails the test unless the parts of the block with this text are in the output, in this order.
#[track_caller]
fn is_printed(page: &str, text: &str, separator: &str, output: &str) {
    let output = normalised(output);
    let mut rest = output.as_str();
    for part in blocks::with(page, text).split(separator).map(normalised) {
        if !part.is_empty() && part != "..." {
            let at = rest.find(&part).unwrap_or_else(|| panic!("{part:?} is not in {rest}"));
            rest = &rest[at + part.len()..];
        }
    }
}

/// Returns what a plan or an apply prints, with the base address of the pages.
fn output_of(service: &Service, workspace: &Workspace, command: &str, code: i32) -> String {
    let mut arguments = vec![command, "-no-color", "-lock=false"];
    if command == "apply" {
        arguments.push("-auto-approve");
    }
    let outcome = workspace.run(&arguments).exits(code);
    outcome.output().replace(&service.base_url(), "https://eu.access.example.com")
}

#[test]
fn quoted_output_is_what_the_host_prints() {
    let service = Service::full();
    service.put_viewer();
    const IMPORTS: &str = "docs/guides/existing-roles.md";
    let workspace = service.configured(blocks::with(IMPORTS, "to = access_listing_role.viewer\n"));
    let plan = output_of(&service, &workspace, "plan", 0);
    is_printed(IMPORTS, "1 to import", "\n", &plan);

    let workspace = service.workspace_with_key("member-key");
    workspace.configure(role_with_resources("x", "r"));
    let apply = output_of(&service, &workspace, "apply", 1);
    is_printed("docs/guides/permissions.md", "Error: ", "\n\n", &apply);

    let (service, mut workspace) = Service::with_applied(VIEWER);
    workspace.set("ACCESS_API_KEY", "reader-key");
    workspace.configure(VIEWER.replace("\"Viewer\"", "\"Reader\""));
    let apply = output_of(&service, &workspace, "apply", 1);
    is_printed("docs/guides/troubleshooting.md", "Error: ", "\n\n", &apply);
}

/// The first error of a new user, which Terraform words.
#[test]
fn host_asks_for_a_provider_block_where_the_address_is_missing() {
    let workspace = Service::full().workspace().with("ACCESS_BASE_URL", "");
    workspace.configure(VIEWER);
    let output = workspace.run(&["plan", "-no-color"]).exits(1).stderr;
    let title = "Invalid provider configuration";
    let page = crate::support::text_of("docs/guides/troubleshooting.md");
    assert!(page.contains(&format!("| `{title}` |")));
    assert!(normalised(&output).contains(title), "{output}");
    assert!(normalised(&output).contains("Add a provider block"), "{output}");
}
