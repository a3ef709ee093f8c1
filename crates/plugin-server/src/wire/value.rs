//! Values that are decoded according to their type.

use std::borrow::Cow;

use super::number::Number;
use super::shape::{Nesting, ObjectShape, Role, Type};

/// A decoded value.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Unknown,
    Bool(bool),
    Number(Number<'a>),
    String(Cow<'a, str>),
    /// Elements of a list, a set or a tuple.
    Sequence(Vec<Self>),
    Map(Vec<(Cow<'a, str>, Self)>),
    /// Members in the order of the object's shape.
    Object(Vec<Self>),
}

impl<'a> Value<'a> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether the value is unknown as a whole.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Returns whether no part of the value is unknown.
    pub(crate) fn is_wholly_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Sequence(items) | Self::Object(items) => items.iter().all(Self::is_wholly_known),
            Self::Map(entries) => entries.iter().all(|(_, value)| value.is_wholly_known()),
            _ => true,
        }
    }

    /// Calls `visit` on each direct part.
    pub(crate) fn parts_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Sequence(items) | Self::Object(items) => items.iter_mut().for_each(visit),
            Self::Map(entries) => entries.iter_mut().for_each(|(_, item)| visit(item)),
            Self::Null | Self::Unknown | Self::Bool(_) | Self::Number(_) | Self::String(_) => {}
        }
    }

    /// Returns the members of an object; none for any other value.
    pub(crate) fn members(&self) -> &[Self] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::Sequence(items) => items,
            _ => &[],
        }
    }

    /// Returns an object of `shape` without values.
    pub(crate) fn empty_object(shape: &ObjectShape) -> Self {
        Self::Object(shape.fields.iter().map(|field| Self::absent(&field.ty, field.role)).collect())
    }

    /// Returns the value of a missing member.
    pub(crate) fn absent(ty: &Type, role: Role) -> Self {
        match role {
            Role::Block(Nesting::List | Nesting::Optional | Nesting::Set) => {
                Self::Sequence(Vec::new())
            }
            Role::Block(Nesting::Map) => Self::Map(Vec::new()),
            Role::Block(Nesting::Group) => ty.object().map_or(Self::Null, Self::empty_object),
            _ => Self::Null,
        }
    }
}
