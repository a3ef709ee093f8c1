//! Values that are decoded according to their type.

use std::borrow::Cow;

use super::number::Number;

/// A decoded value.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Unknown,
    Bool(bool),
    Number(Number<'a>),
    String(Cow<'a, str>),
    /// Elements of a list or a set.
    Sequence(Vec<Self>),
    Map(Vec<(Cow<'a, str>, Self)>),
    /// Members in the order of the object's shape.
    Object(Vec<Self>),
}

impl Value<'_> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether the value is unknown as a whole.
    #[cfg(feature = "testkit")]
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

    /// Returns the members of an object; none for any other value.
    #[cfg(test)]
    pub(crate) fn members(&self) -> &[Self] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    #[cfg(feature = "testkit")]
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::Sequence(items) => items,
            _ => &[],
        }
    }
}
