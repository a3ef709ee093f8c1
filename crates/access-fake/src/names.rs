//! The names of objects and collections, and the identifiers that they consist of.

use crate::response::ApiError;

/// The largest length of an identifier in bytes. The provider has the same limit.
const MAX_IDENTIFIER_BYTES: usize = 512;

/// Rejects text that is not a valid identifier.
pub(crate) fn check_identifier(text: &str) -> Result<(), ApiError> {
    let strange =
        |letter: char| letter.is_control() || letter.is_whitespace() || "/?#%".contains(letter);
    if text.is_empty()
        || text == "."
        || text == ".."
        || text.len() > MAX_IDENTIFIER_BYTES
        || text.contains(strange)
    {
        return Err(ApiError::bad_request(format!("{text:?} is not a valid identifier")));
    }
    Ok(())
}

/// Returns the name of a role.
pub(crate) fn role_name(listing: &str, role: &str) -> String {
    format!("listings/{listing}/roles/{role}")
}

/// Returns the name of an integration owner.
pub(crate) fn owner_name(integration: &str, owner: &str) -> String {
    format!("integrations/{integration}/owners/{owner}")
}

/// Returns the name of a listing's collection of roles.
pub(crate) fn roles_name(listing: &str) -> String {
    format!("listings/{listing}/roles")
}

/// Returns the name of an integration's collection of owners.
pub(crate) fn owners_name(integration: &str) -> String {
    format!("integrations/{integration}/owners")
}
