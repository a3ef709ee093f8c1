//! An owner of an integration: the stored owner, the request body and the response.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::names::check_identifier;
use crate::response::ApiError;
use crate::role::omit_defaults;
use crate::world::World;

const KINDS: [&str; 3] = ["users", "groups", "teams"];

/// A stored owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Owner {
    pub(crate) owner: String,
    pub(crate) create_time: String,
    pub(crate) update_time: String,
}

impl Owner {
    /// Parses the body of a POST and returns the owner's principal.
    pub(crate) fn read(object: Map<String, Value>) -> Result<String, ApiError> {
        let mut owner = None;
        for (name, value) in object {
            match (name.as_str(), value) {
                ("owner", Value::String(text)) => owner = Some(text),
                ("owner", other) => {
                    return Err(ApiError::bad_request(format!(
                        "owner must be a string, not {other}"
                    )));
                }
                ("name" | "createTime" | "updateTime", _) => {
                    return Err(ApiError::bad_request(format!(
                        "{name} is set by the service and cannot be sent"
                    )));
                }
                _ => {
                    return Err(ApiError::bad_request(format!(
                        "{name} is not a field of an integration owner"
                    )));
                }
            }
        }
        let owner = owner.ok_or_else(|| ApiError::bad_request("owner is required"))?;
        let is_valid = owner
            .split_once('/')
            .is_some_and(|(kind, id)| KINDS.contains(&kind) && check_identifier(id).is_ok());
        if !is_valid {
            return Err(ApiError::bad_request(format!(
                "owner must be users/{{user}}, groups/{{group}} or teams/{{team}}, not {owner:?}"
            )));
        }
        Ok(owner)
    }

    /// Returns the owner with all its fields.
    pub(crate) fn full(&self, name: &str) -> Value {
        json!({
            "name": name,
            "owner": self.owner,
            "createTime": self.create_time,
            "updateTime": self.update_time,
        })
    }

    /// Returns the owner as it appears in responses.
    pub(crate) fn to_response(&self, name: &str, world: &World) -> Value {
        let mut response = self.full(name);
        if world.unknown_fields_in_responses {
            response["ownershipKind"] = json!("OWNERSHIP_NOT_YET_INVENTED");
        }
        if world.omit_defaults {
            omit_defaults(&mut response);
        }
        response
    }
}
