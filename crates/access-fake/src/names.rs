//! The names of objects and collections, and the identifiers that they consist of.

use percent_encoding::percent_decode_str;

use crate::kind::Kind;
use crate::response::ApiError;

/// The largest length of an identifier in bytes. The provider has the same limit.
const MAX_IDENTIFIER_BYTES: usize = 512;
const API_PREFIX: &str = "/api/v1/";

/// The object or collection that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    pub(crate) parent: String,
    /// The ID of the object; `None` for the collection.
    pub(crate) id: Option<String>,
}

impl Target {
    /// Parses a path. Returns `None` for a path that the service does not have.
    pub(crate) fn of_path(path: &str) -> Option<Result<Self, ApiError>> {
        Self::of_segments(path.strip_prefix(API_PREFIX)?, decoded)
    }

    /// Parses the name of an object.
    pub(crate) fn of_name(name: &str) -> Result<Self, String> {
        match Self::of_segments(name, |segment| Ok(segment.to_owned())) {
            Some(Ok(target)) if target.id.is_some() => Ok(target),
            Some(Err(error)) => Err(error.message),
            _ => Err(format!("{name} is not the name of an object; see access-fake --help")),
        }
    }

    fn of_segments(
        path: &str,
        read: fn(&str) -> Result<String, ApiError>,
    ) -> Option<Result<Self, ApiError>> {
        let mut segments = path.split('/');
        let parents = segments.next()?;
        let parent = segments.next()?;
        let objects = segments.next()?;
        let id = segments.next();
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| kind.collections() == (parents, objects))
            .filter(|_| segments.next().is_none())?;
        let identifier = |segment| {
            let text = read(segment)?;
            check_identifier(&text).map(|()| text)
        };
        Some(identifier(parent).and_then(|parent| {
            let id = id.map(identifier).transpose()?;
            Ok(Self { kind, parent, id })
        }))
    }

    /// Returns the target with its ID in lower case.
    pub(crate) fn in_lower_case(self) -> Self {
        Self { id: self.id.map(|id| id.to_lowercase()), ..self }
    }

    /// Returns the name of the object or collection.
    pub(crate) fn name(&self) -> String {
        let collection = collection_name(self.kind, &self.parent);
        self.id.as_ref().map_or(collection.clone(), |id| format!("{collection}/{id}"))
    }
}

/// Returns the name of a collection: `listings/github/roles`.
pub(crate) fn collection_name(kind: Kind, parent: &str) -> String {
    let (parents, objects) = kind.collections();
    format!("{parents}/{parent}/{objects}")
}

/// Decodes a segment of a path. What is not decoded keeps its percent sign, which an identifier cannot
/// contain.
fn decoded(segment: &str) -> Result<String, ApiError> {
    let text = percent_decode_str(segment).decode_utf8();
    let text = text.map_err(|_| ApiError::bad_request(format!("{segment:?} is not UTF-8")))?;
    Ok(text.into_owned())
}

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
