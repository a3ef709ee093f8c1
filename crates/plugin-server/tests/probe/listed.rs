//! The listing of the resource that does nothing. It sends one object, and then waits until it is
//! cancelled.

use async_trait::async_trait;
use plugin_server::{
    CallContext, IdentitySchema, ListResource, ListResult, ListResultsStream, ResourceWithIdentity,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{Diagnostics, map};

use super::empty::{Empty, EmptyState};
use super::schema::{attribute, block};
use super::touch;

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedIdentity<'a> {
    id: ValueString<'a>,
}

#[async_trait]
impl ResourceWithIdentity for Empty {
    type Identity<'a> = ListedIdentity<'a>;

    fn identity_schema(&self, _: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(IdentitySchema::new().required("id", AttributeType::String, "The ID."))
    }

    async fn identity<'a>(
        &self,
        _: &mut Diagnostics,
        state: &EmptyState<'a>,
    ) -> Option<ListedIdentity<'a>> {
        Some(ListedIdentity { id: state.id.clone() })
    }

    async fn import_identity<'a>(
        &self,
        _: &mut Diagnostics,
        identity: ListedIdentity<'a>,
    ) -> Option<(EmptyState<'a>, ValueEmpty)> {
        Some((EmptyState { name: Value::Null, id: identity.id }, Value::Null))
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedConfig<'a> {
    /// The directory of the files by which the test observes the listing.
    directory: ValueString<'a>,
}

#[async_trait]
impl ListResource for Empty {
    type ListConfig<'a> = ListedConfig<'a>;

    fn list_schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let directory = attribute(AttributeType::String, AttributeConstraint::Required);
        Some(Schema { version: 0, block: block(map! { "directory" => directory }) })
    }

    async fn list<'a>(
        &self,
        _: &mut Diagnostics,
        config: ListedConfig<'a>,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let directory = config.directory.unwrap_or_default();
        let identity = ListedIdentity { id: Value::Value("first".into()) };
        let _ = stream.send(ListResult::new("first", identity)).await;
        touch(&directory, "listing");
        CallContext::current().unwrap().cancelled().await;
        touch(&directory, "cancelled");
        Some(())
    }
}
