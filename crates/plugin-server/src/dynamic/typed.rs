//! Conversion between bytes and the types of a provider.

use serde::{Deserialize, Serialize};
use tf_provider::{AttributePath, AttributePathStep, Diagnostics};

use crate::diagnostic::{BUG, diagnostic, error};
use crate::wire::{self, Number, Type, Value};

/// A family of types that borrow from the bytes that they are deserialized from, one for each
/// lifetime.
pub(crate) trait Family {
    type Of<'a>: Deserialize<'a> + Send;
}

/// A null value. Empty bytes are null, too.
const NULL: &[u8] = &[wire::NIL];

fn or_nil(bytes: &[u8]) -> &[u8] {
    if bytes.is_empty() { NULL } else { bytes }
}

/// Deserializes a value that fits the schema type `ty`. If the provider's own type cannot represent
/// it, the errors name the attributes.
pub(crate) fn read_typed<'b, F: Family>(
    diags: &mut Diagnostics,
    ty: &Type,
    bytes: &'b [u8],
) -> Option<F::Of<'b>> {
    match rmp_serde::from_slice(or_nil(bytes)) {
        Ok(value) => Some(value),
        Err(reason) => {
            let value = wire::decode(bytes, ty).value;
            let accepts = |value: &Value<'_>| {
                rmp_serde::from_slice::<F::Of<'_>>(&wire::encode(value, ty)).is_ok()
            };
            for path in wire::locate(&value, ty, &accepts) {
                refuse(diags, &value, ty, path, &reason);
            }
            None
        }
    }
}

fn refuse(
    diags: &mut Diagnostics,
    value: &Value<'_>,
    ty: &Type,
    path: AttributePath,
    reason: &rmp_serde::decode::Error,
) {
    if path.steps.is_empty() {
        // The message of serde can contain the value, so it is only logged.
        tracing::debug!(%reason, "a value does not fit the provider's type");
        let detail = format!("The provider's type for the value does not fit its schema. {BUG}");
        return error(diags, "Unreadable value", detail);
    }
    let detail = match at(value, ty, &path) {
        Some(Value::Number(number)) => match number {
            Number::Signed(_) | Number::Unsigned(_) => "The number is out of range here.",
            Number::Float(_) | Number::Text(_) if !is_whole(number) => {
                "A whole number is required."
            }
            Number::Float(_) | Number::Text(_) => "The number is out of range here.",
        },
        Some(Value::Null) => "A value is required.",
        Some(Value::Unknown) => "The value must be known here.",
        _ => "The provider does not accept this value.",
    };
    diags.errors.push(diagnostic("Unsupported value", detail, path));
}

fn is_whole(number: &Number<'_>) -> bool {
    number.canonical().is_some_and(|(_, _, power)| power >= 0)
}

/// Returns the value at `path`; `None` inside sets and dynamic values.
fn at<'v, 'a>(value: &'v Value<'a>, ty: &Type, path: &AttributePath) -> Option<&'v Value<'a>> {
    let (mut value, mut ty) = (value, ty);
    for step in &path.steps {
        (value, ty) = match (ty, step) {
            (Type::Object(shape), AttributePathStep::Attribute(name)) => {
                let at = shape.position(name)?;
                (value.members().get(at)?, &shape.fields.get(at)?.ty)
            }
            (Type::Map(element), AttributePathStep::Key(key)) => (value.entry(key)?, &**element),
            (Type::List(element), AttributePathStep::Index(index)) => {
                (value.items().get(usize::try_from(*index).ok()?)?, &**element)
            }
            (Type::Tuple(types), AttributePathStep::Index(index)) => {
                let index = usize::try_from(*index).ok()?;
                (value.items().get(index)?, types.get(index)?)
            }
            _ => return None,
        };
    }
    Some(value)
}

/// Deserializes a value without a schema.
pub(crate) fn untyped<'b, T: Deserialize<'b>>(
    diags: &mut Diagnostics,
    bytes: &'b [u8],
    what: &str,
) -> Option<T> {
    match rmp_serde::from_slice(or_nil(bytes)) {
        Ok(value) => Some(value),
        Err(reason) => {
            tracing::debug!(%reason, what, "a value does not fit the provider's type");
            error(diags, "Unreadable value", format!("The provider cannot read {what}. {BUG}"));
            None
        }
    }
}

/// Deserializes private data. Unreadable private data is treated as empty, because an older version
/// of the provider may have written it, or another provider before a move.
pub(crate) fn read_private<'b, T: Deserialize<'b>>(
    diags: &mut Diagnostics,
    bytes: &'b [u8],
) -> Option<T> {
    match rmp_serde::from_slice(or_nil(bytes)) {
        Ok(value) => Some(value),
        Err(reason) => {
            tracing::warn!(%reason, "unreadable private data is treated as empty");
            untyped(diags, NULL, "private data that is empty")
        }
    }
}

pub(crate) fn encode<T: Serialize>(diags: &mut Diagnostics, value: &T) -> Option<Vec<u8>> {
    match rmp_serde::to_vec_named(value) {
        Ok(bytes) => Some(bytes),
        Err(reason) => {
            tracing::debug!(%reason, "a value of the provider cannot be encoded");
            error(
                diags,
                "Invalid value from the provider",
                format!("A value that the provider returned cannot be encoded. {BUG}"),
            );
            None
        }
    }
}

/// Encodes private data. Null becomes empty bytes.
pub(crate) fn encode_private<T: Serialize>(diags: &mut Diagnostics, value: &T) -> Option<Vec<u8>> {
    let bytes = encode(diags, value)?;
    Some(if bytes == NULL { Vec::new() } else { bytes })
}
