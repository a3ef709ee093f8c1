//! A role of a listing: the stored role, the request body and the response.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::response::ApiError;
use crate::world::World;

/// Fields that only the service sets, and that clients must not send.
const SET_BY_SERVICE: [&str; 6] =
    ["createTime", "updateTime", "deleteTime", "manager", "management", "name"];

/// A stored role. Fields that the API leaves unset are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Role {
    pub(crate) display_name: String,
    pub(crate) description: String,
    pub(crate) resources: Vec<String>,
    #[serde(with = "decimal")]
    pub(crate) priority: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manager: Option<String>,
    pub(crate) repo_uri: String,
    pub(crate) repo_dir: String,
    pub(crate) create_time: String,
    pub(crate) update_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delete_time: Option<String>,
}

impl Role {
    pub(crate) fn is_deleted(&self) -> bool {
        self.delete_time.is_some()
    }

    /// Returns the role with all its fields.
    pub(crate) fn full(&self, name: &str, management: Option<&Value>) -> Value {
        let mut response = as_object(self);
        response.insert("name".to_owned(), json!(name));
        if let Some(management) = management {
            response.insert("management".to_owned(), management.clone());
        }
        Value::Object(response)
    }

    /// Returns the role as it appears in responses.
    pub(crate) fn to_response(
        &self,
        name: &str,
        management: Option<&Value>,
        world: &World,
    ) -> Value {
        let mut response = self.full(name, management);
        if world.priority_as_number {
            response["priority"] = json!(self.priority);
        }
        if world.unknown_fields_in_responses {
            response["visibilityHints"] = json!({"audience": ["ALL_USERS"], "weight": 0.5});
            if management.is_none() {
                response["management"] = json!("MANAGEMENT_NOT_YET_INVENTED");
            }
        }
        if world.omit_defaults {
            omit_defaults(&mut response);
        }
        response
    }
}

/// A field that a client can send and name in a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    DisplayName,
    Description,
    Resources,
    Priority,
    RepoUri,
    RepoDir,
}

impl Field {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "displayName" => Self::DisplayName,
            "description" => Self::Description,
            "resources" => Self::Resources,
            "priority" => Self::Priority,
            "repoUri" => Self::RepoUri,
            "repoDir" => Self::RepoDir,
            _ => return None,
        })
    }

    /// Parses an `updateMask`.
    pub(crate) fn of_mask(mask: &str) -> Result<Vec<Self>, ApiError> {
        if mask.is_empty() {
            return Err(ApiError::bad_request("updateMask is empty"));
        }
        mask.split(',')
            .map(|name| {
                Self::of_name(name).ok_or_else(|| {
                    ApiError::bad_request(format!("updateMask names {name:?}, which cannot be set"))
                })
            })
            .collect()
    }
}

/// The body of a PATCH.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoleBody {
    display_name: Option<String>,
    description: Option<String>,
    pub(crate) resources: Option<Vec<String>>,
    priority: Option<i64>,
    repo_uri: Option<String>,
    repo_dir: Option<String>,
}

impl RoleBody {
    pub(crate) fn read(object: Map<String, Value>) -> Result<Self, ApiError> {
        let mut body = Self::default();
        for (name, value) in object {
            let Some(field) = Field::of_name(&name) else {
                let problem = if SET_BY_SERVICE.contains(&name.as_str()) {
                    "is set by the service and cannot be sent"
                } else {
                    "is not a field of a role"
                };
                return Err(ApiError::bad_request(format!("{name} {problem}")));
            };
            match field {
                Field::DisplayName => body.display_name = Some(text(&name, value)?),
                Field::Description => body.description = Some(text(&name, value)?),
                Field::Resources => body.resources = Some(texts(&name, value)?),
                Field::Priority => body.priority = Some(priority(value)?),
                Field::RepoUri => body.repo_uri = Some(text(&name, value)?),
                Field::RepoDir => body.repo_dir = Some(text(&name, value)?),
            }
        }
        if body.display_name.as_deref() == Some("") {
            return Err(ApiError::bad_request("displayName is empty"));
        }
        let required =
            [("displayName", body.display_name.is_some()), ("priority", body.priority.is_some())];
        match required.iter().find(|(_, is_set)| !is_set) {
            Some((missing, _)) => Err(ApiError::bad_request(format!("{missing} is required"))),
            None => Ok(body),
        }
    }

    /// Returns the fields that the body contains.
    pub(crate) fn present(&self) -> Vec<Field> {
        [
            (self.display_name.is_some(), Field::DisplayName),
            (self.description.is_some(), Field::Description),
            (self.resources.is_some(), Field::Resources),
            (self.priority.is_some(), Field::Priority),
            (self.repo_uri.is_some(), Field::RepoUri),
            (self.repo_dir.is_some(), Field::RepoDir),
        ]
        .into_iter()
        .filter_map(|(present, field)| present.then_some(field))
        .collect()
    }

    /// Sets exactly these fields. Those that the body does not contain are cleared.
    pub(crate) fn set(&self, fields: &[Field], role: &mut Role, world: &World) {
        for field in fields {
            match field {
                Field::DisplayName => {
                    role.display_name = self.display_name.clone().unwrap_or_default()
                }
                Field::Description => {
                    role.description = self.description.clone().unwrap_or_default()
                }
                Field::Resources => role.resources = self.resources.clone().unwrap_or_default(),
                Field::Priority => role.priority = self.priority.unwrap_or_default(),
                Field::RepoUri | Field::RepoDir if !world.records_repository => {}
                Field::RepoUri => {
                    let uri = self.repo_uri.clone().unwrap_or_default();
                    role.repo_uri = world.canonical_repo_uri(uri);
                }
                Field::RepoDir => role.repo_dir = self.repo_dir.clone().unwrap_or_default(),
            }
        }
    }
}

fn text(name: &str, value: Value) -> Result<String, ApiError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(ApiError::bad_request(format!("{name} must be a string, not {other}"))),
    }
}

fn texts(name: &str, value: Value) -> Result<Vec<String>, ApiError> {
    match value {
        Value::Array(items) => items.into_iter().map(|item| text(name, item)).collect(),
        other => {
            Err(ApiError::bad_request(format!("{name} must be a list of strings, not {other}")))
        }
    }
}

/// Parses a priority. The schema requires a string, because many clients lose digits of numbers.
fn priority(value: Value) -> Result<i64, ApiError> {
    let error = || {
        ApiError::bad_request(format!("priority must be a decimal string of 64 bits, not {value}"))
    };
    let digits = value.as_str().ok_or_else(error)?;
    if digits.starts_with('+') {
        return Err(error());
    }
    digits.parse().map_err(|_| error())
}

/// Returns an object with some fields changed; null clears a field.
pub(crate) fn changed<T>(object: &T, change: &Value) -> Result<T, String>
where
    T: Default + Serialize + for<'de> Deserialize<'de>,
{
    let Value::Object(change) = change else {
        return Err(format!("a change is an object of fields, not {change}"));
    };
    let cleared = as_object(&T::default());
    let mut fields = as_object(object);
    for (name, value) in change {
        let value = if value.is_null() { cleared.get(name).unwrap_or(value) } else { value };
        fields.insert(name.clone(), value.clone());
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

fn as_object<T: Serialize>(object: &T) -> Map<String, Value> {
    match serde_json::to_value(object) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Removes the fields that proto3 JSON omits.
pub(crate) fn omit_defaults(response: &mut Value) {
    if let Value::Object(fields) = response {
        fields.retain(|name, value| {
            let is_default = match value {
                Value::String(text) => text.is_empty() || (name == "priority" && text == "0"),
                Value::Array(items) => items.is_empty(),
                Value::Number(number) => name == "priority" && number.as_i64() == Some(0),
                _ => false,
            };
            !is_default
        });
    }
}

/// A 64-bit integer as a decimal string, as in the API. For changes by hand, a number is accepted too.
mod decimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Spelling {
        Number(i64),
        Text(String),
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    pub(super) fn serialize<S: Serializer>(number: &i64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
        match Spelling::deserialize(from)? {
            Spelling::Number(number) => Ok(number),
            Spelling::Text(text) => text.parse().map_err(D::Error::custom),
        }
    }
}
