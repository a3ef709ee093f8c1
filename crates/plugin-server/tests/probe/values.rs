//! A resource whose attributes have the types that are hard to represent. It stores its plan.

use std::collections::BTreeMap;

use async_trait::async_trait;
use plugin_server::value::{Any, Number, Set};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, NestedBlock, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueSet, ValueString, serde_as_vec};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use super::schema::{attribute, block};

/// Stores its plan.
pub(crate) struct Values;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Limit {
    pub(crate) name: Value<String>,
    pub(crate) id: Value<String>,
}

/// An element with an attribute of any type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) any: Any,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValuesState<'a> {
    /// A float from the configuration.
    pub(crate) ratio: Value<f64>,
    /// A float that the provider computes.
    pub(crate) share: Value<f64>,
    pub(crate) ratios: ValueSetOfFloats,
    pub(crate) exact: Value<Number>,
    pub(crate) names: ValueSet<ValueString<'a>>,
    pub(crate) labels: Value<Set<ValueString<'a>>>,
    pub(crate) limits: Value<Set<Value<Limit>>>,
    pub(crate) any: Any,
    pub(crate) items: Value<Vec<Value<Item>>>,
    pub(crate) entries: Value<BTreeMap<String, Value<Item>>>,
    pub(crate) token: ValueString<'a>,
    pub(crate) note: ValueString<'a>,
    /// Text that is not in normalisation form C.
    pub(crate) text: ValueString<'a>,
    #[serde(with = "serde_as_vec")]
    pub(crate) limit: Value<Limit>,
}

type ValueSetOfFloats = Value<Vec<Value<f64>>>;

impl ValuesState<'_> {
    /// Returns the plan of a change.
    fn planned(mut self) -> Self {
        self.share = Value::Unknown;
        self.note = Value::Unknown;
        self.text = Value::Unknown;
        if let Value::Value(limit) = &mut self.limit {
            limit.id = Value::Unknown;
        }
        if let Value::Value(limits) = self.limits {
            let planned = limits
                .into_iter()
                .map(|limit| limit.map(|limit| Limit { id: Value::Unknown, ..limit }));
            self.limits = Value::Value(planned.collect());
        }
        self
    }

    /// Returns the state after the apply of a plan. Only the configuration contains the token.
    fn applied(mut self, config: &ValuesState<'_>) -> Self {
        self.share = Value::Value(0.1);
        let sizes = [&self.token, &config.token].map(|token| token.as_str().len());
        self.note = Value::Value(format!("{sizes:?}").into());
        self.text = Value::Value("cafe\u{301}".into());
        let id = || Value::Value("id".to_owned());
        if let Value::Value(limit) = &mut self.limit {
            limit.id = id();
        }
        if let Value::Value(limits) = self.limits {
            let applied =
                limits.into_iter().map(|limit| limit.map(|limit| Limit { id: id(), ..limit }));
            self.limits = Value::Value(applied.collect());
        }
        self
    }
}

#[async_trait]
impl Resource for Values {
    type State<'a> = ValuesState<'a>;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeConstraint::{Computed, Optional, OptionalComputed};
        let set = |element| AttributeType::Set(Box::new(element));
        let limit = || {
            map! {
                "name" => attribute(AttributeType::String, Optional),
                "id" => attribute(AttributeType::String, Computed),
            }
        };
        let item = || map! { "any" => attribute(AttributeType::Any, Optional) };
        let mut root = block(map! {
            "ratio" => attribute(AttributeType::Number, Optional),
            "share" => attribute(AttributeType::Number, Computed),
            "ratios" => attribute(set(AttributeType::Number), Optional),
            "exact" => attribute(AttributeType::Number, Optional),
            "names" => attribute(set(AttributeType::String), Optional),
            "labels" => attribute(set(AttributeType::String), Optional),
            "limits" => attribute(AttributeType::AttributeSet(limit()), Optional),
            "any" => attribute(AttributeType::Any, OptionalComputed),
            "items" => attribute(AttributeType::AttributeList(item()), Optional),
            "entries" => attribute(AttributeType::AttributeMap(item()), Optional),
            "token" => attribute(AttributeType::String, Optional),
            "note" => attribute(AttributeType::String, Computed),
            "text" => attribute(AttributeType::String, Computed),
        });
        root.blocks = map! { "limit" => NestedBlock::Optional(block(limit())) };
        Some(Schema { version: 0, block: root })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: ValuesState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(ValuesState<'a>, ValueEmpty)> {
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: ValuesState<'a>,
        _: ValuesState<'a>,
        _: ValueEmpty,
    ) -> Option<(ValuesState<'a>, ValueEmpty)> {
        Some((proposed.planned(), Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: ValuesState<'a>,
        proposed: ValuesState<'a>,
        _: ValuesState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(ValuesState<'a>, ValueEmpty, Vec<AttributePath>)> {
        let planned = if proposed == prior { proposed } else { proposed.planned() };
        Some((planned, private, vec![]))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: ValuesState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        planned: ValuesState<'a>,
        config: ValuesState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(ValuesState<'a>, ValueEmpty)> {
        Some((planned.applied(&config), private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: ValuesState<'a>,
        planned: ValuesState<'a>,
        config: ValuesState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(ValuesState<'a>, ValueEmpty)> {
        Some((planned.applied(&config), private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: ValuesState<'a>,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }
}
