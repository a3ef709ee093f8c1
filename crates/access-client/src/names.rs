//! Resource names, validated before they become part of a path.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::percent_decode_str;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::invalid::Invalid;

/// The ID of a listing, role, integration or owner.
///
/// An ID that is parsed always remains one segment of a path. The service may have others, which no
/// request can contain: [`Identifier::check`] tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identifier(String);

/// The largest length of an identifier in bytes. The API document does not show a limit. With this
/// one, servers and proxies accept the paths.
const MAX_IDENTIFIER_BYTES: usize = 512;

impl Identifier {
    /// Parses and validates an identifier.
    ///
    /// # Errors
    ///
    /// Returns the rule that the string breaks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let identifier = Self(text.to_owned());
        identifier.check()?;
        Ok(identifier)
    }

    /// Returns an identifier as the service has it.
    pub(crate) fn of_response(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Checks that it can be one segment of a path: it is not empty, has at most 512 bytes, is not `.` or
    /// `..`, and does not contain `/`, `?`, `#`, `%`, blanks or control characters.
    ///
    /// # Errors
    ///
    /// Returns the rule that it breaks.
    pub fn check(&self) -> Result<(), Invalid> {
        let text = &self.0;
        if text.is_empty() {
            return Err("must not be empty".into());
        }
        if text.len() > MAX_IDENTIFIER_BYTES {
            return Err(format!("must be at most {MAX_IDENTIFIER_BYTES} bytes long").into());
        }
        // URL parsers remove them from a path.
        if text == "." || text == ".." {
            return Err("must not be `.` or `..`".into());
        }
        for character in text.chars() {
            if matches!(character, '/' | '?' | '#' | '%') {
                return Err(format!("must not contain `{character}`").into());
            }
            if character.is_whitespace() || character.is_control() {
                return Err("must not contain blanks or control characters".into());
            }
        }
        Ok(())
    }

    /// Returns the identifier.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether two identifiers are the same text, which hosts hold in NFC.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self == other || nfc(&self.0) == nfc(&other.0)
    }

    /// Returns what all spellings of the identifier have in common, which a service may take for the same
    /// object: without case, blanks and percent-encoding.
    #[must_use]
    pub fn folded(&self) -> String {
        let decoded = percent_decode_str(&self.0).decode_utf8_lossy();
        let is_kept = |it: &char| !it.is_whitespace() && !it.is_control();
        nfc(&decoded).chars().filter(is_kept).flat_map(char::to_lowercase).collect()
    }
}

/// Returns a text in NFC, the form in which hosts hold it.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    match is_nfc(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The full name of an object: the ID of its parent, and its own.
pub trait ObjectName: Clone + Eq + fmt::Display + Send + Sync + 'static {
    /// The words for a parent and an object. Their plurals are the names of the collections.
    const WORDS: (&'static str, &'static str);

    /// Returns the name of these IDs.
    fn new(parent: Identifier, id: Identifier) -> Self;

    /// Returns the ID of the parent.
    fn parent(&self) -> &Identifier;

    /// Returns the object's own ID.
    fn id(&self) -> &Identifier;

    /// Parses the two IDs of a name.
    ///
    /// # Errors
    ///
    /// Returns the rule that an ID breaks.
    fn of_ids(parent: &str, id: &str) -> Result<Self, Invalid> {
        Ok(Self::new(parse_id(parent)?, parse_id(id)?))
    }

    /// Parses a full name.
    ///
    /// # Errors
    ///
    /// Returns the rule that the text breaks.
    fn parse(text: &str) -> Result<Self, Invalid> {
        match split::<Self>(text) {
            Some((parent, id)) if !id.contains('/') => Self::of_ids(parent, id),
            _ => Err(form::<Self>().into()),
        }
    }

    /// Parses a full name, or the two IDs with a slash between them.
    ///
    /// # Errors
    ///
    /// Returns the rule that the text breaks.
    fn parse_either(text: &str) -> Result<Self, Invalid> {
        match text.split_once('/') {
            Some((parent, id)) if !id.contains('/') => Self::of_ids(parent, id),
            _ => Self::parse(text),
        }
    }
}

/// Returns the two IDs of a full name, as they are.
pub(crate) fn split<N: ObjectName>(text: &str) -> Option<(&str, &str)> {
    let (parent, object) = N::WORDS;
    let is_plural = |text: &str, word| text.strip_suffix('s') == Some(word);
    match text.splitn(4, '/').collect::<Vec<_>>()[..] {
        [parents, parent_id, objects, id]
            if is_plural(parents, parent) && is_plural(objects, object) =>
        {
            Some((parent_id, id))
        }
        _ => None,
    }
}

/// Returns the rule about the form of a full name.
pub(crate) fn form<N: ObjectName>() -> String {
    let (parent, object) = N::WORDS;
    format!("must have the form {parent}s/{{{parent}}}/{object}s/{{{object}}}")
}

/// Parses an ID in a name.
pub(crate) fn parse_id(text: &str) -> Result<Identifier, Invalid> {
    Identifier::parse(text).map_err(|error| format!("has an ID that {error}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing_role::ListingRoleName;

    #[test]
    fn name_is_parsed_in_both_forms_or_the_error_names_the_rule() {
        let long = format!("github/{}", "x".repeat(513));
        let form = "must have the form listings/{listing}/roles/{role}";
        let cases = [
            ("github/viewer", ""),
            ("listings/github/roles/viewer", ""),
            ("", form),
            ("github", form),
            ("a/b/c", form),
            ("listings/github/roles/viewer/", form),
            ("integrations/github/owners/o-1", form),
            ("listings/github/roles/", "must not be empty"),
            ("/viewer", "must not be empty"),
            ("github/..", "must not be `.` or `..`"),
            ("github/a b", "blanks"),
            ("github/a%2Fb", "must not contain `%`"),
            (&long, "at most 512 bytes"),
        ];
        for (text, rule) in cases {
            match ListingRoleName::parse_either(text) {
                Ok(name) => assert_eq!((name.to_string().as_str(), rule), (cases[1].0, "")),
                Err(error) => {
                    assert!(
                        !rule.is_empty() && error.to_string().contains(rule),
                        "{text}: {error}"
                    );
                }
            }
        }
    }

    #[test]
    fn spellings_of_an_id_are_told_apart_and_found() {
        let id = |text| Identifier::of_response(text);
        // Whether it is the same ID, and whether a service may take it for the same object.
        for (one, other, is_same, is_like) in [
            ("viewer", "viewer", true, true),
            ("jos\u{e9}", "jose\u{301}", true, true),
            ("viewer", "Viewer", false, true),
            ("viewer", "viewer ", false, true),
            ("viewer", "vie\twer", false, true),
            ("viewer", "view%65r", false, true),
            ("a b", "a%20B", false, true),
            ("viewer", "viewers", false, false),
            ("a-b", "a_b", false, false),
        ] {
            assert_eq!(id(one).is_same(&id(other)), is_same, "{one:?} {other:?}");
            assert_eq!(id(one).folded() == id(other).folded(), is_like, "{one:?} {other:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn name_survives_anything(
            any in ".{0,40}",
            parent in "[a-z./?#% ]{0,6}",
            id in "[a-zA-Z0-9./\\-]{0,6}",
        ) {
            let short = format!("{parent}/{id}");
            let full = format!("listings/{parent}/roles/{id}");
            for text in [any, short, full] {
                if let Ok(name) = ListingRoleName::parse_either(&text) {
                    let name_text = name.to_string();
                    proptest::prop_assert_eq!(name_text.split('/').count(), 4, "{}", name_text);
                    proptest::prop_assert_eq!(ListingRoleName::parse_either(&name_text), Ok(name));
                }
            }
        }
    }
}
