//! The names of objects, by which the findings of a run are stored and compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name under which an object is registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Key {
    /// The full name of an object, or of an integration whose owners are one resource.
    Name(String),
    /// A user, group or team in an integration. It may be an owner under several names.
    Principal { integration: String, owner: String },
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Principal { integration, owner } => {
                write!(f, "{owner} of integrations/{integration}")
            }
        }
    }
}

/// The keys of an object, as far as they are known. An owner has two: users name it by its principal,
/// and the service may have deleted `users/ada` under the ID that `users/bob` gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keys {
    pub(crate) principal: Option<Key>,
    pub(crate) name: Option<Key>,
}

impl Keys {
    /// Returns the keys of an object that has only a name.
    pub(crate) fn of_name(name: impl fmt::Display) -> Self {
        Self { principal: None, name: Some(Key::Name(name.to_string())) }
    }

    /// Returns the key by which a create knows the object: the service may give it another name.
    pub(crate) fn main(&self) -> Option<&Key> {
        self.into_iter().next()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.main().is_none()
    }

    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.into_iter().any(|own| own == key)
    }

    /// Returns whether these are keys of the same object: all of them are among the others, which are
    /// known.
    pub(crate) fn are_among(&self, others: &Self) -> bool {
        !self.is_empty() && self.into_iter().all(|key| others.contains(key))
    }
}

/// The principal is first: every call locks it before the name, so no two calls wait for each other.
impl<'k> IntoIterator for &'k Keys {
    type Item = &'k Key;
    type IntoIter = std::iter::Chain<std::option::Iter<'k, Key>, std::option::Iter<'k, Key>>;

    fn into_iter(self) -> Self::IntoIter {
        self.principal.iter().chain(&self.name)
    }
}
