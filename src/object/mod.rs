//! Code that listing roles and integration owners share: one trait, and one procedure for each step of
//! the life cycle that does not depend on the fields of the object.

pub(crate) mod conflict;
pub(crate) mod data_source;
pub(crate) mod delete;
pub(crate) mod existence;
pub(crate) mod functions;
pub(crate) mod identifier;
pub(crate) mod identity;
pub(crate) mod list;
pub(crate) mod list_resource;
pub(crate) mod mark;
pub(crate) mod operation;
pub(crate) mod private_state;
pub(crate) mod read;
pub(crate) mod read_back;
pub(crate) mod stale;

use std::fmt;
use std::future::Future;

use access_client::{Client, Error, Identifier, NameError, Pages, Response};

use crate::service::{Run, Service};

/// A resource type, as messages name it.
#[derive(Clone, Copy)]
pub(crate) struct ResourceType {
    /// The kind of object: "listing role".
    pub(crate) kind: &'static str,
    /// The name in configurations: "access_listing_role".
    pub(crate) name: &'static str,
}

/// An object of the API, as the shared procedures see it.
pub(crate) trait Object: Clone + Send + Sync + Sized + 'static {
    /// The kind of object in messages: "listing role".
    const KIND: &'static str;
    /// The type of the resource that manages it.
    const TYPE: &'static str;
    /// The kind and the resource type together.
    const RESOURCE_TYPE: ResourceType = ResourceType { kind: Self::KIND, name: Self::TYPE };
    /// Whether a create that is repeated ends in the same single object.
    const CREATE_IS_IDEMPOTENT: bool;
    /// The kind of its parent in messages: "listing".
    const PARENT_KIND: &'static str;
    /// The kind with its article: "a listing role".
    const A_KIND: &'static str;
    /// The settings to choose if reads are not available.
    const WITHOUT_READS: &'static str;
    /// The alternative to the import of an existing object.
    const ADOPTION: &'static str;
    /// The form of the full name: `listings/{listing}/roles/{role}`.
    const NAME_FORM: &'static str;
    /// The arguments that make up a name, parent first, with their descriptions.
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2];
    /// The full name, such as `listings/github/roles/viewer`.
    type Name: Clone + Eq + fmt::Display + Send + Sync;

    /// Returns the full name.
    fn name(&self) -> &Self::Name;
    /// Returns the ID of the parent in a name.
    fn parent(name: &Self::Name) -> &Identifier;
    /// Returns the object's own ID in a name.
    fn id(name: &Self::Name) -> &Identifier;
    /// Returns the time of creation, in RFC 3339.
    fn create_time(&self) -> Option<&str>;
    /// Returns the time of the last update, in RFC 3339.
    fn update_time(&self) -> Option<&str>;
    /// Returns the time of deletion, in RFC 3339, of an object that has been deleted.
    fn delete_time(&self) -> Option<&str>;

    /// Returns the full name of these two IDs.
    fn name_of(parent: Identifier, id: Identifier) -> Self::Name;
    /// Parses a full name.
    ///
    /// # Errors
    ///
    /// The rule that the text breaks.
    fn parse_name(text: &str) -> Result<Self::Name, NameError>;

    /// Reads the object by GET.
    fn get(
        client: &Client,
        name: &Self::Name,
    ) -> impl Future<Output = Result<Response<Self>, Error>> + Send;
    /// Deletes the object.
    fn delete(client: &Client, name: &Self::Name)
    -> impl Future<Output = Result<(), Error>> + Send;
    /// Lists the objects of a parent, page by page.
    fn pages<'c>(client: &'c Client, parent: &'c Identifier) -> Pages<'c, Self>;
    /// Returns what this run has learned about objects of this type.
    fn run(service: &Service) -> &Run<Self>;
}

/// Implements the methods of [`Object`] that differ between entities only in the names of fields and
/// of the client's methods.
macro_rules! object_methods {
    ($name:ident { $parent:ident, $id:ident }, $run:ident: $get:ident $delete:ident $pages:ident) => {
        type Name = $name;

        fn name(&self) -> &$name {
            &self.name
        }

        fn parent(name: &$name) -> &Identifier {
            &name.$parent
        }

        fn id(name: &$name) -> &Identifier {
            &name.$id
        }

        fn create_time(&self) -> Option<&str> {
            self.create_time.as_deref()
        }

        fn update_time(&self) -> Option<&str> {
            self.update_time.as_deref()
        }

        fn name_of($parent: Identifier, $id: Identifier) -> $name {
            $name { $parent, $id }
        }

        fn parse_name(text: &str) -> Result<$name, NameError> {
            $name::parse(text)
        }

        async fn get(client: &Client, name: &$name) -> Result<Response<Self>, Error> {
            client.$get(name).await
        }

        async fn delete(client: &Client, name: &$name) -> Result<(), Error> {
            client.$delete(name).await
        }

        fn pages<'c>(client: &'c Client, parent: &'c Identifier) -> Pages<'c, Self> {
            client.$pages(parent)
        }

        fn run(service: &Service) -> &Run<Self> {
            &service.$run
        }
    };
}
pub(crate) use object_methods;

/// Parses an import ID or a function's argument: the full name, or the two IDs with a slash between
/// them.
///
/// # Errors
///
/// The rule that the text breaks.
pub(crate) fn parse_either_name<O: Object>(text: &str) -> Result<O::Name, NameError> {
    match text.split_once('/') {
        Some((parent, id)) if !id.contains('/') => {
            Ok(O::name_of(Identifier::parse(parent)?, Identifier::parse(id)?))
        }
        _ => O::parse_name(text),
    }
}
