//! Decoding of the JSON of the state file, according to a type.
//!
//! Numbers are read as text, because a float would lose digits.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::msgpack::Decoded;
use super::number::Number;
use super::path::{Fault, Path};
use super::shape::{ObjectShape, Type};
use super::value::Value;

struct Reader {
    faults: Vec<Fault>,
}

/// Reads a value of type `ty`. Members that the type does not have are dropped. Missing members are
/// null.
pub(crate) fn from_json(json: &[u8], ty: &Type) -> Decoded<'static> {
    let mut reader = Reader { faults: Vec::new() };
    let value = match serde_json::from_slice::<&RawValue>(json) {
        Ok(raw) => reader.value(raw.get(), ty, Path::ROOT),
        Err(_) => {
            reader.fault(Path::ROOT, "it is not valid JSON");
            Value::Null
        }
    };
    Decoded { value, faults: reader.faults }
}

impl Reader {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.faults.push(Fault::new(path, what));
    }

    /// Reads a value. A part that does not fit its type becomes null, with a fault.
    fn value(&mut self, json: &str, ty: &Type, path: Path<'_>) -> Value<'static> {
        let kind = json.as_bytes().first().copied().unwrap_or(b'n');
        let found = match (kind, ty) {
            (b'n', _) => Some(Value::Null),
            (b't' | b'f', Type::Bool) => Some(Value::Bool(kind == b't')),
            (b'"', Type::String) => {
                serde_json::from_str(json).ok().map(|text: String| Value::String(text.into()))
            }
            (b'-' | b'0'..=b'9', Type::Number) => number(json),
            (b'[', Type::List(element) | Type::Set(element)) => {
                let is_set = matches!(ty, Type::Set(_));
                self.sequence(json, element, is_set, path)
            }
            (b'{', Type::Map(element)) => entries(json).map(|entries| {
                let entries = entries.into_iter().map(|(key, raw)| {
                    let value = self.value(raw.get(), element, path.key(&key));
                    (key.into(), value)
                });
                Value::Map(entries.collect())
            }),
            (b'{', Type::Object(shape)) => {
                entries(json).map(|entries| self.object(&entries, shape, path))
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            let what = match kind {
                b'"' => "a string",
                b'[' => "a list",
                b'{' => "an object",
                b't' | b'f' => "a boolean",
                _ => "a number",
            };
            self.fault(path, format!("{} is required, not {what}", ty.description()));
            Value::Null
        })
    }

    fn sequence(
        &mut self,
        json: &str,
        element: &Type,
        is_set: bool,
        path: Path<'_>,
    ) -> Option<Value<'static>> {
        let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
        let values = items.iter().enumerate().map(|(index, raw)| {
            let at = if is_set { path.element() } else { path.index(index) };
            self.value(raw.get(), element, at)
        });
        Some(Value::Sequence(values.collect()))
    }

    fn object(
        &mut self,
        entries: &BTreeMap<String, &RawValue>,
        shape: &ObjectShape,
        path: Path<'_>,
    ) -> Value<'static> {
        let members = shape.fields.iter().map(|field| match entries.get(&field.name) {
            Some(raw) => self.value(raw.get(), &field.ty, path.name(&field.name)),
            None => Value::Null,
        });
        Value::Object(members.collect())
    }
}

fn entries(json: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(json).ok()
}

fn number(text: &str) -> Option<Value<'static>> {
    let exact = Number::Text(text.to_owned().into());
    exact.canonical()?;
    Some(Value::Number(text.parse().map_or(exact, Number::Integer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::test_values::field;
    use crate::wire::{Role, encode};

    fn shape(fields: &[(&str, Type)]) -> Type {
        let fields = fields.iter().map(|(name, ty)| field(name, ty.clone(), Role::Member));
        Type::Object(ObjectShape::new(fields.collect()))
    }

    fn bytes(json: &str, ty: &Type) -> Vec<u8> {
        let decoded = from_json(json.as_bytes(), ty);
        assert_eq!(decoded.faults, []);
        encode(&decoded.value, ty)
    }

    #[test]
    fn state_drops_removed_attributes_and_fills_added_ones_with_null() {
        let ty = shape(&[("added", Type::String), ("kept", Type::Number)]);
        assert_eq!(
            bytes(r#"{"kept":1,"removed":{"deep":[1]}}"#, &ty),
            b"\x82\xa5added\xc0\xa4kept\x01"
        );
    }

    #[test]
    fn state_keeps_every_digit_of_a_number() {
        for (json, expected) in [
            ("7", &b"\x07"[..]),
            ("0.5", b"\xa30.5"),
            ("0.1", b"\xa30.1"),
            ("18446744073709551616", b"\xb418446744073709551616"),
            ("9223372036854775807", b"\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"),
        ] {
            assert_eq!(bytes(json, &Type::Number), expected, "{json}");
        }
    }

    #[test]
    fn state_of_a_wrong_type_names_the_attribute() {
        let ty = shape(&[("rules", Type::List(Box::new(shape(&[("port", Type::Number)]))))]);
        let decoded = from_json(br#"{"rules":[{"port":1},{"port":"http"}]}"#, &ty);
        assert_eq!(decoded.faults.len(), 1);
        assert_eq!(decoded.faults[0].path.to_string(), "rules[1].port");
    }
}
