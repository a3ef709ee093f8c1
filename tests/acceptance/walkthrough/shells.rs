//! Every shell block, pasted into an interactive bash and zsh: line by line on standard input,
//! which the commands of the block inherit, as without bracketed paste.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::VIEWER;
use super::blocks::{self, Block};
use super::paste::{Desk, shells};
use crate::support::tools::has_tools;
use crate::support::{Service, has_parts, in_repository, provider};

/// The build gives the provider under test, and a program for the service that waits. The block
/// then uses the service of the test, which has a port of its own.
#[test]
fn readme_is_tried_as_pasted() {
    if !has_tools(&["curl"]) {
        return;
    }
    let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
    let build = format!(
        "[ \"$*\" = 'build --locked -p terraform-provider-access -p access-fake' ] || exit 1
mkdir -p target/debug
ln -s {provider} target/debug/terraform-provider-access
printf '#!/bin/sh\\n[ \"$*\" = \"--address 127.0.0.1:8484\" ] && exec sleep 60\\n' > target/debug/access-fake
chmod +x target/debug/access-fake"
    );
    for shell in shells() {
        let service = Service::full();
        let desk = Desk::new(&service);
        link_examples(&desk);
        desk.tool("cargo", &build);
        let address = format!("ACCESS_BASE_URL={}", service.base_url());
        let text = blocks::with("README.md", "access-fake");
        let text = text.replace("ACCESS_BASE_URL=http://127.0.0.1:8484", &address);
        let pasted = desk.paste(shell, "README.md", &text);
        let parts = ["2 added, 0 changed", "Changed by hand", "2 destroyed"];
        has_parts(&pasted.output(), &parts);
        assert_eq!(service.roles("github").len(), 0);
    }
}

pub(in super::super) fn link_examples(desk: &Desk) {
    let link = desk.workspace.path().join("examples");
    symlink(in_repository("examples"), link).expect("the examples");
}

/// Returns what the guides assume: a role and an entry of a `for_each`, applied, the provider where
/// `init` leaves it, and the tools of secret stores.
fn desk_of_guides(service: &Service, block: &Block) -> Desk {
    let page = &block.page;
    let desk = Desk::new(service);
    let workspace = &desk.workspace;
    if page.ends_with("existing-roles.md") {
        for role in ["viewer", "on.call"] {
            service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
        }
        if block.text.contains("--for access_listing_role.github") {
            workspace.configure(blocks::with(page, "\"on.call\" = \"On call\""));
        }
    } else {
        workspace.configure(VIEWER);
        workspace.write(
            "github.tf",
            "resource \"access_listing_role\" \"github\" {\n  for_each     = toset([\"viewer\"])\n  listing      = \"production\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}\n",
        );
        workspace.apply().succeeds();
    }
    let installed = workspace.path().join(".terraform/providers/registry/0.1.0/linux");
    std::fs::create_dir_all(&installed).expect("a directory");
    let installed = installed.join("terraform-provider-access_v0.1.0");
    symlink(provider(), installed).expect("the provider");
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
        let mut desk = desk_of_guides(&service, block);
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
        if text.contains("--format yaml") {
            let file = desk.workspace.read("listings/production.yaml");
            assert!(file.contains("\nviewer:\n"), "{file}");
        }
        if block.page.ends_with("existing-roles.md") {
            assert!(pasted.stdout.contains("2 to import, 0 to add"), "{}", pasted.stdout);
        }
    }
}
