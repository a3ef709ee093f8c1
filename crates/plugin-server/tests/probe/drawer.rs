//! A resource that is written with every plan modifier and validator of the crate.

use async_trait::async_trait;
use plugin_server::plan_modifier::{
    requires_replace, resolve_unknown, use_default, use_state_for_unknown,
};
use plugin_server::schema::{computed, new_schema, optional, optional_computed, required};
use plugin_server::validator::{Validate as _, exactly_one_of};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct DrawerState {
    label: Value<String>,
    wood: Value<String>,
    depth: Value<i64>,
    left: Value<bool>,
    right: Value<bool>,
    number: Value<i64>,
    filled: Value<String>,
}

impl DrawerState {
    fn planned(self, config: &Self) -> Self {
        let depth = use_default(&config.depth, 3);
        let number = use_state_for_unknown(&self.number);
        Self { depth, number, filled: Value::Unknown, ..self }
    }

    fn applied(self) -> Self {
        let filled = Value::Value("full".to_owned());
        let number = resolve_unknown(self.number, Value::Value(7));
        Self { number, filled: resolve_unknown(self.filled, filled), ..self }
    }
}

pub(crate) struct Drawer;

#[async_trait]
impl Resource for Drawer {
    type State<'a> = DrawerState;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let attributes = [
            ("label", required(AttributeType::String, "The label.")),
            ("wood", optional(AttributeType::String, "The wood.")),
            ("depth", optional_computed(AttributeType::Number, "The depth. Defaults to 3.")),
            ("left", optional(AttributeType::Bool, "Whether it is on the left.")),
            ("right", optional(AttributeType::Bool, "Whether it is on the right.")),
            ("number", computed(AttributeType::Number, "The number, which never changes.")),
            ("filled", computed(AttributeType::String, "The content after the last change.")),
        ];
        Some(new_schema(0, "A drawer.", attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: DrawerState) -> Option<()> {
        diags
            .validate("label", &config.label)
            .not_blank()
            .length(..=8)
            .satisfies(|label| if label.is_ascii() { Ok(()) } else { Err("must be ASCII") });
        diags.validate("wood", &config.wood).one_of(&["oak", "pine"]);
        exactly_one_of(diags, &[("left", &config.left), ("right", &config.right)]);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: DrawerState,
        config: DrawerState,
        _: ValueEmpty,
    ) -> Option<(DrawerState, ValueEmpty)> {
        Some((proposed.planned(&config), Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: DrawerState,
        proposed: DrawerState,
        config: DrawerState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(DrawerState, ValueEmpty, Vec<AttributePath>)> {
        let replace = requires_replace(&[
            ("label", &prior.label, &proposed.label),
            ("wood", &prior.wood, &proposed.wood),
        ]);
        let mut planned = proposed.planned(&config);
        if prior.depth == planned.depth && replace.is_empty() {
            planned.filled = prior.filled;
        }
        Some((planned, private, replace))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: DrawerState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        planned: DrawerState,
        _: DrawerState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(DrawerState, ValueEmpty)> {
        Some((planned.applied(), private))
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: DrawerState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(DrawerState, ValueEmpty)> {
        Some((state, private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: DrawerState,
        planned: DrawerState,
        _: DrawerState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(DrawerState, ValueEmpty)> {
        Some((planned.applied(), private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: DrawerState,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }
}
