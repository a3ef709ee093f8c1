//! A resource that does nothing, for measurements.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use super::schema::{attribute, block};

/// Does nothing.
pub(crate) struct Empty;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EmptyState<'a> {
    pub(crate) name: ValueString<'a>,
    pub(crate) id: ValueString<'a>,
}

#[async_trait]
impl Resource for Empty {
    type State<'a> = EmptyState<'a>;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(Schema {
            version: 0,
            block: block(map! {
                "name" => attribute(AttributeType::String, AttributeConstraint::Optional),
                "id" => attribute(AttributeType::String, AttributeConstraint::Computed),
            }),
        })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: EmptyState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(EmptyState<'a>, ValueEmpty)> {
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        mut proposed: EmptyState<'a>,
        _: EmptyState<'a>,
        _: ValueEmpty,
    ) -> Option<(EmptyState<'a>, ValueEmpty)> {
        proposed.id = Value::Unknown;
        Some((proposed, Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        _: EmptyState<'a>,
        proposed: EmptyState<'a>,
        _: EmptyState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(EmptyState<'a>, ValueEmpty, Vec<AttributePath>)> {
        Some((proposed, private, vec![]))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: EmptyState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        mut planned: EmptyState<'a>,
        _: EmptyState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(EmptyState<'a>, ValueEmpty)> {
        planned.id = Value::Value("id".into());
        Some((planned, private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: EmptyState<'a>,
        planned: EmptyState<'a>,
        _: EmptyState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(EmptyState<'a>, ValueEmpty)> {
        Some((planned, private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: EmptyState<'a>,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }
}
