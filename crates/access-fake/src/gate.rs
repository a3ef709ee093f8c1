//! Where every request to the API comes in and its answer goes out, unharmed or not.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::answer::{Answer, Refusal};
use crate::api::with_wait;
use crate::call::Call;
use crate::clock::http_date;
use crate::connection::Connection;
use crate::fault::Action;
use crate::service::Service;
use crate::world::ErrorBody;

/// Far beyond every request that makes sense.
const LARGEST_BODY: usize = 16 << 20;
/// Neither UTF-8 nor JSON.
const GARBAGE: &[u8] = b"\xff\xfe{\"name\": <<<";

/// Serves one request.
pub(crate) async fn serve(State(service): State<Service>, request: Request) -> Response {
    let connection = request.extensions().get::<Connection>().cloned().unwrap_or_default();
    connection.begin_request();
    let response = respond(&service, &connection, request).await;
    let (mut parts, body) = response.into_parts();
    // hyper adds a date of the machine's clock to responses that have none.
    if let Ok(date) = HeaderValue::from_str(&http_date(service.now())) {
        parts.headers.entry("date").or_insert(date);
    }
    Response::from_parts(parts, connection.observe(body))
}

async fn respond(service: &Service, connection: &Connection, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match to_bytes(body, LARGEST_BODY).await {
        Ok(body) => body.to_vec(),
        Err(error) => {
            let refusal = Refusal::bad_request(format!("the body cannot be read: {error}"));
            return whole(refusal.answer(ErrorBody::Structured));
        }
    };
    let call = Call::new(&parts, body);
    let begun = service.begin(&call, connection.number);
    wait(begun.wait).await;
    let response = match begun.action {
        None => whole(service.process(&call)),
        Some(action) => suffer(service, connection, &call, action, begun.rest).await,
    };
    service.finish(begun.number, response.status().as_u16());
    response
}

/// Answers a request that meets a fault.
async fn suffer(
    service: &Service,
    connection: &Connection,
    call: &Call,
    action: Action,
    rest: Option<Duration>,
) -> Response {
    match action {
        Action::Answer { status, headers, body, processed } => {
            if processed {
                service.process(call);
            }
            let mut answer = Answer { body: body.into_bytes(), ..Answer::empty(status) };
            answer = answer.with_header("content-type", "application/json".to_owned());
            for (name, value) in headers {
                answer.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                answer.headers.push((name, value));
            }
            whole(answer)
        }
        Action::Redirect { status, location } => {
            whole(Answer::empty(status).with_header("location", location))
        }
        Action::Delay { milliseconds } => {
            wait(Duration::from_millis(milliseconds)).await;
            whole(service.process(call))
        }
        Action::DelayAnswer { milliseconds } => {
            let answer = service.process(call);
            wait(Duration::from_millis(milliseconds)).await;
            whole(answer)
        }
        Action::Reset => connection.reset().await,
        Action::ResetAfterProcessing => {
            service.process(call);
            connection.reset().await
        }
        Action::Hang => pending().await,
        Action::HangAfterProcessing => {
            service.process(call);
            pending().await
        }
        Action::CutBody { bytes } => cut(service.process(call), bytes),
        Action::Trickle { bytes, milliseconds } => {
            trickle(service.process(call), bytes, Duration::from_millis(milliseconds))
        }
        Action::Garbage => {
            let Answer { headers, .. } = service.process(call);
            whole(Answer { status: 200, headers, body: GARBAGE.to_vec() })
        }
        Action::Huge { bytes } => whole(padded(service.process(call), bytes)),
        Action::WrongName => whole(misnamed(service.process(call))),
        Action::Unavailable { retry_after, seconds } => {
            let wait = seconds.map(Duration::from_secs).or(rest).unwrap_or_default();
            let refusal = Refusal::new(503, "the service is not available");
            let answer = refusal.answer(service.world().error_body);
            whole(with_wait(answer, retry_after, wait, service.now()))
        }
        Action::Refuse { milliseconds } => {
            service.refuse_connections(Duration::from_millis(milliseconds));
            pending().await
        }
        Action::Echo { status, header, key_only, encoding, every_character, offset } => {
            let value = call.any_header(&header).unwrap_or_default();
            let value = match value.split_once(' ') {
                Some((_, key)) if key_only => key,
                _ => value,
            };
            let echo = encoding.encode(value, every_character, offset);
            let refusal = Refusal::new(status, format!("cannot accept {header} {echo}"));
            whole(refusal.answer(service.world().error_body))
        }
    }
}

async fn wait(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

fn whole(answer: Answer) -> Response {
    let Answer { status, headers, body } = answer;
    response(status, &headers, Body::from(body))
}

fn response(status: u16, headers: &[(String, String)], body: Body) -> Response {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    // Only a fault can ask for a status or header that does not exist.
    builder.body(body).unwrap_or_else(|error| {
        let problem = format!("the fault's answer is impossible: {error}");
        (StatusCode::INTERNAL_SERVER_ERROR, problem).into_response()
    })
}

/// Announces the whole body, sends a part of it and fails, at which hyper closes the connection.
fn cut(answer: Answer, bytes: usize) -> Response {
    let Answer { status, headers, mut body } = answer;
    // Cut it is, even where all of it may arrive.
    let announced = body.len().max(bytes + 1);
    body.truncate(bytes);
    let parts = stream::unfold(Some(body), |part| async move {
        match part {
            Some(part) if !part.is_empty() => Some((Ok(Bytes::from(part)), Some(Vec::new()))),
            _ => {
                // hyper writes out what it has whenever the body keeps it waiting; without this
                // pause the part would be thrown away together with the connection.
                tokio::task::yield_now().await;
                Some((Err(io::Error::other("cut off on purpose")), None))
            }
        }
    });
    announcing(announced, response(status, &headers, Body::from_stream(parts)))
}

/// Announces the whole body and sends it piece by piece.
fn trickle(answer: Answer, bytes: usize, pause: Duration) -> Response {
    let Answer { status, headers, body } = answer;
    let length = body.len();
    let pieces = stream::unfold(Bytes::from(body), move |mut rest| async move {
        if rest.is_empty() {
            return None;
        }
        wait(pause).await;
        let piece = rest.split_to(bytes.clamp(1, rest.len()));
        Some((Ok::<_, Infallible>(piece), rest))
    });
    announcing(length, response(status, &headers, Body::from_stream(pieces)))
}

fn announcing(length: usize, mut response: Response) -> Response {
    response.headers_mut().insert("content-length", HeaderValue::from(length));
    response
}

/// The same object with a field that makes it large.
fn padded(mut answer: Answer, bytes: usize) -> Answer {
    if let Ok(Value::Object(mut object)) = serde_json::from_slice(&answer.body) {
        object.insert("padding".to_owned(), json!("x".repeat(bytes)));
        answer.body = Value::Object(object).to_string().into_bytes();
    }
    answer
}

/// The same object under the name of another one.
fn misnamed(mut answer: Answer) -> Answer {
    if let Ok(mut object) = serde_json::from_slice::<Value>(&answer.body)
        && let Some(name) = object.get("name").and_then(Value::as_str)
        && let Some((parent, _)) = name.rsplit_once('/')
    {
        object["name"] = json!(format!("{parent}/somebody-else"));
        answer.body = object.to_string().into_bytes();
    }
    answer
}
