//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::api::ListingRole;
use access_client::{Error, ErrorKind, ListingRoleName, Missing, RoleField};
use plugin_server::Report as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::state::{ListingRolePrivateState, ListingRoleState, Resources, changed_fields};
use crate::object::conflict::existing_advice;
use crate::object::operation::Operation;
use crate::repository::same_uri;
use crate::service::{Existence, Service};

/// The next step of an import that met a 404.
pub(super) const MISSING_AT_IMPORT: &str = "The role does not exist, this API key may not read \
    it, or the service does not offer reads. Check the ID and `base_url`. If the service does not \
    offer reads, `drift_detection = \"patch\"` imports by the documented update, and \"off\" \
    imports the name alone.";

/// Warns that the service did not recognise the caller.
pub(super) fn warn_of_manager(response: &ListingRole, diags: &mut Diagnostics) {
    let manager = response
        .manager
        .as_deref()
        .map_or_else(|| "no manager".to_owned(), |manager| format!("{manager:?} as the manager"));
    diags.report_attribute_warning(
        "manager",
        "The service did not record Terraform as the manager",
        format!(
            "{}: the response to the write contains {manager}, not \"TERRAFORM\". The service did \
             not recognise the caller, so the role can be changed outside this configuration. A \
             gateway or `request_headers` that replace the User-Agent header have this effect. \
             Further roles of this run are not reported, and the manager is not planned again.",
            response.name
        ),
    );
}

/// Warns that the role is no longer managed by Terraform and that the apply claims it again.
pub(super) fn warn_manager_changed(
    prior: &ListingRoleState,
    private: &ListingRolePrivateState,
    diags: &mut Diagnostics,
) {
    // Nothing shows that a role that was imported without the manager ever had it.
    let had_manager = private.manager_lost || private.object.write_id.is_some();
    if private.unread || !had_manager {
        return;
    }
    let name = prior.name.as_ref_option().map_or("The role", String::as_str);
    let manager = match &prior.manager {
        Value::Value(manager) => format!("is managed by {manager:?}"),
        _ => "has no manager".to_owned(),
    };
    diags.report_attribute_warning(
        "manager",
        "The role was changed outside Terraform and lost its manager",
        format!(
            "{name}: the role {manager}, and it was managed by \"TERRAFORM\" before: another \
             client has changed the role. Applying this plan records \"TERRAFORM\" again. If the \
             role is to be managed elsewhere, replace its resource with a `removed` block instead."
        ),
    );
}

/// Warns that the service stored other values than were sent.
pub(super) fn warn_of_difference(
    name: &ListingRoleName,
    attributes: &[&'static str],
    diags: &mut Diagnostics,
) {
    diags.report_attribute_warning(
        attributes.first().copied(),
        "The service stored the role differently",
        format!(
            "{name}: the response to the write has another `{}` than was sent. If the role can be \
             read, the next plan shows the difference.",
            attributes.join("`, `")
        ),
    );
}

/// Warns that changed resources do not affect entitlements granted before.
pub(super) fn warn_of_entitlements(prior: &ListingRoleState, diags: &mut Diagnostics) {
    let name = prior.name.as_ref_option().map_or("This role", String::as_str);
    diags.report_attribute_warning(
        "resources",
        "Changing resources does not change granted access",
        format!(
            "{name}: entitlements granted by earlier requests for the role stay as they are. A \
             removed resource is not revoked, and an added resource is not granted to those who \
             hold the role already. The change applies to new requests."
        ),
    );
}

/// Warns that destroying or replacing a role does not revoke entitlements granted through it.
pub(super) fn warn_of_revoked_nothing(
    prior: &ListingRoleState,
    action: &str,
    diags: &mut Diagnostics,
) {
    let name = prior.name.as_ref_option().map_or("This role", String::as_str);
    diags.report_warning(
        format!("{}{} a role does not revoke access", action[..1].to_uppercase(), &action[1..]),
        format!(
            "{name}: users keep the entitlements that were granted through earlier requests for \
             the role. Revoke them at the service if they are to lose access."
        ),
    );
}

/// Warns that the role that replaces this one will not have its resources.
pub(super) fn warn_resources_not_carried_over(prior: &ListingRoleState, diags: &mut Diagnostics) {
    let name = prior.name.as_ref_option().map_or("This role", String::as_str);
    diags.report_attribute_warning(
        "resources",
        "The replacement will not have the role's resources",
        format!(
            "{name}: the configuration does not manage `resources`, so the role that replaces \
             this one is created without them. Set `resources` if the new role is to grant the \
             same access."
        ),
    );
}

/// Warns that a same-name replacement keeps the role's resources only if the role is not deleted.
/// Terraform does not pass the order of create and destroy, or the state of a tainted role.
pub(super) fn warn_resources_may_be_lost(planned: &ListingRoleState, diags: &mut Diagnostics) {
    let name = planned.name.as_ref_option().map_or("This role", String::as_str);
    diags.report_attribute_warning(
        "resources",
        "The replacement may not have the role's resources",
        format!(
            "{name}: the configuration does not manage `resources`. If the apply deletes the role \
             and creates it again, its resources are not carried over. With \
             `create_before_destroy`, or if the deletion policy is `abandon`, the role is written \
             in place and keeps them. Set `resources` if the role is to have them in either case."
        ),
    );
}

/// Warns about the effects of a create that made a same-name replacement.
pub(super) fn warn_same_name_replacement(
    state: &ListingRoleState,
    existence: &Existence<ListingRole>,
    resources: Resources,
    diags: &mut Diagnostics,
) {
    warn_of_revoked_nothing(state, "replacing", diags);
    let is_in_place = matches!(existence, Existence::Exists(_)) || state.has_resources();
    if resources == Resources::Managed || is_in_place {
        return;
    }
    let name = state.name.as_ref_option().map_or("This role", String::as_str);
    diags.report_attribute_warning(
        "resources",
        "The replacement does not have the role's resources",
        format!(
            "{name}: the configuration does not manage `resources`, and the role was created \
             without them. If the role had resources before, they were not carried over. Set \
             `resources` if it is to have them."
        ),
    );
}

/// Adds the error of a create that found the role in place.
pub(super) fn refuse_existing(
    service: &Service,
    operation: &Operation<'_>,
    role: &ListingRole,
    diags: &mut Diagnostics,
) {
    diags.report_attribute_error(
        "role",
        operation.summary(),
        format!(
            "{}: the role exists already, {}. {}",
            service.at(operation.name),
            ownership(service, role),
            existing_advice::<ListingRole>(&role.name)
        ),
    );
}

/// Whether a create overwrites a role that exists.
pub(super) enum Overwrites {
    /// The plan of the create adopts the role.
    Planned,
    /// The create has adopted the role, and its plan did not check whether the role exists.
    Done,
    /// These attributes decide it, and are not known at plan.
    DependsOn(Vec<&'static str>),
}

impl Overwrites {
    /// Returns the summary of the warning, and the sentence that introduces what is overwritten.
    fn texts(&self) -> (&'static str, String) {
        match self {
            Self::Planned => ("An existing listing role will be adopted", String::new()),
            Self::Done => {
                ("An existing listing role was adopted", " The plan did not check this.".to_owned())
            }
            Self::DependsOn(attributes) => (
                "An existing listing role may be adopted",
                format!(
                    " Whether it is adopted depends on `{}`, known only after apply. Without \
                     adoption, the create fails and changes nothing. With it, the following holds.",
                    attributes.join("` and `")
                ),
            ),
        }
    }
}

/// Warns about the attributes that adopting the role overwrites.
pub(super) fn warn_overwrites(
    service: &Service,
    role: &ListingRole,
    planned: &ListingRoleState,
    resources: Resources,
    form: &Overwrites,
    diags: &mut Diagnostics,
) {
    let mut existing = planned.clone();
    existing.set_from_response(role.clone(), &ListingRolePrivateState::default());
    let changes = changed_fields(&existing, planned, resources);
    if changes.contains(&RoleField::Resources) {
        warn_of_entitlements(&existing, diags);
    }
    let shown = |text: &str| service.client.presentable(text);
    let when = if matches!(form, Overwrites::Done) { "before" } else { "now" };
    let lines: Vec<String> = changes
        .into_iter()
        .filter_map(|field| match field {
            RoleField::DisplayName => {
                Some(format!("`display_name`, {when} {:?}", shown(&role.display_name)))
            }
            RoleField::Priority => Some(format!("`priority`, {when} {}", role.priority)),
            RoleField::Description => {
                Some(format!("`description`, {when} {:?}", shown(&role.description)))
            }
            RoleField::Resources => {
                let resources: Vec<_> = role.resources.iter().map(|text| shown(text)).collect();
                Some(format!("`resources`, {when} {resources:?}"))
            }
            // They are recorded by every write, and `ownership` shows them.
            RoleField::RepoUri | RoleField::RepoDir => None,
        })
        .collect();
    let overwrites = match (lines.is_empty(), form) {
        (true, Overwrites::Done) => "Its configured attributes were equal already.".to_owned(),
        (true, _) => "Its configured attributes are equal already; the apply records the manager \
                      and the repository."
            .to_owned(),
        (false, Overwrites::Done) => format!("The create overwrote {}.", lines.join("; ")),
        (false, _) => format!("The apply overwrites {}.", lines.join("; ")),
    };
    let (summary, lead) = form.texts();
    diags.report_attribute_warning(
        "role",
        summary,
        format!(
            "{}: the role exists, {}.{lead} {overwrites}",
            service.at(&role.name),
            ownership(service, role)
        ),
    );
}

/// Warns about an adopted role that another repository had recorded.
pub(super) fn warn_adopted_from(service: &Service, role: &ListingRole, diags: &mut Diagnostics) {
    let ours = service.repository.pair().uri.map(str::to_owned);
    if role.repo_uri.is_some() && !same_uri(role.repo_uri.as_ref(), ours.as_ref()) {
        diags.report_attribute_warning(
            "adopt_existing",
            "Adopted a listing role of another repository",
            format!(
                "{}: the role was {}. Remove it from the configuration there, or the two will \
                 overwrite each other.",
                role.name,
                ownership(service, role)
            ),
        );
    }
}

/// Warns that the create could not check whether the role existed.
pub(super) fn warn_unchecked_create(
    service: &Service,
    state: &ListingRoleState,
    found: &str,
    diags: &mut Diagnostics,
) {
    let name = state.name.as_ref_option().map_or("This role", String::as_str);
    let name = service.at(&name);
    let meaning = if state.allow_missing.as_ref_option() == Some(&false) {
        "With `allow_missing = false` the role existed, so it has been adopted and overwritten with \
         this configuration. The provider does not know its prior values."
    } else {
        "If the role existed, it has been adopted and overwritten with this configuration. If \
         another configuration manages the role, remove it from one of the two. If the role must \
         exist, set `allow_missing = false`."
    };
    diags.report_attribute_warning(
        "role",
        "An existing role may have been overwritten",
        format!(
            "{name}: the provider could not check whether this role already existed, because the \
             service does not offer reads or this API key may not use them ({found}). {meaning}"
        ),
    );
}

/// Warns that the create wrote to a role that is older than this run.
pub(super) fn warn_overwritten(service: &Service, role: &ListingRole, diags: &mut Diagnostics) {
    let created = service.client.presentable(role.create_time.as_deref().unwrap_or_default());
    diags.report_attribute_warning(
        "role",
        "An existing role was overwritten",
        format!(
            "{}: the response shows that the role was created at {created}, before this run. The \
             existence check did not find it. It has been adopted and overwritten with this \
             configuration. If another configuration manages the role, remove it from one of the \
             two.",
            service.at(&role.name)
        ),
    );
}

/// Adds the error of a role that the service returned as deleted.
pub(super) fn report_deleted(
    service: &Service,
    operation: &Operation<'_>,
    role: &ListingRole,
    diags: &mut Diagnostics,
) {
    let when = service.client.presentable(role.delete_time.as_deref().unwrap_or_default());
    diags.report_attribute_error(
        "role",
        operation.summary(),
        format!(
            "{}: the service returned a role that was deleted at {when}. Choose another role ID, \
             or have the role restored.",
            role.name
        ),
    );
}

/// Adds the error of a failed read outside the refresh.
pub(super) fn report_read_failure(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let forbidden = error.kind() == ErrorKind::Forbidden;
    let next = forbidden.then(|| {
        "This API key may not read roles. Use a key that may. Without reads, `drift_detection = \
         \"patch\"` uses the documented update, and \"off\" reads nothing."
            .to_owned()
    });
    operation.failed(service, error, next, None, diags);
}

/// Adds the error of a create that failed. The state stays without the role.
pub(super) fn report_create_failure(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    missing: Missing,
    sends_resources: bool,
    diags: &mut Diagnostics,
) {
    let (next, attribute) = match error.kind() {
        ErrorKind::NotFound { json: true } if missing == Missing::Create => (
            "The listing does not exist, or this API key may not see it. Check `listing` and \
             `base_url`.",
            "listing",
        ),
        ErrorKind::NotFound { json: true } => (
            "With `allow_missing = false` the role must exist already. Create it at the service, \
             correct `listing` and `role`, or omit `allow_missing`.",
            "role",
        ),
        _ => return report_write_failure(service, operation, error, sends_resources, diags),
    };
    operation.failed(service, error, Some(next.to_owned()), Some(attribute), diags);
}

/// Adds the error of a write that failed.
pub(super) fn report_write_failure(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    sends_resources: bool,
    diags: &mut Diagnostics,
) {
    let forbidden = error.kind() == ErrorKind::Forbidden;
    if forbidden && sends_resources {
        let next = "This API key is not allowed to do this. Only admins may set `resources`: omit \
            them from the configuration, so that they are not managed, or use an admin's key. A \
            listing that is managed elsewhere also refuses.";
        operation.failed(service, error, Some(next.to_owned()), Some("resources"), diags);
    } else {
        operation.failed_by_status(service, error, diags);
    }
}

/// Warns that an import took the name alone.
pub(super) fn warn_imported_by_name(
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    diags.report_warning(
        "Imported by name alone",
        format!(
            "{}: {error}.\n\nThe role could not be read, so the import does not show whether it \
             exists. The next apply writes the whole configuration to it.",
            operation.name
        ),
    );
}

/// Describes the manager and the repository of a role, as far as the service returns them.
fn ownership(service: &Service, role: &ListingRole) -> String {
    let shown =
        |text: &Option<String>| text.as_deref().map(|text| service.client.presentable(text));
    let manager = shown(&role.manager).map_or_else(
        || "without a recorded manager".to_owned(),
        |manager| format!("managed by {manager}"),
    );
    match (shown(&role.repo_uri), shown(&role.repo_dir)) {
        (Some(uri), Some(dir)) => format!("{manager} and recorded for {uri} in {dir}"),
        (Some(uri), None) => format!("{manager} and recorded for {uri}"),
        _ => manager,
    }
}
