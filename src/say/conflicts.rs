//! Two resources of a plan for one object.

use super::blocks::{moved_block, moved_index_block};
use super::message::Message;
use super::words::Words;

/// The way out of a new address. `is_replaced` is whether a resource gets another name: then indices
/// have shifted, or names are exchanged.
fn moved(words: &Words, is_replaced: bool) -> String {
    if is_replaced {
        format!(
            "If indices have shifted, use `for_each` over keys that are names, with a block for each:\n\n{}\n\nNames that \
             move between resources are applied one after the other.",
            moved_index_block(words.resource_type)
        )
    } else {
        format!(
            "If a block has a new address, add\n\n{}\n\nIf it is a copy, change its `{}`.",
            moved_block(words.resource_type),
            words.main_argument
        )
    }
}

/// A replacement creates what another resource creates.
pub(crate) fn created_twice(words: &Words) -> Message {
    Message::error("is created by two resources")
        .fact("a resource that is replaced and another resource both get this name.")
        .step(format!("Change `{}` in one of them.", words.main_argument))
        .at(words.main_argument)
}

/// A resource creates what another one, or a deposed object, has.
pub(crate) fn created_and_held(words: &Words, is_replaced: bool) -> Message {
    Message::error("is created by one resource, and another has it")
        .fact(format!("another state of this configuration has this {}.", words.noun))
        .step(format!(
            "{} If it is a deposed object, which `terraform state list` does not show, run `terraform state rm` for its \
             address, and import the object.",
            moved(words, is_replaced)
        ))
        .at(words.main_argument)
}

/// A resource keeps what another one, or a deposed object, destroys.
pub(crate) fn kept_and_destroyed(words: &Words) -> Message {
    Message::error("is kept by one resource and destroyed by another")
        .fact("two states have this object, one of them perhaps as a deposed object.")
        .step(
            "Discard one of the two: `terraform state rm ADDRESS`. If that was the address which keeps it, import it \
             again."
        )
        .at(words.main_argument)
}
