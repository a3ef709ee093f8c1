//! Tests of the client over real sockets.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod certificates;
mod connections;
mod errors;
mod http2;
mod pages;
mod proxies;
mod server;

use std::time::Duration;

use access_client::{
    ApiKey, BaseUrl, Client, Error, ErrorKind, FieldMask, Identifier, IntegrationOwner,
    ListingRole, ListingRoleName, ListingRolePatch, Missing, Object, ObjectName, Principal,
    ProxySettings, RoleField, Settings, StopSignal,
};
use server::{Reply, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

const ROLE: &str =
    r#"{"name":"listings/github/roles/viewer","displayName":"Viewer","priority":"3"}"#;
const KEY: &str = "canary-key+/=";

/// Longer than any test runs, so that a slow machine does not cause a timeout. Tests of timeouts
/// set the clock forward: see [`timed_out`].
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3_600);

fn settings(base_url: &str) -> Settings {
    let base_url = BaseUrl::parse(base_url).unwrap();
    Settings {
        user_agent: "test/1".to_owned(),
        request_timeout: REQUEST_TIMEOUT,
        max_retries: 2,
        max_retry_wait: Duration::from_secs(60),
        ..Settings::new(base_url, ApiKey::parse(KEY).unwrap())
    }
}

fn client(server: &Server) -> Client {
    Client::new(settings(&server.base_url())).unwrap()
}

fn role() -> ListingRoleName {
    ListingRoleName::parse("listings/github/roles/viewer").unwrap()
}

fn patch() -> ListingRolePatch {
    let mut patch = ListingRolePatch::default();
    patch.set(RoleField::DisplayName, "Viewer".into());
    patch.set(RoleField::Priority, i64::MIN.to_string().into());
    patch
}

fn mask() -> FieldMask {
    FieldMask::new([RoleField::Priority, RoleField::DisplayName]).unwrap()
}

/// Waits for a call. Sets the clock forward as soon as the service has received its request, if
/// that has no response.
async fn timed_out<T>(server: &Server, reply: &Reply, call: impl Future<Output = T>) -> T {
    let requests = server.requests().len();
    let forward = async {
        if matches!(reply, Reply::Hang | Reply::Stall) {
            server.saw(requests + 1).await;
            tokio::time::pause();
            tokio::time::advance(REQUEST_TIMEOUT).await;
            tokio::time::resume();
        }
    };
    tokio::join!(call, forward).0
}

async fn get(client: &Client) -> Result<ListingRole, Error> {
    ListingRole::get(client, &role()).await
}

/// Reads a role of a service with one response.
async fn get_of(reply: Reply) -> Result<ListingRole, Error> {
    let server = Server::start(vec![reply]).await;
    get(&client(&server)).await
}

async fn post(client: &Client) -> Result<IntegrationOwner, Error> {
    let integration = Identifier::parse("github").unwrap();
    let owner = Principal::parse("users/a").unwrap();
    client.create_integration_owner(&integration, &owner, None).await
}

#[tokio::test]
async fn patch_sends_what_the_document_shows() {
    let server = Server::start(vec![Reply::ok(ROLE)]).await;
    let role = client(&server)
        .update_listing_role(&role(), &patch(), &mask(), Missing::Create)
        .await
        .unwrap();
    assert_eq!(role.priority, 3);
    let requests = server.requests();
    let request = &requests[0];
    assert!(
        request.starts_with(
            "PATCH /api/v1/listings/github/roles/viewer?updateMask=displayName,priority&allowMissing=true HTTP/1.1\r\n"
        ),
        "{request}"
    );
    let lower = request.to_ascii_lowercase();
    assert!(lower.contains("\r\nauthorization: bearer canary-key+/=\r\n"), "{request}");
    assert!(lower.contains("\r\ncontent-type: application/json\r\n"), "{request}");
    assert!(lower.contains("\r\nuser-agent: test/1\r\n"), "{request}");
    assert!(
        request.ends_with("{\"displayName\":\"Viewer\",\"priority\":\"-9223372036854775808\"}"),
        "{request}"
    );
}

/// Another program may have changed them since the read.
#[tokio::test]
async fn fields_that_the_client_does_not_know_are_not_sent_back() {
    let read = ROLE.replace('}', r#","etag":"x","approvals":{"count":2}}"#);
    let server = Server::start(vec![Reply::ok(&read), Reply::ok(ROLE)]).await;
    let client = client(&server);
    get(&client).await.unwrap();
    client.update_listing_role(&role(), &patch(), &mask(), Missing::Fail).await.unwrap();
    let requests = server.requests();
    let (head, body) = requests[1].split_once("\r\n\r\n").unwrap();
    // Without `allowMissing`: an update creates nothing.
    let line =
        "PATCH /api/v1/listings/github/roles/viewer?updateMask=displayName,priority HTTP/1.1\r\n";
    assert!(head.starts_with(line), "{head}");
    assert_eq!(body, "{\"displayName\":\"Viewer\",\"priority\":\"-9223372036854775808\"}");
}

#[tokio::test]
async fn passing_failures_are_retried_for_calls_that_may_be_repeated() {
    for reply in [
        Reply::status(500, ""),
        Reply::status(502, ""),
        Reply::status(503, ""),
        Reply::status(504, ""),
        Reply::Reset,
        Reply::CutOff,
        Reply::Hang,
        Reply::Stall,
    ] {
        let script = vec![Reply::ok(ROLE), reply.clone(), Reply::ok(ROLE)];
        let server = Server::start(script).await;
        let client = client(&server);
        // On a connection that was used before.
        get(&client).await.unwrap();
        let role = role();
        let patch = patch();
        let mask = mask();
        let call = client.update_listing_role(&role, &patch, &mask, Missing::Fail);
        let response = timed_out(&server, &reply, call).await;
        assert!(response.is_ok(), "{reply:?}: {response:?}");
        assert_eq!(server.requests().len(), 3, "{reply:?}");
    }
}

#[tokio::test]
async fn post_is_not_sent_again_after_it_may_have_been_processed() {
    for reply in [
        Reply::status(500, ""),
        Reply::status(503, ""),
        Reply::Reset,
        Reply::CutOff,
        Reply::Hang,
        Reply::Stall,
        Reply::ok("garbage"),
        Reply::ok(r#"{"name":"integrations/okta/owners/x","owner":"users/a"}"#),
        Reply::ok(r#"{"name":"integrations/github/owners/x","owner":"groups/a"}"#),
    ] {
        let script = vec![Reply::ok(ROLE), reply.clone(), Reply::ok("{}")];
        let server = Server::start(script).await;
        let client = client(&server);
        // On a connection that was used before.
        get(&client).await.unwrap();
        let error = timed_out(&server, &reply, post(&client)).await.unwrap_err();
        assert!(error.may_have_been_processed(), "{reply:?}: {error}");
        assert_eq!((server.requests().len(), server.connections()), (2, 1), "{reply:?}");
    }
}

#[tokio::test]
async fn post_is_sent_again_after_429_and_without_a_connection() {
    let created = r#"{"name":"integrations/github/owners/x","owner":"users/a"}"#;
    let server = Server::start(vec![Reply::throttled("0"), Reply::ok(created)]).await;
    assert_eq!(post(&client(&server)).await.unwrap().owner, "users/a");
    assert_eq!(server.requests().len(), 2);
    let server = Server::start(vec![Reply::throttled("3600")]).await;
    let error = post(&client(&server)).await.unwrap_err();
    assert!(!error.may_have_been_processed(), "{error}");

    let closed = Server::start(vec![]).await;
    let settings = settings(&closed.base_url());
    closed.close().await;
    let error = post(&Client::new(settings).unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(error.attempts(), 3);
    let text = error.to_string();
    assert!(text.contains(" (after 3 attempts)"), "{text}");
    assert!(!text.contains("connect error"), "one cause is enough: {text}");
    assert!(!error.may_have_been_processed());
}

#[tokio::test]
async fn final_responses_are_distinguished_by_status() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (status, body, kind) in [
        (400, "{}", ErrorKind::Invalid),
        (401, "{}", ErrorKind::Unauthorized),
        (403, "{}", ErrorKind::Forbidden),
        (405, "{}", ErrorKind::NotImplemented),
        (409, "{}", ErrorKind::Conflict),
        (501, "{}", ErrorKind::NotImplemented),
        (302, "{}", ErrorKind::Redirect),
        (410, "{}", ErrorKind::NotFound),
        (404, r#"{"error":{"message":"role not found"}}"#, ErrorKind::NotFound),
        (404, "404 page not found", ErrorKind::NotFound),
        (404, "<html></html>", ErrorKind::NotFound),
        (404, "", ErrorKind::NotFound),
        (404, "[]", ErrorKind::NotFound),
        (404, "\"text\"", ErrorKind::NotFound),
        (200, "", ErrorKind::Unreadable),
        (204, "", ErrorKind::Unreadable),
        (202, " \n", ErrorKind::Unreadable),
        (200, "null", ErrorKind::Unreadable),
        (200, "[]", ErrorKind::Unreadable),
        (200, "garbage", ErrorKind::Unreadable),
        (200, "{}", ErrorKind::Unreadable),
        (200, r#"{"status":"ok"}"#, ErrorKind::Unreadable),
        (200, r#"{"name":"listings/github/roles/other"}"#, ErrorKind::Unreadable),
        (
            200,
            r#"{"displayName":"Viewer","priority":"9223372036854775808"}"#,
            ErrorKind::Unreadable,
        ),
        (200, r#"{"displayName":"Viewer","priority":1.5}"#, ErrorKind::Unreadable),
        (200, r#"{"displayName":"Viewer","priority":9007199254740994.0}"#, ErrorKind::Unreadable),
        (200, r#"{"displayName":"\ud800","priority":"x"}"#, ErrorKind::Unreadable),
        (200, r#"{"displayName":7}"#, ErrorKind::Unreadable),
        (200, r#"{"displayName":"Viewer","resources":"a"}"#, ErrorKind::Unreadable),
        (200, &nested, ErrorKind::Unreadable),
    ] {
        let server = Server::start(vec![Reply::status(status, body), Reply::ok(ROLE)]).await;
        let error = get(&client(&server)).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{body:.60}: {error}");
        assert!(error.may_have_been_processed());
        assert_eq!(server.requests().len(), 1, "{status} {body:.60}");
    }
}

#[tokio::test]
async fn delete_is_confirmed_by_an_empty_body_or_an_object_and_by_no_page() {
    for (status, body, is_deleted) in [
        (200, "{}", true),
        (200, ROLE, true),
        (204, "", true),
        (202, " \n", true),
        (200, "<!doctype html><title>Log in</title>", false),
        (200, "OK", false),
        (200, "[]", false),
        (200, "null", false),
    ] {
        let server = Server::start(vec![Reply::status(status, body)]).await;
        let deleted = ListingRole::delete(&client(&server), &role()).await;
        let kind = deleted.map_err(|error| error.kind());
        let expected = if is_deleted { Ok(()) } else { Err(ErrorKind::Unreadable) };
        assert_eq!(kind, expected, "{status} {body}");
    }
}

#[tokio::test]
async fn responses_are_read_tolerantly() {
    for (fields, priority) in [
        ("", 0),
        (r#","priority":null"#, 0),
        (r#","priority":-4"#, -4),
        (r#","priority":9223372036854775807"#, i64::MAX),
        (r#","priority":"-9223372036854775808""#, i64::MIN),
        // The first number that a float does not have.
        (r#","priority":"9007199254740993""#, 9_007_199_254_740_993),
        (r#","priority":9007199254740993"#, 9_007_199_254_740_993),
        (r#","priority":1e3,"new":{"field":[1]},"manager":"FUTURE""#, 1000),
    ] {
        let body = format!("{{\"displayName\":\"Viewer\"{fields}}}");
        assert_eq!(get_of(Reply::ok(&body)).await.unwrap().priority, priority, "{body}");
    }
    let half = r#"{"displayName":"Viewer \ud83d","priority":"2"}"#;
    assert_eq!(get_of(Reply::ok(half)).await.unwrap().display_name, "Viewer \u{fffd}");
    let empty = r#"{"displayName":"Viewer","description":null,"repoUri":"","manager":null,"management":null,"deleteTime":""}"#;
    let role = get_of(Reply::ok(empty)).await.unwrap();
    assert_eq!(
        (role.repo_uri, role.manager, role.management, role.delete_time),
        (None, None, None, None)
    );
    for (management, shown) in
        [(r#""MANUAL""#, "MANUAL"), (r#"{"b":1,"a":[]}"#, r#"{"a":[],"b":1}"#)]
    {
        let body = format!("{{\"displayName\":\"Viewer\",\"management\":{management}}}");
        let role = get_of(Reply::ok(&body)).await.unwrap();
        assert_eq!(role.management.as_deref(), Some(shown));
    }
}

#[tokio::test]
async fn body_beyond_eight_mebibytes_is_not_read() {
    let huge = format!("\"{}\"", "x".repeat(9 * 1024 * 1024));
    let error = get_of(Reply::ok(&huge)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("8 MiB"), "{error}");
}

#[tokio::test]
async fn compressed_responses_are_unpacked_within_the_limit() {
    let label = "content-encoding: gzip\r\n";
    let packed = gzip(ROLE.as_bytes());
    let server = Server::start(vec![Reply::with_bytes(200, label, &packed)]).await;
    get(&client(&server)).await.unwrap();
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.contains("\r\naccept-encoding: gzip\r\n"), "{request}");
    let bomb = gzip(&vec![b' '; 16 << 20]);
    let error = get_of(Reply::with_bytes(200, label, &bomb)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    // The status of an error counts, whatever its body is.
    for (headers, body, message) in [
        (label, gzip(br#"{"reason":"no such key"}"#), "no such key"),
        (label, bomb, ""),
        (label, packed[..30].to_vec(), "{\"name\":\"listings"),
        ("", packed.clone(), "a body that is not text"),
        ("", "no ".repeat(4 << 20).into_bytes(), "no no no"),
    ] {
        let error = get_of(Reply::with_bytes(403, headers, &body)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden, "{error}");
        assert!(error.message().starts_with(message), "{error}");
        assert_eq!(error.message().is_empty(), message.is_empty(), "{error}");
    }
    for (headers, body, reason) in [
        (label, &packed[..30], "its body cannot be unpacked"),
        ("", &packed[..], "its body is not JSON"),
    ] {
        let error = get_of(Reply::with_bytes(200, headers, body)).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unreadable, 1));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, body).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn another_object_is_an_error_that_shows_its_name() {
    for name in ["listings/github/roles/VIEWER", "listings/github/roles/editor", "roles/viewer"] {
        let body = format!("{{\"name\":\"{name}\",\"displayName\":\"Viewer\"}}");
        let server = Server::start(vec![Reply::ok(&body); 2]).await;
        let client = client(&server);
        let role = role();
        let patch = patch();
        let mask = mask();
        let patched = client.update_listing_role(&role, &patch, &mask, Missing::Create).await;
        for error in [patched.unwrap_err(), get(&client).await.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::Unreadable);
            let expected = format!("its body is another role, `{name}`");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}

#[tokio::test]
async fn wait_beyond_the_budget_ends_every_call_at_once() {
    // Seconds, or a date that is compared with the response's.
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (status, headers) in [
        (429, "retry-after: 3600\r\n".to_owned()),
        (503, "retry-after: 3600\r\n".to_owned()),
        (503, format!("{date}retry-after: Sun, 06 Nov 1994 09:49:37 GMT\r\n")),
    ] {
        let reply = Reply::with_headers(status, &headers, "{}");
        let server = Server::start(vec![reply, Reply::ok(ROLE)]).await;
        let client = client(&server);
        // Further calls fail without a request.
        for attempts in [1, 0] {
            let error = get(&client).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooManyRequests);
            assert_eq!((error.attempts(), error.status()), (attempts, Some(status)));
            assert!(error.affects_every_object());
            let text = "the service requested a wait of 3";
            assert!(error.to_string().contains(text), "{error}");
            let not_sent =
                "(not sent, because an earlier response requested this wait for all requests)";
            assert_eq!(error.to_string().contains(not_sent), attempts == 0, "{error}");
        }
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn interrupt_ends_a_wait_and_lets_a_request_finish() {
    let token = CancellationToken::new();
    let server =
        Server::start(vec![Reply::throttled("50"), Reply::AfterRelease(ROLE.to_owned())]).await;
    let mut settings = settings(&server.base_url());
    let handed_out = token.clone();
    settings.stop = StopSignal::new(move || handed_out.clone());
    let client = Client::new(Settings { max_retries: 0, ..settings.clone() }).unwrap();
    // This response makes every other call wait.
    get(&client).await.unwrap_err();
    let call = tokio::spawn(async move { get(&client).await });
    tokio::task::yield_now().await;
    token.cancel();
    // Long before the end of the wait.
    let ended = tokio::time::timeout(Duration::from_secs(20), call).await;
    let error = ended.expect("the wait ends").unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    let text = "GET /api/v1/listings/github/roles/viewer: interrupted before the request was sent";
    assert_eq!((error.attempts(), error.to_string().as_str()), (0, text));
    // Nothing is sent for a call that begins after the interrupt.
    let error = get(&Client::new(settings.clone()).unwrap()).await.unwrap_err();
    assert_eq!((error.attempts(), error.to_string().as_str()), (0, text));
    assert_eq!(server.requests().len(), 1);
    // Nor is a request sent again that was under way.
    let throttling = Server::start(vec![Reply::throttled("50")]).await;
    let interrupt = CancellationToken::new();
    let handed_out = interrupt.clone();
    let stop = StopSignal::new(move || handed_out.clone());
    let base_url = BaseUrl::parse(&throttling.base_url()).unwrap();
    let client = Client::new(Settings { base_url, stop, ..settings.clone() }).unwrap();
    let call = tokio::spawn(async move { get(&client).await });
    throttling.saw(1).await;
    interrupt.cancel();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.attempts(), error.to_string()), (1, format!("{text} again")));

    let token = CancellationToken::new();
    let handed_out = token.clone();
    settings.stop = StopSignal::new(move || handed_out.clone());
    let client = Client::new(settings).unwrap();
    let call = tokio::spawn(async move { get(&client).await });
    server.saw(2).await;
    token.cancel();
    server.release();
    assert!(call.await.unwrap().is_ok());
}

#[test]
fn key_is_trimmed_and_shown_nowhere() {
    let key = ApiKey::parse(" canary\n").unwrap();
    assert!(!format!("{key:?}").contains("canary"));
    for (text, reason) in [
        ("", "is empty"),
        (" ", "is empty"),
        ("canary key", "contains a blank"),
        ("canary\nkey", "contains a blank"),
        ("canary\u{7}", "contains a blank"),
        ("canary ключ", "contains a blank"),
        ("Bearer canary", "begins with `Bearer `, which is added"),
        ("bearer\tcanary", "begins with `Bearer `, which is added"),
    ] {
        let error = ApiKey::parse(text).unwrap_err();
        assert!(error.to_string().contains(reason), "{text}: {error}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    }
    // The scheme alone may be a key.
    assert!(ApiKey::parse("Bearer").is_ok());
}
