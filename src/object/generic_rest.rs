//! Objects that the generic REST providers manage, for `moved` blocks.
//!
//! `restapi_object` (Mastercard/restapi) and `restful_resource` (magodo/restful) store the path of an
//! object and the last response for it. Neither state contains the base address, so the path alone
//! identifies the object, and a stored response has to agree with it. No request is sent: Terraform
//! moves states offline.

use plugin_server::MoveStateRequest;
use plugin_server::Report as _;
use serde::Deserialize;
use serde_json::Value as Json;
use tf_provider::Diagnostics;

use super::Object;

/// An object of a generic provider.
pub(crate) struct RestObject {
    /// The path that it is read at, without a query.
    pub(crate) path: String,
    /// The last response to a read, if the whole of it was stored.
    pub(crate) response: Option<Vec<u8>>,
}

/// The state of `restapi_object`.
#[derive(Deserialize)]
struct RestapiObject {
    path: Option<String>,
    id: Option<String>,
    #[serde(default)]
    read_path: Option<String>,
    /// Set if the object is selected from a list. Its response may have been rewritten then.
    #[serde(default)]
    read_search: Json,
    #[serde(default)]
    api_response: Option<String>,
}

/// The state of `restful_resource`.
#[derive(Deserialize)]
struct RestfulResource {
    /// The path of the object.
    id: Option<String>,
    /// These three reduce the response to a part of it, or to another text.
    #[serde(default)]
    output_attrs: Json,
    #[serde(default)]
    read_selector: Json,
    #[serde(default)]
    read_response_template: Json,
    #[serde(default)]
    output: Json,
    #[serde(default)]
    sensitive_output: Json,
}

impl RestObject {
    /// Reads the source of a move. Returns `None` without an error if the source is not of a
    /// generic provider.
    pub(crate) fn read(source: MoveStateRequest<'_>, diags: &mut Diagnostics) -> Option<Self> {
        if source.is_from("mastercard/restapi", "restapi_object") {
            return Some(Self::of_restapi(source.state.read(diags)?));
        }
        if source.is_from("magodo/restful", "restful_resource") {
            return Some(Self::of_restful(source.state.read(diags)?));
        }
        None
    }

    fn of_restapi(object: RestapiObject) -> Self {
        let id = object.id.unwrap_or_default();
        let path = match object.read_path.filter(|path| !path.is_empty()) {
            Some(path) => path.replace("{id}", &id),
            None => format!("{}/{id}", object.path.unwrap_or_default()),
        };
        let response = object.api_response.filter(|_| object.read_search.is_null());
        Self { path: without_query(path), response: response.map(String::into_bytes) }
    }

    fn of_restful(resource: RestfulResource) -> Self {
        let parts =
            [resource.output_attrs, resource.read_selector, resource.read_response_template];
        let is_whole = parts.iter().all(Json::is_null);
        let output =
            if resource.output.is_null() { resource.sensitive_output } else { resource.output };
        Self {
            path: without_query(resource.id.unwrap_or_default()),
            response: Some(output).filter(|_| is_whole).and_then(response_of_output),
        }
    }

    /// Returns the name that the path ends in, or adds an error.
    pub(crate) fn name<O: Object>(&self, diags: &mut Diagnostics) -> Option<O::Name> {
        let name = O::parse_name(self.last_segments()).ok();
        if name.is_none() {
            let form = O::NAME_FORM;
            self.refuse::<O>(&format!("its path does not have the form …/{form}"), diags);
        }
        name
    }

    /// Returns the last four segments of the path: parent and child, each with its collection.
    fn last_segments(&self) -> &str {
        let slashes: Vec<usize> = self.path.rmatch_indices('/').map(|(at, _)| at).collect();
        self.path.get(slashes.get(3).map_or(0, |at| at + 1)..).unwrap_or_default()
    }

    /// Returns the object in the stored response. `Some(None)` if no response with a name was
    /// stored; the response of another object is an error.
    pub(crate) fn object<O: Object>(
        &self,
        name: &O::Name,
        diags: &mut Diagnostics,
    ) -> Option<Option<O>> {
        let Some(body) = self.response.as_deref().filter(|body| has_name(body)) else {
            return Some(None);
        };
        match O::parse_body(body, name) {
            Ok(object) => Some(Some(object)),
            Err(reason) => {
                let reason = format!("the response in its state is not its own: {reason}");
                self.refuse::<O>(&reason, diags);
                None
            }
        }
    }

    /// Adds the error of an object that may not be one of this provider's.
    pub(crate) fn refuse<O: Object>(&self, reason: &str, diags: &mut Diagnostics) {
        diags.report_error(
            "Unsupported move",
            format!(
                "The object at {:?} cannot become {}: {reason}. Its state is kept. Remove the \
                 `moved` block, and import the object by its name instead.",
                self.path,
                O::TYPE
            ),
        );
    }
}

/// Returns the JSON text of an output. States contain it as a dynamic value with its type; those of
/// version 0 contain the text.
fn response_of_output(output: Json) -> Option<Vec<u8>> {
    match output {
        Json::String(text) => Some(text.into_bytes()),
        Json::Object(mut dynamic) => {
            dynamic.remove("value").map(|value| value.to_string().into_bytes())
        }
        _ => None,
    }
}

/// Returns whether a body contains a name. A body without one cannot be checked and is not used.
fn has_name(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_slice::<Named>(body).is_ok_and(|named| !named.name.is_empty())
}

fn without_query(mut path: String) -> String {
    path.truncate(path.find('?').unwrap_or(path.len()));
    path
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn restapi(state: Json) -> RestObject {
        RestObject::of_restapi(serde_json::from_value(state).unwrap())
    }

    fn restful(state: Json) -> RestObject {
        RestObject::of_restful(serde_json::from_value(state).unwrap())
    }

    #[test]
    fn restapi_object_has_the_path_that_it_is_read_at() {
        let object = restapi(json!({"path": "/a/roles", "id": "x"}));
        assert_eq!((object.path.as_str(), object.response), ("/a/roles/x", None));
        let named = json!({"path": "/a", "id": "a/b", "read_path": "/v1/{id}?full=1"});
        assert_eq!(restapi(named).path, "/v1/a/b");
    }

    #[test]
    fn response_that_was_cut_or_rewritten_is_not_used() {
        let response = "{\"name\":\"n\"}";
        let kept = |search: Json| {
            let state = json!({"path": "/a", "id": "x", "api_response": response,
                               "read_search": search});
            restapi(state).response
        };
        assert_eq!(kept(Json::Null).as_deref(), Some(response.as_bytes()));
        assert_eq!(kept(json!({"search_key": "name"})), None);
        let output = json!({"value": {"name": "n"}, "type": ["object", {"name": "string"}]});
        assert_eq!(
            restful(json!({"id": "/a", "output": output})).response.as_deref(),
            Some(response.as_bytes())
        );
        assert_eq!(
            restful(json!({"id": "/a", "output": null, "sensitive_output": output})).response,
            Some(response.into())
        );
        assert_eq!(
            restful(json!({"id": "/a", "output": response})).response,
            Some(response.into())
        );
        for part in ["output_attrs", "read_selector", "read_response_template"] {
            assert_eq!(restful(json!({"id": "/a", "output": output, part: "x"})).response, None);
        }
    }

    #[test]
    fn path_names_an_object_by_its_last_four_segments() {
        let last = |path: &str| {
            let object = RestObject { path: path.to_owned(), response: None };
            object.last_segments().to_owned()
        };
        assert_eq!(last("/api/v1/a/1/b/2"), "a/1/b/2");
        assert_eq!(last("a/1/b/2"), "a/1/b/2");
        assert_eq!(last("/a/1/b/2"), "a/1/b/2");
        assert_eq!(last("2"), "2");
    }
}
