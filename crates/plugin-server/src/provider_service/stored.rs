//! What comes from the state file or from outside: upgrades, imports, moves, configuration.

use std::sync::Arc;

use bytes::Bytes;
use tf_provider::Diagnostics;

use super::call::{About, deferred};
use super::held::{Held, Returned, null};
use super::resource::{Identity, Unknown, identity_of};
use super::{ProviderService, nothing_returned};
use crate::abilities::{MoveSource, StoredJson};
use crate::diagnostic::{error, to_wire};
use crate::erased::Object;
use crate::pb::tfplugin6 as pb;
use crate::registry::ResourceEntry;
use crate::wire::{self, Path};

/// Terraform before 0.12 stored states as flat maps of strings.
const FLATMAP: &str = "The state was written by Terraform 0.11 or earlier. Apply it once with \
                       Terraform 0.13 and a provider of that time.";

fn wire_value(msgpack: Vec<u8>) -> pb::DynamicValue {
    pb::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() }
}

/// The JSON of a stored value.
fn stored<'r>(
    diags: &mut Diagnostics,
    raw: Option<&'r pb::RawState>,
    what: &str,
) -> Option<&'r [u8]> {
    match raw {
        Some(raw) if !raw.json.is_empty() => Some(&raw.json),
        Some(raw) if !raw.flatmap.is_empty() => {
            error(diags, format!("Could not upgrade {what}"), FLATMAP);
            None
        }
        _ => {
            error(diags, format!("Could not upgrade {what}"), "The host sent nothing to upgrade.");
            None
        }
    }
}

impl ProviderService {
    pub(super) async fn upgrade_state(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::upgrade_resource_state::Request,
    ) -> pb::upgrade_resource_state::Response {
        let about = About::new("UpgradeResourceState", &entry.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let state = upgrade_state(&entry, &mut diags, &request).await;
            if state.is_none() {
                nothing_returned(&mut diags, "Could not upgrade the state", "state");
            }
            (state, diags)
        };
        let (state, diags) = self.run(about, work).await;
        pb::upgrade_resource_state::Response {
            upgraded_state: state.filter(|_| diags.errors.is_empty()),
            diagnostics: to_wire(diags),
        }
    }

    pub(super) async fn upgrade_identity(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::upgrade_resource_identity::Request,
    ) -> pb::upgrade_resource_identity::Response {
        let about = About::new("UpgradeResourceIdentity", &entry.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let identity = upgrade_identity(&entry, &mut diags, &request).await;
            if identity.is_none() {
                nothing_returned(&mut diags, "Could not upgrade the identity", "identity");
            }
            (identity, diags)
        };
        let (identity, diags) = self.run(about, work).await;
        pb::upgrade_resource_identity::Response {
            upgraded_identity: identity
                .filter(|_| diags.errors.is_empty())
                .map(|data| pb::ResourceIdentityData { identity_data: Some(data) }),
            diagnostics: to_wire(diags),
        }
    }

    pub(super) async fn import(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::import_resource_state::Request,
    ) -> pb::import_resource_state::Response {
        let about = About::new("ImportResourceState", &entry.name)
            .client(request.client_capabilities.as_ref());
        let type_name = entry.name.clone();
        let work = async move {
            let mut diags = Diagnostics::default();
            let imported = import(&entry, &mut diags, request).await;
            let deferred = deferred();
            if imported.is_none() && deferred.is_none() {
                nothing_returned(&mut diags, "Could not import the resource", "state");
            }
            (Some((imported, deferred)), diags)
        };
        let (answer, diags) = self.run(about, work).await;
        let (imported, deferred) = answer.unwrap_or_default();
        let imported =
            imported.filter(|_| diags.errors.is_empty()).map(|(state, private, identity)| {
                pb::import_resource_state::ImportedResource {
                    type_name,
                    state: Some(wire_value(state)),
                    private: private.into(),
                    identity,
                }
            });
        pb::import_resource_state::Response {
            imported_resources: imported.into_iter().collect(),
            diagnostics: to_wire(diags),
            deferred,
        }
    }

    pub(super) async fn move_state(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::move_resource_state::Request,
    ) -> pb::move_resource_state::Response {
        let about = About::new("MoveResourceState", &entry.name).private(&request.source_private);
        let work = async move {
            let mut diags = Diagnostics::default();
            let moved = move_state(&entry, &mut diags, &request).await;
            if moved.is_none() && diags.errors.is_empty() {
                let detail = format!(
                    "{} of {} cannot become {}.",
                    request.source_type_name, request.source_provider_address, entry.name
                );
                error(&mut diags, "Unsupported move", detail);
            }
            (moved, diags)
        };
        let (moved, diags) = self.run(about, work).await;
        let mut response = pb::move_resource_state::Response::default();
        match moved.filter(|_| diags.errors.is_empty()) {
            Some((state, private, identity)) => {
                response.target_state = Some(wire_value(state));
                response.target_private = private.into();
                response.target_identity = identity;
            }
            None => response.target_state = Some(null()),
        }
        response.diagnostics = to_wire(diags);
        response
    }

    pub(super) async fn generate_config(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::generate_resource_config::Request,
    ) -> pb::generate_resource_config::Response {
        let about = About::new("GenerateResourceConfig", &entry.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let config = generate_config(&entry, &mut diags, request).await;
            if config.is_none() {
                nothing_returned(&mut diags, "Could not generate configuration", "configuration");
            }
            (config, diags)
        };
        let (config, diags) = self.run(about, work).await;
        pb::generate_resource_config::Response {
            config: config.filter(|_| diags.errors.is_empty()).map(wire_value),
            diagnostics: to_wire(diags),
        }
    }
}

async fn upgrade_state(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: &pb::upgrade_resource_state::Request,
) -> Option<pb::DynamicValue> {
    const STATE: &str = "The upgraded state";
    let ty = &entry.schema.ty;
    let json = stored(diags, request.raw_state.as_ref(), "the state")?;
    if request.version == entry.schema.version {
        let state = Held::from_json(diags, json, ty, "The stored state")?;
        if state.is_null() {
            error(diags, "Could not upgrade the state", "The stored state is null.");
        }
        return Some(state.into_wire());
    }
    let upgrade = entry.upgrade.as_ref().filter(|_| request.version < entry.schema.version);
    let Some(upgrade) = upgrade else {
        let detail = format!(
            "The state of {} has version {} of its schema, and this provider has version {}. \
             Use the version of the provider that wrote it, or a later one.",
            entry.name, request.version, entry.schema.version
        );
        error(diags, "Could not upgrade the state", detail);
        return None;
    };
    let bytes = upgrade.upgrade(diags, request.version, json).await?;
    let returned = Returned::read(diags, &bytes, ty, STATE).clear_write_only(entry.schema.shape());
    returned.require_known(diags, STATE);
    let rewritten = returned.rewritten();
    Some(wire_value(rewritten.unwrap_or(bytes)))
}

async fn upgrade_identity(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: &pb::upgrade_resource_identity::Request,
) -> Option<pb::DynamicValue> {
    const IDENTITY: &str = "The upgraded identity";
    let Some(identity) = &entry.identity else {
        let detail = format!("{} has no identity.", entry.name);
        error(diags, "Could not upgrade the identity", detail);
        return None;
    };
    let json = stored(diags, request.raw_identity.as_ref(), "the identity")?;
    if request.version == identity.version {
        let held = Held::from_json(diags, json, &identity.ty, "The stored identity")?;
        return Some(held.into_wire());
    }
    let bytes = identity.erased.upgrade(diags, request.version, json).await?;
    let returned = Returned::read(diags, &bytes, &identity.ty, IDENTITY);
    returned.require_known(diags, IDENTITY);
    let rewritten = returned.rewritten();
    Some(wire_value(rewritten.unwrap_or(bytes)))
}

type Whole = (Vec<u8>, Vec<u8>, Identity);

async fn import(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::import_resource_state::Request,
) -> Option<Whole> {
    let asked = request.identity.filter(|_| request.id.is_empty());
    let object = match (asked, &entry.identity) {
        (None, _) => entry.resource.import(diags, request.id).await,
        (Some(_), None) => {
            let detail = format!("{} has no identity, use its id.", entry.name);
            error(diags, "Import by identity is not supported", detail);
            None
        }
        (Some(asked), Some(identity)) => {
            let held = Held::read(diags, asked.identity_data, &identity.ty, "The identity")?;
            identity.erased.import(diags, &identity.ty, held.bytes()).await
        }
    };
    whole(entry, diags, object?, "The imported state").await
}

/// An object with its identity, all of it known.
async fn whole(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    object: Object,
    lead: &str,
) -> Option<Whole> {
    let returned = Returned::read(diags, &object.state, &entry.schema.ty, lead)
        .clear_write_only(entry.schema.shape());
    returned.require_known(diags, lead);
    let rewritten = returned.rewritten();
    let state = rewritten.unwrap_or(object.state);
    let identity = identity_of(entry, diags, &state, None, Unknown::Refused).await;
    Some((state, object.private, identity))
}

async fn move_state(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: &pb::move_resource_state::Request,
) -> Option<Whole> {
    let moves = entry.moves.as_ref()?;
    let state = stored(diags, request.source_state.as_ref(), "the moved state")?;
    let identity = request.source_identity.as_ref().filter(|identity| !identity.json.is_empty());
    let source = MoveSource::new(
        &request.source_provider_address,
        &request.source_type_name,
        request.source_schema_version,
        StoredJson::new(state),
        &request.source_private,
        identity.map(|identity| StoredJson::new(&identity.json)),
    );
    let object = moves.move_state(diags, source).await?;
    whole(entry, diags, object, "The moved state").await
}

async fn generate_config(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::generate_resource_config::Request,
) -> Option<Vec<u8>> {
    const CONFIG: &str = "The generated configuration";
    let ty = &entry.schema.ty;
    let state = Held::read(diags, request.state, ty, "The state")?;
    let bytes = match &entry.generate_config {
        Some(generate) => generate.generate(diags, ty, state.bytes()).await?,
        None => state.bytes().to_vec(),
    };
    let mut returned =
        Returned::read(diags, &bytes, ty, CONFIG).clear_write_only(entry.schema.shape());
    returned.keep_only_config(entry.schema.shape());
    debug_assert!(
        wire::find_unknown(&returned.value, ty, Path::ROOT).is_none() || !diags.errors.is_empty()
    );
    returned.rewritten()
}
