//! The words for the objects of a resource.

use std::fmt;

/// The words for the objects of a resource.
pub(crate) struct Words {
    /// What an object is: "listing role".
    pub(crate) noun: &'static str,
    pub(crate) resource_type: &'static str,
    /// What its parent is: "listing". Its plural is the collection in names.
    pub(crate) parent_noun: &'static str,
    /// The attributes of the identity, parent first, with their descriptions.
    pub(crate) name_arguments: [(&'static str, &'static str); 2],
    /// The argument that names the object to users, for errors about it.
    pub(crate) main_argument: &'static str,
}

impl Words {
    /// Returns the name of a parent: `listings/github`.
    pub(crate) fn parent_name(&self, parent: impl fmt::Display) -> String {
        format!("{}s/{parent}", self.parent_noun)
    }

    /// Returns what several objects are: "listing roles".
    pub(crate) fn plural(&self) -> String {
        format!("{}s", self.noun)
    }

    /// Returns the argument that names the parent.
    pub(crate) fn parent_argument(&self) -> &'static str {
        self.name_arguments[0].0
    }
}

/// Returns a noun with its article: "an integration".
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
