//! The errors of two resources of a plan that contradict each other.

use super::call::Call;
use super::message::{Message, Reported};
use crate::messages::conflicts::{
    CreatedAndAbandoned, CreatedAndDestroyed, CreatedAndKept, CreatedTwice, DEPOSED,
    KeptAndDestroyed, ListAndOwners, NEW_BLOCK, OLD_BLOCK, TwoLists, TypeChanged,
};
use crate::messages::{import_block, moved_block, removed_block};
use crate::service::Contradiction;

/// What the resource does that is planned second, and gets the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Creates,
    Keeps,
    /// It, or a deposed object of its address, destroys the object or leaves it at the service.
    Destroys,
}

/// Adds the error of a contradiction, at the attribute that names the object.
pub(crate) fn report(call: &mut Call<'_>, found: &Contradiction, side: Side) -> Reported {
    report_at(call, found, side, call.words.subject_argument)
}

/// Adds the error of a contradiction at `attribute`, if that is not the one which names the object.
pub(crate) fn report_at(
    call: &mut Call<'_>,
    found: &Contradiction,
    side: Side,
    attribute: &'static str,
) -> Reported {
    let message = describe(call, found, side).at(attribute);
    call.fail(message)
}

/// What to do about a resource that has only a new address.
fn moved(resource_type: &str) -> String {
    format!(
        "If a resource has a new address, add a `moved` block, with which nothing is destroyed (guide *Rename a \
         role or an owner*). If the indices of `count` or of a list have shifted, use `for_each` over keys that \
         are names, with a `moved` block for each:\n\n{}\n\nA chain of new names is applied one by one, a swap \
         through a third name.",
        moved_block(resource_type)
    )
}

/// Returns the error of a contradiction for the resource that is planned second, with its ways out.
fn describe(call: &Call<'_>, found: &Contradiction, side: Side) -> Message {
    let kind = &call.kind;
    let object = &call.located_object();
    let shared = &call.words.shared;
    let resource_type = call.words.resource_type;
    let moved = &moved(resource_type);
    let removed = &removed_block(resource_type);
    match found {
        Contradiction::CreatedTwice => CreatedTwice { object, kind, shared }.into(),
        Contradiction::CreatedAndKept => {
            let which = match side {
                Side::Creates => &NEW_BLOCK,
                Side::Keeps | Side::Destroys => &OLD_BLOCK,
            };
            CreatedAndKept { object, kind, which, shared, moved }.into()
        }
        Contradiction::CreatedAndDestroyed => {
            CreatedAndDestroyed { object, kind, moved, deposed: &DEPOSED }.into()
        }
        Contradiction::CreatedAndAbandoned => {
            let import = &import_block(resource_type, &call.object);
            CreatedAndAbandoned { object, kind, moved, import, deposed: &DEPOSED }.into()
        }
        Contradiction::KeptAndDestroyed => KeptAndDestroyed { object, kind, removed }.into(),
        Contradiction::TwoLists => TwoLists { object, removed }.into(),
        Contradiction::ListAndOwners(owners) => {
            let owners = &owners.join(", ");
            let removed = &removed_block("access_integration_owner");
            ListAndOwners { object, owners, removed }.into()
        }
        Contradiction::ListToOwners => {
            let from = &"access_integration_owners";
            TypeChanged { object, from, to: &"access_integration_owner" }.into()
        }
        Contradiction::OwnersToList => {
            let from = &"access_integration_owner";
            TypeChanged { object, from, to: &"access_integration_owners" }.into()
        }
    }
}
