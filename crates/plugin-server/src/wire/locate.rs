//! Search for the attribute that a provider's type cannot represent.
//!
//! A value can fit its schema but not the provider's type: 1.5 does not fit an `i64`. serde's error
//! does not name the attribute. The value is therefore deserialized again with all members but one
//! set to null, to find the members that fail.

use tf_provider::AttributePath;

use super::path::Path;
use super::shape::Type;
use super::value::Value;

/// Returns the paths that `accepts` rejects, or the root if it does not reject a single path.
pub(crate) fn locate(
    value: &Value<'_>,
    ty: &Type,
    accepts: &dyn Fn(&Value<'_>) -> bool,
) -> Vec<AttributePath> {
    let mut found = Vec::new();
    search(value, ty, Path::ROOT, accepts, &mut found);
    if found.is_empty() {
        found.push(AttributePath::default());
    }
    found
}

/// Adds the paths inside `value` that are refused. `accepts` checks `value` inside the whole.
fn search(
    value: &Value<'_>,
    ty: &Type,
    path: Path<'_>,
    accepts: &dyn Fn(&Value<'_>) -> bool,
    found: &mut Vec<AttributePath>,
) {
    let before = found.len();
    match (value, ty) {
        (Value::Object(members), Type::Object(shape)) => {
            let blank: Vec<Value<'_>> =
                shape.fields.iter().map(|field| Value::absent(&field.ty, field.role)).collect();
            if accepts(&Value::Object(blank.clone())) {
                for (at, (field, member)) in shape.fields.iter().zip(members).enumerate() {
                    let alone = |member: &Value<'_>| {
                        let mut members = blank.clone();
                        if let Some(slot) = members.get_mut(at) {
                            *slot = owned(member);
                        }
                        accepts(&Value::Object(members))
                    };
                    if !alone(member) {
                        search(member, &field.ty, path.name(&field.name), &alone, found);
                    }
                }
            }
        }
        (Value::Sequence(items), Type::List(element) | Type::Set(element)) => {
            for (index, item) in items.iter().enumerate() {
                let alone = |item: &Value<'_>| accepts(&Value::Sequence(vec![owned(item)]));
                let at =
                    if matches!(ty, Type::Set(_)) { path.element() } else { path.index(index) };
                if !alone(item) {
                    search(item, element, at, &alone, found);
                }
            }
        }
        (Value::Sequence(items), Type::Tuple(types)) => {
            for (index, (item, ty)) in items.iter().zip(types).enumerate() {
                let alone = |item: &Value<'_>| {
                    let mut nulls = vec![Value::Null; types.len()];
                    if let Some(slot) = nulls.get_mut(index) {
                        *slot = owned(item);
                    }
                    accepts(&Value::Sequence(nulls))
                };
                if !alone(item) {
                    search(item, ty, path.index(index), &alone, found);
                }
            }
        }
        (Value::Map(entries), Type::Map(element)) => {
            for (key, item) in entries {
                let alone = |item: &Value<'_>| {
                    accepts(&Value::Map(vec![(key.to_string().into(), owned(item))]))
                };
                if !alone(item) {
                    search(item, element, path.key(key), &alone, found);
                }
            }
        }
        _ => {}
    }
    if found.len() == before && path.depth() > 0 {
        found.push(path.to_attribute_path());
    }
}

/// Returns an owned copy, which can be part of a value with another lifetime.
fn owned(value: &Value<'_>) -> Value<'static> {
    use super::number::Number;
    match value {
        Value::Null => Value::Null,
        Value::Unknown => Value::Unknown,
        Value::Bool(value) => Value::Bool(*value),
        Value::String(text) => Value::String(text.to_string().into()),
        Value::Number(number) => Value::Number(match number {
            Number::Signed(number) => Number::Signed(*number),
            Number::Unsigned(number) => Number::Unsigned(*number),
            Number::Float(number) => Number::Float(*number),
            Number::Text(text) => Number::Text(text.to_string().into()),
        }),
        Value::Sequence(items) => Value::Sequence(items.iter().map(owned).collect()),
        Value::Object(members) => Value::Object(members.iter().map(owned).collect()),
        Value::Map(entries) => Value::Map(
            entries.iter().map(|(key, value)| (key.to_string().into(), owned(value))).collect(),
        ),
        Value::Dynamic(inner) => Value::Dynamic(Box::new((inner.0.clone(), owned(&inner.1)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Field, Number, ObjectShape, Role, encode};
    use serde::Deserialize;
    use tf_provider::value::{Value as Typed, ValueList, ValueNumber};

    #[derive(Deserialize)]
    struct Rule {
        #[allow(dead_code, reason = "only the decoding is of interest")]
        port: ValueNumber,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only the decoding is of interest")]
    struct State {
        count: ValueNumber,
        rules: ValueList<Typed<Rule>>,
    }

    #[test]
    fn value_that_does_not_fit_the_type_is_located() {
        let member = Role::Member;
        let rule = Type::Object(ObjectShape::new(vec![Field {
            name: "port".into(),
            ty: Type::Number,
            role: member,
        }]));
        let ty = Type::Object(ObjectShape::new(vec![
            Field { name: "count".into(), ty: Type::Number, role: member },
            Field { name: "rules".into(), ty: Type::List(Box::new(rule)), role: member },
        ]));
        let port = |number| Value::Object(vec![Value::Number(number)]);
        let half = || Number::Float(1.5);
        let value = Value::Object(vec![
            Value::Number(half()),
            Value::Sequence(vec![port(Number::Signed(1)), port(half())]),
        ]);
        let accepts =
            |value: &Value<'_>| rmp_serde::from_slice::<State>(&encode(value, &ty)).is_ok();
        let found: Vec<String> =
            locate(&value, &ty, &accepts).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["count", "rules[1].port"]);
    }
}
