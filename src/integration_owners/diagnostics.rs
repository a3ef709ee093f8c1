//! Errors and warnings about the owners of an integration as a whole.

use std::collections::BTreeSet;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind};
use plugin_server::Report as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::state::{IntegrationOwnersState, KIND, TYPE};
use crate::integration_owner::add::NotAdded;
use crate::integration_owner::state::NewOwner;
use crate::object::delete::DeleteAdvice;
use crate::object::operation::{Operation, import_block, keep_object_advice};
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::report_other_address;
use crate::service::Service;

/// The alternative at services that lack an operation which this resource needs.
const ADDITIVE: &str = "`access_integration_owner` manages single owners and does not need it.";

/// Adds the error of a create that found owners.
pub(super) fn refuse_existing(
    service: &Service,
    operation: &Operation<'_>,
    existing: &[IntegrationOwner],
    diags: &mut Diagnostics,
) {
    let owners = existing.iter().map(|owner| owner.owner.clone()).collect();
    diags.report_attribute_error(
        "owners",
        operation.summary(),
        format!(
            "{}: the integration has owners already: {}. Nothing was changed. To manage them, \
             import them:\n\n{}\n\nUse the address of this resource in place of `{TYPE}.example`. \
             The next plan then shows which owners it adds and removes. This is also what to do if \
             an earlier apply was interrupted. Or set `adopt_existing = true`: the apply then adds \
             the owners that are missing, and removes those that `owners` does not contain.",
            service.at(operation.name),
            shown(service, &owners),
            import_block(TYPE, operation.name)
        ),
    );
}

/// Warns that the apply will adopt the owners of an integration, if `adopt_existing` is true or not
/// known yet, and names those that it removes.
pub(super) fn warn_will_adopt(
    service: &Service,
    name: &str,
    planned: &IntegrationOwnersState,
    existing: &[IntegrationOwner],
    diags: &mut Diagnostics,
) {
    let existing: BTreeSet<String> = existing.iter().map(|owner| owner.owner.clone()).collect();
    let wanted = planned.principals();
    let kept = shown(service, &existing.intersection(&wanted).cloned().collect());
    let others: BTreeSet<String> = existing.difference(&wanted).cloned().collect();
    let removed = match &planned.owners {
        Value::Value(owners) if owners.iter().all(Value::is_value) => shown(service, &others),
        _ => "those that `owners` does not contain, which is known only after apply".to_owned(),
    };
    let (summary, condition) = if planned.adopt_existing.is_unknown() {
        (
            "Existing owners may be adopted",
            " `adopt_existing` is known only after apply. If it is false, the apply fails and \
             changes nothing. If it is true, it adopts the owners.",
        )
    } else {
        ("Existing owners will be adopted", "")
    };
    diags.report_attribute_warning(
        "owners",
        summary,
        format!(
            "{name}: the integration has owners already.{condition} Kept: {kept}. Removed by the \
             apply: {removed}. An owner that is in `owners` is kept."
        ),
    );
}

/// Adds the error of a list that a create, an update, a destroy or an import needs.
pub(super) fn report_list_needed(
    service: &Service,
    operation: &Operation<'_>,
    private: &ObjectPrivateState,
    error: &Error,
    diags: &mut Diagnostics,
) {
    if private.is_elsewhere(service) && matches!(error.kind(), ErrorKind::NotFound { .. }) {
        return report_other_address(service, operation, private, Some(error), diags);
    }
    let next = match error.kind() {
        ErrorKind::NotFound { .. } => Some(format!(
            "This resource needs the list of owners. The integration does not exist, this API key \
             may not see it, or the service does not list owners. Check `integration` and \
             `base_url`. If the service does not list owners: {ADDITIVE}"
        )),
        ErrorKind::NotImplemented => Some(format!(
            "This resource needs the list of owners, which the service does not offer. {ADDITIVE}"
        )),
        ErrorKind::Forbidden => Some(format!(
            "This resource needs the list of owners, and this API key may not list them. Use a key \
             that may. {ADDITIVE}"
        )),
        _ => None,
    };
    operation.failed(service, error, next, Some("integration"), diags);
}

/// Adds the error of a refresh whose list returned 404 although it worked before.
pub(super) fn report_not_refreshed(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = "The list worked before. The integration was deleted, or this API key may not see \
        it any more; the response does not tell which. The state is kept. If the integration was \
        deleted, remove the resource from the configuration, and its state with `terraform state \
        rm`.";
    operation.failed_to_refresh(service, error, Some(next.to_owned()), diags);
}

/// Warns, once per run, that the list cannot be read.
pub(super) fn warn_list_unavailable(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    if !service.owners.unavailable_warning.claim() {
        return;
    }
    diags.report_warning(
        "Drift detection unavailable for lists of owners",
        format!(
            "{}: {error}.\n\nThe state is kept, and the plan compares it with the configuration \
             only. `access_integration_owners` needs the list of owners: an apply that changes \
             owners fails without it. {ADDITIVE}",
            operation.name
        ),
    );
}

/// Adds the error of an owner that was not added.
pub(super) fn report_not_added(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    failure: &NotAdded,
    diags: &mut Diagnostics,
) {
    let attribute = Some("owners");
    match failure {
        NotAdded::Refused(error) => {
            let next = match error.kind() {
                ErrorKind::NotFound { json: true } => Some(
                    "The integration does not exist, or this API key may not change it. No owner \
                     was removed."
                        .to_owned(),
                ),
                ErrorKind::Conflict => Some(format!(
                    "{} may be an owner already: the list lags, or contains it in another spelling. \
                     Use that spelling in `owners`: the data source `access_integration_owners` \
                     returns it. If it does not, run Terraform again in a few minutes. No owner was \
                     removed.",
                    new.owner
                )),
                _ => None,
            };
            operation.failed(service, error, next, attribute, diags);
        }
        NotAdded::NotListed(error) => {
            let next = "The service may have processed the request, but does not list the owner. \
                The request was not sent again, and no owner was removed. The list may lag, or \
                contain the owner under another name: run Terraform again in a few minutes, and \
                look at the owners in its plan before you apply it.";
            operation.failed(service, error, Some(next.to_owned()), attribute, diags);
        }
        NotAdded::Unknown(error) | NotAdded::Unrecognised(error, _) => {
            let next = "The owner may exist: the service may have processed the request before it \
                failed, and its owners cannot be listed. The request was not sent again, so that \
                there are never two owners, and no owner was removed. Run Terraform again as soon \
                as the service lists owners.";
            operation.failed(service, error, Some(next.to_owned()), attribute, diags);
        }
    }
}

/// Adds the error of two spellings of one owner.
pub(super) fn report_same_owner((owner, stored): (&str, &str), diags: &mut Diagnostics) {
    diags.report_attribute_error(
        "owners",
        "Invalid owners",
        format!(
            "{owner:?} and {stored:?} are one owner: the service stores the first as the second. \
             Remove one of them from `owners`."
        ),
    );
}

/// Adds the error of an update that would leave the integration without owners.
pub(super) fn refuse_to_empty(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_attribute_error(
        "owners",
        operation.summary(),
        format!(
            "{}: the owners that the configuration keeps were removed outside Terraform after the \
             plan. No owner was removed, because the integration would be left without owners. Run \
             Terraform again: the next plan adds the missing owners first.",
            operation.name
        ),
    );
}

/// Warns that a create could not make all changes.
pub(super) fn warn_incomplete(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_attribute_warning(
        "owners",
        "Not all owners were changed",
        format!(
            "{}: some owners could not be added or removed; the other warnings contain the failed \
             requests. This is not an error, because Terraform would destroy the resource at the \
             next apply. The next plan shows the owners that the integration has, and what is left \
             to change.",
            operation.name
        ),
    );
}

/// Warns that a destroy leaves the owners in place, because the create that follows keeps them.
pub(super) fn warn_kept_for_create(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_warning(
        "The list of owners was not deleted",
        format!(
            "{}: the plan replaces this resource under the same name. No request was sent, so that the \
             integration is never without owners: the create that follows keeps the owners that \
             `owners` contains, and removes the others. If it fails, the owners stay at the \
             service, and the next plan shows how to import them.",
            operation.name
        ),
    );
}

/// Returns the advice for an owner that an apply has to remove and that stays.
pub(super) fn delete_advice(operation: &Operation<'_>, owner: &str) -> DeleteAdvice {
    let kept = format!(
        "The state contains the owners that {} has now. Either add {owner:?} to `owners`, or \
         remove it at the service by other means and run Terraform again. If owners can never be \
         removed by this API: {ADDITIVE}",
        operation.name
    );
    DeleteAdvice { unknown: kept.clone(), kept }
}

/// Returns the advice for a destroy whose owners stay.
pub(super) fn destroy_advice() -> DeleteAdvice {
    let kept = keep_object_advice(TYPE, KIND);
    DeleteAdvice { unknown: kept.clone(), kept }
}

/// Adds the error of an import ID that names no integration.
pub(super) fn report_import_id(id: &str, diags: &mut Diagnostics) {
    diags.report_error(
        format!("Could not import {KIND}"),
        format!(
            "The import ID {id:?} is neither `integrations/{{integration}}` nor the ID of an \
             integration. To import a single owner, use `access_integration_owner`."
        ),
    );
}

/// Adds the error of an import of an integration without owners.
pub(super) fn report_no_owners(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_error(
        operation.summary(),
        format!(
            "{}: the list of owners is empty. Check the ID and `base_url`. If the integration has \
             no owners, an apply without the import adds them.",
            operation.name
        ),
    );
}

/// Returns owners for a message: at most twenty.
fn shown(service: &Service, owners: &BTreeSet<String>) -> String {
    if owners.is_empty() {
        return "none".to_owned();
    }
    let first: Vec<String> =
        owners.iter().take(20).map(|owner| service.client.presentable(owner)).collect();
    let more = owners.len().saturating_sub(20);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
