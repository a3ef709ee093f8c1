//! Lists: pages, page sizes, and malformed items.

use access_client::Pages;

use crate::server::{Reply, Server};
use crate::*;

fn github() -> Identifier {
    Identifier::parse("github").unwrap()
}

fn owners(ids: &[&str], token: &str) -> String {
    let owner = |id: &&str| {
        format!("{{\"name\":\"integrations/github/owners/{id}\",\"owner\":\"users/{id}\"}}")
    };
    let owners: Vec<_> = ids.iter().map(owner).collect();
    format!("{{\"integrationOwners\":[{}],\"nextPageToken\":\"{token}\"}}", owners.join(","))
}

fn page(ids: &[&str], token: &str) -> Reply {
    Reply::ok(&owners(ids, token))
}

/// Returns the items of all pages, and the reasons why others were skipped.
async fn read_all<T>(mut pages: Pages<'_, T>) -> Result<(Vec<T>, Vec<String>), Error> {
    let mut items = Vec::new();
    let mut skipped = Vec::new();
    while let Some(page) = pages.next(usize::MAX).await? {
        items.extend(page.items);
        skipped.extend(page.skipped);
    }
    Ok((items, skipped))
}

async fn list(server: &Server) -> Result<(Vec<IntegrationOwner>, Vec<String>), Error> {
    read_all(IntegrationOwner::pages(&client(server), &github())).await
}

fn parameter<'r>(request: &'r str, name: &str) -> &'r str {
    let rest = request.split(&format!("{name}=")).nth(1).unwrap_or_default();
    rest.split(['&', ' ']).next().unwrap()
}

#[tokio::test]
async fn list_is_read_to_its_end() {
    let server = Server::start(vec![page(&["a", "b"], "t/2"), page(&["c"], "")]).await;
    let (owners, skipped) = list(&server).await.unwrap();
    assert_eq!((owners.len(), skipped.len()), (3, 0));
    assert!(server.requests()[1].contains("pageToken=t%2F2"));
    let server = Server::start(vec![Reply::ok("{}")]).await;
    assert!(list(&server).await.unwrap().0.is_empty());
}

/// Reads an endless list, and returns the number of its requests, and the error.
async fn end_of(page: impl Fn(usize) -> String + Send + Sync + 'static) -> (usize, Error) {
    let server = Server::computed(move |number| Reply::ok(&page(number))).await;
    let error = list(&server).await.unwrap_err();
    assert!(error.to_string().starts_with("GET /api/v1/integrations/github/owners: "), "{error}");
    (server.requests().len(), error)
}

#[tokio::test]
async fn list_is_limited_in_pages_entries_bytes_and_tokens() {
    let token = |number: usize| number.to_string();
    let entry = r#"{"name":"integrations/github/owners/a","owner":"users/a"}"#;
    let many = [entry; 1_000].join(",");
    let of_entries =
        move |number| format!("{{\"integrationOwners\":[{many}],\"nextPageToken\":\"{number}\"}}");
    // The entries are not kept, and the pages are still too much.
    let large = "x".repeat(1 << 20);
    let of_bytes = move |number| {
        format!("{{\"integrationOwners\":[\"{large}\"],\"nextPageToken\":\"{number}\"}}")
    };
    let of_tokens = |number| owners(&["a"], &format!("{number}{}", "t".repeat(5_000)));
    let (pages, error) = end_of(move |number| owners(&[], &token(number))).await;
    assert!(pages == 2_500 && error.to_string().contains("more than 2,500 pages"), "{error}");
    for (requests, reason, (pages, error)) in [
        (50, "more than 50,000 entries", end_of(of_entries).await),
        (32, "larger than 32 MiB", end_of(of_bytes).await),
        (1, "token of its next page is longer than 4 KiB", end_of(of_tokens).await),
    ] {
        assert_eq!((pages, error.kind()), (requests, ErrorKind::TooLarge), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn reasons_of_skipped_entries_are_limited_and_each_page_has_one() {
    let damaged = format!("[{}0]", "0,".repeat(999));
    let server = Server::computed(move |number| {
        let token = if number < 20 { "t".repeat(number) } else { String::new() };
        Reply::ok(&format!("{{\"integrationOwners\":{damaged},\"nextPageToken\":\"{token}\"}}"))
    })
    .await;
    let (_, skipped) = list(&server).await.unwrap();
    assert_eq!(skipped.len(), 100 + 19);
}

#[tokio::test]
async fn field_of_another_type_is_named() {
    for (body, field) in [
        (r#"{"integrationOwners":{}}"#, "integrationOwners"),
        (r#"{"integrationOwners":[],"nextPageToken":7}"#, "nextPageToken"),
        (r#"{"integrationOwners":[],"nextPageToken":["canary"]}"#, "nextPageToken"),
    ] {
        let server = Server::start(vec![Reply::ok(body)]).await;
        let error = list(&server).await.unwrap_err().to_string();
        let expected = format!("the type of `{field}` differs from the documented type");
        assert!(error.contains(&expected) && !error.contains("canary"), "{error}");
    }
    for (fields, field) in [
        (r#""priority":1.5"#, "priority"),
        (r#""displayName":{"canary":7}"#, "displayName"),
        (r#""resources":["a",7]"#, "resources[1]"),
    ] {
        let body = format!("{{\"name\":\"listings/github/roles/viewer\",{fields}}}");
        let error = get_of(Reply::ok(&body)).await.unwrap_err().to_string();
        let expected = format!("the type of `{field}` differs from the documented type");
        assert!(error.contains(&expected) && !error.contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn list_that_repeats_a_token_or_is_not_a_list_is_an_error() {
    let server = Server::start(vec![page(&["a"], "t"); 5]).await;
    let error = list(&server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert!(error.to_string().contains("do not end"), "{error}");
    for body in [
        r#"{"items":[]}"#,
        r#"{"integrationOwners":{}}"#,
        r#"{"integrationOwners":[],"nextPageToken":7}"#,
        r#"{"integrationOwners":[}"#,
        r#"{"integrationOwners":[]} trailing"#,
        "[]",
        "",
    ] {
        let server = Server::start(vec![Reply::ok(body)]).await;
        assert_eq!(list(&server).await.unwrap_err().kind(), ErrorKind::Unreadable, "{body}");
    }
}

/// An entry counts as there by its name, whatever else is odd.
#[tokio::test]
async fn items_without_a_name_are_skipped_and_odd_ones_remain() {
    let items = r#"7, {}, null, {"name":7}, {"name":"integrations/github/owners/"},
        {"name":"integrations/github/roles/x"},
        {"name":"integrations/github/owner\u001b[31ms/canary-key+/="},
        {"name":"integrations/okta/owners/e","owner":"users/e"},
        {"name":"integrations/github/owners/a","owner":"users/a","createTime":7,"more":{"fields":[1]}},
        {"name":"integrations/github/owners/b/%2f c","owner":"deleted:users/jose\u0301?uid=1"},
        {"name":"integrations/github/owners/c"},
        {"name":"integrations/github/owners/d","owner":["users/d"]}"#;
    let body = format!("{{\"integrationOwners\":[{items}]}}");
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    let server = Server::start(vec![Reply::with_headers(200, date, &body)]).await;
    let client = client(&server);
    let github = github();
    let page = IntegrationOwner::pages(&client, &github).next(usize::MAX).await.unwrap().unwrap();
    let seen: Vec<_> = page.items.iter().map(|it| (it.name.owner.as_str(), &*it.owner)).collect();
    let deleted = ("b/%2f c", "deleted:users/jos\u{e9}?uid=1");
    assert_eq!(seen, [("a", "users/a"), deleted, ("c", ""), ("d", "")]);
    let faults: Vec<_> = page.items.iter().map(|it| it.name.owner.check().is_err()).collect();
    assert_eq!(faults, [false, true, false, false]);
    let defects: Vec<_> = page.items.iter().map(|it| it.defect.as_deref()).collect();
    let other_type = "the type of `owner` differs from the documented type";
    assert_eq!(defects, [None, None, Some("it has no `owner`"), Some(other_type)]);
    assert_eq!(page.items[0].create_time.as_deref(), Some("7"));
    assert_eq!(page.skipped.len(), 8, "{:?}", page.skipped);
    let skipped = page.skipped.join("\n");
    assert!(!skipped.contains("canary") && !skipped.contains('\u{1b}'), "{skipped}");
    assert!(skipped.contains("which belongs to another integration"), "{skipped}");
}

/// GET of a single object needs all values, and a delete its name and its times.
#[tokio::test]
async fn value_that_its_field_cannot_hold_is_an_error_of_its_object_alone() {
    let name = r#""name":"listings/github/roles/"#;
    for (field, value) in [
        ("priority", "\"abc\""),
        ("displayName", "7"),
        ("description", "7"),
        ("resources", "[null]"),
        ("manager", "{}"),
    ] {
        let body = format!("{{{name}viewer\",\"createTime\":\"2026\",\"{field}\":{value}}}");
        let other = format!("{{{name}other\"}}");
        let list = format!("{{\"roles\":[{body},{other}]}}");
        let script = vec![Reply::ok(&list), Reply::ok(&body), Reply::ok(&body)];
        let server = Server::start(script).await;
        let client = client(&server);
        let (roles, skipped) = read_all(ListingRole::pages(&client, &github())).await.unwrap();
        assert_eq!(skipped, [""; 0], "{field}");
        let odd: Vec<_> = roles.iter().map(|role| role.defect.is_some()).collect();
        assert_eq!(odd, [true, false], "{field}");
        let error = ListingRole::get(&client, &role()).await.unwrap_err();
        assert!(error.to_string().contains(&format!("the type of `{field}")), "{error}");
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        let times = ListingRole::get_times(&client, &role()).await.unwrap();
        assert_eq!(times.create_time.as_deref(), Some("2026"), "{field}");
    }
}

#[tokio::test]
async fn role_of_another_listing_is_skipped_and_reported() {
    let items = r#"{"name":"listings/okta/roles/a","displayName":"A"},
        {"name":"listings/github/roles/b","displayName":"B"}"#;
    let server = Server::start(vec![Reply::ok(&format!("{{\"roles\":[{items}]}}"))]).await;
    let (roles, skipped) = read_all(ListingRole::pages(&client(&server), &github())).await.unwrap();
    assert_eq!(roles.len(), 1);
    assert!(skipped[0].ends_with("which belongs to another listing"), "{skipped:?}");
}

#[tokio::test]
async fn page_that_is_too_large_or_refused_is_requested_with_fewer_entries() {
    let huge = format!("{{\"x\":\"{}\"}}", "x".repeat(9 << 20));
    let many = format!("{{\"integrationOwners\":[{}0]}}", "0,".repeat(30_000));
    let script = vec![
        Reply::status(413, ""),
        page(&["a"], "t"),
        Reply::ok(&many),
        page(&["b"], "u"),
        page(&["c"], ""),
    ];
    let server = Server::start(script).await;
    assert_eq!(list(&server).await.unwrap().0.len(), 3);
    let requests = server.requests();
    let sizes: Vec<_> = requests.iter().map(|request| parameter(request, "pageSize")).collect();
    assert_eq!(sizes, ["1000", "100", "100", "10", "10"]);
    let tokens: Vec<_> = requests.iter().map(|request| parameter(request, "pageToken")).collect();
    assert_eq!(tokens, ["", "", "t", "t", "u"]);
    for refusal in [Reply::status(400, "{}"), Reply::ok(&huge)] {
        let server = Server::start(vec![refusal, page(&["a"], "t"), page(&["b"], "")]).await;
        assert_eq!(list(&server).await.unwrap().0.len(), 2);
        let requests = server.requests();
        let sizes: Vec<_> = requests.iter().map(|request| parameter(request, "pageSize")).collect();
        assert_eq!(sizes, ["1000", "100", "100"]);
    }
}

#[tokio::test]
async fn page_that_is_refused_at_any_size_is_an_error() {
    for status in [400, 413] {
        let server = Server::start(vec![Reply::status(status, ""); 20]).await;
        assert_eq!(list(&server).await.unwrap_err().status(), Some(status));
        assert_eq!(server.requests().len(), 3, "{status}");
    }
}

#[tokio::test]
async fn pages_before_an_error_remain() {
    let endless = "its pages do not end";
    let cases = [
        (vec![page(&["a"], "t"), Reply::status(403, "{}")], &["a"][..], "403 Forbidden"),
        (vec![page(&["a"], "t"), Reply::ok("<html>")], &["a"], "not JSON"),
        (vec![page(&["a"], "t"), page(&["b"], "t"), page(&["c"], "")], &["a", "b"], endless),
        (vec![page(&["a"], "t"), page(&["b"], "u"), page(&["c"], "t")], &["a", "b", "c"], endless),
    ];
    for (script, expected, message) in cases {
        let server = Server::start(script).await;
        let client = client(&server);
        let github = github();
        let mut pages = IntegrationOwner::pages(&client, &github);
        let mut ids = Vec::new();
        let error = loop {
            match pages.next(usize::MAX).await {
                Ok(page) => {
                    let items = page.expect("the list does not end before the error").items;
                    ids.extend(items.into_iter().map(|owner| owner.name.owner.to_string()));
                }
                Err(error) => break error,
            }
        };
        assert_eq!(ids, expected, "{message}");
        assert!(error.to_string().contains(message), "{error}");
        let requests = server.requests().len();
        assert!(pages.next(usize::MAX).await.is_err() || message != endless);
        assert!(message != endless || server.requests().len() == requests, "requested again");
    }
}

#[tokio::test]
async fn owner_in_another_spelling_of_its_principal_is_accepted() {
    for (stored, accepted) in [
        ("users/a", true),
        ("users/id-17", true),
        ("groups/a", false),
        ("groups/a b", false),
        ("", false),
        // What is read is taken as it is.
        ("users/", true),
        ("deleted:users/a?uid=1", true),
    ] {
        let body = format!("{{\"name\":\"integrations/github/owners/x\",\"owner\":\"{stored}\"}}");
        let server = Server::start(vec![Reply::ok(&body)]).await;
        match post(&client(&server)).await {
            Ok(created) => assert!(accepted && created.owner == stored, "{stored}"),
            Err(error) => {
                assert!(!accepted && error.may_have_been_processed(), "{stored}: {error}")
            }
        }
    }
}
