//! Between bytes and the types of a provider.

use serde::{Deserialize, Serialize};
use tf_provider::{AttributePath, AttributePathStep, Diagnostics};

use crate::diagnostic::{BUG, diagnostic, error};
use crate::wire::{self, Number, Type, Value};

/// A type that borrows from the bytes it is read from, for any lifetime of theirs.
pub(crate) trait Family {
    type Of<'a>: Deserialize<'a> + Send;
}

/// A null value, which no bytes at all are as well.
const NULL: &[u8] = &[wire::NIL];

fn or_nil(bytes: &[u8]) -> &[u8] {
    if bytes.is_empty() { NULL } else { bytes }
}

/// Reads what the walker has found to be of type `ty`. Where the provider's own type cannot hold
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
        // serde's words may repeat the value, so they stay in the log.
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
        Some(Value::Unknown) => "The value has to be known here.",
        _ => "The provider does not accept this value.",
    };
    diags.errors.push(diagnostic("Unsupported value", detail, path));
}

fn is_whole(number: &Number<'_>) -> bool {
    number.canonical().is_some_and(|(_, _, power)| power >= 0)
}

/// The value at `path`; `None` within sets and dynamic values.
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

/// Reads what no schema describes; no bytes are null.
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

/// Reads private data. What cannot be read counts as none: it may come from an older version, or
/// from another provider by a move.
pub(crate) fn read_private<'b, T: Deserialize<'b>>(
    diags: &mut Diagnostics,
    bytes: &'b [u8],
) -> Option<T> {
    match rmp_serde::from_slice(or_nil(bytes)) {
        Ok(value) => Some(value),
        Err(reason) => {
            tracing::warn!(%reason, "private data that cannot be read counts as none");
            untyped(diags, NULL, "private data that is empty")
        }
    }
}

pub(crate) fn encode<T: Serialize>(diags: &mut Diagnostics, value: &T) -> Option<Vec<u8>> {
    match rmp_serde::to_vec_named(value) {
        Ok(bytes) => Some(bytes),
        Err(reason) => {
            tracing::debug!(%reason, "an answer cannot be written");
            error(
                diags,
                "Unwritable value",
                format!("The provider's answer cannot be written. {BUG}"),
            );
            None
        }
    }
}

/// Writes private data; null is none.
pub(crate) fn encode_private<T: Serialize>(diags: &mut Diagnostics, value: &T) -> Option<Vec<u8>> {
    let bytes = encode(diags, value)?;
    Some(if bytes == NULL { Vec::new() } else { bytes })
}
