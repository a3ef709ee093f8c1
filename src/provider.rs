//! The provider: its schema, its configuration, and the list of what is registered.

use std::collections::HashMap;
use std::path::PathBuf;

use access_client::StopSignal;
use async_trait::async_trait;
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{Diagnostics, DynamicResource, Provider, map};

use crate::config::{self, ProviderConfig};
use crate::integration_owner::IntegrationOwnerResource;
use crate::listing_role::ListingRoleResource;
use crate::service::Connection;

/// The provider `access`.
pub(crate) struct AccessProvider {
    connection: Connection,
}

impl AccessProvider {
    /// A provider that is not configured yet.
    pub(crate) fn new() -> Self {
        Self { connection: Connection::new() }
    }
}

#[async_trait]
impl Provider for AccessProvider {
    type Config<'a> = ProviderConfig;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(config::provider_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: ProviderConfig) -> Option<()> {
        config::validate(&config, diags);
        Some(())
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        terraform_version: String,
        config: ProviderConfig,
    ) -> Option<()> {
        let configuration = config::configure(
            &config,
            &terraform_version,
            &config::process_environment,
            // A directory that was deleted under Terraform is in no repository.
            &std::env::current_dir().unwrap_or_else(|_| PathBuf::new()),
            StopSignal::default(),
            diags,
        )?;
        self.connection.configure(configuration, diags)
    }

    fn get_resources(
        &self,
        _diags: &mut Diagnostics,
    ) -> Option<HashMap<String, Box<dyn DynamicResource>>> {
        Some(map! {
            "listing_role" => ListingRoleResource::new(self.connection.clone()),
            "integration_owner" => IntegrationOwnerResource::new(self.connection.clone()),
        })
    }
}
