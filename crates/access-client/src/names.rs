//! Resource names, validated before they become part of a path.

use std::fmt;

/// One segment of a name: the ID of a listing, role, integration or owner.
///
/// It is not empty, has at most 512 bytes, is not `.` or `..`, and does not contain `/`, `?`, `#`,
/// `%`, blanks or control characters. It therefore always remains one segment of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identifier(String);

/// The reason why a string is not an identifier. Its message completes a sentence that begins with
/// "it".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentifierError {
    /// The string is empty.
    Empty,
    /// The string has more than 512 bytes.
    TooLong,
    /// The string is `.` or `..`, which URL parsers remove from a path.
    DotSegment,
    /// The string contains a character that has a special meaning in a path.
    Character(char),
    /// The string contains a blank or a control character.
    Invisible,
}

/// The largest length of an identifier in bytes. The API document does not show a limit. With this
/// one, servers and proxies accept the paths.
const MAX_IDENTIFIER_BYTES: usize = 512;

impl Identifier {
    /// Parses and validates an identifier.
    ///
    /// # Errors
    ///
    /// Returns the rule that the string breaks.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        if text.is_empty() {
            return Err(IdentifierError::Empty);
        }
        if text.len() > MAX_IDENTIFIER_BYTES {
            return Err(IdentifierError::TooLong);
        }
        if text == "." || text == ".." {
            return Err(IdentifierError::DotSegment);
        }
        for character in text.chars() {
            if matches!(character, '/' | '?' | '#' | '%') {
                return Err(IdentifierError::Character(character));
            }
            if character.is_whitespace() || character.is_control() {
                return Err(IdentifierError::Invisible);
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the identifier unchanged.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for IdentifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("must not be empty"),
            Self::TooLong => write!(f, "must be at most {MAX_IDENTIFIER_BYTES} bytes long"),
            Self::DotSegment => f.write_str("must not be `.` or `..`"),
            Self::Character(character) => write!(f, "must not contain `{character}`"),
            Self::Invisible => f.write_str("must not contain blanks or control characters"),
        }
    }
}

impl std::error::Error for IdentifierError {}

/// The name of a role: `listings/{listing}/roles/{role}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListingRoleName {
    /// ID of the listing.
    pub listing: Identifier,
    /// ID of the role in its listing.
    pub role: Identifier,
}

/// The name of an owner: `integrations/{integration}/owners/{owner}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntegrationOwnerName {
    /// ID of the integration.
    pub integration: Identifier,
    /// ID of the owner in its integration.
    pub owner: Identifier,
}

/// The principal that owns an integration: `users/{id}`, `groups/{id}` or `teams/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    kind: &'static str,
    id: Identifier,
}

/// The reason why a string is not a name. Its message completes a sentence that begins with "it".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The segments are not those of the name.
    Form(&'static str),
    /// One of the IDs is invalid.
    Identifier(IdentifierError),
}

impl ListingRoleName {
    /// Parses `listings/{listing}/roles/{role}`.
    ///
    /// # Errors
    ///
    /// Returns whether the form or an ID is invalid.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let (listing, role) = two_segments(text, "listings", "roles")
            .ok_or(NameError::Form("listings/{listing}/roles/{role}"))?;
        Ok(Self { listing: Identifier::parse(listing)?, role: Identifier::parse(role)? })
    }
}

impl IntegrationOwnerName {
    /// Parses `integrations/{integration}/owners/{owner}`.
    ///
    /// # Errors
    ///
    /// Returns whether the form or an ID is invalid.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let (integration, owner) = two_segments(text, "integrations", "owners")
            .ok_or(NameError::Form("integrations/{integration}/owners/{owner}"))?;
        Ok(Self { integration: Identifier::parse(integration)?, owner: Identifier::parse(owner)? })
    }
}

impl Principal {
    /// Parses `users/{id}`, `groups/{id}` or `teams/{id}`.
    ///
    /// # Errors
    ///
    /// Returns whether the form or the ID is invalid.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let form = NameError::Form("users/{id}, groups/{id} or teams/{id}");
        let (kind, id) = text.split_once('/').ok_or(form)?;
        let kind =
            ["users", "groups", "teams"].into_iter().find(|known| *known == kind).ok_or(form)?;
        Ok(Self { kind, id: Identifier::parse(id)? })
    }
}

impl Principal {
    /// Checks that a principal of the service has the form `{kind}/{id}`. The kind may be any.
    ///
    /// # Errors
    ///
    /// Returns whether the form, the kind or the ID is invalid.
    pub(crate) fn check_form(text: &str) -> Result<(), NameError> {
        let (kind, id) = text.split_once('/').ok_or(NameError::Form("{kind}/{id}"))?;
        Identifier::parse(kind)?;
        Identifier::parse(id)?;
        Ok(())
    }

    /// Returns the kind: `users`, `groups` or `teams`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }
}

fn two_segments<'a>(text: &'a str, first: &str, second: &str) -> Option<(&'a str, &'a str)> {
    let mut segments = text.split('/');
    let found = match [segments.next()?, segments.next()?, segments.next()?, segments.next()?] {
        [a, parent, b, child] if a == first && b == second => (parent, child),
        _ => return None,
    };
    segments.next().is_none().then_some(found)
}

impl From<IdentifierError> for NameError {
    fn from(error: IdentifierError) -> Self {
        Self::Identifier(error)
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(form) => write!(f, "must have the form {form}"),
            Self::Identifier(error) => write!(f, "has an ID that {error}"),
        }
    }
}

impl std::error::Error for NameError {}

impl fmt::Display for ListingRoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "listings/{}/roles/{}", self.listing, self.role)
    }
}

impl fmt::Display for IntegrationOwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "integrations/{}/owners/{}", self.integration, self.owner)
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.id)
    }
}
