//! What users read about integration owners: errors with the next step, warnings with the reason.

use access_client::api::IntegrationOwner;
use access_client::{Error, IntegrationOwnerName, Meaning};
use tf_provider::Diagnostics;

use super::{KIND, TYPE, Wanted};
use crate::diagnostic::{Attempt, Report, import_block, keep_it_advice};

/// Refuses to take over an owner that exists, or an ID that another owner has.
pub(super) fn refuse_existing(
    attempt: &Attempt<'_>,
    wanted: &Wanted,
    existing: &IntegrationOwner,
    diags: &mut Diagnostics,
) {
    let (detail, attribute) = if existing.owner == wanted.owner.to_string() {
        (
            format!(
                "{}: {} is an owner of integrations/{} already. Nothing was changed.\n\nTo take it \
                 over, import it:\n\n{}\n\nor set adopt_existing = true.",
                existing.name,
                existing.owner,
                wanted.integration,
                import_block(TYPE, &existing.name)
            ),
            "owner",
        )
    } else {
        (
            format!(
                "{}: the ID belongs to {} already. Nothing was changed. Choose another \
                 integration_owner_id, or leave it out.",
                existing.name, existing.owner
            ),
            "integration_owner_id",
        )
    };
    diags.report_error(attempt.summary(), detail, Some(attribute));
}

/// Says that an owner has another ID than the configuration gives it.
pub(super) fn warn_other_id(wanted: &Wanted, name: &IntegrationOwnerName, diags: &mut Diagnostics) {
    if let Some(id) = &wanted.id
        && *id != name.owner
    {
        diags.report_warning(
            "The owner has another ID".to_owned(),
            format!(
                "{name}: the configuration asks for the ID {id}, the service has it under {}. The \
                 next plan that reads it will want to replace it: write integration_owner_id = \
                 \"{}\", or leave it out.",
                name.owner, name.owner
            ),
            Some("integration_owner_id"),
        );
    }
}

/// Reports a create that the service surely refused or never saw.
pub(super) fn report_create_failure(
    attempt: &Attempt<'_>,
    error: &Error,
    wanted: &Wanted,
    diags: &mut Diagnostics,
) {
    match error.meaning() {
        Meaning::NotFound { json: true } => attempt.failed(
            error,
            Some(
                "The integration does not exist, or the key may not see it. Check `integration` \
                 and `base_url`."
                    .to_owned(),
            ),
            Some("integration"),
            diags,
        ),
        Meaning::Conflict => attempt.failed(
            error,
            Some(format!(
                "{} is an owner already, or the ID is taken. The owners could not be listed to \
                 tell which, so `adopt_existing` cannot help. Find its ID at the service and import \
                 it, where the service offers no reads with ACCESS_DRIFT_DETECTION=off:\n\n{}",
                wanted.owner,
                import_block(TYPE, &placeholder(wanted))
            )),
            Some(if wanted.id.is_some() { "integration_owner_id" } else { "owner" }),
            diags,
        ),
        _ => attempt.failed(error, None, None, diags),
    }
}

/// Reports a create that failed and, as the list shows, left nothing behind.
pub(super) fn report_not_created(attempt: &Attempt<'_>, error: &Error, diags: &mut Diagnostics) {
    let next = "The service may have processed the request, but does not list the owner. Run it \
        again: it looks first, so no second owner is added.";
    attempt.failed(error, Some(next.to_owned()), None, diags);
}

/// Reports a create whose outcome nobody can tell.
pub(super) fn report_lost(
    attempt: &Attempt<'_>,
    wanted: &Wanted,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = format!(
        "The owner may exist: the service may have processed the request before it failed, and \
         its owners cannot be read here. It was not sent again, so that there are never two. Look \
         at the owners of integrations/{} at the service. If {} is there, import it:\n\n{}\n\nIf \
         not, run it again.",
        wanted.integration,
        wanted.owner,
        import_block(TYPE, &placeholder(wanted))
    );
    attempt.failed(error, Some(next), None, diags);
}

/// Reports a delete that was answered by a 404 which tells nothing.
pub(super) fn report_undecided(attempt: &Attempt<'_>, error: &Error, diags: &mut Diagnostics) {
    let next = format!(
        "Nothing shows whether the {KIND} is gone or the service cannot delete it, so the state is \
         kept. If it is gone, `terraform state rm` forgets it. {}",
        keep_it_advice(TYPE, KIND)
    );
    attempt.failed(error, Some(next), None, diags);
}

/// Reports a delete of an ID that does not exist, while whom it was for still owns the integration.
pub(super) fn report_other_id(
    attempt: &Attempt<'_>,
    owner: &IntegrationOwner,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let next = format!(
        "{} is still an owner, by another ID: {}. Nothing was removed and the state is kept. Run \
         `terraform state rm` with its address. Then import that owner to remove it here:\n\n{}",
        owner.owner,
        owner.name,
        import_block(TYPE, &owner.name)
    );
    attempt.failed(error, Some(next), None, diags);
}

/// Reports an import ID that ends in who the owner is, where the ID of the owner belongs; says whether
/// it does.
pub(super) fn report_principal_as_id(id: &str, diags: &mut Diagnostics) -> bool {
    let mut parts = id.rsplitn(3, '/');
    let (_, kind) = (parts.next(), parts.next());
    let is_principal = matches!(kind, Some("users" | "groups" | "teams"));
    if is_principal {
        diags.report_error(
            format!("Could not import {KIND}"),
            format!(
                "The import ID {id:?} ends in who the owner is. The service's own ID of the owner \
                 belongs there: `integrations/{{integration}}/owners/{{owner}}`. The data source \
                 access_integration_owner finds it by `owner`, and so does `terraform query`."
            ),
            None,
        );
    }
    is_principal
}

/// Reports a read that says nothing about the owner.
pub(super) fn report_read_failure(attempt: &Attempt<'_>, error: &Error, diags: &mut Diagnostics) {
    let next = match error.meaning() {
        Meaning::Forbidden => Some(
            "The key may not read owners. Use one that may, or set drift_detection = \"off\" \
             (\"patch\" reads roles by the documented update, and owners not at all). The state is \
             kept."
                .to_owned(),
        ),
        Meaning::NotFound { .. } if attempt.verb == "import" => Some(
            "The owner does not exist, the key may not see it, or the service offers no reads. \
             Check the ID and `base_url`; where the service offers no reads, drift_detection = \
             \"off\" imports the name alone."
                .to_owned(),
        ),
        _ => None,
    };
    attempt.failed(error, next, None, diags);
}

/// Reports a user, group or team that is no owner, or several.
pub(super) fn report_not_one(
    attempt: &Attempt<'_>,
    found: &[IntegrationOwner],
    diags: &mut Diagnostics,
) {
    let detail = if found.is_empty() {
        format!("{}: not among the owners that the service lists. Check `owner`.", attempt.name)
    } else {
        let names: Vec<_> = found.iter().map(|owner| owner.name.to_string()).collect();
        format!(
            "{}: an owner more than once: {}. Give integration_owner_id instead.",
            attempt.name,
            names.join(", ")
        )
    };
    diags.report_error(attempt.summary(), detail, Some("owner"));
}

/// Says that an owner was imported unseen.
pub(super) fn warn_by_name_alone(attempt: &Attempt<'_>, error: &Error, diags: &mut Diagnostics) {
    diags.report_warning(
        "Imported by name alone".to_owned(),
        format!(
            "{}: {error}.\n\nThe owner could not be read, so nobody knows whether it exists. Its \
             `owner` is taken from the configuration.",
            attempt.name
        ),
        None,
    );
}

/// The import ID of an owner whose ID may not be known.
fn placeholder(wanted: &Wanted) -> String {
    let id = wanted.id.as_ref().map_or("ID", |id| id.as_str());
    format!("integrations/{}/owners/{id}", wanted.integration)
}
