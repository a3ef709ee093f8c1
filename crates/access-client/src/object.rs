//! What the objects of the service have in common, and the calls that all of them have. The API
//! document does not show these calls: they are assumed from the resource names, and the service
//! may not offer them.

use std::future::Future;

use serde::de::DeserializeOwned;

use crate::client::{Client, Response, expect_deleted};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::{self, BodyError};
use crate::names::{Identifier, ObjectName};
use crate::pages::Pages;
use crate::path::path;

/// An object of the service. Times are in RFC 3339.
pub trait Object: Clone + Send + Sync + Sized + 'static {
    /// The full name, such as `listings/github/roles/viewer`.
    type Name: ObjectName;

    /// The object in a response body.
    type Wire: DeserializeOwned;

    /// The fields in which a page of a list may contain the objects.
    const LIST_FIELDS: &'static [&'static str];

    /// Returns the full name.
    fn name(&self) -> &Self::Name;

    /// Returns the time of creation.
    fn create_time(&self) -> Option<&str>;

    /// Returns the time of the last update.
    fn update_time(&self) -> Option<&str>;

    /// Returns the time of deletion, of an object that was deleted.
    fn delete_time(&self) -> Option<&str> {
        None
    }

    /// Checks an object of a parent: the requested one, or an entry of a list.
    ///
    /// # Errors
    ///
    /// Returns a description of another or an invalid object.
    fn of_wire(
        wire: Self::Wire,
        parent: &Identifier,
        requested: Option<&Self::Name>,
    ) -> Result<Self, String>;

    /// Reads an object.
    fn get(
        client: &Client,
        name: &Self::Name,
    ) -> impl Future<Output = Result<Response<Self>, Error>> + Send {
        let read = |body: &[u8]| read(body, name.parent(), Some(name));
        async move { client.call_for(Request::get(object_path(name)), read).await }
    }

    /// Deletes an object.
    fn delete(
        client: &Client,
        name: &Self::Name,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        client.call(Request::delete(object_path(name)), expect_deleted)
    }

    /// Lists the objects of a parent, page by page.
    fn pages<'c>(client: &'c Client, parent: &'c Identifier) -> Pages<'c, Self> {
        let read = |item: &_| Self::of_wire(json::item(item)?, parent, None);
        Pages::new(client, collection_path::<Self::Name>(parent), Self::LIST_FIELDS, Box::new(read))
    }
}

/// Reads the body of a response with an object of a parent, which may be the requested one.
pub(crate) fn read<O: Object>(
    body: &[u8],
    parent: &Identifier,
    requested: Option<&O::Name>,
) -> Result<O, BodyError> {
    let object = O::of_wire(json::object(body)?, parent, requested);
    object.map_err(|reason| BodyError::new(format!("its body is {reason}")))
}

/// Checks the name of an object of a parent.
pub(crate) fn check_name<N: ObjectName>(
    text: &str,
    parent: &Identifier,
    requested: Option<&N>,
) -> Result<N, String> {
    let (parent_word, word) = N::WORDS;
    if let Some(requested) = requested {
        if text == requested.to_string() {
            return Ok(requested.clone());
        }
        return Err(match text {
            "" => format!("another {word}, without a name"),
            text => format!("another {word}, `{text}`"),
        });
    }
    let invalid = |error| format!("the {word} with the name `{text}`, which {error}");
    let name = N::parse(text).map_err(invalid)?;
    if name.parent() != parent {
        return Err(format!("the {word} `{name}`, which belongs to another {parent_word}"));
    }
    Ok(name)
}

/// Returns the path of an object: `/api/v1/listings/github/roles/viewer`.
pub(crate) fn object_path<N: ObjectName>(name: &N) -> String {
    let (parent, object) = N::WORDS;
    path(&[
        &format!("{parent}s"),
        name.parent().as_str(),
        &format!("{object}s"),
        name.id().as_str(),
    ])
}

/// Returns the path of the objects of a parent.
pub(crate) fn collection_path<N: ObjectName>(parent: &Identifier) -> String {
    let (parent_word, object) = N::WORDS;
    path(&[&format!("{parent_word}s"), parent.as_str(), &format!("{object}s")])
}
