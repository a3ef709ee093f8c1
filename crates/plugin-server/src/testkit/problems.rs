//! The comparison of a provider's schemas with the rules of hosts, and with the provider's types.

use super::misfits::misfits;
use crate::registry::IdentityEntry;
use crate::schema::CompiledSchema;
use crate::server::Server;
use crate::wire::{Field, ObjectShape, Role, Type};

/// Returns the errors in what a provider registers, which hosts or users would otherwise find:
/// errors in schemas because of which hosts refuse the whole provider, and types that do not fit
/// their schemas.
///
/// One test of a provider should require that there are none. A struct that accepts only some
/// values of an attribute, such as an enum, must hold it in a `Value`, so that a null can stand in
/// for it.
///
/// ```no_run
/// # mod larder {
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
/// # fn example() {
/// assert_eq!(plugin_server::testkit::problems(&server()), [""; 0]);
/// # }
/// # }
/// # fn main() {}
/// ```
#[must_use]
pub fn problems(server: &Server) -> Vec<String> {
    let registry = &server.registry;
    let mut found: Vec<String> =
        registry.problems.errors.iter().map(|problem| problem.detail.to_string()).collect();
    let mut all = |name: &str, wrong: Vec<String>| {
        found.extend(wrong.into_iter().map(|what| format!("{name}: {what}")));
    };
    all("the provider", of_schema(&registry.provider.schema, &PROVIDER));
    if let Some(meta) = &registry.meta {
        all("provider_meta", of_schema(meta, &Reserved::default()));
    }
    for (name, entry) in &registry.resources {
        all(name, of_type(name, &entry.schema, &RESOURCE));
        if let Some(identity) = &entry.identity {
            all(&format!("{name}, identity"), of_identity(identity));
        }
        if let Some(list) = &entry.list {
            let wrong = of_schema(&list.schema, &Reserved::default());
            all(&format!("{name}, list configuration"), wrong);
        }
    }
    for (name, entry) in &registry.data_sources {
        all(name, of_type(name, &entry.schema, &RESOURCE));
    }
    found
}

/// The names at the root of a schema that Terraform reads itself, so a configuration cannot set
/// them.
#[derive(Default)]
struct Reserved {
    names: &'static [&'static str],
    blocks: &'static [&'static str],
}

const PROVIDER: Reserved = Reserved {
    names: &["alias", "count", "depends_on", "for_each", "source", "version"],
    blocks: &["_", "lifecycle", "locals"],
};

/// For resources and data sources.
const RESOURCE: Reserved = Reserved {
    names: &[
        "connection",
        "count",
        "depends_on",
        "for_each",
        "lifecycle",
        "provider",
        "provisioner",
    ],
    blocks: &["_", "locals"],
};

fn of_type(name: &str, schema: &CompiledSchema, reserved: &Reserved) -> Vec<String> {
    let mut wrong = of_schema(schema, reserved);
    if !is_name(name) {
        wrong.push("it is not a valid name of a type".to_owned());
    }
    wrong
}

/// Returns the problems of a schema and of its type.
fn of_schema(schema: &CompiledSchema, reserved: &Reserved) -> Vec<String> {
    let mut wrong = Vec::new();
    if schema.version < 0 {
        wrong.push(format!("the version {} is negative", schema.version));
    }
    for field in &schema.shape().fields {
        let name = field.name.as_str();
        let is_block = is_block(field);
        if reserved.names.contains(&name) || is_block && reserved.blocks.contains(&name) {
            let kind = if is_block { "block" } else { "attribute" };
            wrong.push(format!("Terraform reserves the name of the {kind} {name} for itself"));
        }
    }
    of_object(schema.shape(), "", &mut wrong);
    wrong.extend(misfits(schema.fit, &schema.ty));
    wrong
}

fn is_block(field: &Field) -> bool {
    matches!(field.role, Role::Block(_))
}

/// Adds the names that hosts refuse, at any depth. `prefix` is the path of the object, with a dot
/// at its end.
fn of_object(shape: &ObjectShape, prefix: &str, wrong: &mut Vec<String>) {
    for pair in shape.fields.windows(2) {
        if pair[0].name == pair[1].name {
            wrong.push(format!("{prefix}{} is both an attribute and a block", pair[0].name));
        }
    }
    for field in shape.fields.iter().filter(|field| field.role != Role::Member) {
        let path = format!("{prefix}{}", field.name);
        if !is_name(&field.name) {
            wrong.push(format!("the name of {path} may hold only a-z, 0-9 and _"));
        }
        let Some(inner) = field.ty.object() else { continue };
        of_object(inner, &format!("{path}."), wrong);
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn of_identity(identity: &IdentityEntry) -> Vec<String> {
    let mut wrong = Vec::new();
    if identity.version < 0 {
        wrong.push(format!("the version {} is negative", identity.version));
    }
    let fields = identity.ty.object().map(|shape| &shape.fields[..]).unwrap_or_default();
    if fields.is_empty() {
        wrong.push("it has no attributes".to_owned());
    }
    for Field { name, ty, .. } in fields {
        let ty = if let Type::List(element) = ty { element } else { ty };
        if !matches!(ty, Type::String | Type::Number | Type::Bool) {
            wrong.push(format!("attribute {name} must be primitive or a list of primitives"));
        }
    }
    wrong.extend(misfits(identity.fit, &identity.ty));
    wrong
}
