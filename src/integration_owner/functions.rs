//! The functions `integration_owner_name` and `parse_integration_owner_name`: an owner's name from
//! its two IDs and back. Parsing takes what import takes.

use access_client::IntegrationOwnerName;
use async_trait::async_trait;
use serde::Serialize;
use tf_provider::schema::{FunctionSchema, Type};
use tf_provider::{Diagnostics, Function};

use super::object::parse_name;
use super::schema;
use crate::object::function::{argument, function, identifier, object_of_texts};

/// The function `integration_owner_name`.
pub(crate) struct IntegrationOwnerNameFunction;

#[async_trait]
impl Function for IntegrationOwnerNameFunction {
    type Input<'a> = (String, String);
    type Output<'a> = String;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        let owner = format!(
            "{} It is `integration_owner_id` of the resource, not the user, group or team.",
            schema::INTEGRATION_OWNER_ID
        );
        Some(function(
            "The full name of an integration owner",
            "Makes `integrations/{integration}/owners/{owner}` of the IDs of an integration and of an owner in it, without asking the service whether they exist.",
            [("integration", schema::INTEGRATION), ("owner", &owner)],
            Type::String,
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (integration, owner): (String, String),
    ) -> Option<String> {
        let name = IntegrationOwnerName {
            integration: identifier(0, &integration, diags)?,
            owner: identifier(1, &owner, diags)?,
        };
        Some(name.to_string())
    }
}

/// The function `parse_integration_owner_name`.
pub(crate) struct ParseIntegrationOwnerNameFunction;

/// What an owner's name consists of.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct IntegrationOwnerNameParts {
    integration: String,
    owner: String,
}

#[async_trait]
impl Function for ParseIntegrationOwnerNameFunction {
    type Input<'a> = (String,);
    type Output<'a> = IntegrationOwnerNameParts;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        Some(function(
            "The IDs in the name of an integration owner",
            "Takes `integrations/{integration}/owners/{owner}` or `{integration}/{owner}`, as `terraform import` does, and returns an object with `integration` and `owner`. Anything else is an error.",
            [(
                "name",
                "Name of the owner: `integrations/{integration}/owners/{owner}` or `{integration}/{owner}`.",
            )],
            object_of_texts(["integration", "owner"]),
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (name,): (String,),
    ) -> Option<IntegrationOwnerNameParts> {
        let fault = "is neither the name of an integration owner nor its two IDs with a slash";
        let name = argument(0, &name, fault, parse_name(&name), diags)?;
        Some(IntegrationOwnerNameParts {
            integration: name.integration.to_string(),
            owner: name.owner.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use tf_provider::AttributePath;

    use super::*;

    #[tokio::test]
    async fn integration_owner_name_is_parsed_in_both_forms() {
        for text in ["integrations/okta/owners/o-1", "okta/o-1"] {
            let mut diags = Diagnostics::default();
            let parts =
                ParseIntegrationOwnerNameFunction.call(&mut diags, (text.to_owned(),)).await;
            let expected = IntegrationOwnerNameParts {
                integration: "okta".to_owned(),
                owner: "o-1".to_owned(),
            };
            assert_eq!(parts, Some(expected), "{text}");
        }
    }

    #[tokio::test]
    async fn integration_owner_name_that_is_none_is_an_error_that_says_why() {
        let cases = [
            ("okta", "must have the form integrations/{integration}/owners/{owner}"),
            ("okta/users/alice", "must have the form"),
            ("listings/github/roles/viewer", "must have the form"),
            ("integrations/okta/owners/", "must not be empty"),
        ];
        for (text, says) in cases {
            let mut diags = Diagnostics::default();
            let parts =
                ParseIntegrationOwnerNameFunction.call(&mut diags, (text.to_owned(),)).await;
            assert_eq!(parts, None, "{text}");
            assert!(diags.errors[0].summary.contains(says), "{text}: {diags:?}");
            assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(0));
        }
    }

    #[tokio::test]
    async fn integration_owner_name_blames_the_argument() {
        for (integration, owner, index) in [("", "o-1", 0), ("okta", "users/alice", 1)] {
            let mut diags = Diagnostics::default();
            let ids = (integration.to_owned(), owner.to_owned());
            assert_eq!(IntegrationOwnerNameFunction.call(&mut diags, ids).await, None);
            assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(index));
        }
    }
}
