//! The admin pages under `/_fake`, through which the service can be inspected and changed without a
//! key. `help.txt` lists them.

use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::names::Target;
use crate::object::Object;
use crate::response::{ApiResponse, response};
use crate::service::Service;

/// The content of a page, or why there is none.
type Page = Result<String, String>;

/// Returns the page at a path, which is without the prefix `/_fake`.
pub(crate) fn respond(service: &Service, method: &Method, path: &str, body: &[u8]) -> ApiResponse {
    let (status, text) = match page(service, method, path, body) {
        Ok(text) => (200, text),
        Err(problem) => (400, json!({ "message": problem }).to_string()),
    };
    response(status, "application/json", text + "\n")
}

/// Reads or changes the service. A method that does not change an object shows it.
fn page(service: &Service, method: &Method, path: &str, body: &[u8]) -> Page {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match (method.as_str(), segments.as_slice()) {
        ("GET", ["requests"]) => shown(&service.requests()),
        ("GET", ["world"]) => shown(&service.world()),
        ("PATCH", ["world"]) => {
            let changed = service.world().changed(read(body)?);
            let changed = changed.map_err(|error| error.to_string())?;
            service.change_world(|world| *world = changed);
            shown(&service.world())
        }
        ("POST", ["faults"]) => {
            service.add_fault(read(body)?);
            shown(&service.faults())
        }
        ("DELETE", ["faults"]) => {
            service.clear_faults();
            shown(&service.faults())
        }
        _ => object(service, method, path.trim_start_matches('/'), body),
    }
}

/// Reads or changes an object.
fn object(service: &Service, method: &Method, name: &str, body: &[u8]) -> Page {
    let target = Target::of_name(name)?;
    match method.as_str() {
        "PUT" => service.put(name, &read(body)?)?,
        "PATCH" => {
            let mut change: Object = read(body)?;
            // The service unsets it for every client but the provider.
            if target.kind.fields().iter().any(|field| field.name == "manager") {
                change.entry("manager").or_insert(Value::Null);
            }
            service.change(name, &change.into())?;
        }
        "DELETE" if service.remove(name) => return Ok("{}".to_owned()),
        _ => {}
    }
    shown(&service.object(name).ok_or("not found")?)
}

/// Returns a page of JSON.
fn shown(value: &impl Serialize) -> Page {
    serde_json::to_string_pretty(value).map_err(|error| error.to_string())
}

/// Parses the body of a request to a page.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}
