//! Integration owners: the resource `access_integration_owner` and its data sources.
//!
//! Calls: list and GET (existence check, refresh, import, outcome of a POST), POST, DELETE. POST is not
//! idempotent: after a failure that the service may have processed it is never sent again.

pub(crate) mod add;
mod check;
mod data;
pub(crate) mod messages;
mod principal;
pub(crate) mod schema;
pub(crate) mod state;

use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName, Principal};
use plugin_server::plan_modifier::requires_replace;
use tf_provider::schema::Schema;
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

pub(crate) use state::IntegrationOwnerState;
use state::{NewOwner, OwnerPrivateState, keys_of, principal_key, validate_principal};

use crate::object::call::{Advice, Call, Message, Reported, require_session};
use crate::object::create::refuse;
use crate::object::existence::{Adoption, Existence, Unclear};
use crate::object::identifier::validate_identifier;
use crate::object::import::parse_import_id;
use crate::object::value::known_text;
use crate::object::{Common, Created, Entity, Existing, Stored, conflicts};
use crate::repository::OwnRepository;
use crate::service::{Cause, Connection, Key, Purpose, Session, parent_list};
use add::{Added, add};

impl Entity for IntegrationOwner {
    const KIND: &'static str = "integration owner";
    const A_KIND: &'static str = "an integration owner";
    const TYPE: &'static str = "access_integration_owner";
    const PARENT_KIND: &'static str = "integration";
    const A_PARENT_KIND: &'static str = "an integration";
    const PARENTS: &'static str = "integrations";
    const NAME_FORM: &'static str = "integrations/{integration}/owners/{owner}";
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("integration", schema::INTEGRATION), ("owner", schema::INTEGRATION_OWNER_ID)];
    const SUBJECT_ARGUMENT: &'static str = "owner";
    const CREATE_OVERWRITES: bool = false;
    const ADOPTION: &'static str =
        "Or set `adopt_existing = true`, which changes nothing about it:";

    type Subject = NewOwner;
    type State = IntegrationOwnerState;
    type Private = OwnerPrivateState;

    fn resource_schema() -> Schema {
        schema::resource_schema()
    }

    fn validate(config: &IntegrationOwnerState, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal(&config.owner, diags);
    }

    fn common(state: &IntegrationOwnerState) -> Common<'_> {
        Common {
            deletion_policy: &state.deletion_policy,
            create_time: &state.create_time,
            update_time: &state.update_time,
        }
    }

    fn state_name(state: &IntegrationOwnerState) -> Option<IntegrationOwnerName> {
        state.owner_name()
    }

    fn state_keys(state: &IntegrationOwnerState) -> Vec<Key> {
        let Some(name) = state.owner_name() else { return Vec::new() };
        keys_of(&name.integration, known_text(&state.owner).unwrap_or_default(), Some(&name))
    }

    fn subject(planned: &IntegrationOwnerState) -> Option<NewOwner> {
        planned.to_new_owner()
    }

    fn subject_parent(subject: &NewOwner) -> &Identifier {
        &subject.integration
    }

    fn subject_keys(subject: &NewOwner) -> Vec<Key> {
        let name = subject.fixed_name();
        keys_of(&subject.integration, &subject.owner.to_string(), name.as_ref())
    }

    fn may_have(subject: &NewOwner, name: &str) -> bool {
        subject.fixed_name().is_none_or(|fixed| fixed.to_string() == name)
    }

    fn adoption(planned: &IntegrationOwnerState) -> Adoption {
        match planned.adopt_existing {
            Value::Value(true) => Adoption::Allowed,
            Value::Unknown => Adoption::DependsOn(vec!["adopt_existing"]),
            _ => Adoption::Refused,
        }
    }

    fn planned_create(
        config: &IntegrationOwnerState,
        _repository: Option<&OwnRepository>,
    ) -> IntegrationOwnerState {
        config.planned_create()
    }

    fn requires_replace(
        prior: &IntegrationOwnerState,
        planned: &IntegrationOwnerState,
    ) -> Vec<AttributePath> {
        requires_replace(&[
            ("integration", &prior.integration, &planned.integration),
            ("owner", &prior.owner, &planned.owner),
            ("integration_owner_id", &prior.integration_owner_id, &planned.integration_owner_id),
        ])
    }

    fn planned_update(
        _run: Option<&Session>,
        _stored: &Stored<Self>,
        proposed: IntegrationOwnerState,
        _config: &IntegrationOwnerState,
        _diags: &mut Diagnostics,
    ) -> IntegrationOwnerState {
        proposed
    }

    fn plan_member(call: &mut Call<'_>, state: &IntegrationOwnerState) -> Result<(), Reported> {
        let (Some(integration), Some(owner)) =
            (known_text(&state.integration), known_text(&state.owner))
        else {
            return Ok(());
        };
        let registered = call.session.plans.plan_owner(integration, owner);
        registered.map_err(|found| conflicts::report_at(call, &found, Self::TYPE, "integration"))
    }

    async fn warn_destroyed(
        call: &mut Call<'_>,
        prior: &IntegrationOwnerState,
        _replaced_by: Option<&IntegrationOwnerState>,
    ) {
        if let Some(name) = prior.owner_name() {
            warn_without_owners(call, &name.integration).await;
        }
    }

    async fn check(
        session: &Session,
        subject: &NewOwner,
        purpose: Purpose,
        own: Option<&IntegrationOwnerName>,
    ) -> Existence<Self> {
        check::check(session, subject, purpose, own).await
    }

    fn is_adoptable(subject: &NewOwner, existing: &Self) -> bool {
        subject.id.as_ref().is_none_or(|id| *id == existing.name.owner)
            && subject.is_principal_of(existing)
    }

    fn describe_existing(session: &Session, subject: &NewOwner, existing: &Self) -> Existing {
        messages::describe_existing(session, subject, existing)
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
        messages::unchecked(object, &response.text)
    }

    async fn create(
        call: &mut Call<'_>,
        subject: &NewOwner,
        existence: &Existence<Self>,
        planned: IntegrationOwnerState,
        _config: &IntegrationOwnerState,
    ) -> Result<Created<Self>, Reported> {
        let (owner, date) = match existence {
            Existence::Exists(existing) => ((**existing).clone(), None),
            _ => match add(call.session, subject, existence).await {
                Ok(Added::New(owner, date)) => (owner, date),
                Ok(Added::Existing(owner))
                    if Self::adoption(&planned) == Adoption::Allowed
                        && Self::is_adoptable(subject, &owner) =>
                {
                    (owner, None)
                }
                Ok(Added::Existing(owner)) => {
                    return Err(refuse(call, subject, &owner));
                }
                Err(failure) => return Err(messages::not_added(call, subject, &failure)),
            },
        };
        if let Some(message) = messages::other_id(subject, &owner.name) {
            call.warn(message);
        }
        let private = OwnerPrivateState { stored: Some(owner.owner.clone()) };
        let state = planned.after_write(owner.clone());
        Ok(Created { object: owner, date, is_repeated: false, state, private })
    }

    async fn update(
        _call: &mut Call<'_>,
        stored: Stored<Self>,
        planned: IntegrationOwnerState,
        _config: &IntegrationOwnerState,
    ) -> Result<Stored<Self>, Reported> {
        // Only `adopt_existing` and `deletion_policy` change in place.
        Ok(Stored { state: planned.resolve_unknowns(stored.state), private: stored.private })
    }

    fn from_response(owner: Self) -> IntegrationOwnerState {
        let mut state = IntegrationOwnerState::default();
        state.set_from_response(owner, None);
        state
    }

    fn after_read(stored: Stored<Self>, owner: Self) -> Stored<Self> {
        let Stored { mut state, mut private } = stored;
        let spelling = private.entity.stored.replace(owner.owner.clone());
        state.set_from_response(owner, spelling.as_ref());
        Stored { state, private }
    }

    fn confirms(stored: &Stored<Self>, entry: &Self) -> bool {
        let mut listed = stored.state.clone();
        listed.set_from_response(entry.clone(), stored.private.entity.stored.as_ref());
        listed == stored.state
    }

    async fn import_name(
        connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<IntegrationOwnerName, Reported> {
        let Some((integration, principal)) = parse_principal_id(id) else {
            return parse_import_id::<Self>(id, diags);
        };
        let session = require_session(connection, "import", Self::KIND, diags).ok_or(Reported)?;
        let object = principal_key(&integration, &principal.to_string());
        let mut call = Call::new(&session, "import", Self::KIND, object, diags);
        let list = parent_list::whole::<Self>(&session, &integration).await.map_err(|error| {
            let next = "An import by user, group or team needs the list of owners. Import by the ID of \
                        the owner instead: `{integration}/{id}`.";
            call.failed_with(&error, Advice::next(next))
        })?;
        warn_skipped(&mut call, &integration, &list.skipped);
        let by_id = format!("import `{integration}/{{id}}`");
        principal::select(&mut call, list.entries.values(), &principal, &by_id)
            .map(|owner| owner.name.clone())
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

    fn generate_config(state: IntegrationOwnerState) -> IntegrationOwnerState {
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

/// Warns if the plan so far destroys every owner that the list shows. Entries that cannot be read do not
/// count: they must not hide that the others are destroyed.
pub(crate) async fn warn_without_owners(call: &mut Call<'_>, integration: &Identifier) {
    let session = call.session;
    if !session.detects_drift() {
        return;
    }
    let Ok(list) = parent_list::whole::<IntegrationOwner>(session, integration).await else {
        return;
    };
    warn_skipped(call, integration, &list.skipped);
    let names = list.entries.values().map(|owner| owner.name.to_string());
    if !list.entries.is_empty() && session.plans.destroys_all(names) {
        let message = messages::without_owners(integration);
        call.warn_once(Cause::Emptied(integration.to_string()), message);
    }
}

/// Warns, once per integration and run, about entries of the list that cannot be read.
pub(crate) fn warn_skipped(call: &mut Call<'_>, integration: &Identifier, skipped: &[String]) {
    if !skipped.is_empty() {
        let message = messages::skipped_entries(integration, skipped);
        call.warn_once(Cause::Skipped(integration.to_string()), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_may_name_a_principal() {
        let ada =
            || Some((Identifier::parse("github").unwrap(), Principal::parse("users/ada").unwrap()));
        for id in ["github/users/ada", "integrations/github/owners/users/ada"] {
            assert_eq!(parse_principal_id(id), ada(), "{id}");
        }
        for id in
            ["integrations/github/owners/own-1", "github/own-1", "", "a/robots/r2", "a/users/"]
        {
            assert_eq!(parse_principal_id(id), None, "{id}");
        }
    }
}
