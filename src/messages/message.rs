//! A warning or an error, before it is added to the diagnostics of a call, and the words for its
//! object.

use access_client::Identifier;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

/// The number of messages of a cause that are complete. The others are one line each, because
/// Terraform does not fold errors, nor warnings that name their object.
pub(crate) const COMPLETE: usize = 3;

/// The words for the objects of a resource.
pub(crate) struct Words {
    /// The kind of object: "listing role".
    pub(crate) kind: &'static str,
    /// The kind in lists of objects: "listing roles".
    pub(crate) kinds: &'static str,
    pub(crate) resource_type: &'static str,
    /// The kind of its parent: "listing". Its plural is the collection in names.
    pub(crate) parent_kind: &'static str,
    /// The form of the full name: `listings/{listing}/roles/{role}`.
    pub(crate) name_form: &'static str,
    /// The arguments that make up a name, parent first, with their descriptions.
    pub(crate) name_arguments: [(&'static str, &'static str); 2],
    /// The argument that names the object to users, for errors about it.
    pub(crate) subject_argument: &'static str,
    /// What two blocks for the same object have in common.
    pub(crate) shared: &'static str,
    /// How to adopt an existing object without an import.
    pub(crate) adoption: &'static str,
    /// Whether a create overwrites an object that exists. Otherwise it adds the object twice.
    pub(crate) create_overwrites: bool,
}

impl Words {
    /// Returns the name of a parent: `listings/github`.
    pub(crate) fn parent_name(&self, parent: &Identifier) -> String {
        format!("{}s/{parent}", self.parent_kind)
    }

    /// Returns the arguments that make up a name, in a sentence: "`listing` and `role`".
    pub(crate) fn name_in_text(&self) -> String {
        let [(parent, _), (own, _)] = self.name_arguments;
        format!("`{parent}` and `{own}`")
    }
}

/// Returns a kind with its article: "an integration".
pub(crate) fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// An error was added to the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A message of [`crate::messages`] with its facts.
pub(crate) struct Message {
    pub(crate) summary: String,
    pub(crate) detail: String,
    pub(crate) attribute: Option<&'static str>,
    /// The summary that replaces the message after the complete ones.
    pub(crate) short: Option<String>,
    /// Messages with one cause are counted together.
    pub(crate) family: &'static str,
    /// The number of complete messages of a family in a run.
    pub(crate) complete: usize,
    /// Whether objects of all kinds are counted together.
    pub(crate) counts_all_kinds: bool,
}

impl Message {
    /// Returns the message of a declaration.
    pub(crate) fn new(name: &'static str, summary: String, fact: String) -> Self {
        Self {
            summary,
            detail: fact,
            attribute: None,
            short: None,
            family: name,
            complete: COMPLETE,
            counts_all_kinds: false,
        }
    }

    /// Returns the message with its next step beneath the fact.
    pub(crate) fn with_next(mut self, next: &str) -> Self {
        if !next.is_empty() {
            self.detail = format!("{}\n\n{}", self.detail, next.trim());
        }
        self
    }

    /// Returns the message at the attribute that Terraform shows.
    pub(crate) fn at(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }

    /// Returns the message with the line that replaces it after a few objects.
    pub(crate) fn shortened(self, short: String) -> Self {
        Self { short: Some(short), ..self }
    }

    /// Returns the message counted together with others of the family.
    pub(crate) fn of_family(self, family: &'static str) -> Self {
        Self { family, ..self }
    }

    /// The first message of the family is complete, whatever kind of object the others are about.
    pub(crate) fn once(self, family: &'static str) -> Self {
        Self { family, complete: 1, counts_all_kinds: true, ..self }
    }

    /// Returns the message with another number of complete ones than [`COMPLETE`].
    pub(crate) fn complete(self, complete: usize) -> Self {
        Self { complete, ..self }
    }

    /// Returns the one line that replaces the message.
    pub(crate) fn into_short(self) -> Self {
        match self.short {
            Some(summary) => Self { summary, detail: String::new(), short: None, ..self },
            None => self,
        }
    }

    /// Adds the message as an error, without counting it. Calls count: `Call::fail`.
    pub(crate) fn fail(self, diags: &mut Diagnostics) -> Reported {
        diags.report_attribute_error(self.attribute, self.summary, self.detail);
        Reported
    }

    /// Adds the message as a warning, without counting it. Calls count: `Call::warn`.
    pub(crate) fn warn(self, diags: &mut Diagnostics) {
        diags.report_attribute_warning(self.attribute, self.summary, self.detail);
    }
}

/// The next step after a failed request.
pub(crate) struct Advice {
    pub(crate) next: String,
    /// What to do about all objects with this failure; shown in one-line messages. `None` if the
    /// status alone determines it.
    pub(crate) for_all: Option<String>,
    pub(crate) attribute: Option<&'static str>,
}

impl Advice {
    pub(crate) fn new(next: String) -> Self {
        Self { next, for_all: None, attribute: None }
    }

    pub(crate) fn at(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }

    /// Returns the advice with the step for all objects.
    pub(crate) fn for_all(self, step: String) -> Self {
        Self { for_all: Some(step), ..self }
    }
}
