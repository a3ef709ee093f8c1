//! What is exported: the attributes of objects as data sources show them, and which of them are
//! arguments.

use std::sync::LazyLock;

use access_client::api::{IntegrationOwner, ListingRole};
use serde_json::Value;

use crate::integration_owner::attributes as integration_owner;
use crate::listing_role::attributes as listing_role;
use crate::object::attributes::exported;
use crate::object::data_source::DataEntity;

/// The arguments of a role that the service records, in the order of a block. HCL and YAML write
/// them and no others, so a plan after the export shows no change of them.
pub(super) static ROLE: LazyLock<Vec<&str>> = LazyLock::new(|| exported(listing_role::ATTRIBUTES));

/// The arguments of an owner. An import stores its ID, so the configuration need not.
pub(super) static OWNER: LazyLock<Vec<&str>> =
    LazyLock::new(|| exported(integration_owner::ATTRIBUTES));

/// The argument of a role that only an admin may set.
pub(super) const RESOURCES: &str = "resources";

/// The objects of an export: by parent in the order of the arguments, then by ID. Each is a JSON
/// object of attributes by name; what the service does not record is null.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) roles: Vec<Value>,
    /// In a configuration, owners whose principal is a user, group or team.
    pub(super) owners: Vec<Value>,
}

impl Objects {
    /// Returns the objects in the order in which they are given.
    pub(super) fn new(
        roles: Vec<ListingRole>,
        owners: Vec<IntegrationOwner>,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self { roles: attributes(roles)?, owners: attributes(owners)? })
    }
}

/// Returns the attributes of objects, as their data source shows them.
fn attributes<E: DataEntity>(objects: Vec<E>) -> Result<Vec<Value>, serde_json::Error> {
    let shown = objects.into_iter().map(|object| E::One::from(E::from_response(object)));
    shown.map(serde_json::to_value).collect()
}

/// Returns an attribute as text: "" for null, and the elements of a set in one line.
pub(super) fn text(attribute: &Value) -> String {
    match attribute {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(elements) => elements.iter().map(text).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tf_provider::schema::{AttributeConstraint, Schema};

    use super::*;
    use crate::object::Describe as _;

    /// An argument that is missing here would be cleared by the apply after an export.
    #[test]
    fn every_argument_that_the_service_records_is_exported() {
        let settable = |schema: Schema| -> BTreeSet<String> {
            let mut attributes = schema.block.attributes;
            attributes.retain(|_, it| it.constraint != AttributeConstraint::Computed);
            attributes.into_keys().collect()
        };
        let owned = |names: &[&str], others: &[&str]| -> BTreeSet<String> {
            names.iter().chain(others).map(|name| (*name).to_owned()).collect()
        };
        // These are about creating and destroying. The service does not record them.
        let others = ["adopt_existing", "allow_missing", "deletion_policy"];
        assert_eq!(settable(ListingRole::resource_schema()), owned(&ROLE, &others));
        let others = ["adopt_existing", "deletion_policy", "integration_owner_id"];
        assert_eq!(settable(IntegrationOwner::resource_schema()), owned(&OWNER, &others));
    }
}
