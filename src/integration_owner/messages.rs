//! Errors and warnings about integration owners: the event, its effect, and the next step.

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier, IntegrationOwnerName, Principal};
use plugin_server::hcl::quoted;

use super::state::{NewOwner, NotAdded};
use crate::object::call::Call;
use crate::object::existence::Unclear;
use crate::object::messages::import_block;
use crate::object::{Advice, Describe as _, Existing, Message, Report, Reported};
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
        let detail = format!(
            "{object}: the provider could not check whether it was an owner already ({}). If the \
             service allows that, there are two owners now. Look at the owners of the integration at the \
             service.",
            response.text
        );
        Message::new("An existing owner may have been added twice", detail).at("owner")
    }
}

const TYPE: &str = IntegrationOwner::WORDS.resource_type;

/// An owner has another ID than the configuration sets.
pub(super) fn other_id(new: &NewOwner, name: &IntegrationOwnerName) -> Option<Message> {
    let id = new.id.as_ref().filter(|id| **id != name.owner)?;
    let (stored, stored_literal) = (&name.owner, quoted(name.owner.as_str()));
    let detail = format!(
        "The configuration sets the ID {id}, and the service stored the owner under {stored}. The next \
         plan that reads it will replace it. Set `integration_owner_id = {stored_literal}`, or omit it."
    );
    let summary = format!("{name} has another ID than was set");
    Some(Message::new(summary, detail).at("integration_owner_id"))
}

/// Warns, once per integration and run, about entries of the list that cannot be read.
pub(crate) fn warn_skipped(call: &mut Call<'_>, integration: &Identifier, skipped: &[String]) {
    if skipped.is_empty() {
        return;
    }
    let shown = skipped.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    let detail = format!(
        "{} of the listed owners could not be read ({shown}). The provider ignores them. If one of \
         them is an owner of this configuration, it is not recognised.",
        skipped.len()
    );
    let summary = format!("Owners of integrations/{integration} were skipped");
    call.warn_once(Message::new(summary, detail));
}

/// A plan destroys every owner that the list shows.
pub(super) fn without_owners(integration: &Identifier) -> Message {
    let detail = "This plan destroys every owner that the service lists. Without owners, the integration's \
                  settings and owners can no longer be managed, and owners that the plan adds may be \
                  refused. Keep at least one owner, set `deletion_policy = \"abandon\"` on one, or replace \
                  owners with `create_before_destroy`.";
    Message::new(format!("integrations/{integration} is left without owners"), detail)
}

pub(super) fn not_added(
    call: &mut Call<'_>,
    new: &NewOwner,
    principal: &Principal,
    failure: &NotAdded,
) -> Reported {
    let integration = &new.integration;
    let id = new.id.as_ref().map_or("ID", |id| id.as_str());
    let block = import_block(TYPE, format!("integrations/{integration}/owners/{id}"));
    let (NotAdded::Refused(error) | NotAdded::Unknown(error, _)) = failure;
    let advice = match failure {
        NotAdded::Refused(error) => match error.kind() {
            ErrorKind::NotFound { json: true } => Advice::next(
                "The integration does not exist, or this API key may not see it. Check \
                 `integration` and `base_url`.",
            )
            .at("integration"),
            ErrorKind::Conflict => Advice::next(format!(
                "{principal} is an owner already, perhaps in another spelling, or the ID is taken, and no \
                 read shows which, so the owner is not adopted. If reads lag, run Terraform again in a few \
                 minutes. Otherwise find the owner's ID at the service and import it:\n\n{block}"
            ))
            .at(if new.id.is_some() { "integration_owner_id" } else { "owner" }),
            _ => Advice::default(),
        },
        NotAdded::Unknown(_, found) => {
            let (shown, block) = match found {
                Some(found) => {
                    let stored = call.session.client.presentable(&found.owner);
                    let shown = format!(
                        "{} belongs to {stored} now, and nothing shows whether it did before. If {stored} \
                         is the service's spelling of {principal}",
                        found.name
                    );
                    (shown, import_block(TYPE, &found.name))
                }
                None => {
                    let shown = format!(
                        "No read shows the owner. Look at the owners of integrations/{integration} at the \
                         service. If {principal} is one of them, also in another spelling"
                    );
                    (shown, block)
                }
            };
            Advice::next(format!(
                "The owner may exist: the service may have processed the request before it failed. The \
                 request was not sent again, so that there are never two owners. {shown}, import it:\n\n\
                 {block}\n\nIf not, run Terraform again."
            ))
            .for_all("they may exist: look at the service, and import those that do")
        }
    };
    call.failed_with(error, advice)
}

/// The identity names a principal in place of the owner's ID.
pub(super) fn principal_as_id(integration: &str, principal: &str) -> Message {
    let id = quoted(&format!("{integration}/{principal}"));
    let detail = format!(
        "{principal:?} is a user, group or team. `owner` of the identity is the ID that the service \
         assigned to the owner, as in `integration_owner_id`. To import by user, group or team, use \
         `id = {id}` in place of `identity`."
    );
    Message::new("Invalid owner", detail).at("owner")
}
