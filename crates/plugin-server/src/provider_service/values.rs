//! Values of requests and of the provider, checked against their schema.

use bytes::Bytes;
use tf_provider::Diagnostics;

use crate::diagnostic::{BUG, diagnostic, error, faults};
use crate::pb::tfplugin6 as pb;
use crate::registry::Registry;
use crate::wire::{self, Fault, Path, Type, Value};

/// The name of a configuration in errors.
pub(super) const CONFIG: &str = "The configuration";

/// Returns whether a value of a request is null.
pub(super) fn is_null(value: Option<&pb::DynamicValue>) -> bool {
    value.is_none_or(|value| match &value.msgpack[..] {
        [] => matches!(&value.json[..], b"" | b"null"),
        msgpack => msgpack == [wire::NIL],
    })
}

/// Returns null, as a message.
pub(super) fn null_value() -> pb::DynamicValue {
    pb::DynamicValue { msgpack: Bytes::from_static(&[wire::NIL]), json: Bytes::new() }
}

/// Returns a value as a message.
pub(super) fn msgpack_value(msgpack: impl Into<Bytes>) -> pb::DynamicValue {
    pb::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() }
}

/// Reads the provider's metadata. Returns empty bytes if the provider does not have a schema for
/// it.
pub(super) fn provider_meta(
    registry: &Registry,
    diags: &mut Diagnostics,
    value: Option<pb::DynamicValue>,
) -> Option<Bytes> {
    match &registry.provider.meta {
        None => Some(Bytes::new()),
        Some(meta) => RequestValue::read(diags, value, &meta.ty, "provider_meta")
            .map(RequestValue::into_bytes),
    }
}

/// A value of a request, encoded in msgpack for the provider's type.
#[derive(Clone, Debug)]
pub(super) struct RequestValue<'t> {
    bytes: Bytes,
    ty: &'t Type,
}

impl<'t> RequestValue<'t> {
    /// Checks a value of a request. `lead` names the value in errors.
    ///
    /// Returns `None` after adding an error for each invalid attribute.
    pub(super) fn read(
        diags: &mut Diagnostics,
        value: Option<pb::DynamicValue>,
        ty: &'t Type,
        lead: &str,
    ) -> Option<Self> {
        let value = value.unwrap_or_default();
        if value.msgpack.is_empty() && !value.json.is_empty() {
            return Self::from_json(diags, &value.json, ty, lead);
        }
        let decoded = wire::decode(&value.msgpack, ty);
        if !decoded.faults.is_empty() {
            unexpected(diags, lead, decoded.faults);
            return None;
        }
        let rewritten = decoded.rewritten.then(|| wire::encode(&decoded.value, ty).into());
        drop(decoded);
        Some(Self { bytes: rewritten.unwrap_or(value.msgpack), ty })
    }

    /// Reads a value of the state file.
    pub(super) fn from_json(
        diags: &mut Diagnostics,
        json: &[u8],
        ty: &'t Type,
        lead: &str,
    ) -> Option<Self> {
        let decoded = wire::from_json(json, ty);
        if !decoded.faults.is_empty() {
            unexpected(diags, lead, decoded.faults);
            return None;
        }
        Some(Self { bytes: wire::encode(&decoded.value, ty).into(), ty })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn value(&self) -> Value<'_> {
        wire::decode(&self.bytes, self.ty).value
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.bytes[..], [] | [wire::NIL])
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.bytes
    }

    pub(super) fn into_message(self) -> pb::DynamicValue {
        msgpack_value(self.bytes)
    }
}

fn unexpected(diags: &mut Diagnostics, lead: &str, found: Vec<Fault>) {
    for fault in found {
        let what = fault.what;
        let detail = if fault.path.steps.is_empty() {
            format!("{lead} cannot be read: {what}.")
        } else {
            format!("{lead} cannot be read at {}: {what}.", fault.path)
        };
        diags.errors.push(diagnostic("Unexpected value", detail, fault.path));
    }
}

/// A value that the provider returned and that is being checked.
pub(super) struct ReturnedValue<'r> {
    pub(super) value: Value<'r>,
    ty: &'r Type,
    changed: bool,
}

impl<'r> ReturnedValue<'r> {
    /// Reads a value that the provider returned, without write-only attributes. `lead` names the
    /// value in errors.
    ///
    /// Each attribute that does not fit the schema adds an error and becomes null, so that the rest
    /// of the value is not lost.
    pub(super) fn read(diags: &mut Diagnostics, bytes: &'r [u8], ty: &'r Type, lead: &str) -> Self {
        let decoded = wire::decode(bytes, ty);
        let mut changed = decoded.rewritten || !decoded.faults.is_empty();
        let fits = decoded.faults.is_empty();
        faults(diags, "Invalid value from the provider", lead, decoded.faults);
        let mut value = decoded.value;
        if fits && value.is_null() {
            error(diags, "Invalid value from the provider", format!("{lead} is null. {BUG}"));
        }
        if let Some(shape) = ty.object() {
            changed |= wire::clear_write_only(&mut value, shape);
        }
        Self { value, ty, changed }
    }

    /// Adds an error if anything is unknown.
    pub(super) fn require_known(&self, diags: &mut Diagnostics, lead: &str) {
        if let Some(path) = wire::find_unknown(&self.value, self.ty, Path::ROOT) {
            let detail = format!("{lead} still has an unknown value at {path}. {BUG}");
            diags.errors.push(diagnostic("Unknown value from the provider", detail, path));
        }
    }

    /// Replaces unknown values by null.
    pub(super) fn unknown_to_null(&mut self) {
        if !self.value.is_wholly_known() {
            wire::unknown_to_null(&mut self.value, self.ty);
            self.changed = true;
        }
    }

    /// Replaces the whole value.
    pub(super) fn replace(&mut self, value: Value<'r>) {
        self.value = value;
        self.changed = true;
    }

    /// Replaces attributes that a configuration cannot set by null.
    pub(super) fn keep_only_config(&mut self) {
        if let Some(shape) = self.ty.object() {
            wire::keep_only_config(&mut self.value, shape);
            self.changed = true;
        }
    }

    /// Returns the value as bytes if they differ from those that the provider returned.
    pub(super) fn rewritten(&self) -> Option<Vec<u8>> {
        self.changed.then(|| wire::encode(&self.value, self.ty))
    }
}

/// Checks a value of the provider in which nothing may be unknown, and returns it as bytes.
pub(super) fn known_value(
    diags: &mut Diagnostics,
    bytes: Vec<u8>,
    ty: &Type,
    lead: &str,
) -> Vec<u8> {
    let returned = ReturnedValue::read(diags, &bytes, ty, lead);
    returned.require_known(diags, lead);
    let rewritten = returned.rewritten();
    rewritten.unwrap_or(bytes)
}
