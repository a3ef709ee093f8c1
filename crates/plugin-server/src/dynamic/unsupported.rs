//! Values that the provider's type cannot read as they arrive.
//!
//! An error of serde does not name the attribute: it ends at the outermost untagged enum, such as
//! tf-provider's `Value`. So each part of the value is read alone, with nothing beside it, until
//! the parts that are refused are found.

use std::collections::BTreeSet;

use tf_provider::{AttributePath, Diagnostic};

use crate::diagnostic::{BUG, diagnostic};
use crate::wire::{self, Nesting, Number, Part, Path, Role, Type, Value, each_part};

/// The number of errors that are reported. A user who has mended these runs the command again.
const MAX_ERRORS: usize = 10;

/// Returns whether the provider's type accepts a value.
pub(crate) type Accepts<'c> = &'c dyn Fn(&Value<'_>) -> bool;

/// Returns the value in an encoding that the provider's type accepts: with floats in place of
/// decimal text, and with a list of one unknown block in place of an unknown optional block.
///
/// # Errors
///
/// An error for each attribute that the type does not accept.
pub(super) fn adapt(
    mut value: Value<'_>,
    ty: &Type,
    accepts: Accepts<'_>,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if let Some(value) = with_floats(&value, ty, accepts) {
        return Ok(wire::encode(&value, ty));
    }
    let mut errors = Vec::new();
    let whole = Part { ty, role: Role::Member, path: Path::ROOT };
    adapt_part(&mut value, whole, accepts, &mut errors);
    if errors.is_empty() { Ok(wire::encode(&value, ty)) } else { Err(errors) }
}

/// Returns the value with floats in place of decimal text, if the type accepts that as a whole. A
/// decimal that the type accepts as text keeps its digits.
///
/// Only a part of a type can be exact, so each place of the schema with decimals is tried once:
/// once per place and not per number, because a plan can have a hundred thousand of them.
fn with_floats<'b>(value: &Value<'b>, ty: &Type, accepts: Accepts<'_>) -> Option<Value<'b>> {
    let mut places = BTreeSet::new();
    let mut unchanged = value.clone();
    each_decimal(&mut unchanged, ty, &mut Vec::new(), &mut |place, _| {
        places.insert(place.to_vec());
    });
    let replaced = |exact: &BTreeSet<Vec<usize>>| {
        let mut value = value.clone();
        each_decimal(&mut value, ty, &mut Vec::new(), &mut |place, number| {
            if !exact.contains(place) {
                // A float may have fewer digits. If the provider returns it, Terraform gets all of
                // them back.
                *number = Number::Float(number.to_f64());
            }
        });
        value
    };
    let mut exact = BTreeSet::new();
    if places.is_empty() || !accepts(&replaced(&exact)) {
        return None;
    }
    for place in &places {
        exact.insert(place.clone());
        if places.len() == 1 || !accepts(&replaced(&exact)) {
            exact.remove(place);
        }
    }
    Some(replaced(&exact))
}

/// Calls `visit` on each decimal text, with its place in the schema: the position in each object
/// and tuple that contains it, and 0 for any element of a collection.
fn each_decimal<'b>(
    value: &mut Value<'b>,
    ty: &Type,
    place: &mut Vec<usize>,
    visit: &mut dyn FnMut(&[usize], &mut Number<'b>),
) {
    if let Value::Number(number @ Number::Text(_)) = value {
        return visit(place, number);
    }
    each_part(value, ty, Path::ROOT, &mut |index, item, at| {
        place.push(if matches!(ty, Type::Object(_) | Type::Tuple(_)) { index } else { 0 });
        each_decimal(item, at.ty, place, visit);
        place.pop();
    });
}

/// Replaces what the type refuses by another encoding of it, or adds an error for each innermost
/// part that it refuses in every encoding. `accepts` passes the part alone to the type, with
/// nothing else set.
fn adapt_part(
    part: &mut Value<'_>,
    place: Part<'_>,
    accepts: Accepts<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    if errors.len() >= MAX_ERRORS || accepts(part) {
        return;
    }
    let before = errors.len();
    if let Some(surroundings) = surroundings(place.ty, accepts) {
        each_part(part, place.ty, place.path, &mut |index, item, place| {
            let alone = |item: &Value<'_>| accepts(&surroundings.with(index, item));
            let block = Value::Sequence(vec![Value::Unknown]);
            let is_optional_block = place.role == Role::Block(Nesting::Optional);
            if is_optional_block && item.is_unknown() && alone(&block) {
                *item = block;
            } else {
                adapt_part(item, place, &alone, errors);
            }
        });
    }
    if errors.len() > before || accepts(part) {
        return;
    }
    if let Value::Number(number) = part {
        let float = Value::Number(Number::Float(number.to_f64()));
        if accepts(&float) {
            *part = float;
            return;
        }
    }
    errors.push(unsupported(part, place, accepts));
}

/// A value of some type that the provider's type accepts, in which one part can be replaced.
pub(crate) struct Surroundings(pub(crate) Value<'static>);

/// Returns an empty value if the provider's type accepts it, or one in which every part is set.
pub(crate) fn surroundings(ty: &Type, accepts: Accepts<'_>) -> Option<Surroundings> {
    let empty = match ty {
        Type::Object(shape) => Value::empty_object(shape),
        Type::Tuple(types) => Value::Sequence(vec![Value::Null; types.len()]),
        Type::List(_) | Type::Set(_) => Value::Sequence(Vec::new()),
        Type::Map(_) => Value::Map(Vec::new()),
        _ => return None,
    };
    [empty, sample(ty)].into_iter().find(|value| accepts(value)).map(Surroundings)
}

impl Surroundings {
    /// Returns the value with `part` as its member or tuple element at `index`, or as the only
    /// element of a collection.
    pub(crate) fn with<'b>(&self, index: usize, part: &Value<'b>) -> Value<'b> {
        let mut whole = self.0.clone();
        match &mut whole {
            Value::Object(parts) | Value::Sequence(parts) if index < parts.len() => {
                parts[index] = part.clone();
            }
            Value::Map(_) => return Value::Map(vec![("key".into(), part.clone())]),
            _ => return Value::Sequence(vec![part.clone()]),
        }
        whole
    }
}

/// Returns a known value of a type, in which every collection has one element.
pub(crate) fn sample(ty: &Type) -> Value<'static> {
    match ty {
        Type::String => Value::String("text".into()),
        Type::Number => Value::Number(Number::Signed(1)),
        Type::Bool => Value::Bool(true),
        Type::List(element) | Type::Set(element) => Value::Sequence(vec![sample(element)]),
        Type::Map(element) => Value::Map(vec![("key".into(), sample(element))]),
        Type::Tuple(types) => Value::Sequence(types.iter().map(sample).collect()),
        Type::Object(shape) => {
            Value::Object(shape.fields.iter().map(|field| sample(&field.ty)).collect())
        }
    }
}

/// Returns the kind of values that the provider's type accepts, if it accepts any.
pub(crate) fn other_kind(accepts: Accepts<'_>) -> Option<&'static str> {
    let list = Type::List(Box::new(Type::String));
    let map = Type::Map(Box::new(Type::String));
    let kinds = [Type::String, Type::Number, Type::Bool, list, map];
    kinds.iter().find(|kind| accepts(&sample(kind))).map(Type::description)
}

/// Returns the error about a part that the type refuses: whether the provider or the configuration
/// is at fault.
fn unsupported(part: &Value<'_>, place: Part<'_>, accepts: Accepts<'_>) -> Diagnostic {
    let path = place.path.to_attribute_path();
    let detail = match (bug(part, place, accepts), &path) {
        (Some(_), path) if path.steps.is_empty() => {
            let detail = format!("The provider's type does not fit its schema. {BUG}");
            return diagnostic("Unreadable value", detail, AttributePath::default());
        }
        // A host shows the attribute only if the configuration sets it.
        (Some(what), path) => format!("The attribute {path} {what}. {BUG}"),
        (None, _) => of_configuration(part, accepts).to_owned(),
    };
    diagnostic("Unsupported value", detail, path)
}

/// Returns what is wrong with a part that only the provider can be at fault for, because every
/// configuration, or an ordinary one, has such a value.
fn bug(part: &Value<'_>, place: Part<'_>, accepts: Accepts<'_>) -> Option<String> {
    let is_attribute = place.role != Role::Member;
    let is_read_only = place.role.is_read_only();
    let needs = |has, needs| Some(format!("is {has}, and the provider's type requires {needs}"));
    match part {
        _ if place.path.to_attribute_path().steps.is_empty() => Some(String::new()),
        Value::Null if is_attribute => needs("null", "a value"),
        Value::Unknown if is_read_only => needs("unknown", "a known value"),
        Value::Null | Value::Unknown => None,
        _ if accepts(&sample(place.ty)) => None,
        Value::Object(_) if surroundings(place.ty, accepts).is_none() => {
            Some("is an object, and the provider's type has other fields".to_owned())
        }
        _ => {
            let kind = place.ty.description();
            let other = other_kind(accepts).filter(|other| *other != kind)?;
            Some(format!("is {kind} in the schema, and the provider's type accepts {other}"))
        }
    }
}

/// Returns what the configuration can change.
fn of_configuration(part: &Value<'_>, accepts: Accepts<'_>) -> &'static str {
    let takes_numbers =
        [0, 1].into_iter().any(|whole| accepts(&Value::Number(Number::Signed(whole))));
    match part {
        Value::Null => "A value is required.",
        Value::Unknown => "The value must be known here.",
        Value::Number(number) if takes_numbers && !number.is_whole() => {
            "A whole number is required."
        }
        Value::Number(_) if takes_numbers => "The number is out of range here.",
        _ => "The provider does not accept this value.",
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value as Json, json};
    use tf_provider::AttributePathStep;
    use tf_provider::value::Value as ProviderValue;

    use super::*;

    /// Returns the paths of the errors.
    fn blamed<A: DeserializeOwned>(elements: &Json) -> Vec<AttributePath> {
        let ty = Type::Tuple(vec![Type::String, Type::Number]);
        let bytes = rmp_serde::to_vec(elements).unwrap();
        let accepts =
            |value: &Value<'_>| rmp_serde::from_slice::<A>(&wire::encode(value, &ty)).is_ok();
        let errors = adapt(wire::decode(&bytes, &ty).value, &ty, &accepts).unwrap_err();
        errors.into_iter().map(|error| error.attribute).collect()
    }

    #[test]
    fn decimals_are_tried_as_floats_at_once_and_keep_the_digits_that_a_type_can_hold() {
        #[derive(serde::Deserialize)]
        struct Point(#[allow(dead_code, reason = "only read")] ProviderValue<f64>);
        type Exact = crate::value::Number;
        let ty = |count| Type::Tuple(vec![Type::List(Box::new(Type::Number)); count]);
        let decimals = |count: usize| vec![json!("0.1"); count];
        let adapted = |value: &Json, read: &dyn Fn(&[u8]) -> bool| {
            let count = std::cell::Cell::new(0);
            let ty = ty(value.as_array().unwrap().len());
            let bytes = rmp_serde::to_vec(value).unwrap();
            let accepts = |value: &Value<'_>| {
                count.set(count.get() + 1);
                read(&wire::encode(value, &ty))
            };
            let adapted = adapt(wire::decode(&bytes, &ty).value, &ty, &accepts).unwrap();
            (rmp_serde::from_slice::<Json>(&adapted).unwrap(), count.get())
        };
        let floats = |bytes: &[u8]| rmp_serde::from_slice::<(Vec<Point>,)>(bytes).is_ok();
        let (value, attempts) = adapted(&json!([decimals(1_000)]), &floats);
        assert_eq!(value, json!([vec![0.1; 1_000]]));
        assert!(attempts < 5, "{attempts} attempts for a thousand decimals of one attribute");
        let mixed = |bytes: &[u8]| rmp_serde::from_slice::<(Vec<Point>, Vec<Exact>)>(bytes).is_ok();
        let (value, attempts) = adapted(&json!([decimals(1_000), decimals(1_000)]), &mixed);
        assert_eq!(value, json!([vec![0.1; 1_000], decimals(1_000)]));
        assert!(attempts < 8, "{attempts} attempts for two thousand decimals of two attributes");
    }

    #[test]
    fn error_of_an_element_does_not_blame_the_others() {
        #[derive(serde::Deserialize)]
        struct Named {
            _label: String,
            _weight: i64,
        }
        let element = |index| AttributePath { steps: vec![AttributePathStep::Index(index)] };
        for (elements, expected) in [
            (json!(["plum", 0.5]), vec![element(1)]),
            (json!(["plum", "1e30"]), vec![element(1)]),
            (json!(["plum", null]), vec![element(1)]),
            (json!([null, 1]), vec![element(0)]),
            (json!([null, 0.5]), vec![element(0), element(1)]),
            (json!([null, null]), vec![element(0), element(1)]),
        ] {
            assert_eq!(blamed::<(String, i64)>(&elements), expected, "{elements}");
            assert_eq!(blamed::<Named>(&elements), expected, "{elements}");
        }
        let null_and_fraction = json!([null, 0.5]);
        assert_eq!(blamed::<(ProviderValue<String>, i64)>(&null_and_fraction), [element(1)]);
        let fraction = json!(["plum", 0.5]);
        assert_eq!(blamed::<(ProviderValue<String>, ProviderValue<i64>)>(&fraction), [element(1)]);
    }
}
