//! A listing role: its state, and the mapping between the state and the API.
//!
//! The API leaves out what is empty, so "" and null of a description are one value; whichever the
//! configuration wrote stays in the state. `resources` that the configuration does not set are
//! shown but never sent. Everything that reads a role ends in [`ListingRoleState::fill`].

mod attributes;
mod calls;
mod data_source;
mod function;
mod identity;
mod list_resource;
mod planning;
mod resource;
mod roles_data_source;
mod stored;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{FieldMask, Identifier, ListingRoleName, NameError, RoleField};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::diagnostic::report_unnamed;
use crate::number::Number;
use crate::plan::{keep, settle};
use crate::repository::{Recording, Repository};
use crate::service::MANAGER;

#[cfg(test)]
pub(crate) use data_source::ListingRoleData;
pub(crate) use data_source::ListingRoleDataSource;
pub(crate) use function::{ListingRoleNameFunction, ParseListingRoleNameFunction};
pub(crate) use resource::ListingRoleResource;
#[cfg(test)]
pub(crate) use roles_data_source::ListingRolesData;
pub(crate) use roles_data_source::ListingRolesDataSource;

const KIND: &str = "listing role";
const TYPE: &str = "access_listing_role";

/// A listing role as Terraform keeps it, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a stored state may lack what a later version of the schema has
pub(crate) struct ListingRoleState {
    pub(crate) listing: Value<String>,
    pub(crate) role: Value<String>,
    pub(crate) display_name: Value<String>,
    pub(crate) priority: Value<Number>,
    pub(crate) description: Value<String>,
    pub(crate) resources: Value<Vec<Value<String>>>,
    pub(crate) allow_missing: Value<bool>,
    pub(crate) adopt_existing: Value<bool>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) management: Value<String>,
    pub(crate) manager: Value<String>,
    pub(crate) repo_uri: Value<String>,
    pub(crate) repo_dir: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

/// What the provider remembers of a role beside its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ListingRoleMemory {
    /// A read of this role was seen to work: a later 404 means that it is gone.
    pub(crate) reads: bool,
    /// An update was answered with the service's own 404: the role vanished behind our back.
    pub(crate) vanished: bool,
    /// Imported by its name alone: nothing of the service is in the state yet.
    pub(crate) unread: bool,
    /// Our last write was not recorded with the manager: asking for it again would never end.
    pub(crate) manager_unrecorded: bool,
    /// The same for a repository: what was sent and did not come back.
    pub(crate) repo_uri_unrecorded: Option<String>,
    pub(crate) repo_dir_unrecorded: Option<String>,
}

impl ListingRoleState {
    /// The role's name, where listing and role are known. Both were checked at validation; `None`
    /// for a state that somebody edited.
    pub(crate) fn role_name(&self) -> Option<ListingRoleName> {
        Some(ListingRoleName {
            listing: Identifier::parse(self.listing.as_ref_option()?).ok()?,
            role: Identifier::parse(self.role.as_ref_option()?).ok()?,
        })
    }

    /// A state that says nothing but which role it is.
    pub(crate) fn of(name: &ListingRoleName) -> Self {
        let full_name = name.to_string();
        Self {
            listing: Value::Value(name.listing.to_string()),
            role: Value::Value(name.role.to_string()),
            id: Value::Value(full_name.clone()),
            name: Value::Value(full_name),
            ..Self::default()
        }
    }

    /// Takes over what the service says of the role.
    pub(crate) fn fill(&mut self, role: ListingRole) {
        self.listing = Value::Value(role.name.listing.to_string());
        self.role = Value::Value(role.name.role.to_string());
        self.id = Value::Value(role.name.to_string());
        self.name = self.id.clone();
        self.display_name = Value::Value(role.display_name);
        self.priority = Value::Value(Number::Integer(role.priority));
        self.description = spelled_as_before(&self.description, role.description);
        let resources: BTreeSet<String> = role.resources.into_iter().collect();
        if known_resources(&self.resources).as_ref() != Some(&resources) {
            self.resources = Value::Value(resources.into_iter().map(Value::Value).collect());
        }
        self.management = role.management.map(management_text).into();
        self.manager = role.manager.into();
        self.repo_uri = role.repo_uri.into();
        self.repo_dir = role.repo_dir.into();
        self.create_time = role.create_time.into();
        self.update_time = role.update_time.into();
    }

    /// The state after a write: what was planned, and for the rest what the service answered.
    /// With it, the configured attributes that the service stored differently.
    pub(crate) fn written(
        self,
        answer: ListingRole,
        manages_resources: bool,
    ) -> (Self, Vec<&'static str>) {
        let mut answered = self.clone();
        answered.fill(answer);
        let mut differing = Vec::new();
        let mut compare = |name, same: bool| {
            if !same {
                differing.push(name);
            }
        };
        compare("display_name", self.display_name == answered.display_name);
        compare("priority", self.priority == answered.priority);
        compare("description", text(&self.description) == text(&answered.description));
        let same_resources =
            known_resources(&self.resources) == known_resources(&answered.resources);
        compare("resources", !manages_resources || same_resources);
        (self.settled(answered), differing)
    }

    /// What was planned, and `answered` for what was to be known after apply.
    pub(crate) fn settled(self, answered: Self) -> Self {
        Self {
            listing: self.listing,
            role: self.role,
            display_name: settle(self.display_name, answered.display_name),
            priority: settle(self.priority, answered.priority),
            description: settle(self.description, answered.description),
            resources: settle(self.resources, answered.resources),
            allow_missing: self.allow_missing,
            adopt_existing: self.adopt_existing,
            id: settle(self.id, answered.id),
            name: settle(self.name, answered.name),
            management: settle(self.management, answered.management),
            manager: settle(self.manager, answered.manager),
            repo_uri: settle(self.repo_uri, answered.repo_uri),
            repo_dir: settle(self.repo_dir, answered.repo_dir),
            create_time: settle(self.create_time, answered.create_time),
            update_time: settle(self.update_time, answered.update_time),
        }
    }

    /// The plan of a role that does not exist yet. Its name is known: the service takes it from
    /// the path.
    pub(crate) fn all_computed_unknown(self) -> Self {
        let name = self.role_name().map_or(Value::Unknown, |name| Value::Value(name.to_string()));
        Self {
            resources: keep(&self.resources),
            id: name.clone(),
            name,
            management: Value::Unknown,
            manager: Value::Unknown,
            repo_uri: Value::Unknown,
            repo_dir: Value::Unknown,
            create_time: Value::Unknown,
            update_time: Value::Unknown,
            ..self
        }
    }

    /// Whether the service recorded this provider as the manager.
    pub(crate) fn is_managed(&self) -> bool {
        self.manager.as_ref_option().is_some_and(|manager| manager == MANAGER)
    }
}

impl ListingRoleMemory {
    /// Remembers what of a write the service did not record.
    pub(crate) fn note_write(&mut self, sent: &ListingRolePatch, answer: &ListingRole) {
        self.vanished = false;
        self.unread = false;
        self.manager_unrecorded = answer.manager.as_deref() != Some(MANAGER);
        let unrecorded = |sent: &Option<String>, answered: &Option<String>| {
            sent.clone().filter(|_| !same_text(sent.as_ref(), answered.as_ref()))
        };
        if sent.repo_uri.is_some() {
            self.repo_uri_unrecorded = unrecorded(&sent.repo_uri, &answer.repo_uri);
        }
        if sent.repo_dir.is_some() {
            self.repo_dir_unrecorded = unrecorded(&sent.repo_dir, &answer.repo_dir);
        }
    }

    /// Remembers that the role was read, and what turned out to be recorded after all.
    pub(crate) fn note_read(&mut self, role: &ListingRole) {
        self.vanished = false;
        self.unread = false;
        self.manager_unrecorded &= role.manager.as_deref() != Some(MANAGER);
        if same_text(self.repo_uri_unrecorded.as_ref(), role.repo_uri.as_ref()) {
            self.repo_uri_unrecorded = None;
        }
        if same_text(self.repo_dir_unrecorded.as_ref(), role.repo_dir.as_ref()) {
            self.repo_dir_unrecorded = None;
        }
    }
}

/// The name in a state, or an error: validation and import let no other in.
pub(crate) fn known_name(
    state: &ListingRoleState,
    diags: &mut Diagnostics,
) -> Option<ListingRoleName> {
    let name = state.role_name();
    if name.is_none() {
        report_unnamed(KIND, diags);
    }
    name
}

/// The name in an import ID or a function's argument: the full one, or listing and role with a
/// slash.
pub(crate) fn parse_name(text: &str) -> Result<ListingRoleName, NameError> {
    match text.split_once('/') {
        Some((listing, role)) if !role.contains('/') => Ok(ListingRoleName {
            listing: Identifier::parse(listing)?,
            role: Identifier::parse(role)?,
        }),
        _ => ListingRoleName::parse(text),
    }
}

/// What a write of the role sends, and the fields that it is to set.
///
/// `prior` is the state before an update, `None` for a create, which sets every field that the
/// configuration manages. `recording` is what of the repository is to be sent. Returns `None` where
/// there is nothing to send.
pub(crate) fn to_patch(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    manages_resources: bool,
    recording: Recording<'_>,
) -> Option<(ListingRolePatch, FieldMask)> {
    let mut fields = match prior {
        None => {
            let mut fields =
                vec![RoleField::DisplayName, RoleField::Priority, RoleField::Description];
            fields.extend(manages_resources.then_some(RoleField::Resources));
            fields
        }
        Some(prior) => changed_fields(prior, planned, manages_resources),
    };
    let claims = prior.is_none() || planned.manager.is_unknown();
    fields.extend(recording.uri.map(|_| RoleField::RepoUri));
    fields.extend(recording.dir.map(|_| RoleField::RepoDir));
    if fields.is_empty() && claims {
        // Any write by this provider records the manager; this one changes nothing else.
        fields.push(RoleField::DisplayName);
    }
    let sends = |field| fields.contains(&field);
    let patch = ListingRolePatch {
        display_name: planned.display_name.as_ref_option()?.clone(),
        priority: planned.priority.as_ref_option()?.integer()?,
        description: sends(RoleField::Description)
            .then(|| text(&planned.description).unwrap_or_default().to_owned()),
        resources: sends(RoleField::Resources)
            .then(|| known_resources(&planned.resources).unwrap_or_default().into_iter().collect()),
        repo_uri: recording.uri.map(str::to_owned),
        repo_dir: recording.dir.map(str::to_owned),
    };
    Some((patch, FieldMask::new(fields)?))
}

/// The fields in which a plan differs from what stands at the service. What is known only after
/// apply counts as different.
pub(crate) fn changed_fields(
    prior: &ListingRoleState,
    planned: &ListingRoleState,
    manages_resources: bool,
) -> Vec<RoleField> {
    let mut fields = Vec::new();
    if prior.display_name != planned.display_name {
        fields.push(RoleField::DisplayName);
    }
    if prior.priority != planned.priority {
        fields.push(RoleField::Priority);
    }
    if planned.description.is_unknown() || text(&prior.description) != text(&planned.description) {
        fields.push(RoleField::Description);
    }
    let planned_resources = known_resources(&planned.resources);
    if manages_resources
        && (planned_resources.is_none() || known_resources(&prior.resources) != planned_resources)
    {
        fields.push(RoleField::Resources);
    }
    fields
}

/// Whether an existing role is what an apply of this configuration that was cut off leaves
/// behind: equal in everything configured, and recorded for no other repository.
pub(crate) fn equals_configuration(
    role: &ListingRole,
    planned: &ListingRoleState,
    manages_resources: bool,
    repository: &Repository,
) -> bool {
    let mut existing = planned.clone();
    existing.fill(role.clone());
    let ours = |recorded: &Option<String>, own: Option<&str>| {
        recorded.is_none() || recorded.as_deref() == own
    };
    changed_fields(&existing, planned, manages_resources).is_empty()
        && ours(&role.repo_uri, repository.uri_text())
        && ours(&role.repo_dir, repository.dir_text())
}

/// Whether the service would say the same of both: it does not tell "" from none.
fn same_text(one: Option<impl AsRef<str>>, other: Option<impl AsRef<str>>) -> bool {
    one.as_ref().map_or("", AsRef::as_ref) == other.as_ref().map_or("", AsRef::as_ref)
}

/// A description, in which the service does not tell "" from none; `None` where it is unknown.
fn text(description: &Value<String>) -> Option<&str> {
    match description {
        Value::Value(text) => Some(text),
        Value::Null => Some(""),
        Value::Unknown => None,
    }
}

/// Keeps "" or null as the configuration wrote it, where the service has no description.
fn spelled_as_before(before: &Value<String>, description: String) -> Value<String> {
    if !description.is_empty() {
        return Value::Value(description);
    }
    match before {
        Value::Value(text) if text.is_empty() => Value::Value(String::new()),
        _ => Value::Null,
    }
}

/// The set of resources; `None` where the set or an element of it is not known.
fn known_resources(resources: &Value<Vec<Value<String>>>) -> Option<BTreeSet<String>> {
    resources.as_ref_option()?.iter().map(|resource| resource.as_ref_option().cloned()).collect()
}

/// The API does not show the type of `management`: a plain string stands as it is, a structure as
/// JSON text.
fn management_text(management: serde_json::Value) -> String {
    match management {
        serde_json::Value::String(text) => text,
        structure => structure.to_string(),
    }
}
