//! The comparison of a provider's types with its schemas, at registration.
//!
//! serde does not describe types. The type therefore reads values of the schema and writes them
//! again. A type that refuses a value because of its kind, or because of a field, does not fit. A type
//! that refuses only this value, such as an enum, may fit, and is not reported.

use super::family::Family;
use super::place::{Refused, part_mut, refused, sample};
use super::tree::{Reason, Step, from_value};
use crate::wire::{self, ObjectShape, Role, Type, Value};

/// Returns in which way a type does not fit the schema type `ty`: sentences without a full stop.
pub(crate) fn misfits<F: Family>(ty: &Type) -> Vec<String> {
    let mut found = Vec::new();
    let mut value = sample(ty);
    let typed = loop {
        let mismatch = match from_value::<F>(value.clone(), ty) {
            Ok(typed) => break typed,
            Err(mismatch) => mismatch,
        };
        let path = mismatch.path.clone();
        let previous = part_mut(&mut value, &path).map(|part| part.clone());
        if mismatch.cause.is_of_type
            && !matches!(previous, None | Some(Value::Null | Value::Unknown))
        {
            let refused = refused::<F>(&value, ty, mismatch);
            return refused.iter().filter(|part| part.cause.is_of_type).map(describe).collect();
        }
        // Another value is tried, to examine the rest of the type.
        let next = match previous {
            None | Some(Value::Unknown) => return found,
            Some(Value::Null) => Value::Unknown,
            Some(_) => Value::Null,
        };
        if let (false, Some(part)) = (path.is_empty(), part_mut(&mut value, &path)) {
            *part = next;
        } else {
            return found;
        }
    };
    if let Some(bytes) = F::encode(&typed) {
        written(&bytes, ty, &mut found);
    }
    if let (true, Type::Object(shape)) = (found.is_empty(), ty) {
        nulls::<F>(ty, shape, &value, &mut found);
    }
    found
}

fn names(refused: &Refused<'_, '_>) -> String {
    refused.place.names.join(".")
}

fn describe(refused: &Refused<'_, '_>) -> String {
    let names = names(refused);
    let of = if names.is_empty() { String::new() } else { format!(" of {names}") };
    match &refused.cause.reason {
        Reason::MissingField(field) => {
            format!("the provider's type{of} has the field {field}, which the schema does not have")
        }
        Reason::UnknownField(field) => {
            format!("the provider's type{of} does not have the attribute {field} of the schema")
        }
        Reason::Kind(expected) => {
            let name = if names.is_empty() { "the value".to_owned() } else { names };
            let kind = refused.ty.description();
            format!("{name} is {kind} in the schema, and the provider's type expects {expected}")
        }
        Reason::Variant(_) | Reason::Value | Reason::Untagged => {
            format!("the provider's type{of} does not accept {}", refused.ty.description())
        }
    }
}

/// Adds what the type writes differently from the schema.
fn written(bytes: &[u8], ty: &Type, found: &mut Vec<String>) {
    let survey = wire::survey(bytes, ty);
    let name = |path: &tf_provider::AttributePath| {
        let names = path.steps.iter().filter_map(|step| match step {
            tf_provider::AttributePathStep::Attribute(name) => Some(&**name),
            _ => None,
        });
        names.collect::<Vec<_>>().join(".")
    };
    for path in &survey.missing {
        let name = name(path);
        found.push(format!("the provider's type does not write the attribute {name}"));
    }
    for fault in survey.faults {
        let name = name(&fault.path);
        found.push(format!("the provider's type writes {name} in another form: {}", fault.what));
    }
}

/// Adds the attributes that can be null in a configuration, and that the type cannot leave out.
fn nulls<F: Family>(
    ty: &Type,
    shape: &ObjectShape,
    value: &Value<'static>,
    found: &mut Vec<String>,
) {
    let mut paths = Vec::new();
    optional(shape, value, &mut Vec::new(), &mut paths);
    // In two passes for all attributes, those inside others first: usually, nothing is wrong.
    let deepest = paths.iter().map(Vec::len).max().unwrap_or_default();
    let accepts = |depths: std::ops::RangeInclusive<usize>| {
        let mut value = value.clone();
        for path in paths.iter().filter(|path| depths.contains(&path.len())) {
            if let Some(part) = part_mut(&mut value, path) {
                *part = Value::Null;
            }
        }
        from_value::<F>(value, ty).is_ok()
    };
    if accepts(1..=1) && (deepest < 2 || accepts(2..=deepest)) {
        return;
    }
    for path in &paths {
        let mut value = value.clone();
        if let Some(part) = part_mut(&mut value, path) {
            *part = Value::Null;
        }
        if let Err(mismatch) = from_value::<F>(value.clone(), ty) {
            found.extend(refused::<F>(&value, ty, mismatch).iter().map(|refused| {
                let names = names(refused);
                format!("{names} can be null, and the provider's type requires a value")
            }));
        }
    }
}

/// Adds the paths of the attributes that a configuration can omit.
fn optional(
    shape: &ObjectShape,
    object: &Value<'_>,
    path: &mut Vec<Step>,
    found: &mut Vec<Vec<Step>>,
) {
    for (index, (field, member)) in shape.fields.iter().zip(object.members()).enumerate() {
        path.push(index);
        if matches!(field.role, Role::Attribute { required: false, .. }) && !member.is_null() {
            found.push(path.clone());
        }
        if let Some(inner) = field.ty.object() {
            match member {
                Value::Object(_) => optional(inner, member, path, found),
                Value::Sequence(items) => {
                    if let Some(item) = items.first() {
                        path.push(0);
                        optional(inner, item, path, found);
                        path.pop();
                    }
                }
                Value::Map(entries) => {
                    if let Some((_, item)) = entries.first() {
                        path.push(0);
                        optional(inner, item, path, found);
                        path.pop();
                    }
                }
                _ => {}
            }
        }
        path.pop();
    }
}
