//! What a call of every operation may have to say.

use super::message::Message;

/// A state without a valid name.
pub(crate) fn invalid_state(noun: &str) -> Message {
    Message::error(format!("Invalid state of {noun}"))
        .fact("The state does not contain a valid name. It may have been edited.")
        .step("Remove it with `terraform state rm` and import the object again.")
}

/// The provider is not configured, or its arguments are known only after apply. `kind` is what could not
/// be done.
pub(crate) fn not_configured(object: &str, kind: &str, reason: &str) -> Message {
    Message::error(format!("{object}: {kind}")).fact(reason)
}

/// The object of a write, an import or a data source is deleted.
pub(crate) fn was_deleted(kind: impl Into<String>, at: &str) -> Message {
    Message::error(kind)
        .fact(format!("it was deleted at {at}."))
        .step("Choose another ID, or have it restored.")
        .spares_destroy()
}
