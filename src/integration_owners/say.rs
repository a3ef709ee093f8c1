//! Errors and warnings about the owners of an integration as a whole.

use std::collections::BTreeSet;

use access_client::{Error, ErrorKind};

use crate::integration_owner::say::invalid_principal;
use crate::run::Run;
use crate::say::claims::CHANGED_NOTHING;
use crate::say::read::{Needed, could_not_read};
use crate::say::{Advice, Message, Words};

/// Why a list is not replaced by itself.
pub(super) const LIST_REPLACED: &str = "a replacement would leave the integration without owners, and an apply adds and removes owners already";

/// A list that names no owner.
pub(super) fn no_owners() -> Message {
    Message::error("Invalid owners")
        .fact("An integration without owners cannot be managed any more.")
        .step("List at least one owner in `owners`.")
        .at("owners")
}

/// The plan of a create, for an integration that has other owners.
pub(super) fn others_exist(others: &str) -> Message {
    Message::ownership("has owners that are not listed")
        .note(others)
        .fact("the create only adds owners, so these stay. The next plan shows that they are removed.")
        .step("Add those to `owners` that are to stay.")
        .at("owners")
}

/// A destroy, for owners of the state that the list lacks.
pub(super) fn not_listed(owners: &str) -> Message {
    Message::ownership("has owners in the state that the service does not list")
        .note(owners)
        .fact("nothing was sent for them. If the list lags, or is filtered, they are still owners.")
        .step("Look at the owners at the service.")
}

/// An update would leave the integration without owners.
pub(super) fn never_empty(kind: &str) -> Message {
    Message::error(kind)
        .fact("none of the owners that stay is listed, so the integration might be left without owners. No owner was removed.")
        .step("Run Terraform again: the next plan adds the missing owners first.")
        .at("owners")
}

/// An import found an integration without owners.
pub(super) fn nothing_to_import(kind: &str) -> Message {
    Message::error(kind)
        .fact("the list of owners is empty.")
        .step("Check the ID. If the integration has no owners, an apply without the import adds them.")
        .spares_destroy()
}

/// The list that an operation needs. `effect` is a sentence, or empty.
pub(super) fn list_needed(words: &Words, error: &Error, effect: &str) -> Advice {
    let other_resource = match error.kind() {
        ErrorKind::NotFound => {
            "If another resource of this plan creates the integration, refer to that resource. "
        }
        _ => "",
    };
    let single = "`access_integration_owner` manages single owners and does not need the list.";
    if error.kind() == ErrorKind::Unreadable {
        let step = format!(
            "This resource manages all owners, so it needs the whole list. Report the list to the service's operators. \
             {single}"
        );
        return Advice::new(step).after(effect).at("integration");
    }
    let needed = Needed::of_list(words, format!("{other_resource}{single}"));
    needed.advice(error).after(effect).at("integration").spares_destroy(false)
}

/// What a replacement did not do.
pub(super) fn replacement_effect(old: &str) -> String {
    format!("{CHANGED_NOTHING}, the owners of {old} included.")
}

/// The remark of a change that fails half-way: who was added, and who stays because not everybody was.
/// Empty if there is nobody.
pub(super) fn half_way(run: &Run, added: &BTreeSet<String>, stay: &BTreeSet<String>) -> String {
    let mut remark = String::new();
    if !added.is_empty() {
        remark += &format!("Added in this apply: {}. ", shown(run, added));
    }
    if !stay.is_empty() {
        remark += &format!("Not removed because of this: {}. ", shown(run, stay));
    }
    if !remark.is_empty() {
        remark += "Another apply goes on.";
    }
    remark
}

/// Somebody who is to be added is in a form that the service does not take.
pub(super) fn not_addable(owner: &str, fault: &str) -> Message {
    invalid_principal(owner, fault).at("owners").spares_destroy()
}

/// An entry of the list that does not show who it is.
pub(super) fn without_principal(name: &str) -> Message {
    could_not_read(&format!("{name} has no `owner` in the list, which may be anybody"))
}

/// Returns owners for a message: at most twenty.
pub(super) fn shown(run: &Run, owners: &BTreeSet<String>) -> String {
    let first: Vec<String> =
        owners.iter().take(20).map(|owner| run.client.presentable(owner)).collect();
    let more = owners.len().saturating_sub(20);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
