//! Selecting an owner by its user, group or team. The service may have it twice, under two IDs.

use access_client::Principal;
use access_client::api::IntegrationOwner;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use crate::object::operation::Operation;
use crate::service::Service;

/// The number of owners that an error lists.
const LISTED: usize = 20;

/// Returns the one owner with this principal, or adds an error that lists the candidates. `by_id` is the
/// step that selects an owner by its ID: "set `integration_owner_id`".
pub(super) fn select_by_principal<'o>(
    service: &Service,
    operation: &Operation<'_>,
    owners: impl IntoIterator<Item = &'o IntegrationOwner>,
    principal: &Principal,
    by_id: &str,
    diags: &mut Diagnostics,
) -> Option<&'o IntegrationOwner> {
    let principal = principal.to_string();
    let mut all: Vec<_> = owners.into_iter().collect();
    all.sort_by(|one, other| one.name.owner.cmp(&other.name.owner));
    let found: Vec<_> = all.iter().copied().filter(|owner| owner.owner == principal).collect();
    let name = operation.name;
    let detail = match found[..] {
        [owner] => return Some(owner),
        [] if all.is_empty() => {
            format!("{name} is not among the owners: the service lists none. Check the principal.")
        }
        [] => format!(
            "{name} is not among the owners that the service lists. Check the principal. The owners \
             are:\n\n{}",
            shown(service, &all)
        ),
        _ => format!(
            "{name} is listed as an owner more than once. To select one by its ID, {by_id}:\n\n{}",
            shown(service, &found)
        ),
    };
    diags.report_attribute_error("owner", operation.summary(), detail);
    None
}

/// Returns a line for each owner, with its name and its principal.
fn shown(service: &Service, owners: &[&IntegrationOwner]) -> String {
    let mut lines: Vec<_> = owners
        .iter()
        .take(LISTED)
        .map(|owner| format!("  {} {}", owner.name, service.client.presentable(&owner.owner)))
        .collect();
    if owners.len() > LISTED {
        lines.push(format!("  and {} more", owners.len() - LISTED));
    }
    lines.join("\n")
}
