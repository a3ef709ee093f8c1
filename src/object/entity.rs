//! [`Entity`]: what an object of the API is to Terraform, in one trait for each concern, and the
//! types that their methods exchange.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, ready};

use access_client::Identifier;
use access_client::time::OffsetDateTime;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tf_provider::schema::{Attribute, Schema};
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

use super::call::Call;
use super::delete::is_left;
use super::existence::{Adoption, Existence, Look, Unclear};
use super::message::{Message, Reported, Words};
use super::private_state::{ObjectPrivateState, PrivateState};
use super::value::{known_text, parse_import_id};
use crate::repository::OwnRepository;
use crate::service::{Connection, Key, Listable, Purpose, Session};

/// An object of the API that a resource manages: the sum of the traits below, each of which an
/// entity implements in a file of its own. [`super::managed::Managed`] does the rest.
pub(crate) trait Entity: Describe + Check + Plan + Write + Report + Query {}

impl<E: Describe + Check + Plan + Write + Report + Query> Entity for E {}

/// The state of an object, its names, and the conversions between state and API.
pub(crate) trait Convert: Listable {
    /// What a create creates, as far as the configuration names it.
    type Subject: fmt::Display + Send + Sync;
    type State: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The part of the private state that only this entity has.
    type Private: Clone + Default + Serialize + DeserializeOwned + Send + Sync;

    /// Returns the attributes that all entities have.
    fn common(state: &Self::State) -> Common<'_>;
    /// Returns the name in a state. `None` if it is not known, or was edited.
    fn state_name(state: &Self::State) -> Option<Self::Name>;
    /// Returns the keys of the object in a state. Writes wait for the first.
    fn state_keys(state: &Self::State) -> Vec<Key>;
    /// Returns the object that a create makes, if it has a key that is known.
    fn subject(planned: &Self::State) -> Option<Self::Subject>;
    /// Returns the ID of the listing or integration in which the create makes the object.
    fn subject_parent(subject: &Self::Subject) -> &Identifier;
    /// Returns the known keys of the object that a create makes, at least one. Writes wait for the
    /// first. What this process has written or deleted is decided by the first as well, which for
    /// an owner is its principal.
    fn subject_keys(subject: &Self::Subject) -> Vec<Key>;
    /// Returns the state and private state after a response has shown the object. Values of
    /// `stored` that mean the same keep their spelling.
    fn after_read(stored: Stored<Self>, object: Self) -> Stored<Self>;
    /// Returns the state of an object that was read and has no prior state.
    fn from_response(object: Self) -> Self::State {
        Self::after_read(Stored::default(), object).state
    }
    /// Records what this run has found beside the object: for a role, whether another repository
    /// was detected than the role's.
    fn record_run(_private: &mut Self::Private, _state: &Self::State, _session: &Session) {}
    /// Returns whether a destroy leaves access behind that was granted through the object.
    fn has_grants(_state: &Self::State) -> bool {
        false
    }
}

/// The version of the schemas in the state. 0: without an identity. 1: with an identity.
pub(crate) const SCHEMA_VERSION: i64 = 1;

/// The schema, and the words of messages.
pub(crate) trait Describe: Convert {
    /// The words of messages and schemas for this kind of object.
    const WORDS: &'static Words;

    fn resource_schema() -> Schema;
    /// Adds errors for values that the service can never accept.
    fn validate(config: &Self::State, diags: &mut Diagnostics);
}

/// What decides about a create: whether the object exists, and what the configuration says then.
pub(crate) trait Check: Convert {
    /// Checks whether an object exists before it is created. `own` is the object that will be
    /// destroyed before, and does not count.
    fn check(
        session: &Session,
        subject: &Self::Subject,
        purpose: Purpose,
        own: Option<&Self::Name>,
    ) -> impl Future<Output = Existence<Self>> + Send;
    /// Returns whether the configuration allows a create to adopt an object that exists.
    fn adoption(planned: &Self::State) -> Adoption;
    /// Returns whether an existing object may be what the configuration describes.
    fn is_adoptable(_subject: &Self::Subject, _existing: &Self) -> bool {
        true
    }
    /// Returns whether the object has to exist before its create.
    fn must_exist(_planned: &Self::State) -> bool {
        false
    }
}

/// The planned values, and what a plan registers and warns about.
pub(crate) trait Plan: Convert {
    /// Returns the planned values of a create. `repository` is `None` if the provider is not
    /// configured.
    fn planned_create(config: &Self::State, repository: Option<&OwnRepository>) -> Self::State;
    /// Returns the attributes whose change replaces the object.
    fn requires_replace(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath>;
    /// Returns the planned values of an update. Warns about its effects.
    fn planned_update(
        _session: Option<&Session>,
        _stored: &Stored<Self>,
        proposed: Self::State,
        _config: &Self::State,
        _diags: &mut Diagnostics,
    ) -> Self::State {
        proposed
    }
    /// Registers the object of a resource that creates or keeps it, where another resource may
    /// manage all objects of the parent.
    fn plan_member(_call: &mut Call<'_>, _state: &Self::State) -> Result<(), Reported> {
        Ok(())
    }
    /// Warns about the effects of a planned destroy. `has_grants` is that of the object, and
    /// `new_config` the configuration of the object that replaces it; `None` if nothing does.
    fn warn_destroyed(
        call: &mut Call<'_>,
        name: &Self::Name,
        has_grants: bool,
        new_config: Option<&Self::State>,
    ) -> impl Future<Output = ()> + Send;
}

/// The writes.
pub(crate) trait Write: Convert {
    /// Sends the create, or adopts the object that `look` has found. The caller has refused what
    /// `look` does not allow, and holds the locks of the object.
    fn create(
        call: &mut Call<'_>,
        subject: &Self::Subject,
        look: &Look<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<Created<Self>, Reported>> + Send;
    /// Updates the object. After an error that shows more about the object, returns its state as
    /// well.
    fn update(
        call: &mut Call<'_>,
        stored: Stored<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<Stored<Self>, Reported>> + Send;
}

/// The messages that only this entity has.
pub(crate) trait Report: Convert {
    /// Returns how messages about a create describe the object that exists in its place.
    fn describe_existing(session: &Session, subject: &Self::Subject, existing: &Self) -> Existing;
    /// Returns the effects of adopting an object on it: the present values that change.
    fn describe_adoption(
        session: &Session,
        existing: &Self,
        planned: &Self::State,
        config: &Self::State,
    ) -> String;
    /// Returns the warning about a create that could not check whether the object existed.
    fn unchecked(object: &str, response: &Unclear) -> Message;
    /// Warns about what a GET has found, in a refresh.
    fn warn_read(_call: &mut Call<'_>, _stored: &Stored<Self>, _object: &Self) {}
    /// Warns about an object that was imported, and records it.
    fn after_import(_call: &mut Call<'_>, _stored: &mut Stored<Self>) {}
    /// Warns in the plan of a destroy about what refreshes have found. Terraform discards the
    /// warnings of the refresh before `terraform destroy`.
    fn warn_found(_call: &mut Call<'_>, _stored: &Stored<Self>) {}
}

/// Import, `terraform query`, and generated configurations.
pub(crate) trait Query: Describe {
    /// What to do instead of an import where the service does not offer reads.
    const INSTEAD_OF_IMPORT: &'static str;

    /// Returns the name that an import ID selects, or adds an error.
    fn import_name(
        _connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Result<Self::Name, Reported>> + Send {
        ready(parse_import_id(Self::WORDS, id, diags))
    }
    /// Adds an error for IDs that users confuse with others.
    fn check_identity(_parent: &str, _id: &str, _diags: &mut Diagnostics) -> Result<(), Reported> {
        Ok(())
    }
    /// Returns the arguments of a `list` block in addition to the parent.
    fn list_filters() -> Vec<(&'static str, Attribute)> {
        Vec::new()
    }
    /// Returns whether the arguments of a `list` block select an object.
    fn is_selected(_filters: &BTreeMap<String, Value<String>>, _object: &Self) -> bool {
        true
    }
    /// Returns the name of an object in the results of `terraform query`.
    fn display_name(&self) -> String;
    /// Returns the configuration of an imported object, for `-generate-config-out`: without
    /// arguments about creating and destroying.
    fn generate_config(state: Self::State) -> Self::State;
}

/// The state of an object, with its private state.
#[derive(Clone)]
pub(crate) struct Stored<E: Convert> {
    pub(crate) state: E::State,
    pub(crate) private: PrivateOf<E>,
}

/// The private state of an entity: the part that all have, and its own.
pub(crate) type PrivateOf<E> = PrivateState<<E as Convert>::Private>;

impl<E: Convert> Default for Stored<E> {
    fn default() -> Self {
        Self { state: E::State::default(), private: PrivateState::default() }
    }
}

impl<E: Convert> Stored<E> {
    pub(crate) fn create_time(&self) -> Option<&str> {
        known_text(E::common(&self.state).create_time)
    }

    pub(crate) fn update_time(&self) -> Option<&str> {
        known_text(E::common(&self.state).update_time)
    }

    /// Returns what the state knows about its object.
    pub(crate) fn known(&self) -> Known<'_> {
        Known { create_time: self.create_time(), private: &self.private.object }
    }

    pub(crate) fn from_parts((state, private): (E::State, PrivateOf<E>)) -> Self {
        Self { state, private }
    }

    pub(crate) fn into_parts(self) -> (E::State, PrivateOf<E>) {
        (self.state, self.private)
    }

    /// Returns whether a destroy leaves the object at the service.
    pub(crate) fn is_left(&self, session: &Session) -> bool {
        is_left(session, E::common(&self.state).deletion_policy, &self.private)
    }
}

/// What a state knows about its object, beyond the name.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    pub(crate) create_time: Option<&'k str>,
    pub(crate) private: &'k ObjectPrivateState,
}

/// An object that a create has made or adopted. `date` is that of the response, and `state` is the
/// planned state with the values of the response.
pub(crate) struct Created<E: Convert> {
    pub(crate) object: E,
    pub(crate) date: Option<OffsetDateTime>,
    pub(crate) state: E::State,
    pub(crate) private: E::Private,
}

/// The attributes that every entity has.
pub(crate) struct Common<'s> {
    pub(crate) deletion_policy: &'s Value<String>,
    pub(crate) create_time: &'s Value<String>,
    pub(crate) update_time: &'s Value<String>,
}

/// How messages describe an object that exists.
pub(crate) struct Existing {
    pub(crate) name: String,
    /// The name of its parent: "listings/github".
    pub(crate) parent: String,
    /// The name, and for an owner its principal.
    pub(crate) object: String,
    /// A sentence, without its full stop.
    pub(crate) sentence: String,
    /// Whether it records the repository and directory of this configuration. `None` if objects of
    /// this kind record nothing.
    pub(crate) is_ours: Option<bool>,
    /// What to do instead of an import or an adoption, if these are not possible.
    pub(crate) instead: Option<String>,
    /// The attribute to blame.
    pub(crate) attribute: &'static str,
}
