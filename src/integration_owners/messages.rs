//! Errors and warnings about the owners of an integration as a whole.

use std::collections::BTreeSet;

use access_client::{Error, ErrorKind, Principal};
use plugin_server::hcl::quoted;
use tf_provider::value::Value;

use super::schema::WORDS;
use super::state::IntegrationOwnersState;
use crate::integration_owner::messages::missing;
use crate::integration_owner::state::{NewOwner, NotAdded};
use crate::messages::deletes::ListReplaced;
use crate::messages::owners::{
    InvalidIntegrationId, NeverEmpty, NothingToImport, OwnersAdopted, OwnersExist,
    OwnersExistInReplacement, OwnersMayBeAdopted, OwnersWillExist, SameOwner,
};
use crate::messages::requests::{
    ListNeeded, ListedMayExist, ListedOwnerConflict, OwnerStays, OwnersNotFound,
};
use crate::messages::{import_block, removed_block};
use crate::object::call::Call;
use crate::object::read::report_elsewhere;
use crate::object::{
    Advice, Message, NeededRead, ObjectPrivateState, Reported, by_status, check_base_url,
};
use crate::service::Session;

const TYPE: &str = WORDS.resource_type;

/// The alternative at services without the list that this resource needs.
const ADDITIVE: &str =
    "`access_integration_owner` manages single owners and does not need the list.";

/// What refuses owners that exist and may not be adopted.
pub(super) enum Refusal<'o> {
    /// A warning: the create of this plan will be refused.
    Plan,
    Create,
    /// The plan of a replacement of this list by another name.
    Replacement(&'o str),
}

/// An integration that has owners, which may not be adopted.
pub(super) fn exists(
    call: &Call<'_>,
    existing: &BTreeSet<String>,
    refusal: &Refusal<'_>,
) -> Message {
    let object = &call.object;
    let located = &call.located_object();
    let owners = &shown(call.session, existing);
    let import = &import_block(TYPE, object);
    match refusal {
        Refusal::Plan => OwnersWillExist { object, located, owners, import }.into(),
        Refusal::Create => OwnersExist { object, located, owners, import }.into(),
        Refusal::Replacement(old) => {
            OwnersExistInReplacement { object, located, owners, old, import }.into()
        }
    }
}

/// The apply will adopt the owners of an integration, if `adopt_existing` is true or not known yet.
/// Names those that it removes.
pub(super) fn will_adopt(
    call: &Call<'_>,
    planned: &IntegrationOwnersState,
    existing: &BTreeSet<String>,
) -> Message {
    let wanted = planned.principals();
    let removed = match &planned.owners {
        Value::Value(owners) if owners.iter().all(Value::is_value) => {
            shown(call.session, &(existing - &wanted))
        }
        _ => "those that `owners` does not contain, which is known only after apply".to_owned(),
    };
    let object = &call.object;
    let located = &call.located_object();
    let kept = &shown(call.session, &(existing & &wanted));
    let removed = &removed;
    if planned.adopt_existing.is_unknown() {
        OwnersMayBeAdopted { object, located, kept, removed }.into()
    } else {
        OwnersAdopted { object, located, kept, removed }.into()
    }
}

/// The error of a destroy that would be followed by a create of the same list.
pub(super) fn replaced_by_itself(call: &Call<'_>) -> Message {
    ListReplaced { object: &call.located_object(), kind: &WORDS.kind }.into()
}

/// Adds the error of a list that a create, an update, a destroy or an import needs. `effect` is a
/// sentence, or empty.
pub(super) fn list_needed(
    call: &mut Call<'_>,
    private: &ObjectPrivateState,
    (error, effect): (&Error, &str),
) -> Reported {
    if private.is_elsewhere(call.session) && matches!(error.kind(), ErrorKind::NotFound { .. }) {
        return report_elsewhere(call, private, Some(error));
    }
    let other_resource = match error.kind() {
        ErrorKind::NotFound { .. } => {
            "If another resource of this plan creates the integration, refer to that resource, or apply \
             it first with `-target`. "
        }
        _ => "",
    };
    let needed = NeededRead::of_list(WORDS, format!("{other_resource}{ADDITIVE}"));
    let Advice { next, for_all, .. } = needed.advice(error);
    let effect = if effect.is_empty() { String::new() } else { format!("{effect} ") };
    let advice = Advice::from(ListNeeded { effect: &effect, next: &next });
    call.failed_with(error, Advice { for_all, ..advice })
}

/// Adds the error of a refresh whose list returned 404.
pub(super) fn list_not_found(call: &mut Call<'_>, error: &Error) -> Reported {
    let check = check_base_url(error);
    let removed = removed_block(TYPE);
    call.failed_with(error, OwnersNotFound { check: &check, removed: &removed })
}

/// Adds the error of a POST for one owner of the list that is not known to have added it.
pub(super) fn not_added(
    call: &mut Call<'_>,
    new: &NewOwner,
    owner: &Principal,
    failure: &NotAdded,
) -> Reported {
    let (NotAdded::Refused(error) | NotAdded::Unknown(error, _)) = failure;
    let advice = match (failure, error.kind()) {
        (NotAdded::Unknown(..), _) => ListedMayExist.into(),
        (NotAdded::Refused(_), ErrorKind::Conflict) => ListedOwnerConflict { owner }.into(),
        (NotAdded::Refused(_), ErrorKind::NotFound { json: true }) => missing(call, new, owner),
        (NotAdded::Refused(_), _) => by_status(error),
    };
    call.failed_with(error, advice.at("owners"))
}

/// Two spellings of the same owner.
pub(super) fn same_owner(call: &Call<'_>, (owner, stored): (&str, &str)) -> Message {
    let object = &call.located_object();
    SameOwner { object, owner: &quoted(owner), stored: &quoted(stored) }.into()
}

/// An update would leave the integration without owners.
pub(super) fn never_empty(call: &Call<'_>) -> Message {
    NeverEmpty { object: &call.object, summary: &call.summary() }.into()
}

/// Returns the next step for an owner that an apply has to remove and that stays.
pub(super) fn removal_advice(call: &Call<'_>, owner: &str) -> String {
    Advice::from(OwnerStays { object: &call.object, owner: &quoted(owner) }).next
}

/// The error of an import ID that does not name an integration.
pub(super) fn invalid_import_id(id: &str) -> Message {
    InvalidIntegrationId { id: &quoted(id), kind: &WORDS.kind }.into()
}

/// An import found an integration without owners.
pub(super) fn no_owners(call: &Call<'_>) -> Message {
    NothingToImport { object: &call.object, summary: &call.summary() }.into()
}

/// Returns owners for a message: at most twenty.
fn shown(session: &Session, owners: &BTreeSet<String>) -> String {
    if owners.is_empty() {
        return "none".to_owned();
    }
    let first: Vec<String> =
        owners.iter().take(20).map(|owner| session.client.presentable(owner)).collect();
    let more = owners.len().saturating_sub(20);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
