//! The names of objects, by which the findings of a run are stored and compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name under which an object is registered.
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
