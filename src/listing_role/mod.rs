//! Listing roles: the resource `access_listing_role` and its data sources.
//!
//! Calls: PATCH (create with `allowMissing`, update with the smallest mask), GET and list (existence
//! check, refresh, import), DELETE.

mod data;
mod messages;
mod patch;
mod plan;
mod schema;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use access_client::api::ListingRole;
use access_client::{Identifier, ListingRoleName};
use plugin_server::Report as _;
use plugin_server::plan_modifier::requires_replace;
use plugin_server::schema::optional;
use plugin_server::validator::Validate as _;
use tf_provider::schema::{Attribute, AttributeType, Schema};
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

pub(crate) use state::ListingRoleState;
use state::RolePrivateState;

use crate::object::call::{Call, Message, Reported};
use crate::object::existence::{Adoption, Existence, Unclear, check_by_get, existence_of};
use crate::object::identifier::validate_identifier;
use crate::object::import::parse_import_id;
use crate::object::value::known_text;
use crate::object::{Common, Created, Entity, Existing, Stored};
use crate::repository::{OwnRepository, same_dir, same_uri};
use crate::service::{Connection, Key, Purpose, Session, parent_list};
use crate::time::is_equal;

impl Entity for ListingRole {
    const KIND: &'static str = "listing role";
    const A_KIND: &'static str = "a listing role";
    const TYPE: &'static str = "access_listing_role";
    const PARENT_KIND: &'static str = "listing";
    const A_PARENT_KIND: &'static str = "a listing";
    const PARENTS: &'static str = "listings";
    const NAME_FORM: &'static str = "listings/{listing}/roles/{role}";
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("listing", schema::LISTING), ("role", schema::ROLE)];
    const SUBJECT_ARGUMENT: &'static str = "role";
    const CREATE_OVERWRITES: bool = true;
    const ADOPTION: &'static str =
        "Or set `adopt_existing = true`, which overwrites it with this configuration:";

    type Subject = ListingRoleName;
    type State = ListingRoleState;
    type Private = RolePrivateState;

    fn resource_schema() -> Schema {
        schema::resource_schema()
    }

    fn validate(config: &ListingRoleState, diags: &mut Diagnostics) {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        diags.validate("display_name", &config.display_name).not_blank();
        validate_priority(config, diags);
        validate_resources(config, diags);
    }

    fn common(state: &ListingRoleState) -> Common<'_> {
        Common {
            deletion_policy: &state.deletion_policy,
            create_time: &state.create_time,
            update_time: &state.update_time,
        }
    }

    fn state_name(state: &ListingRoleState) -> Option<ListingRoleName> {
        Some(ListingRoleName {
            listing: Identifier::parse(known_text(&state.listing)?).ok()?,
            role: Identifier::parse(known_text(&state.role)?).ok()?,
        })
    }

    fn state_keys(state: &ListingRoleState) -> Vec<Key> {
        Self::state_name(state).iter().flat_map(Self::subject_keys).collect()
    }

    fn subject(planned: &ListingRoleState) -> Option<ListingRoleName> {
        Self::state_name(planned)
    }

    fn subject_parent(subject: &ListingRoleName) -> &Identifier {
        &subject.listing
    }

    fn subject_keys(subject: &ListingRoleName) -> Vec<Key> {
        vec![Key::Name(subject.to_string())]
    }

    fn adoption(planned: &ListingRoleState) -> Adoption {
        let ListingRoleState { adopt_existing, allow_missing, .. } = planned;
        if adopt_existing.as_ref_option() == Some(&true)
            || allow_missing.as_ref_option() == Some(&false)
        {
            return Adoption::Allowed;
        }
        let unknown: Vec<_> =
            [("adopt_existing", adopt_existing), ("allow_missing", allow_missing)]
                .into_iter()
                .filter_map(|(name, value)| value.is_unknown().then_some(name))
                .collect();
        if unknown.is_empty() { Adoption::Refused } else { Adoption::DependsOn(unknown) }
    }

    fn must_exist(planned: &ListingRoleState) -> bool {
        planned.allow_missing.as_ref_option() == Some(&false)
    }

    fn planned_create(
        config: &ListingRoleState,
        repository: Option<&OwnRepository>,
    ) -> ListingRoleState {
        plan::planned_create(config, repository)
    }

    fn requires_replace(
        prior: &ListingRoleState,
        planned: &ListingRoleState,
    ) -> Vec<AttributePath> {
        requires_replace(&[
            ("listing", &prior.listing, &planned.listing),
            ("role", &prior.role, &planned.role),
        ])
    }

    fn planned_update(
        session: Option<&Session>,
        stored: &Stored<Self>,
        proposed: ListingRoleState,
        config: &ListingRoleState,
        diags: &mut Diagnostics,
    ) -> ListingRoleState {
        plan::planned_update(session, stored, proposed, config, diags)
    }

    async fn warn_destroyed(
        call: &mut Call<'_>,
        prior: &ListingRoleState,
        replaced_by: Option<&ListingRoleState>,
    ) {
        plan::warn_destroyed(call, prior, replaced_by);
    }

    /// Checks by GET, or in plans of many roles by the list.
    async fn check(
        session: &Session,
        subject: &ListingRoleName,
        purpose: Purpose,
        _own: Option<&ListingRoleName>,
    ) -> Existence<Self> {
        if purpose != Purpose::Decide
            && !session.roles.of(&subject.listing).starts_with_get()
            && let Ok(list) = parent_list::shared::<Self>(session, &subject.listing, purpose).await
        {
            match list.entries.get(&subject.role) {
                Some(role) => return existence_of(session, role.clone()),
                None if list.skipped.is_empty() => return Existence::Free,
                None => {}
            }
        }
        check_by_get(session, subject, purpose).await
    }

    fn describe_existing(
        session: &Session,
        _subject: &ListingRoleName,
        existing: &Self,
    ) -> Existing {
        messages::describe_existing(session, existing)
    }

    fn describe_adoption(
        session: &Session,
        existing: &Self,
        planned: &ListingRoleState,
        config: &ListingRoleState,
    ) -> String {
        messages::describe_adoption(session, existing, planned, config)
    }

    fn unchecked(object: &str, response: &Unclear) -> Message {
        messages::unchecked(object, &response.text)
    }

    async fn create(
        call: &mut Call<'_>,
        subject: &ListingRoleName,
        existence: &Existence<Self>,
        planned: ListingRoleState,
        config: &ListingRoleState,
    ) -> Result<Created<Self>, Reported> {
        patch::create(call, subject, existence, planned, config).await
    }

    async fn update(
        call: &mut Call<'_>,
        stored: Stored<Self>,
        planned: ListingRoleState,
        config: &ListingRoleState,
    ) -> Result<Stored<Self>, Reported> {
        patch::update(call, stored, planned, config).await
    }

    fn from_response(role: Self) -> ListingRoleState {
        let mut state = ListingRoleState::default();
        state.set_from_response(role);
        state
    }

    fn after_read(stored: Stored<Self>, role: Self) -> Stored<Self> {
        let Stored { mut state, mut private } = stored;
        let is_unchanged = is_equal(role.update_time.as_deref(), known_text(&state.update_time));
        private.entity.record_read(&role, is_unchanged);
        state.set_from_response(role);
        Stored { state, private }
    }

    fn record_refresh(private: &mut RolePrivateState, session: &Session) {
        private.detected = Some(session.repository.written.clone());
    }

    fn confirms(stored: &Stored<Self>, entry: &Self) -> bool {
        let mut listed = stored.state.clone();
        listed.set_from_response(entry.clone());
        listed == stored.state
    }

    fn warn_read(call: &mut Call<'_>, stored: &Stored<Self>, role: &Self) {
        messages::warn_written_elsewhere(call, stored, role);
    }

    fn after_import(call: &mut Call<'_>, stored: &mut Stored<Self>) {
        messages::warn_imported(call, &stored.state);
        stored.private.entity.own_repository = Some(stored.state.repository());
    }

    fn warn_found(call: &mut Call<'_>, stored: &Stored<Self>) {
        messages::warn_found_elsewhere(call, stored);
    }

    async fn import_name(
        _connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<ListingRoleName, Reported> {
        parse_import_id::<Self>(id, diags)
    }

    fn list_filters() -> Vec<(&'static str, Attribute)> {
        let text = |description| optional(AttributeType::String, description);
        vec![
            (
                "manager",
                text(
                    "Lists only roles with this manager, such as `TERRAFORM`. `\"\"` lists roles without a manager.",
                ),
            ),
            (
                "repo_uri",
                text(
                    "Lists only roles that record this repository, in any spelling. `\"\"` lists roles without a repository.",
                ),
            ),
            (
                "repo_dir",
                text(
                    "Lists only roles that record this directory. `\"\"` lists roles of the top directory, or without a directory.",
                ),
            ),
        ]
    }

    fn is_selected(filters: &BTreeMap<String, Value<String>>, role: &Self) -> bool {
        let filter = |name: &str| filters.get(name).and_then(|value| value.as_ref_option());
        let is_manager =
            |manager: &String| role.manager.as_deref().unwrap_or_default() == manager.as_str();
        filter("manager").is_none_or(is_manager)
            && filter("repo_uri").is_none_or(|uri| same_uri(role.repo_uri.as_ref(), Some(uri)))
            && filter("repo_dir").is_none_or(|dir| same_dir(role.repo_dir.as_ref(), Some(dir)))
    }

    fn display_name(&self) -> String {
        match self.display_name.as_str() {
            "" => self.name.role.to_string(),
            name => name.to_owned(),
        }
    }

    fn generate_config(state: ListingRoleState) -> ListingRoleState {
        // `resources` stay: with them the configuration describes the whole role, and its plan changes
        // nothing. The other options are about creating and destroying.
        let description =
            known_text(&state.description).filter(|text| !text.is_empty()).map(str::to_owned);
        ListingRoleState {
            description: description.into(),
            allow_missing: Value::Null,
            adopt_existing: Value::Null,
            deletion_policy: Value::Null,
            ..state
        }
    }
}

fn validate_priority(config: &ListingRoleState, diags: &mut Diagnostics) {
    if let Value::Value(priority) = &config.priority
        && priority.as_i64().is_none()
    {
        diags.report_attribute_error(
            "priority",
            "Invalid priority",
            format!("Must be a whole number from {} to {}, not {priority}.", i64::MIN, i64::MAX),
        );
    }
}

fn validate_resources(config: &ListingRoleState, diags: &mut Diagnostics) {
    let resources = config.resources.as_ref_option().map_or(&[][..], Vec::as_slice);
    let is_empty = |resource: &Value<String>| match resource {
        Value::Value(resource) => resource.is_empty(),
        Value::Null => true,
        Value::Unknown => false,
    };
    if resources.iter().any(is_empty) {
        diags.report_attribute_error(
            "resources",
            "Invalid resources",
            "A resource must not be empty or null.",
        );
    }
}
