//! The comparison of a type of the provider with its schema.
//!
//! serde does not describe types. The type reads values of the schema, and writes what it has read:
//! a part that it refuses does not fit, and a part that is not written has no field.

use crate::dynamic::{Accepts, Fit, Surroundings, other_kind, sample, surroundings};
use crate::wire::{self, Field, Role, Type, Value};

/// Returns in which way a type does not fit the schema type `ty`: sentences without a full stop.
pub(super) fn misfits(fit: Fit, ty: &Type) -> Vec<String> {
    let read = |value: &Value<'_>| (fit.echo)(&wire::encode(value, ty));
    let accepts = |value: &Value<'_>| read(value).is_ok();
    let mut found = Vec::new();
    refused(ty, "", &accepts, &mut found);
    if !found.is_empty() {
        return found;
    }
    let whole = fullest(ty, &accepts);
    match read(&whole) {
        Ok(Some(written)) => {
            let written = wire::decode(&written, ty);
            let form = |fault: wire::Fault| {
                format!("the provider's type writes {} in another form: {}", fault.path, fault.what)
            };
            found.extend(written.faults.into_iter().map(form));
            if !found.is_empty() {
                return found;
            }
            lost(&whole, &written.value, ty, "", &mut found);
        }
        Ok(None) => {}
        Err(error) => {
            // The reason why the type refuses an ordinary value is better than that for null.
            let error = read(&sample(ty)).err().unwrap_or(error);
            found.push(format!("the provider's type does not read the object: {error}"));
        }
    }
    found
}

/// A member or an element: its name in sentences, its type, and whether a configuration can leave
/// it null.
struct Part<'t> {
    name: String,
    ty: &'t Type,
    may_be_null: bool,
}

/// Returns the members of an object or a tuple, or the element of a collection. `name` is the name
/// of the whole, "" for the root.
fn parts<'t>(ty: &'t Type, name: &str) -> Vec<Part<'t>> {
    let member = |field: &'t Field| {
        let name =
            if name.is_empty() { field.name.clone() } else { format!("{name}.{}", field.name) };
        let may_be_null = matches!(field.role, Role::Attribute { required: false, .. });
        Part { name, ty: &field.ty, may_be_null }
    };
    let element = |ty| Part { name: name.to_owned(), ty, may_be_null: false };
    match ty {
        Type::Object(shape) => shape.fields.iter().map(member).collect(),
        Type::Tuple(types) => types.iter().map(element).collect(),
        ty => ty.part(0).map(element).into_iter().collect(),
    }
}

/// Adds the parts that the type refuses.
fn refused(ty: &Type, name: &str, accepts: Accepts<'_>, found: &mut Vec<String>) {
    let before = found.len();
    if let Some(surroundings) = surroundings(ty, accepts) {
        for (index, Part { name, ty, may_be_null }) in parts(ty, name).into_iter().enumerate() {
            let alone = |part: &Value<'_>| accepts(&surroundings.with(index, part));
            if may_be_null && !alone(&Value::Null) {
                found.push(format!("{name} can be null, and the provider's type requires a value"));
            }
            refused(ty, &name, &alone, found);
        }
    } else {
        // The type requires every part, and refuses one of them: perhaps it accepts another kind.
        let samples = Surroundings(sample(ty));
        for (index, part) in parts(ty, name).into_iter().enumerate() {
            let alone = |part: &Value<'_>| accepts(&samples.with(index, part));
            if let Some(other) = other_kind(&alone) {
                found.push(other_kind_accepted(&part.name, part.ty, other));
            }
        }
    }
    if found.len() == before && !accepts(&sample(ty)) {
        // A type that accepts nothing of any kind may accept only some values, such as an enum.
        if let Some(other) = other_kind(accepts) {
            found.push(other_kind_accepted(name, ty, other));
        } else if matches!(ty, Type::Object(_)) && !name.is_empty() {
            found.push(format!("the provider's type of {name} has other fields than the schema"));
        }
    }
}

fn other_kind_accepted(name: &str, ty: &Type, other: &str) -> String {
    let kind = ty.description();
    let name = if name.is_empty() { "the value" } else { name };
    format!("{name} is {kind} in the schema, and the provider's type accepts {other}")
}

/// Returns a value that the type accepts and in which as many parts as possible are set. A part of
/// which only some values are accepted is unknown or null in it.
fn fullest(ty: &Type, accepts: Accepts<'_>) -> Value<'static> {
    let sample = sample(ty);
    if accepts(&sample) {
        return sample;
    }
    let Some(surroundings) = surroundings(ty, accepts) else {
        let unknown = Value::Unknown;
        return if accepts(&unknown) { unknown } else { Value::Null };
    };
    let parts = parts(ty, "").into_iter().enumerate();
    let whole = parts.fold(surroundings, |whole, (index, part)| {
        let part = fullest(part.ty, &|value| accepts(&whole.with(index, value)));
        Surroundings(whole.with(index, &part))
    });
    whole.0
}

/// Adds the parts that are set in `sent` and that the type does not write.
fn lost(sent: &Value<'_>, written: &Value<'_>, ty: &Type, name: &str, found: &mut Vec<String>) {
    match (sent, ty) {
        (Value::Object(members), _) => {
            let parts = parts(ty, name).into_iter().zip(members);
            for (index, (part, sent)) in parts.enumerate() {
                let written = written.members().get(index).unwrap_or(&Value::Null);
                if is_set(sent) && !is_set(written) {
                    let name = part.name;
                    found.push(format!(
                        "the provider's type does not have {name}, which the schema has"
                    ));
                } else {
                    lost(sent, written, part.ty, &part.name, found);
                }
            }
        }
        (Value::Sequence(items), _) => {
            if let (Some(sent), Some(written), Some(ty)) =
                (items.first(), written.items().first(), ty.part(0))
            {
                lost(sent, written, ty, name, found);
            }
        }
        (Value::Map(sent), Type::Map(element)) => {
            if let (Some((_, sent)), Value::Map(written)) = (sent.first(), written)
                && let Some((_, written)) = written.first()
            {
                lost(sent, written, element, name, found);
            }
        }
        _ => {}
    }
}

/// Returns whether a part has a value. A missing block is an empty collection.
fn is_set(value: &Value<'_>) -> bool {
    match value {
        Value::Sequence(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        value => !value.is_null(),
    }
}
