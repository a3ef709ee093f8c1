//! Resources with a list of many strings, in types that borrow them and types that own them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueList, ValueString};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use super::schema::{attribute, block};

#[derive(Serialize, Deserialize)]
pub(crate) struct Borrowed<'a> {
    #[serde(with = "plugin_server::value::streamed", borrow)]
    texts: ValueList<Value<&'a str>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Streamed<'a> {
    #[serde(with = "plugin_server::value::streamed")]
    texts: ValueList<ValueString<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Buffered<'a> {
    texts: ValueList<ValueString<'a>>,
}

/// Strings that borrow from the message.
pub(crate) struct BorrowedTexts;
/// Strings of tf-provider, read without a buffer.
pub(crate) struct StreamedTexts;
/// Strings of tf-provider.
pub(crate) struct BufferedTexts;

macro_rules! keeps_what_it_receives {
    ($resource:ty, $state:ident) => {
        #[async_trait]
        impl Resource for $resource {
            type State<'a> = $state<'a>;
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
                state: $state<'a>,
                private: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<($state<'a>, ValueEmpty)> {
                Some((state, private))
            }

            async fn plan_create<'a>(
                &self,
                _: &mut Diagnostics,
                proposed: $state<'a>,
                _: $state<'a>,
                _: ValueEmpty,
            ) -> Option<($state<'a>, ValueEmpty)> {
                Some((proposed, Value::Null))
            }

            async fn plan_update<'a>(
                &self,
                _: &mut Diagnostics,
                _: $state<'a>,
                proposed: $state<'a>,
                _: $state<'a>,
                private: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<($state<'a>, ValueEmpty, Vec<AttributePath>)> {
                Some((proposed, private, vec![]))
            }

            async fn plan_destroy<'a>(
                &self,
                _: &mut Diagnostics,
                _: $state<'a>,
                private: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<ValueEmpty> {
                Some(private)
            }

            async fn create<'a>(
                &self,
                _: &mut Diagnostics,
                planned: $state<'a>,
                _: $state<'a>,
                private: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<($state<'a>, ValueEmpty)> {
                Some((planned, private))
            }

            async fn update<'a>(
                &self,
                _: &mut Diagnostics,
                _: $state<'a>,
                planned: $state<'a>,
                _: $state<'a>,
                private: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<($state<'a>, ValueEmpty)> {
                Some((planned, private))
            }

            async fn destroy<'a>(
                &self,
                _: &mut Diagnostics,
                _: $state<'a>,
                _: ValueEmpty,
                _: ValueEmpty,
            ) -> Option<()> {
                Some(())
            }
        }
    };
}

keeps_what_it_receives!(BorrowedTexts, Borrowed);
keeps_what_it_receives!(StreamedTexts, Streamed);
keeps_what_it_receives!(BufferedTexts, Buffered);
