//! Restoration of what a provider's types cannot represent, from the values of the request.
//!
//! An `f64` has fewer digits than a number of Terraform, a `BTreeSet` keeps one of several unknown
//! elements, and `serde_as_vec` writes an unknown block as none. Where a provider returns what it
//! received, Terraform must receive what it sent.

use std::collections::HashMap;

use super::key::{Key, key};
use super::number::Number;
use super::shape::{Nesting, ObjectShape, Role, Type};
use super::value::Value;

/// Replaces those parts of a provider's value that its types have changed by those of `references`,
/// the values that the provider received. Other floats become the decimals that they stand for.
pub(crate) fn restore<'a>(value: &mut Value<'a>, references: &[&Value<'a>], ty: &Type) {
    match (&mut *value, ty) {
        (Value::Number(Number::Float(float)), _) => {
            let float = *float;
            let received = references.iter().find_map(|reference| match reference {
                Value::Number(number) if number.to_f64() == float => Some(number.clone()),
                _ => None,
            });
            *value = Value::Number(received.unwrap_or_else(|| Number::of_float(float)));
        }
        (Value::Object(members), Type::Object(shape)) => {
            restore_members(members, references, shape);
        }
        (Value::Sequence(items), Type::Set(element)) => {
            if let Some(received) = equal_set(items, references, element) {
                *items = received;
            } else {
                restore_set(items, references, element);
            }
        }
        (Value::Sequence(items), Type::List(_) | Type::Tuple(_)) => {
            for (index, item) in items.iter_mut().enumerate() {
                let references = at(references, |value| value.items().get(index));
                restore(item, &references, ty.part(index).unwrap_or(ty));
            }
        }
        (Value::Map(entries), Type::Map(element)) => {
            let indexes: Vec<_> = references.iter().map(|value| by_key(value)).collect();
            for (key, item) in entries {
                let references: Vec<_> =
                    indexes.iter().filter_map(|index| index.get(&**key).copied()).collect();
                restore(item, &references, element);
            }
        }
        _ => {}
    }
}

fn restore_members<'a>(members: &mut [Value<'a>], references: &[&Value<'a>], shape: &ObjectShape) {
    for (index, (field, member)) in shape.fields.iter().zip(members).enumerate() {
        let references = at(references, |value| value.members().get(index));
        if field.role == Role::Block(Nesting::Optional)
            && member.items().iter().all(Value::is_unknown)
            && matches!(member, Value::Sequence(_))
            && references.first().is_some_and(|reference| reference.is_unknown())
        {
            *member = Value::Unknown;
        } else {
            restore(member, &references, &field.ty);
        }
    }
}

/// Returns the parts of the references that `part` selects.
fn at<'v, 'a>(
    references: &[&'v Value<'a>],
    part: impl Fn(&'v Value<'a>) -> Option<&'v Value<'a>>,
) -> Vec<&'v Value<'a>> {
    references.iter().filter_map(|reference| part(reference)).collect()
}

fn by_key<'v, 'a>(value: &'v Value<'a>) -> HashMap<&'v str, &'v Value<'a>> {
    match value {
        Value::Map(entries) => entries.iter().map(|(key, value)| (&**key, value)).collect(),
        _ => HashMap::new(),
    }
}

/// Returns the key under which elements are equal after the losses of a provider's types.
fn lossy_key(value: &Value<'_>, ty: &Type) -> Key {
    let mut rounded = value.clone();
    round(&mut rounded);
    key(&rounded, ty)
}

fn round(value: &mut Value<'_>) {
    if let Value::Number(number) = value {
        *number = Number::Float(number.to_f64());
    }
    value.parts_mut(&mut round);
}

/// Returns the elements of the reference that is this set, apart from repeated unknown elements.
fn equal_set<'a>(
    items: &[Value<'a>],
    references: &[&Value<'a>],
    element: &Type,
) -> Option<Vec<Value<'a>>> {
    let keys = |items: &[Value<'_>]| {
        let mut keys: Vec<Key> = items.iter().map(|item| lossy_key(item, element)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let own = keys(items);
    let equal = |reference: &&&Value<'a>| {
        matches!(reference, Value::Sequence(_)) && keys(reference.items()) == own
    };
    references.iter().find(equal).map(|reference| reference.items().to_vec())
}

/// Restores the elements of a set that was changed, and repeats those that the provider received
/// several times and returned once.
fn restore_set<'a>(items: &mut Vec<Value<'a>>, references: &[&Value<'a>], element: &Type) {
    let mut received: HashMap<Key, Vec<&Value<'a>>> = HashMap::new();
    for item in references.iter().flat_map(|reference| reference.items()) {
        received.entry(lossy_key(item, element)).or_default().push(item);
    }
    let first: &[Value<'a>] = references.first().map_or(&[], |reference| reference.items());
    let missing = first.len().saturating_sub(items.len());
    for item in items.iter_mut() {
        match received.get(&lossy_key(item, element)).and_then(|equal| equal.first()) {
            Some(equal) => *item = (*equal).clone(),
            None => restore(item, &[], element),
        }
    }
    let mut repeated: Vec<&Value<'a>> = Vec::new();
    for equal in received.values().filter(|equal| equal.len() > 1) {
        // Only unknown elements are sent more than once.
        if let Some(item) = equal.first().filter(|item| !item.is_wholly_known()) {
            repeated.extend(std::iter::repeat_n(*item, equal.len() - 1));
        }
    }
    if repeated.len() < missing {
        return;
    }
    for configured in repeated.into_iter().take(missing) {
        let mut candidates = items.iter().filter(|item| completes(item, configured, element));
        if let (Some(only), None) = (candidates.next().cloned(), candidates.next()) {
            items.push(only);
        }
    }
}

/// Returns whether a planned element can be that of the configuration, with more values set.
fn completes(planned: &Value<'_>, configured: &Value<'_>, ty: &Type) -> bool {
    match (planned, configured, ty) {
        (_, Value::Null, _) => true,
        (Value::Object(planned), Value::Object(configured), Type::Object(shape)) => shape
            .fields
            .iter()
            .zip(planned.iter().zip(configured))
            .all(|(field, (planned, configured))| completes(planned, configured, &field.ty)),
        _ => planned.equals(configured, ty),
    }
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
