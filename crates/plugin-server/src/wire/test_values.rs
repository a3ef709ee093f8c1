//! A schema with values, which the tests of the checks use.

use super::shape::{Field, ObjectShape, Role, Type};
use super::value::Value;

pub(super) fn attribute(optional: bool, computed: bool) -> Role {
    Role::Attribute { optional, computed, required: !optional && !computed }
}

pub(super) fn field(name: &str, ty: Type, role: Role) -> Field {
    Field { name: name.to_owned(), ty, role }
}

/// Returns one attribute of each kind, a set and a nested attribute.
pub(super) fn shape() -> ObjectShape {
    let inner = |role| ObjectShape::new(vec![field("x", Type::String, role)]);
    let list = |shape| Type::List(Box::new(Type::Object(shape)));
    ObjectShape::new(vec![
        field("computed", Type::String, attribute(false, true)),
        field("nested", list(inner(attribute(true, true))), attribute(true, false)),
        field("optional", Type::String, attribute(true, false)),
        field("set", Type::Set(Box::new(Type::String)), attribute(true, false)),
    ])
}

pub(super) fn text(text: &'static str) -> Value<'static> {
    Value::String(text.into())
}

/// Returns a sequence of objects with one member each.
pub(super) fn objects(values: &[Value<'static>]) -> Value<'static> {
    Value::Sequence(values.iter().map(|value| Value::Object(vec![value.clone()])).collect())
}

pub(super) fn object(
    computed: Value<'static>,
    nested: Value<'static>,
    optional: Value<'static>,
) -> Value<'static> {
    Value::Object(vec![computed, nested, optional, Value::Null])
}
