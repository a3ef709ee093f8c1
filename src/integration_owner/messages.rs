//! Errors and warnings about integration owners: the event, its effect, and the next step.

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier, IntegrationOwnerName};

use super::add::NotAdded;
use super::state::{IntegrationOwnerState, NewOwner};
use crate::hcl::quoted;
use crate::object::call::{Advice, Call, Message, Reported};
use crate::object::existence::Unclear;
use crate::object::messages::import_block;
use crate::object::{Describe as _, Existing, Report, Whose};
use crate::service::Session;

impl Report for IntegrationOwner {
    fn describe_existing(session: &Session, new: &NewOwner, existing: &Self) -> Existing {
        let owner = session.client.presentable(&existing.owner);
        let name = session.with_base_url(&existing.name);
        let object = format!("{} ({owner})", existing.name);
        let is_owner = new.is_principal_of(existing);
        match &new.id {
            Some(id) if is_owner && *id != existing.name.owner => Existing {
                object,
                sentence: format!(
                    "{name}: {owner} is an owner already, under another ID than {id}"
                ),
                instead: Some(format!(
                    "Set `integration_owner_id = {}`, or omit it. With `adopt_existing = true`, the owner is \
                     then adopted. Without it, import the owner:\n\n{}",
                    quoted(existing.name.owner.as_str()),
                    import_block(TYPE, &existing.name)
                )),
                whose: Whose::Unknown,
                attribute: "integration_owner_id",
            },
            _ if is_owner => Existing {
                object,
                sentence: format!("{name}: {owner} is an owner already"),
                instead: None,
                whose: Whose::Unknown,
                attribute: "owner",
            },
            _ => Existing {
                object,
                sentence: format!("{name}: this ID belongs to {owner} already"),
                instead: Some("Choose another `integration_owner_id`, or omit it.".to_owned()),
                whose: Whose::Unknown,
                attribute: "integration_owner_id",
            },
        }
    }

    fn describe_adoption(
        _run: &Session,
        _existing: &Self,
        _planned: &IntegrationOwnerState,
        _config: &IntegrationOwnerState,
    ) -> String {
        "The apply changes nothing about it and manages it from then on; destroying this resource removes \
         the owner."
            .to_owned()
    }

    fn unchecked(object: &str, response: &Unclear) -> Message {
        Message::new(
            "An existing owner may have been added twice",
            format!(
                "{object}: the provider could not check whether it was an owner already ({}). If the \
                 service allows that, there are two owners now. Look at the owners of the integration at the \
                 service.",
                response.text
            ),
        )
        .at("owner")
    }
}

const TYPE: &str = IntegrationOwner::WORDS.resource_type;

/// An owner has another ID than the configuration sets.
pub(super) fn other_id(new: &NewOwner, name: &IntegrationOwnerName) -> Option<Message> {
    let id = new.id.as_ref().filter(|id| **id != name.owner)?;
    Some(
        Message::new(
            format!("{name} has another ID than was set"),
            format!(
                "The configuration sets the ID {id}, and the service stored the owner under {}. The next \
                 plan that reads it will replace it. Set `integration_owner_id = {}`, or omit it.",
                name.owner,
                quoted(name.owner.as_str())
            ),
        )
        .at("integration_owner_id"),
    )
}

/// Entries of the list cannot be read.
pub(super) fn skipped_entries(integration: &Identifier, skipped: &[String]) -> Message {
    let shown = skipped.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    Message::new(
        format!("Owners of integrations/{integration} were skipped"),
        format!(
            "{} of the listed owners could not be read ({shown}). The provider ignores them. If one of \
             them is an owner of this configuration, it is not recognised.",
            skipped.len()
        ),
    )
}

/// A plan destroys every owner that the list shows.
pub(super) fn without_owners(integration: &Identifier) -> Message {
    Message::new(
        format!("integrations/{integration} is left without owners"),
        "This plan destroys every owner that the service lists. Without owners, the integration's \
         settings and owners can no longer be managed, and owners that the plan adds may be refused. Keep \
         at least one owner, set `deletion_policy = \"abandon\"` on one, or replace owners with \
         `create_before_destroy`.",
    )
}

/// Adds the error of an owner that was not added.
pub(super) fn not_added(call: &mut Call<'_>, new: &NewOwner, failure: &NotAdded) -> Reported {
    let integration = &new.integration;
    match failure {
        NotAdded::Refused(error) => {
            let advice = match error.kind() {
                ErrorKind::NotFound { json: true } => Advice::next(
                    "The integration does not exist, or this API key may not see it. Check \
                     `integration` and `base_url`.",
                )
                .at("integration"),
                ErrorKind::Conflict => Advice::next(format!(
                    "{} is an owner already, or the ID is taken, and no read shows which, so \
                     `adopt_existing` has no effect. If reads lag, run Terraform again in a few minutes. \
                     Otherwise find the owner's ID at the service and import it:\n\n{}",
                    new.owner,
                    import_block(TYPE, placeholder(new))
                ))
                .at(if new.id.is_some() { "integration_owner_id" } else { "owner" }),
                _ => Advice::default(),
            };
            call.failed_with(error, advice)
        }
        NotAdded::Unknown(error, Some(found)) => {
            let stored = call.session.client.presentable(&found.owner);
            let next = format!(
                "The owner may exist: the service may have processed the request before it failed. {} \
                 belongs to {stored} now, and nothing shows whether it did before. The request was not \
                 sent again, so that there are never two owners. If {stored} is the service's spelling of \
                 {}, import the owner:\n\n{}",
                found.name,
                new.owner,
                import_block(TYPE, &found.name)
            );
            call.failed_with(error, Advice::next(next))
        }
        NotAdded::Unknown(error, None) => {
            let next = format!(
                "The owner may exist: the service may have processed the request before it failed, and no \
                 read shows the owner. The request was not sent again, so that there are never two \
                 owners. Look at the owners of integrations/{integration} at the service. If {} is one \
                 of them, import it:\n\n{}\n\nIf not, run Terraform again.",
                new.owner,
                import_block(TYPE, placeholder(new))
            );
            call.failed_with(error, Advice::next(next))
        }
    }
}

/// The identity names a principal in place of the owner's ID.
pub(super) fn principal_as_id(integration: &str, principal: &str) -> Message {
    let id = quoted(&format!("{integration}/{principal}"));
    Message::new(
        "Invalid owner",
        format!(
            "{principal:?} is a user, group or team. `owner` of the identity is the ID that the service \
             assigned to the owner, as in `integration_owner_id`. To import by user, group or team, use \
             `id = {id}` in place of `identity`."
        ),
    )
    .at("owner")
}

/// Returns an import ID for an owner whose ID may not be known.
fn placeholder(new: &NewOwner) -> String {
    let id = new.id.as_ref().map_or("ID", |id| id.as_str());
    format!("integrations/{}/owners/{id}", new.integration)
}
