//! The guide *Rename a role or an owner without losing it*: what each edit does to the object.

use serde_json::json;

use super::VIEWER;
use super::blocks;
use crate::support::fixtures::{Block, Text, owner, role, settings};
use crate::support::{Service, Workspace};

const PAGE: &str = "templates/guides/renaming.md";

/// Returns a service, and a workspace with this configuration applied.
fn applied(configuration: &str) -> (Service, Workspace) {
    let service = Service::full();
    let workspace = service.applied(configuration);
    service.clear_requests();
    (service, workspace)
}

#[test]
fn table_of_edits_says_what_happens_to_the_object() {
    let other = Service::full();
    let viewer = || role("viewer");
    let alias = |block: Block, url: &str| {
        let provider = settings().text("alias", "other").text("base_url", url);
        provider + block.set("provider", "access.other")
    };
    let moved = blocks::with(PAGE, "to   = access_listing_role.reader");
    let text = |block: Block| Text::default() + block;
    // The requests that an apply sends; none if the plan fails.
    for (row, before, after, writes) in [
        ("`display_name`", viewer(), text(viewer().text("display_name", "Reader")), Ok("PATCH")),
        ("with a `moved` block", viewer(), viewer().at("reader") + &moved, Ok("")),
        ("without a `moved` block", viewer(), text(viewer().at("reader")), Err("moved {")),
        ("alias", viewer(), alias(viewer(), ""), Ok("")),
        ("of another region", viewer(), alias(viewer(), &other.base_url()), Err("last seen at")),
        (
            "`listing` or `role`",
            viewer(),
            text(viewer().text("role", "reader")),
            Ok("DELETE PATCH"),
        ),
        (
            "`integration` or `owner`",
            owner("ada"),
            text(owner("ada").text("owner", "teams/a")),
            Ok("DELETE POST"),
        ),
    ] {
        let guide = std::fs::read_to_string(PAGE).expect("the guide");
        assert!(guide.lines().any(|line| line.starts_with('|') && line.contains(row)), "{row}");
        let (service, workspace) = applied(&before.to_string());
        let after = after.to_string().replace("base_url = \"\"\n", "");
        workspace.configure(&after);
        let apply = workspace.apply();
        let sent: Vec<_> = service.writes().iter().map(|write| write.method.clone()).collect();
        match writes {
            Ok(writes) => {
                apply.succeeds();
                assert_eq!(sent.join(" "), writes, "{row}");
                workspace.plans_nothing();
            }
            Err(part) => {
                apply.fails_with(part);
                assert_eq!((sent.len(), workspace.state_size()), (0, 1), "{row}");
            }
        }
    }
}

#[test]
fn second_block_gives_a_new_name_without_a_gap() {
    let (service, workspace) = applied(VIEWER);
    let reader = VIEWER.replace("\"viewer\"", "\"reader\"");
    workspace.configure(&format!("{VIEWER}{reader}"));
    workspace.apply().succeeds();
    assert_eq!(service.roles("github").len(), 2);
    workspace.configure(&reader);
    workspace.apply().succeeds();
    assert_eq!((service.roles("github").len(), service.requests_of("DELETE")), (1, 1));
    workspace.plans_nothing();
}

#[test]
fn count_becomes_for_each_without_a_request() {
    let keyed = blocks::with(PAGE, "for_each");
    let resource = keyed.find("resource ").expect("the resource");
    let counted = keyed[resource..]
        .replace("for_each = { viewer = 0, admin = 10 }", "count = 2")
        .replace("each.key", "[\"viewer\", \"admin\"][count.index]")
        .replace("each.value", "10 * count.index");
    let (service, workspace) = applied(&counted);
    workspace.configure(&keyed);
    workspace.apply().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    workspace.plans_nothing();

    // Shifted indices are no way to remove an entry.
    let (service, workspace) = applied(&counted);
    let shifted = counted.replace("count = 2", "count = 1").replace("\"viewer\", ", "");
    workspace.configure(&shifted);
    workspace.apply().exits(1);
    assert_eq!(service.writes().len(), 0, "{}", json!(service.roles("github")));
}
