//! The functions `listing_role_name` and `parse_listing_role_name`: a role's name from its two IDs
//! and back. Parsing takes what import takes.

use access_client::ListingRoleName;
use async_trait::async_trait;
use serde::Serialize;
use tf_provider::schema::{FunctionSchema, Type};
use tf_provider::{Diagnostics, Function};

use super::object::parse_name;
use super::schema;
use crate::object::function::{argument, function, identifier, object_of_texts};

/// The function `listing_role_name`.
pub(crate) struct ListingRoleNameFunction;

#[async_trait]
impl Function for ListingRoleNameFunction {
    type Input<'a> = (String, String);
    type Output<'a> = String;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        Some(function(
            "The full name of a listing role",
            "Makes `listings/{listing}/roles/{role}` of the IDs of a listing and of a role in it, without asking the service whether they exist.",
            [("listing", schema::LISTING), ("role", schema::ROLE)],
            Type::String,
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (listing, role): (String, String),
    ) -> Option<String> {
        let name = ListingRoleName {
            listing: identifier(0, &listing, diags)?,
            role: identifier(1, &role, diags)?,
        };
        Some(name.to_string())
    }
}

/// The function `parse_listing_role_name`.
pub(crate) struct ParseListingRoleNameFunction;

/// What a role's name consists of.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ListingRoleNameParts {
    listing: String,
    role: String,
}

#[async_trait]
impl Function for ParseListingRoleNameFunction {
    type Input<'a> = (String,);
    type Output<'a> = ListingRoleNameParts;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<FunctionSchema> {
        Some(function(
            "The IDs in the name of a listing role",
            "Takes `listings/{listing}/roles/{role}` or `{listing}/{role}`, as `terraform import` does, and returns an object with `listing` and `role`. Anything else is an error.",
            [(
                "name",
                "Name of the role: `listings/{listing}/roles/{role}` or `{listing}/{role}`.",
            )],
            object_of_texts(["listing", "role"]),
        ))
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (name,): (String,),
    ) -> Option<ListingRoleNameParts> {
        let fault = "is neither the name of a listing role nor its two IDs with a slash";
        let name = argument(0, &name, fault, parse_name(&name), diags)?;
        Some(ListingRoleNameParts {
            listing: name.listing.to_string(),
            role: name.role.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use tf_provider::AttributePath;

    use super::*;

    #[tokio::test]
    async fn listing_role_name_is_parsed_in_both_forms() {
        for text in ["listings/github/roles/viewer", "github/viewer"] {
            let mut diags = Diagnostics::default();
            let parts = ParseListingRoleNameFunction.call(&mut diags, (text.to_owned(),)).await;
            let expected =
                ListingRoleNameParts { listing: "github".to_owned(), role: "viewer".to_owned() };
            assert_eq!(parts, Some(expected), "{text}");
        }
    }

    #[tokio::test]
    async fn listing_role_name_that_is_none_is_an_error_that_says_why() {
        let long = format!("github/{}", "x".repeat(513));
        let cases = [
            ("", "must have the form listings/{listing}/roles/{role}"),
            ("github", "must have the form"),
            ("a/b/c", "must have the form"),
            ("listings/github/roles/viewer/", "must have the form"),
            ("integrations/github/owners/o-1", "must have the form"),
            ("listings/github/roles/", "must not be empty"),
            ("/viewer", "must not be empty"),
            ("github/..", "must not be `.` or `..`"),
            ("github/a b", "blanks"),
            ("github/a%2Fb", "must not contain `%`"),
            (&long, "at most 512 bytes"),
        ];
        for (text, says) in cases {
            let mut diags = Diagnostics::default();
            let parts = ParseListingRoleNameFunction.call(&mut diags, (text.to_owned(),)).await;
            assert_eq!(parts, None, "{text}");
            assert!(diags.errors[0].summary.contains(says), "{text}: {diags:?}");
            assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(0));
        }
    }

    #[tokio::test]
    async fn listing_role_name_blames_the_argument() {
        for (listing, role, index) in [("a/b", "viewer", 0), ("github", "", 1)] {
            let mut diags = Diagnostics::default();
            let ids = (listing.to_owned(), role.to_owned());
            assert_eq!(ListingRoleNameFunction.call(&mut diags, ids).await, None);
            assert_eq!(diags.errors[0].attribute, AttributePath::function_argument(index));
        }
    }
}
