//! The provider's own configuration, validation everywhere, and data sources.

use std::sync::Arc;

use bytes::Bytes;
use tf_provider::Diagnostics;

use super::call::{About, deferred};
use super::held::{Held, Returned, null};
use super::{ProviderService, nothing_returned};
use crate::diagnostic::{error, to_wire};
use crate::pb::tfplugin6 as pb;
use crate::registry::{DataSourceEntry, Registry, ResourceEntry};
use crate::wire::{self, Field, ObjectShape, Path, Role, Value};

/// What a configuration is called in errors.
const CONFIG: &str = "The configuration";

impl ProviderService {
    pub(super) async fn validate_provider(
        &self,
        request: pb::validate_provider_config::Request,
    ) -> pb::validate_provider_config::Response {
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = async {
                let provider = &registry.provider;
                let config = Held::read(&mut diags, request.config, &provider.schema.ty, CONFIG)?;
                provider.erased.validate(&mut diags, &provider.schema.ty, config.bytes()).await
            };
            let answer = answer.await;
            said_nothing(&mut diags, answer, "Could not validate the provider's configuration");
            (answer, diags)
        };
        let (_, diags) = self.run(About::new("ValidateProviderConfig", ""), work).await;
        pb::validate_provider_config::Response { diagnostics: to_wire(diags) }
    }

    pub(super) async fn configure(
        &self,
        request: pb::configure_provider::Request,
    ) -> pb::configure_provider::Response {
        let about =
            About::new("ConfigureProvider", "").client(request.client_capabilities.as_ref());
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = async {
                let provider = &registry.provider;
                let ty = &provider.schema.ty;
                let config = Held::read(&mut diags, request.config, ty, CONFIG)?;
                if config.is_null() {
                    error(&mut diags, "Missing configuration", "The host sent no configuration.");
                    return None;
                }
                provider
                    .erased
                    .configure(&mut diags, ty, request.terraform_version, config.bytes())
                    .await
            };
            let answer = answer.await;
            said_nothing(&mut diags, answer, "Could not configure the provider");
            (answer, diags)
        };
        let (_, diags) = self.run(about, work).await;
        pb::configure_provider::Response { diagnostics: to_wire(diags) }
    }

    pub(super) async fn validate_resource(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::validate_resource_config::Request,
    ) -> pb::validate_resource_config::Response {
        let about = About::new("ValidateResourceConfig", &entry.name)
            .client(request.client_capabilities.as_ref());
        let knows_write_only = about.client.write_only_attributes_allowed;
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = async {
                let ty = &entry.schema.ty;
                let config = Held::read(&mut diags, request.config, ty, CONFIG)?;
                if !knows_write_only {
                    refuse_write_only(
                        &mut diags,
                        entry.schema.shape(),
                        &config.value(),
                        Path::ROOT,
                    );
                }
                entry.resource.validate(&mut diags, ty, config.bytes()).await
            };
            let answer = answer.await;
            said_nothing(&mut diags, answer, "Could not validate the configuration");
            (answer, diags)
        };
        let (_, diags) = self.run(about, work).await;
        pb::validate_resource_config::Response { diagnostics: to_wire(diags) }
    }

    pub(super) async fn validate_list(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::validate_list_resource_config::Request,
    ) -> pb::validate_list_resource_config::Response {
        let about = About::new("ValidateListResourceConfig", &entry.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = async {
                let Some(list) = &entry.list else {
                    error(
                        &mut diags,
                        "Listing is not supported",
                        format!("The provider cannot list {}.", entry.name),
                    );
                    return None;
                };
                let config = Held::read(&mut diags, request.config, &list.schema.ty, CONFIG)?;
                list.erased.validate(&mut diags, &list.schema.ty, config.bytes()).await
            };
            let answer = answer.await;
            said_nothing(&mut diags, answer, "Could not validate the configuration");
            (answer, diags)
        };
        let (_, diags) = self.run(about, work).await;
        pb::validate_list_resource_config::Response { diagnostics: to_wire(diags) }
    }

    pub(super) async fn validate_data_source(
        &self,
        entry: Arc<DataSourceEntry>,
        request: pb::validate_data_resource_config::Request,
    ) -> pb::validate_data_resource_config::Response {
        let about = About::new("ValidateDataResourceConfig", &entry.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = async {
                let ty = &entry.schema.ty;
                let config = Held::read(&mut diags, request.config, ty, CONFIG)?;
                entry.data_source.validate(&mut diags, ty, config.bytes()).await
            };
            let answer = answer.await;
            said_nothing(&mut diags, answer, "Could not validate the configuration");
            (answer, diags)
        };
        let (_, diags) = self.run(about, work).await;
        pb::validate_data_resource_config::Response { diagnostics: to_wire(diags) }
    }

    pub(super) async fn read_data(
        &self,
        entry: Arc<DataSourceEntry>,
        request: pb::read_data_source::Request,
    ) -> pb::read_data_source::Response {
        let about =
            About::new("ReadDataSource", &entry.name).client(request.client_capabilities.as_ref());
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let config = request.config.clone();
            let mut state = read_data(&registry, &entry, &mut diags, request).await;
            let deferred = deferred();
            if state.is_none() && deferred.is_some() {
                state = not_yet(&entry, &mut diags, config);
            }
            if state.is_none() {
                nothing_returned(&mut diags, "Could not read the data source", "data");
            }
            (state.map(|state| (state, deferred)), diags)
        };
        let (answer, diags) = self.run(about, work).await;
        let (state, deferred) = answer.filter(|_| diags.errors.is_empty()).unzip();
        pb::read_data_source::Response {
            state: Some(state.map_or_else(null, |msgpack| pb::DynamicValue {
                msgpack: msgpack.into(),
                json: Bytes::new(),
            })),
            diagnostics: to_wire(diags),
            deferred: deferred.flatten(),
        }
    }
}

/// What is known of data whose reading was put off: the configuration, and nothing else.
fn not_yet(
    entry: &DataSourceEntry,
    diags: &mut Diagnostics,
    config: Option<pb::DynamicValue>,
) -> Option<Vec<u8>> {
    let ty = &entry.schema.ty;
    let config = Held::read(diags, config, ty, CONFIG)?;
    let mut value = config.value();
    wire::computed_to_unknown(&mut value, ty.object()?);
    Some(wire::encode(&value, ty))
}

async fn read_data(
    registry: &Registry,
    entry: &DataSourceEntry,
    diags: &mut Diagnostics,
    request: pb::read_data_source::Request,
) -> Option<Vec<u8>> {
    const STATE: &str = "The data that was read";
    let ty = &entry.schema.ty;
    let config = Held::read(diags, request.config, ty, CONFIG)?;
    let meta = provider_meta(registry, diags, request.provider_meta)?;
    let bytes = entry.data_source.read(diags, ty, config.bytes(), &meta).await?;
    let returned = Returned::read(diags, &bytes, ty, STATE);
    returned.require_known(diags, STATE);
    let rewritten = returned.rewritten();
    Some(rewritten.unwrap_or(bytes))
}

/// The provider's metadata, as bytes; none where the schema has none.
pub(super) fn provider_meta(
    registry: &Registry,
    diags: &mut Diagnostics,
    value: Option<pb::DynamicValue>,
) -> Option<Bytes> {
    match &registry.provider.meta {
        None => Some(Bytes::new()),
        Some(meta) => {
            let held = Held::read(diags, value, &meta.ty, "provider_meta")?;
            Some(held.into_wire().msgpack)
        }
    }
}

fn said_nothing(diags: &mut Diagnostics, answer: Option<()>, summary: &str) {
    if answer.is_none() {
        nothing_returned(diags, summary, "answer");
    }
}

/// A host that does not know of write-only attributes would store them.
fn refuse_write_only(
    diags: &mut Diagnostics,
    shape: &ObjectShape,
    config: &Value<'_>,
    path: Path<'_>,
) {
    if !shape.has_write_only() {
        return;
    }
    let inside = |diags: &mut Diagnostics, field: &Field, value: &Value<'_>, path: Path<'_>| {
        if let Some(inner) = field.ty.object() {
            refuse_write_only(diags, inner, value, path);
        }
    };
    for (field, member) in shape.fields.iter().zip(config.members()) {
        let path = path.name(&field.name);
        if matches!(field.role, Role::Attribute { write_only: true, .. }) && !member.is_null() {
            diags.errors.push(crate::diagnostic::diagnostic(
                "Write-only attribute",
                "This attribute is never stored, which needs Terraform 1.11 or OpenTofu 1.11 at least.",
                path.to_attribute_path(),
            ));
        }
        match member {
            Value::Object(_) => inside(diags, field, member, path),
            Value::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    inside(diags, field, item, path.index(index));
                }
            }
            Value::Map(entries) => {
                for (key, item) in entries {
                    inside(diags, field, item, path.key(key));
                }
            }
            _ => {}
        }
    }
}
