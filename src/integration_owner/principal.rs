//! Selecting an owner by its user, group or team. The service may have it twice, under two IDs.

use access_client::Principal;
use access_client::api::IntegrationOwner;

use crate::object::call::Call;
use crate::object::{Message, Reported};

/// The number of owners that an error lists.
const LISTED: usize = 20;

/// Returns the one owner with this principal, or adds an error that lists the candidates. `by_id` is the
/// step that selects an owner by its ID: "set `integration_owner_id`".
pub(super) fn select<'o>(
    call: &mut Call<'_>,
    owners: impl IntoIterator<Item = &'o IntegrationOwner>,
    principal: &Principal,
    by_id: &str,
) -> Result<&'o IntegrationOwner, Reported> {
    let principal = principal.to_string();
    let all: Vec<_> = owners.into_iter().collect();
    let found: Vec<_> = all.iter().copied().filter(|owner| owner.owner == principal).collect();
    let name = &call.object;
    let detail = match found[..] {
        [owner] => return Ok(owner),
        [] if all.is_empty() => {
            format!("{name} is not among the owners: the service lists none. Check the principal.")
        }
        [] => format!(
            "{name} is not among the owners that the service lists. Check the principal. The owners \
             are:\n\n{}",
            shown(call, &all)
        ),
        _ => format!(
            "{name} is listed as an owner more than once. To select one by its ID, {by_id}:\n\n{}",
            shown(call, &found)
        ),
    };
    Err(call.fail(Message::new(call.summary(), detail).at("owner")))
}

/// Returns a line for each owner, with its name and its principal.
fn shown(call: &Call<'_>, owners: &[&IntegrationOwner]) -> String {
    let presentable = |text: &str| call.session.client.presentable(text);
    let mut lines: Vec<_> = owners
        .iter()
        .take(LISTED)
        .map(|owner| format!("  {} {}", owner.name, presentable(&owner.owner)))
        .collect();
    if owners.len() > LISTED {
        lines.push(format!("  and {} more", owners.len() - LISTED));
    }
    lines.join("\n")
}
