//! A resource with a list of many strings.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueList, ValueString};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use super::schema::{attribute, block};

#[derive(Serialize, Deserialize)]
pub(crate) struct State<'a> {
    texts: ValueList<ValueString<'a>>,
}

/// Keeps what it receives.
pub(crate) struct Texts;

#[async_trait]
impl Resource for Texts {
    type State<'a> = State<'a>;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let texts = AttributeType::List(Box::new(AttributeType::String));
        let texts = attribute(texts, AttributeConstraint::Optional);
        Some(Schema { version: 0, block: block(map! { "texts" => texts }) })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: State<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(State<'a>, ValueEmpty)> {
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: State<'a>,
        _: State<'a>,
        _: ValueEmpty,
    ) -> Option<(State<'a>, ValueEmpty)> {
        Some((proposed, Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        _: State<'a>,
        proposed: State<'a>,
        _: State<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(State<'a>, ValueEmpty, Vec<AttributePath>)> {
        Some((proposed, private, vec![]))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: State<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        planned: State<'a>,
        _: State<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(State<'a>, ValueEmpty)> {
        Some((planned, private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: State<'a>,
        planned: State<'a>,
        _: State<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(State<'a>, ValueEmpty)> {
        Some((planned, private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: State<'a>,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }
}
