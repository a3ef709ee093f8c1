//! Lists for `terraform query`: filters, limits, pages, and a service without lists.

use access_fake::Fault;

use super::*;

type Event = pb::list_resource::Event;

async fn list(host: &Host, type_name: &str, config: &Value, limit: i64) -> Vec<Event> {
    let request = pb::list_resource::Request {
        type_name: type_name.to_owned(),
        config: Some(encode(config)),
        include_resource_object: true,
        limit,
    };
    let mut stream = host.client.list_resource(request).await.unwrap();
    let mut events = Vec::new();
    while let Some(event) = stream.message().await.unwrap() {
        events.push(event);
    }
    events
}

/// Returns the configuration that lists the roles of `github`, with these filters.
fn filter(filters: &Value) -> Value {
    with(json!({"listing": "github", "manager": null}), filters)
}

/// Returns the names of the roles that these filters select.
async fn roles(host: &Host, filters: &Value, limit: i64) -> Vec<String> {
    let events = list(host, ROLE, &filter(filters), limit).await;
    assert!(events.iter().all(|event| event.diagnostic.is_empty()), "{events:?}");
    events.into_iter().map(|event| event.display_name).collect()
}

fn put_roles(service: &Service, count: usize) {
    for at in 0..count {
        let manager = if at % 2 == 0 { json!("TERRAFORM") } else { Value::Null };
        let name = format!("Role {at}");
        let fields = json!({"displayName": name, "priority": at.to_string(), "manager": manager});
        service.put_role("github", &format!("role-{at:04}"), fields);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_listed_by_listing_and_manager() {
    let service = Service::full();
    for (role, manager) in
        [("by-hand", Value::Null), ("first", json!("TERRAFORM")), ("second", json!("TERRAFORM"))]
    {
        let fields = json!({"displayName": role, "priority": "0", "manager": manager});
        service.put_role("github", role, fields);
    }
    let host = Host::start(&service).await;
    for (filters, limit, expected) in [
        (json!({}), 100, &["by-hand", "first", "second"][..]),
        (json!({"listing": "production"}), 100, &[]),
        (json!({"manager": "TERRAFORM"}), 100, &["first", "second"]),
        (json!({"manager": "TERRAFORM"}), 1, &["first"]),
        (json!({"manager": ""}), 100, &["by-hand"]),
    ] {
        assert_eq!(roles(&host, &filters, limit).await, expected, "{filters}");
    }
    assert_eq!(service.writes().len(), 0);
}

/// A role without a display name shows its ID.
#[tokio::test(flavor = "multi_thread")]
async fn deleted_roles_are_not_listed_and_unreadable_ones_are_a_warning_at_the_end() {
    let service = Service::full();
    service.respond_to_lists(
        200,
        r#"{"listingRoles": [
            {"name": "x"},
            {"name": "listings/github/roles/odd", "priority": "abc"},
            {"name": "listings/github/roles/c d", "displayName": "No import"},
            {"name": "listings/github/roles/a", "deleteTime": "2026-11-01T00:00:00Z"},
            {"name": "listings/github/roles/b", "displayName": ""}]}"#,
    );
    let host = Host::start(&service).await;
    // A list that ends at its limit warns as well.
    for limit in [100, 1] {
        let events = list(&host, ROLE, &filter(&json!({})), limit).await;
        let [role, end] = &events[..] else { panic!("{events:?}") };
        assert_eq!((role.display_name.as_str(), &role.diagnostic[..]), ("b", &[][..]));
        assert_eq!((errors(&end.diagnostic).len(), warnings(&end.diagnostic).len()), (0, 1));
        says(&end.diagnostic, &["listings/github", "could not be read", "roles/odd", "roles/c d"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_requests_no_more_pages_than_the_limit_needs() {
    let service = Service::full();
    put_roles(&service, 1_200);
    let host = Host::start(&service).await;
    for (limit, expected, pages) in [
        (0, 0, &[][..]),
        (3, 3, &["3"]),
        (1_000, 1_000, &["1000"]),
        (1_100, 1_100, &["1000", "100"]),
    ] {
        service.clear_requests();
        assert_eq!(roles(&host, &json!({}), limit).await.len(), expected);
        let requests = service.requests();
        let sizes: Vec<_> =
            requests.iter().map(|request| request.query_value("pageSize").unwrap()).collect();
        assert_eq!(sizes, pages, "limit {limit}");
    }
    // How many of a page a filter leaves is not known, so pages are as large as they can be.
    service.clear_requests();
    assert_eq!(roles(&host, &json!({"manager": "TERRAFORM"}), 550).await.len(), 550);
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_role_is_the_one_that_an_import_reads() {
    let service = Service::full();
    put_roles(&service, 1);
    service.change_role("github", "role-0000", json!({"resources": ["b", "a"]}));
    let host = Host::start(&service).await;
    let events = list(&host, ROLE, &filter(&json!({})), 100).await;
    let [event] = &events[..] else { panic!("one role: {events:?}") };
    let by_identity = identity(event.identity.as_ref());
    let imported = host.import(ROLE, "", Some(&by_identity)).await;
    let imported = &imported.imported_resources[0];
    assert_eq!(imported.identity, event.identity);
    let listed = decode(event.resource_object.as_ref().unwrap());
    assert_eq!(listed, decode(imported.state.as_ref().unwrap()));
    assert_eq!(listed["resources"], json!(["a", "b"]));

    let request = pb::generate_resource_config::Request {
        type_name: ROLE.to_owned(),
        state: event.resource_object.clone(),
    };
    let generated = host.client.generate_resource_config(request).await.unwrap();
    let expected = json!({"role": "role-0000", "display_name": "Role 0", "priority": 0,
                          "resources": ["a", "b"]});
    assert_eq!(decode(&generated.config.unwrap()), with(config(), &expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_listed_with_their_ids() {
    let service = Service::full();
    service.put_owner("okta", "own-9", "groups/platform");
    let host = Host::start(&service).await;
    let config = json!({"integration": "okta"});
    let state = |event: &Event| decode(event.resource_object.as_ref().unwrap());
    let events = list(&host, OWNER, &config, 100).await;
    let names: Vec<_> = events.iter().map(|event| event.display_name.as_str()).collect();
    assert_eq!(names, ["users/founder", "groups/platform"]);
    assert_eq!(
        identity(events[1].identity.as_ref()),
        json!({"integration": "okta", "integration_owner_id": "own-9"})
    );
    assert_eq!(state(&events[1])["owner"], "groups/platform");
    assert_eq!(state(&events[1])["integration_owner_id"], "own-9");
    assert_eq!(list(&host, OWNER, &config, 1).await.len(), 1);
}

/// What was sent is there. The error shows that more may be.
#[tokio::test(flavor = "multi_thread")]
async fn list_whose_next_page_fails_ends_with_an_error() {
    let service = Service::full();
    put_roles(&service, 1_200);
    service.add_fault(Fault::respond(403, "{}").on("GET").at("*/roles").skipping(1));
    let host = Host::start(&service).await;
    let mut events = list(&host, ROLE, &filter(&json!({})), 1_100).await;
    let end = events.pop().expect("an end");
    says(&end.diagnostic, &["listings/github: could not be listed", "403"]);
    assert_eq!((events.len(), errors(&end.diagnostic).len()), (1_000, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn service_without_lists_is_an_error_that_contains_the_import_block() {
    for (status, message) in [(404, "may not see it"), (405, "does not offer lists")] {
        let service = Service::documented_only(status);
        let host = Host::start(&service).await;
        for (type_name, config, import) in [
            (ROLE, filter(&json!({})), "id = \"listings/github/roles/ID\""),
            (OWNER, json!({"integration": "okta"}), "id = \"integrations/okta/owners/ID\""),
        ] {
            let events = list(&host, type_name, &config, 100).await;
            let [event] = &events[..] else { panic!("one event: {events:?}") };
            assert_eq!(errors(&event.diagnostic).len(), 1);
            let detail = &event.diagnostic[0].detail;
            assert!(detail.contains(message) && detail.contains(import), "{status}: {detail}");
            assert!(!detail.contains("terraform destroy"), "a query is no plan: {detail}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_of_an_invalid_parent_is_refused_at_validation() {
    let host = Host::unconfigured().await;
    for (listing, expected) in
        [(json!("a/b"), vec!["Invalid listing"]), (unknown(), Vec::new()), (json!("a"), Vec::new())]
    {
        let request = pb::validate_list_resource_config::Request {
            type_name: ROLE.to_owned(),
            config: Some(encode(&filter(&json!({ "listing": listing })))),
        };
        let response = host.client.validate_list_resource_config(request).await;
        assert_eq!(errors(&response.unwrap().diagnostics), expected);
    }
}
