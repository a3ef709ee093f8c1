//! The rows: each error with its way out.

use access_fake::Fault;
use serde_json::json;

use super::Step::{
    Apply, Argument, Block, Command, Destroy, Edit, Environment, Of, Option, Service as AtService,
};
use super::{Row, Scene};
use crate::support::fixtures::{
    ADA, LIST, OWNER, ROLE, Text, VIEWER, data, import, later, owner, owners, role, settings,
};
use crate::support::{Service, Workspace};

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
fn saved_before(
    service: Service,
    workspace: Workspace,
    change: fn(&Service),
    configuration: impl ToString,
) -> Scene {
    let configuration = configuration.to_string();
    workspace.configure(&configuration);
    workspace.save_plan(&[]);
    change(&service);
    let errors = workspace.apply_saved().errors();
    Scene { service, workspace, configuration, errors }
}

/// Ends the faults, as whoever runs the service does.
fn clear(service: &Service) {
    service.clear_faults();
}

/// Adds a role that nothing manages.
fn put_theirs(service: &Service, role: &str) {
    service.put_role("github", role, json!({"displayName": "Theirs", "priority": "7"}));
}

/// The first lines of the blocks that steps delete.
const RENAMED_BLOCK: &str = "resource \"access_listing_role\" \"renamed\" {";
const AGAIN_BLOCK: &str = "resource \"access_listing_role\" \"again\" {";
const ADA_BLOCK: &str = "resource \"access_integration_owner\" \"ada\" {";

/// Deletes the block that begins with `head`, as these words of the text say. It becomes `locals`
/// that nothing uses.
const fn without_block(words: &'static str, head: &'static str) -> super::Step {
    Edit(words, head, "locals {")
}

/// Destroys, creates, new names, and replacements.
pub(super) const CHANGES: &[Row] = &[
    // Destroys: first, because it takes longest.
    Row {
        error: "roles/other",
        provoke: || {
            let all = role("viewer") + role("other") + owner("ada") + role("kept") + role("lost");
            let (service, workspace) = Service::with_applied(all);
            let change = |service: &Service| {
                for id in ["viewer", "other"] {
                    service.remove_role("github", id);
                    put_theirs(service, id);
                }
                for (path, status) in [("*/owners/*", 405), ("*/roles/kept", 501), ("*/lost", 404)]
                {
                    service.add_fault(Fault::respond(status, "{}").on("DELETE").at(path));
                }
            };
            saved_before(service, workspace, change, none())
        },
        steps: &[
            Command("terraform state rm", OTHER),
            Of("roles/viewer"),
            Command("terraform apply -refresh-only", "-auto-approve"),
            Of("/owners/"),
            Command("terraform state rm", ADA),
            Of("roles/lost"),
            Command("terraform state rm", "access_listing_role.lost"),
            Of("roles/kept"),
            Block("removed", &["access_listing_role.kept"]),
            Apply,
        ],
        objects: 0,
    },
    // An apply that meets what was not there when it was planned, and two resources for one object.
    Row {
        error: "roles/viewer: exists already",
        provoke: || {
            let put = |service: &Service| {
                service.put_theirs();
                service.put_owner("github", "own-8", "users/ben");
            };
            let again = role("once").at("again").line("depends_on = [access_listing_role.once]");
            let fixed = owner("ben").text("integration_owner_id", "mine");
            let twice = role("once") + again + fixed;
            let (service, workspace) = Service::with_workspace();
            let all = role("viewer") + owner("ada") + twice;
            saved_before(service, workspace, put, all)
        },
        steps: &[
            Block("import", &[VIEWER]),
            Of("users/ada"),
            Block("import", &[ADA]),
            Of("was made by another resource of this run"),
            without_block("or remove this resource", AGAIN_BLOCK),
            Of("users/ben"),
            Argument("access_integration_owner.ben", "integration_owner_id"),
            Block("import", &["access_integration_owner.ben"]),
            Apply,
        ],
        objects: 4,
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
    // New names, and addresses that have one object.
    Row {
        error: "exists already, so nothing is replaced by it",
        provoke: || {
            let provider = || settings().set("max_retries", 0);
            let counted = role("role-${count.index}").at("many").set("count", 1);
            let keyed = role("role-${each.key}").at("many").set("for_each", "toset([\"0\"])");
            let single = owner("ada").text("integration", "okta");
            let (service, workspace) = Service::with_applied(
                provider()
                    + role("previous").at("renamed")
                    + role("strays")
                    + role("failing-before").at("failing")
                    + role("old")
                    + role("viewer")
                    + counted
                    + single.clone()
                    + role("kept")
                    + role("both"),
            );
            put_theirs(&service, "present");
            let fault = Fault::respond(500, "{\"message\": \"boom\"}").on("GET");
            service.add_fault(fault.at("*/roles/failing"));
            workspace.edit_state(|resources| {
                let both = resources
                    .iter_mut()
                    .find(|it| it["instances"][0]["attributes"]["role"] == "both");
                let mut copy = both.expect("the role").clone();
                copy["name"] = "two".into();
                resources.push(copy);
            });
            let copy = role("kept").at("copy").line("depends_on = [access_listing_role.kept]");
            let planned = provider()
                + role("present").at("renamed")
                + role("strays").text("listing", "nowhere")
                + role("failing")
                + role("twin").at("old")
                + role("twin").at("new")
                + role("viewer").at("other")
                + keyed
                + single
                + owners(&["users/ada", "users/founder"])
                + role("kept")
                + copy
                + role("both");
            Scene::of_plan(service, workspace, planned)
        },
        steps: &[
            Edit("in this block", "role = \"present\"", "role = \"previous\""),
            Edit(
                "add a block of its own for the new name",
                "resource",
                "resource \"access_listing_role\" \"fresh\" {\n  listing = \"github\"\n  role = \"present\"\n  \
                 display_name = \"Role\"\n  priority = 1\n}\nresource",
            ),
            Block("import", &["access_listing_role.fresh"]),
            Of("may not have a parent"),
            Edit("Check `listing`", "nowhere", "production"),
            Of("roles/failing"),
            AtService("Run Terraform again", clear),
            Of("roles/twin: is created by two resources"),
            Edit("Change `role` in one of them", "\"twin\"", "\"third\""),
            Of("roles/viewer: is created by one resource, and another has it"),
            Block("moved", &[VIEWER, OTHER]),
            Of("roles/role-0: is created by one resource, and another has it"),
            Block("moved", &["access_listing_role.many[0]", "access_listing_role.many[\"0\"]"]),
            Of("integrations/okta"),
            without_block("Replace each block of the other type with", ADA_BLOCK),
            Block("removed", &[ADA]),
            Of("roles/kept: is created by one resource, and another has it"),
            Edit(
                "If this block is a copy, change its `role`",
                "\"copy\" {\n  listing = \"github\"\n  role = \"kept\"",
                "\"copy\" {\n  listing = \"github\"\n  role = \"copy\"",
            ),
            Of("is kept by one resource"),
            Command("terraform state rm", "access_listing_role.two"),
            Apply,
            Of("exists already, so nothing is replaced by it"),
            without_block("then delete the block of", RENAMED_BLOCK),
            Apply,
        ],
        objects: 11,
    },
    Row {
        error: "roles/viewer: is not replaced by itself",
        provoke: || {
            let list = owners(&["users/ada", "users/founder"]);
            let all = settings().text("deletion_policy", "abandon") + role("viewer") + list;
            let (service, workspace) = Service::with_applied(all.clone());
            workspace.taint(&[VIEWER, LIST]);
            Scene::of_apply(service, workspace, all)
        },
        steps: &[
            Command("terraform untaint", VIEWER),
            Of("integrations/okta"),
            Command("terraform untaint", LIST),
        ],
        objects: 2,
    },
];

/// What the service returns, and what a configuration contains.
pub(super) const RESPONSES: &[Row] = &[
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
    // One after the other, the service refuses reads, and an update, and is not there.
    Row {
        error: "could not be read: 403",
        provoke: || {
            let all = |viewer| settings().text("max_retry_wait", "1s") + viewer;
            let gone = || role("gone");
            let (service, mut workspace) = Service::with_applied(all(role("viewer")) + gone());
            service.add_fault(Fault::respond(403, "{\"message\": \"no\"}").on("GET"));
            let mut errors = workspace.plan_of(all(role("viewer"))).errors();
            service.clear_faults();
            let edited = all(role("viewer").text("display_name", "Edited"));
            workspace.set("ACCESS_DRIFT_DETECTION", "off");
            service.add_fault(Fault::respond(404, "no such page").on("PATCH"));
            errors.extend(workspace.apply_of(edited.clone() + gone()).errors());
            workspace.set("ACCESS_DRIFT_DETECTION", "");
            workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
            errors.extend(workspace.plan_of(&edited).errors());
            Scene { service, workspace, configuration: edited.to_string(), errors }
        },
        steps: &[
            AtService("Use a key that may", clear),
            Command("terraform state rm", "access_listing_role.gone"),
            Of("no such page"),
            AtService("Plan again with `drift_detection", clear),
            Of("was last seen at another base address"),
            Environment("Check `base_url`", "ACCESS_BASE_URL", Service::base_url),
            Apply,
        ],
        objects: 1,
    },
    // Values of arguments, data sources and imports.
    Row {
        error: "roles/gone",
        provoke: || {
            let (service, workspace) = Service::with_workspace();
            let invalid = owner("cleo").text("owner", "cleo") + owners(&[]).at("none");
            let mut errors = workspace.plan_of(&invalid).errors();
            service.change_world(|world| world.returns_deleted_roles = true);
            for id in ["fine", "gone", "secret", "html", "swapped", "exchanged", "bare", "present"]
            {
                put_theirs(&service, id);
            }
            service.soft_delete_role("github", "gone");
            service.put_owner("github", "own-7", "users/ada");
            service.put_owner("github", "own-8", "users/ada");
            service.put_integration("full");
            service.put_integration("empty");
            service.remove_principal("empty", "users/founder");
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
            let read = roles + read("d", "html") + owner("okta", "nobody") + owner("github", "ada");
            let full = owners(&["users/founder"]).at("full").text("integration", "full");
            let empty = owners(&["users/ada"]).text("integration", "empty");
            let imports = import("access_listing_role.swapped", "github/exchanged")
                + import("access_listing_role.bare", "bare")
                + import("access_integration_owners.full", "full/own")
                + import(LIST, "empty");
            let imported = role("swapped") + role("bare") + full + empty + imports;
            let rest = read + imported + role("present");
            errors.extend(workspace.plan_of(&rest).errors());
            Scene { service, workspace, configuration: (invalid + rest).to_string(), errors }
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
            Of("is imported, and would be destroyed"),
            Edit("Correct the `id` of the `import` block", "github/exchanged", "github/swapped"),
            Of("the two IDs with a slash between them"),
            Edit("slash between them", "id = \"bare\"", "id = \"github/bare\""),
            Of("`integrations/{integration}`"),
            Edit("`integrations/{integration}`", "full/own", "full"),
            Of("integrations/empty"),
            Edit(
                "an apply without the import adds them",
                "import {\n  to = access_integration_owners.all\n  id = \"empty\"\n}\n",
                "",
            ),
            Of("roles/present: exists already"),
            Argument("access_listing_role.present", "adopt_existing"),
            Of("Invalid user, group or team"),
            Edit("Write `users/ID`", "owner = \"cleo\"", "owner = \"users/cleo\""),
            Of("Invalid owners"),
            Edit("List at least one owner", "owners = []", "owners = [\"users/founder\"]"),
            Apply,
        ],
        objects: 13,
    },
    // What the status determines.
    Row {
        error: "401 Unauthorized",
        provoke: || {
            let (service, mut workspace) = Service::with_workspace();
            workspace.configure(settings().set("max_retries", 0) + role("viewer"));
            let throttled = Fault::respond(429, "{}").on("PATCH").header("Retry-After", "3600");
            service.add_fault(throttled);
            let mut errors = workspace.apply().errors();
            workspace.set("ACCESS_API_KEY", "wrong-key");
            errors.extend(workspace.apply().errors());
            workspace.set("ACCESS_BASE_URL", "http://127.0.0.1:1");
            errors.extend(workspace.apply().errors());
            let configuration = workspace.read("main.tf");
            Scene { service, workspace, configuration, errors }
        },
        steps: &[
            Environment("Check `api_key`", "ACCESS_API_KEY", |_| "admin-key".to_owned()),
            Of("could not connect"),
            Environment(
                "Check host, port and scheme of `base_url`",
                "ACCESS_BASE_URL",
                Service::base_url,
            ),
            Of("429 Too Many Requests"),
            AtService("Run Terraform again later", clear),
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
            let list = owners(&["users/founder"]).text("integration", "nowhere-else");
            let nowhere = role("viewer").text("listing", "nowhere") + list;
            let all = plain + limited + missing + nowhere;
            apply_at(put, settings().set("max_retries", 0) + all)
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
            Of("listings/nowhere"),
            Edit("Check `listing`", "listing = \"nowhere\"", "listing = \"github\""),
            Of("integrations/nowhere-else"),
            Edit("Check `integration`", "integration = \"nowhere-else\"", "integration = \"okta\""),
            Apply,
        ],
        objects: 8,
    },
    // A service without reads.
    Row {
        error: "roles/admin: could not be imported",
        provoke: || {
            let service = Service::documented_only(405);
            let workspace = service.applied(role("viewer"));
            service.remove_role("github", "viewer");
            let admin = role("admin") + import("access_listing_role.admin", "github/admin");
            let mut errors = workspace.plan_of(role("viewer") + &admin).errors();
            let edited = role("viewer").text("display_name", "Edited");
            let written = edited + owner("ada").text("integration", "nowhere");
            errors.extend(workspace.apply_of(&written).errors());
            Scene { service, workspace, configuration: (written + admin).to_string(), errors }
        },
        steps: &[
            Argument("access_listing_role.admin", "adopt_existing"),
            Edit(
                "Without reads, an object cannot be imported",
                "import {\n  to = access_listing_role.admin\n  id = \"github/admin\"\n}\n",
                "",
            ),
            Of("roles/viewer"),
            Command("terraform state rm", VIEWER),
            Of("nowhere"),
            Edit("Check `integration`", "nowhere", "github"),
            Apply,
        ],
        objects: 3,
    },
];
