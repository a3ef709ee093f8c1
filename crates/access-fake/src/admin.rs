//! The admin pages under `/_fake`, through which the service can be inspected and changed without a
//! key.
//!
//! | page | methods |
//! |---|---|
//! | `requests` | GET, DELETE |
//! | `state` | GET |
//! | `world` | GET, PUT (omitted settings are reset), PATCH (omitted settings stay) |
//! | `faults` | GET, POST, DELETE |
//! | `listings/{listing}` | PUT (`{"management": …, "provider_only": …}` or no body), DELETE |
//! | `listings/{listing}/roles/{role}` | GET, PUT, PATCH, DELETE (`?soft=true` sets `deleteTime`) |
//! | `integrations/{integration}` | PUT, DELETE |
//! | `integrations/{integration}/owners/{owner}` | GET, PUT, PATCH, DELETE |

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::request::query_pairs;
use crate::service::Service;
use crate::world::World;

type PageResult = Result<Response, Problem>;
type TwoIds = Path<(String, String)>;

/// Returns the routes of the pages, without the prefix `/_fake`.
pub(crate) fn pages() -> Router<Service> {
    Router::new()
        .route("/requests", get(requests).delete(clear_requests))
        .route("/state", get(state))
        .route("/world", get(world).put(put_world).patch(patch_world))
        .route("/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/listings/{listing}", put(put_listing).delete(remove_listing))
        .route(
            "/listings/{listing}/roles/{role}",
            get(role).put(put_role).patch(patch_role).delete(remove_role),
        )
        .route("/integrations/{integration}", put(put_integration).delete(remove_integration))
        .route(
            "/integrations/{integration}/owners/{owner}",
            get(owner).put(put_owner).patch(patch_owner).delete(remove_owner),
        )
        .fallback(|| async { Problem::missing("page not found; see access-fake --help") })
}

/// An error response of a page.
struct Problem {
    status: StatusCode,
    message: String,
}

impl Problem {
    fn bad(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    fn missing(message: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: message.into() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, page(&json!({"message": self.message}))).into_response()
    }
}

fn page(value: &impl Serialize) -> Response {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text + "\n").into_response()
}

/// Returns the response to a change: the new object, or an error if it could not be saved.
fn done(service: &Service, now: Option<Value>) -> PageResult {
    match service.save_error() {
        None => Ok(page(&now.unwrap_or_else(|| json!({})))),
        Some(problem) => Err(Problem {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: format!("could not save the data: {problem}"),
        }),
    }
}

fn removed(service: &Service, was_there: bool) -> PageResult {
    if was_there { done(service, None) } else { Err(Problem::missing("not found")) }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| Problem::bad(error.to_string()))
}

async fn requests(State(service): State<Service>) -> Response {
    page(&service.requests())
}

async fn clear_requests(State(service): State<Service>) -> PageResult {
    service.clear_requests();
    done(&service, None)
}

async fn state(State(service): State<Service>) -> Response {
    page(&service.snapshot())
}

async fn world(State(service): State<Service>) -> Response {
    page(&service.world())
}

async fn put_world(State(service): State<Service>, body: Bytes) -> PageResult {
    replace_world(&service, Value::Object(read(&body)?))
}

async fn patch_world(State(service): State<Service>, body: Bytes) -> PageResult {
    let mut merged = json!(service.world());
    merge(&mut merged, Value::Object(read(&body)?));
    replace_world(&service, merged)
}

/// Replaces the settings. `new` is an object, because serde would also accept an array.
fn replace_world(service: &Service, new: Value) -> PageResult {
    let new: World =
        serde_json::from_value(new).map_err(|error| Problem::bad(error.to_string()))?;
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

async fn add_fault(State(service): State<Service>, body: Bytes) -> PageResult {
    let fault: Fault = read(&body)?;
    service.add_fault(fault);
    Ok(page(&service.faults()))
}

async fn clear_faults(State(service): State<Service>) -> Response {
    service.clear_faults();
    page(&service.faults())
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListingChange {
    management: Option<Value>,
    provider_only: bool,
}

async fn put_listing(
    State(service): State<Service>,
    Path(listing): Path<String>,
    body: Bytes,
) -> PageResult {
    let change: ListingChange =
        if body.is_empty() { ListingChange::default() } else { read(&body)? };
    service.manage_listing(&listing, change.management, change.provider_only);
    done(&service, None)
}

async fn remove_listing(State(service): State<Service>, Path(listing): Path<String>) -> PageResult {
    let was_there = service.remove_listing(&listing);
    removed(&service, was_there)
}

async fn role(State(service): State<Service>, Path((listing, role)): TwoIds) -> PageResult {
    service
        .role(&listing, &role)
        .map(|role| page(&role))
        .ok_or_else(|| Problem::missing("role not found"))
}

async fn put_role(
    State(service): State<Service>,
    Path((listing, role)): TwoIds,
    body: Bytes,
) -> PageResult {
    service.put_role(&listing, &role, &read(&body)?).map_err(Problem::bad)?;
    done(&service, service.role(&listing, &role))
}

async fn patch_role(
    State(service): State<Service>,
    Path((listing, role)): TwoIds,
    body: Bytes,
) -> PageResult {
    service.change_role(&listing, &role, &read(&body)?).map_err(Problem::bad)?;
    done(&service, service.role(&listing, &role))
}

async fn remove_role(
    State(service): State<Service>,
    Path((listing, role)): TwoIds,
    RawQuery(query): RawQuery,
) -> PageResult {
    let parameters = query_pairs(&query.unwrap_or_default());
    let is_soft = parameters.iter().any(|(name, value)| name == "soft" && value == "true");
    let was_there = if is_soft {
        service.delete_role(&listing, &role)
    } else {
        service.remove_role(&listing, &role)
    };
    removed(&service, was_there)
}

async fn put_integration(
    State(service): State<Service>,
    Path(integration): Path<String>,
) -> PageResult {
    service.put_integration(&integration);
    done(&service, None)
}

async fn remove_integration(
    State(service): State<Service>,
    Path(integration): Path<String>,
) -> PageResult {
    let was_there = service.remove_integration(&integration);
    removed(&service, was_there)
}

async fn owner(State(service): State<Service>, Path((integration, owner)): TwoIds) -> PageResult {
    service
        .owner(&integration, &owner)
        .map(|owner| page(&owner))
        .ok_or_else(|| Problem::missing("owner not found"))
}

async fn put_owner(
    State(service): State<Service>,
    Path((integration, owner)): TwoIds,
    body: Bytes,
) -> PageResult {
    service.put_owner(&integration, &owner, &read(&body)?).map_err(Problem::bad)?;
    done(&service, service.owner(&integration, &owner))
}

async fn patch_owner(
    State(service): State<Service>,
    Path((integration, owner)): TwoIds,
    body: Bytes,
) -> PageResult {
    service.change_owner(&integration, &owner, &read(&body)?).map_err(Problem::bad)?;
    done(&service, service.owner(&integration, &owner))
}

async fn remove_owner(
    State(service): State<Service>,
    Path((integration, owner)): TwoIds,
) -> PageResult {
    let was_there = service.remove_owner(&integration, &owner);
    removed(&service, was_there)
}
