//! Equality of values by Terraform's definition, and the keys by which values are compared.
//!
//! Two values of one type are equal if and only if their keys are equal. Keys can be sorted and
//! hashed, so that sets are compared in O(n log n). Comparing each pair of 100,000 elements would
//! take minutes.

use super::number::Number;
use super::shape::Type;
use super::value::Value;

/// The first byte of a key: the kind of the value.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const UNKNOWN: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const TRUE: u8 = 3;
    pub(super) const STRING: u8 = 4;
    pub(super) const NUMBER: u8 = 5;
    pub(super) const SEQUENCE: u8 = 6;
    pub(super) const SET: u8 = 7;
    pub(super) const MAP: u8 = 8;
    pub(super) const OBJECT: u8 = 9;
}

/// The key of a value: bytes that are equal exactly if the values are equal.
pub(crate) type Key = Vec<u8>;

/// Returns the key of a value of type `ty`.
pub(super) fn key(value: &Value<'_>, ty: &Type) -> Key {
    let mut out = Key::new();
    write_key(&mut out, value, ty);
    out
}

/// Returns the keys of a set's elements, sorted. Equal elements count once if they are wholly
/// known; unknown ones may become different elements.
pub(crate) fn set_keys(items: &[Value<'_>], element: &Type) -> Vec<Key> {
    let mut keys: Vec<(Key, bool)> =
        items.iter().map(|item| (key(item, element), item.is_wholly_known())).collect();
    keys.sort_unstable();
    keys.dedup_by(|(a, known), (b, _)| *known && a == b);
    keys.into_iter().map(|(key, _)| key).collect()
}

/// Appends the key of a value of type `ty`.
///
/// Every part is preceded by its length, so that no two values share a key.
pub(super) fn write_key(out: &mut Key, value: &Value<'_>, ty: &Type) {
    match value {
        Value::Null => out.push(tag::NULL),
        Value::Unknown => out.push(tag::UNKNOWN),
        Value::Bool(false) => out.push(tag::FALSE),
        Value::Bool(true) => out.push(tag::TRUE),
        Value::String(text) => {
            out.push(tag::STRING);
            write_bytes(out, text.as_bytes());
        }
        Value::Number(number) => write_number(out, number),
        Value::Sequence(items) => match ty {
            Type::Set(element) => {
                let keys = set_keys(items, element);
                out.push(tag::SET);
                write_length(out, keys.len());
                keys.iter().for_each(|key| write_bytes(out, key));
            }
            _ => {
                out.push(tag::SEQUENCE);
                write_length(out, items.len());
                let element = ty.element().unwrap_or(ty);
                items.iter().for_each(|item| write_key(out, item, element));
            }
        },
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            out.push(tag::MAP);
            write_length(out, entries.len());
            for (name, item) in entries {
                write_bytes(out, name.as_bytes());
                write_key(out, item, ty.element().unwrap_or(ty));
            }
        }
        Value::Object(members) => {
            out.push(tag::OBJECT);
            let fields = if let Type::Object(shape) = ty { &shape.fields[..] } else { &[] };
            for (field, member) in fields.iter().zip(members) {
                write_key(out, member, &field.ty);
            }
        }
    }
}

fn write_length(out: &mut Key, length: usize) {
    out.extend(length.to_be_bytes());
}

fn write_bytes(out: &mut Key, bytes: &[u8]) {
    write_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends a number by its value, so `1.50` and `1.5` have one key.
fn write_number(out: &mut Key, number: &Number<'_>) {
    out.push(tag::NUMBER);
    // The decoder rejects text that is not a number.
    let (negative, digits, power) = number.canonical().unwrap_or_default();
    out.push(u8::from(negative));
    out.extend(power.to_be_bytes());
    write_bytes(out, digits.as_bytes());
}

impl Value<'_> {
    /// Returns whether Terraform considers both to be one value of type `ty`.
    pub(crate) fn equals(&self, other: &Self, ty: &Type) -> bool {
        key(self, ty) == key(other, ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Value<'_> {
        Value::String(text.into())
    }

    fn set_of(element: Type) -> Type {
        Type::Set(Box::new(element))
    }

    fn sequence<'a>(items: &[Value<'a>]) -> Value<'a> {
        Value::Sequence(items.to_vec())
    }

    #[test]
    fn sets_and_maps_are_equal_in_any_order_and_lists_are_not() {
        let texts = |names: &[&'static str]| {
            let item =
                |name: &&'static str| if *name == "?" { Value::Unknown } else { string(name) };
            Value::Sequence(names.iter().map(item).collect())
        };
        let map = |names: &[&'static str]| {
            Value::Map(names.iter().map(|name| ((*name).into(), string(name))).collect())
        };
        let list = Type::List(Box::new(Type::String));
        let set = set_of(Type::String);
        let sets = set_of(set.clone());
        let map_type = Type::Map(Box::new(Type::String));
        for (a, b, ty, expected) in [
            (texts(&["x", "y"]), texts(&["y", "x", "x"]), &set, true),
            (texts(&["x", "y"]), texts(&["y", "x"]), &list, false),
            (texts(&["x", "y"]), texts(&["x"]), &set, false),
            // Unknown elements are counted.
            (texts(&["?", "x", "?"]), texts(&["?", "?", "x"]), &set, true),
            (texts(&["?", "x", "?"]), texts(&["?", "x"]), &set, false),
            (
                sequence(&[texts(&["x", "y"]), texts(&[])]),
                sequence(&[texts(&[]), texts(&["y", "x", "x"])]),
                &sets,
                true,
            ),
            (map(&["a", "b"]), map(&["b", "a"]), &map_type, true),
            (map(&["a", "b"]), map(&["a", "c"]), &map_type, false),
        ] {
            assert_eq!(a.equals(&b, ty), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn key_separates_values_that_look_alike() {
        let list = Type::List(Box::new(Type::String));
        let values = [
            (string("1"), Type::String),
            (Value::Number(Number::Integer(1)), Type::Number),
            (Value::Null, Type::String),
            (Value::Unknown, Type::String),
            (sequence(&[]), list.clone()),
            (sequence(&[]), set_of(Type::String)),
            (sequence(&[string("ab"), string("c")]), list.clone()),
            (sequence(&[string("a"), string("bc")]), list),
        ];
        let mut keys: Vec<Key> = values.iter().map(|(value, ty)| key(value, ty)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), values.len());
    }
}
