//! Every shell block, pasted into an interactive bash and zsh: line by line on standard input, which
//! the commands of the block inherit, as without bracketed paste.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::VIEWER;
use super::blocks::{self, Block};
use super::paste::{Desk, shells};
use crate::support::Service;
use crate::support::tools::has_tools;

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

/// Returns a desk with the block of the README, whose build gives the provider under test, and this program
/// for the service. The block uses the service of the test, on a port of its own.
fn readme_desk(service: &Service, program: &str) -> (Desk, String) {
    let desk = Desk::new(service);
    link_examples(&desk);
    let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
    desk.tool(
        "cargo",
        &format!(
            "[ \"$*\" = 'build --locked -p terraform-provider-access -p access-fake' ] || exit 1
mkdir -p target/debug
ln -s {provider} target/debug/terraform-provider-access
printf '#!/bin/sh\\n[ \"$*\" = \"--address 127.0.0.1:8484\" ] || exit 1\\n{program}\\n' > target/debug/access-fake
chmod +x target/debug/access-fake"
        ),
    );
    let block = blocks::with("README.md", "access-fake");
    let address = format!("ACCESS_BASE_URL={}", service.base_url());
    let text = block.replace("ACCESS_BASE_URL=http://127.0.0.1:8484", &address);
    assert_ne!(text, block);
    (desk, text)
}

#[test]
fn readme_is_tried_as_pasted() {
    if !has_tools(&["curl"]) {
        return;
    }
    for shell in shells() {
        let service = Service::full();
        let (desk, text) = readme_desk(&service, "exec sleep 60");
        let pasted = desk.paste(shell, "README.md", &text);
        for part in ["2 added, 0 changed", "Changed by hand", "2 destroyed"] {
            assert!(pasted.stdout.contains(part), "{part:?}: {}\n{}", pasted.stdout, pasted.stderr);
        }
        assert_eq!(service.roles("github").len(), 0);
    }
}

#[test]
fn readme_on_a_taken_port_ends_with_the_error_of_the_service_alone() {
    let Some(shell) = shells().pop() else { return };
    let service = Service::full();
    let (desk, text) = readme_desk(&service, "echo taken >&2; exit 1");
    assert_eq!(desk.fails(shell, &text), "taken\n");
    assert_eq!(service.requests().len(), 0);
}

pub(in super::super) fn link_examples(desk: &Desk) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    symlink(examples, desk.workspace.path().join("examples")).expect("the examples");
}

/// Returns what the guides assume: a role and an entry of a `for_each`, applied, the provider where
/// `init` leaves it, and the tools of secret stores.
fn desk_of_guides(service: &Service, page: &str) -> Desk {
    let desk = Desk::new(service);
    let workspace = &desk.workspace;
    if page.ends_with("existing-roles.md") {
        for role in ["viewer", "on.call"] {
            service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
        }
        fs::remove_file(workspace.path().join("main.tf")).ok();
    } else {
        workspace.configure(VIEWER);
        workspace.write(
            "github.tf",
            "resource \"access_listing_role\" \"github\" {\n  for_each     = toset([\"viewer\"])\n  listing      = \"production\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}\n",
        );
        workspace.apply().succeeds();
    }
    desk.install_provider();
    desk.tool("pass", "[ \"$*\" = 'show access/terraform' ] && echo admin-key");
    desk.tool(
        "vault",
        "case \"$*\" in
  'write -field=token auth/jwt/login role=access jwt=') echo vault-token ;;
  'kv get -field=api_key secret/access') [ \"$VAULT_TOKEN\" = vault-token ] && echo admin-key ;;
  *) exit 1 ;;
esac",
    );
    workspace.write("key", "admin-key\n");
    if page.ends_with("testing.md") {
        workspace.write("roles.tftest.hcl", &blocks::with(page, "roles.tftest.hcl"));
    }
    desk
}

/// Each block is pasted into one of the shells, in turn.
#[test]
fn shell_blocks_of_guides_run_as_pasted() {
    let pages = blocks::all().into_iter().filter(|block| !block.page.ends_with("README.md"));
    let shell_blocks: Vec<_> = pages.filter(Block::is_shell).collect();
    assert!(shell_blocks.len() >= 7, "{}", shell_blocks.len());
    for (block, shell) in shell_blocks.iter().zip(shells().into_iter().cycle()) {
        let service = Service::full();
        let mut desk = desk_of_guides(&service, &block.page);
        let text = block
            .text
            .replace("https://eu.access.example.com", &service.base_url())
            .replace("http://127.0.0.1:8484", &service.base_url())
            .replace("/run/secrets/access-api-key", "key")
            .replace("\"your-api-key\"", "\"admin-key\"");
        // Only the block sets them.
        for (name, sets) in
            [("ACCESS_BASE_URL", "ACCESS_BASE_URL="), ("ACCESS_API_KEY", "ACCESS_API_KEY")]
        {
            if text.contains(&format!("export {sets}")) || text.contains(&format!(" {sets}")) {
                desk.workspace.set(name, "");
            }
        }
        service.clear_requests();
        let pasted = desk.paste(shell, &block.place(), &text);
        let reads = ["terraform plan", "terraform apply", " export --"];
        let reads = reads.iter().any(|command| text.contains(command));
        assert_eq!(reads, !service.requests().is_empty(), "{}", block.place());
        if block.page.ends_with("existing-roles.md") {
            assert!(pasted.stdout.contains("2 to import, 0 to add"), "{}", pasted.stdout);
        }
    }
}

/// With `dev_overrides`, `terraform init` installs nothing.
#[test]
fn block_that_exports_leaves_no_file_if_nothing_is_installed() {
    let Some(shell) = shells().pop() else { return };
    let block = blocks::with("docs/guides/existing-roles.md", "--imports imports.tf");
    let desk = Desk::new(&Service::full());
    let error = desk.fails(shell, &block);
    assert!(error.contains("provider: run terraform init"), "{error}");
    let files = fs::read_dir(desk.workspace.path()).expect("the directory").count();
    assert_eq!(files, 1, "versions.tf: {error}");
}

/// The tests are those of the README above, and in `installed`, `pipeline`, `policies` and `team`.
#[test]
fn shell_blocks_outside_the_guides_are_all_pasted_by_some_test() {
    let blocks = blocks::all().into_iter().filter(Block::is_shell);
    let pages: Vec<_> = blocks.map(|block| block.page).collect();
    for (page, count) in [
        ("README.md", 3),
        ("examples/pipelines/README.md", 2),
        ("examples/policies/README.md", 2),
        ("examples/team/README.md", 2),
    ] {
        assert_eq!(pages.iter().filter(|found| *found == page).count(), count, "{page}");
    }
    assert_eq!(pages.iter().filter(|page| page.ends_with("README.md")).count(), 9, "{pages:?}");
}
