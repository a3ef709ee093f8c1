//! The blocks of roles and owners.
//!
//! A role gets every attribute that the service records and the configuration can set, so that the
//! plan shows no other change than the recording of manager and repository.

use std::collections::BTreeSet;

use access_client::Principal;
use access_client::api::{IntegrationOwner, ListingRole};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::hcl::{Body, Value, write_block};
use super::names::resource_names;
use crate::hcl::quoted;
use crate::object::Entity;

/// Options of the blocks.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// Whether `resources` of roles are managed, and otherwise a comment.
    pub(super) with_resources: bool,
}

/// Returns the blocks of these objects. Adds a warning for each that the provider cannot manage as
/// it is.
pub(super) fn write(
    roles: &[ListingRole],
    owners: &[IntegrationOwner],
    options: Options,
    diags: &mut Diagnostics,
) -> String {
    let mut out = "# Written by `terraform-provider-access export`. Delete the import blocks after the apply.\n".to_owned();
    let ids: Vec<String> =
        roles.iter().map(|role| format!("{}_{}", role.name.listing, role.name.role)).collect();
    for (role, name) in roles.iter().zip(resource_names(&ids)) {
        write_pair(&mut out, role, &name, &role_body(role, options));
        if role.display_name.trim().is_empty() {
            warn_blank_display_name(role, diags);
        }
    }
    let (owners, others): (Vec<_>, Vec<_>) =
        owners.iter().partition(|owner| Principal::parse(&owner.owner).is_ok());
    let ids: Vec<String> =
        owners.iter().map(|owner| format!("{}_{}", owner.name.integration, owner.owner)).collect();
    for (owner, name) in owners.into_iter().zip(resource_names(&ids)) {
        write_pair(&mut out, owner, &name, &owner_body(owner));
    }
    for owner in others {
        warn_unknown_principal(owner, diags);
    }
    out
}

/// Appends the `import` block and the `resource` block of an object.
fn write_pair<E: Entity>(out: &mut String, object: &E, name: &str, body: &Body<'_>) {
    let full_name = object.name().to_string();
    let import = Body {
        attributes: vec![
            ("to", Value::Expression(format!("{}.{name}", E::TYPE))),
            ("id", Value::Text(&full_name)),
        ],
        ..Body::default()
    };
    out.push('\n');
    write_block(out, "import", &import);
    out.push('\n');
    write_block(out, &format!("resource {} {}", quoted(E::TYPE), quoted(name)), body);
}

fn role_body(role: &ListingRole, options: Options) -> Body<'_> {
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
    let last = Some(("resources", resources, !options.with_resources));
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
            "{}: `display_name` is required, so that the plan fails until you write one into the \
             block of this role.",
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
