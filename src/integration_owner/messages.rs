//! Errors and warnings about integration owners: the event, its effect, and the next step.

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Identifier, IntegrationOwnerName, Principal};
use plugin_server::hcl::quoted;

use super::state::{NewOwner, NotAdded};
use crate::messages::import_block;
use crate::messages::owners::{MayBeAddedTwice, OtherId, OwnersSkipped, PrincipalAsId};
use crate::messages::requests::{
    IntegrationMissing, MayExist, MayExistAsOther, OwnerConflict, PrincipalMissing,
};
use crate::object::call::Call;
use crate::object::existence::Unclear;
use crate::object::{Advice, Describe as _, Existing, Message, Report, Reported, by_status};
use crate::service::Session;

impl Report for IntegrationOwner {
    fn describe_existing(session: &Session, new: &NewOwner, existing: &Self) -> Existing {
        let owner = session.client.presentable(&existing.owner);
        let name = session.with_base_url(&existing.name);
        let is_same = new.is_principal_of(existing);
        let (sentence, instead, attribute) = match &new.id {
            Some(id) if is_same && *id != existing.name.owner => (
                format!("{name}: {owner} is an owner already, under another ID than {id}"),
                Some(format!(
                    "Set `integration_owner_id = {}`, or omit it. With `adopt_existing = true`, the owner is \
                     then adopted. Without it, import the owner:\n\n{}",
                    quoted(existing.name.owner.as_str()),
                    import_block(TYPE, &existing.name)
                )),
                "integration_owner_id",
            ),
            _ if is_same => (format!("{name}: {owner} is an owner already"), None, "owner"),
            // The response to the POST shows an owner that existed before.
            None if new.owner.is_some() => (
                format!(
                    "{name}: the service answered the create with an owner that exists, {owner}, so nothing was \
                     added"
                ),
                Some(format!(
                    "If it is the same user, group or team, set `owner = {}`, and import it:\n\n{}",
                    quoted(&existing.owner),
                    import_block(TYPE, &existing.name)
                )),
                "owner",
            ),
            _ => {
                let same = format!(
                    " If `owner`, which is known only after apply, is {owner}, import it:\n\n{}",
                    import_block(TYPE, &existing.name)
                );
                let same = if new.owner.is_none() { &same } else { "" };
                (
                    format!("{name}: this ID belongs to {owner} already"),
                    Some(format!("Choose another `integration_owner_id`, or omit it.{same}")),
                    "integration_owner_id",
                )
            }
        };
        Existing {
            name: existing.name.to_string(),
            parent: Self::WORDS.parent_name(&existing.name.integration),
            object: format!("{} ({owner})", existing.name),
            sentence,
            is_ours: None,
            instead,
            attribute,
        }
    }

    fn describe_adoption(
        _session: &Session,
        _existing: &Self,
        _planned: &Self::State,
        _config: &Self::State,
    ) -> String {
        "The apply changes nothing about it and manages it from then on; destroying this resource removes \
         the owner."
            .to_owned()
    }

    fn unchecked(object: &str, response: &Unclear) -> Message {
        MayBeAddedTwice { object: &object, response: &response.text }.into()
    }
}

const TYPE: &str = IntegrationOwner::WORDS.resource_type;

/// An owner has another ID than the configuration sets.
pub(super) fn other_id(new: &NewOwner, name: &IntegrationOwnerName) -> Option<Message> {
    let id = new.id.as_ref().filter(|id| **id != name.owner)?;
    let stored = &name.owner;
    let literal = &quoted(stored.as_str());
    Some(OtherId { object: name, id, stored, literal }.into())
}

/// Warns, once per integration and run, about entries of the list that cannot be read.
pub(crate) fn warn_skipped(call: &mut Call<'_>, integration: &Identifier, skipped: &[String]) {
    if skipped.is_empty() {
        return;
    }
    let shown = skipped.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    let message = Message::from(OwnersSkipped {
        integration: &call.words.parent_name(integration),
        count: &skipped.len(),
        shown: &shown,
    });
    call.warn_once(message);
}

/// Adds the error of a POST that is not known to have added the owner.
pub(super) fn not_added(
    call: &mut Call<'_>,
    new: &NewOwner,
    principal: &Principal,
    failure: &NotAdded,
) -> Reported {
    let (NotAdded::Refused(error) | NotAdded::Unknown(error, _)) = failure;
    let advice = match failure {
        NotAdded::Refused(error) => refused(call, new, principal, error),
        NotAdded::Unknown(_, found) => may_exist(call, new, principal, found.as_ref()),
    };
    call.failed_with(error, advice)
}

/// Returns an `import` block for an owner whose ID no read shows.
fn import_block_of(new: &NewOwner) -> String {
    let integration = &new.integration;
    let id = new.id.as_ref().map_or("ID", |id| id.as_str());
    import_block(TYPE, format!("integrations/{integration}/owners/{id}"))
}

/// Returns what to do after a POST that the service has refused.
fn refused(call: &Call<'_>, new: &NewOwner, owner: &Principal, error: &Error) -> Advice {
    match error.kind() {
        ErrorKind::NotFound { json: true } => missing(call, new, owner),
        ErrorKind::Conflict => {
            let attribute = if new.id.is_some() { "integration_owner_id" } else { "owner" };
            let import = import_block_of(new);
            Advice::from(OwnerConflict { owner, import: &import }).at(attribute)
        }
        _ => by_status(error),
    }
}

/// Returns what to do after a 404 to a POST. The integration is blamed only if nothing of it was
/// read.
pub(crate) fn missing(call: &Call<'_>, new: &NewOwner, owner: &Principal) -> Advice {
    if call.session.owners.of(&new.integration).reads_work() {
        PrincipalMissing { owner }.into()
    } else {
        IntegrationMissing.into()
    }
}

/// Returns what to do after a POST that the service may have processed. `found` has the ID now.
fn may_exist(
    call: &Call<'_>,
    new: &NewOwner,
    owner: &Principal,
    found: Option<&IntegrationOwner>,
) -> Advice {
    match found {
        Some(found) => {
            let stored = call.session.client.presentable(&found.owner);
            let import = import_block(TYPE, &found.name);
            let found = &found.name;
            MayExistAsOther { found, stored: &stored, owner, import: &import }.into()
        }
        None => {
            let integration = call.words.parent_name(&new.integration);
            let import = import_block_of(new);
            MayExist { integration: &integration, owner, import: &import }.into()
        }
    }
}

/// The identity names a principal in place of the owner's ID.
pub(super) fn principal_as_id(integration: &str, principal: &str) -> Message {
    let id = quoted(&format!("{integration}/{principal}"));
    PrincipalAsId { principal: &quoted(principal), id: &id }.into()
}
