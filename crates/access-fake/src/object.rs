//! The objects: the bodies that clients send, and the responses.

use serde_json::{Map, Value, json};

use crate::field::{Field, Form};
use crate::kind::Kind;
use crate::response::ApiError;
use crate::world::World;

/// A stored object, by the names of its fields in the API.
pub(crate) type Object = Map<String, Value>;

impl Kind {
    /// Returns a field by its name in the API.
    fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// Returns an object that was created now.
    pub(crate) fn blank(self, now: &str) -> Object {
        let fields = self.fields().iter().filter(|field| !field.is_optional);
        let mut blank: Object =
            fields.map(|field| (field.name.to_owned(), field.cleared())).collect();
        for time in ["createTime", "updateTime"] {
            blank.insert(time.to_owned(), json!(now));
        }
        blank
    }

    /// Returns an object of this ID that was created now, about which nothing is said.
    pub(crate) fn made_up(self, id: &str, now: &str) -> Object {
        let mut object = self.blank(now);
        let (name, value) = self.label(id);
        object.insert(name.to_owned(), value);
        object
    }

    /// Reads the body of a write, which contains the required fields and no others than a client
    /// can send.
    pub(crate) fn read_body(self, body: Object) -> Result<Object, ApiError> {
        for (name, value) in &body {
            match self.field(name) {
                Some(field) if field.is_sent => field.check(value)?,
                None if !matches!(name.as_str(), "name" | "management") => {
                    let (_, objects) = self.collections();
                    let problem = format!("{name} is not a field of {objects}");
                    return Err(ApiError::bad_request(problem));
                }
                _ => {
                    let problem = format!("{name} is set by the service and cannot be sent");
                    return Err(ApiError::bad_request(problem));
                }
            }
        }
        let is_missing = |name: &&&str| body.get(**name).is_none_or(|value| value == "");
        match self.required().iter().find(is_missing) {
            Some(missing) => Err(ApiError::bad_request(format!("{missing} is required"))),
            None => Ok(body),
        }
    }

    /// Parses an `updateMask`.
    pub(crate) fn read_mask(self, mask: &str) -> Result<Vec<&'static Field>, ApiError> {
        let field = |name| {
            self.field(name).filter(|field| field.is_sent).ok_or_else(|| {
                ApiError::bad_request(format!("updateMask names {name:?}, which cannot be set"))
            })
        };
        mask.split(',').map(field).collect()
    }

    /// Returns the fields that a body contains.
    pub(crate) fn fields_of(self, body: &Object) -> Vec<&'static Field> {
        self.fields().iter().filter(|field| body.contains_key(field.name)).collect()
    }

    /// Returns an object with fields changed by hand; null clears a field.
    pub(crate) fn changed(self, object: &Object, change: &Value) -> Result<Object, String> {
        let change = change.as_object().ok_or("a change is an object of fields")?;
        let mut object = object.clone();
        for (name, value) in change {
            let field = self.field(name).ok_or_else(|| format!("{name} is not a field"))?;
            match value {
                Value::Null if field.is_optional => _ = object.remove(name),
                Value::Null => _ = object.insert(name.clone(), field.cleared()),
                // A number is easier to write by hand.
                Value::Number(number) if field.form == Form::Decimal => {
                    object.insert(name.clone(), json!(number.to_string()));
                }
                value => {
                    field.check(value).map_err(|error| error.message)?;
                    object.insert(name.clone(), value.clone());
                }
            }
        }
        Ok(object)
    }
}

/// Returns whether the service keeps an object after its delete, with a `deleteTime`.
pub(crate) fn is_deleted(object: &Object) -> bool {
    object.contains_key("deleteTime")
}

/// Returns an object with its name, and the `management` that a role inherits.
pub(crate) fn full(object: &Object, name: &str, management: Option<&Value>) -> Value {
    let mut full = object.clone();
    full.insert("name".to_owned(), json!(name));
    full.extend(management.map(|management| ("management".to_owned(), management.clone())));
    Value::Object(full)
}

/// Returns an object as it appears in responses.
pub(crate) fn in_response(
    object: &Object,
    name: &str,
    management: Option<&Value>,
    world: &World,
) -> Value {
    let mut response = full(object, name, management);
    if world.omit_defaults {
        omit_defaults(&mut response);
    }
    response
}

/// Removes the fields that proto3 JSON omits.
pub(crate) fn omit_defaults(response: &mut Value) {
    let Value::Object(fields) = response else { return };
    fields.retain(|name, value| {
        let is_zero = name == "priority" && *value == "0";
        !is_zero && *value != "" && value.as_array().is_none_or(|items| !items.is_empty())
    });
}
