//! Refreshes, imports, data sources and lists.

use access_client::Error;
use plugin_server::hcl::quoted;

use super::claims::STATE_KEPT;
use super::message::{Advice, Message};
use super::requests::by_status;
use super::words::Words;

/// A refresh has found that the object is gone.
pub(crate) fn deleted_outside(words: &Words) -> Message {
    Message::warning("was deleted outside Terraform").fact(format!(
        "the {} does not exist any more. The plan creates it again if the configuration contains it.",
        words.noun
    ))
}

/// A refresh could not read an object, and nothing shows that it is gone.
pub(crate) fn could_not_read(response: &str) -> Message {
    not_read(response).step(
        "If an object is gone, run `terraform state rm`. If the service offers no reads, set `drift_detection = \"off\"`.",
    )
}

/// A refresh reads nothing, because arguments of the provider are unknown.
pub(crate) fn could_not_read_yet(reason: &str) -> Message {
    not_read(reason).step("Use known values, or apply what they come from first (`-target`).")
}

fn not_read(response: &str) -> Message {
    Message::run("Could not read every object")
        .fact(format!(
            "{response}. This does not show whether the object is gone. {STATE_KEPT} Changes outside Terraform are \
             not seen."
        ))
}

/// The object was last seen at another base address, and is not shown to be here.
pub(crate) fn elsewhere(words: &Words, seen: &str, here: &str, found: &str) -> Message {
    Message::error("was last seen at another base address")
        .note(seen)
        .fact(format!(
            "it was last seen at {seen}, and the provider is configured with {here} ({found}). {STATE_KEPT}"
        ))
        .step(format!(
            "Check `base_url`. If the service has moved, the {} must be readable at the new address. To manage it in \
             the other region instead, run `terraform state rm`, and import or create it there.",
            words.noun
        ))
}

/// A list has entries that could not be read, and a result lacks them.
pub(crate) fn entries_skipped(reasons: &[String]) -> Message {
    let shown = reasons.iter().take(20).cloned().collect::<Vec<_>>().join("; ");
    Message::warning("has entries that could not be read")
        .fact(format!("entries of the list are missing here ({}): {shown}.", reasons.len()))
}

/// An import ID of another form, or with an ID that no request can contain.
pub(crate) fn invalid_import_id(id: &str, reason: &str, form: &str) -> Message {
    Message::error("Invalid import ID")
        .fact(format!("The import ID {} {reason}.", quoted(id)))
        .step(format!("Write {form}."))
}

/// A read that an operation cannot do without: an import, a data source, a list.
pub(crate) struct Needed {
    /// What may be missing after a 404: "The role or its listing".
    pub(crate) missing: String,
    /// "reads" or "lists".
    pub(crate) operation: &'static str,
    /// The attribute that names it; `None` for an ID that is no attribute.
    pub(crate) attribute: Option<&'static str>,
    /// How to do without this read.
    pub(crate) alternative: String,
}

impl Needed {
    /// Returns the list of a parent.
    pub(crate) fn of_list(words: &Words, alternative: impl Into<String>) -> Self {
        Self {
            missing: format!("The {}", words.parent_noun),
            operation: "lists",
            attribute: Some(words.parent_argument()),
            alternative: alternative.into(),
        }
    }

    /// Returns what to do after its failure. Nothing is inferred from a 404.
    pub(crate) fn advice(&self, error: &Error) -> Advice {
        use access_client::ErrorKind;
        let Self { missing, operation, attribute, alternative } = self;
        let advice = match error.kind() {
            ErrorKind::NotFound => needed_not_found(missing, operation, *attribute),
            ErrorKind::NotImplemented => needed_not_offered(operation),
            ErrorKind::Forbidden => needed_not_allowed(),
            _ => return by_status(error),
        };
        let step = format!("{} {alternative}", advice.step);
        Advice { step, spares_destroy: true, ..advice }
    }
}

/// 404 to a read that is needed.
fn needed_not_found(missing: &str, operation: &str, attribute: Option<&'static str>) -> Advice {
    let id = attribute.map_or("the ID".to_owned(), |attribute| format!("`{attribute}`"));
    let advice = Advice::new(format!(
        "{missing} does not exist, this API key may not see it, or the service does not offer {operation}. Check {id} \
         and `base_url`."
    ));
    Advice { attribute, ..advice }
}

/// 405 or 501 to a read that is needed.
fn needed_not_offered(operation: &str) -> Advice {
    Advice::new(format!("The service does not offer {operation}."))
}

/// 403 to a read that is needed.
fn needed_not_allowed() -> Advice {
    Advice::new("This API key may not read this. Use a key that may.")
}

/// 403 to a refresh.
pub(crate) fn not_refreshed(words: &Words) -> Advice {
    Advice::new(format!(
        "This API key may not read the {}. Use a key that may, or set `drift_detection = \"off\"`. {STATE_KEPT} If the \
         object is gone, run `terraform state rm`.",
        words.noun
    ))
    .spares_destroy(true)
}
