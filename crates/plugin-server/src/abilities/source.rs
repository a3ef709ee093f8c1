//! What a host has stored, as abilities read it.

use serde::Deserialize;
use tf_provider::Diagnostics;

use crate::diagnostic::error;

/// A value from the state file: an object whose members are those of the schema it was stored
/// under.
#[derive(Clone, Copy)]
pub struct StoredJson<'a>(&'a [u8]);

impl<'a> StoredJson<'a> {
    pub(crate) fn new(json: &'a [u8]) -> Self {
        Self(json)
    }

    /// The JSON text.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// Reads it as a type of your own. An attribute that the type lacks is passed over; one that
    /// the state lacks needs `#[serde(default)]`.
    ///
    /// `None` comes with an error in `diags`. Numbers beyond 64 bits need a type that reads
    /// `serde_json`'s raw values.
    pub fn read<T: Deserialize<'a>>(self, diags: &mut Diagnostics) -> Option<T> {
        match serde_json::from_slice(self.0) {
            Ok(value) => Some(value),
            Err(reason) => {
                let place = format!("line {}, column {}", reason.line(), reason.column());
                error(
                    diags,
                    "Unreadable state",
                    format!("The stored state is not what it was expected to be, at {place}."),
                );
                None
            }
        }
    }
}

impl std::fmt::Debug for StoredJson<'_> {
    /// States hold secrets, so this shows the length alone.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredJson({} bytes)", self.0.len())
    }
}

/// An object of another resource type that is to become one of this type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MoveSource<'a> {
    /// The provider that had it, such as `registry.terraform.io/hashicorp/random`, in lower case.
    ///
    /// OpenTofu says `registry.opentofu.org` for the same provider: see [`Self::is_from`].
    pub provider_address: &'a str,
    /// The resource type that it had.
    pub type_name: &'a str,
    /// The version of the schema that its state was stored under.
    pub schema_version: i64,
    /// Its state.
    pub state: StoredJson<'a>,
    /// Its private data, in the form of the provider that had it.
    pub private: &'a [u8],
    /// Its identity, if it had one.
    pub identity: Option<StoredJson<'a>>,
}

impl<'a> MoveSource<'a> {
    pub(crate) fn new(
        provider_address: &'a str,
        type_name: &'a str,
        schema_version: i64,
        state: StoredJson<'a>,
        private: &'a [u8],
        identity: Option<StoredJson<'a>>,
    ) -> Self {
        Self { provider_address, type_name, schema_version, state, private, identity }
    }

    /// Whether the object was of type `type_name` of the provider `namespace/name`, whatever
    /// registry that came from.
    #[must_use]
    pub fn is_from(&self, provider: &str, type_name: &str) -> bool {
        let without_host = self.provider_address.split_once('/').map(|(_, rest)| rest);
        self.type_name == type_name && without_host == Some(provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_source_is_the_same_on_both_registries() {
        for host in ["registry.terraform.io", "registry.opentofu.org"] {
            let address = format!("{host}/mastercard/restapi");
            let source =
                MoveSource::new(&address, "restapi_object", 0, StoredJson::new(b"{}"), b"", None);
            assert!(source.is_from("mastercard/restapi", "restapi_object"));
            assert!(!source.is_from("mastercard/restapi", "restapi_other"));
            assert!(!source.is_from("other/restapi", "restapi_object"));
        }
    }
}
