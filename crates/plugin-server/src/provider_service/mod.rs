//! The service `tfplugin6.Provider`: each call finds its entry and runs in a task of its own.

mod call;
mod configuration;
mod function;
mod held;
mod list;
mod resource;
mod stored;

use std::sync::Arc;

use tf_provider::Diagnostics;
use tokio::runtime::Handle;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use crate::diagnostic::{BUG, error, to_wire};
use crate::lifecycle::Lifecycle;
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::provider_server::Provider;
use crate::registry::{DataSourceEntry, FunctionEntry, Registry, ResourceEntry};

/// What serves the calls.
#[derive(Clone)]
pub(crate) struct ProviderService {
    registry: Arc<Registry>,
    lifecycle: Arc<Lifecycle>,
    /// Where the provider's code runs.
    work: Handle,
}

type Answer<T> = Result<Response<T>, Status>;

impl ProviderService {
    pub(crate) fn new(registry: Arc<Registry>, lifecycle: Arc<Lifecycle>, work: Handle) -> Self {
        Self { registry, lifecycle, work }
    }

    /// The resource type, or the diagnostic that says there is none: a status would reach the user
    /// as "Plugin error" alone.
    fn resource(&self, name: &str) -> Result<Arc<ResourceEntry>, Vec<pb::Diagnostic>> {
        self.registry.resources.get(name).cloned().ok_or_else(|| unknown("resource type", name))
    }

    fn data_source(&self, name: &str) -> Result<Arc<DataSourceEntry>, Vec<pb::Diagnostic>> {
        self.registry.data_sources.get(name).cloned().ok_or_else(|| unknown("data source", name))
    }

    fn function(&self, name: &str) -> Option<Arc<FunctionEntry>> {
        self.registry.functions.get(name).cloned()
    }
}

fn unknown(what: &str, name: &str) -> Vec<pb::Diagnostic> {
    let mut diags = Diagnostics::default();
    error(&mut diags, format!("Unknown {what}"), format!("The provider has no {what} {name}."));
    to_wire(diags)
}

/// Adds the error of a call that returned nothing and said nothing.
pub(crate) fn nothing_returned(diags: &mut Diagnostics, summary: &str, what: &str) {
    if diags.errors.is_empty() {
        error(
            diags,
            summary.to_owned(),
            format!("The provider returned no {what}, and no error. {BUG}"),
        );
    }
}

/// Answers with the diagnostics that `$entry` failed with, or goes on with what it found.
macro_rules! found {
    ($entry:expr, $($response:ident)::+) => {
        match $entry {
            Ok(entry) => entry,
            Err(diagnostics) => {
                let mut response = <$($response)::+>::default();
                response.diagnostics = diagnostics;
                return Ok(Response::new(response));
            }
        }
    };
}

#[tonic::async_trait]
impl Provider for ProviderService {
    async fn get_metadata(
        &self,
        _: Request<pb::get_metadata::Request>,
    ) -> Answer<pb::get_metadata::Response> {
        use pb::get_metadata::{
            DataSourceMetadata, FunctionMetadata, ListResourceMetadata, ResourceMetadata,
        };
        let registry = &self.registry;
        let lists = registry.resources.values().filter(|entry| entry.list.is_some());
        Ok(Response::new(pb::get_metadata::Response {
            server_capabilities: Some(registry.capabilities()),
            diagnostics: to_wire(registry.problems.clone()),
            data_sources: (registry.data_sources.keys())
                .map(|name| DataSourceMetadata { type_name: name.clone() })
                .collect(),
            resources: (registry.resources.keys())
                .map(|name| ResourceMetadata { type_name: name.clone() })
                .collect(),
            functions: (registry.functions.keys())
                .map(|name| FunctionMetadata { name: name.clone() })
                .collect(),
            list_resources: lists
                .map(|entry| ListResourceMetadata { type_name: entry.name.clone() })
                .collect(),
            ..Default::default()
        }))
    }

    async fn get_provider_schema(
        &self,
        _: Request<pb::get_provider_schema::Request>,
    ) -> Answer<pb::get_provider_schema::Response> {
        Ok(Response::new(self.registry.schema_response()))
    }

    async fn get_resource_identity_schemas(
        &self,
        _: Request<pb::get_resource_identity_schemas::Request>,
    ) -> Answer<pb::get_resource_identity_schemas::Response> {
        let with_identity = self.registry.resources.values().filter_map(|entry| {
            Some((entry.name.clone(), entry.identity.as_ref()?.message.clone()))
        });
        Ok(Response::new(pb::get_resource_identity_schemas::Response {
            identity_schemas: with_identity.collect(),
            diagnostics: Vec::new(),
        }))
    }

    async fn validate_provider_config(
        &self,
        request: Request<pb::validate_provider_config::Request>,
    ) -> Answer<pb::validate_provider_config::Response> {
        Ok(Response::new(self.validate_provider(request.into_inner()).await))
    }

    async fn configure_provider(
        &self,
        request: Request<pb::configure_provider::Request>,
    ) -> Answer<pb::configure_provider::Response> {
        Ok(Response::new(self.configure(request.into_inner()).await))
    }

    async fn stop_provider(
        &self,
        _: Request<pb::stop_provider::Request>,
    ) -> Answer<pb::stop_provider::Response> {
        tracing::info!("the host asks the running calls to stop");
        self.lifecycle.stop_running_calls();
        Ok(Response::new(pb::stop_provider::Response::default()))
    }

    async fn validate_resource_config(
        &self,
        request: Request<pb::validate_resource_config::Request>,
    ) -> Answer<pb::validate_resource_config::Response> {
        let request = request.into_inner();
        let entry =
            found!(self.resource(&request.type_name), pb::validate_resource_config::Response);
        Ok(Response::new(self.validate_resource(entry, request).await))
    }

    async fn upgrade_resource_state(
        &self,
        request: Request<pb::upgrade_resource_state::Request>,
    ) -> Answer<pb::upgrade_resource_state::Response> {
        let request = request.into_inner();
        let entry = found!(self.resource(&request.type_name), pb::upgrade_resource_state::Response);
        Ok(Response::new(self.upgrade_state(entry, request).await))
    }

    async fn upgrade_resource_identity(
        &self,
        request: Request<pb::upgrade_resource_identity::Request>,
    ) -> Answer<pb::upgrade_resource_identity::Response> {
        let request = request.into_inner();
        let entry =
            found!(self.resource(&request.type_name), pb::upgrade_resource_identity::Response);
        Ok(Response::new(self.upgrade_identity(entry, request).await))
    }

    async fn read_resource(
        &self,
        request: Request<pb::read_resource::Request>,
    ) -> Answer<pb::read_resource::Response> {
        let request = request.into_inner();
        let entry = found!(self.resource(&request.type_name), pb::read_resource::Response);
        Ok(Response::new(self.read(entry, request).await))
    }

    async fn plan_resource_change(
        &self,
        request: Request<pb::plan_resource_change::Request>,
    ) -> Answer<pb::plan_resource_change::Response> {
        let request = request.into_inner();
        let entry = found!(self.resource(&request.type_name), pb::plan_resource_change::Response);
        Ok(Response::new(self.plan(entry, request).await))
    }

    async fn apply_resource_change(
        &self,
        request: Request<pb::apply_resource_change::Request>,
    ) -> Answer<pb::apply_resource_change::Response> {
        let request = request.into_inner();
        let entry = found!(self.resource(&request.type_name), pb::apply_resource_change::Response);
        Ok(Response::new(self.apply(entry, request).await))
    }

    async fn import_resource_state(
        &self,
        request: Request<pb::import_resource_state::Request>,
    ) -> Answer<pb::import_resource_state::Response> {
        let request = request.into_inner();
        let entry = found!(self.resource(&request.type_name), pb::import_resource_state::Response);
        Ok(Response::new(self.import(entry, request).await))
    }

    async fn move_resource_state(
        &self,
        request: Request<pb::move_resource_state::Request>,
    ) -> Answer<pb::move_resource_state::Response> {
        let request = request.into_inner();
        let entry =
            found!(self.resource(&request.target_type_name), pb::move_resource_state::Response);
        Ok(Response::new(self.move_state(entry, request).await))
    }

    async fn generate_resource_config(
        &self,
        request: Request<pb::generate_resource_config::Request>,
    ) -> Answer<pb::generate_resource_config::Response> {
        let request = request.into_inner();
        let entry =
            found!(self.resource(&request.type_name), pb::generate_resource_config::Response);
        Ok(Response::new(self.generate_config(entry, request).await))
    }

    async fn validate_data_resource_config(
        &self,
        request: Request<pb::validate_data_resource_config::Request>,
    ) -> Answer<pb::validate_data_resource_config::Response> {
        let request = request.into_inner();
        let entry = found!(
            self.data_source(&request.type_name),
            pb::validate_data_resource_config::Response
        );
        Ok(Response::new(self.validate_data_source(entry, request).await))
    }

    async fn read_data_source(
        &self,
        request: Request<pb::read_data_source::Request>,
    ) -> Answer<pb::read_data_source::Response> {
        let request = request.into_inner();
        let entry = found!(self.data_source(&request.type_name), pb::read_data_source::Response);
        Ok(Response::new(self.read_data(entry, request).await))
    }

    async fn get_functions(
        &self,
        _: Request<pb::get_functions::Request>,
    ) -> Answer<pb::get_functions::Response> {
        let functions = self.registry.functions.iter();
        Ok(Response::new(pb::get_functions::Response {
            functions: functions
                .map(|(name, entry)| (name.clone(), entry.message.clone()))
                .collect(),
            diagnostics: Vec::new(),
        }))
    }

    async fn call_function(
        &self,
        request: Request<pb::call_function::Request>,
    ) -> Answer<pb::call_function::Response> {
        Ok(Response::new(self.run_function(request.into_inner()).await))
    }

    async fn validate_list_resource_config(
        &self,
        request: Request<pb::validate_list_resource_config::Request>,
    ) -> Answer<pb::validate_list_resource_config::Response> {
        let request = request.into_inner();
        let entry =
            found!(self.resource(&request.type_name), pb::validate_list_resource_config::Response);
        Ok(Response::new(self.validate_list(entry, request).await))
    }

    async fn list_resource(
        &self,
        request: Request<pb::list_resource::Request>,
    ) -> Answer<BoxStream<pb::list_resource::Event>> {
        Ok(Response::new(self.list(request.into_inner())))
    }
}
