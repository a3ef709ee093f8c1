//! Conversion between bytes and the types of a provider.

use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;

pub(crate) use super::family::Family;
use super::refit::refit;
use crate::diagnostic::{BUG, error};
use crate::wire::{self, Type};

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
        Err(_) => refit::<F>(diags, ty, bytes),
    }
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
