//! Functions that find and replace unknown and read-only parts of values.

use tf_provider::{AttributePath, AttributePathStep};

use super::number::Number;
use super::parts::each_part;
use super::path::Path;
use super::shape::Type;
use super::value::Value;

/// Replaces unknown values by null. A state that is stored after an error must not contain any.
pub(crate) fn unknown_to_null(value: &mut Value<'_>, ty: &Type) {
    if matches!(value, Value::Unknown) {
        *value = Value::Null;
    }
    each_part(value, ty, Path::ROOT, &mut |part, place| unknown_to_null(part, place.ty));
}

/// Writes integers as text, in which the host reads them from a stored state as well. Terraform
/// 1.11 gives an integer of MessagePack another precision, takes the two for different, and reports
/// a change after every refresh.
pub(crate) fn integers_to_text(value: &mut Value<'_>, ty: &Type) {
    if let Value::Number(Number::Integer(number)) = value {
        *value = Value::Number(Number::Text(number.to_string().into()));
    }
    each_part(value, ty, Path::ROOT, &mut |part, place| integers_to_text(part, place.ty));
}

/// Replaces read-only attributes, which a configuration cannot set, by null, at any depth.
pub(crate) fn clear_read_only(value: &mut Value<'_>, ty: &Type) {
    each_part(value, ty, Path::ROOT, &mut |part, place| {
        if place.role.is_read_only() {
            *part = Value::Null;
        } else {
            clear_read_only(part, place.ty);
        }
    });
}

/// A read-only attribute that a configuration sets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) name: String,
    /// The path of the attribute, or of the set that contains it.
    pub(crate) path: AttributePath,
}

/// Adds the read-only attributes that `config` sets, without those inside them, to `found`.
///
/// An unknown value counts as set: it stands for an expression in the configuration.
pub(crate) fn configured(
    config: &mut Value<'_>,
    ty: &Type,
    path: Path<'_>,
    found: &mut Vec<Configured>,
) {
    each_part(config, ty, path, &mut |part, place| {
        if !place.role.is_read_only() || part.is_null() {
            return configured(part, place.ty, place.path, found);
        }
        let name = place.path.last_name().to_owned();
        let set = Configured { name, path: place.path.to_attribute_path() };
        // The elements of a set have the same path, so one error is enough.
        if found.last() != Some(&set) {
            found.push(set);
        }
    });
}

/// Returns `path` up to the first set it enters. Terraform cannot follow it further.
pub(crate) fn until_set(mut path: AttributePath, ty: &Type) -> AttributePath {
    let mut ty = Some(ty);
    let length = path.steps.iter().take_while(|step| {
        let Some(known) = ty.filter(|ty| !matches!(ty, Type::Set(_))) else {
            return false;
        };
        ty = match (known, step) {
            (Type::Object(shape), AttributePathStep::Attribute(name)) => {
                shape.field(name).map(|field| &field.ty)
            }
            (_, AttributePathStep::Index(_) | AttributePathStep::Key(_)) => known.element(),
            _ => None,
        };
        true
    });
    let length = length.count();
    path.steps.truncate(length);
    path
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod tests;
