//! The responses of plans, applies and reads.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostChecks, encode, null, unknown};
use serde_json::{Value as Json, json};

use super::support::{at, errors, path, probe_client, probe_things, state, thing};

const PRIOR: &[u8] = b"\x81\xa4note\xa5prior";
const PLANNED: &[u8] = b"\x81\xa4note\xa7planned";
const STORED: &[u8] = b"\x81\xa4note\xa6stored";
const NULL: Json = Json::Null;

fn made(members: Json) -> Json {
    let mut all = thing(members);
    all["made"] = "made".into();
    all
}

/// Returns the state of a thing with a command.
fn commanded(command: &str) -> Json {
    made(json!({ "command": command }))
}

/// Returns the plan of a create with a command for the apply.
fn planned(command: &str) -> Json {
    thing(json!({ "command": command, "value": "v", "made": unknown() }))
}

#[tokio::test]
async fn plan_has_unknown_values_private_data_and_what_requires_replace() {
    let things = probe_things().await;
    let create = things.create_plan(&thing(json!({ "value": "v" }))).await;
    assert_eq!(errors(&create.diagnostics), [""; 0]);
    assert_eq!(state(&create.planned_state), thing(json!({ "value": "v", "made": unknown() })));
    assert_eq!(&create.planned_private[..], PLANNED);
    assert!(create.requires_replace.is_empty());
    let prior = made(json!({ "value": "v", "replaced_by": "a" }));
    let same = things.plan(&prior, &prior).await;
    assert_eq!((state(&same.planned_state), &same.planned_private[..]), (prior.clone(), PRIOR));
    let replacement = made(json!({ "value": "v", "replaced_by": "b" }));
    // A path into a set is cut at the set.
    let in_a_set = made(json!({ "command": "set:plan_update", "tags": ["a"] }));
    for (prior, proposed, expected) in
        [(&prior, &replacement, "replaced_by"), (&in_a_set, &in_a_set, "tags")]
    {
        let replaced = things.plan(prior, proposed).await;
        assert_eq!(errors(&replaced.diagnostics), [""; 0]);
        assert_eq!(replaced.requires_replace.iter().map(path).collect::<Vec<_>>(), [expected]);
    }
    let destruction = things.plan(&prior, &NULL).await;
    assert_eq!(errors(&destruction.diagnostics), [""; 0]);
    assert_eq!(
        (state(&destruction.planned_state), &destruction.planned_private[..]),
        (NULL, PRIOR)
    );
}

#[tokio::test]
async fn private_data_of_the_first_plan_of_a_replacement_are_in_the_context_of_the_second() {
    let things = probe_things().await;
    let recalled = async |prior: &'static [u8]| {
        let request = pb::plan_resource_change::Request {
            prior_private: prior.into(),
            ..things.plan_request(&NULL, &thing(json!({ "command": "recall:plan_create" })))
        };
        let plan = things.client.plan_resource_change(request).await.unwrap();
        plan.diagnostics[0].summary.clone()
    };
    assert_eq!(recalled(PLANNED).await, "prior planned");
    for other in [&b""[..], b"\xc1garbage"] {
        assert_eq!(recalled(other).await, "prior none");
    }
}

#[tokio::test]
async fn plan_or_result_that_terraform_would_refuse_is_found_by_the_testkit() {
    let things = probe_things().await;
    let checks = HostChecks::of(&super::probe::server());
    for (command, value, expected) in [
        ("go", json!("v"), vec![]),
        ("change", json!("v"), vec!["value: it differs from the value in the configuration"]),
        ("invent", NULL, vec!["rules: the configuration omits it, so the provider may not set it"]),
    ] {
        let command = format!("{command}:plan_create");
        let config = thing(json!({ "command": command, "value": value }));
        let request = things.plan_request(&NULL, &config);
        let response = things.client.plan_resource_change(request.clone()).await.unwrap();
        assert_eq!(errors(&response.diagnostics), [""; 0], "{command}");
        assert_eq!(checks.plan(&request, &response), expected);
    }
    for (command, expected) in
        [("", vec![]), ("change:create", vec!["value: it is not the value that was planned"])]
    {
        let request = things.apply_request(&NULL, &planned(command));
        let created = things.client.apply_resource_change(request.clone()).await.unwrap();
        assert_eq!(errors(&created.diagnostics), [""; 0]);
        assert_eq!(checks.result(&request, &created), expected);
    }
}

#[tokio::test]
async fn read_only_attribute_in_a_configuration_is_refused_at_its_path() {
    let things = probe_things().await;
    for (config, expected) in [
        (json!({ "made": "m" }), "made"),
        (json!({ "made": unknown() }), "made"),
        (json!({ "rules": [{ "port": 1 }, { "id": "i" }] }), "rules[1].id"),
        (json!({ "rules": [{ "id": unknown() }] }), "rules[0].id"),
    ] {
        let refused = things.validate(&thing(config)).await;
        assert_eq!(errors(&refused), ["Read-only attribute"], "{expected}");
        assert_eq!(at(&refused[0]), expected);
        let name = format!("`{}` ", expected.rsplit('.').next().unwrap());
        assert!(refused[0].detail.starts_with(&name), "{}", refused[0].detail);
    }
    let allowed = json!({ "made": null, "value": "v", "rules": [{ "port": 1 }] });
    assert_eq!(things.validate(&thing(allowed)).await, []);
    for (found, expected) in [(NULL, vec![]), (json!("b"), vec!["found"])] {
        let request = pb::validate_data_resource_config::Request {
            type_name: "probe_echo".into(),
            config: Some(encode(&json!({ "given": "a", "found": found }))),
        };
        let response = things.client.validate_data_resource_config(request).await.unwrap();
        assert_eq!(response.diagnostics.iter().map(at).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn missing_value_is_an_error_of_the_plan_and_not_of_the_validation() {
    let things = probe_things().await;
    let port = json!([{ "port": 1, "id": null }, { "port": null, "id": null }]);
    for (members, expected) in [
        (json!({ "rules": port }), "`rules[1].port` has no value: its expression gives null."),
        (json!({ "tags": ["a", null] }), "An element of `tags` has no value: its expression"),
    ] {
        let config = thing(members);
        assert_eq!(things.validate(&config).await, [], "{expected}");
        let prior = made(json!({}));
        let created = things.create_plan(&config).await;
        let updated = things.plan(&prior, &config).await;
        let private = &updated.planned_private[..];
        assert_eq!((state(&updated.planned_state), private), (prior.clone(), PRIOR), "as before");
        let applied = things.apply(&NULL, &config).await;
        assert_eq!(state(&applied.new_state), NULL);
        for diagnostics in [created.diagnostics, updated.diagnostics, applied.diagnostics] {
            assert_eq!(errors(&diagnostics), ["Missing value"], "{expected}");
            assert!(diagnostics[0].detail.starts_with(expected), "{}", diagnostics[0].detail);
            assert!(expected.contains(&at(&diagnostics[0])));
        }
        let destroyed = things.plan(&made(config), &NULL).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0], "only configurations count");
    }
}

#[tokio::test]
async fn missing_value_is_an_error_of_reads_listings_and_imports() {
    let client = probe_client().await;
    let refused = |diagnostics: &[pb::Diagnostic], name: &str| {
        assert_eq!(errors(diagnostics), ["Missing value"]);
        assert_eq!(at(&diagnostics[0]), name);
    };
    let config = Some(encode(&json!({ "given": null, "found": null })));
    let request = pb::validate_data_resource_config::Request {
        type_name: "probe_echo".into(),
        config: config.clone(),
    };
    let valid = client.validate_data_resource_config(request).await.unwrap();
    assert_eq!(valid.diagnostics, []);
    let request = pb::read_data_source::Request { type_name: "probe_echo".into(), config };
    refused(&client.read_data_source(request).await.unwrap().diagnostics, "given");
    let request = pb::list_resource::Request {
        type_name: "probe_listed".into(),
        config: Some(encode(&json!({ "directory": null }))),
        limit: 1,
        ..Default::default()
    };
    let mut events = client.list_resource(request).await.unwrap();
    let event = events.message().await.unwrap().expect("an event");
    refused(&event.diagnostic, "directory");
    let identity_data = Some(encode(&json!({ "name": null })));
    let request = pb::import_resource_state::Request {
        type_name: "probe_listed".into(),
        identity: Some(pb::ResourceIdentityData { identity_data }),
        ..Default::default()
    };
    refused(&client.import_resource_state(request).await.unwrap().diagnostics, "name");
}

#[tokio::test]
async fn prior_state_in_json_is_refused_and_not_taken_for_null() {
    let things = probe_things().await;
    let prior = pb::DynamicValue { json: made(json!({})).to_string().into(), ..Default::default() };
    let request = pb::plan_resource_change::Request {
        prior_state: Some(prior.clone()),
        ..things.plan_request(&NULL, &thing(json!({ "value": "v" })))
    };
    let plan = things.client.plan_resource_change(request).await.unwrap();
    assert_eq!(errors(&plan.diagnostics), ["Unsupported encoding"]);
    assert_eq!(plan.planned_state, Some(prior));
}

#[tokio::test]
async fn plan_that_returns_nothing_is_an_error_with_the_prior_private_data() {
    let things = probe_things().await;
    let update = commanded("none:plan_update");
    let create = thing(json!({ "command": "none:plan_create" }));
    for (prior, proposed, summary) in [
        (NULL, create, "Could not plan the change"),
        (update.clone(), update, "Could not plan the change"),
        (commanded("none:plan_destroy"), NULL, "Could not plan the destruction"),
    ] {
        let plan = things.plan(&prior, &proposed).await;
        assert_eq!(errors(&plan.diagnostics), [summary]);
        assert_eq!(&plan.planned_private[..], PRIOR);
    }
}

#[tokio::test]
async fn create_returns_what_was_made_also_with_an_error() {
    const CREATED: &[u8] = b"\x81\xa4note\xa7created";
    let things = probe_things().await;
    let left = |command: &str| thing(json!({ "command": command, "value": "v" }));
    for (command, summary, expected, private) in [
        ("", None, made(json!({ "command": "", "value": "v" })), CREATED),
        // Without unknown values.
        (
            "fail_with:create",
            Some("Commanded to fail with a state"),
            left("fail_with:create"),
            CREATED,
        ),
        (
            "unknown:create",
            Some("Unknown value from the provider"),
            left("unknown:create"),
            CREATED,
        ),
        ("fail:create", Some("Commanded to fail"), NULL, PLANNED),
        ("none:create", Some("Could not create the resource"), NULL, PLANNED),
    ] {
        let created = things.apply(&NULL, &planned(command)).await;
        assert_eq!(errors(&created.diagnostics), summary.into_iter().collect::<Vec<_>>());
        assert_eq!((state(&created.new_state), &created.private[..]), (expected, private));
        if command == "unknown:create" {
            assert_eq!(at(&created.diagnostics[0]), "made");
        }
    }
}

#[tokio::test]
async fn update_that_fails_returns_a_state_or_keeps_the_prior_one() {
    let things = probe_things().await;
    let prior = made(json!({ "command": "", "value": "old" }));
    let planned = |command: &str| made(json!({ "command": command, "value": "new" }));
    let updated = things.apply(&prior, &planned("")).await;
    assert_eq!(state(&updated.new_state), planned(""));
    let partial = things.apply(&prior, &planned("fail_with:update")).await;
    assert_eq!(state(&partial.new_state)["value"], "old", "not the plan");
    assert_eq!(&partial.private[..], b"\x81\xa4note\xa7updated");
    for (command, summary) in
        [("fail:update", "Commanded to fail"), ("none:update", "Could not update the resource")]
    {
        let failed = things.apply(&prior, &planned(command)).await;
        assert_eq!(errors(&failed.diagnostics), [summary]);
        assert_eq!((state(&failed.new_state), &failed.private[..]), (NULL, PLANNED));
    }
}

#[tokio::test]
async fn destroy_that_returns_nothing_is_an_error() {
    let things = probe_things().await;
    for (command, expected) in [
        ("", vec![]),
        ("none:destroy", vec!["Could not destroy the resource"]),
        ("fail:destroy", vec!["Commanded to fail"]),
    ] {
        let destroyed = things.apply(&commanded(command), &NULL).await;
        assert_eq!((errors(&destroyed.diagnostics), state(&destroyed.new_state)), (expected, NULL));
    }
}

#[tokio::test]
async fn read_returns_the_state_or_drops_it_or_keeps_it() {
    let things = probe_things().await;
    let stored = made(json!({ "value": "v" }));
    let same = things.read(&stored).await;
    assert_eq!((state(&same.new_state), &same.private[..]), (stored, STORED));
    let drifted = things.read(&commanded("drift:read")).await;
    assert_eq!(state(&drifted.new_state)["value"], "drifted");
    let deleted = things.read(&commanded("none:read")).await;
    assert_eq!((errors(&deleted.diagnostics), state(&deleted.new_state)), (vec![], NULL));
    assert_eq!(&deleted.private[..], b"", "Terraform would pass it to the create planned next");
    for command in ["fail:read", "fail_with:read", "unknown:read"] {
        let stored = commanded(command);
        let kept = things.read(&stored).await;
        assert_eq!(errors(&kept.diagnostics).len(), 1, "{command}");
        assert_eq!((state(&kept.new_state), &kept.private[..]), (stored, STORED), "{command}");
    }
    // Private data that cannot be read are treated as empty.
    for (private, echoed) in [(&b"\xc1garbage"[..], &b""[..]), (b"", b"")] {
        let request = pb::read_resource::Request {
            type_name: "probe_thing".into(),
            current_state: Some(encode(&made(json!({})))),
            private: private.to_vec().into(),
            ..Default::default()
        };
        let read = things.client.read_resource(request).await.unwrap();
        assert_eq!((errors(&read.diagnostics), &read.private[..]), (vec![], echoed));
    }
}

async fn configure(client: &Client, config: pb::DynamicValue) -> pb::configure_provider::Response {
    let config = Some(config);
    let request = pb::configure_provider::Request { config, ..Default::default() };
    client.configure_provider(request).await.unwrap()
}

#[tokio::test]
async fn configure_works_without_a_schema_call_and_reports_failures() {
    let client = probe_client().await;
    let region = |region: &str| encode(&json!({ "region": region }));
    for (config, expected) in [
        (region("north"), vec![]),
        (region("error"), vec!["Configured to fail"]),
        (region("none"), vec!["Could not configure the provider"]),
        (region("panic"), vec!["Provider crashed"]),
        (null(), vec!["Missing configuration"]),
    ] {
        assert_eq!(errors(&configure(&client, config).await.diagnostics), expected);
    }
}

#[tokio::test]
async fn data_source_returns_what_is_known() {
    let client = probe_client().await;
    for (given, found, expected) in [
        ("a", json!({ "given": "a", "found": "a" }), vec![]),
        ("none", NULL, vec!["Could not read the data source"]),
        ("unknown", NULL, vec!["Unknown value from the provider"]),
    ] {
        let request = pb::read_data_source::Request {
            type_name: "probe_echo".into(),
            config: Some(encode(&json!({ "given": given, "found": null }))),
        };
        let read = client.read_data_source(request).await.unwrap();
        assert_eq!((state(&read.state), errors(&read.diagnostics)), (found, expected));
    }
}
