//! The rows: each error with its way out.

use access_fake::Fault;
use serde_json::json;

use super::Step::{
    Apply, Argument, Block, Command, Destroy, Edit, Environment, Of, Option, Service as AtService,
};
use super::{Row, Scene};
use crate::support::Service;
use crate::support::fixtures::{
    ADA, LIST, OWNER, ROLE, Text, VIEWER, data, import, later, owner, owners, role, settings,
};

const OTHER: &str = "access_listing_role.other";

/// Returns a configuration without resources.
fn none() -> Text {
    Text::default()
}

/// Returns a scene of a plan after an apply, with a change at the service between them.
fn after(applied: impl ToString, change: fn(&Service), planned: impl ToString) -> Scene {
    let (service, workspace) = Service::with_applied(applied.to_string());
    change(&service);
    Scene::of_plan(service, workspace, planned.to_string())
}

/// What happens at a service where nothing happens.
fn nothing(_: &Service) {}

/// Returns a scene of an apply at a service with other objects or faults.
fn apply_at(change: fn(&Service), configuration: impl ToString) -> Scene {
    let (service, workspace) = Service::with_workspace();
    change(&service);
    Scene::of_apply(service, workspace, configuration.to_string())
}

/// Returns a scene of the apply of a plan that is older than what happens at the service.
fn saved_before(change: fn(&Service), configuration: impl ToString) -> Scene {
    let (service, workspace) = Service::with_workspace();
    workspace.configure(configuration.to_string());
    workspace.save_plan(&[]);
    change(&service);
    let errors = workspace.apply_saved().errors();
    Scene { service, workspace, configuration: configuration.to_string(), errors }
}

/// Returns a scene of a plan at a service with other objects or faults.
fn plan_at(change: fn(&Service), configuration: impl ToString) -> Scene {
    let (service, workspace) = Service::with_workspace();
    change(&service);
    Scene::of_plan(service, workspace, configuration.to_string())
}

/// Ends the faults, as whoever runs the service does.
fn clear(service: &Service) {
    service.clear_faults();
}

/// Lets every GET fail like this.
fn fail_reads(service: &Service, status: u16, body: &str) {
    service.add_fault(Fault::respond(status, body).on("GET"));
}

/// Returns a workspace in whose state a second resource, `two`, has the same object.
fn with_two_addresses(applied: &str) -> (Service, crate::support::Workspace) {
    let (service, workspace) = Service::with_applied(applied.to_owned());
    workspace.edit_state(|resources| {
        let mut copy = resources[0].clone();
        copy["name"] = "two".into();
        resources.push(copy);
    });
    (service, workspace)
}

/// The first lines of the blocks that steps delete.
const VIEWER_BLOCK: &str = "resource \"access_listing_role\" \"viewer\" {";
const OTHER_BLOCK: &str = "resource \"access_listing_role\" \"other\" {";

/// Deletes the block that begins with `head`, as these words of the text say. It becomes `locals`
/// that nothing uses.
const fn without_block(words: &'static str, head: &'static str) -> super::Step {
    Edit(words, head, "locals {")
}

pub(super) const ROWS: &[Row] = &[
    // Existing objects.
    Row {
        error: "roles/viewer: exists already",
        provoke: || {
            let put = |service: &Service| {
                service.put_theirs();
                service.put_role("github", "other", json!({"displayName": "Theirs"}));
            };
            saved_before(put, role("viewer") + owner("ada") + role("other"))
        },
        steps: &[
            Block("import", &[VIEWER]),
            Of("users/ada"),
            Block("import", &[ADA]),
            Of("roles/other"),
            Argument(OTHER, "adopt_existing"),
            Apply,
        ],
        objects: 3,
    },
    Row {
        error: "roles/viewer: exists already",
        provoke: || {
            // The object was renamed at the service.
            let (service, workspace) = Service::with_applied(role("viewer").text("role", "old"));
            service.remove_role("github", "old");
            service.put_viewer();
            // The refresh of the same apply drops the state, so the next one imports.
            workspace.apply_with(&["-refresh-only"]).succeeds();
            Scene::of_apply(service, workspace, role("viewer"))
        },
        steps: &[Block("import", &[VIEWER]), Apply],
        objects: 1,
    },
    Row {
        error: "exists already, so nothing is replaced by it",
        provoke: || after(role("old").at("viewer"), Service::put_viewer, role("viewer")),
        steps: &[
            Edit("in this block", "role = \"viewer\"", "role = \"old\""),
            Edit(
                "add a block of its own for the new name",
                "resource",
                "resource \"access_listing_role\" \"other\" {\n  listing = \"github\"\n  role = \"viewer\"\n  \
                 display_name = \"Role\"\n  priority = 1\n}\nresource",
            ),
            Block("import", &[OTHER]),
            Apply,
            without_block("then delete the block of", VIEWER_BLOCK),
            Apply,
        ],
        objects: 1,
    },
    Row {
        error: "exists already, so nothing is replaced by it",
        provoke: || after(role("old").at("viewer"), Service::put_viewer, role("viewer")),
        steps: &[Option("-refresh=false", ""), Destroy],
        objects: 0,
    },
    Row {
        error: "`request_timeout`",
        provoke: || {
            let provider = settings().set("request_timeout", "terraform_data.late.output");
            let late = |timeout| provider.clone() + later("late", format!("{timeout:?}"));
            let old = late("30s") + role("old").at("viewer");
            after(old, nothing, late("31s") + role("viewer"))
        },
        steps: &[Option("-target", "=terraform_data.late"), Apply, Apply],
        objects: 2,
    },
    Row {
        error: "may not have a parent",
        provoke: || {
            let fail = |service: &Service| {
                let fault = Fault::respond(500, "{\"message\": \"boom\"}").on("GET");
                service.add_fault(fault.at("*/roles/new"));
            };
            let provider = settings().set("max_retries", 0);
            let old = provider.clone() + role("viewer") + role("old").at("other");
            let nowhere = role("viewer").text("listing", "nowhere");
            after(old, fail, provider + nowhere + role("new").at("other"))
        },
        steps: &[
            Edit("Check `listing`", "nowhere", "production"),
            Of("roles/new"),
            AtService("Run Terraform again", clear),
            Apply,
        ],
        objects: 2,
    },
    Row {
        error: "is not replaced by itself",
        provoke: || {
            let resource = || settings().text("deletion_policy", "abandon") + role("viewer");
            let (service, workspace) = Service::with_applied(resource());
            workspace.taint(&[VIEWER]);
            Scene::of_apply(service, workspace, resource())
        },
        steps: &[Command("terraform untaint", VIEWER)],
        objects: 1,
    },
    Row {
        error: "is imported, and would be destroyed",
        provoke: || {
            let put = |service: &Service| {
                let other = json!({"displayName": "Other", "priority": "2"});
                service.put_viewer();
                service.put_role("github", "swapped", other.clone());
                service.put_role("github", "other", other);
                service.remove_owner("okta", "founder");
            };
            let github = owners(&["users/founder"]).at("github").text("integration", "github");
            let imports = import("access_listing_role.swapped", "github/other")
                + import(VIEWER, "viewer")
                + import("access_integration_owners.github", "github/own")
                + import(LIST, "okta");
            let resources = role("swapped") + role("viewer") + github + owners(&["users/ada"]);
            plan_at(put, resources + imports)
        },
        steps: &[
            Edit("Correct the `id` of the `import` block", "github/other", "github/swapped"),
            Of("the two IDs with a slash between them"),
            Edit("slash between them", "id = \"viewer\"", "id = \"github/viewer\""),
            Of("`integrations/{integration}`"),
            Edit("`integrations/{integration}`", "github/own", "github"),
            Of("integrations/okta"),
            Edit(
                "an apply without the import adds them",
                "import {\n  to = access_integration_owners.all\n  id = \"okta\"\n}\n",
                "",
            ),
            Apply,
        ],
        objects: 4,
    },
    // Two resources for one object.
    Row {
        error: "was made by another resource of this run",
        provoke: || {
            let second =
                role("viewer").at("other").line("depends_on = [access_listing_role.viewer]");
            let fixed = owner("ada").text("integration_owner_id", "mine");
            let put = |service: &Service| service.put_owner("github", "own-7", "users/ada");
            saved_before(put, role("viewer") + second + fixed)
        },
        steps: &[
            without_block("or remove this resource", OTHER_BLOCK),
            Of("users/ada"),
            Argument(ADA, "integration_owner_id"),
            Block("import", &[ADA]),
            Apply,
        ],
        objects: 2,
    },
    Row {
        error: "roles/twin",
        provoke: || {
            let counted = role("role-${count.index}").at("many").set("count", 2);
            let keyed =
                role("role-${each.key}").at("many").set("for_each", "toset([\"0\", \"1\"])");
            let single = owner("ada").text("integration", "okta");
            let applied = role("old") + role("viewer") + counted + single.clone();
            let planned = role("twin").at("old")
                + role("twin").at("new")
                + role("viewer").at("other")
                + keyed
                + single
                + owners(&["users/ada", "users/founder"]);
            after(applied, nothing, planned)
        },
        steps: &[
            Edit("Change `role` in one of them", "\"twin\"", "\"third\""),
            Of("roles/viewer"),
            Block("moved", &[VIEWER, OTHER]),
            Of("roles/role-0"),
            Block("moved", &["access_listing_role.many[0]", "access_listing_role.many[\"0\"]"]),
            Of("roles/role-1"),
            Block("moved", &["access_listing_role.many[1]", "access_listing_role.many[\"1\"]"]),
            Of("integrations/okta"),
            without_block(
                "Replace each block of the other type with",
                "resource \"access_integration_owner\" \"ada\" {",
            ),
            Block("removed", &[ADA]),
            Apply,
        ],
        objects: 6,
    },
    Row {
        error: "roles/kept",
        provoke: || after(role("kept"), nothing, role("kept") + role("kept").at("copy")),
        steps: &[
            Edit(
                "If the other block is a copy, change its `role`",
                "\"copy\" {\n  listing = \"github\"\n  role = \"kept\"",
                "\"copy\" {\n  listing = \"github\"\n  role = \"copy\"",
            ),
            Apply,
        ],
        objects: 2,
    },
    Row {
        error: "is kept by one resource",
        provoke: || {
            let (service, workspace) = with_two_addresses(&role("viewer").to_string());
            Scene::of_plan(service, workspace, role("viewer"))
        },
        steps: &[Command("terraform state rm", "access_listing_role.two"), Apply],
        objects: 1,
    },
    // Destroys.
    Row {
        error: "roles/other",
        provoke: || {
            let (service, workspace) = Service::with_applied(role("viewer") + role("other"));
            workspace.configure(none());
            workspace.save_plan(&[]);
            for id in ["viewer", "other"] {
                service.remove_role("github", id);
                service.put_role("github", id, json!({"displayName": "Theirs"}));
            }
            let errors = workspace.apply_saved().errors();
            Scene { service, workspace, configuration: String::new(), errors }
        },
        steps: &[
            Command("terraform state rm", OTHER),
            Of("roles/viewer"),
            Command("terraform apply -refresh-only", "-auto-approve"),
            Apply,
        ],
        objects: 0,
    },
    Row {
        error: "is not replaced by itself",
        provoke: || {
            let list = owners(&["users/ada", "users/founder"]);
            let (service, workspace) = Service::with_applied(list.clone());
            workspace.taint(&[LIST]);
            Scene::of_apply(service, workspace, list)
        },
        steps: &[Command("terraform untaint", LIST)],
        objects: 1,
    },
    Row {
        error: "/owners/",
        provoke: || {
            let (service, workspace) =
                Service::with_applied(owner("ada") + role("viewer") + role("other"));
            for (path, status) in [("*/owners/*", 405), ("*/roles/viewer", 501), ("*/other", 404)] {
                service.add_fault(Fault::respond(status, "{}").on("DELETE").at(path));
            }
            Scene::of_apply(service, workspace, none())
        },
        steps: &[
            Command("terraform state rm", ADA),
            Of("roles/other"),
            Command("terraform state rm", OTHER),
            Of("roles/viewer"),
            Block("removed", &[VIEWER]),
            Apply,
        ],
        objects: 0,
    },
    // Reads.
    Row {
        error: "was last seen at another base address",
        provoke: || {
            let (_here, mut workspace) = Service::with_applied(role("viewer"));
            let there = Service::full();
            workspace.set("ACCESS_BASE_URL", &there.base_url());
            Scene::of_plan(there, workspace, role("viewer"))
        },
        steps: &[Command("terraform state rm", VIEWER), Apply],
        objects: 1,
    },
    Row {
        error: "was last seen at another base address",
        provoke: || {
            let impatient = || settings().text("max_retry_wait", "1s") + role("viewer");
            let (service, mut workspace) = Service::with_applied(impatient());
            workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
            Scene::of_plan(service, workspace, impatient())
        },
        steps: &[Environment("Check `base_url`", "ACCESS_BASE_URL", Service::base_url)],
        objects: 1,
    },
    Row {
        error: "roles/viewer: could not be read: 403",
        provoke: || {
            after(role("viewer"), |it| fail_reads(it, 403, "{\"message\": \"no\"}"), role("viewer"))
        },
        steps: &[AtService("Use a key that may", clear), Apply],
        objects: 1,
    },
    Row {
        error: "roles/viewer: could not be read: 403",
        provoke: || after(role("viewer"), |it| fail_reads(it, 403, "{}"), none()),
        steps: &[Command("terraform state rm", VIEWER), Apply],
        objects: 0,
    },
    Row {
        error: "roles/gone",
        provoke: || {
            let (service, workspace) = Service::with_workspace();
            service.change_world(|world| world.returns_deleted_roles = true);
            for id in ["fine", "gone", "secret", "html"] {
                service.put_role("github", id, json!({"displayName": "Role", "priority": "1"}));
            }
            service.soft_delete_role("github", "gone");
            service.put_owner("github", "own-7", "users/ada");
            service.put_owner("github", "own-8", "users/ada");
            for (path, status, body) in [
                ("*/roles/secret", 403, "{\"message\": \"not for this key\"}"),
                ("*/roles/html", 200, "<html>Welcome</html>"),
            ] {
                service.add_fault(Fault::respond(status, body).on("GET").at(path));
            }
            let read = |id: &str, role| data(ROLE, id).text("listing", "github").text("role", role);
            let owner = |integration, user: &str| {
                data(OWNER, user)
                    .text("integration", integration)
                    .text("owner", &format!("users/{user}"))
            };
            let roles = read("a", "gone") + read("b", "nobody") + read("c", "secret");
            let all = roles + read("d", "html") + owner("okta", "nobody") + owner("github", "ada");
            Scene::of_plan(service, workspace, all)
        },
        steps: &[
            Edit("Choose another ID", "role = \"gone\"", "role = \"fine\""),
            Of("roles/nobody"),
            Edit("Check `role`", "role = \"nobody\"", "role = \"fine\""),
            Of("roles/secret"),
            AtService("Use a key that may", clear),
            Of("roles/html"),
            AtService("Check that `base_url` leads to the service itself", clear),
            Of("users/nobody"),
            Edit("founder users/founder", "users/nobody", "users/founder"),
            Of("users/ada"),
            Edit(
                "set `integration_owner_id`",
                "owner = \"users/ada\"",
                "integration_owner_id = \"own-8\"",
            ),
            Apply,
        ],
        objects: 6,
    },
    Row {
        error: "could not be imported",
        provoke: || {
            let service = Service::documented_only(405);
            let workspace = service.workspace();
            let import = import(VIEWER, "github/viewer");
            Scene::of_plan(service, workspace, role("viewer") + import)
        },
        steps: &[
            Argument(VIEWER, "adopt_existing"),
            Edit(
                "Without reads, an object cannot be imported",
                "import {\n  to = access_listing_role.viewer\n  id = \"github/viewer\"\n}\n",
                "",
            ),
            Apply,
        ],
        objects: 1,
    },
    // What the status determines.
    Row {
        error: "401",
        provoke: || {
            let (service, mut workspace) = Service::with_workspace();
            workspace.set("ACCESS_API_KEY", "wrong-key");
            Scene::of_apply(service, workspace, role("viewer"))
        },
        steps: &[
            Environment("Check `api_key`", "ACCESS_API_KEY", |_| "admin-key".to_owned()),
            Apply,
        ],
        objects: 1,
    },
    Row {
        error: "roles/forbidden",
        provoke: || {
            let put = |service: &Service| {
                for (path, status, body) in [
                    ("*/roles/forbidden", 403, "{\"message\": \"read only\"}"),
                    ("*/roles/limited", 403, "{\"message\": \"admins only\"}"),
                    ("*/roles/redirected", 302, ""),
                    ("*/roles/broken", 500, "{\"message\": \"boom\"}"),
                    ("*/roles/plain", 422, "{\"message\": \"display_name: too plain\"}"),
                    ("*/roles/missing", 404, "{\"message\": \"no repo/gone\"}"),
                ] {
                    service.add_fault(Fault::respond(status, body).on("PATCH").at(path));
                }
            };
            let limited = role("limited").set("resources", "[\"repo/a\"]");
            let missing = role("missing").set("resources", "[\"repo/gone\"]");
            let plain = role("forbidden") + role("redirected") + role("broken") + role("plain");
            apply_at(put, settings().set("max_retries", 0) + plain + limited + missing)
        },
        steps: &[
            AtService("Use a key with the permission", clear),
            Of("roles/limited"),
            Edit("omit `resources` from the configuration", "  resources = [\"repo/a\"]\n", ""),
            AtService("Use an admin's key", clear),
            Of("roles/redirected"),
            AtService("If the service has moved", clear),
            Of("roles/broken"),
            AtService("Run Terraform again", clear),
            Of("roles/plain"),
            AtService("Correct what its message names", clear),
            Of("roles/missing"),
            Edit("such as one of `resources`", "  resources = [\"repo/gone\"]\n", ""),
            AtService("such as one of `resources`", clear),
            Apply,
        ],
        objects: 6,
    },
    Row {
        error: "roles/viewer",
        provoke: || {
            let (service, mut workspace) = Service::with_applied(role("viewer"));
            workspace.set("ACCESS_DRIFT_DETECTION", "off");
            service.add_fault(Fault::respond(404, "no such page").on("PATCH"));
            let edited = role("viewer").text("display_name", "Edited");
            Scene::of_apply(service, workspace, edited)
        },
        steps: &[AtService("Plan again with `drift_detection", clear), Apply],
        objects: 1,
    },
    Row {
        error: "429",
        provoke: || {
            let put = |service: &Service| {
                service
                    .add_fault(Fault::respond(429, "{}").on("PATCH").header("Retry-After", "3600"));
            };
            apply_at(put, role("viewer"))
        },
        steps: &[AtService("Run Terraform again later", clear), Apply],
        objects: 1,
    },
    Row {
        error: "roles/viewer",
        provoke: || {
            let (service, mut workspace) = Service::with_workspace();
            workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
            Scene::of_apply(service, workspace, settings().set("max_retries", 0) + role("viewer"))
        },
        steps: &[
            Environment(
                "Check host, port and scheme of `base_url`",
                "ACCESS_BASE_URL",
                Service::base_url,
            ),
            Apply,
        ],
        objects: 1,
    },
    // Writes.
    Row {
        error: "listings/nowhere",
        provoke: || {
            let list = owners(&["users/founder"]).text("integration", "nowhere");
            apply_at(nothing, role("viewer").text("listing", "nowhere") + list)
        },
        steps: &[
            Edit("Check `listing`", "listing = \"nowhere\"", "listing = \"github\""),
            Of("integrations/nowhere"),
            Edit("Check `integration`", "integration = \"nowhere\"", "integration = \"okta\""),
            Apply,
        ],
        objects: 2,
    },
    Row {
        error: "roles/viewer",
        provoke: || {
            let service = Service::documented_only(405);
            let workspace = service.applied(role("viewer"));
            service.remove_role("github", "viewer");
            let edited = role("viewer").text("display_name", "Edited");
            let nowhere = owner("ada").text("integration", "nowhere");
            Scene::of_apply(service, workspace, edited + nowhere)
        },
        steps: &[
            Command("terraform state rm", VIEWER),
            Of("nowhere"),
            Edit("Check `integration`", "nowhere", "github"),
            Apply,
        ],
        objects: 2,
    },
    // Owners.
    Row {
        error: "Invalid user, group or team",
        provoke: || apply_at(nothing, owner("ada").text("owner", "ada") + owners(&[])),
        steps: &[
            Edit("Write `users/ID`", "owner = \"ada\"", "owner = \"users/ada\""),
            Of("Invalid owners"),
            Edit("List at least one owner", "owners = []", "owners = [\"users/founder\"]"),
            Apply,
        ],
        objects: 2,
    },
];
