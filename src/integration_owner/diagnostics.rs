//! Errors and warnings about integration owners: the event, its effect, and the next step.

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Identifier, IntegrationOwnerName};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::state::NewOwner;
use crate::hcl::quoted;
use crate::object::Object;
use crate::object::conflict::existing_advice;
use crate::object::operation::{Operation, import_block};
use crate::service::Service;

const TYPE: &str = IntegrationOwner::TYPE;

/// Adds the error of a create that found the owner, or another owner with its ID.
pub(super) fn refuse_existing(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    existing: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    let owner = service.client.presentable(&existing.owner);
    let is_owner = existing.owner == new.owner.to_string();
    let (detail, attribute) = if let Some(id) = &new.id
        && is_owner
        && *id != existing.name.owner
    {
        (
            format!(
                "{}: {owner} is an owner of integrations/{} already, under another ID than {id}. \
                 Nothing was changed. Set `integration_owner_id = {}`, or omit it. With \
                 `adopt_existing = true`, the owner is then adopted. Without it, import the \
                 owner:\n\n{}",
                service.at(&existing.name),
                new.integration,
                quoted(existing.name.owner.as_str()),
                import_block(TYPE, &existing.name)
            ),
            "integration_owner_id",
        )
    } else if is_owner {
        let advice = existing_advice::<IntegrationOwner>(&existing.name);
        (
            format!(
                "{}: {owner} is an owner of integrations/{} already. {advice}",
                service.at(&existing.name),
                new.integration
            ),
            "owner",
        )
    } else {
        (
            format!(
                "{}: this ID belongs to {owner} already. Nothing was changed. Choose another \
                 `integration_owner_id`, or omit it. If this resource replaces {owner}, remove \
                 `create_before_destroy` from its `lifecycle` block: the ID is free only after the \
                 destroy.",
                service.at(&existing.name)
            ),
            "integration_owner_id",
        )
    };
    diags.report_attribute_error(attribute, operation.summary(), detail);
}

/// Warns that the apply adopts an owner if `adopt_existing`, which is not known yet, is true.
pub(super) fn warn_may_adopt(
    service: &Service,
    existing: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    diags.report_attribute_warning(
        "adopt_existing",
        "An existing integration owner may be adopted",
        format!(
            "{}: the owner exists already, and `adopt_existing` is known only after apply. If it \
             is true, the apply adopts the owner and changes nothing about it. Otherwise the apply \
             fails and changes nothing.",
            service.at(&existing.name)
        ),
    );
}

/// Warns that the apply will adopt an owner.
pub(super) fn warn_will_adopt(
    service: &Service,
    existing: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    diags.report_attribute_warning(
        "owner",
        "An existing integration owner will be adopted",
        format!(
            "{}: the owner exists already. The apply changes nothing about it and manages it from \
             then on; destroying this resource removes the owner.",
            service.at(&existing.name)
        ),
    );
}

/// Warns that an owner has another ID than the configuration sets.
pub(super) fn warn_other_id(new: &NewOwner, name: &IntegrationOwnerName, diags: &mut Diagnostics) {
    if let Some(id) = &new.id
        && *id != name.owner
    {
        diags.report_attribute_warning(
            "integration_owner_id",
            "The owner has another ID",
            format!(
                "{name}: the configuration sets the ID {id}, and the service stored the owner \
                 under {}. The next plan that reads it will replace it. Set `integration_owner_id \
                 = {}`, or omit it.",
                name.owner,
                quoted(name.owner.as_str())
            ),
        );
    }
}

/// Warns, once per integration and run, about entries of the list that cannot be read.
pub(crate) fn warn_skipped_entries(
    service: &Service,
    integration: &Identifier,
    skipped: &[String],
    diags: &mut Diagnostics,
) {
    if skipped.is_empty() || !service.owners.skipped_warnings.claim(integration.as_str()) {
        return;
    }
    let shown = skipped.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    diags.report_warning(
        "Entries of the list of owners were skipped",
        format!(
            "integrations/{integration}: {} of the listed owners could not be read ({shown}). The \
             provider ignores them. If one of them is an owner of this configuration, it is not \
             recognised.",
            skipped.len()
        ),
    );
}

/// Warns, once per integration and run, that a list which failed shows nothing about a new owner.
pub(super) fn warn_unlisted(
    service: &Service,
    integration: &Identifier,
    error: &Error,
    diags: &mut Diagnostics,
) {
    if !service.owners.unlisted_warnings.claim(integration.as_str()) {
        return;
    }
    diags.report_warning(
        "The existence check of an integration owner is incomplete",
        format!(
            "integrations/{integration}: {error}.\n\nWithout the list, the provider cannot check \
             whether a new owner is an owner already under an ID that the configuration does not \
             set. If the service allows that, there are two owners then. Look at the owners of the \
             integration at the service."
        ),
    );
}

/// Warns that a plan leaves an integration without owners. `skipped` is the number of entries of the
/// list that cannot be read.
pub(super) fn warn_without_owners(
    integration: &Identifier,
    skipped: usize,
    diags: &mut Diagnostics,
) {
    let skipped = uncounted_entries(skipped);
    diags.report_warning(
        "The integration is left without owners",
        format!(
            "integrations/{integration}: this plan destroys every owner that the service \
             lists{skipped}. Without owners, the integration's settings and owners can no longer \
             be managed. Keep at least one owner, or set `deletion_policy = \"abandon\"` on one."
        ),
    );
}

/// Warns that a plan destroys every owner of an integration and adds others. `skipped` is the number of
/// entries of the list that cannot be read.
pub(super) fn warn_without_owners_in_between(
    integration: &Identifier,
    skipped: usize,
    diags: &mut Diagnostics,
) {
    let skipped = uncounted_entries(skipped);
    diags.report_warning(
        "The integration has no owners during the apply",
        format!(
            "integrations/{integration}: this plan destroys every owner that the service \
             lists{skipped}, and adds others. Terraform destroys before it creates. If adding an \
             owner then fails, the integration's settings and owners can no longer be managed. Set \
             `create_before_destroy = true` in the `lifecycle` block of an owner that is replaced; \
             the warning stays, because Terraform does not pass this setting to the provider. Or \
             keep another owner until the apply has succeeded."
        ),
    );
}

fn uncounted_entries(skipped: usize) -> String {
    match skipped {
        0 => String::new(),
        1 => " (1 entry of the list could not be read and is not counted)".to_owned(),
        _ => format!(" ({skipped} entries of the list could not be read and are not counted)"),
    }
}

/// Adds the error of an integration whose owners are managed as a whole and one by one. `owners` are
/// those that resources of their own manage.
pub(crate) fn report_managed_twice(
    integration: &str,
    owners: &[String],
    attribute: &'static str,
    diags: &mut Diagnostics,
) {
    diags.report_attribute_error(
        attribute,
        "The owners of an integration are managed twice",
        format!(
            "{integration}: `access_integration_owners` manages all owners of this integration, \
             and `access_integration_owner` manages {}. The first removes what the second adds. \
             Keep one of them. To keep `access_integration_owners`, list the owners in its \
             `owners`, and replace each resource for a single owner by\n\n  removed {{\n    from = \
             {TYPE}.old_name\n    lifecycle {{\n      destroy = false\n    }}\n  }}",
            owners.join(", ")
        ),
    );
}

/// Adds the error of a create that the service refused or never received.
pub(super) fn report_create_failure(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    new: &NewOwner,
    diags: &mut Diagnostics,
) {
    let (next, attribute) = match error.kind() {
        ErrorKind::NotFound { json: true } => (
            "The integration does not exist, or this API key may not see it. Check `integration` \
             and `base_url`."
                .to_owned(),
            Some("integration"),
        ),
        ErrorKind::Conflict => (
            format!(
                "{} is an owner already, or the ID is taken, and the list of owners does not show \
                 which, so `adopt_existing` has no effect. If the list lags, run Terraform again in a \
                 few minutes. Otherwise find the owner's ID at the service and import it. If the \
                 service does not offer reads, run the import with \
                 ACCESS_DRIFT_DETECTION=off:\n\n{}",
                new.owner,
                import_block(TYPE, &placeholder_id(new))
            ),
            Some(if new.id.is_some() { "integration_owner_id" } else { "owner" }),
        ),
        _ => return operation.failed_by_status(service, error, diags),
    };
    operation.failed(service, error, Some(next), attribute, diags);
}

/// Adds the error of a create whose response was lost and whose owner the list lacks.
pub(super) fn report_not_listed(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = format!(
        "The service may have processed the request, but does not list {owner}. The request was not \
         sent again. The list may lag, or contain the owner under another name: wait a few minutes \
         and look at the owners of integrations/{}. If {owner} is one of them, import it. If not, \
         run Terraform again.",
        new.integration,
        owner = new.owner
    );
    operation.failed(service, error, Some(next), None, diags);
}

/// Warns that the service returned an owner that is older than this run.
pub(super) fn warn_added_before(
    service: &Service,
    existing: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    let created = service.client.presentable(existing.create_time.as_deref().unwrap_or_default());
    diags.report_attribute_warning(
        "owner",
        "An existing integration owner was adopted",
        format!(
            "{}: the response shows that the owner was created at {created}, before this run. The \
             existence check did not find it. Destroying this resource removes the owner. If \
             another configuration manages it, remove it from one of the two.",
            service.at(&existing.name)
        ),
    );
}

/// Adds the error of a create whose outcome is unknown.
pub(super) fn report_unknown_outcome(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = format!(
        "The owner may exist: the service may have processed the request before it failed, and \
         its owners cannot be read. The request was not sent again, so that there are never two \
         owners. Look at the owners of integrations/{} at the service. If {} is one of them, \
         import it:\n\n{}\n\nIf not, run Terraform again.",
        new.integration,
        new.owner,
        import_block(TYPE, &placeholder_id(new))
    );
    operation.failed(service, error, Some(next), None, diags);
}

/// Adds the error of a create whose response was lost and whose ID belongs to an owner that may be the
/// new one.
pub(super) fn report_unrecognised(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    error: &Error,
    found: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    let stored = service.client.presentable(&found.owner);
    let next = format!(
        "The service may have processed the request before it failed: {} belongs to {stored} now, and \
         nothing shows whether it did before. The request was not sent again, so that there are never \
         two owners. If {stored} is the service's spelling of {}, set `owner = {}` and import \
         the owner:\n\n{}\n\nIf not, choose another `integration_owner_id`.",
        found.name,
        new.owner,
        quoted(&stored),
        import_block(TYPE, &found.name)
    );
    operation.failed(service, error, Some(next), Some("integration_owner_id"), diags);
}

/// Adds the error of an import that could not read the owner.
pub(super) fn report_import_failure(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = match error.kind() {
        ErrorKind::Forbidden => Some(
            "This API key may not read owners. Use a key that may, or set `drift_detection = \
             \"off\"`, which imports the name alone."
                .to_owned(),
        ),
        ErrorKind::NotFound { .. } => Some(
            "The owner does not exist, this API key may not see it, or the service does not offer \
             reads. Check the ID and `base_url`. If the service does not offer reads, \
             `drift_detection = \"off\"` imports the name alone."
                .to_owned(),
        ),
        _ => None,
    };
    operation.failed(service, error, next, None, diags);
}

/// Warns that an owner was imported without reading it.
pub(super) fn warn_imported_by_name(
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    diags.report_warning(
        "Imported by name alone",
        format!(
            "{}: {error}.\n\nThe owner could not be read, so the import does not show whether it \
             exists. Its `owner` is taken from the configuration.",
            operation.name
        ),
    );
}

/// Returns an import ID for an owner whose ID may not be known.
fn placeholder_id(new: &NewOwner) -> String {
    let id = new.id.as_ref().map_or("ID", |id| id.as_str());
    format!("integrations/{}/owners/{id}", new.integration)
}
