//! The arguments of objects: what the service records and a configuration can set. HCL and YAML write
//! this list and no other, so a plan after the export shows no change of them.

use std::collections::BTreeSet;

use access_client::api::{IntegrationOwner, ListingRole};

/// The value of an argument.
pub(super) enum Value<'a> {
    /// A string.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A set of strings.
    Texts(Vec<&'a str>),
    /// The address of a resource, as it is.
    Address(String),
}

/// The arguments of an object, by name.
pub(super) type Arguments<'a> = Vec<(&'static str, Value<'a>)>;

/// The argument of a role that only an admin may set.
pub(super) const RESOURCES: &str = "resources";

/// Returns the arguments of a role. `resources` come last.
pub(super) fn role_arguments(role: &ListingRole) -> Arguments<'_> {
    let mut arguments = vec![
        ("listing", Value::Text(role.name.listing.as_str())),
        ("role", Value::Text(role.name.role.as_str())),
        ("display_name", Value::Text(&role.display_name)),
        ("priority", Value::Integer(role.priority)),
    ];
    if !role.description.is_empty() {
        arguments.push(("description", Value::Text(&role.description)));
    }
    arguments.push((RESOURCES, Value::Texts(resources(role))));
    arguments
}

/// Returns the resources of a role, sorted and each once: the attribute is a set, and the service returns
/// any order.
pub(super) fn resources(role: &ListingRole) -> Vec<&str> {
    let resources: BTreeSet<&str> = role.resources.iter().map(String::as_str).collect();
    resources.into_iter().collect()
}

/// Returns the arguments of an owner.
pub(super) fn owner_arguments(owner: &IntegrationOwner) -> Arguments<'_> {
    vec![
        ("integration", Value::Text(owner.name.integration.as_str())),
        ("owner", Value::Text(&owner.owner)),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use access_client::{Identifier, IntegrationOwnerName, ListingRoleName};
    use tf_provider::schema::{AttributeConstraint, Schema};

    use super::*;
    use crate::object::Describe as _;

    /// Returns a role whose every field is set.
    pub(in super::super) fn whole_role() -> ListingRole {
        let id = |text| Identifier::parse(text).unwrap();
        let text = |text: &str| Some(text.to_owned());
        ListingRole {
            name: ListingRoleName { listing: id("github"), role: id("viewer") },
            display_name: "Viewer".to_owned(),
            description: "Reads.".to_owned(),
            resources: ["b", "a", "b"].map(str::to_owned).into(),
            priority: -7,
            management: text("TERRAFORM"),
            manager: text("TERRAFORM"),
            repo_uri: text("https://git.example.com/a/b"),
            repo_dir: text("access"),
            create_time: text("2026-01-01T00:00:00Z"),
            update_time: text("2026-01-02T00:00:00Z"),
            delete_time: None,
        }
    }

    /// Returns an owner whose every field is set.
    pub(in super::super) fn whole_owner() -> IntegrationOwner {
        let id = |text| Identifier::parse(text).unwrap();
        IntegrationOwner {
            name: IntegrationOwnerName { integration: id("okta"), owner: id("own-9") },
            owner: "groups/platform".to_owned(),
            create_time: Some("2026-01-01T00:00:00Z".to_owned()),
            update_time: Some("2026-01-02T00:00:00Z".to_owned()),
        }
    }

    fn names(arguments: &Arguments<'_>) -> BTreeSet<String> {
        arguments.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    /// Returns what a configuration can set, without the arguments in `others`.
    fn settable(schema: &Schema, others: &[&str]) -> BTreeSet<String> {
        let attributes = schema.block.attributes.iter();
        let names: BTreeSet<String> = attributes
            .filter(|(_, attribute)| attribute.constraint != AttributeConstraint::Computed)
            .map(|(name, _)| name.clone())
            .collect();
        assert!(others.iter().all(|name| names.contains(*name)), "{others:?} in {names:?}");
        names.into_iter().filter(|name| !others.contains(&name.as_str())).collect()
    }

    /// An argument that is missing here would be cleared by the apply after an export.
    #[test]
    fn every_argument_that_the_service_records_is_exported() {
        let role = whole_role();
        // These are about creating and destroying. The service does not record them.
        let options = ["adopt_existing", "allow_missing", "deletion_policy"];
        let expected = settable(&ListingRole::resource_schema(), &options);
        assert_eq!(names(&role_arguments(&role)), expected);

        let owner = whole_owner();
        // An import stores the ID of an owner, so the configuration need not.
        let others = ["adopt_existing", "deletion_policy", "integration_owner_id"];
        let expected = settable(&IntegrationOwner::resource_schema(), &others);
        assert_eq!(names(&owner_arguments(&owner)), expected);
    }
}
