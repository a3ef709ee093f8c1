//! The provider: schema, configuration and registration.

use access_client::{IntegrationOwner, ListingRole, StopSignal};
use async_trait::async_trait;
use plugin_server::Server;
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{Diagnostics, Provider};

use crate::config::{self, ProviderConfig};
use crate::environment;
use crate::export;
use crate::integration_owners::IntegrationOwners;
use crate::resource::data_source::AllDataSource;
use crate::resource::serve::Served;
use crate::run::Configured;

/// Returns the provider with all its resources, data sources and list resources.
pub(crate) fn server() -> Server {
    let configured = Configured::new();
    let shared = || configured.clone();
    Server::builder("access", AccessProvider { configured: shared() })
        .version(env!("CARGO_PKG_VERSION"))
        .address("registry.terraform.io/access/access")
        .command(export::NAME, export::DESCRIPTION)
        .command(access_report::NAME, access_report::DESCRIPTION)
        .resource_with("listing_role", Served::<ListingRole>::new(shared()), |resource| {
            resource.list_resource().generate_config().stored_states()
        })
        .resource_with("integration_owner", Served::<IntegrationOwner>::new(shared()), |resource| {
            resource.list_resource().generate_config().stored_states()
        })
        .resource_with(
            "integration_owners",
            Served::<IntegrationOwners>::new(shared()),
            |resource| resource.generate_config().stored_states(),
        )
        .data_source("listing_role", Served::<ListingRole>::new(shared()))
        .data_source("listing_roles", AllDataSource(Served::<ListingRole>::new(shared())))
        .data_source("integration_owner", Served::<IntegrationOwner>::new(shared()))
        .data_source("integration_owners", AllDataSource(Served::<IntegrationOwner>::new(shared())))
        .build()
}

struct AccessProvider {
    configured: Configured,
}

#[async_trait]
impl Provider for AccessProvider {
    type Config<'a> = ProviderConfig;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(config::provider_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: ProviderConfig) -> Option<()> {
        config::validate(&config, &environment::variable, diags);
        Some(())
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        terraform_version: String,
        config: ProviderConfig,
    ) -> Option<()> {
        let stop = StopSignal::new(plugin_server::stop_token);
        self.configured.configure(&config, &terraform_version, stop, diags)
    }
}

#[cfg(test)]
mod tests;
