//! Values of requests and of the provider, checked against their schema.

use bytes::Bytes;
use tf_provider::{AttributePath, AttributePathStep, Diagnostic, Diagnostics};

use crate::diagnostic::{BUG, diagnostic, error, faults};
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::wire::{self, MissingValue, Survey, Type, Value};

/// The name of a configuration in errors.
pub(super) const CONFIG: &str = "The configuration";

/// What to do about a value of the state file that does not fit its schema.
const EDITED: &str = "The state may have been edited: remove the object with `terraform state rm`, and import it again.";

/// Returns null, as a message.
pub(super) fn null_value() -> pb::DynamicValue {
    msgpack_value(&[wire::NIL][..])
}

/// Returns a value as a message.
pub(super) fn msgpack_value(msgpack: impl Into<Bytes>) -> pb::DynamicValue {
    pb::DynamicValue { msgpack: msgpack.into(), ..Default::default() }
}

/// Checks a value of a request. `lead` names the value in errors.
///
/// Returns `None` after adding an error for each invalid attribute.
pub(super) fn read_value<'t>(
    diags: &mut Diagnostics,
    value: Option<pb::DynamicValue>,
    ty: &'t Type,
    lead: &str,
) -> Option<Input<'t>> {
    let pb::DynamicValue { msgpack: mut bytes, json } = value.unwrap_or_default();
    if !json.is_empty() {
        let detail = format!(
            "{lead} is in JSON, which this provider does not read. Use a released version of Terraform or OpenTofu."
        );
        error(diags, "Unsupported encoding", detail);
        return None;
    }
    let mut survey = wire::survey(&bytes, ty);
    if survey.rewritten && survey.faults.is_empty() {
        bytes = wire::encode(&wire::decode(&bytes, ty).value, ty).into();
        // Members that were added are null.
        survey = wire::survey(&bytes, ty);
    }
    input(diags, survey, bytes, ty, (lead, ""))
}

/// Checks a configuration by which the provider is about to act, in which every required attribute
/// has a value, and so has every element of a list or a set.
///
/// Hosts check only that a required argument is written. Its expression may be null. A validation
/// must accept that, because hosts validate blocks that have no instances, and modules whose
/// variables are null by default.
pub(super) fn read_complete<'t>(
    diags: &mut Diagnostics,
    value: Option<pb::DynamicValue>,
    ty: &'t Type,
    lead: &str,
) -> Option<Input<'t>> {
    let config = read_value(diags, value, ty, lead)?;
    diags.errors.extend(config.missing.iter().map(missing_value));
    config.missing.is_empty().then_some(config)
}

/// Returns the error about a value that is null.
fn missing_value(missing: &MissingValue) -> Diagnostic {
    let MissingValue { path, attribute } = missing;
    let is_in_set = |name: &str| {
        path.steps.last() != Some(&AttributePathStep::Attribute(name.to_owned().into()))
    };
    let what = match attribute {
        // The path of an attribute within a set ends at the set.
        Some(name) if is_in_set(name) => format!("`{name}` has no value in an element of `{path}`"),
        Some(_) => format!("`{path}` has no value"),
        None => format!("An element of `{path}` has no value"),
    };
    let next_step = match attribute {
        Some(_) => "Fill in a value.",
        None => "Fill in a value, or remove the element.",
    };
    let detail = format!(
        "{what}: its expression gives null. {next_step}\n\n`terraform destroy` works with `-refresh=false`."
    );
    diagnostic("Missing value", detail, path.clone())
}

/// Checks a value of the state file, which is JSON.
pub(super) fn read_stored<'t>(
    diags: &mut Diagnostics,
    json: &[u8],
    ty: &'t Type,
    lead: &str,
) -> Option<Input<'t>> {
    let decoded = wire::from_json(json, ty);
    let bytes = Bytes::from(wire::encode(&decoded.value, ty));
    let survey = Survey { faults: decoded.faults, ..wire::survey(&bytes, ty) };
    input(diags, survey, bytes, ty, (lead, EDITED))
}

/// Returns a value that fits its type, or adds an error for each fault.
fn input<'t>(
    diags: &mut Diagnostics,
    survey: Survey,
    bytes: Bytes,
    ty: &'t Type,
    (lead, end): (&str, &str),
) -> Option<Input<'t>> {
    if survey.faults.is_empty() {
        return Some(Input::surveyed(bytes, ty, survey));
    }
    faults(diags, "Unexpected value", lead, survey.faults, end);
    None
}

/// A value that the provider returned, as Terraform stores it.
pub(super) struct Returned<'t> {
    pub(super) bytes: Vec<u8>,
    ty: &'t Type,
    pub(super) unknown: Option<AttributePath>,
}

impl<'t> Returned<'t> {
    /// Reads a value that the provider returned. `lead` names the value in errors.
    ///
    /// Each attribute that does not fit the schema adds an error and becomes null, so the rest of
    /// the value is not lost.
    pub(super) fn read(
        diags: &mut Diagnostics,
        mut bytes: Vec<u8>,
        ty: &'t Type,
        lead: &str,
    ) -> Self {
        let survey = wire::survey(&bytes, ty);
        let is_kept = survey.faults.is_empty() && !survey.rewritten;
        if survey.faults.is_empty() && matches!(&bytes[..], [] | [wire::NIL]) {
            error(diags, "Invalid value from the provider", format!("{lead} is null. {BUG}"));
        }
        faults(diags, "Invalid value from the provider", lead, survey.faults, BUG);
        if !is_kept {
            bytes = wire::encode(&wire::decode(&bytes, ty).value, ty);
        }
        Self { bytes, ty, unknown: survey.unknown }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.bytes[..], [] | [wire::NIL])
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
    pub(super) fn replace(&mut self, value: &Input<'_>) {
        self.unknown = wire::survey(value.bytes(), self.ty).unknown;
        self.bytes = value.bytes().to_vec();
    }

    /// Replaces attributes that a configuration cannot set by null.
    pub(super) fn keep_only_config(&mut self) {
        self.change(wire::clear_read_only);
    }

    fn change(&mut self, change: impl FnOnce(&mut Value<'_>, &Type)) {
        let mut value = wire::decode(&self.bytes, self.ty).value;
        change(&mut value, self.ty);
        let bytes = wire::encode(&value, self.ty);
        drop(value);
        self.bytes = bytes;
    }
}

/// Returns a state as a read returns it: its integers are text.
pub(super) fn state_of_read(bytes: &[u8], ty: &Type) -> Vec<u8> {
    let mut value = wire::decode(bytes, ty).value;
    wire::integers_to_text(&mut value, ty);
    wire::encode(&value, ty)
}

/// Checks a value of the provider in which nothing may be unknown, and returns it as bytes.
pub(super) fn known_value(
    diags: &mut Diagnostics,
    bytes: Vec<u8>,
    ty: &Type,
    lead: &str,
) -> Vec<u8> {
    let returned = Returned::read(diags, bytes, ty, lead);
    returned.require_known(diags, lead);
    returned.bytes
}
