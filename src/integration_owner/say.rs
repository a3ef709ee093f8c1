//! Errors and warnings about integration owners: the event, its effect, and the next step.

use access_client::{Identifier, IntegrationOwner, Invalid, Principal};
use plugin_server::hcl::quoted;

use super::attributes::WORDS;
use crate::say::blocks::{import_block, removed_block};
use crate::say::{Advice, Message};

const TYPE: &str = WORDS.resource_type;

/// The service stored an owner under another ID than the configuration sets.
pub(super) fn other_id(id: &Identifier, stored: &Identifier) -> Message {
    Message::warning("has another ID than was set")
        .fact(format!(
            "the configuration sets the ID {id}, and the service stored the owner under {stored}. The next plan replaces \
             it."
        ))
        .step(format!("Set `integration_owner_id = {}`, or omit it.", quoted(stored.as_str())))
        .at("integration_owner_id")
}

/// A plan destroys every owner that the list shows, in whatever order.
pub(super) fn left_without_owners() -> Message {
    Message::ownership("is left without owners")
        .fact(
            "this plan destroys every owner that the service lists. Without an owner, the integration can no longer be \
             managed.",
        )
        .step(
            "Owners that are replaced with `create_before_destroy` are added first. In any other case, leave an owner at \
             the service, by a `removed` block with `destroy = false`, or add another one there.",
        )
}

/// An owner whose ID no request can contain.
pub(crate) fn not_addressable(fault: &Invalid) -> Message {
    Message::error("has an ID that no request can contain")
        .fact(format!("its ID {fault}. So it stays an owner, and this provider cannot remove it."))
        .step("Remove it at the service, and run Terraform again.")
}

/// No owner has the principal. `kind` is what could not be done.
pub(super) fn no_such_owner(kind: &str, candidates: &str) -> Message {
    Message::error(kind)
        .fact(format!("it is not among the owners. The service lists:\n{candidates}"))
        .step("Use one of these, or its ID.")
        .at("owner")
        .spares_destroy()
}

/// Several owners have the principal. `by_id` is how to select one.
pub(super) fn ambiguous_owner(kind: &str, by_id: &str, candidates: &str) -> Message {
    Message::error(kind)
        .fact(format!("it is an owner more than once:\n{candidates}"))
        .step(format!("To select one by its ID, {by_id}."))
        .at("owner")
        .spares_destroy()
}

/// A value that names no user, group or team.
pub(crate) fn invalid_principal(owner: &str, fault: &str) -> Message {
    Message::error("Invalid user, group or team")
        .fact(format!("{} {fault}.", quoted(owner)))
        .step("Write `users/ID`, `groups/ID` or `teams/ID`.")
}

/// `access_integration_owners` and `access_integration_owner` for one integration.
pub(super) fn two_owners_types(integration: &str, goes: &str) -> Message {
    Message::error("belongs to two resource types")
        .fact(format!(
            "`access_integration_owners` manages all owners of {integration}, and `access_integration_owner` single ones. \
             Each removes what the other wants."
        ))
        .step(format!(
            "Keep one of the two. Replace each block of the other type with\n\n{}\n\nThe list has to name every owner \
             that is to stay.",
            removed_block(goes)
        ))
        .at("integration")
        .spares_destroy()
}

/// 404 to a POST.
pub(super) fn integration_missing(principal: &Principal) -> Advice {
    Advice::new(format!(
        "The integration does not exist, this API key may not see it, or the service does not have {principal}. Check \
         `integration`, `base_url`, and the user, group or team."
    ))
    .at("integration")
}

/// The service answered a POST with an owner that was there before.
pub(super) fn answered_with_existing(
    found: &str,
    owner: &IntegrationOwner,
    is_list: bool,
) -> Message {
    let principal = quoted(&owner.owner);
    let (way, attribute) = if is_list {
        (format!("write {principal} in `owners`."), "owners")
    } else {
        let block = import_block(TYPE, &owner.name);
        (format!("set `owner = {principal}` and import it:\n\n{block}"), "owner")
    };
    Message::error("was not added")
        .fact(format!(
            "the service answered with an owner that was there before, {found}. Nothing was added."
        ))
        .step(format!("If it is the same user, group or team, {way}"))
        .at(attribute)
}

/// What is said about a POST that the service may have processed.
const MAY_EXIST: &str = "The owner may exist, because the service may have processed the request. It was not sent again.";

/// The same for one of the owners of a list.
pub(super) fn may_be_listed() -> Advice {
    Advice::new(format!("{MAY_EXIST} Run Terraform again: who is there is not added again."))
        .at("owners")
}

/// A POST that failed after the service may have processed it; this owner is there now.
pub(super) fn may_exist_as_other(
    principal: &Principal,
    found: &str,
    owner: &IntegrationOwner,
) -> Advice {
    Advice::new(format!(
        "{MAY_EXIST} The service has {found} now, and nothing shows whether it had it before. If that is {principal}, \
         import it:\n\n{}\n\nIf not, run Terraform again.",
        import_block(TYPE, &owner.name)
    ))
    .at("owner")
}

/// A POST that failed after the service may have processed it, and no read shows the owner.
pub(super) fn may_exist(
    principal: &Principal,
    integration: &Identifier,
    id: Option<&Identifier>,
) -> Advice {
    let id = id.map_or("ID", Identifier::as_str);
    Advice::new(format!(
        "{MAY_EXIST} No read shows {principal} among the owners. Look at the service; if it is there, import it:\n\n{}\n\nIf \
         not, run Terraform again.",
        import_block(TYPE, format!("integrations/{integration}/owners/{id}"))
    ))
    .at("owner")
}
