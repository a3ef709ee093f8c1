//! Destroys, and what stands in their way.

use super::blocks::removed_block;
use super::claims::{NO_DELETE, NOTHING_SENT, STATE_DISCARDED, STATE_KEPT};
use super::message::{Advice, Message};
use super::words::Words;

/// Somebody has made another object under the name.
pub(crate) fn other_object(words: &Words, created: &str) -> Message {
    Message::error("was made anew by somebody, and is not deleted")
        .fact(format!(
            "the {} of this name was created {created}, so it is not the one in the state. {NO_DELETE} \
             {STATE_KEPT}",
            words.noun
        ))
        .step(
            "To delete this one as well, run `terraform apply -refresh-only` with `drift_detection = \"auto\"`, and apply \
             again. To leave it, run `terraform state rm`.",
        )
}

/// A create of this run wants the object.
pub(crate) fn wanted(words: &Words) -> Message {
    Message::error("is wanted by another resource, and is not deleted")
        .fact(format!(
            "a create of this {} has failed in this run. {NO_DELETE} {STATE_KEPT}",
            words.noun
        ))
        .step("Add a `moved` block if the resource has a new address. Otherwise remove one of the two resources.")
}

/// This run has written the object after the state that is destroyed.
pub(crate) fn written_since(words: &Words) -> Message {
    Message::ownership("was not deleted, because this run has written it").fact(format!(
        "another resource, or the new object of this one, has this {}. {NO_DELETE} \
             {STATE_DISCARDED}",
        words.noun
    ))
}

/// A destroy under `abandon`.
pub(crate) fn abandoned() -> Message {
    Message::run("Abandoned objects stay at the service")
        .fact("with the deletion policy `abandon`, destroys send no request.")
}

/// Why an object is not replaced by itself under `abandon`.
pub(crate) const LEFT_AT_THE_SERVICE: &str =
    "the deletion policy `abandon` leaves it at the service, so it cannot be created again";

/// A resource that may not replace itself.
pub(crate) fn replaces_itself(words: &Words, why: &str) -> Message {
    Message::error("is not replaced by itself")
        .fact(format!("{why}. {NOTHING_SENT} {STATE_KEPT}"))
        .step("Run `terraform untaint`, or plan without `-replace` and `replace_triggered_by`.")
        .at(words.main_argument)
}

/// How to stop managing an object that the service does not delete.
fn ways(words: &Words) -> String {
    format!(
        "{STATE_KEPT} To leave it at the service, set `deletion_policy = \"abandon\"` of the provider, run \
         `terraform state rm`, or replace its block with\n{}\nAn instance with a key needs a `moved` block to a new \
         address first, and this block for that address (guide *Hand a role back*).",
        removed_block(words.resource_type)
    )
}

/// 405 or 501 to a DELETE.
pub(crate) fn delete_not_offered(words: &Words) -> Advice {
    Advice::new(format!("The service does not offer to delete it. {}", ways(words)))
}

/// A 404 to a DELETE of an object that is still there, or may be.
pub(crate) fn not_shown_gone(words: &Words, reads: &str) -> Advice {
    Advice::new(format!(
        "This does not show that the {} is gone: {reads}. {}",
        words.noun,
        ways(words)
    ))
}
