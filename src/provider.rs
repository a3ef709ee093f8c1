//! The provider: its schema, its configuration, and the list of what is registered.

use std::path::PathBuf;

use access_client::StopSignal;
use async_trait::async_trait;
use plugin_server::Server;
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{Diagnostics, Provider};

use crate::config::{self, ProviderConfig};
use crate::integration_owner::IntegrationOwnerResource;
use crate::listing_role::ListingRoleResource;
use crate::service::Connection;

/// The provider with everything registered: the phone book.
pub(crate) fn server() -> Server {
    let connection = Connection::new();
    Server::builder("access", AccessProvider { connection: connection.clone() })
        .version(env!("CARGO_PKG_VERSION"))
        .address("registry.terraform.io/access/access")
        .resource_with("listing_role", ListingRoleResource::new(connection.clone()), |it| {
            it.upgrade().moves().list().generate_config()
        })
        .resource_with("integration_owner", IntegrationOwnerResource::new(connection), |it| {
            it.upgrade().moves().list().generate_config()
        })
        .build()
}

/// The provider `access` itself.
struct AccessProvider {
    connection: Connection,
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
            StopSignal::new(plugin_server::stop_token),
            diags,
        )?;
        self.connection.configure(configuration, diags)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use serde_json::Value;
    use tf_provider::Resource;
    use tf_provider::schema::Block;

    use super::*;
    use crate::integration_owner::IntegrationOwnerState;
    use crate::listing_role::ListingRoleState;

    /// A resource as it is registered, with its schema and the keys of its state.
    fn entry<R: Resource>(
        name: &'static str,
        resource: &R,
        state: serde_json::Result<Value>,
    ) -> (&'static str, Block, BTreeSet<String>) {
        let schema = resource.schema(&mut Diagnostics::default()).unwrap();
        let keys = state.unwrap().as_object().unwrap().keys().cloned().collect();
        (name, schema.block, keys)
    }

    fn resources() -> [(&'static str, Block, BTreeSet<String>); 2] {
        let role = ListingRoleResource::new(Connection::new());
        let owner = IntegrationOwnerResource::new(Connection::new());
        [
            entry("listing_role", &role, serde_json::to_value(ListingRoleState::default())),
            entry(
                "integration_owner",
                &owner,
                serde_json::to_value(IntegrationOwnerState::default()),
            ),
        ]
    }

    #[test]
    fn schemas_are_what_hosts_accept() {
        assert_eq!(*server().problems(), Diagnostics::default());
    }

    fn provider_block() -> Block {
        config::provider_schema().block
    }

    #[test]
    fn states_have_the_attributes_of_their_schemas() {
        for (name, block, keys) in resources() {
            let attributes: BTreeSet<_> = block.attributes.keys().cloned().collect();
            assert_eq!(keys, attributes, "{name}");
        }
    }

    #[test]
    fn descriptions_are_sentences() {
        let blocks = resources().into_iter().map(|(_, block, _)| block);
        for block in blocks.chain([provider_block()]) {
            assert!(block.description.content.ends_with('.'), "{}", block.description.content);
            for (name, attribute) in block.attributes {
                let description = attribute.description.content;
                assert!(
                    description.ends_with('.') && description.len() > 9,
                    "{name}: {description}"
                );
            }
        }
    }

    #[test]
    fn everything_has_an_example_and_a_page() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (name, ..) in resources() {
            for file in
                ["resource.tf", "import.sh", "import-by-string-id.tf", "import-by-identity.tf"]
            {
                let path = top.join(format!("examples/resources/access_{name}")).join(file);
                assert!(path.exists(), "{}", path.display());
            }
            assert!(top.join(format!("docs/resources/{name}.md")).exists(), "{name}");
            assert!(top.join(format!("docs/list-resources/{name}.md")).exists(), "{name}");
        }
    }

    #[test]
    fn secrets_are_sensitive_and_nothing_else_is() {
        let block = provider_block();
        let sensitive: BTreeSet<_> = block
            .attributes
            .iter()
            .filter(|(_, it)| it.sensitive)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(sensitive, BTreeSet::from(["api_key", "request_headers"]));
    }
}
