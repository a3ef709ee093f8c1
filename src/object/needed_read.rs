//! The next step after a read that an operation cannot do without: an import, a data source, a list, an
//! export, the check before a create.

use access_client::ErrorKind;

use super::message::{Advice, Words};

/// A read that an operation cannot do without.
pub(crate) struct NeededRead {
    /// What may be missing after a 404: "The role or its listing".
    pub(crate) subject: String,
    /// "reads" or "lists".
    pub(crate) operation: &'static str,
    /// The attribute that names the subject; `None` for an ID that is no attribute.
    pub(crate) attribute: Option<&'static str>,
    /// How to do without this read.
    pub(crate) alternative: String,
}

impl NeededRead {
    /// Returns the list of a parent.
    pub(crate) fn of_list(words: &Words, alternative: impl Into<String>) -> Self {
        let [(attribute, _), _] = words.name_arguments;
        Self {
            subject: format!("The {}", words.parent_kind),
            operation: "lists",
            attribute: Some(attribute),
            alternative: alternative.into(),
        }
    }

    /// Returns the advice after its failure. Nothing is inferred from a 404: the text names all that it may
    /// mean.
    pub(crate) fn advice(&self, kind: ErrorKind) -> Advice {
        let Self { subject, operation, attribute, alternative } = self;
        let next = match kind {
            ErrorKind::NotFound { json } => {
                let gateway =
                    if json { "" } else { "The response does not look like the service's own. " };
                let id =
                    attribute.map_or("the ID".to_owned(), |attribute| format!("`{attribute}`"));
                let next = format!(
                    "{gateway}{subject} does not exist, this API key may not see it, or the service does not offer \
                     {operation}. Check {id} and `base_url` (ACCESS_BASE_URL). {alternative}"
                );
                return Advice { attribute: *attribute, ..Advice::next(next) };
            }
            ErrorKind::NotImplemented => {
                format!("The service does not offer {operation}. {alternative}")
            }
            ErrorKind::Forbidden => {
                format!("This API key may not read this. Use a key that may. {alternative}")
            }
            _ => return Advice::default(),
        };
        Advice::next(next)
    }
}
