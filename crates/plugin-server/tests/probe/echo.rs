//! A data source that returns its configuration.

use async_trait::async_trait;
use plugin_server::schema::{computed, new_schema, required};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

pub(crate) struct Echo;

#[derive(Serialize, Deserialize)]
pub(crate) struct EchoState {
    given: Value<String>,
    found: Value<String>,
}

#[async_trait]
impl DataSource for Echo {
    type State<'a> = EchoState;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let given = required(AttributeType::String, "The configuration.");
        let found = computed(AttributeType::String, "The configuration, too.");
        Some(new_schema(0, "An echo.", [("given", given), ("found", found)]))
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        config: EchoState,
        _: ValueEmpty,
    ) -> Option<EchoState> {
        let found = match config.given.as_deref_option() {
            Some("none") => return None,
            Some("unknown") => Value::Unknown,
            _ => config.given.clone(),
        };
        Some(EchoState { found, ..config })
    }
}
