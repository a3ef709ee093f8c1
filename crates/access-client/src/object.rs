//! What the objects of the service have in common, and the calls that all of them have. The API
//! document does not show these calls: they are assumed from the resource names, and the service
//! may not offer them.

use std::future::Future;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::client::{Client, expect_deleted};
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request};
use crate::json::{self, BodyError, Defect};
use crate::names::{Identifier, ObjectName, form, nfc, split};
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

    /// Returns why a value of the object is missing in it: the service has one that the field cannot
    /// hold. Its name and its times are as the service has them.
    fn defect(&self) -> Option<&str>;

    /// Checks an object of a parent: the requested one, or an entry of a list.
    ///
    /// # Errors
    ///
    /// Returns a description of another object, or of none.
    fn of_wire(
        wire: Self::Wire,
        parent: &Identifier,
        requested: Option<&Self::Name>,
    ) -> Result<Self, String>;

    /// Reads an object.
    fn get(client: &Client, name: &Self::Name) -> impl Future<Output = Result<Self, Error>> + Send {
        let read = |body: &[u8]| read(body, name.parent(), Some(name));
        async move { client.call_for(Request::get(object_path(name)), read).await }
    }

    /// Reads an object of which only the name and the times are needed: it may have a defect.
    fn get_times(
        client: &Client,
        name: &Self::Name,
    ) -> impl Future<Output = Result<Self, Error>> + Send {
        let read = |response: &RawResponse| read_any(&response.body, name.parent(), Some(name));
        async move { client.call(Request::get(object_path(name)), read).await }
    }

    /// Returns the error of a list that cannot be used, for this reason.
    fn unusable_list(client: &Client, parent: &Identifier, reason: String) -> Error {
        let failure = Failure::Unreadable { status: 200, reason, defect: Defect::Other };
        client.error(&http::Method::GET, &collection_path::<Self::Name>(parent), failure)
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
        let read = |item: &RawValue| read_item(item, parent);
        Pages::new(client, collection_path::<Self::Name>(parent), Self::LIST_FIELDS, Box::new(read))
    }
}

/// Reads the body of a response with an object of a parent, which may be the requested one.
pub(crate) fn read<O: Object>(
    body: &[u8],
    parent: &Identifier,
    requested: Option<&O::Name>,
) -> Result<O, BodyError> {
    let object: O = read_any(body, parent, requested)?;
    match object.defect() {
        Some(defect) => Err(BodyError::new(defect)),
        None => Ok(object),
    }
}

/// Reads the same, with or without all its values.
fn read_any<O: Object>(
    body: &[u8],
    parent: &Identifier,
    requested: Option<&O::Name>,
) -> Result<O, BodyError> {
    let object = O::of_wire(json::object(body)?, parent, requested);
    object.map_err(|reason| BodyError::new(format!("its body is {reason}")))
}

/// Reads an item of a list, or returns the reason to skip it.
pub(crate) fn read_item<O: Object>(item: &RawValue, parent: &Identifier) -> Result<O, String> {
    let wire = json::object(item.get().as_bytes()).map_err(|error| error.reason)?;
    O::of_wire(wire, parent, None)
}

/// Checks the name of an object of a parent. The ID of an entry of a list may have any form.
pub(crate) fn check_name<N: ObjectName>(
    text: &str,
    parent: &Identifier,
    requested: Option<&N>,
) -> Result<N, String> {
    let (parent_word, word) = N::WORDS;
    if let Some(requested) = requested {
        if nfc(text) == nfc(&requested.to_string()) {
            return Ok(requested.clone());
        }
        return Err(match text {
            "" => format!("another {word}, without a name"),
            text => format!("another {word}, `{text}`"),
        });
    }
    match split::<N>(text) {
        None | Some((_, "")) => {
            Err(format!("the {word} with the name `{text}`, which {}", form::<N>()))
        }
        Some((parent_id, id)) if Identifier::of_response(parent_id).is_same(parent) => {
            Ok(N::new(parent.clone(), Identifier::of_response(id)))
        }
        Some(_) => Err(format!("the {word} `{text}`, which belongs to another {parent_word}")),
    }
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
