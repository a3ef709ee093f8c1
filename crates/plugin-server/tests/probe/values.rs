//! The state of a resource whose attributes have the types that are hard to represent.

use std::collections::BTreeMap;

use plugin_server::value::{Any, Number, Set};
use serde::{Deserialize, Serialize};
use tf_provider::map;
use tf_provider::schema::{AttributeConstraint, AttributeType, NestedBlock};
use tf_provider::value::{Value, ValueSet, serde_as_vec};

use super::schema::{attribute, block};
use super::store::Store;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Limit {
    name: Value<String>,
    id: Value<String>,
}

/// An element with an attribute of any type.
#[derive(PartialEq, Serialize, Deserialize)]
struct Item {
    any: Any,
}

#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Values {
    /// A float from the configuration.
    ratio: Value<f64>,
    /// A float that the provider computes.
    share: Value<f64>,
    ratios: Value<Vec<Value<f64>>>,
    exact: Value<Number>,
    names: ValueSet<Value<String>>,
    labels: Value<Set<Value<String>>>,
    limits: Value<Set<Value<Limit>>>,
    any: Any,
    items: Value<Vec<Value<Item>>>,
    entries: Value<BTreeMap<String, Value<Item>>>,
    token: Value<String>,
    note: Value<String>,
    /// Text that is not in normalisation form C.
    text: Value<String>,
    #[serde(with = "serde_as_vec")]
    limit: Value<Limit>,
}

impl Values {
    fn with_ids(mut self, id: &Value<String>) -> Self {
        let with_id = |limit| Limit { id: id.clone(), ..limit };
        self.limit = self.limit.map(with_id);
        self.limits = self
            .limits
            .map(|limits| limits.into_iter().map(|limit| limit.map(with_id)).collect::<Set<_>>());
        self
    }

    fn planned(prior: Option<Self>, proposed: Self) -> Self {
        if prior.as_ref() == Some(&proposed) {
            return proposed;
        }
        let (share, note, text) = (Value::Unknown, Value::Unknown, Value::Unknown);
        Self { share, note, text, ..proposed }.with_ids(&Value::Unknown)
    }

    /// Returns the state after the apply of a plan. Only the configuration contains the token.
    fn applied(self, config: Self) -> Self {
        let sizes =
            [&self.token, &config.token].map(|token| token.as_deref_option().map_or(0, str::len));
        let note = Value::Value(format!("{sizes:?}"));
        let text = Value::Value("cafe\u{301}".to_owned());
        let share = Value::Value(0.1);
        Self { share, note, text, ..self }.with_ids(&Value::Value("id".to_owned()))
    }
}

pub(crate) fn values() -> Store<Values> {
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
    Store { plan: Values::planned, apply: Values::applied, ..Store::new(root) }
}
