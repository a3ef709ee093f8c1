//! `--format hcl`: the `resource` and `import` blocks of roles and owners.

use super::attributes::{RESOURCES, Value, owner_arguments, role_arguments};
use super::hcl::{Body, write_block};
use super::names::resource_names;
use super::output::{IMPORTS_HEAD, Objects, Output};
use crate::hcl::quoted;

/// The blocks of all objects.
struct Blocks<'a> {
    resources: String,
    imports: String,
    /// The module of the resources, with a dot at its end.
    prefix: &'a str,
}

/// Returns the blocks of these objects. Without `with_resources`, `resources` of roles are comments.
/// `prefix` comes before the addresses in `import` blocks.
pub(super) fn write(objects: &Objects, prefix: &str, with_resources: bool) -> Output {
    let resources = "# Written by `terraform-provider-access export`.\n".to_owned();
    let mut blocks = Blocks { resources, imports: IMPORTS_HEAD.to_owned(), prefix };
    let roles = objects.roles.iter();
    let ids: Vec<String> =
        roles.clone().map(|role| format!("{}_{}", role.name.listing, role.name.role)).collect();
    for (role, name) in roles.zip(resource_names(&ids)) {
        let mut attributes = role_arguments(role);
        let last = attributes.pop_if(|(name, _)| *name == RESOURCES);
        let last = last.map(|(name, value)| (name, value, !with_resources));
        let body = Body { attributes, last };
        blocks.add(["access_listing_role", &name], &role.name.to_string(), &body);
    }
    let owners = objects.owners.iter();
    let ids: Vec<String> =
        owners.clone().map(|owner| format!("{}_{}", owner.name.integration, owner.owner)).collect();
    for (owner, name) in owners.zip(resource_names(&ids)) {
        let body = Body { attributes: owner_arguments(owner), ..Body::default() };
        blocks.add(["access_integration_owner", &name], &owner.name.to_string(), &body);
    }
    Output { text: blocks.resources, imports: Some(blocks.imports) }
}

impl Blocks<'_> {
    /// Adds the blocks of an object with this import ID.
    fn add(&mut self, [resource_type, name]: [&str; 2], id: &str, body: &Body<'_>) {
        self.resources.push('\n');
        let head = format!("resource {} {}", quoted(resource_type), quoted(name));
        write_block(&mut self.resources, &head, body);
        let address = Value::Address(format!("{}{resource_type}.{name}", self.prefix));
        let attributes = vec![("to", address), ("id", Value::Text(id))];
        self.imports.push('\n');
        write_block(&mut self.imports, "import", &Body { attributes, ..Body::default() });
    }
}
