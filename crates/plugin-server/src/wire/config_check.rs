//! Search of a configuration for attributes that it must not set.

use super::path::Path;
use super::shape::{Field, ObjectShape, Type};
use super::value::Value;
use tf_provider::AttributePath;

/// An attribute that a configuration sets although it must not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Configured {
    /// The name of the attribute.
    pub(crate) name: String,
    /// The path of the attribute, or of the set that contains it.
    pub(crate) path: AttributePath,
}

/// Returns the attributes that `is_meant` selects and `config` sets.
///
/// An unknown value counts as set: it stands for an expression in the configuration.
pub(crate) fn configured(
    config: &Value<'_>,
    shape: &ObjectShape,
    is_meant: impl Fn(&Field) -> bool,
) -> Vec<Configured> {
    let mut search = Search { is_meant, found: Vec::new() };
    if search.occurs(shape) {
        search.object(config, shape, Path::ROOT);
    }
    search.found
}

struct Search<F> {
    is_meant: F,
    found: Vec<Configured>,
}

impl<F: Fn(&Field) -> bool> Search<F> {
    /// Returns whether an object of this shape can contain such an attribute.
    fn occurs(&self, shape: &ObjectShape) -> bool {
        shape.fields.iter().any(|field| {
            (self.is_meant)(field) || field.ty.object().is_some_and(|inner| self.occurs(inner))
        })
    }

    fn object(&mut self, object: &Value<'_>, shape: &ObjectShape, path: Path<'_>) {
        for (field, member) in shape.fields.iter().zip(object.members()) {
            self.member(member, field, path.name(&field.name));
        }
    }

    fn member(&mut self, member: &Value<'_>, field: &Field, path: Path<'_>) {
        if member.is_null() {
            return;
        }
        if (self.is_meant)(field) {
            let found = Configured { name: field.name.clone(), path: path.to_attribute_path() };
            // The elements of a set have the same path, so that one error is enough.
            if self.found.last() != Some(&found) {
                self.found.push(found);
            }
            return;
        }
        let Some(shape) = field.ty.object().filter(|shape| self.occurs(shape)) else { return };
        match member {
            Value::Object(_) => self.object(member, shape, path),
            Value::Sequence(items) => {
                let is_set = matches!(field.ty, Type::Set(_));
                for (index, item) in items.iter().enumerate() {
                    let at = if is_set { path.element() } else { path.index(index) };
                    self.object(item, shape, at);
                }
            }
            Value::Map(entries) => {
                for (key, item) in entries {
                    self.object(item, shape, path.key(key));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::shape::{Nesting, Role};

    const OPTIONAL: Role =
        Role::Attribute { optional: true, computed: false, required: false, write_only: false };
    const COMPUTED: Role =
        Role::Attribute { optional: false, computed: true, required: false, write_only: false };

    fn field(name: &str, ty: Type, role: Role) -> Field {
        Field { name: name.to_owned(), ty, role }
    }

    /// An object with an optional `a` and a computed `id`.
    fn inner() -> Type {
        Type::Object(ObjectShape::new(vec![
            field("a", Type::String, OPTIONAL),
            field("id", Type::String, COMPUTED),
        ]))
    }

    fn text(text: &'static str) -> Value<'static> {
        Value::String(text.into())
    }

    fn element(id: Value<'static>) -> Value<'static> {
        Value::Object(vec![text("a"), id])
    }

    fn paths(ty: Type, role: Role, value: Value<'static>) -> Vec<String> {
        let shape = ObjectShape::new(vec![field("it", ty, role)]);
        let config = Value::Object(vec![value]);
        let found = configured(&config, &shape, Field::is_read_only);
        found.iter().map(|found| format!("{} {}", found.path, found.name)).collect()
    }

    #[test]
    fn read_only_attribute_is_found_unless_null() {
        assert_eq!(paths(Type::String, COMPUTED, text("x")), ["it it"]);
        assert_eq!(paths(Type::String, COMPUTED, Value::Unknown), ["it it"]);
        assert_eq!(paths(Type::String, COMPUTED, Value::Null), [""; 0]);
        assert_eq!(paths(Type::String, OPTIONAL, text("x")), [""; 0]);
        let optional_computed =
            Role::Attribute { optional: true, computed: true, required: false, write_only: false };
        assert_eq!(paths(Type::String, optional_computed, text("x")), [""; 0]);
    }

    #[test]
    fn read_only_attribute_is_found_in_every_kind_of_nesting() {
        let list = || Type::List(Box::new(inner()));
        let items = |second| Value::Sequence(vec![element(Value::Null), element(second)]);
        for role in [OPTIONAL, Role::Block(Nesting::List)] {
            assert_eq!(paths(list(), role, items(text("x"))), ["it[1].id id"]);
            assert_eq!(paths(list(), role, items(Value::Null)), [""; 0]);
            assert_eq!(paths(list(), role, Value::Unknown), [""; 0]);
        }
        assert_eq!(paths(inner(), OPTIONAL, element(Value::Unknown)), ["it.id id"]);
        let map = Value::Map(vec![("k".into(), element(text("x")))]);
        assert_eq!(paths(Type::Map(Box::new(inner())), OPTIONAL, map), ["it[\"k\"].id id"]);
        let set = Value::Sequence(vec![element(text("x")), element(text("y"))]);
        assert_eq!(paths(Type::Set(Box::new(inner())), OPTIONAL, set), ["it id"]);
        assert_eq!(paths(list(), COMPUTED, items(Value::Null)), ["it it"], "the outermost counts");
    }
}
