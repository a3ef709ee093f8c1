//! The blocks of roles and owners.
//!
//! A role gets every attribute that the service records and the configuration can set, so the plan
//! shows no other change than the recording of manager and repository.

use std::collections::BTreeSet;

use access_client::Principal;
use access_client::api::{IntegrationOwner, ListingRole};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::hcl::{Body, Value, write_block};
use super::names::resource_names;
use crate::hcl::quoted;

/// The blocks of all objects.
pub(super) struct Blocks {
    pub(super) resources: String,
    pub(super) imports: String,
}

/// Returns the blocks of these objects. Adds a warning for each that the provider cannot manage as
/// it is. Without `with_resources`, `resources` of roles are comments.
pub(super) fn write(
    roles: &[ListingRole],
    owners: &[IntegrationOwner],
    with_resources: bool,
    diags: &mut Diagnostics,
) -> Blocks {
    let mut blocks = Blocks {
        resources: "# Written by `terraform-provider-access export`.\n".to_owned(),
        imports: "# Written by `terraform-provider-access export`. Delete these blocks after the apply.\n"
            .to_owned(),
    };
    let ids: Vec<String> =
        roles.iter().map(|role| format!("{}_{}", role.name.listing, role.name.role)).collect();
    for (role, name) in roles.iter().zip(resource_names(&ids)) {
        let body = role_body(role, with_resources);
        blocks.add(["access_listing_role", &name], &role.name.to_string(), &body);
        if role.display_name.trim().is_empty() {
            warn_blank_display_name(role, diags);
        }
    }
    let (owners, others): (Vec<_>, Vec<_>) =
        owners.iter().partition(|owner| Principal::parse(&owner.owner).is_ok());
    let ids: Vec<String> =
        owners.iter().map(|owner| format!("{}_{}", owner.name.integration, owner.owner)).collect();
    for (owner, name) in owners.into_iter().zip(resource_names(&ids)) {
        let id = owner.name.to_string();
        blocks.add(["access_integration_owner", &name], &id, &owner_body(owner));
    }
    for owner in others {
        warn_unknown_principal(owner, diags);
    }
    blocks
}

impl Blocks {
    /// Adds the blocks of an object with this import ID.
    fn add(&mut self, [resource_type, name]: [&str; 2], id: &str, body: &Body<'_>) {
        self.resources.push('\n');
        let head = format!("resource {} {}", quoted(resource_type), quoted(name));
        write_block(&mut self.resources, &head, body);
        let address = Value::Expression(format!("{resource_type}.{name}"));
        let attributes = vec![("to", address), ("id", Value::Text(id))];
        self.imports.push('\n');
        write_block(&mut self.imports, "import", &Body { attributes, ..Body::default() });
    }
}

fn role_body(role: &ListingRole, with_resources: bool) -> Body<'_> {
    let mut attributes = vec![
        ("listing", Value::Text(role.name.listing.as_str())),
        ("role", Value::Text(role.name.role.as_str())),
        ("display_name", Value::Text(&role.display_name)),
        ("priority", Value::Integer(role.priority)),
    ];
    if !role.description.is_empty() {
        attributes.push(("description", Value::Text(&role.description)));
    }
    // Sorted and each once: the attribute is a set, and the service returns any order.
    let resources: BTreeSet<&str> = role.resources.iter().map(String::as_str).collect();
    let resources = Value::Texts(resources.into_iter().collect());
    let last = Some(("resources", resources, !with_resources));
    Body { attributes, last }
}

fn owner_body(owner: &IntegrationOwner) -> Body<'_> {
    let attributes = vec![
        ("integration", Value::Text(owner.name.integration.as_str())),
        ("owner", Value::Text(&owner.owner)),
    ];
    Body { attributes, ..Body::default() }
}

fn warn_blank_display_name(role: &ListingRole, diags: &mut Diagnostics) {
    diags.report_warning(
        "A role has no display name",
        format!(
            "{}: `display_name` is required. The plan fails until you write one into the block of this \
             role.",
            role.name
        ),
    );
}

fn warn_unknown_principal(owner: &IntegrationOwner, diags: &mut Diagnostics) {
    diags.report_warning(
        "An owner was skipped",
        format!(
            "{}: the service returned {:?} as its owner, which is not a user, group or team. The \
             owner has no block.",
            owner.name, owner.owner
        ),
    );
}
