//! Every shell block, pasted into an interactive bash and zsh: line by line on standard input,
//! which the commands of the block inherit, as without bracketed paste.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::VIEWER;
use super::blocks::{self, Block};
use super::paste::{Desk, shells, tool};
use crate::support::{Service, in_repository, provider};

pub(in super::super) fn link_examples(desk: &Desk) {
    let link = desk.workspace.path().join("examples");
    symlink(in_repository("examples"), link).expect("the examples");
}

/// Returns what the guides assume: a role and an entry of a `for_each`, applied, the provider where
/// `init` leaves it, and the tools of secret stores.
///
/// `applied` is the state of the apply, which the blocks of the other pages share.
fn desk_of_guides(service: &Service, block: &Block, applied: &mut Option<String>) -> Desk {
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
        match applied {
            Some(state) => workspace.write("terraform.tfstate", state),
            None => {
                workspace.apply().succeeds();
                *applied = Some(workspace.read("terraform.tfstate"));
            }
        }
    }
    // After a downgrade: the lock file names the older one.
    let registry = "registry.terraform.io/access/access";
    let lock = format!("provider \"{registry}\" {{\n  version     = \"0.1.0\"\n}}\n");
    workspace.write(".terraform.lock.hcl", &lock);
    let installed = |version: &str| {
        let place = format!(".terraform/providers/{registry}/{version}/linux_amd64");
        let place = workspace.path().join(place);
        std::fs::create_dir_all(&place).expect("a directory");
        place
    };
    let binary = installed("0.1.0").join("terraform-provider-access_v0.1.0");
    symlink(provider(), binary).expect("the provider");
    for version in ["0.2.0", "0.3.0", "0.4.0", "0.5.0"] {
        tool(&installed(version), &format!("terraform-provider-access_v{version}"), "exit 1");
    }
    desk.tool("pass", "[ \"$*\" = 'show access/terraform' ] && echo admin-key");
    desk.tool("cargo", "[ \"$*\" = 'run --locked -p access-fake -- --address 127.0.0.1:8484' ]");
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
    let (shared, mut applied) = (Service::full(), None);
    for (block, shell) in shell_blocks.iter().zip(shells().into_iter().cycle()) {
        let adopts = block.page.ends_with("existing-roles.md");
        let service = if adopts { &Service::full() } else { &shared };
        let mut desk = desk_of_guides(service, block, &mut applied);
        let text = block
            .text
            .replace("https://eu.access.example.com", &service.base_url())
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
            assert!(file.starts_with("viewer:\n"), "{file}");
        }
        // The others share what was applied.
        assert!(adopts || service.writes().is_empty(), "{}", block.place());
        if adopts {
            assert!(pasted.stdout.contains("2 to import, 0 to add"), "{}", pasted.stdout);
        }
    }
}
