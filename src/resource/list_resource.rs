//! List resources: the objects of a parent for `terraform query`.
//!
//! Pages are requested one by one, no more than the limit needs.

use std::collections::BTreeMap;

use access_client::{Error, ObjectName as _};
use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::{ListResource, ListResult, ListResultsStream};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::call::{Call, Operation, require_run};
use super::data_source::odd;
use super::entity::Entity;
use super::identity::ObjectIdentity;
use super::serve::Served;
use super::value::{read_identifier, validate_identifier};
use crate::say::blocks::import_block;
use crate::say::read::{Needed, entries_skipped};
use crate::say::{Reported, with_article};

/// The arguments of a `list` block.
type Arguments = BTreeMap<String, Value<String>>;

#[async_trait]
impl<E: Entity> ListResource for Served<E> {
    type ListConfig<'a> = Arguments;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let [(parent, description), _] = E::WORDS.name_arguments;
        let parent = (parent, required(AttributeType::String, description));
        let description =
            format!("The {} of {}.", E::WORDS.plural(), with_article(E::WORDS.parent_noun));
        let arguments = std::iter::once(parent).chain(E::list_filters());
        Some(new_schema(0, &description, arguments))
    }

    async fn validate_list<'a>(&self, diags: &mut Diagnostics, config: Arguments) -> Option<()> {
        let [(parent, _), _] = E::WORDS.name_arguments;
        validate_identifier(parent, config.get(parent)?, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Arguments,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let [(argument, _), _] = E::WORDS.name_arguments;
        let parent = read_identifier(argument, config.get(argument)?, diags)?;
        let run = require_run(&self.configured, Operation::List, &E::WORDS.plural(), diags)?;
        let name = E::WORDS.parent_name(&parent);
        let mut call = Call::new(&run, Operation::List, E::WORDS, name, diags);
        let mut pages = E::pages(&run.client, &parent);
        // With a filter, the number of objects that remain of a page is not known in advance.
        let is_filtered = config.iter().any(|(name, value)| name != argument && value.is_value());
        let mut skipped = Vec::new();
        'pages: loop {
            let remaining = usize::try_from(stream.remaining()).unwrap_or(usize::MAX);
            let at_most = if is_filtered { usize::MAX } else { remaining };
            let page = match pages.next(at_most).await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(error) => {
                    report_failure::<E>(&mut call, &error);
                    return None;
                }
            };
            skipped.extend(page.skipped);
            // Deleted objects are not listed, whether the service omits them or not.
            let listed = page
                .items
                .into_iter()
                .filter(|object| object.delete_time().is_none() && E::is_selected(&config, object));
            for object in listed {
                // It could not be imported.
                let fault = object.name().id().check().err().map(|fault| format!("its ID {fault}"));
                if let Some(reason) = object.defect().map(str::to_owned).or(fault) {
                    skipped.push(run.client.presentable(&odd(&object, reason)));
                    continue;
                }
                let identity = ObjectIdentity::from_name::<E>(object.name());
                let name = object.display_name();
                let state = stream.include_resource().then(|| E::from_response(object));
                let result = ListResult::new(name, identity).with_resource(state);
                if stream.send(result).await.is_break() {
                    // The host wants no more.
                    break 'pages;
                }
            }
        }
        if !skipped.is_empty() {
            call.warn(entries_skipped(&skipped));
        }
        Some(())
    }
}

/// Adds the error of a page that failed, and shows how to import an object without the list.
fn report_failure<E: Entity>(call: &mut Call<'_>, error: &Error) -> Reported {
    let (_, object) = E::Name::WORDS;
    let id = format!("{}/{object}s/ID", call.object);
    let instead = format!(
        "Objects can be imported by name instead, with a block for each:\n\n{}",
        import_block(call.words.resource_type, id)
    );
    call.failed_with(error, Needed::of_list(call.words, instead).advice(error))
}
