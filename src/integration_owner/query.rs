//! Import of an integration owner, by name or by its user, group or team, and generated configurations. The
//! service may have a principal twice, under two IDs.

use access_client::api::IntegrationOwner;
use access_client::{Identifier, Principal};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::messages;
use super::state::{IntegrationOwnerState, principal_key};
use crate::object::call::{Call, require_session};
use crate::object::data_source::read_all;
use crate::object::value::parse_import_id;
use crate::object::{Describe as _, Message, NeededRead, Query, Reported};
use crate::service::Connection;

impl Query for IntegrationOwner {
    async fn import_name(
        connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<Self::Name, Reported> {
        let Some((integration, principal)) = parse_principal_id(id) else {
            return parse_import_id(Self::WORDS, id, diags);
        };
        let session =
            require_session(connection, "import", Self::WORDS.kind, diags).ok_or(Reported)?;
        let object = principal_key(&integration, &principal.to_string());
        let mut call = Call::new(&session, "import", Self::WORDS, object, diags);
        let instead = "An import by user, group or team needs the list of owners. Import by the ID of the \
                       owner instead: `{integration}/{id}`.";
        let needed = NeededRead { attribute: None, ..NeededRead::of_list(Self::WORDS, instead) };
        let owners = read_all::<Self>(&mut call, &integration, &needed).await?;
        let by_id = format!("import `{integration}/{{id}}`");
        select(&mut call, &owners, &principal, &by_id).map(|owner| owner.name.clone())
    }

    fn check_identity(parent: &str, id: &str, diags: &mut Diagnostics) -> Result<(), Reported> {
        match Principal::parse(id) {
            Ok(_) => Err(messages::principal_as_id(parent, id).fail(diags)),
            Err(_) => Ok(()),
        }
    }

    fn display_name(&self) -> String {
        self.owner.clone()
    }

    fn generate_config(state: Self::State) -> Self::State {
        // The options are about creating and destroying.
        IntegrationOwnerState { adopt_existing: Value::Null, deletion_policy: Value::Null, ..state }
    }
}

/// Parses an import ID with a principal in place of the owner's ID: `{integration}/users/ada` or
/// `integrations/{integration}/owners/users/ada`.
fn parse_principal_id(id: &str) -> Option<(Identifier, Principal)> {
    let full = id.strip_prefix("integrations/").and_then(|rest| rest.split_once("/owners/"));
    let (integration, principal) = full.or_else(|| id.split_once('/'))?;
    Some((Identifier::parse(integration).ok()?, Principal::parse(principal).ok()?))
}

/// The number of owners that an error lists.
const LISTED: usize = 20;

/// Returns the only owner with this principal, or adds an error that lists the candidates. `by_id` is the
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
    let (fault, candidates) = match found[..] {
        [owner] => return Ok(owner),
        [] => ("not among the owners. Check the principal. The service lists:".to_owned(), &all),
        _ => (format!("an owner more than once. To select one by its ID, {by_id}:"), &found),
    };
    let candidates = shown(call, candidates);
    let detail = format!("{} is {fault}\n\n{candidates}", call.object);
    Err(call.fail(Message::new(call.summary(), detail).at("owner")))
}

/// Returns a line for each owner, with its name and its principal.
fn shown(call: &Call<'_>, owners: &[&IntegrationOwner]) -> String {
    let line = |owner: &&IntegrationOwner| {
        format!("  {} {}", owner.name, call.session.client.presentable(&owner.owner))
    };
    let mut lines: Vec<_> = owners.iter().take(LISTED).map(line).collect();
    match owners.len() {
        0 => lines.push("  no owners".to_owned()),
        count if count > LISTED => lines.push(format!("  and {} more", count - LISTED)),
        _ => {}
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_may_name_a_principal() {
        for (id, names_one) in [
            ("github/users/ada", true),
            ("integrations/github/owners/users/ada", true),
            ("integrations/github/owners/own-1", false),
            ("github/own-1", false),
            ("a/robots/r2", false),
        ] {
            let ids = parse_principal_id(id).map(|(parent, owner)| format!("{parent} {owner}"));
            assert_eq!(ids.as_deref(), names_one.then_some("github users/ada"), "{id}");
        }
    }
}
