//! Errors and warnings about the owners of an integration as a whole.

use std::collections::BTreeSet;

use access_client::{Error, ErrorKind, Principal};
use tf_provider::value::Value;

use super::schema::WORDS;
use super::state::IntegrationOwnersState;
use crate::integration_owner::state::NotAdded;
use crate::object::call::Call;
use crate::object::messages::{import_block, removed_block};
use crate::object::read::report_elsewhere;
use crate::object::{Advice, Message, NeededRead, ObjectPrivateState, Reported, next_step};
use crate::service::Session;

const TYPE: &str = WORDS.resource_type;

/// The alternative at services without the list that this resource needs.
const ADDITIVE: &str =
    "`access_integration_owner` manages single owners and does not need the list.";

/// An integration that has owners, which may not be adopted: a warning of the plan, and an error of the
/// create and of a replacement, with this effect.
pub(super) fn exists(call: &Call<'_>, existing: &BTreeSet<String>, effect: &str) -> Message {
    let (name, owners) = (&call.object, shown(call.session, existing));
    let (located, block) = (call.located_object(), import_block(TYPE, name));
    let detail = format!(
        "{located}: {owners}. {effect} To manage them, import them. The next plan then shows which owners \
         it adds and removes. Or set `adopt_existing = true`, which adds the owners that are missing and \
         removes those that `owners` does not contain. (`terraform-provider-access export {name}` prints \
         resources for single owners instead.)\n\n{block}"
    );
    Message::new(format!("{name} has owners already"), detail).at("owners")
}

/// The apply will adopt the owners of an integration, if `adopt_existing` is true or not known yet. Names
/// those that it removes.
pub(super) fn will_adopt(
    call: &Call<'_>,
    planned: &IntegrationOwnersState,
    existing: &BTreeSet<String>,
) -> Message {
    let (name, located, wanted) = (&call.object, call.located_object(), planned.principals());
    let kept = shown(call.session, &(existing & &wanted));
    let removed = match &planned.owners {
        Value::Value(owners) if owners.iter().all(Value::is_value) => {
            shown(call.session, &(existing - &wanted))
        }
        _ => "those that `owners` does not contain, which is known only after apply".to_owned(),
    };
    let (will, condition) = if planned.adopt_existing.is_unknown() {
        let fails = " `adopt_existing` is known only after apply. If it is false, the apply fails and \
                     changes nothing.";
        ("may", fails)
    } else {
        ("will", "")
    };
    let detail = format!(
        "{located}: the integration has owners already.{condition} Kept: {kept}. Removed by the apply: \
         {removed}."
    );
    Message::new(format!("The owners of {name} {will} be adopted"), detail).at("owners")
}

/// The error of a destroy that would be followed by a create of the same list.
pub(super) fn replaced_by_itself(call: &Call<'_>) -> Message {
    let detail = format!(
        "{}: a replacement would leave the integration without owners, and an apply adds and removes owners \
         already. Nothing was sent, and the state is kept. Run `terraform untaint`, or plan without `-replace` \
         and `replace_triggered_by`.",
        call.located_object()
    );
    Message::new(format!("Could not replace {}", WORDS.kind), detail).at("integration")
}

/// What a create that is refused leaves.
pub(super) const NOTHING_CHANGED: &str = "This resource changed nothing.";

/// Adds the error of a list that a create, an update, a destroy or an import needs.
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
    let next = needed.advice(error.kind()).next.unwrap_or_else(|| next_step(error, ""));
    let next = format!("{effect} {next}");
    call.failed_with(error, Advice::next(next.trim_start()).at("integration"))
}

/// Adds the error of a refresh whose list returned 404.
pub(super) fn list_not_found(call: &mut Call<'_>, error: &Error) -> Reported {
    let next = format!(
        "The integration is gone, this API key may not see it, or a gateway or a wrong path responds like \
         this; the response does not tell which. The state is kept. Check `base_url`. If the integration is \
         gone, replace the resource block with\n\n{}\n\n(OpenTofu reads it: apply with \
         `-refresh=false`), or run `terraform state rm`.",
        removed_block(TYPE)
    );
    call.failed_with(error, Advice::next(next))
}

pub(super) fn not_added(call: &mut Call<'_>, owner: &Principal, failure: &NotAdded) -> Reported {
    let (NotAdded::Refused(error) | NotAdded::Unknown(error, _)) = failure;
    let advice = match failure {
        NotAdded::Refused(error) if error.kind() == ErrorKind::Conflict => Advice::next(format!(
            "{owner} may be an owner already: the list lags, or contains it in another spelling. Use that \
             spelling in `owners`: the data source `{TYPE}` returns it. If it does not, run Terraform \
             again in a few minutes. No owner was removed."
        )),
        NotAdded::Refused(_) => Advice::default(),
        NotAdded::Unknown(..) => Advice::next(
            "The owner may exist: the service may have processed the request before it failed, and no read \
             shows the owner. The request was not sent again, so that there are never two owners, and no \
             owner was removed. Run Terraform again in a few minutes, and look at the owners in its plan \
             before you apply it.",
        )
        .for_all("they may exist: look at the owners in the next plan before you apply it"),
    };
    call.failed_with(error, advice.at("owners"))
}

/// Two spellings of the same owner.
pub(super) fn same_owner(call: &Call<'_>, (owner, stored): (&str, &str)) -> Message {
    let object = call.located_object();
    let detail = format!(
        "{object}: {owner:?} and {stored:?} are one owner: the service stores the first as the second. Remove \
         one of them from `owners`."
    );
    Message::new("Invalid owners", detail).at("owners")
}

/// An update would leave the integration without owners.
pub(super) fn never_empty(call: &Call<'_>) -> Message {
    let detail = format!(
        "{}: no read shows the owners that the configuration keeps. They were removed outside Terraform, or \
         reads lag. No owner was removed, because the integration might be left without owners. Run \
         Terraform again in a few minutes: the next plan adds the missing owners first.",
        call.object
    );
    Message::new(call.summary(), detail).at("owners")
}

/// A create could not make all changes.
pub(super) fn incomplete(name: &str) -> Message {
    let detail = "Some owners could not be added or removed; the other warnings contain the failed \
                  requests. This is not an error, because Terraform would destroy the resource at the \
                  next apply. The next plan shows the owners that the integration has, and what is left \
                  to change.";
    Message::new(format!("Not all owners of {name} were changed"), detail).at("owners")
}

/// Returns the next step for an owner that an apply has to remove and that stays.
pub(super) fn removal_advice(call: &Call<'_>, owner: &str) -> String {
    let object = &call.object;
    format!(
        "The state contains the owners that {object} has now. Either add {owner:?} to `owners`, or remove \
         it at the service by other means and run Terraform again. If owners can never be removed by \
         this API, `access_integration_owner` manages single owners."
    )
}

pub(super) fn invalid_import_id(id: &str) -> Message {
    let detail = format!(
        "The import ID {id:?} is neither `integrations/{{integration}}` nor the ID of an integration. \
         To import a single owner, use `access_integration_owner`."
    );
    Message::new(format!("Could not import {}", WORDS.kind), detail)
}

/// An import found an integration without owners.
pub(super) fn no_owners(call: &Call<'_>) -> Message {
    let detail = format!(
        "{}: the list of owners is empty. Check the ID and `base_url`. If the integration has no \
         owners, an apply without the import adds them.",
        call.object
    );
    Message::new(call.summary(), detail)
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
