//! The admin pages under `/_fake`, through which the service can be inspected and changed without a
//! key. `help.txt` lists them.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::service::Service;
use crate::world::World;

type Ids = Path<(String, String)>;

/// Returns the routes of the pages, without the prefix `/_fake`.
pub(crate) fn pages() -> Router<Service> {
    Router::new()
        .route(
            "/requests",
            get(|State(service): State<Service>| async move { page(&service.requests()) }),
        )
        .route("/world", get(world).patch(patch_world))
        .route("/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/listings/{listing}", put(put_listing))
        .route(
            "/listings/{listing}/roles/{role}",
            get(role).put(put_role).patch(patch_role).delete(remove_role),
        )
        .route("/integrations/{integration}", put(put_integration))
        .route(
            "/integrations/{integration}/owners/{owner}",
            get(owner).put(put_owner).delete(remove_owner),
        )
        .fallback(|| async { Problem::missing("page not found; see access-fake --help") })
}

/// An error response of a page.
struct Problem(StatusCode, String);

impl Problem {
    fn bad(error: impl ToString) -> Self {
        Self(StatusCode::BAD_REQUEST, error.to_string())
    }

    fn missing(message: &str) -> Self {
        Self(StatusCode::NOT_FOUND, message.to_owned())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, page(&json!({"message": self.1}))).into_response()
    }
}

fn page(value: &impl Serialize) -> Response {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text + "\n").into_response()
}

/// Returns an object, or that it does not exist.
fn found(object: Option<Value>) -> Result<Response, Problem> {
    object.map(|object| page(&object)).ok_or_else(|| Problem::missing("not found"))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(Problem::bad)
}

async fn world(State(service): State<Service>) -> Response {
    page(&service.world())
}

async fn patch_world(State(service): State<Service>, body: Bytes) -> Result<Response, Problem> {
    let mut merged = json!(service.world());
    // An object, because serde would also accept an array.
    merge(&mut merged, Value::Object(read(&body)?));
    let new: World = serde_json::from_value(merged).map_err(Problem::bad)?;
    service.change_world(|world| *world = new);
    Ok(page(&service.world()))
}

fn merge(into: &mut Value, change: Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (name, value) in change {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, change) => *into = change,
    }
}

async fn faults(State(service): State<Service>) -> Response {
    page(&service.faults())
}

async fn add_fault(State(service): State<Service>, body: Bytes) -> Result<Response, Problem> {
    service.add_fault(read(&body)?);
    Ok(page(&service.faults()))
}

async fn clear_faults(State(service): State<Service>) -> Response {
    service.clear_faults();
    page(&service.faults())
}

async fn put_listing(State(service): State<Service>, Path(listing): Path<String>) -> Response {
    service.put_listing(&listing);
    page(&json!({}))
}

async fn put_integration(State(service): State<Service>, Path(name): Path<String>) -> Response {
    service.put_integration(&name);
    page(&json!({}))
}

async fn role(
    State(service): State<Service>,
    Path((listing, role)): Ids,
) -> Result<Response, Problem> {
    found(service.role(&listing, &role))
}

async fn put_role(
    State(service): State<Service>,
    Path((listing, role)): Ids,
    body: Bytes,
) -> Result<Response, Problem> {
    service.put_role(&listing, &role, &read(&body)?).map_err(Problem::bad)?;
    found(service.role(&listing, &role))
}

async fn patch_role(
    State(service): State<Service>,
    Path((listing, role)): Ids,
    body: Bytes,
) -> Result<Response, Problem> {
    service.change_role(&listing, &role, &read(&body)?).map_err(Problem::bad)?;
    found(service.role(&listing, &role))
}

async fn remove_role(
    State(service): State<Service>,
    Path((listing, role)): Ids,
) -> Result<Response, Problem> {
    found(service.remove_role(&listing, &role).then(|| json!({})))
}

async fn owner(
    State(service): State<Service>,
    Path((integration, owner)): Ids,
) -> Result<Response, Problem> {
    found(service.owner(&integration, &owner))
}

async fn put_owner(
    State(service): State<Service>,
    Path((integration, owner)): Ids,
    body: Bytes,
) -> Result<Response, Problem> {
    service.put_owner(&integration, &owner, &read(&body)?).map_err(Problem::bad)?;
    found(service.owner(&integration, &owner))
}

async fn remove_owner(
    State(service): State<Service>,
    Path((integration, owner)): Ids,
) -> Result<Response, Problem> {
    found(service.remove_owner(&integration, &owner).then(|| json!({})))
}
