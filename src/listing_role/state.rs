//! A listing role in Terraform: state and private state, the conversions between them and the API, and
//! the values that the service can never accept.
//!
//! The API omits empty fields, so "" and null of a description are one value; the state keeps the
//! spelling of the configuration. `resources` that the configuration omits are shown but never
//! sent. Everything that reads a role ends in [`ListingRoleState::set_from_response`], everything
//! that writes one begins in [`to_patch`].

use std::collections::BTreeSet;

use access_client::time::is_equal;
use access_client::{
    FieldMask, Identifier, ListingRole, ListingRoleName, ListingRolePatch, ObjectName as _,
    RoleField,
};
use plugin_server::schema::new_schema;
use plugin_server::validator::Validate as _;
use plugin_server::value::Number;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, RESOURCE, WORDS};
use crate::repository::{Repository, same_dir, same_uri};
use crate::resource::attributes::{attribute_of, resource_attributes};
use crate::resource::describe::{Describe, StoredOf};
use crate::resource::entity::Convert;
use crate::resource::value::{known_text, set_time, validate_identifier};
use crate::run::{Key, Keys, Run};
use crate::say::Words;

/// The manager that the service records for callers such as this provider.
pub(crate) const MANAGER: &str = "TERRAFORM";

plugin_server::states! {
    ListingRoleState {
        adopt_existing: Value<bool>,
    }
    ListingRoleData {
        listing: Value<String>,
        role: Value<String>,
        display_name: Value<String>,
        priority: Value<Number>,
        description: Value<String>,
        resources: Value<Vec<Value<String>>>,
        id: Value<String>,
        name: Value<String>,
        management: Value<String>,
        manager: Value<String>,
        repo_uri: Value<String>,
        repo_dir: Value<String>,
        create_time: Value<String>,
        update_time: Value<String>,
    }
}

/// What the service did with the fields that it may not record, and which repository the role had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RolePrivate {
    /// The service did not record `TERRAFORM` on our last write. Planning it again would be a
    /// permanent diff.
    pub(crate) manager_unrecorded: bool,
    /// The service did not record the repository on our last write that sent it.
    pub(crate) repository_unrecorded: bool,
    /// Whether the last write or refresh ran where another pair than the role's was detected. The
    /// plan inside an apply may run in another checkout, and must come to the same conclusion as
    /// the plan before it.
    pub(crate) other_detected: bool,
    /// The pair of an imported role, if it was not ours: `after_import` stores it. While the role
    /// records it, the plan writes ours.
    pub(crate) imported_pair: Option<Repository>,
    /// The role was imported without `TERRAFORM` as its manager, and not written since. That it will be
    /// managed is what the import says.
    pub(crate) imported_unmanaged: bool,
    /// The repository that the role recorded after the last write or import of this configuration.
    pub(crate) own_repository: Option<Repository>,
}

impl Describe for ListingRole {
    type State = ListingRoleState;
    type Private = RolePrivate;
    const WORDS: &'static Words = WORDS;

    fn resource_schema() -> Schema {
        new_schema(0, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(Self::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Keys {
        Self::full_name(state).map(Keys::of_name).unwrap_or_default()
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Self::full_name(planned)
    }

    fn generate_config(state: Self::State) -> Self::State {
        // `resources` stay: with them the configuration describes the whole role, and its plan changes
        // nothing.
        ListingRoleState { adopt_existing: Value::Null, ..state }
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        diags.validate("display_name", &config.display_name).not_blank();
        diags.validate("priority", &config.priority).satisfies(|priority| {
            priority.as_i64().ok_or_else(|| {
                format!("must be a whole number from {} to {}, not {priority}", i64::MIN, i64::MAX)
            })
        });
        let is_empty = |resource: &Value<String>| known_text(resource) == Some("");
        diags.validate("resources", &config.resources).satisfies(|resources| {
            let is_valid = !resources.iter().any(is_empty);
            is_valid.then_some(()).ok_or("must not contain an empty resource")
        });
    }
}

impl Convert for ListingRole {
    type New = ListingRoleName;

    fn state_create_time(state: &Self::State) -> Option<&str> {
        known_text(&state.create_time)
    }

    fn state_update_time(state: &Self::State) -> Option<&str> {
        known_text(&state.update_time)
    }

    fn state_name(state: &Self::State) -> Option<Self::Name> {
        Some(ListingRoleName {
            listing: Identifier::parse(known_text(&state.listing)?).ok()?,
            role: Identifier::parse(known_text(&state.role)?).ok()?,
        })
    }

    fn to_create(planned: &Self::State) -> Option<Self::Name> {
        Self::state_name(planned)
    }

    fn new_of_keys(keys: &Keys) -> Option<Self::Name> {
        let Some(Key::Name(name)) = &keys.name else { return None };
        ListingRoleName::parse(name).ok()
    }

    fn keys_of_new(name: &Self::Name) -> Keys {
        Keys::of_name(name)
    }

    fn after_read(stored: StoredOf<Self>, role: Self) -> StoredOf<Self> {
        let StoredOf::<Self> { mut state, mut private } = stored;
        let is_unchanged = is_equal(role.update_time.as_deref(), known_text(&state.update_time));
        private.own.record_read(&role, is_unchanged);
        state.set_from_response(role);
        StoredOf::<Self> { state, private }
    }

    fn record_run(private: &mut Self::Private, state: &Self::State, run: &Run) {
        private.other_detected = run.repository.written.changes(&state.repository());
    }
}

/// Returns whether two texts mean the same.
type Comparison = fn(Option<&String>, Option<&String>) -> bool;

impl ListingRoleState {
    /// Sets all attributes from a response. Values that mean the same keep their spelling, and if
    /// nobody has changed the role since, fields that the response lacks keep their values.
    pub(crate) fn set_from_response(&mut self, role: ListingRole) {
        // Nobody has changed the role: reads leave out the fields that this response lacks.
        let is_unchanged = is_equal(role.update_time.as_deref(), known_text(&self.update_time));
        let set = |value: &mut Value<String>, response: Option<String>, is_same: Comparison| {
            let is_left_out = is_unchanged && response.is_none() && value.is_value();
            let means_the_same =
                !value.is_unknown() && is_same(value.as_ref_option(), response.as_ref());
            if !is_left_out && !means_the_same {
                *value = response.into();
            }
        };
        self.listing = Value::Value(role.name.listing.to_string());
        self.role = Value::Value(role.name.role.to_string());
        self.id = Value::Value(role.name.to_string());
        self.name = self.id.clone();
        for field in FIELDS {
            (field.read)(self, &role);
        }
        self.management = role.management.into();
        set(&mut self.manager, role.manager, |one, other| one == other);
        set(&mut self.repo_uri, role.repo_uri, same_uri);
        set(&mut self.repo_dir, role.repo_dir, same_dir);
        set_time(&mut self.create_time, role.create_time);
        set_time(&mut self.update_time, role.update_time);
    }

    /// Returns the repository and directory in the state; `None` for a part that is null or
    /// unknown.
    pub(crate) fn repository(&self) -> Repository {
        let owned = |value: &Value<String>| value.as_ref_option().cloned();
        Repository { uri: owned(&self.repo_uri), dir: owned(&self.repo_dir) }
    }

    /// Returns the state after a write, and the names of configured attributes that the service
    /// stored differently.
    pub(crate) fn after_write(
        self,
        response: ListingRole,
        config: &Self,
    ) -> (Self, Vec<&'static str>) {
        let mut stored = self.clone();
        stored.set_from_response(response);
        let differing = changed_fields(Some(&stored), &self, config);
        let attribute = |field| attribute_of(ATTRIBUTES, field);
        let differing = differing.into_iter().filter_map(attribute).collect();
        (self.resolve_unknowns(stored), differing)
    }

    /// Returns whether the service recorded this provider as the manager.
    pub(crate) fn is_managed(&self) -> bool {
        known_text(&self.manager) == Some(MANAGER)
    }
}

impl RolePrivate {
    /// Returns the private state after a write: the fields that the service did not record.
    pub(crate) fn after_write(self, sent: &ListingRolePatch, response: &ListingRole) -> Self {
        let text = |field| sent.text(field).map(str::to_owned);
        let sent = Repository { uri: text(RoleField::RepoUri), dir: text(RoleField::RepoDir) };
        let recorded =
            Repository { uri: response.repo_uri.clone(), dir: response.repo_dir.clone() };
        Self {
            manager_unrecorded: response.manager.as_deref() != Some(MANAGER),
            // A write that does not send the repository shows nothing about it.
            repository_unrecorded: if sent == Repository::default() {
                self.repository_unrecorded
            } else {
                !sent.is_same(&recorded)
            },
            other_detected: self.other_detected,
            imported_pair: None,
            imported_unmanaged: false,
            own_repository: Some(recorded),
        }
    }

    /// Records a read. `is_unchanged` is whether nobody has changed the role since the state: the
    /// service may then return another spelling of the repository than was sent.
    pub(crate) fn record_read(&mut self, role: &ListingRole, is_unchanged: bool) {
        self.manager_unrecorded &= role.manager.as_deref() != Some(MANAGER);
        self.imported_unmanaged &= role.manager.as_deref() != Some(MANAGER);
        self.repository_unrecorded &=
            is_unchanged || (role.repo_uri.is_none() && role.repo_dir.is_none());
    }
}

/// Returns the body of a write and the mask of the fields that it sets; `None` if there is nothing
/// to send, or if a value is known only after apply.
///
/// `prior` is the state before an update, and `None` for a create, which sets every field that the
/// configuration manages. `repository` is the pair to record; `None` leaves it as it is.
pub(crate) fn to_patch(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    config: &ListingRoleState,
    repository: Option<&Repository>,
) -> Option<(ListingRolePatch, FieldMask)> {
    let mut fields = changed_fields(prior, planned, config);
    let Repository { uri, dir } = repository.cloned().unwrap_or_default();
    fields.extend(uri.as_ref().map(|_| RoleField::RepoUri));
    fields.extend(dir.as_ref().map(|_| RoleField::RepoDir));
    if fields.is_empty() && planned.manager.is_unknown() {
        // Any write by this provider records the manager. This one changes nothing else.
        fields.push(RoleField::DisplayName);
    }
    let mut patch = ListingRolePatch::default();
    for Field { field, sent, .. } in FIELDS {
        // The API's schema requires two of them.
        let is_required = matches!(field, RoleField::DisplayName | RoleField::Priority);
        if is_required || fields.contains(field) {
            patch.set(*field, sent(planned)?);
        }
    }
    for (field, text) in [(RoleField::RepoUri, uri), (RoleField::RepoDir, dir)] {
        if let Some(text) = text {
            patch.set(field, text.into());
        }
    }
    Some((patch, FieldMask::new(fields)?))
}

/// Returns the configured fields in which a plan differs from the prior state: all of them if there
/// is none. Values that are known only after apply count as different. The description always
/// belongs to the configuration: omitting it clears it. Resources that the configuration omits are
/// not managed.
pub(crate) fn changed_fields(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    config: &ListingRoleState,
) -> Vec<RoleField> {
    let is_managed =
        |field: RoleField| field != RoleField::Resources || !config.resources.is_null();
    let is_changed = |Field { sent, .. }: &&Field| {
        let new = sent(planned);
        new.is_none() || prior.is_none_or(|prior| sent(prior) != new)
    };
    let changed = FIELDS.iter().filter(|it| is_managed(it.field)).filter(is_changed);
    changed.map(|it| it.field).collect()
}

/// A field of the API that an attribute sets.
pub(super) struct Field {
    pub(super) field: RoleField,
    /// Returns the value that a request has; `None` if it is known only after apply.
    sent: fn(&ListingRoleState) -> Option<Json>,
    /// Sets the attribute from a response. A value that means the same stays.
    read: fn(&mut ListingRoleState, &ListingRole),
}

/// The fields that attributes set, in the order of a block: comparing, sending and reading come from this
/// table.
pub(super) const FIELDS: &[Field] = &[
    Field {
        field: RoleField::DisplayName,
        sent: |state| known_text(&state.display_name).map(Json::from),
        read: |state, role| state.display_name = Value::Value(role.display_name.clone()),
    },
    Field {
        field: RoleField::Priority,
        // A decimal string, which keeps all digits.
        sent: |state| Some(state.priority.as_ref_option()?.as_i64()?.to_string().into()),
        read: |state, role| state.priority = Value::Value(Number::from(role.priority)),
    },
    Field {
        field: RoleField::Description,
        sent: |state| description_text(&state.description).map(Json::from),
        // The service does not distinguish "" from none, so "" of the configuration stays.
        read: |state, role| {
            if description_text(&state.description) != Some(&role.description) {
                let text = Some(role.description.clone()).filter(|text| !text.is_empty());
                state.description = text.into();
            }
        },
    },
    Field {
        field: RoleField::Resources,
        sent: |state| known_resources(&state.resources).map(|known| known.into_iter().collect()),
        read: |state, role| {
            let resources: BTreeSet<String> = role.resources.iter().cloned().collect();
            if known_resources(&state.resources).as_ref() != Some(&resources) {
                let resources = resources.into_iter().map(Value::Value).collect();
                state.resources = Value::Value(resources);
            }
        },
    },
];

/// Returns a description, for which the service does not distinguish "" from none; `None` if it is
/// unknown.
fn description_text(description: &Value<String>) -> Option<&str> {
    match description {
        Value::Value(text) => Some(text),
        Value::Null => Some(""),
        Value::Unknown => None,
    }
}

/// Returns the set of resources; `None` if the set or an element of it is not known.
pub(super) fn known_resources(resources: &Value<Vec<Value<String>>>) -> Option<BTreeSet<String>> {
    resources.as_ref_option()?.iter().map(|resource| resource.as_ref_option().cloned()).collect()
}
