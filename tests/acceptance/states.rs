//! States of every released version, in `tests/fixtures/states`: later versions read them and plan
//! nothing.
//!
//! `RECORD_STATE=1 cargo test --test main acceptance::states`, with Terraform 1.12 or later, adds
//! those of the version in Cargo.toml: configuration, state with identities, and what the service
//! stored.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Service, Workspace, host_version, in_repository};

/// Every resource, with all arguments and with the required ones.
const CONFIGURATION: &str = include_str!("../fixtures/states/0.1.0/main.tf");

const STATES: &str = "tests/fixtures/states";
const LISTING: &str = "github";
const INTEGRATIONS: [&str; 2] = ["github", "okta"];

fn record() {
    let (service, workspace) = Service::with_applied(CONFIGURATION);
    let owners = INTEGRATIONS.map(|name| (name.to_owned(), service.owners(name).into()));
    let owners: serde_json::Map<String, Value> = owners.into_iter().collect();
    let stored = json!({"roles": service.roles(LISTING), "owners": owners});
    let directory = in_repository(STATES).join(env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&directory).expect("a directory");
    let write = |name: &str, text: String| fs::write(directory.join(name), text).expect("a file");
    write("main.tf", CONFIGURATION.to_owned());
    write("terraform.tfstate", format!("{:#}\n", workspace.state()));
    write("service.json", format!("{stored:#}\n"));
}

/// Returns a service with the objects that were recorded, and a workspace with their state.
fn recorded(directory: &Path) -> (Service, Workspace) {
    let read = |name: &str| fs::read_to_string(directory.join(name)).expect("a file");
    let stored: Value = serde_json::from_str(&read("service.json")).expect("JSON");
    let service = Service::full();
    let id = |object: &Value| {
        object["name"].as_str().expect("a name").rsplit('/').next().map(str::to_owned)
    };
    // The names are in the paths.
    let fields = |object: &Value| {
        let mut fields = object.clone();
        fields.as_object_mut().expect("an object").remove("name");
        fields
    };
    for role in stored["roles"].as_array().expect("roles") {
        service.put_role(LISTING, &id(role).expect("an ID"), fields(role));
    }
    for integration in INTEGRATIONS {
        for owner in stored["owners"][integration].as_array().expect("owners") {
            let id = id(owner).expect("an ID");
            let name = format!("integrations/{integration}/owners/{id}");
            service.put(&name, &fields(owner)).expect("an owner");
        }
    }
    let workspace = service.configured(read("main.tf"));
    let mut state = read("terraform.tfstate");
    if host_version().to_string().starts_with("OpenTofu") {
        state = state.replace("registry.terraform.io", "registry.opentofu.org");
    }
    workspace.write("terraform.tfstate", &state);
    (service, workspace)
}

#[test]
fn states_of_every_version_plan_nothing_and_are_managed() {
    if std::env::var_os("RECORD_STATE").is_some() {
        record();
    }
    let entries = fs::read_dir(in_repository(STATES)).expect("states").flatten();
    let mut versions: Vec<_> = entries.map(|entry| entry.path()).collect();
    versions.sort();
    assert!(versions.iter().any(|version| version.ends_with("0.1.0")), "{versions:?}");
    for version in versions {
        let (service, workspace) = recorded(&version);
        let size = workspace.state_size();
        workspace.plans_nothing().without_warnings();
        workspace.apply_of(workspace.read("main.tf").replace("Viewer", "Reader")).succeeds();
        assert_eq!((service.writes().len(), workspace.state_size()), (1, size), "{version:?}");
        assert_eq!(service.display_name("viewer"), "Reader", "{version:?}");
        workspace.destroy().succeeds();
        assert_eq!((service.roles(LISTING).len(), workspace.state_size()), (0, 0), "{version:?}");
    }
}
