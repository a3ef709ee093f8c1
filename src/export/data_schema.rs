//! JSON Schemas of the data files, made from the schema of the resources. An editor marks an empty
//! value, a misspelt key and a key twice while somebody writes, before a plan does.

use access_client::api::ListingRole;
use serde_json::{Map, Value, json};
use tf_provider::schema::{AttributeConstraint, AttributeType};

use super::files::mark;
use super::objects::ROLE;
use crate::object::Describe as _;

/// The keys of a role that are not arguments: why it exists, and when that is to be reviewed.
const REASON: &str = "Why the role exists. Only people read it.";
const REVIEW_AFTER: &str = "Date from which on each plan warns that the role is to be reviewed.";

/// Returns the schema of the file of a listing.
pub(super) fn of_listing() -> String {
    let attributes = ListingRole::resource_schema().block.attributes;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in &ROLE[2..] {
        let Some(attribute) = attributes.get(*name) else { continue };
        let mut property = match &attribute.attr_type {
            AttributeType::Number => json!({"type": "integer"}),
            AttributeType::Set(_) => json!({"type": "array", "items": non_empty()}),
            _ => json!({"type": "string"}),
        };
        if attribute.constraint == AttributeConstraint::Required {
            required.push(*name);
            if property["type"] == "string" {
                property = non_empty();
            }
        }
        property["description"] = Value::from(attribute.description.content.as_str());
        properties.insert((*name).to_owned(), property);
    }
    let review_after = r"^\d{4}-\d\d-\d\d$";
    properties.insert(
        "reason".to_owned(),
        json!({"type": "string", "minLength": 1, "description": REASON}),
    );
    properties.insert(
        "review_after".to_owned(),
        json!({"type": "string", "pattern": review_after, "description": REVIEW_AFTER}),
    );
    let role = json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    });
    schema(json!({
        "title": "Roles of a listing, by ID",
        "type": "object",
        "minProperties": 1,
        "additionalProperties": role,
    }))
}

/// Returns the schema of the file of an integration.
pub(super) fn of_integration() -> String {
    schema(json!({
        "title": "Owners of an integration",
        "type": "array",
        "minItems": 1,
        "uniqueItems": true,
        "items": {
            "type": "string",
            "pattern": "^(users|groups|teams)/[^/]+$",
            "description": "A user, group or team: users/{id}, groups/{id} or teams/{id}.",
        },
    }))
}

fn non_empty() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// Returns the text of a schema, whose first key says who has written it.
fn schema(mut schema: Value) -> String {
    schema["$schema"] = Value::from("http://json-schema.org/draft-07/schema#");
    let rest = format!("{schema:#}\n").split_off("{\n".len());
    format!("{{\n  \"$comment\": \"{}\",\n{rest}", mark(&rest))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The example has what an export writes. `UPDATE_SCHEMAS=1` writes it again.
    #[test]
    fn schemas_of_the_example_are_those_of_the_resources() {
        let team = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/team");
        for region in ["eu", "us"] {
            for (directory, expected) in
                [("listings", of_listing()), ("integrations", of_integration())]
            {
                serde_json::from_str::<Value>(&expected).unwrap();
                let path = team.join(region).join(directory).join("schema.json");
                if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                    std::fs::write(&path, &expected).unwrap();
                }
                let found = std::fs::read_to_string(&path).unwrap_or_default();
                assert!(found.replace('\r', "") == expected, "{} is out of date", path.display());
            }
        }
    }

    #[test]
    fn schema_refuses_an_empty_value_and_a_misspelt_key() {
        let schema: Value = serde_json::from_str(&of_listing()).unwrap();
        let role = &schema["additionalProperties"];
        assert_eq!(role["required"], json!(["display_name", "priority"]));
        assert_eq!(role["additionalProperties"], false);
        for (name, kind) in [
            ("display_name", "string"),
            ("priority", "integer"),
            ("description", "string"),
            ("resources", "array"),
            ("reason", "string"),
            ("review_after", "string"),
        ] {
            // No type is or includes null, which is what an empty value is.
            assert_eq!(role["properties"][name]["type"], kind, "{name}");
        }
    }
}
