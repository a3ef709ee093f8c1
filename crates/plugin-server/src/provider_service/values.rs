//! Values of requests and of the provider, checked against their schema.

use std::borrow::Cow;

use bytes::Bytes;
use tf_provider::{AttributePath, Diagnostics};

use crate::diagnostic::{BUG, diagnostic, error, faults};
use crate::pb::tfplugin6 as pb;
use crate::registry::Registry;
use crate::wire::{self, Fault, Survey, Type, Value};

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
    is_fragile: bool,
    sets_read_only: bool,
    sets_write_only: bool,
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
        let survey = wire::survey(&value.msgpack, ty);
        let mut bytes = value.msgpack;
        if survey.rewritten && survey.faults.is_empty() {
            bytes = wire::encode(&wire::decode(&bytes, ty).value, ty).into();
        }
        Self::surveyed(diags, survey, bytes, ty, lead)
    }

    /// Reads a value of the state file.
    pub(super) fn from_json(
        diags: &mut Diagnostics,
        json: &[u8],
        ty: &'t Type,
        lead: &str,
    ) -> Option<Self> {
        let decoded = wire::from_json(json, ty);
        let bytes = Bytes::from(wire::encode(&decoded.value, ty));
        let survey = Survey { faults: decoded.faults, ..wire::survey(&bytes, ty) };
        Self::surveyed(diags, survey, bytes, ty, lead)
    }

    fn surveyed(
        diags: &mut Diagnostics,
        survey: Survey,
        bytes: Bytes,
        ty: &'t Type,
        lead: &str,
    ) -> Option<Self> {
        let Survey { faults, is_fragile, sets_read_only, sets_write_only, .. } = survey;
        if faults.is_empty() {
            return Some(Self { bytes, ty, is_fragile, sets_read_only, sets_write_only });
        }
        unexpected(diags, lead, faults);
        None
    }

    /// Replaces write-only attributes by null. Terraform leaves those of the configuration in the
    /// proposed state, although a plan must not contain them.
    pub(super) fn without_write_only(mut self) -> Self {
        if let (true, Some(shape)) = (self.sets_write_only, self.ty.object()) {
            let mut value = self.value();
            wire::clear_write_only(&mut value, shape);
            let bytes = wire::encode(&value, self.ty);
            drop(value);
            self.bytes = bytes.into();
        }
        self
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

    pub(super) fn sets_read_only(&self) -> bool {
        self.sets_read_only
    }

    pub(super) fn sets_write_only(&self) -> bool {
        self.sets_write_only
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Returns the value as one of those from which [`ReturnedValue::read_after`] restores parts of
    /// the provider's value.
    pub(super) fn into_received(self) -> Received {
        Received { bytes: self.bytes, is_fragile: self.is_fragile }
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

/// A value that the provider received in the same call.
pub(super) struct Received {
    pub(super) bytes: Bytes,
    is_fragile: bool,
}

/// A value that the provider returned, as Terraform stores it.
pub(super) struct ReturnedValue<'r> {
    bytes: Cow<'r, [u8]>,
    ty: &'r Type,
    unknown: Option<AttributePath>,
}

impl<'r> ReturnedValue<'r> {
    /// Reads a value that the provider returned, without write-only attributes. `lead` names the
    /// value in errors.
    ///
    /// Each attribute that does not fit the schema adds an error and becomes null, so that the rest
    /// of the value is not lost.
    pub(super) fn read(diags: &mut Diagnostics, bytes: &'r [u8], ty: &'r Type, lead: &str) -> Self {
        Self::read_after(diags, bytes, ty, lead, &[])
    }

    /// Reads a value that the provider returned, and restores what its types have changed in values
    /// that it received. The value that counts most is the first of `received`.
    pub(super) fn read_after(
        diags: &mut Diagnostics,
        bytes: &'r [u8],
        ty: &'r Type,
        lead: &str,
        received: &[&Received],
    ) -> Self {
        let mut survey = wire::survey(bytes, ty);
        let is_fragile = received.iter().any(|value| value.is_fragile);
        let is_kept = survey.faults.is_empty()
            && !survey.rewritten
            && !survey.has_floats
            && !survey.has_raw_text
            && !survey.sets_write_only
            && !is_fragile;
        if survey.faults.is_empty() && matches!(bytes, [] | [wire::NIL]) {
            error(diags, "Invalid value from the provider", format!("{lead} is null. {BUG}"));
        }
        faults(diags, "Invalid value from the provider", lead, std::mem::take(&mut survey.faults));
        if is_kept {
            return Self { bytes: bytes.into(), ty, unknown: survey.unknown };
        }
        let mut value = wire::decode(bytes, ty).value;
        if survey.sets_write_only
            && let Some(shape) = ty.object()
        {
            wire::clear_write_only(&mut value, shape);
        }
        if survey.has_raw_text {
            wire::normalise(&mut value);
        }
        if survey.has_floats || is_fragile {
            let received: Vec<Value<'_>> =
                received.iter().map(|value| wire::decode(&value.bytes, ty).value).collect();
            wire::restore(&mut value, &received.iter().collect::<Vec<_>>(), ty);
            let bytes = wire::encode(&value, ty);
            return Self { bytes: bytes.into(), ty, unknown: survey.unknown };
        }
        Self { bytes: wire::encode(&value, ty).into(), ty, unknown: survey.unknown }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.bytes[..], [] | [wire::NIL])
    }

    fn value(&self) -> Value<'_> {
        wire::decode(&self.bytes, self.ty).value
    }

    /// Adds an error if anything is unknown.
    pub(super) fn require_known(&self, diags: &mut Diagnostics, lead: &str) {
        if let Some(path) = &self.unknown {
            let detail = format!("{lead} still has an unknown value at {path}. {BUG}");
            diags.errors.push(diagnostic("Unknown value from the provider", detail, path.clone()));
        }
    }

    /// Replaces unknown values by null.
    pub(super) fn unknown_to_null(&mut self) {
        if self.unknown.take().is_some() {
            self.change(wire::unknown_to_null);
        }
    }

    /// Replaces the whole value by one of the request.
    pub(super) fn replace(&mut self, bytes: &'r [u8]) {
        self.unknown = wire::survey(bytes, self.ty).unknown;
        self.bytes = bytes.into();
    }

    /// Replaces attributes that a configuration cannot set by null.
    pub(super) fn keep_only_config(&mut self) {
        self.change(|value, ty| {
            if let Some(shape) = ty.object() {
                wire::keep_only_config(value, shape);
            }
        });
    }

    fn change(&mut self, change: impl FnOnce(&mut Value<'_>, &Type)) {
        let mut value = self.value();
        change(&mut value, self.ty);
        let bytes = wire::encode(&value, self.ty);
        drop(value);
        self.bytes = bytes.into();
    }

    /// Returns the value as bytes if they differ from those that the provider returned.
    pub(super) fn rewritten(self) -> Option<Vec<u8>> {
        match self.bytes {
            Cow::Owned(bytes) => Some(bytes),
            Cow::Borrowed(_) => None,
        }
    }
}

/// Checks a value of the provider in which nothing may be unknown, and returns it as bytes.
pub(super) fn known_value(
    diags: &mut Diagnostics,
    bytes: Vec<u8>,
    ty: &Type,
    lead: &str,
) -> Vec<u8> {
    known_value_after(diags, bytes, ty, lead, &[])
}

/// Checks a value of the provider in which nothing may be unknown, restores what its types have
/// changed in values that it received, and returns it as bytes.
pub(super) fn known_value_after(
    diags: &mut Diagnostics,
    bytes: Vec<u8>,
    ty: &Type,
    lead: &str,
    received: &[&Received],
) -> Vec<u8> {
    let returned = ReturnedValue::read_after(diags, &bytes, ty, lead, received);
    returned.require_known(diags, lead);
    let rewritten = returned.rewritten();
    rewritten.unwrap_or(bytes)
}
