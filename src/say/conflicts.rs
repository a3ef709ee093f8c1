//! Two resources of a plan for one object.

use super::blocks::{moved_block, moved_index_block};
use super::message::Message;
use super::words::Words;

/// The way out of a new address. `is_replaced` is whether a resource gets another name: then indices
/// have shifted, or names are exchanged. `copy` is the block to change if it is a copy.
fn moved(words: &Words, is_replaced: bool, copy: &str) -> String {
    if is_replaced {
        format!(
            "If indices have shifted, use `for_each` over keys that are names, with a block for each:\n{}\nNames that \
             move between resources are applied one after the other.",
            moved_index_block(words.resource_type)
        )
    } else {
        format!(
            "If a block has a new address, add\n{}\nIf {copy} is a copy, change its `{}`.",
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
        .spares_destroy()
}

/// A resource creates what another one, or a deposed object, has. `creates` is whether this resource does.
pub(crate) fn created_and_held(words: &Words, is_replaced: bool, creates: bool) -> Message {
    let (fact, copy) = if creates {
        ("this resource creates it, and another one has it in its state.", "this block")
    } else {
        ("this resource has it in its state, and another one creates it.", "the other block")
    };
    Message::error("is created by one resource, and another has it")
        .fact(fact)
        .step(format!(
            "{} If the plan shows `(deposed object ...)` for it: `terraform state rm` for that address, which discards \
             both of its objects, then import both.",
            moved(words, is_replaced, copy)
        ))
        .at(words.main_argument)
        .spares_destroy()
}

/// A resource keeps what another one, or a deposed object, destroys.
pub(crate) fn kept_and_destroyed(words: &Words) -> Message {
    Message::error("is kept by one resource and destroyed by another")
        .fact("two states have this object, one of them perhaps as a deposed object.")
        .step(
            "Discard one of the two: `terraform state rm ADDRESS`. If that was the address which keeps it, import it \
             again.",
        )
        .at(words.main_argument)
        .spares_destroy()
}
