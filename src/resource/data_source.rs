//! The data sources of an entity: one object, and all objects of a parent. They never write.
//!
//! Data sources read by GET and list under every `drift_detection`. They have no state to keep.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;

use access_client::{Identifier, Object};
use async_trait::async_trait;
use plugin_server::schema::{computed, list_of_objects, new_schema, required};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tf_provider::schema::{Attribute, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::call::{Call, Operation, require_run};
use super::entity::Entity;
use super::import::get_needed;
use super::serve::Served;
use super::value::{read_identifier, validate_identifier};
use crate::run::Run;
use crate::say::read::{Needed, entries_skipped};
use crate::say::{Reported, with_article};

/// What only the data sources of an entity need.
pub(crate) trait DataEntity: Entity {
    /// The state of the data source of one object.
    type One: Clone + Default + Serialize + DeserializeOwned + From<Self::State> + Send + Sync;
    /// The state of the data source of all objects of a parent.
    type All: Clone + Default + Serialize + DeserializeOwned + Send + Sync;

    /// The objects of a parent in messages, and the attribute of [`Self::All`] that contains them:
    /// "roles".
    const OBJECTS: &'static str;
    const OBJECTS_DESCRIPTION: &'static str;
    const ONE_DESCRIPTION: &'static str;
    /// The alternative to reading one object by GET.
    const INSTEAD_OF_GET: &'static str;

    /// Returns the attributes of an object, all of them computed.
    fn object_attributes() -> Vec<(&'static str, Attribute)>;
    /// Returns the attributes that select one object as arguments, which replace the computed ones.
    fn one_arguments() -> Vec<(&'static str, Attribute)>;
    /// Adds errors for a configuration that can select no object. Unknown values pass.
    fn validate_one(config: &Self::One, diags: &mut Diagnostics);
    /// Returns the object that a configuration selects, or adds an error.
    fn find_one(
        run: &Run,
        config: &Self::One,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Option<Self>> + Send;
    /// Returns the argument that names the parent.
    fn parent_of_all(config: &Self::All) -> &Value<String>;
    /// Returns all objects of a parent. `objects` are in order by ID.
    fn all(parent: Value<String>, objects: Vec<Self>) -> Self::All;
}

/// The data source of all objects of a parent, by list.
pub(crate) struct AllDataSource<E>(pub(crate) Served<E>);

/// The data source of one object.
#[async_trait]
impl<E: DataEntity> DataSource for Served<E> {
    type State<'a> = E::One;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let mut attributes: BTreeMap<_, _> = E::object_attributes().into_iter().collect();
        attributes.extend(E::one_arguments());
        Some(new_schema(0, E::ONE_DESCRIPTION, attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: E::One) -> Option<()> {
        E::validate_one(&config, diags);
        Some(())
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: E::One,
        _meta: ValueEmpty,
    ) -> Option<E::One> {
        let run = require_run(&self.configured, Operation::Data, E::WORDS.noun, diags)?;
        let object = E::find_one(&run, &config, diags).await?;
        Some(E::from_response(object).into())
    }
}

#[async_trait]
impl<E: DataEntity> DataSource for AllDataSource<E> {
    type State<'a> = E::All;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let [(parent, parent_description), _] = E::WORDS.name_arguments;
        let objects = E::OBJECTS;
        let a_parent_kind = with_article(E::WORDS.parent_noun);
        let description =
            format!("Reads all {objects} of {a_parent_kind}, regardless of who manages them.");
        let object = list_of_objects(E::object_attributes());
        let attributes = [
            (parent, required(AttributeType::String, parent_description)),
            (objects, computed(object, E::OBJECTS_DESCRIPTION)),
        ];
        Some(new_schema(0, &description, attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: E::All) -> Option<()> {
        let [(parent, _), _] = E::WORDS.name_arguments;
        validate_identifier(parent, E::parent_of_all(&config), diags);
        Some(())
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: E::All,
        _meta: ValueEmpty,
    ) -> Option<E::All> {
        let [(argument, _), _] = E::WORDS.name_arguments;
        let parent = read_identifier(argument, E::parent_of_all(&config), diags)?;
        let run = require_run(&self.0.configured, Operation::Data, &E::WORDS.plural(), diags)?;
        let object = format!("{} of {}", E::OBJECTS, E::WORDS.parent_name(&parent));
        let mut call = Call::new(&run, Operation::Data, E::WORDS, object, diags);
        let alternative = format!(
            "If the service does not list {}, `{}` reads one by GET.",
            E::OBJECTS,
            E::WORDS.resource_type
        );
        let needed = Needed::of_list(E::WORDS, alternative);
        let objects = read_all::<E>(&mut call, &parent, &needed).await.ok()?;
        Some(E::all(E::parent_of_all(&config).clone(), objects))
    }
}

/// Reads one object by GET. A list entry is not used: the list may lag or omit fields, and a data
/// source has no prior state to compare the entry with. `attribute` is that of the object's ID.
pub(crate) async fn read_one<E: DataEntity>(
    run: &Run,
    name: &E::Name,
    attribute: &'static str,
    diags: &mut Diagnostics,
) -> Option<E> {
    let mut call = Call::new(run, Operation::Data, E::WORDS, name, diags);
    let needed = Needed {
        missing: format!("The {} or its {}", E::WORDS.noun, E::WORDS.parent_noun),
        operation: "reads",
        attribute: Some(attribute),
        alternative: E::INSTEAD_OF_GET.to_owned(),
    };
    get_needed(&mut call, name, &needed).await.ok()
}

/// Returns an object that a result leaves out, with the reason.
pub(crate) fn odd<E: Object>(object: &E, reason: impl fmt::Display) -> String {
    format!("{} ({reason})", object.name())
}

/// Reads all objects of a parent, by ID. All data sources and resources of a run share the list.
pub(crate) async fn read_all<E: DataEntity>(
    call: &mut Call<'_>,
    parent: &Identifier,
    needed: &Needed,
) -> Result<Vec<E>, Reported> {
    let list = call.run.latest_list::<E>(parent).await;
    let list = list.map_err(|failed| {
        let advice = needed.advice(&failed.error);
        call.failed_with(&failed.error, advice)
    })?;
    let mut left_out = list.skipped.clone();
    let mut objects = Vec::new();
    for object in list.existing() {
        match object.defect() {
            Some(defect) => left_out.push(call.run.client.presentable(&odd(object, defect))),
            None => objects.push(object.clone()),
        }
    }
    if !left_out.is_empty() {
        call.warn(entries_skipped(&left_out));
    }
    Ok(objects)
}
