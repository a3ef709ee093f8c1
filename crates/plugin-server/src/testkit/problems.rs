//! The comparison of a provider's schemas with the rules of hosts, and with the provider's types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tf_provider::schema::{FunctionSchema, Parameter};

use super::misfits::misfits;
use crate::registry::{FunctionEntry, IdentityEntry};
use crate::schema::CompiledSchema;
use crate::server::Server;
use crate::wire::{Field, ObjectShape, Role, Type};

/// Returns the errors in what a provider registers, which hosts or users would otherwise find: errors in
/// schemas because of which hosts refuse the whole provider, and types that do not fit their schemas.
///
/// One test of a provider should require that there are none. A struct that accepts only some values of
/// an attribute, such as an enum, must hold it in a `Value`, so that a null can stand in for it.
///
/// ```no_run
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
/// #[test]
/// fn schemas_and_types_fit() {
///     assert_eq!(plugin_server::testkit::problems(&server()), [""; 0]);
/// }
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
    let schemas = schemas(&registry.data_sources, |entry| &entry.schema)
        .chain(schemas(&registry.ephemeral_resources, |entry| &entry.schema));
    for (name, schema) in schemas {
        all(name, of_type(name, schema, &RESOURCE));
    }
    for (name, entry) in &registry.actions {
        all(name, of_type(name, &entry.schema, &Reserved::default()));
    }
    for (name, entry) in &registry.functions {
        all(name, of_function(name, &entry.schema));
        all(name, of_arguments(entry));
    }
    found
}

fn schemas<'r, E>(
    entries: &'r BTreeMap<String, Arc<E>>,
    schema: impl Fn(&'r E) -> &'r CompiledSchema,
) -> impl Iterator<Item = (&'r String, &'r CompiledSchema)> {
    entries.iter().map(move |(name, entry)| (name, schema(entry)))
}

/// The names at the root of a schema that Terraform reads itself, so a configuration cannot set them.
#[derive(Default)]
struct Reserved {
    names: &'static [&'static str],
    blocks: &'static [&'static str],
}

const PROVIDER: Reserved = Reserved {
    names: &["alias", "count", "depends_on", "for_each", "source", "version"],
    blocks: &["_", "lifecycle", "locals"],
};

/// For resources, data sources and ephemeral resources.
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

fn of_schema(schema: &CompiledSchema, reserved: &Reserved) -> Vec<String> {
    let mut wrong = Vec::new();
    if schema.version < 0 {
        wrong.push(format!("the version {} is negative", schema.version));
    }
    for field in &schema.shape().fields {
        let (name, is_block) = (field.name.as_str(), is_block(field));
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
        let is_set = matches!(field.ty, Type::Set(_));
        let is_collection = !matches!(field.ty, Type::Object(_));
        let has_rules = inner.fields.iter().any(|field| field.role != Role::Member);
        if is_collection
            && has_rules
            && (is_block(field) || is_set)
            && has_dynamic(&Type::Object(inner.clone()))
        {
            wrong.push(format!(
                "the elements of {path} have an attribute of any type. Hosts would send another type \
                 than the schema's. Give the attribute a type, or use a list or a map of nested \
                 attributes"
            ));
        }
        if is_set && inner.has_write_only() {
            wrong.push(format!("the set {path} holds a write-only attribute"));
        }
        of_object(inner, &format!("{path}."), wrong);
    }
}

fn has_dynamic(ty: &Type) -> bool {
    match ty {
        Type::Dynamic => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_dynamic(element),
        Type::Tuple(types) => types.iter().any(has_dynamic),
        Type::Object(shape) => shape.fields.iter().any(|field| has_dynamic(&field.ty)),
        Type::String | Type::Number | Type::Bool => false,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns whether a name is an identifier of HCL.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
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

fn of_function(name: &str, schema: &FunctionSchema) -> Vec<String> {
    let mut wrong = Vec::new();
    if !is_identifier(name) {
        wrong.push("it is not a valid name of a function".to_owned());
    }
    let mut seen = BTreeSet::new();
    for parameter in schema.parameters.iter().chain(&schema.variadic) {
        if !is_identifier(&parameter.name) {
            wrong.push(format!("the parameter {:?} does not have a valid name", parameter.name));
        }
        if !seen.insert(&parameter.name) {
            wrong.push(format!("the parameter {} is declared twice", parameter.name));
        }
    }
    wrong
}

/// Compares the type of a function's arguments with its parameters: with a variadic parameter, without
/// arguments for it and with one.
fn of_arguments(function: &FunctionEntry) -> Vec<String> {
    let schema = &function.schema;
    let type_of = |parameter: &Parameter| Type::of(&parameter.param_type);
    let mut types: Vec<_> = schema.parameters.iter().map(type_of).collect();
    let mut wrong = misfits(function.fit, &Type::Tuple(types.clone()));
    if let (true, Some(variadic)) = (wrong.is_empty(), &schema.variadic) {
        types.push(type_of(variadic));
        wrong = misfits(function.fit, &Type::Tuple(types));
    }
    wrong
}
