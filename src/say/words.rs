//! The words for the objects of a resource.

use access_client::Identifier;

/// The words for the objects of a resource.
pub(crate) struct Words {
    /// The kind of object: "listing role".
    pub(crate) kind: &'static str,
    /// The kind in lists of objects: "listing roles".
    pub(crate) kinds: &'static str,
    pub(crate) resource_type: &'static str,
    /// The kind of its parent: "listing". Its plural is the collection in names.
    pub(crate) parent_kind: &'static str,
    /// The arguments that make up a name, parent first, with their descriptions.
    pub(crate) name_arguments: [(&'static str, &'static str); 2],
    /// The argument that names the object to users, for errors about it.
    pub(crate) subject_argument: &'static str,
    /// What a create that could not look did to an object that exists: "may have been overwritten".
    pub(crate) risk: &'static str,
    /// What an adoption does: "overwrites it with this configuration".
    pub(crate) adoption: &'static str,
}

impl Words {
    /// Returns the name of a parent: `listings/github`.
    pub(crate) fn parent_name(&self, parent: &Identifier) -> String {
        format!("{}s/{parent}", self.parent_kind)
    }

    /// Returns the argument that names the parent.
    pub(crate) fn parent_argument(&self) -> &'static str {
        self.name_arguments[0].0
    }
}

/// Returns a kind with its article: "an integration".
pub(crate) fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
