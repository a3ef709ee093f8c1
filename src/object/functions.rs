//! The functions `…_name` and `parse_…_name` of both entities: a full name from its two IDs and
//! back. Parsing accepts what import accepts.
//!
//! Functions are pure: no service, no provider configuration. Hosts call them with known values
//! that are not null, and add a full stop to an error.

use std::marker::PhantomData;

use access_client::{Identifier, Invalid, ObjectName as _};
use async_trait::async_trait;
use plugin_server::schema::new_function;
use tf_provider::schema::{FunctionSchema, Type};
use tf_provider::{AttributePath, Diagnostic, Diagnostics, Function};

use super::Entity;
use super::identity::ObjectIdentity;
use super::message::with_article;

/// The function `…_name` of an entity.
pub(crate) struct NameFunction<E>(pub(crate) PhantomData<fn() -> E>);

/// The function `parse_…_name` of an entity.
pub(crate) struct ParseNameFunction<E>(pub(crate) PhantomData<fn() -> E>);

#[async_trait]
impl<E: Entity> Function for NameFunction<E> {
    type Input<'a> = (String, String);
    type Output<'a> = String;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        let [(parent, _), (id, _)] = E::WORDS.name_arguments;
        Some(new_function(
            &format!("Full name of {}", with_article(E::WORDS.kind)),
            &format!(
                "Returns `{}` for the IDs `{parent}` and `{id}`. Sends no request: the object need not exist.",
                E::WORDS.name_form
            ),
            E::WORDS.name_arguments.map(|(name, text)| (name, Type::String, text)),
            Type::String,
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (parent, id): (String, String),
    ) -> Option<String> {
        let fault = "cannot be used as an ID";
        let parent = argument(0, &parent, fault, Identifier::parse(&parent), diags)?;
        let id = argument(1, &id, fault, Identifier::parse(&id), diags)?;
        Some(E::Name::new(parent, id).to_string())
    }
}

#[async_trait]
impl<E: Entity> Function for ParseNameFunction<E> {
    type Input<'a> = (String,);
    type Output<'a> = ObjectIdentity;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        let [(parent, _), (id, _)] = E::WORDS.name_arguments;
        let forms = format!("`{}` or `{{{parent}}}/{{{id}}}`", E::WORDS.name_form);
        Some(new_function(
            &format!("IDs in the name of {}", with_article(E::WORDS.kind)),
            &format!(
                "Accepts {forms}, as `terraform import` does, and returns an object with `{parent}` and `{id}`. Anything else is an error."
            ),
            [("name", Type::String, format!("Name: {forms}.").as_str())],
            Type::Object([parent, id].map(|name| (name.to_owned(), Type::String)).into()),
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (name,): (String,),
    ) -> Option<ObjectIdentity> {
        let a_kind = with_article(E::WORDS.kind);
        let fault = format!("is neither the name of {a_kind} nor its two IDs with a slash");
        let name = argument(0, &name, &fault, E::Name::parse_either(&name), diags)?;
        Some(ObjectIdentity::from_name::<E>(&name))
    }
}

/// Returns the parsed argument, or adds an error at it, counted from 0. `fault` continues its text:
/// "is neither a name nor two IDs".
fn argument<T>(
    index: i64,
    text: &str,
    fault: &str,
    read: Result<T, Invalid>,
    diags: &mut Diagnostics,
) -> Option<T> {
    let refuse = |error| {
        diags.errors.push(Diagnostic {
            summary: format!("{text:?} {fault}: it {error}").into(),
            detail: "".into(),
            attribute: AttributePath::function_argument(index),
        });
    };
    read.map_err(refuse).ok()
}

#[cfg(test)]
mod tests {
    use access_client::api::ListingRole;

    use super::*;

    #[tokio::test]
    async fn error_is_at_the_argument_to_blame() {
        for (parent, id, index) in [("a/b", "viewer", 0), ("github", "", 1)] {
            let mut diags = Diagnostics::default();
            let ids = (parent.to_owned(), id.to_owned());
            let function = NameFunction::<ListingRole>(PhantomData);
            assert_eq!(function.call(&mut diags, ids).await, None);
            assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(index));
        }
        let mut diags = Diagnostics::default();
        let function = ParseNameFunction::<ListingRole>(PhantomData);
        assert_eq!(function.call(&mut diags, ("github/..".to_owned(),)).await, None);
        assert!(diags.errors[0].summary.contains("must not be `.` or `..`"), "{diags:?}");
        assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(0));
    }
}
