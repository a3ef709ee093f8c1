//! The arguments of objects: what the service records and a configuration can set. HCL and YAML write
//! this list and no other, so a plan after the export shows no change of them.

use std::collections::BTreeSet;

use access_client::api::{IntegrationOwner, ListingRole};
use serde_json::Value;

/// The arguments of an object, by name. A set of strings is an array.
pub(super) type Arguments = Vec<(&'static str, Value)>;

/// The argument of a role that only an admin may set.
pub(super) const RESOURCES: &str = "resources";

/// Returns the arguments of a role. `resources` come last.
pub(super) fn role_arguments(role: &ListingRole) -> Arguments {
    let mut arguments = vec![
        ("listing", role.name.listing.as_str().into()),
        ("role", role.name.role.as_str().into()),
        ("display_name", role.display_name.as_str().into()),
        ("priority", role.priority.into()),
    ];
    if !role.description.is_empty() {
        arguments.push(("description", role.description.as_str().into()));
    }
    arguments.push((RESOURCES, resources(role).into()));
    arguments
}

/// Returns the resources of a role, sorted and each once: the attribute is a set, and the service returns
/// any order.
pub(super) fn resources(role: &ListingRole) -> Vec<&str> {
    let resources: BTreeSet<&str> = role.resources.iter().map(String::as_str).collect();
    resources.into_iter().collect()
}

pub(super) fn owner_arguments(owner: &IntegrationOwner) -> Arguments {
    vec![
        ("integration", owner.name.integration.as_str().into()),
        ("owner", owner.owner.as_str().into()),
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

    /// Fails the test unless a configuration can set these arguments, `others`, and nothing else.
    fn assert_complete(arguments: &Arguments, others: &[&str], schema: &Schema) {
        let attributes = schema.block.attributes.iter();
        let settable: BTreeSet<&str> = attributes
            .filter(|(_, attribute)| attribute.constraint != AttributeConstraint::Computed)
            .map(|(name, _)| name.as_str())
            .collect();
        let names = arguments.iter().map(|(name, _)| name).chain(others).copied();
        assert_eq!(names.collect::<BTreeSet<_>>(), settable);
    }

    /// An argument that is missing here would be cleared by the apply after an export.
    #[test]
    fn every_argument_that_the_service_records_is_exported() {
        // These are about creating and destroying. The service does not record them.
        let options = ["adopt_existing", "allow_missing", "deletion_policy"];
        let arguments = role_arguments(&whole_role());
        assert_complete(&arguments, &options, &ListingRole::resource_schema());
        // An import stores the ID of an owner, so the configuration need not.
        let others = ["adopt_existing", "deletion_policy", "integration_owner_id"];
        let arguments = owner_arguments(&whole_owner());
        assert_complete(&arguments, &others, &IntegrationOwner::resource_schema());
    }
}
