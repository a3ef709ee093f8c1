//! The resource `access_listing_role`: manages one role of a listing.
//!
//! Calls: PATCH (create with `allowMissing`, update with the smallest mask), GET and list
//! (existence check, refresh, import), DELETE. The documented PATCH stands in for a read under
//! `drift_detection = "patch"`, and if a 404 to DELETE proves nothing.
//! Requires replacement: a change of `listing` or `role`.
//! Import ID: `listings/{listing}/roles/{role}` or `{listing}/{role}`.
//! Known trap: Terraform taints what a create returns together with an error, and destroys it at
//! the next apply. A create returns one or the other; a failure after the write is a warning.

use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::Report as _;
use plugin_server::plan_modifier::requires_replace;
use plugin_server::validator::Validate as _;
use tf_provider::schema::Schema;
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::schema::resource_schema;
use super::state::{Private, Resources, State, keys_of};
use super::{create_update, delete, import, plan, read};
use crate::object::delete::validate_deletion_policy;
use crate::object::identifier::validate_identifier;
use crate::object::operation::{Operation, report_import_id};
use crate::object::{Object, parse_either_name};
use crate::private_state::PrivateState;
use crate::service::Connection;

const KIND: &str = ListingRole::KIND;

/// The resource `access_listing_role`.
pub(crate) struct ListingRoleResource(pub(crate) Connection);

#[async_trait]
impl Resource for ListingRoleResource {
    type State<'a> = State;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        diags.validate("display_name", &config.display_name).not_blank();
        validate_priority(&config, diags);
        validate_resources(&config, diags);
        validate_deletion_policy(&config.deletion_policy, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        plan: State,
        config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        plan::plan_create(self.0.service_or_defer().as_deref(), plan, &config, diags).await
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        plan: State,
        config: State,
        mut private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private, Vec<AttributePath>)> {
        let service = self.0.service_or_defer();
        let service = service.as_deref();
        // If this becomes a replacement, Terraform passes it to the plan of the create.
        private.0.object.identify(&prior.name, &prior.create_time);
        let plan = State {
            allow_missing: config.allow_missing,
            adopt_existing: config.adopt_existing,
            deletion_policy: config.deletion_policy.clone(),
            ..plan
        };
        let replaced = requires_replace(&[
            ("listing", &prior.listing, &plan.listing),
            ("role", &prior.role, &plan.role),
        ]);
        if replaced.is_empty() {
            let planned = plan::plan_update(service, &prior, plan, &config, &private.0, diags)?;
            return Some((planned, private, replaced));
        }
        plan::plan_replacement(service, &prior, &config, diags)?;
        let resources = if config.resources.is_null() { Value::Null } else { plan.resources };
        let repository = service.map(|service| service.repository.pair());
        let planned = State { resources, ..plan }.planned_create(&config, repository);
        Some((planned, private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<Private> {
        let service = self.0.service_or_defer();
        plan::plan_destroy(service.as_deref(), &prior, &private.0, diags)?;
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        plan: State,
        config: State,
        _private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let name = plan.require_name(diags)?;
        let operation = Operation { verb: "create", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let resources = Resources::of(&config);
        let created =
            create_update::create(&service, &operation, &name, plan, resources, diags).await?;
        Some((created.0, PrivateState(created.1)))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Some(service) = self.0.service_or_defer() else { return Some((prior, private)) };
        service.begin_refresh();
        let name = prior.require_name(diags)?;
        let operation = Operation { verb: "read", kind: KIND, name: &name };
        let (state, private) =
            read::read(&service, &operation, &name, (prior, private.0), diags).await?;
        // Not before: a role that was not found is created like a new one.
        let mut known = private.clone();
        known.object.identify(&state.name, &state.create_time);
        service.roles.conflicts.record_in_state(&keys_of(&name), known);
        Some((state, PrivateState(private)))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        plan: State,
        config: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let name = prior.require_name(diags)?;
        let operation = Operation { verb: "update", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let resources = Resources::of(&config);
        let prior = (prior, private.0);
        let (state, private) =
            create_update::update(&service, &operation, prior, plan, resources, diags).await?;
        Some((state, PrivateState(private)))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = prior.require_name(diags)?;
        let operation = Operation { verb: "delete", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        delete::destroy(&service, &operation, &name, &prior, &private.0, diags).await
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Private)> {
        let Ok(name) = parse_either_name::<ListingRole>(&id) else {
            report_import_id::<ListingRole>(&id, diags);
            return None;
        };
        let operation = Operation { verb: "import", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let (state, private) = import::import(&service, &operation, &name, diags).await?;
        Some((state, PrivateState(private)))
    }
}

fn validate_priority(config: &State, diags: &mut Diagnostics) {
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

fn validate_resources(config: &State, diags: &mut Diagnostics) {
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
