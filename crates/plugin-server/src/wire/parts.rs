//! The direct parts of a value, which functions that change values at any depth go through.

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

/// Calls `visit` on each direct part of a value of type `ty`, with its position.
pub(crate) fn each_part<'b>(
    value: &mut Value<'b>,
    ty: &Type,
    path: Path<'_>,
    visit: &mut dyn FnMut(usize, &mut Value<'b>, Part<'_>),
) {
    let element = |ty, path| Part { ty, role: Role::Member, path };
    match (value, ty) {
        (Value::Object(members), Type::Object(shape)) => {
            for (index, (field, member)) in shape.fields.iter().zip(members).enumerate() {
                let path = path.name(&field.name);
                visit(index, member, Part { ty: &field.ty, role: field.role, path });
            }
        }
        (Value::Sequence(items), _) => {
            for (index, item) in items.iter_mut().enumerate() {
                let at =
                    if matches!(ty, Type::Set(_)) { path.element() } else { path.index(index) };
                let Some(ty) = ty.part(index) else { continue };
                visit(index, item, element(ty, at));
            }
        }
        (Value::Map(entries), Type::Map(ty)) => {
            for (index, (key, item)) in entries.iter_mut().enumerate() {
                visit(index, item, element(ty, path.key(key)));
            }
        }
        _ => {}
    }
}
