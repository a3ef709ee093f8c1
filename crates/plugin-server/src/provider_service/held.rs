//! Values on their way in and out.

use bytes::Bytes;
use tf_provider::Diagnostics;

use crate::diagnostic::{BUG, diagnostic, error, faults};
use crate::pb::tfplugin6 as pb;
use crate::wire::{self, Fault, ObjectShape, Path, Type, Value};

/// A value from the host, in the msgpack that a provider's type can read.
#[derive(Clone, Debug)]
pub(crate) struct Held<'t> {
    bytes: Bytes,
    ty: &'t Type,
}

impl<'t> Held<'t> {
    /// Checks a value of a request. `None` comes with an error for each place that is wrong.
    pub(crate) fn read(
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
    pub(crate) fn from_json(
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

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn value(&self) -> Value<'_> {
        wire::decode(&self.bytes, self.ty).value
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.bytes[..], [] | [0xc0])
    }

    pub(crate) fn into_wire(self) -> pb::DynamicValue {
        pb::DynamicValue { msgpack: self.bytes, json: Bytes::new() }
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

/// Null, as an answer.
pub(crate) fn null() -> pb::DynamicValue {
    pb::DynamicValue { msgpack: Bytes::from_static(&[0xc0]), json: Bytes::new() }
}

/// A value that the provider returned, while it is judged.
pub(crate) struct Returned<'r> {
    pub(crate) value: Value<'r>,
    ty: &'r Type,
    changed: bool,
}

impl<'r> Returned<'r> {
    /// Reads what the provider returned. Where it does not fit its schema there is an error, and
    /// null in its place, so that the rest is not lost.
    pub(crate) fn read(diags: &mut Diagnostics, bytes: &'r [u8], ty: &'r Type, lead: &str) -> Self {
        let decoded = wire::decode(bytes, ty);
        let changed = decoded.rewritten || !decoded.faults.is_empty();
        let is_fine = decoded.faults.is_empty();
        faults(diags, "Invalid value from the provider", lead, decoded.faults);
        if is_fine && decoded.value.is_null() {
            error(diags, "Invalid value from the provider", format!("{lead} is null. {BUG}"));
        }
        Self { value: decoded.value, ty, changed }
    }

    pub(crate) fn clear_write_only(mut self, shape: &ObjectShape) -> Self {
        self.changed |= wire::clear_write_only(&mut self.value, shape);
        self
    }

    /// Adds an error if anything is unknown.
    pub(crate) fn require_known(&self, diags: &mut Diagnostics, lead: &str) {
        if let Some(path) = wire::find_unknown(&self.value, self.ty, Path::ROOT) {
            let detail = format!("{lead} still has an unknown value at {path}. {BUG}");
            diags.errors.push(diagnostic("Unknown value from the provider", detail, path));
        }
    }

    pub(crate) fn unknown_to_null(&mut self) {
        if !self.value.is_wholly_known() {
            wire::unknown_to_null(&mut self.value, self.ty);
            self.changed = true;
        }
    }

    pub(crate) fn keep_only_config(&mut self, shape: &ObjectShape) {
        wire::keep_only_config(&mut self.value, shape);
        self.changed = true;
    }

    /// The bytes, if they are others than those that the provider returned.
    pub(crate) fn rewritten(&self) -> Option<Vec<u8>> {
        self.changed.then(|| wire::encode(&self.value, self.ty))
    }
}
