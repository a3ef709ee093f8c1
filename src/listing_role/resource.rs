//! The resource `access_listing_role`: manages one role of a listing.
//!
//! Calls: PATCH (create with `allowMissing`, update with the smallest mask), GET (look before a
//! create, refresh, import), DELETE. The documented PATCH stands in for a read under
//! `drift_detection = "patch"` and where a 404 to DELETE proves nothing.
//! Replaced by: a change of `listing` or `role`.
//! Import id: `listings/{listing}/roles/{role}` or `{listing}/{role}`.
//! Known trap: Terraform destroys what a create returns together with an error. A create returns
//! either; what goes wrong after the role is written is a warning.

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{Meaning, Missing, RoleField};
use async_trait::async_trait;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::calls::{
    Look, by_name_alone, import_by_patch, imported, listed, probe, read_back, settle_missing,
    take_over_or_refuse,
};
use super::planning::{plan_in_place, recording};
use super::stored::SCHEMA_VERSION;
use super::words::{
    MISSING_AT_IMPORT, report_create_failure, report_deleted, report_read_failure,
    report_write_failure, warn_of_blind_create, warn_of_difference, warn_of_entitlements,
    warn_of_manager,
};
use super::{
    KIND, ListingRoleMemory, ListingRoleState, TYPE, attributes, changed_fields, known_name,
    parse_name, to_patch,
};
use crate::attribute::{optional, optional_computed, required, schema, set_of_strings};
use crate::config::DriftDetection;
use crate::diagnostic::{Attempt, Report, keep_it_advice, report_import_id};
use crate::identifier::validate_identifier;
use crate::plan::replaced_by;
use crate::private::{Private, of_replaced};
use crate::reading::{Verdict, judge, warn_blind};
use crate::service::{Connection, Service};

/// The resource `access_listing_role`.
pub(crate) struct ListingRoleResource {
    connection: Connection,
}

impl ListingRoleResource {
    /// The resource, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// The way to the service, for what is beside the life cycle.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

pub(super) type State = ListingRoleState;
pub(super) type Memory = Private<ListingRoleMemory>;

#[async_trait]
impl Resource for ListingRoleResource {
    type State<'a> = State;
    type PrivateState<'a> = Memory;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema(
            SCHEMA_VERSION,
            "A role of a listing: a named set of resources that users can request.",
            [
                // Required
                ("listing", required(AttributeType::String, &replaces(attributes::LISTING))),
                ("role", required(AttributeType::String, &replaces(attributes::ROLE))),
                (
                    "display_name",
                    required(
                        AttributeType::String,
                        &format!("{} Not empty.", attributes::DISPLAY_NAME),
                    ),
                ),
                (
                    "priority",
                    required(
                        AttributeType::Number,
                        &format!(
                            "{} Roles with less access should come first.",
                            attributes::PRIORITY
                        ),
                    ),
                ),
                // Optional
                (
                    "description",
                    optional(
                        AttributeType::String,
                        &format!("{} Leaving it out clears it.", attributes::DESCRIPTION),
                    ),
                ),
                (
                    "resources",
                    optional_computed(
                        set_of_strings(),
                        &format!(
                            "{} Left out, they are not managed and never sent, which is what keys of non-admins need; `[]` clears them. Changing them neither grants nor revokes entitlements that were granted by earlier requests.",
                            attributes::RESOURCES
                        ),
                    ),
                ),
                (
                    "allow_missing",
                    optional(
                        AttributeType::Bool,
                        "Whether creating may create the role at the service. Default: `true`. With `false` the role must exist there and is taken over.",
                    ),
                ),
                (
                    "adopt_existing",
                    optional(
                        AttributeType::Bool,
                        "Whether creating takes over a role that exists already. Default: `false`, which refuses and shows how to import it.",
                    ),
                ),
            ]
            .into_iter()
            // Computed
            .chain(attributes::set_by_service()),
        ))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        if config.display_name.as_ref_option().is_some_and(String::is_empty) {
            diags.report_error(
                "Invalid display_name".to_owned(),
                "The display name must not be empty: it is what users choose the role by."
                    .to_owned(),
                Some("display_name"),
            );
        }
        if let Value::Value(priority) = &config.priority
            && priority.integer().is_none()
        {
            diags.report_error(
                "Invalid priority".to_owned(),
                format!("Needs a whole number from {} to {}, not {priority}.", i64::MIN, i64::MAX),
                Some("priority"),
            );
        }
        let resources = config.resources.as_ref_option().map_or(&[][..], Vec::as_slice);
        let empty = |resource: &Value<String>| match resource {
            Value::Value(resource) => resource.is_empty(),
            Value::Null => true,
            Value::Unknown => false,
        };
        if resources.iter().any(empty) {
            diags.report_error(
                "Invalid resources".to_owned(),
                "A resource must not be empty or null.".to_owned(),
                Some("resources"),
            );
        }
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        _diags: &mut Diagnostics,
        proposed: State,
        _config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        self.connection.defer_if_unknown();
        // Of a replacement Terraform hands this to the destroy of the old role as well, which has
        // use of what is known of it. The create takes no notice.
        Some((proposed.all_computed_unknown(), of_replaced()))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        proposed: State,
        config: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory, Vec<AttributePath>)> {
        self.connection.defer_if_unknown();
        let replaced = replaced_by(&[
            ("listing", &prior.listing, &proposed.listing),
            ("role", &prior.role, &proposed.role),
        ]);
        if !replaced.is_empty() {
            let mut planned = proposed;
            if config.resources.is_null() {
                planned.resources = Value::Null;
            }
            return Some((planned.all_computed_unknown(), memory, replaced));
        }
        let service = self.connection.service().ok();
        let planned = plan_in_place(service.as_deref(), &prior, proposed, &config, &memory.0);
        if !config.resources.is_null()
            && !prior.resources.is_null()
            && changed_fields(&prior, &planned, true).contains(&RoleField::Resources)
        {
            warn_of_entitlements(&prior, diags);
        }
        Some((planned, memory, Vec::new()))
    }

    async fn plan_destroy<'a>(
        &self,
        _diags: &mut Diagnostics,
        _prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<Memory> {
        self.connection.defer_if_unknown();
        Some(memory)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: State,
        config: State,
        _memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        let name = known_name(&planned, diags)?;
        let attempt = Attempt { verb: "create", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        service.begin_create(&attempt, diags)?;
        let manages_resources = !config.resources.is_null();
        let may_create = planned.allow_missing.as_ref_option() != Some(&false);
        let mut look = Look::Role;
        if may_create {
            look =
                take_over_or_refuse(&service, &attempt, &name, &planned, manages_resources, diags)
                    .await?;
        }
        let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
        let (patch, mask) =
            to_patch(None, &planned, manages_resources, service.repository.to_send())?;
        let missing = if may_create { Missing::Create } else { Missing::Fail };
        let written = service.client.update_listing_role(&name, &patch, &mask, missing).await;
        service.listed_roles.forget(&name.listing);
        match written {
            Ok(answer) if answer.delete_time.is_some() => {
                report_deleted(&service.client, &attempt, &answer, diags);
                None
            }
            Ok(answer) => {
                let mut memory = ListingRoleMemory::default();
                let state = finish(
                    &service,
                    planned,
                    &patch,
                    answer,
                    manages_resources,
                    &mut memory,
                    diags,
                );
                memory.reads = read_back(&service, &name).await;
                let reads_fail = service.drift_detection.uses_get() && !memory.reads;
                let blind = look == Look::Blind || (look == Look::Nothing && reads_fail);
                if blind && !adopts && service.role_reads.blind_create_warning.first() {
                    warn_of_blind_create(&name, diags);
                }
                Some((state, Private(memory)))
            }
            Err(error) => {
                report_create_failure(&attempt, &error, may_create, manages_resources, diags);
                None
            }
        }
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        let Ok(service) = self.connection.service() else {
            self.connection.defer_if_unknown();
            return Some((prior, memory));
        };
        let name = known_name(&prior, diags)?;
        let attempt = Attempt { verb: "read", kind: KIND, name: &name };
        let patched = service.drift_detection == DriftDetection::Patch;
        let in_list = match service.drift_detection {
            DriftDetection::Off => return remembered(prior, memory),
            // The documented call sets the repository to what is known of it, and nothing is.
            DriftDetection::Patch if memory.0.unread => return remembered(prior, memory),
            DriftDetection::List => listed(&service, &name).await,
            DriftDetection::Auto | DriftDetection::Patch => None,
        };
        // Only a GET is evidence that a GET works.
        let by_get = !patched && in_list.is_none();
        let read = match in_list {
            Some(role) => Ok(role),
            None if patched => probe(&service, &name, &prior).await,
            None => service.client.get_listing_role(&name).await,
        };
        match read {
            Ok(role) if role.delete_time.is_some() => None,
            Ok(role) => {
                let (mut state, Private(mut memory)) = (prior, memory);
                memory.note_read(&role);
                if by_get {
                    memory.reads = true;
                    service.role_reads.saw_read();
                }
                state.fill(role);
                Some((state, Private(memory)))
            }
            // The documented call answers 404 for a missing role and for nothing else.
            Err(error) if patched && error.meaning() == (Meaning::NotFound { json: true }) => None,
            Err(error) if patched => {
                attempt.failed(&error, None, None, diags);
                None
            }
            Err(error) => match judge(&error, memory.0.reads) {
                Verdict::Gone => None,
                Verdict::Blind => {
                    warn_blind(&service.role_reads, KIND, &error, diags);
                    remembered(prior, memory)
                }
                Verdict::Failed => {
                    report_read_failure(&attempt, &error, patched, diags);
                    None
                }
            },
        }
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        planned: State,
        config: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        let name = known_name(&prior, diags)?;
        let attempt = Attempt { verb: "update", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        let manages_resources = !config.resources.is_null();
        // Of a role imported by its name alone nothing is known: everything is written.
        let base = Some(&prior).filter(|_| !memory.0.unread);
        let recording = recording(&service.repository, base, &planned, &memory.0);
        let Some((patch, mask)) = to_patch(base, &planned, manages_resources, recording) else {
            // `adopt_existing`, `allow_missing` or the spelling of an empty description.
            return Some((planned.settled(prior), memory));
        };
        let Private(mut memory) = memory;
        let written = service.client.update_listing_role(&name, &patch, &mask, Missing::Fail).await;
        service.listed_roles.forget(&name.listing);
        match written {
            Ok(answer) if answer.delete_time.is_some() => {
                report_deleted(&service.client, &attempt, &answer, diags);
                memory.vanished = true;
                Some((prior, Private(memory)))
            }
            Ok(answer) => {
                let state = finish(
                    &service,
                    planned,
                    &patch,
                    answer,
                    manages_resources,
                    &mut memory,
                    diags,
                );
                memory.reads = memory.reads || read_back(&service, &name).await;
                Some((state, Private(memory)))
            }
            Err(error) if error.meaning() == (Meaning::NotFound { json: true }) => {
                let next = "The role vanished after the plan. The next plan creates it anew.";
                attempt.failed(&error, Some(next.to_owned()), None, diags);
                memory.vanished = true;
                Some((prior, Private(memory)))
            }
            Err(error) => {
                report_write_failure(&attempt, &error, mask.contains(RoleField::Resources), diags);
                None
            }
        }
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = known_name(&prior, diags)?;
        let attempt = Attempt { verb: "delete", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        let deleted = service.client.delete_listing_role(&name).await;
        service.listed_roles.forget(&name.listing);
        let error = match deleted {
            Ok(()) => return Some(()),
            Err(error) => error,
        };
        match (error.meaning(), memory.0.reads) {
            (Meaning::NotFound { json: true }, true) => Some(()),
            (Meaning::NotFound { .. }, _) => {
                let known = Some(&prior).filter(|_| !memory.0.unread);
                settle_missing(&service, &attempt, &name, known, &error, diags).await
            }
            (Meaning::NotImplemented, _) => {
                attempt.failed(&error, Some(keep_it_advice(TYPE, KIND)), None, diags);
                None
            }
            _ => {
                attempt.failed(&error, None, None, diags);
                None
            }
        }
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Memory)> {
        let Ok(name) = parse_name(&id) else {
            report_import_id(KIND, &id, "listings/{listing}/roles/{role}", diags);
            return None;
        };
        let attempt = Attempt { verb: "import", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        let error = match service.client.get_listing_role(&name).await {
            Ok(role) => {
                service.role_reads.saw_read();
                return imported(&service.client, &attempt, role, true, diags);
            }
            Err(error) => error,
        };
        let off = service.drift_detection == DriftDetection::Off;
        match error.meaning() {
            Meaning::NotFound { .. } | Meaning::NotImplemented | Meaning::Forbidden
                if service.drift_detection == DriftDetection::Patch =>
            {
                import_by_patch(&service, &attempt, &name, diags).await
            }
            Meaning::NotImplemented => Some(by_name_alone(&attempt, &name, &error, diags)),
            Meaning::NotFound { .. } | Meaning::Forbidden if off => {
                Some(by_name_alone(&attempt, &name, &error, diags))
            }
            Meaning::NotFound { .. } => {
                attempt.failed(&error, Some(MISSING_AT_IMPORT.to_owned()), None, diags);
                None
            }
            _ => {
                let patched = service.drift_detection == DriftDetection::Patch;
                report_read_failure(&attempt, &error, patched, diags);
                None
            }
        }
    }
}

/// The description of an attribute that replaces the role.
fn replaces(description: &str) -> String {
    format!("{description} Changing it replaces the role.")
}

/// The state after a successful write, and warnings of what the service did not do.
fn finish(
    service: &Service,
    planned: State,
    sent: &ListingRolePatch,
    answer: ListingRole,
    manages_resources: bool,
    memory: &mut ListingRoleMemory,
    diags: &mut Diagnostics,
) -> State {
    memory.note_write(sent, &answer);
    if memory.manager_unrecorded && service.manager_warning.first() {
        warn_of_manager(&answer, diags);
    }
    let name = answer.name.clone();
    let (state, differing) = planned.written(answer, manages_resources);
    if !differing.is_empty() {
        warn_of_difference(&name, &differing, diags);
    }
    state
}

/// The state where nothing could be read: what was learned from the last write still counts.
fn remembered(mut prior: State, memory: Memory) -> Option<(State, Memory)> {
    if memory.0.vanished {
        return None;
    }
    if memory.0.manager_unrecorded {
        prior.manager = Value::Null;
    }
    Some((prior, memory))
}
