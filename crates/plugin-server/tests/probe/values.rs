//! The state of a resource whose attributes have the types that are hard to represent.

use plugin_server::value::Number;
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

#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Values {
    /// A float from the configuration.
    ratio: Value<f64>,
    /// A float that the provider computes.
    share: Value<f64>,
    ratios: Value<Vec<Value<f64>>>,
    exact: Value<Number>,
    names: ValueSet<Value<String>>,
    labels: Value<Vec<Value<String>>>,
    limits: Value<Vec<Value<Limit>>>,
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
        let with_ids = |limits: Vec<Value<Limit>>| {
            limits.into_iter().map(|limit| limit.map(with_id)).collect::<Vec<_>>()
        };
        self.limits = self.limits.map(with_ids);
        self
    }

    fn planned(prior: Option<Self>, proposed: Self) -> Self {
        if prior.as_ref() == Some(&proposed) {
            return proposed;
        }
        let share = Value::Unknown;
        let note = Value::Unknown;
        let text = Value::Unknown;
        Self { share, note, text, ..proposed }.with_ids(&Value::Unknown)
    }

    /// Returns the state after the apply of a plan.
    fn applied(self, _config: Self) -> Self {
        let note = Value::Value("applied".to_owned());
        let text = Value::Value("cafe\u{301}".to_owned());
        let share = Value::Value(0.1);
        Self { share, note, text, ..self }.with_ids(&Value::Value("id".to_owned()))
    }
}

pub(crate) fn values() -> Store<Values> {
    use AttributeConstraint::{Computed, Optional};
    let set = |element| AttributeType::Set(Box::new(element));
    let limit = || {
        map! {
            "name" => attribute(AttributeType::String, Optional),
            "id" => attribute(AttributeType::String, Computed),
        }
    };
    let mut root = block(map! {
        "ratio" => attribute(AttributeType::Number, Optional),
        "share" => attribute(AttributeType::Number, Computed),
        "ratios" => attribute(set(AttributeType::Number), Optional),
        "exact" => attribute(AttributeType::Number, Optional),
        "names" => attribute(set(AttributeType::String), Optional),
        "labels" => attribute(set(AttributeType::String), Optional),
        "limits" => attribute(AttributeType::AttributeSet(limit()), Optional),
        "note" => attribute(AttributeType::String, Computed),
        "text" => attribute(AttributeType::String, Computed),
    });
    root.blocks = map! { "limit" => NestedBlock::Optional(block(limit())) };
    Store { plan: Values::planned, apply: Values::applied, ..Store::new(root) }
}
