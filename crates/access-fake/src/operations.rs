//! The undocumented operations, which the service may not have.

use serde::{Deserialize, Serialize};

/// The undocumented operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Operations {
    /// GET of one object.
    pub get: Presence,
    /// GET of the collection.
    pub list: Presence,
    /// DELETE of one object.
    pub delete: Presence,
}

/// Whether the service has an operation: `"present"` or, for example, `{"absent": "not_found"}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// The operation exists.
    #[default]
    Present,
    /// The operation does not exist; the response has this status.
    Absent(Absence),
}

/// The status of the response to a missing operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// 404, as from a router without this path.
    NotFound,
    /// 405, as from a router that has the path but not the method.
    MethodNotAllowed,
    /// 501, as from a service that declares the operation but does not implement it.
    NotImplemented,
}

impl Absence {
    /// Returns the absence with a status, or `None` for a status other than 404, 405 and 501.
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            404 => Some(Self::NotFound),
            405 => Some(Self::MethodNotAllowed),
            501 => Some(Self::NotImplemented),
            _ => None,
        }
    }

    /// Returns the status as a number.
    pub fn status(self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotImplemented => 501,
        }
    }
}
