//! Everything in `examples/` is what Terraform accepts.

use std::fs;
use std::path::Path;

use crate::support::{Feature, Service, host_version};

#[test]
fn examples_are_formatted() {
    let service = Service::full();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let outcome = service.workspace().run(&[
        "fmt",
        "-check",
        "-diff",
        "-recursive",
        &examples.display().to_string(),
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.said());
}

#[test]
fn examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut directories = vec![examples.join("provider")];
    for kind in ["resources", "data-sources", "functions"] {
        directories.extend(fs::read_dir(examples.join(kind)).unwrap().map(|it| it.unwrap().path()));
    }
    assert!(directories.len() >= 11, "{directories:?}");
    for directory in directories {
        let service = Service::full();
        let workspace = service.workspace();
        for file in fs::read_dir(&directory).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "tf") {
                let name = path.file_name().unwrap().to_str().unwrap();
                if name == "import-by-identity.tf" {
                    continue;
                }
                workspace.write(name, &fs::read_to_string(&path).unwrap());
            }
        }
        if directory.join("provider.tf").exists() {
            // It names the provider itself, as the other examples leave to the reader.
            fs::remove_file(workspace.path().join("versions.tf")).unwrap();
        }
        workspace.run(&["validate", "-json"]).succeeds();
    }
}

#[test]
fn examples_of_identities_are_valid() {
    if !host_version().offers(Feature::Identity, "examples_of_identities_are_valid") {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/resources");
    for (kind, name) in [
        ("access_listing_role", "viewer"),
        ("access_integration_owner", "platform"),
        ("access_integration_owners", "github"),
    ] {
        let service = Service::full();
        let workspace = service.workspace();
        for file in ["resource.tf", "import-by-identity.tf"] {
            let text = fs::read_to_string(examples.join(kind).join(file)).unwrap();
            assert!(text.contains(name), "{kind}: {file}");
            workspace.write(file, &text);
        }
        workspace.run(&["validate", "-json"]).succeeds();
    }
}

#[test]
fn examples_of_queries_are_valid() {
    if !host_version().offers(Feature::Query, "examples_of_queries_are_valid") {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/list-resources");
    for kind in ["access_listing_role", "access_integration_owner", "access_integration_owners"] {
        let service = Service::full();
        let workspace = service.workspace();
        let file = "list-resource.tfquery.hcl";
        workspace.write(file, &fs::read_to_string(examples.join(kind).join(file)).unwrap());
        workspace.run(&["query", "-json"]).succeeds();
    }
}
