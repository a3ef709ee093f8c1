//! Encoding in msgpack, according to a type.

use rmp::{Marker, encode as write};

use super::number::Number;
use super::shape::Type;
use super::token::NIL;
use super::value::Value;

/// Writes a value of type `ty`.
pub(crate) fn encode(value: &Value<'_>, ty: &Type) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to a vector cannot fail; an error could only come from the writer.
    let written = put(&mut out, value, ty);
    debug_assert!(written.is_ok(), "a vector takes every byte");
    out
}

type Written = Result<(), write::ValueWriteError>;

/// Appends a value. Parts that do not fit `ty` are null or of the type of the whole, which the
/// decoder excludes.
fn put(out: &mut Vec<u8>, value: &Value<'_>, ty: &Type) -> Written {
    let length = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    match (value, ty) {
        (Value::Null, _) => out.push(NIL),
        // Terraform writes extension type 0 with one byte, too.
        (Value::Unknown, _) => out.extend([Marker::FixExt1.to_u8(), 0, 0]),
        (Value::Bool(true), _) => out.push(Marker::True.to_u8()),
        (Value::Bool(false), _) => out.push(Marker::False.to_u8()),
        (Value::String(text), _) => write::write_str(out, text)?,
        (Value::Number(number), _) => match number {
            Number::Integer(number) => {
                write::write_sint(out, *number)?;
            }
            Number::Text(text) => write::write_str(out, text)?,
        },
        (Value::Sequence(items), ty) => {
            write::write_array_len(out, length(items.len()))?;
            let element = ty.element().unwrap_or(ty);
            for item in items {
                put(out, item, element)?;
            }
        }
        (Value::Map(entries), ty) => {
            let element = ty.element().unwrap_or(ty);
            write::write_map_len(out, length(entries.len()))?;
            for (key, value) in entries {
                write::write_str(out, key)?;
                put(out, value, element)?;
            }
        }
        (Value::Object(members), Type::Object(shape)) => {
            write::write_map_len(out, length(shape.fields.len()))?;
            for (field, member) in shape.fields.iter().zip(members) {
                write::write_str(out, &field.name)?;
                put(out, member, &field.ty)?;
            }
        }
        (Value::Object(_), _) => out.push(NIL),
    }
    Ok(())
}
