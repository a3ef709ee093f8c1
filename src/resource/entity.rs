//! [`Entity`]: an object of the API that a resource manages, in one trait for each concern. A role and an
//! owner implement each in the file that the trait names, `Describe` in `state.rs`, and `Plan` in `plan.rs`.
//! The steps that these traits serve are shared.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, ready};

use access_client::{Object, Retries};
use tf_provider::Diagnostics;
use tf_provider::schema::Attribute;
use tf_provider::value::Value;

use super::call::Call;
use super::describe::{Describe, Plan, StoredOf};
use super::seen::Seen;
use super::value::parse_import_id;
use crate::run::{Configured, Keys, Run};
use crate::say::Reported;
use crate::say::create::{Effects, Existing};

/// An object of the API that a resource manages.
pub(crate) trait Entity: Plan + Convert + Check + Watch + Write + Query {}

impl<E: Plan + Convert + Check + Watch + Write + Query> Entity for E {}

/// The names of an object, and the conversions between state and API: `state.rs`.
pub(crate) trait Convert: Describe + Object {
    /// What a create creates, as far as the configuration names it.
    type New: Clone + fmt::Display + Send + Sync;

    fn state_create_time(state: &Self::State) -> Option<&str>;
    fn state_update_time(state: &Self::State) -> Option<&str>;
    /// Returns the name in a state. `None` if it is not known, or was edited.
    fn state_name(state: &Self::State) -> Option<Self::Name>;
    /// Returns the object that a create makes, if it has a key that is known.
    fn to_create(planned: &Self::State) -> Option<Self::New>;
    /// Returns the object that has these keys: the reverse of `keys_of_new`.
    fn new_of_keys(keys: &Keys) -> Option<Self::New>;
    /// Returns the known keys of the object that a create makes, at least one.
    fn keys_of_new(new: &Self::New) -> Keys;
    /// Returns the state and private state after a response has shown the object. Values of `stored`
    /// that mean the same stay.
    fn after_read(stored: StoredOf<Self>, object: Self) -> StoredOf<Self>;
    /// Returns the state of an object that was read and has no prior state.
    fn from_response(object: Self) -> Self::State {
        Self::after_read(StoredOf::<Self>::default(), object).state
    }
    /// Records what this run has found beside the object: for a role, whether another repository was
    /// detected than the role's.
    fn record_run(_private: &mut Self::Private, _state: &Self::State, _run: &Run) {}
}

/// What decides about a create: whether the object exists, and whether it may be adopted: `check.rs`.
pub(crate) trait Check: Convert {
    /// What a create that could not look did to an object that exists: "may have been overwritten".
    const RISK: &'static str;

    /// Looks whether the object exists before it is created. `replaced` is the object that is
    /// destroyed before, and does not count.
    fn see(
        run: &Run,
        new: &Self::New,
        keys: &Keys,
        retries: Retries,
        replaced: Option<&Self::Name>,
    ) -> impl Future<Output = Seen<Self>> + Send;
    fn adopt_existing(planned: &Self::State) -> &Value<bool>;
    /// Returns whether the configuration allows a create to adopt an object that exists. What is
    /// unknown does not allow it.
    fn adopts(planned: &Self::State) -> bool {
        *Self::adopt_existing(planned) == Value::Value(true)
    }
    /// Returns whether an existing object may be what the configuration describes.
    fn is_adoptable(_new: &Self::New, _existing: &Self) -> bool {
        true
    }
    /// Returns what messages about a create say about the object that exists in its place.
    fn describe_existing(run: &Run, new: &Self::New, existing: &Self) -> Existing;
    /// Returns the effects of adopting an object on it: the attributes that change.
    fn describe_adoption(
        run: &Run,
        existing: &Self,
        planned: &Self::State,
        config: &Self::State,
    ) -> Effects;
}

/// What plans, refreshes and imports register and warn about: `watch.rs`.
pub(crate) trait Watch: Convert {
    /// Registers the object where another resource may manage all objects of the parent. `stays` is
    /// whether the resource creates or keeps it.
    fn register_member(
        _call: &mut Call<'_>,
        _state: &Self::State,
        _stays: bool,
    ) -> Result<(), Reported> {
        Ok(())
    }
    /// Warns about what a planned create, which may be part of a replacement, will not record.
    fn warn_created(_call: &mut Call<'_>) {}
    /// Warns about the effects of a planned update.
    fn warn_updated(
        _call: &mut Call<'_>,
        _stored: &StoredOf<Self>,
        _planned: &Self::State,
        _config: &Self::State,
    ) {
    }
    /// Returns whether a create leaves out what an object that it replaces may have.
    fn leaves_out(_config: &Self::State) -> bool {
        false
    }
    /// Warns about the effects of an object's replacement on its users.
    fn warn_replaced(_call: &mut Call<'_>, _stored: &StoredOf<Self>, _leaves_out: bool) {}
    /// Warns about the effects of a planned destroy. `leaves_out` is whether an object replaces it
    /// without what it may have.
    fn warn_destroyed(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        leaves_out: bool,
    ) -> impl Future<Output = ()> + Send;
    /// Warns about what a GET has found, in a refresh: `read` is the state after it.
    fn warn_read(_call: &mut Call<'_>, _stored: &StoredOf<Self>, _read: &StoredOf<Self>) {}
    /// Warns about an object that was imported, and records it.
    fn after_import(_call: &mut Call<'_>, _stored: &mut StoredOf<Self>) {}
}

/// The writes: `write.rs`.
pub(crate) trait Write: Convert {
    /// Sends the create, or adopts what exists, as a look has found it. The caller has refused what may not
    /// be, and holds the locks of the object.
    fn write_new(
        call: &mut Call<'_>,
        new: &Self::New,
        seen: &Seen<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<Created<Self>, Reported>> + Send;
    /// Updates the object. The caller holds its locks.
    fn write_changes(
        call: &mut Call<'_>,
        stored: StoredOf<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<StoredOf<Self>, Reported>> + Send;
}

/// Import, `terraform query` and data sources: `query.rs`.
pub(crate) trait Query: Describe + Object {
    /// What to do instead of an import where the service does not offer reads.
    const INSTEAD_OF_IMPORT: &'static str;

    /// Returns the name that an import ID selects, or adds an error.
    fn import_name(
        _configured: &Configured,
        id: &str,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Result<Self::Name, Reported>> + Send {
        ready(parse_import_id(id, diags))
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
}

/// An object that a create has made or adopted. `state` is the planned state with the values of the
/// response.
pub(crate) struct Created<E: Convert> {
    pub(crate) object: E,
    pub(crate) state: E::State,
    pub(crate) own: E::Private,
}
