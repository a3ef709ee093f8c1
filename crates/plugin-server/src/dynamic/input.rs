//! The values of a call, and their conversion to the types of a provider.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;

use crate::diagnostic::{BUG, error};
use crate::wire::{self, MissingValue, Survey, Type, Value};

/// A family of types that borrow from the bytes that they are deserialized from, one for each
/// lifetime.
pub(crate) trait Family {
    type Of<'a>: Deserialize<'a> + Send;
}

/// A null value. Empty bytes are null, too.
const NULL: &[u8] = &[wire::NIL];

/// The MessagePack of a map without entries.
const EMPTY_MAP: &[u8] = &[0x80];

fn or_nil(bytes: &[u8]) -> &[u8] {
    if bytes.is_empty() { NULL } else { bytes }
}

/// A value that fits its schema type, encoded in msgpack.
#[derive(Clone, Debug)]
pub(crate) struct Input<'t> {
    bytes: Bytes,
    ty: &'t Type,
    /// These two are properties of the [`Survey`].
    pub(crate) sets_read_only: bool,
    pub(crate) missing: Vec<MissingValue>,
}

impl<'t> Input<'t> {
    /// Returns a value that was checked before.
    pub(crate) fn new(bytes: impl Into<Bytes>, ty: &'t Type) -> Self {
        Self::surveyed(bytes.into(), ty, Survey::default())
    }

    /// Returns a value with the properties that its survey has found.
    pub(crate) fn surveyed(bytes: Bytes, ty: &'t Type, survey: Survey) -> Self {
        let Survey { sets_read_only, missing, .. } = survey;
        Self { bytes, ty, sets_read_only, missing }
    }

    /// Deserializes the value to a type of the provider.
    pub(crate) fn read<F: Family>(&self, diags: &mut Diagnostics) -> Option<F::Of<'_>> {
        untyped(diags, &self.bytes, "a value of its schema")
    }

    pub(crate) fn ty(&self) -> &'t Type {
        self.ty
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn value(&self) -> Value<'_> {
        wire::decode(&self.bytes, self.ty).value
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.bytes[..], [] | NULL)
    }
}

/// Deserializes a value, or adds an error that blames the provider. The reason is not shown,
/// because it can contain a secret of the configuration.
fn untyped<'b, T: Deserialize<'b>>(
    diags: &mut Diagnostics,
    bytes: &'b [u8],
    what: &str,
) -> Option<T> {
    let value = rmp_serde::from_slice(or_nil(bytes)).ok();
    if value.is_none() {
        error(diags, "Unreadable value", format!("The provider cannot read {what}. {BUG}"));
    }
    value
}

/// Returns the metadata of a module, `provider_meta`, which is not served: it is always null.
pub(super) fn empty_meta<'b, T: Deserialize<'b>>(diags: &mut Diagnostics) -> Option<T> {
    untyped(diags, NULL, "an empty `provider_meta`")
}

/// Deserializes private data. Unreadable private data is treated as empty, because an older version
/// of the provider may have written it, or another provider. Empty is null, and for a type that
/// does not accept null a map without fields.
pub(crate) fn read_private<'b, T: Deserialize<'b>>(
    diags: &mut Diagnostics,
    bytes: &'b [u8],
) -> Option<T> {
    let bytes = or_nil(bytes);
    match rmp_serde::from_slice(bytes) {
        Ok(value) => return Some(value),
        Err(_) if bytes == NULL => {}
        Err(reason) => tracing::warn!(%reason, "unreadable private data is treated as empty"),
    }
    let without_fields = || rmp_serde::from_slice(EMPTY_MAP).ok();
    rmp_serde::from_slice(NULL)
        .ok()
        .or_else(without_fields)
        .or_else(|| untyped(diags, NULL, "private data that is empty"))
}

/// Encodes a value of the provider, or adds an error that blames the provider.
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use tf_provider::Diagnostics;

    use super::read_private;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Private {
        object: Object,
        sent: Option<String>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Object {
        reads: bool,
    }

    #[test]
    fn private_data_that_cannot_be_read_are_empty() {
        let damaged: [&[u8]; 6] = [
            b"",
            b"\xc0",
            b"\xc1",
            b"{\"schema_version\":1}",
            b"\x82\xa6object\x81\xa5reads\xa3yes\xa4sent\xa1x",
            b"\xdf\xff\xff\xff\xff",
        ];
        for bytes in damaged {
            let mut diags = Diagnostics::default();
            assert_eq!(read_private(&mut diags, bytes), Some(Private::default()), "{bytes:?}");
            assert_eq!(read_private(&mut diags, bytes), Some(None::<Private>), "{bytes:?}");
            assert_eq!(diags.errors.len(), 0);
        }
        let newer = b"\x82\xa6object\x82\xa5reads\xc3\xa5extra\x01\xa4more\x01";
        let known = Private { object: Object { reads: true }, sent: None };
        assert_eq!(read_private(&mut Diagnostics::default(), newer), Some(known));
    }
}
