//! What users read about listing roles: errors with the next step, warnings with the reason.

use access_client::api::ListingRole;
use access_client::{Client, Error, ListingRoleName, Meaning};
use tf_provider::Diagnostics;

use super::{ListingRoleState, TYPE};
use crate::diagnostic::{Attempt, Report, import_block};
use crate::repository::Repository;

/// Next step of an import that met a 404.
pub(super) const MISSING_AT_IMPORT: &str = "The role does not exist, the key may not see it, or \
    the service offers no reads. Check the ID and `base_url`. Where the service offers no reads, \
    drift_detection = \"patch\" imports by the documented update, and \"off\" imports the name alone.";

/// Says that the service did not recognise the caller.
pub(super) fn warn_of_manager(answer: &ListingRole, diags: &mut Diagnostics) {
    diags.report_warning(
        "The service did not record Terraform as the manager".to_owned(),
        format!(
            "{}: the answer to the write names {} as the manager, not \"TERRAFORM\". The service did \
             not recognise the caller, so the role can be changed outside this configuration. \
             A gateway or `request_headers` that replaces User-Agent has this effect. This is \
             said once per run and not planned again.",
            answer.name,
            answer.manager.as_deref().map_or("nobody".to_owned(), |it| format!("{it:?}")),
        ),
        Some("manager"),
    );
}

/// Says that the service stored other values than were sent.
pub(super) fn warn_of_difference(
    name: &ListingRoleName,
    attributes: &[&'static str],
    diags: &mut Diagnostics,
) {
    diags.report_warning(
        "The service stored the role differently".to_owned(),
        format!(
            "{name}: the answer to the write has another `{}` than was sent. The next plan shows \
             the difference where the role can be read.",
            attributes.join("`, `")
        ),
        attributes.first().copied(),
    );
}

/// Says that changed resources do not change what was granted before.
pub(super) fn warn_of_entitlements(prior: &ListingRoleState, diags: &mut Diagnostics) {
    let name = prior.name.as_ref_option().map_or("this role", String::as_str);
    diags.report_warning(
        "Changing resources does not change granted access".to_owned(),
        format!(
            "{name}: entitlements granted by earlier requests for the role stay as they are. A \
             removed resource is not revoked from anybody, an added one is granted to nobody who \
             holds the role already. It counts for new requests."
        ),
        Some("resources"),
    );
}

/// Refuses to take over a role that exists.
pub(super) fn refuse_existing(
    client: &Client,
    attempt: &Attempt<'_>,
    role: &ListingRole,
    diags: &mut Diagnostics,
) {
    diags.report_error(
        attempt.summary(),
        format!(
            "{}: the role exists already, {}. Nothing was changed.\n\nTo take it over, import it:\
             \n\n{}\n\nwith its own address for the example, or set adopt_existing = true, which writes \
             this configuration over it.",
            role.name,
            owned_by(client, role),
            import_block(TYPE, &role.name)
        ),
        Some("role"),
    );
}

/// Says that a role which equals the configuration was taken over.
pub(super) fn warn_adopted(client: &Client, role: &ListingRole, diags: &mut Diagnostics) {
    diags.report_warning(
        "Took over a listing role that exists already".to_owned(),
        format!(
            "{}: the role exists and equals the configuration, {}. This is what an apply that was \
             cut off leaves behind, so it was taken over.",
            role.name,
            owned_by(client, role)
        ),
        None,
    );
}

/// Says that nobody could tell whether the role existed before it was written.
pub(super) fn warn_of_blind_create(name: &ListingRoleName, diags: &mut Diagnostics) {
    diags.report_warning(
        "Existing listing roles cannot be seen".to_owned(),
        format!(
            "{name}: it could not be read before it was written, for the service offers no reads, or \
             not for this key. Where a role of this name existed already, it was taken over and \
             now says what the configuration says. This holds for all roles created in this run: \
             check them at the service if you are in doubt, set adopt_existing = true where taking \
             over is meant, and allow_missing = false where the role must exist."
        ),
        Some("role"),
    );
}

/// Says whose role was adopted, where it was recorded for another repository.
pub(super) fn warn_of_other_repository(
    client: &Client,
    role: &ListingRole,
    ours: &Repository,
    diags: &mut Diagnostics,
) {
    if role.repo_uri.is_some() && role.repo_uri.as_deref() != ours.uri_text() {
        diags.report_warning(
            "Took over a listing role of another repository".to_owned(),
            format!(
                "{}: the role was {}. adopt_existing = true takes it over; remove it from the \
                 configuration there, or the two will overwrite each other.",
                role.name,
                owned_by(client, role)
            ),
            Some("adopt_existing"),
        );
    }
}

/// Reports a role that the service answers with as deleted.
pub(super) fn report_deleted(
    client: &Client,
    attempt: &Attempt<'_>,
    role: &ListingRole,
    diags: &mut Diagnostics,
) {
    let when = client.presentable(role.delete_time.as_deref().unwrap_or_default());
    diags.report_error(
        attempt.summary(),
        format!(
            "{}: the service answered with a role that was deleted at {when}. Choose another role \
             ID, or have the role restored.",
            role.name
        ),
        Some("role"),
    );
}

/// Reports a read that says nothing about the role.
pub(super) fn report_read_failure(
    attempt: &Attempt<'_>,
    error: &Error,
    patched: bool,
    diags: &mut Diagnostics,
) {
    let forbidden = matches!(error.meaning(), Meaning::Forbidden) && error.is_of_the_service();
    let next = forbidden.then(|| {
        if patched {
            return "drift_detection = \"patch\" reads by an update, so plans need a key that may \
                    update roles. Use one, or set drift_detection = \"off\", which reads nothing. \
                    The state is kept."
                .to_owned();
        }
        "The key may not read roles. Use one that may, or choose how drift is found without \
         reads: drift_detection = \"patch\" uses the documented update, \"off\" reads nothing. The \
         state is kept."
            .to_owned()
    });
    attempt.failed(error, next, None, diags);
}

/// Reports a create that failed; nothing is in the state.
pub(super) fn report_create_failure(
    attempt: &Attempt<'_>,
    error: &Error,
    may_create: bool,
    sends_resources: bool,
    diags: &mut Diagnostics,
) {
    match error.meaning() {
        Meaning::NotFound { json: true } if may_create => attempt.failed(
            error,
            Some(
                "The listing does not exist, or the key may not see it. Check `listing` and \
                 `base_url`."
                    .to_owned(),
            ),
            Some("listing"),
            diags,
        ),
        Meaning::NotFound { json: true } => attempt.failed(
            error,
            Some(
                "With allow_missing = false the role must exist already. Create it at the \
                 service, correct `listing` and `role`, or leave allow_missing out."
                    .to_owned(),
            ),
            Some("role"),
            diags,
        ),
        _ => report_write_failure(attempt, error, sends_resources, diags),
    }
}

/// Reports a write that failed.
pub(super) fn report_write_failure(
    attempt: &Attempt<'_>,
    error: &Error,
    sends_resources: bool,
    diags: &mut Diagnostics,
) {
    let forbidden = matches!(error.meaning(), Meaning::Forbidden) && error.is_of_the_service();
    if forbidden && sends_resources {
        let next = "The key is not allowed to do this. Only admins may set `resources`: leave \
            them out of the configuration, so that they are not managed, or use an admin's key. \
            A listing that is managed elsewhere refuses as well.";
        attempt.failed(error, Some(next.to_owned()), Some("resources"), diags);
    } else {
        attempt.failed(error, None, None, diags);
    }
}

/// "managed by TERRAFORM for https://… in access/", as far as the service says.
fn owned_by(client: &Client, role: &ListingRole) -> String {
    let shown = |text: &Option<String>| text.as_deref().map(|text| client.presentable(text));
    let manager = shown(&role.manager).map_or_else(
        || "managed by nobody in particular".to_owned(),
        |manager| format!("managed by {manager}"),
    );
    match (shown(&role.repo_uri), shown(&role.repo_dir)) {
        (Some(uri), Some(dir)) => format!("{manager} and recorded for {uri} in {dir}"),
        (Some(uri), None) => format!("{manager} and recorded for {uri}"),
        _ => manager,
    }
}
