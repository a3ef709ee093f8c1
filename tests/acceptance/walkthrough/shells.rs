//! Every shell block, pasted into an interactive bash and zsh: line by line on standard input, which
//! the commands of the block inherit, as without bracketed paste.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::blocks::{self, Block};
use super::paste::{Desk, shells};
use crate::support::tools::has_tools;
use crate::support::{Feature, Service, host_version};

#[test]
fn readme_begins_with_the_commands_for_a_newcomer() {
    let first = blocks::of("README.md", |_| true).remove(0);
    assert_eq!((&*first.language, &*first.text), ("sh", "cargo xtask demo\ncargo xtask test\n"));
    let checks = include_str!("../../../.ci/run");
    for command in first.text.lines() {
        let runs = |line: &str| line.starts_with("step ") && line.ends_with(command);
        assert!(checks.lines().any(runs), ".ci/run runs {command}");
    }
}

#[test]
fn readme_is_tried_as_pasted() {
    if !has_tools(&["curl"]) {
        return;
    }
    let block = blocks::with("README.md", "access-fake");
    for shell in shells() {
        let service = Service::full();
        let desk = Desk::new(&service);
        let directory = desk.workspace.path();
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), directory.join("examples"))
            .expect("the examples");
        // The build is the one under test. The service is the one of this test, on a port of its own.
        let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
        desk.tool(
            "cargo",
            &format!(
                "[ \"$*\" = 'build --workspace' ] || exit 1
mkdir -p target/debug
ln -s {provider} target/debug/terraform-provider-access
printf '#!/bin/sh\\n[ \"$*\" = \"--address 127.0.0.1:8484\" ] || exit 1\\nexec sleep 60\\n' > target/debug/access-fake
chmod +x target/debug/access-fake"
            ),
        );
        let text = block.replace(
            "ACCESS_BASE_URL=http://127.0.0.1:8484",
            &format!("ACCESS_BASE_URL={}", service.base_url()),
        );
        assert_ne!(text, block);
        let pasted = desk.paste(shell, "README.md", &text);
        for part in ["2 added, 0 changed", "Changed by hand", "2 destroyed"] {
            assert!(pasted.stdout.contains(part), "{part:?}: {}\n{}", pasted.stdout, pasted.stderr);
        }
        assert_eq!(service.roles("github").len(), 0);
    }
}

/// Returns the fixture of the guides: a role and an entry of a `for_each`, applied.
fn guide(service: &Service) -> Desk {
    let desk = Desk::new(service);
    desk.workspace.configure(
        "resource \"access_listing_role\" \"viewer\" {\n  listing      = \"github\"\n  role         = \"viewer\"\n  display_name = \"Viewer\"\n  priority     = 0\n}\n",
    );
    desk.workspace.write(
        "github.tf",
        "resource \"access_listing_role\" \"github\" {\n  for_each     = toset([\"viewer\"])\n  listing      = \"production\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}\n",
    );
    desk.workspace.apply().succeeds();
    desk
}

/// Pastes the shell blocks of a guide, one after the other, with the address of the local service.
fn paste_guide(page: &str, prepare: impl Fn(&Desk)) {
    for shell in shells() {
        for block in blocks::of(page, Block::is_shell) {
            let service = Service::full();
            let mut desk = guide(&service);
            prepare(&desk);
            let text = block
                .text
                .replace("https://eu.access.example.com", &service.base_url())
                .replace("http://127.0.0.1:8484", &service.base_url())
                .replace("/run/secrets/access-api-key", "key")
                .replace("\"your-api-key\"", "\"admin-key\"");
            // Only the block sets them.
            for name in ["ACCESS_BASE_URL", "ACCESS_API_KEY"] {
                if text.contains(&format!("export {name}")) {
                    desk.workspace.set(name, "");
                }
            }
            service.clear_requests();
            desk.paste(shell, &block.place(), &text);
            let reads = text.contains("terraform plan") || text.contains("terraform apply");
            assert_eq!(reads, !service.requests().is_empty(), "{}", block.place());
        }
    }
}

/// The pages with shell blocks that this file pastes with `paste_guide`.
const GUIDES: [&str; 6] = [
    "templates/index.md",
    "templates/guides/authentication.md",
    "templates/guides/handing-back.md",
    "templates/guides/pipelines.md",
    "templates/guides/testing.md",
    "templates/guides/troubleshooting.md",
];

#[test]
fn shell_blocks_of_guides_run_as_pasted() {
    for page in GUIDES {
        paste_guide(page, |desk| {
            desk.tool("pass", "[ \"$*\" = 'show access/terraform' ] && echo admin-key");
            desk.workspace.write("key", "admin-key\n");
            if page.ends_with("testing.md") {
                let test = blocks::with(page, "roles.tftest.hcl");
                desk.workspace.write("roles.tftest.hcl", &test);
            }
        });
    }
}

#[test]
fn shell_block_of_the_import_guide_writes_blocks_and_resources() {
    const PAGE: &str = "templates/guides/existing-roles.md";
    for shell in shells() {
        let service = Service::full();
        for role in ["viewer", "on.call"] {
            service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
        }
        let desk = Desk::new(&service);
        let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
        // Where `init` leaves it.
        let installed = desk.workspace.path().join(".terraform/providers/registry/0.1.0/linux");
        fs::create_dir_all(&installed).expect("a directory");
        symlink(provider, installed.join("terraform-provider-access_v0.1.0")).expect("a link");
        let resources = |file: &str| {
            let text = fs::read_to_string(desk.workspace.path().join(file)).expect("the resources");
            fs::remove_file(desk.workspace.path().join(file)).expect("the resources");
            text.matches("resource \"access_listing_role\"").count()
        };
        desk.paste(shell, PAGE, &blocks::with(PAGE, "export --listing"));
        assert_eq!(resources("access.tf"), 2);
    }
}

#[test]
fn team_is_applied_as_pasted() {
    const PAGE: &str = "examples/team/README.md";
    if !host_version().supports(Feature::EphemeralVariables) {
        return;
    }
    for shell in shells() {
        let (eu, us) = (Service::full(), Service::full());
        let desk = Desk::new(&eu);
        fs::remove_file(desk.workspace.path().join("versions.tf")).expect("the versions");
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/team");
        super::super::team::copy(&example, &desk.workspace, "");
        let text = blocks::with(PAGE, "terraform get");
        let text = text
            .replace("http://127.0.0.1:8484", &eu.base_url())
            .replace("http://127.0.0.1:8485", &us.base_url());
        desk.paste(shell, PAGE, &text);
        assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));

        // The first block, with an installed provider.
        desk.tool("terraform", "case $1 in init | plan) echo \"$1\" ;; *) exit 1 ;; esac");
        desk.paste(shell, PAGE, &blocks::with(PAGE, "terraform init"));
    }
}

#[test]
fn shell_blocks_are_all_pasted_by_some_test() {
    let mut elsewhere = [
        // readme_begins_with_the_commands_for_a_newcomer, readme_is_tried_as_pasted, and the
        // installation in `installed`
        ("README.md", 3),
        // shell_block_of_the_import_guide_writes_blocks_and_resources
        ("templates/guides/existing-roles.md", 1),
        ("examples/team/README.md", 2),
        // pipeline_is_copied_locked_and_run
        ("examples/pipelines/README.md", 2),
    ];
    for block in blocks::all().into_iter().filter(Block::is_shell) {
        if GUIDES.contains(&block.page.as_str()) {
            continue;
        }
        let page = elsewhere.iter_mut().find(|(page, _)| *page == block.page);
        let (_, left) = page.unwrap_or_else(|| panic!("{}: no test pastes it", block.place()));
        assert!(*left > 0, "{}: no test pastes it", block.place());
        *left -= 1;
    }
}
