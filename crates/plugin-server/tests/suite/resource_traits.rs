//! The traits that resources implement in addition to tf-provider's: upgrade, import, identity,
//! list.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, decode, encode, unknown};
use serde_json::{Value as Json, json};

use super::support::{Calls, errors, eventually, example, probe_client, state, thing};

/// The example provider, configured, with some jars on its shelf.
async fn pantry(jars: &[(&str, &str)]) -> (tempfile::TempDir, Plugin, Client) {
    let directory = tempfile::tempdir().unwrap();
    for (label, content) in jars {
        std::fs::write(directory.path().join(label), content).unwrap();
    }
    let plugin = Plugin::start(Launch::new(example("terraform-provider-pantry"))).await;
    let client = plugin.connect().await;
    let request = pb::configure_provider::Request {
        config: Some(encode(&json!({ "directory": directory.path() }))),
        ..Default::default()
    };
    let configured = client.configure_provider(request).await.unwrap();
    assert_eq!(errors(&configured.diagnostics), [""; 0]);
    (directory, plugin, client)
}

fn jar(label: &str, content: &str) -> Json {
    json!({ "label": label, "content": content, "weight": content.len() })
}

fn identity(label: &str) -> pb::ResourceIdentityData {
    pb::ResourceIdentityData { identity_data: Some(encode(&json!({ "label": label }))) }
}

fn label(identity: &Option<pb::ResourceIdentityData>) -> Json {
    decode(identity.as_ref().unwrap().identity_data.as_ref().unwrap())["label"].clone()
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
    let (_directory, _plugin, client) = pantry(&[("plum", "jam")]).await;
    for imported in [
        import(&client, "pantry_jar", "plum", None).await,
        import(&client, "pantry_jar", "", Some(identity("plum"))).await,
    ] {
        assert_eq!(errors(&imported.diagnostics), [""; 0]);
        let [imported] = &imported.imported_resources[..] else { panic!("exactly one") };
        assert_eq!(imported.type_name, "pantry_jar");
        assert_eq!(state(&imported.state), jar("plum", "jam"));
        assert_eq!(label(&imported.identity), "plum");
    }
    let missing = import(&client, "pantry_jar", "pear", None).await;
    assert_eq!(errors(&missing.diagnostics), ["Jar not found"]);
    assert_eq!(missing.imported_resources, []);
    let client = probe_client().await;
    let by_id = import(&client, "probe_thing", "x", None).await;
    assert_eq!(errors(&by_id.diagnostics), ["Import is not supported"]);
    let by_identity = import(&client, "probe_thing", "", Some(identity("x"))).await;
    assert_eq!(errors(&by_identity.diagnostics), ["Import by identity is not supported"]);
}

#[tokio::test]
async fn identity_is_in_every_response_and_never_changes() {
    let (_directory, _plugin, client) = pantry(&[("plum", "jam")]).await;
    let request = pb::get_resource_identity_schemas::Request {};
    let schemas = client.get_resource_identity_schemas(request).await.unwrap();
    let attribute = &schemas.identity_schemas["pantry_jar"].identity_attributes[0];
    assert!(attribute.required_for_import && !attribute.optional_for_import);

    let config = json!({ "label": "pear", "content": "jam", "weight": null });
    let jars = Calls::of("pantry_jar", client.clone());
    let planned = jars.create_plan(&config).await;
    assert_eq!(label(&planned.planned_identity), "pear");
    assert_eq!(state(&planned.planned_state)["weight"], unknown());
    let request = pb::apply_resource_change::Request {
        planned_state: planned.planned_state,
        planned_identity: planned.planned_identity,
        ..jars.apply_request(&Json::Null, &config)
    };
    let created = client.apply_resource_change(request).await.unwrap();
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(label(&created.new_identity), "pear");

    let read = async |before: &str| {
        let request = pb::read_resource::Request {
            type_name: "pantry_jar".into(),
            current_state: Some(encode(&jar("plum", "jam"))),
            current_identity: Some(identity(before)),
            ..Default::default()
        };
        client.read_resource(request).await.unwrap()
    };
    assert_eq!(label(&read("plum").await.new_identity), "plum");
    let changed = read("cherry").await;
    assert_eq!(errors(&changed.diagnostics), ["Unexpected change of identity"]);
    assert_eq!(label(&changed.new_identity), "cherry", "the prior identity is kept");
}

#[tokio::test]
async fn identity_that_is_unknown_in_a_plan_is_not_sent() {
    let (_directory, _plugin, client) = pantry(&[]).await;
    let config = json!({ "label": unknown(), "content": "jam", "weight": null });
    let jars = Calls::of("pantry_jar", client);
    let plan = async |prior: Json, prior_identity: Option<pb::ResourceIdentityData>| {
        let request = pb::plan_resource_change::Request {
            prior_identity,
            ..jars.plan_request(&prior, &config)
        };
        jars.client.plan_resource_change(request).await.unwrap()
    };
    let created = plan(Json::Null, None).await;
    let replaced = plan(jar("plum", "jam"), Some(identity("plum"))).await;
    assert_eq!((created.requires_replace.len(), replaced.requires_replace.len()), (0, 1));
    for planned in [created, replaced] {
        assert_eq!(errors(&planned.diagnostics), [""; 0]);
        assert_eq!(state(&planned.planned_state)["label"], unknown());
        assert_eq!(planned.planned_identity, None);
    }
}

#[tokio::test]
async fn identity_is_returned_for_an_object_that_was_not_found() {
    let (_directory, _plugin, client) = pantry(&[]).await;
    for before in [None, Some(identity("plum")), Some(pb::ResourceIdentityData::default())] {
        let request = pb::read_resource::Request {
            type_name: "pantry_jar".into(),
            current_state: Some(encode(&jar("plum", "jam"))),
            current_identity: before,
            ..Default::default()
        };
        let read = client.read_resource(request).await.unwrap();
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        assert_eq!(state(&read.new_state), Json::Null);
        assert_eq!(label(&read.new_identity), "plum");
    }
}

#[tokio::test]
async fn identity_of_a_newer_version_is_an_error() {
    let (_directory, _plugin, client) = pantry(&[]).await;
    let upgrade = async |version, json: &str| {
        let request = pb::upgrade_resource_identity::Request {
            type_name: "pantry_jar".into(),
            version,
            raw_identity: Some(raw(json)),
        };
        client.upgrade_resource_identity(request).await.unwrap()
    };
    assert_eq!(label(&upgrade(0, r#"{"label":"plum"}"#).await.upgraded_identity), "plum");
    let refused = upgrade(1, r#"{"label":"plum"}"#).await;
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
    prefix: Json,
    limit: i64,
    whole: bool,
) -> Vec<pb::list_resource::Event> {
    let request = pb::list_resource::Request {
        type_name: "pantry_jar".into(),
        config: Some(encode(&json!({ "prefix": prefix }))),
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
    let jars = [("pear", "p"), ("plum", "jam"), ("quince", "q")];
    let (_directory, _plugin, client) = pantry(&jars).await;
    let all = list(&client, Json::Null, 100, false).await;
    assert_eq!(names(&all), ["pear", "plum", "quince"]);
    for event in &all {
        assert_eq!(label(&event.identity), event.display_name.as_str());
        assert_eq!((event.resource_object.as_ref(), event.diagnostic.len()), (None, 0));
    }
    assert_eq!(names(&list(&client, json!("p"), 100, false).await), ["pear", "plum"]);
    assert_eq!(names(&list(&client, Json::Null, 1, false).await), ["pear"]);
    assert_eq!(names(&list(&client, Json::Null, 0, false).await), [""; 0]);
    let whole = list(&client, json!("plum"), 100, true).await;
    assert_eq!(state(&whole[0].resource_object), jar("plum", "jam"));
}

#[tokio::test]
async fn list_that_fails_ends_with_the_error() {
    let plugin = Plugin::start(Launch::new(example("terraform-provider-pantry"))).await;
    let events = list(&plugin.connect().await, Json::Null, 100, false).await;
    assert_eq!(errors(&events[0].diagnostic), ["Could not list the shelf"]);
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
    let (_directory, _plugin, client) = pantry(&[]).await;
    let request = pb::generate_resource_config::Request {
        type_name: "pantry_jar".into(),
        state: Some(encode(&jar("plum", "jam"))),
    };
    let generated = client.generate_resource_config(request).await.unwrap();
    assert_eq!(errors(&generated.diagnostics), [""; 0]);
    let expected = json!({ "label": "plum", "content": "jam", "weight": null });
    assert_eq!(state(&generated.config), expected);
}
