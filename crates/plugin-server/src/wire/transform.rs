//! Functions that find and replace unknown, write-only and computed parts of values.

use tf_provider::{AttributePath, AttributePathStep};

use super::shape::{Field, ObjectShape, Role, Type};
use super::value::Value;

/// Replaces unknown values by null. A state that is stored after an error must not contain any.
pub(crate) fn unknown_to_null(value: &mut Value<'_>, ty: &Type) {
    match value {
        Value::Unknown => *value = Value::Null,
        Value::Sequence(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                unknown_to_null(item, ty.part(index).unwrap_or(&Type::Dynamic));
            }
        }
        Value::Map(entries) => {
            for (_, item) in entries {
                unknown_to_null(item, ty.part(0).unwrap_or(&Type::Dynamic));
            }
        }
        Value::Object(members) => {
            if let Type::Object(shape) = ty {
                for (field, member) in shape.fields.iter().zip(members) {
                    unknown_to_null(member, &field.ty);
                    if member.is_null() {
                        *member = Value::absent(&field.ty, field.role);
                    }
                }
            }
        }
        Value::Dynamic(inner) => {
            let (ty, value) = &mut **inner;
            unknown_to_null(value, ty);
        }
        _ => {}
    }
}

/// Calls `change` on every member of every object of the schema, outermost first.
fn each_member(
    value: &mut Value<'_>,
    shape: &ObjectShape,
    change: &mut impl FnMut(&Field, &mut Value<'_>),
) {
    let Value::Object(members) = value else { return };
    for (field, member) in shape.fields.iter().zip(members) {
        change(field, member);
        let Some(inner) = field.ty.object() else { continue };
        match member {
            Value::Object(_) => each_member(member, inner, change),
            Value::Sequence(items) => {
                items.iter_mut().for_each(|item| each_member(item, inner, change))
            }
            Value::Map(entries) => {
                entries.iter_mut().for_each(|(_, item)| each_member(item, inner, change));
            }
            _ => {}
        }
    }
}

/// Replaces null by unknown in the computed attributes of an object.
pub(crate) fn computed_to_unknown(value: &mut Value<'_>, shape: &ObjectShape) {
    let Value::Object(members) = value else { return };
    for (member, field) in members.iter_mut().zip(&shape.fields) {
        if matches!(field.role, Role::Attribute { computed: true, .. }) && member.is_null() {
            *member = Value::Unknown;
        }
    }
}

/// Replaces write-only attributes by null, because they must never be stored.
pub(crate) fn clear_write_only(value: &mut Value<'_>, shape: &ObjectShape) {
    if shape.has_write_only() {
        each_member(value, shape, &mut |field, member| {
            if field.is_write_only() {
                *member = Value::Null;
            }
        });
    }
}

/// Replaces attributes that a configuration cannot set by null.
pub(crate) fn keep_only_config(value: &mut Value<'_>, shape: &ObjectShape) {
    each_member(value, shape, &mut |field, member| {
        if field.is_read_only() {
            *member = Value::Null;
        }
    });
}

/// Returns `path` up to the first set it enters. Terraform cannot follow it further.
pub(crate) fn until_set(mut path: AttributePath, ty: &Type) -> AttributePath {
    let mut ty = Some(ty);
    let length = path.steps.iter().take_while(|step| {
        let Some(known) = ty.filter(|ty| !matches!(ty, Type::Set(_) | Type::Dynamic)) else {
            return false;
        };
        ty = match (known, step) {
            (Type::Object(shape), AttributePathStep::Attribute(name)) => {
                shape.position(name).and_then(|at| Some(&shape.fields.get(at)?.ty))
            }
            (_, AttributePathStep::Index(index)) => {
                usize::try_from(*index).ok().and_then(|index| known.part(index))
            }
            (_, AttributePathStep::Key(_)) => known.part(0),
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
