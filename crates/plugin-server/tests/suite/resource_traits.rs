//! The traits that resources implement in addition to tf-provider's: upgrade, import, identity,
//! list.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, decode, encode, unknown};
use serde_json::{Value as Json, json};

use super::support::{Calls, errors, eventually, probe_client, state, thing};

/// Returns an object of the probe.
fn listed(name: &str) -> Json {
    json!({ "name": name, "id": "id" })
}

fn identity(name: &str) -> pb::ResourceIdentityData {
    pb::ResourceIdentityData { identity_data: Some(encode(&json!({ "name": name }))) }
}

fn name(identity: &Option<pb::ResourceIdentityData>) -> Json {
    decode(identity.as_ref().unwrap().identity_data.as_ref().unwrap())["name"].clone()
}

async fn upgrade(
    client: &Client,
    type_name: &str,
    version: i64,
    raw_state: pb::RawState,
) -> pb::upgrade_resource_state::Response {
    let request = pb::upgrade_resource_state::Request {
        type_name: type_name.into(),
        version,
        raw_state: Some(raw_state),
    };
    client.upgrade_resource_state(request).await.unwrap()
}

fn raw(json: &str) -> pb::RawState {
    pb::RawState { json: json.to_owned().into() }
}

#[tokio::test]
async fn state_of_this_or_a_prior_version_is_fitted_to_the_schema() {
    let client = probe_client().await;
    let json = r#"{"value":"v","removed":true,"rules":[{"removed":1}]}"#;
    for version in [2, 1, 0] {
        let upgraded = upgrade(&client, "probe_thing", version, raw(json)).await;
        assert_eq!(errors(&upgraded.diagnostics), [""; 0]);
        let expected = json!({ "value": "v", "rules": [{ "id": null, "port": null }] });
        assert_eq!(state(&upgraded.upgraded_state), thing(expected));
    }
}

/// Terraform adds the address of the resource.
#[tokio::test]
async fn stored_value_that_does_not_fit_is_an_error_with_a_way_out() {
    let client = probe_client().await;
    let refused = upgrade(&client, "probe_thing", 2, raw(r#"{"value":["v"]}"#)).await;
    assert_eq!(errors(&refused.diagnostics), ["Unexpected value"]);
    let detail = &refused.diagnostics[0].detail;
    assert!(detail.contains("`terraform state rm`"), "{detail}");
}

#[tokio::test]
async fn upgrade_that_is_not_supported_is_an_error() {
    let client = probe_client().await;
    for (type_name, version, raw_state) in [
        ("probe_thing", 3, raw("{}")),
        ("probe_thing", 2, raw("null")),
        ("probe_thing", 2, raw("{")),
        ("probe_thing", 2, pb::RawState::default()),
    ] {
        let refused = upgrade(&client, type_name, version, raw_state).await;
        assert_eq!(errors(&refused.diagnostics).len(), 1, "{type_name} {version}");
        assert_eq!(refused.upgraded_state, None);
    }
}

async fn import(
    client: &Client,
    type_name: &str,
    id: &str,
    identity: Option<pb::ResourceIdentityData>,
) -> pb::import_resource_state::Response {
    let request =
        pb::import_resource_state::Request { type_name: type_name.into(), id: id.into(), identity };
    client.import_resource_state(request).await.unwrap()
}

#[tokio::test]
async fn import_is_by_id_and_by_identity() {
    let client = probe_client().await;
    for imported in [
        import(&client, "probe_listed", "plum", None).await,
        import(&client, "probe_listed", "", Some(identity("plum"))).await,
    ] {
        assert_eq!(errors(&imported.diagnostics), [""; 0]);
        let [imported] = &imported.imported_resources[..] else { panic!("exactly one") };
        assert_eq!(imported.type_name, "probe_listed");
        assert_eq!(state(&imported.state), listed("plum"));
        assert_eq!(name(&imported.identity), "plum");
    }
    let missing = import(&client, "probe_listed", "fig", None).await;
    assert_eq!(errors(&missing.diagnostics), ["Not found"]);
    assert_eq!(missing.imported_resources, []);
    let by_id = import(&client, "probe_thing", "x", None).await;
    assert_eq!(errors(&by_id.diagnostics), ["Import is not supported"]);
    let by_identity = import(&client, "probe_thing", "", Some(identity("x"))).await;
    assert_eq!(errors(&by_identity.diagnostics), ["Import by identity is not supported"]);
}

#[tokio::test]
async fn identity_is_in_every_response_and_never_changes() {
    let client = probe_client().await;
    let request = pb::get_resource_identity_schemas::Request {};
    let schemas = client.get_resource_identity_schemas(request).await.unwrap();
    let attribute = &schemas.identity_schemas["probe_listed"].identity_attributes[0];
    assert!(attribute.required_for_import && !attribute.optional_for_import);

    let config = json!({ "name": "pear", "id": null });
    let objects = Calls::of("probe_listed", client.clone());
    let planned = objects.create_plan(&config).await;
    assert_eq!(name(&planned.planned_identity), "pear");
    assert_eq!(state(&planned.planned_state)["id"], unknown());
    let request = pb::apply_resource_change::Request {
        planned_state: planned.planned_state,
        planned_identity: planned.planned_identity,
        ..objects.apply_request(&Json::Null, &config)
    };
    let created = client.apply_resource_change(request).await.unwrap();
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(name(&created.new_identity), "pear");

    let read = async |before: &str| {
        let request = pb::read_resource::Request {
            type_name: "probe_listed".into(),
            current_state: Some(encode(&listed("plum"))),
            current_identity: Some(identity(before)),
            ..Default::default()
        };
        client.read_resource(request).await.unwrap()
    };
    assert_eq!(name(&read("plum").await.new_identity), "plum");
    let changed = read("cherry").await;
    assert_eq!(errors(&changed.diagnostics), ["Unexpected change of identity"]);
    assert_eq!(name(&changed.new_identity), "cherry", "the prior identity is kept");
}

#[tokio::test]
async fn identity_that_is_unknown_in_a_plan_is_not_sent() {
    let client = probe_client().await;
    let config = json!({ "name": unknown(), "id": null });
    let objects = Calls::of("probe_listed", client);
    let plan = async |prior: Json, prior_identity: Option<pb::ResourceIdentityData>| {
        let request = pb::plan_resource_change::Request {
            prior_identity,
            ..objects.plan_request(&prior, &config)
        };
        objects.client.plan_resource_change(request).await.unwrap()
    };
    let created = plan(Json::Null, None).await;
    let replaced = plan(listed("plum"), Some(identity("plum"))).await;
    assert_eq!((created.requires_replace.len(), replaced.requires_replace.len()), (0, 1));
    for planned in [created, replaced] {
        assert_eq!(errors(&planned.diagnostics), [""; 0]);
        assert_eq!(state(&planned.planned_state)["name"], unknown());
        assert_eq!(planned.planned_identity, None);
    }
}

#[tokio::test]
async fn identity_is_returned_for_an_object_that_was_not_found() {
    let client = probe_client().await;
    for before in [None, Some(identity("fig")), Some(pb::ResourceIdentityData::default())] {
        let request = pb::read_resource::Request {
            type_name: "probe_listed".into(),
            current_state: Some(encode(&listed("fig"))),
            current_identity: before,
            ..Default::default()
        };
        let read = client.read_resource(request).await.unwrap();
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        assert_eq!(state(&read.new_state), Json::Null);
        assert_eq!(name(&read.new_identity), "fig");
    }
}

#[tokio::test]
async fn identity_of_a_newer_version_is_an_error() {
    let client = probe_client().await;
    let upgrade = async |version, json: &str| {
        let request = pb::upgrade_resource_identity::Request {
            type_name: "probe_listed".into(),
            version,
            raw_identity: Some(raw(json)),
        };
        client.upgrade_resource_identity(request).await.unwrap()
    };
    assert_eq!(name(&upgrade(0, r#"{"name":"plum"}"#).await.upgraded_identity), "plum");
    let refused = upgrade(1, r#"{"name":"plum"}"#).await;
    assert_eq!(errors(&refused.diagnostics), ["Could not upgrade the identity"]);
}

/// Terraform does not call this without the capability. OpenTofu does.
#[tokio::test]
async fn move_from_another_type_is_an_error_that_says_what_to_do() {
    let client = probe_client().await;
    let request = pb::get_provider_schema::Request {};
    let schema = client.get_provider_schema(request).await.unwrap();
    assert!(!schema.server_capabilities.unwrap().move_resource_state);
    let request = pb::move_resource_state::Request {
        source_provider_address: "registry.opentofu.org/hashicorp/local".into(),
        source_type_name: "local_file".into(),
        target_type_name: "probe_thing".into(),
    };
    let refused = client.move_resource_state(request).await.unwrap();
    assert_eq!(errors(&refused.diagnostics), ["Unsupported move"]);
    assert!(refused.diagnostics[0].detail.contains("Remove the `moved` block"));
    assert_eq!(state(&refused.target_state), Json::Null);
}

async fn list(
    client: &Client,
    directory: &str,
    limit: i64,
    whole: bool,
) -> Vec<pb::list_resource::Event> {
    let request = pb::list_resource::Request {
        type_name: "probe_listed".into(),
        config: Some(encode(&json!({ "directory": directory }))),
        include_resource_object: whole,
        limit,
    };
    let mut stream = client.list_resource(request).await.unwrap();
    let mut events = Vec::new();
    while let Some(event) = stream.message().await.unwrap() {
        events.push(event);
    }
    events
}

fn names(events: &[pb::list_resource::Event]) -> Vec<&str> {
    events.iter().map(|event| event.display_name.as_str()).collect()
}

#[tokio::test]
async fn list_sends_identities_up_to_the_limit() {
    let client = probe_client().await;
    let all = list(&client, "", 100, false).await;
    assert_eq!(names(&all), ["pear", "plum", "quince"]);
    for event in &all {
        assert_eq!(name(&event.identity), event.display_name.as_str());
        assert_eq!((event.resource_object.as_ref(), event.diagnostic.len()), (None, 0));
    }
    assert_eq!(names(&list(&client, "", 1, false).await), ["pear"]);
    assert_eq!(names(&list(&client, "", 0, false).await), [""; 0]);
    let whole = list(&client, "", 100, true).await;
    assert_eq!(state(&whole[1].resource_object), listed("plum"));
}

#[tokio::test]
async fn list_that_fails_ends_with_the_error() {
    let events = list(&probe_client().await, "/nowhere", 100, false).await;
    assert_eq!(errors(&events[0].diagnostic), ["Could not list"]);
    assert_eq!(events.len(), 1);
}

#[tokio::test]
async fn list_is_cancelled_and_its_stream_ends_when_its_host_drops_it() {
    let client = probe_client().await;
    let directory = tempfile::tempdir().unwrap();
    let request = pb::list_resource::Request {
        type_name: "probe_listed".into(),
        config: Some(encode(&json!({ "directory": directory.path() }))),
        limit: i64::MAX,
        ..Default::default()
    };
    let mut stream = client.list_resource(request).await.unwrap();
    assert_eq!(stream.message().await.unwrap().unwrap().display_name, "first");
    let (listing, cancelled) =
        ["listing", "cancelled"].map(|name| directory.path().join(name)).into();
    eventually("the listing waits", || listing.exists()).await;
    assert!(!cancelled.exists());
    drop(stream);
    eventually("the listing has ended", || cancelled.exists()).await;
}

#[tokio::test]
async fn generated_configuration_has_no_read_only_attributes() {
    let client = probe_client().await;
    let request = pb::generate_resource_config::Request {
        type_name: "probe_listed".into(),
        state: Some(encode(&listed("plum"))),
    };
    let generated = client.generate_resource_config(request).await.unwrap();
    assert_eq!(errors(&generated.diagnostics), [""; 0]);
    assert_eq!(state(&generated.config), json!({ "name": "plum", "id": null }));
}
