//! Values that the provider's type cannot read as they arrive.
//!
//! An error of serde does not name the attribute: it ends at the outermost untagged enum, such as
//! tf-provider's `Value`. So each part of the value is read alone, with nothing beside it, until the
//! parts that are refused are found.

use tf_provider::Diagnostic;

use crate::diagnostic::{BUG, diagnostic};
use crate::wire::{self, Nesting, Number, Path, Role, Type, Value};

/// The number of errors that are reported. A user who has mended these runs the command again.
const MAX_ERRORS: usize = 10;

/// Returns whether the provider's type accepts a value.
pub(crate) type Accepts<'c> = &'c dyn Fn(&Value<'_>) -> bool;

/// Returns the value in an encoding that the provider's type accepts: with floats in place of decimal
/// text, and with a list of one unknown block in place of an unknown optional block.
///
/// # Errors
///
/// An error for each attribute that the type does not accept.
pub(super) fn adapt(
    mut value: Value<'_>,
    ty: &Type,
    accepts: Accepts<'_>,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    adapt_part(&mut value, ty, Path::ROOT, accepts, &mut errors);
    if errors.is_empty() { Ok(wire::encode(&value, ty)) } else { Err(errors) }
}

fn adapt_part(
    part: &mut Value<'_>,
    ty: &Type,
    path: Path<'_>,
    accepts: Accepts<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    if errors.len() >= MAX_ERRORS || accepts(part) {
        return;
    }
    let before = errors.len();
    if let Some(surroundings) = surroundings(ty, accepts) {
        each_part(part, ty, path, &mut |index, role, item, ty, path| {
            let alone = |item: &Value<'_>| accepts(&surroundings.with(index, item));
            let block = Value::Sequence(vec![Value::Unknown]);
            if role == Role::Block(Nesting::Optional) && item.is_unknown() && alone(&block) {
                *item = block;
            } else {
                adapt_part(item, ty, path, &alone, errors);
            }
        });
    }
    if errors.len() > before || accepts(part) {
        return;
    }
    if let Value::Number(number) = part {
        // A float may have fewer digits. If the provider returns it, Terraform gets all of them back.
        let float = Value::Number(Number::Float(number.to_f64()));
        if accepts(&float) {
            *part = float;
            return;
        }
    }
    errors.push(unsupported(part, ty, path, accepts));
}

/// Calls `visit` on each member or element, with its position, its role, its type and its path.
fn each_part<'b>(
    value: &mut Value<'b>,
    ty: &Type,
    path: Path<'_>,
    visit: &mut dyn FnMut(usize, Role, &mut Value<'b>, &Type, Path<'_>),
) {
    match (value, ty) {
        (Value::Object(members), Type::Object(shape)) => {
            for (index, (field, member)) in shape.fields.iter().zip(members).enumerate() {
                visit(index, field.role, member, &field.ty, path.name(&field.name));
            }
        }
        (Value::Sequence(items), _) => {
            for (index, item) in items.iter_mut().enumerate() {
                let at =
                    if matches!(ty, Type::Set(_)) { path.element() } else { path.index(index) };
                let Some(ty) = ty.part(index) else { continue };
                visit(index, Role::Member, item, ty, at);
            }
        }
        (Value::Map(entries), Type::Map(element)) => {
            for (index, (key, item)) in entries.iter_mut().enumerate() {
                visit(index, Role::Member, item, element, path.key(key));
            }
        }
        _ => {}
    }
}

/// A value of some type that the provider's type accepts, in which one part can be replaced.
pub(crate) struct Surroundings(Value<'static>);

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
    /// Returns the value with `part` as its member or tuple element at `index`, or as the only element
    /// of a collection.
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
        Type::Dynamic => Value::Dynamic(Box::new((Type::String, sample(&Type::String)))),
        Type::List(element) | Type::Set(element) => Value::Sequence(vec![sample(element)]),
        Type::Map(element) => Value::Map(vec![("key".into(), sample(element))]),
        Type::Tuple(types) => Value::Sequence(types.iter().map(sample).collect()),
        Type::Object(shape) => {
            Value::Object(shape.fields.iter().map(|field| sample(&field.ty)).collect())
        }
    }
}

fn unsupported(part: &Value<'_>, ty: &Type, path: Path<'_>, accepts: Accepts<'_>) -> Diagnostic {
    let path = path.to_attribute_path();
    if path.steps.is_empty() {
        let detail = format!("The provider's type does not fit its schema. {BUG}");
        return diagnostic("Unreadable value", detail, path);
    }
    let takes_numbers =
        [0, 1].into_iter().any(|whole| accepts(&Value::Number(Number::Signed(whole))));
    let detail = match part {
        Value::Null => "A value is required.".to_owned(),
        Value::Unknown => "The value must be known here.".to_owned(),
        Value::Number(number) if takes_numbers && !number.is_whole() => {
            "A whole number is required.".to_owned()
        }
        Value::Number(_) if takes_numbers => "The number is out of range here.".to_owned(),
        _ if *ty == Type::Dynamic => format!(
            "The provider's type cannot represent this value of any type, as \
             `plugin_server::value::Any` can. {BUG}"
        ),
        _ => "The provider does not accept this value.".to_owned(),
    };
    diagnostic("Unsupported value", detail, path)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value as Json, json};
    use tf_provider::AttributePath;
    use tf_provider::value::Value as ProviderValue;

    use super::*;

    /// Returns the paths of the errors.
    fn blamed<A: DeserializeOwned>(arguments: &Json) -> Vec<AttributePath> {
        let ty = Type::Tuple(vec![Type::String, Type::Number]);
        let bytes = rmp_serde::to_vec(arguments).unwrap();
        let accepts =
            |value: &Value<'_>| rmp_serde::from_slice::<A>(&wire::encode(value, &ty)).is_ok();
        let errors = adapt(wire::decode(&bytes, &ty).value, &ty, &accepts).unwrap_err();
        errors.into_iter().map(|error| error.attribute).collect()
    }

    #[test]
    fn error_of_an_argument_does_not_blame_the_others() {
        #[derive(serde::Deserialize)]
        struct Named {
            _label: String,
            _weight: i64,
        }
        let argument = AttributePath::function_argument;
        for (arguments, expected) in [
            (json!(["plum", 0.5]), vec![argument(1)]),
            (json!(["plum", "1e30"]), vec![argument(1)]),
            (json!(["plum", null]), vec![argument(1)]),
            (json!([null, 1]), vec![argument(0)]),
            (json!([null, 0.5]), vec![argument(0), argument(1)]),
            (json!([null, null]), vec![argument(0), argument(1)]),
        ] {
            assert_eq!(blamed::<(String, i64)>(&arguments), expected, "{arguments}");
            assert_eq!(blamed::<Named>(&arguments), expected, "{arguments}");
        }
        let null_and_fraction = json!([null, 0.5]);
        assert_eq!(blamed::<(ProviderValue<String>, i64)>(&null_and_fraction), [argument(1)]);
        let fraction = json!(["plum", 0.5]);
        assert_eq!(blamed::<(ProviderValue<String>, ProviderValue<i64>)>(&fraction), [argument(1)]);
    }
}
