//! Errors and warnings about the owners of an integration as a whole.

use std::collections::BTreeSet;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind};
use tf_provider::value::Value;

use super::state::{IntegrationOwnersState, KIND, TYPE};
use crate::integration_owner::add::NotAdded;
use crate::integration_owner::state::NewOwner;
use crate::object::call::{Advice, Call, Message, Reported};
use crate::object::messages::{DEPOSED_WAYS, import_block, removed_block};
use crate::object::read::report_elsewhere;
use crate::object::{ObjectPrivateState, next_step};
use crate::service::Session;

/// The alternative at services that lack an operation which this resource needs.
const ADDITIVE: &str = "`access_integration_owner` manages single owners and does not need it.";

/// An integration that has owners, which may not be adopted: a warning of the plan, and an error of the
/// create and of a replacement, with this effect.
pub(super) fn exists(
    session: &Session,
    name: &str,
    existing: &[IntegrationOwner],
    effect: &str,
) -> Message {
    let owners = existing.iter().map(|owner| owner.owner.clone()).collect();
    Message::new(
        format!("{name} has owners already"),
        format!(
            "{}: {}. {effect} To manage them, import them. The next plan then shows which owners it adds and \
             removes. Or set `adopt_existing = true`, which adds the owners that are missing and removes \
             those that `owners` does not contain. (`terraform-provider-access export {name}` prints \
             resources for single owners instead.)\n\n{}",
            session.with_base_url(name),
            shown(session, &owners),
            import_block(TYPE, name)
        ),
    )
    .at("owners")
}

/// The apply will adopt the owners of an integration, if `adopt_existing` is true or not known yet. Names
/// those that it removes.
pub(super) fn will_adopt(
    session: &Session,
    name: &str,
    planned: &IntegrationOwnersState,
    existing: &[IntegrationOwner],
) -> Message {
    let existing: BTreeSet<String> = existing.iter().map(|owner| owner.owner.clone()).collect();
    let wanted = planned.principals();
    let kept = shown(session, &existing.intersection(&wanted).cloned().collect());
    let others: BTreeSet<String> = existing.difference(&wanted).cloned().collect();
    let removed = match &planned.owners {
        Value::Value(owners) if owners.iter().all(Value::is_value) => shown(session, &others),
        _ => "those that `owners` does not contain, which is known only after apply".to_owned(),
    };
    let (will, condition) = if planned.adopt_existing.is_unknown() {
        (
            "may",
            " `adopt_existing` is known only after apply. If it is false, the apply fails and changes \
             nothing.",
        )
    } else {
        ("will", "")
    };
    Message::new(
        format!("The owners of {name} {will} be adopted"),
        format!(
            "{}: the integration has owners already.{condition} Kept: {kept}. Removed by the apply: \
             {removed}.",
            session.with_base_url(name)
        ),
    )
    .at("owners")
}

/// The plan replaces the resource by itself.
pub(super) fn replaced_by_itself(object: &str) -> Message {
    Message::new(
        format!("Could not replace {KIND}"),
        format!(
            "{object}: the state has this resource already, and the plan creates it again. An apply adds \
             and removes owners already, and a replacement would leave the integration without owners. \
             Drop `-replace` or `replace_triggered_by`, or run `terraform untaint`. If the resource was \
             renamed, add a `moved` block. {DEPOSED_WAYS}"
        ),
    )
    .at("integration")
}

/// Adds the error of a list that a create, an update, a destroy or an import needs.
pub(super) fn list_needed(
    call: &mut Call<'_>,
    private: &ObjectPrivateState,
    (error, effect): (&Error, &str),
) -> Reported {
    if private.is_elsewhere(call.session) && matches!(error.kind(), ErrorKind::NotFound { .. }) {
        return report_elsewhere(call, private, Some(error));
    }
    let next = match error.kind() {
        ErrorKind::NotFound { .. } => Some(format!(
            "This resource needs the list of owners. The integration does not exist, this API key may \
             not see it, or the service does not list owners. Check `integration` and `base_url`. If \
             another resource of this plan creates the integration, refer to that resource, or apply it \
             first with `-target`. If the service does not list owners: {ADDITIVE}"
        )),
        ErrorKind::NotImplemented => Some(format!(
            "This resource needs the list of owners, which the service does not offer. {ADDITIVE}"
        )),
        ErrorKind::Forbidden => Some(format!(
            "This resource needs the list of owners, and this API key may not list them. Use a key that \
             may. {ADDITIVE}"
        )),
        _ if effect.is_empty() => None,
        _ => Some(next_step(error, "")),
    };
    let next =
        next.map(|next| format!("{effect}{}{next}", if effect.is_empty() { "" } else { " " }));
    call.failed_with(error, Advice { next, ..Advice::default() }.at("integration"))
}

/// The warning of a plan whose create needs the list of owners, which failed.
pub(super) fn list_needed_by_create(name: &str, error: &Error) -> Message {
    let lasts = matches!(
        error.kind(),
        ErrorKind::Server | ErrorKind::Unreachable | ErrorKind::TooManyRequests { .. }
    );
    let effect = if lasts { "The apply will fail if this lasts" } else { "The apply will fail" };
    Message::new(
        format!("Could not check the owners of {name}"),
        format!(
            "{name}: {error}.\n\n{effect}: this resource needs the list of owners. {}",
            next_step(error, "")
        ),
    )
    .at("integration")
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

/// The list cannot be read, so drift is not detected.
pub(super) fn list_unavailable(call: &Call<'_>, error: &Error) -> Message {
    Message::new(
        "Drift detection unavailable for lists of owners",
        format!(
            "{}: {error}.\n\nThe state is kept, and the plan compares it with the configuration only. \
             `{TYPE}` needs the list of owners: an apply that changes owners fails without it. {ADDITIVE}",
            call.operation.object
        ),
    )
}

/// Adds the error of an owner that was not added.
pub(super) fn not_added(call: &mut Call<'_>, new: &NewOwner, failure: &NotAdded) -> Reported {
    let (error, next) = match failure {
        NotAdded::Refused(error) => {
            let next = match error.kind() {
                ErrorKind::NotFound { json: true } => Some(
                    "The integration does not exist, or this API key may not change it. No owner was \
                     removed."
                        .to_owned(),
                ),
                ErrorKind::Conflict => Some(format!(
                    "{} may be an owner already: the list lags, or contains it in another spelling. Use \
                     that spelling in `owners`: the data source `{TYPE}` returns it. If it does not, run \
                     Terraform again in a few minutes. No owner was removed.",
                    new.owner
                )),
                _ => None,
            };
            (error, next)
        }
        NotAdded::Unknown(error, _) => (
            error,
            Some(
                "The owner may exist: the service may have processed the request before it failed, and \
                 no read shows the owner. The request was not sent again, so that there are never two \
                 owners, and no owner was removed. Run Terraform again in a few minutes, and look at the \
                 owners in its plan before you apply it."
                    .to_owned(),
            ),
        ),
    };
    call.failed_with(error, Advice { next, ..Advice::default() }.at("owners"))
}

/// Two spellings of one owner.
pub(super) fn same_owner((owner, stored): (&str, &str)) -> Message {
    Message::new(
        "Invalid owners",
        format!(
            "{owner:?} and {stored:?} are one owner: the service stores the first as the second. Remove \
             one of them from `owners`."
        ),
    )
    .at("owners")
}

/// An update would leave the integration without owners.
pub(super) fn never_empty(call: &Call<'_>) -> Message {
    Message::new(
        call.operation.summary(),
        format!(
            "{}: the owners that the configuration keeps were removed outside Terraform after the plan. \
             No owner was removed, because the integration would be left without owners. Run Terraform \
             again: the next plan adds the missing owners first.",
            call.operation.object
        ),
    )
    .at("owners")
}

/// A create could not make all changes.
pub(super) fn incomplete(name: &str) -> Message {
    Message::new(
        format!("Not all owners of {name} were changed"),
        "Some owners could not be added or removed; the other warnings contain the failed requests. This \
         is not an error, because Terraform would destroy the resource at the next apply. The next plan \
         shows the owners that the integration has, and what is left to change.",
    )
    .at("owners")
}

/// Returns the next step for an owner that an apply has to remove and that stays.
pub(super) fn removal_advice(call: &Call<'_>, owner: &str) -> String {
    format!(
        "The state contains the owners that {} has now. Either add {owner:?} to `owners`, or remove it at \
         the service by other means and run Terraform again. If owners can never be removed by this API: \
         {ADDITIVE}",
        call.operation.object
    )
}

/// An import ID names no integration.
pub(super) fn import_id(id: &str) -> Message {
    Message::new(
        format!("Could not import {KIND}"),
        format!(
            "The import ID {id:?} is neither `integrations/{{integration}}` nor the ID of an integration. \
             To import a single owner, use `access_integration_owner`."
        ),
    )
}

/// An import found an integration without owners.
pub(super) fn no_owners(call: &Call<'_>) -> Message {
    Message::new(
        call.operation.summary(),
        format!(
            "{}: the list of owners is empty. Check the ID and `base_url`. If the integration has no \
             owners, an apply without the import adds them.",
            call.operation.object
        ),
    )
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
