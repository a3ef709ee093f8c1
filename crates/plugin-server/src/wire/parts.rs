//! The direct parts of a value, which functions that change values at any depth visit.

use super::path::Path;
use super::shape::{Role, Type};
use super::value::Value;

/// The place of a member, an element or an entry.
#[derive(Clone, Copy)]
pub(crate) struct Part<'p> {
    pub(crate) ty: &'p Type,
    pub(crate) role: Role,
    pub(crate) path: Path<'p>,
}

/// Calls `visit` on each direct part of a value of type `ty`.
pub(crate) fn each_part<'b>(
    value: &mut Value<'b>,
    ty: &Type,
    path: Path<'_>,
    visit: &mut dyn FnMut(&mut Value<'b>, Part<'_>),
) {
    let element = |ty, path| Part { ty, role: Role::Member, path };
    match (value, ty) {
        (Value::Object(members), Type::Object(shape)) => {
            for (field, member) in shape.fields.iter().zip(members) {
                let path = path.name(&field.name);
                visit(member, Part { ty: &field.ty, role: field.role, path });
            }
        }
        (Value::Sequence(items), Type::List(ty)) => {
            for (index, item) in items.iter_mut().enumerate() {
                visit(item, element(ty, path.index(index)));
            }
        }
        (Value::Sequence(items), Type::Set(ty)) => {
            for item in items {
                visit(item, element(ty, path.element()));
            }
        }
        (Value::Map(entries), Type::Map(ty)) => {
            for (key, item) in entries {
                visit(item, element(ty, path.key(key)));
            }
        }
        _ => {}
    }
}
