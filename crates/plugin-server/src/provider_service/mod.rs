//! The service `tfplugin6.Provider`, a file for each group of its calls.

mod apply_resource_change;
mod call;
mod configure_provider;
mod generate_resource_config;
mod get_provider_schema;
mod identity;
mod import_resource_state;
mod list_resource;
mod move_resource_state;
mod plan_resource_change;
mod read_data_source;
mod read_resource;
mod upgrade_resource_state;
mod validate;
mod values;

pub(crate) use call::ProviderService;

use call::CallResponse;
use tf_provider::Diagnostics;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use crate::diagnostic::to_wire;
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::provider_server::Provider;

/// Implements the service: the calls in `inner`, and those that run the provider's code in a task
/// of their own and return its diagnostics.
macro_rules! service {
    ({ $($inner:tt)* } $($call:ident),* $(,)?) => {
        $(
            impl CallResponse for pb::$call::Response {
                fn set_diagnostics(&mut self, diags: Diagnostics) {
                    self.diagnostics = to_wire(diags);
                }
            }
        )*

        #[tonic::async_trait]
        impl Provider for ProviderService {
            $($inner)*

            $(
                async fn $call(
                    &self,
                    request: Request<pb::$call::Request>,
                ) -> Result<Response<pb::$call::Response>, Status> {
                    self.run(request).await
                }
            )*
        }
    };
}

service! {
    {
        async fn get_metadata(
            &self,
            _: Request<pb::get_metadata::Request>,
        ) -> Result<Response<pb::get_metadata::Response>, Status> {
            Ok(Response::new(self.registry.metadata()))
        }

        async fn get_provider_schema(
            &self,
            _: Request<pb::get_provider_schema::Request>,
        ) -> Result<Response<pb::get_provider_schema::Response>, Status> {
            Ok(Response::new(self.registry.provider_schema()))
        }

        async fn get_resource_identity_schemas(
            &self,
            _: Request<pb::get_resource_identity_schemas::Request>,
        ) -> Result<Response<pb::get_resource_identity_schemas::Response>, Status> {
            Ok(Response::new(self.registry.identity_schemas()))
        }

        async fn get_functions(
            &self,
            _: Request<pb::get_functions::Request>,
        ) -> Result<Response<pb::get_functions::Response>, Status> {
            // OpenTofu asks for functions that the schema does not have.
            Ok(Response::new(pb::get_functions::Response::default()))
        }

        async fn stop_provider(
            &self,
            _: Request<pb::stop_provider::Request>,
        ) -> Result<Response<pb::stop_provider::Response>, Status> {
            self.lifecycle.stop_running_calls();
            tracing::info!("the host has asked the running calls to stop");
            Ok(Response::new(pb::stop_provider::Response::default()))
        }

        async fn list_resource(
            &self,
            request: Request<pb::list_resource::Request>,
        ) -> Result<Response<BoxStream<pb::list_resource::Event>>, Status> {
            Ok(Response::new(self.list(request.into_inner())))
        }
    }
    validate_provider_config,
    configure_provider,
    validate_resource_config,
    upgrade_resource_state,
    upgrade_resource_identity,
    read_resource,
    plan_resource_change,
    apply_resource_change,
    import_resource_state,
    move_resource_state,
    generate_resource_config,
    validate_data_resource_config,
    read_data_source,
    validate_list_resource_config,
}
