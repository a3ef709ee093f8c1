//! A listing role in Terraform: state and private state, and the conversions between them and the
//! API.
//!
//! The API omits empty fields, so "" and null of a description are one value; the state keeps the
//! spelling of the configuration. `resources` that the configuration omits are shown but never
//! sent. Everything that reads a role ends in [`ListingRoleState::set_from_response`], everything
//! that writes one begins in [`to_patch`].

use std::collections::BTreeSet;

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{FieldMask, Identifier, ListingRoleName, RoleField};
use plugin_server::plan_modifier::{resolve_unknown, use_state_for_unknown};
use plugin_server::value::Number;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::object::Object;
use crate::object::mark;
use crate::object::operation::report_invalid_state;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::Prior;
use crate::private_state::PrivateState;
use crate::repository::{Pair, same_dir, same_uri};
use crate::service::{Keys, MANAGER};

/// A listing role in the state, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a state of a prior schema version lacks newer attributes
pub(crate) struct ListingRoleState {
    pub(crate) listing: Value<String>,
    pub(crate) role: Value<String>,
    pub(crate) display_name: Value<String>,
    pub(crate) priority: Value<Number>,
    pub(crate) description: Value<String>,
    pub(crate) resources: Value<Vec<Value<String>>>,
    pub(crate) allow_missing: Value<bool>,
    pub(crate) adopt_existing: Value<bool>,
    pub(crate) deletion_policy: Value<String>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) management: Value<String>,
    pub(crate) manager: Value<String>,
    pub(crate) repo_uri: Value<String>,
    pub(crate) repo_dir: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

/// The private state of a listing role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ListingRolePrivateState {
    pub(crate) object: ObjectPrivateState,
    /// An update returned the service's own 404: the role was deleted outside Terraform.
    pub(crate) not_found: bool,
    /// The role was imported by its name alone: its attributes are not known.
    pub(crate) unread: bool,
    /// The service did not record `TERRAFORM` on our last write. Planning it again would be a
    /// permanent diff.
    pub(crate) manager_unrecorded: bool,
    /// A read returned the role without `TERRAFORM`, which the state before it had.
    pub(crate) manager_lost: bool,
    /// Repository fields that our last write sent and the service did not record.
    pub(crate) repo_uri_unrecorded: Option<String>,
    pub(crate) repo_dir_unrecorded: Option<String>,
    /// Reads omit these fields, which writes return.
    pub(crate) reads_omit_manager: bool,
    pub(crate) reads_omit_repository: bool,
}

/// Whether the configuration manages `resources`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resources {
    /// The configuration sets them: they are sent and compared.
    Managed,
    /// The configuration omits them: they are neither sent nor compared.
    Unmanaged,
}

impl Resources {
    /// Returns whether a configuration manages them.
    pub(crate) fn of(config: &ListingRoleState) -> Self {
        if config.resources.is_null() { Self::Unmanaged } else { Self::Managed }
    }
}

/// The state of the resource.
pub(super) type State = ListingRoleState;
/// Its private state, as Terraform stores it.
pub(super) type Private = PrivateState<ListingRolePrivateState>;
/// A role as Terraform stores it: state and private state.
pub(super) type Stored = (ListingRoleState, ListingRolePrivateState);

impl ListingRoleState {
    /// Returns the role's name if listing and role are known. Validation has checked both; `None`
    /// for a state that was edited.
    pub(crate) fn role_name(&self) -> Option<ListingRoleName> {
        Some(ListingRoleName {
            listing: Identifier::parse(self.listing.as_ref_option()?).ok()?,
            role: Identifier::parse(self.role.as_ref_option()?).ok()?,
        })
    }

    /// Returns the role's name, or adds an error.
    pub(crate) fn require_name(&self, diags: &mut Diagnostics) -> Option<ListingRoleName> {
        let name = self.role_name();
        if name.is_none() {
            report_invalid_state(ListingRole::KIND, diags);
        }
        name
    }

    /// Returns a state that contains the role's name and nothing else.
    pub(crate) fn from_name(name: &ListingRoleName) -> Self {
        let full_name = name.to_string();
        Self {
            listing: Value::Value(name.listing.to_string()),
            role: Value::Value(name.role.to_string()),
            id: Value::Value(full_name.clone()),
            name: Value::Value(full_name),
            ..Self::default()
        }
    }

    /// Returns the role as the shared procedures need it.
    pub(crate) fn as_prior<'a>(
        &'a self,
        name: &'a ListingRoleName,
        private: &'a ListingRolePrivateState,
    ) -> Prior<'a, ListingRole> {
        Prior::new(name, &private.object, &self.create_time, &self.update_time)
    }

    /// Sets the attributes from an API response. Fields that the service omits, according to
    /// `private`, keep their values.
    pub(crate) fn set_from_response(
        &mut self,
        role: ListingRole,
        private: &ListingRolePrivateState,
    ) {
        self.listing = Value::Value(role.name.listing.to_string());
        self.role = Value::Value(role.name.role.to_string());
        self.id = Value::Value(role.name.to_string());
        self.name = self.id.clone();
        self.display_name = Value::Value(role.display_name);
        self.priority = Value::Value(Number::from(role.priority));
        self.description = keep_spelling(&self.description, role.description);
        let resources: BTreeSet<String> = role.resources.into_iter().collect();
        if known_resources(&self.resources).as_ref() != Some(&resources) {
            self.resources = Value::Value(resources.into_iter().map(Value::Value).collect());
        }
        self.management = role.management.into();
        if !(role.manager.is_none() && private.reads_omit_manager) {
            self.manager = role.manager.into();
        }
        let omits = private.reads_omit_repository;
        let keeps_uri = role.repo_uri.is_none() && (omits || private.repo_uri_unrecorded.is_some());
        if !keeps_uri && !same_uri(self.repo_uri.as_ref_option(), role.repo_uri.as_ref()) {
            self.repo_uri = role.repo_uri.into();
        }
        let keeps_dir = role.repo_dir.is_none() && (omits || private.repo_dir_unrecorded.is_some());
        if !keeps_dir && !same_dir(self.repo_dir.as_ref_option(), role.repo_dir.as_ref()) {
            self.repo_dir = role.repo_dir.into();
        }
        // A response that omits the times does not take them away.
        if role.create_time.is_some() {
            self.create_time = role.create_time.into();
        }
        if role.update_time.is_some() {
            self.update_time = role.update_time.into();
        }
        for computed in [
            &mut self.manager,
            &mut self.repo_uri,
            &mut self.repo_dir,
            &mut self.create_time,
            &mut self.update_time,
        ] {
            if computed.is_unknown() {
                *computed = Value::Null;
            }
        }
    }

    /// Returns the state after a write, and the names of configured attributes that the service
    /// stored differently.
    pub(crate) fn after_write(
        self,
        response: ListingRole,
        private: &ListingRolePrivateState,
        resources: Resources,
    ) -> (Self, Vec<&'static str>) {
        let mut stored = self.clone();
        stored.set_from_response(response, private);
        let mut differing = Vec::new();
        let mut compare = |name, same: bool| {
            if !same {
                differing.push(name);
            }
        };
        compare("display_name", self.display_name == stored.display_name);
        compare("priority", self.priority == stored.priority);
        compare(
            "description",
            description_text(&self.description) == description_text(&stored.description),
        );
        let same_resources = known_resources(&self.resources) == known_resources(&stored.resources);
        compare("resources", resources == Resources::Unmanaged || same_resources);
        (self.resolve_unknowns(stored), differing)
    }

    /// Returns the plan with unknown values replaced by those of `stored`.
    pub(crate) fn resolve_unknowns(self, stored: Self) -> Self {
        Self {
            listing: self.listing,
            role: self.role,
            display_name: resolve_unknown(self.display_name, stored.display_name),
            priority: resolve_unknown(self.priority, stored.priority),
            description: resolve_unknown(self.description, stored.description),
            resources: resolve_unknown(self.resources, stored.resources),
            // Unknown only as the mark of a same-name replacement.
            allow_missing: resolve_unknown(self.allow_missing, Value::Null),
            adopt_existing: resolve_unknown(self.adopt_existing, Value::Null),
            deletion_policy: resolve_unknown(self.deletion_policy, Value::Null),
            id: resolve_unknown(self.id, stored.id),
            name: resolve_unknown(self.name, stored.name),
            management: resolve_unknown(self.management, stored.management),
            manager: resolve_unknown(self.manager, stored.manager),
            repo_uri: resolve_unknown(self.repo_uri, stored.repo_uri),
            repo_dir: resolve_unknown(self.repo_dir, stored.repo_dir),
            create_time: resolve_unknown(self.create_time, stored.create_time),
            update_time: resolve_unknown(self.update_time, stored.update_time),
        }
    }

    /// Returns the plan of a create. The name is known, because the service takes it from the path.
    /// `repository` is the pair that the create will record; `None` if it is not known yet.
    pub(crate) fn planned_create(self, config: &Self, repository: Option<Pair<'_>>) -> Self {
        let name = self.role_name().map_or(Value::Unknown, |name| Value::Value(name.to_string()));
        let (repo_uri, repo_dir) = match repository {
            Some(pair) => (planned_text(pair.uri), planned_text(pair.dir)),
            None => (Value::Unknown, Value::Unknown),
        };
        Self {
            resources: use_state_for_unknown(&self.resources),
            allow_missing: config.allow_missing,
            adopt_existing: config.adopt_existing,
            deletion_policy: config.deletion_policy.clone(),
            id: name.clone(),
            name,
            management: Value::Unknown,
            manager: Value::Unknown,
            repo_uri,
            repo_dir,
            create_time: Value::Unknown,
            update_time: Value::Unknown,
            ..self
        }
    }

    /// Marks the plan of a create as a same-name replacement (`object/mark.rs`), if the configuration
    /// omits enough arguments.
    pub(crate) fn mark_same_name_replacement(self, config: &Self) -> Self {
        let Self { allow_missing, adopt_existing, deletion_policy, .. } = config;
        let omitted =
            [allow_missing.is_null(), adopt_existing.is_null(), deletion_policy.is_null()];
        if !mark::is_mark(&omitted) {
            return self;
        }
        Self {
            allow_missing: mark::unless_set(allow_missing),
            adopt_existing: mark::unless_set(adopt_existing),
            deletion_policy: mark::unless_set(deletion_policy),
            ..self
        }
    }

    /// Returns whether the plan has the mark of a same-name replacement.
    pub(crate) fn is_marked_same_name_replacement(&self) -> bool {
        let Self { allow_missing, adopt_existing, deletion_policy, .. } = self;
        mark::is_mark(&[
            allow_missing.is_unknown(),
            adopt_existing.is_unknown(),
            deletion_policy.is_unknown(),
        ])
    }

    /// Returns whether the role has resources, as far as they are known.
    pub(crate) fn has_resources(&self) -> bool {
        self.resources.as_ref_option().is_some_and(|resources| !resources.is_empty())
    }

    /// Returns whether the service recorded this provider as the manager.
    pub(crate) fn is_managed(&self) -> bool {
        self.manager.as_ref_option().is_some_and(|manager| manager == MANAGER)
    }
}

/// Returns state and private state after a read that returned the role.
pub(super) fn after_read(
    prior: ListingRoleState,
    mut private: ListingRolePrivateState,
    role: ListingRole,
) -> Stored {
    let was_managed = prior.is_managed();
    private.record_read(&role);
    let mut state = prior;
    state.set_from_response(role, &private);
    private.manager_lost = (private.manager_lost || was_managed) && !state.is_managed();
    (state, private)
}

impl ListingRolePrivateState {
    /// Records the fields of a write that the service did not store.
    pub(crate) fn record_write(&mut self, sent: &ListingRolePatch, response: &ListingRole) {
        self.not_found = false;
        self.unread = false;
        self.manager_unrecorded = response.manager.as_deref() != Some(MANAGER);
        self.manager_lost = false;
        if let Some(uri) = &sent.repo_uri {
            let recorded = same_uri(Some(uri), response.repo_uri.as_ref());
            self.repo_uri_unrecorded = (!recorded).then(|| uri.clone());
        }
        if let Some(dir) = &sent.repo_dir {
            let recorded = same_dir(Some(dir), response.repo_dir.as_ref());
            self.repo_dir_unrecorded = (!recorded).then(|| dir.clone());
        }
    }

    /// Records which fields a read of a role omits that the write returned.
    pub(crate) fn record_read_back(&mut self, written: &ListingRole, read: &ListingRole) {
        self.reads_omit_manager = written.manager.is_some() && read.manager.is_none();
        self.reads_omit_repository = (written.repo_uri.is_some() && read.repo_uri.is_none())
            || (written.repo_dir.is_some() && read.repo_dir.is_none());
    }

    /// Records a read. Fields that it returns are no longer treated as unrecorded or omitted.
    pub(crate) fn record_read(&mut self, role: &ListingRole) {
        self.not_found = false;
        self.unread = false;
        self.manager_unrecorded &= role.manager.as_deref() != Some(MANAGER);
        self.reads_omit_manager &= role.manager.is_none();
        self.reads_omit_repository &= role.repo_uri.is_none() && role.repo_dir.is_none();
        if role.repo_uri.is_some() {
            self.repo_uri_unrecorded = None;
        }
        if role.repo_dir.is_some() {
            self.repo_dir_unrecorded = None;
        }
    }
}

/// Returns the key under which a role is registered for conflicts.
pub(crate) fn keys_of(name: &ListingRoleName) -> Keys {
    vec![name.to_string()]
}

/// Returns the body of a write and the mask of the fields that it sets; `None` if there is nothing
/// to send.
///
/// `prior` is the state before an update, and `None` for a create, which sets every field that the
/// configuration manages. `repository` is the pair to record; `None` leaves it as it is.
pub(crate) fn to_patch(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    resources: Resources,
    repository: Option<Pair<'_>>,
) -> Option<(ListingRolePatch, FieldMask)> {
    let mut fields = match prior {
        None => {
            let mut fields =
                vec![RoleField::DisplayName, RoleField::Priority, RoleField::Description];
            if resources == Resources::Managed {
                fields.push(RoleField::Resources);
            }
            fields
        }
        Some(prior) => changed_fields(prior, planned, resources),
    };
    let (repo_uri, repo_dir) = repository.map_or((None, None), |pair| (pair.uri, pair.dir));
    fields.extend(repo_uri.map(|_| RoleField::RepoUri));
    fields.extend(repo_dir.map(|_| RoleField::RepoDir));
    if fields.is_empty() && (prior.is_none() || planned.manager.is_unknown()) {
        // Any write by this provider records the manager. This one changes nothing else.
        fields.push(RoleField::DisplayName);
    }
    let sends = |field| fields.contains(&field);
    let patch = ListingRolePatch {
        display_name: planned.display_name.as_ref_option()?.clone(),
        priority: planned.priority.as_ref_option()?.as_i64()?,
        description: sends(RoleField::Description)
            .then(|| description_text(&planned.description).unwrap_or_default().to_owned()),
        resources: sends(RoleField::Resources)
            .then(|| known_resources(&planned.resources).unwrap_or_default().into_iter().collect()),
        repo_uri: repo_uri.map(str::to_owned),
        repo_dir: repo_dir.map(str::to_owned),
    };
    Some((patch, FieldMask::new(fields)?))
}

/// Returns the fields in which a plan differs from the prior state. Values that are known only
/// after apply count as different.
pub(crate) fn changed_fields(
    prior: &ListingRoleState,
    planned: &ListingRoleState,
    resources: Resources,
) -> Vec<RoleField> {
    let mut fields = Vec::new();
    if prior.display_name != planned.display_name {
        fields.push(RoleField::DisplayName);
    }
    if prior.priority != planned.priority {
        fields.push(RoleField::Priority);
    }
    let description = description_text(&planned.description);
    if description.is_none() || description_text(&prior.description) != description {
        fields.push(RoleField::Description);
    }
    let known = known_resources(&planned.resources);
    let differs = known.is_none() || known_resources(&prior.resources) != known;
    if resources == Resources::Managed && differs {
        fields.push(RoleField::Resources);
    }
    fields
}

/// Returns the planned value of a repository field: null if nothing is recorded.
pub(super) fn planned_text(text: Option<&str>) -> Value<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned).into()
}

/// Returns a description, for which the service does not distinguish "" from none; `None` if it is
/// unknown.
fn description_text(description: &Value<String>) -> Option<&str> {
    match description {
        Value::Value(text) => Some(text),
        Value::Null => Some(""),
        Value::Unknown => None,
    }
}

/// Keeps "" or null as the configuration has it if the service returns no description.
fn keep_spelling(before: &Value<String>, description: String) -> Value<String> {
    if !description.is_empty() {
        return Value::Value(description);
    }
    match before {
        Value::Value(text) if text.is_empty() => Value::Value(String::new()),
        _ => Value::Null,
    }
}

/// Returns the set of resources; `None` if the set or an element of it is not known.
pub(super) fn known_resources(resources: &Value<Vec<Value<String>>>) -> Option<BTreeSet<String>> {
    resources.as_ref_option()?.iter().map(|resource| resource.as_ref_option().cloned()).collect()
}
