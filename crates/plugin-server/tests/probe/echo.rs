//! A data source that returns its configuration.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{DataSource, Diagnostics, map};

use super::schema::{attribute, block};

/// A data source that returns its configuration.
pub(crate) struct Echo;

#[derive(Serialize, Deserialize)]
pub(crate) struct EchoState<'a> {
    pub(crate) given: ValueString<'a>,
    pub(crate) found: ValueString<'a>,
}

#[async_trait]
impl DataSource for Echo {
    type State<'a> = EchoState<'a>;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(Schema {
            version: 0,
            block: block(map! {
                "given" => attribute(AttributeType::String, AttributeConstraint::Required),
                "found" => attribute(AttributeType::String, AttributeConstraint::Computed),
            }),
        })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        mut config: EchoState<'a>,
        _: ValueEmpty,
    ) -> Option<EchoState<'a>> {
        let given = config.given.clone();
        match given.as_ref_option().map(|given| given.as_ref()) {
            Some("none") => return None,
            Some("unknown") => config.found = Value::Unknown,
            _ => config.found = given,
        }
        Some(config)
    }
}
