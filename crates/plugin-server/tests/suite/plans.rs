//! The responses of plans, applies and reads.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostChecks, Plugin, encode, null, unknown};
use serde_json::{Value as Json, json};

use super::support::{
    apply, apply_request, errors, path, plan, plan_request, probe, probe_client, read, state, thing,
};

const PRIOR: &[u8] = b"\x81\xa4note\xa5prior";
const PLANNED: &[u8] = b"\x81\xa4note\xa7planned";
const STORED: &[u8] = b"\x81\xa4note\xa6stored";

fn made(members: Json) -> Json {
    let mut all = thing(members);
    all["made"] = "made".into();
    all
}

/// Returns the plan of a create with a command for the apply.
fn planned(command: &str) -> Json {
    thing(json!({ "command": command, "value": "v", "made": unknown() }))
}

#[tokio::test]
async fn plan_of_a_create_has_unknown_values() {
    let client = probe_client().await;
    let plan = plan(&client, &Json::Null, &thing(json!({ "value": "v" }))).await;
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!(state(&plan.planned_state), thing(json!({ "value": "v", "made": unknown() })));
    assert_eq!(&plan.planned_private[..], PLANNED);
    assert!(!plan.legacy_type_system && plan.requires_replace.is_empty());
}

#[tokio::test]
async fn plan_of_an_update_returns_private_data_and_what_requires_replace() {
    let client = probe_client().await;
    let prior = made(json!({ "value": "v", "replaced_by": "a" }));
    let same = plan(&client, &prior, &prior).await;
    assert_eq!((state(&same.planned_state), &same.planned_private[..]), (prior.clone(), PRIOR));
    let other = made(json!({ "value": "v", "replaced_by": "b" }));
    let replaced = plan(&client, &prior, &other).await;
    assert_eq!(replaced.requires_replace.iter().map(path).collect::<Vec<_>>(), ["replaced_by"]);
}

#[tokio::test]
async fn private_data_of_the_first_plan_are_in_the_context_of_the_second() {
    let client = probe_client().await;
    let recalled = async |prior: &'static [u8], planned: &'static [u8]| {
        let config = thing(json!({ "command": "recall:plan_create" }));
        let request = pb::plan_resource_change::Request {
            prior_private: prior.into(),
            planned_private: planned.into(),
            ..plan_request(&Json::Null, &config)
        };
        let plan = client.plan_resource_change(request).await.unwrap();
        plan.diagnostics[0].summary.clone()
    };
    // The first plan of a create, and the plan before its apply by Terraform 1.16.
    assert_eq!(recalled(b"", b"").await, "planned none, prior none");
    assert_eq!(recalled(b"", PLANNED).await, "planned planned, prior none");
    // The second plan of a replacement.
    assert_eq!(recalled(PLANNED, b"").await, "planned none, prior planned");
    assert_eq!(recalled(b"", b"\xc1garbage").await, "planned none, prior none");
}

#[tokio::test]
async fn plan_of_a_replacement_by_a_set_is_cut_at_the_set() {
    let client = probe_client().await;
    let prior = made(json!({ "command": "set:plan_update", "tags": ["a"] }));
    let plan = plan(&client, &prior, &prior).await;
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!(plan.requires_replace.iter().map(path).collect::<Vec<_>>(), ["tags"]);
}

#[tokio::test]
async fn plan_of_a_destruction_keeps_the_private_data() {
    let client = probe_client().await;
    let plan = plan(&client, &made(json!({})), &Json::Null).await;
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!((state(&plan.planned_state), &plan.planned_private[..]), (Json::Null, PRIOR));
}

#[tokio::test]
async fn plan_that_terraform_would_refuse_is_found_by_the_testkit() {
    let client = probe_client().await;
    let refused = async |command: &str, value: Json| {
        let mut config = thing(json!({ "command": format!("{command}:plan_create") }));
        config["value"] = value;
        let request = plan_request(&Json::Null, &config);
        let response = client.plan_resource_change(request.clone()).await.unwrap();
        assert_eq!(errors(&response.diagnostics), [""; 0], "{command}");
        HostChecks::of(&super::probe::server()).plan(&request, &response)
    };
    assert_eq!(refused("go", json!("v")).await, [""; 0]);
    let differs = "value: it differs from the value in the configuration";
    assert_eq!(refused("change", json!("v")).await, [differs]);
    let invented = "rules: the configuration omits it, so the provider may not set it";
    assert_eq!(refused("invent", Json::Null).await, [invented]);
}

#[tokio::test]
async fn plan_that_returns_nothing_is_an_error() {
    let client = probe_client().await;
    let prior = |command: &str| made(json!({ "command": command }));
    let create = plan(&client, &Json::Null, &thing(json!({ "command": "none:plan_create" }))).await;
    let update = plan(&client, &prior("none:plan_update"), &prior("none:plan_update")).await;
    let destroy = plan(&client, &prior("none:plan_destroy"), &Json::Null).await;
    assert_eq!(errors(&create.diagnostics), ["Could not plan the change"]);
    assert_eq!(errors(&update.diagnostics), ["Could not plan the change"]);
    assert_eq!(errors(&destroy.diagnostics), ["Could not plan the destruction"]);
    for plan in [create, update, destroy] {
        assert_eq!(&plan.planned_private[..], PRIOR);
    }
}

#[tokio::test]
async fn write_only_values_are_passed_to_the_provider_and_not_returned() {
    let client = probe_client().await;
    let plan = plan(&client, &Json::Null, &thing(json!({ "secret": "s3cr3t" }))).await;
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!(state(&plan.planned_state)["secret"], Json::Null);
}

#[tokio::test]
async fn write_only_values_are_refused_if_the_host_would_store_them() {
    let client = probe_client().await;
    let validate = async |knows: bool| {
        let request = pb::validate_resource_config::Request {
            type_name: "probe_thing".into(),
            config: Some(encode(&thing(json!({ "secret": "s3cr3t" })))),
            client_capabilities: Some(pb::ClientCapabilities {
                write_only_attributes_allowed: knows,
                ..Default::default()
            }),
        };
        client.validate_resource_config(request).await.unwrap()
    };
    assert_eq!(errors(&validate(true).await.diagnostics), [""; 0]);
    let refused = validate(false).await;
    assert_eq!(errors(&refused.diagnostics), ["Write-only attribute"]);
    assert_eq!(path(refused.diagnostics[0].attribute.as_ref().unwrap()), "secret");
}

#[tokio::test]
async fn checks_from_the_schema_that_hosts_receive_are_those_of_the_server() {
    let client = probe_client().await;
    let schema = client.get_provider_schema(pb::get_provider_schema::Request {}).await.unwrap();
    let (of_schema, of_server) =
        (HostChecks::of_schema(&schema), HostChecks::of(&super::probe::server()));
    let accepts = |name: &str, planned: &Json| {
        let request = plan_request(&Json::Null, &thing(json!({ "value": "v" })));
        let planned_state = Some(encode(planned));
        let response = pb::plan_resource_change::Response { planned_state, ..Default::default() };
        let found = of_schema.plan(&request, &response);
        assert_eq!(found, of_server.plan(&request, &response), "{name}");
        found.is_empty()
    };
    assert!(accepts("the proposed state", &thing(json!({ "value": "v" }))));
    assert!(accepts("a computed value", &thing(json!({ "value": "v", "made": "m" }))));
    for (name, change) in [
        ("another value", json!({ "value": "w" })),
        ("a value that is not configured", json!({ "value": "v", "amount": 1 })),
        ("a write-only value", json!({ "value": "v", "secret": "s" })),
        ("a block", json!({ "value": "v", "steps": [{ "id": null }] })),
        ("a nested attribute", json!({ "value": "v", "rules": [{ "port": 1 }] })),
    ] {
        assert!(!accepts(name, &thing(change)), "{name}");
    }
}

async fn validate(client: &Client, config: Json) -> Vec<pb::Diagnostic> {
    let request = pb::validate_resource_config::Request {
        type_name: "probe_thing".into(),
        config: Some(encode(&thing(config))),
        client_capabilities: None,
    };
    let validated = client.validate_resource_config(request).await.unwrap();
    validated.diagnostics
}

#[tokio::test]
async fn read_only_attribute_in_a_configuration_is_refused_at_its_path() {
    let client = probe_client().await;
    for (config, at) in [
        (json!({ "made": "m" }), "made"),
        (json!({ "made": unknown() }), "made"),
        (json!({ "rules": [{ "port": 1 }, { "id": "i" }] }), "rules[1].id"),
        (json!({ "steps": [{ "id": unknown() }] }), "steps[0].id"),
    ] {
        let diagnostics = validate(&client, config).await;
        assert_eq!(errors(&diagnostics), ["Read-only attribute"], "{at}");
        assert_eq!(path(diagnostics[0].attribute.as_ref().unwrap()), at);
        let name = at.rsplit('.').next().unwrap();
        assert!(
            diagnostics[0].detail.starts_with(&format!("`{name}` ")),
            "{}",
            diagnostics[0].detail
        );
    }
    let allowed =
        json!({ "made": null, "value": "v", "rules": [{ "port": 1 }], "steps": unknown() });
    assert_eq!(validate(&client, allowed).await, []);
}

#[tokio::test]
async fn read_only_attribute_of_a_data_source_is_refused() {
    let client = probe_client().await;
    let validate = async |found: Json| {
        let request = pb::validate_data_resource_config::Request {
            type_name: "probe_echo".into(),
            config: Some(encode(&json!({ "given": "a", "found": found }))),
        };
        let response = client.validate_data_resource_config(request).await;
        response.unwrap().diagnostics
    };
    assert_eq!(errors(&validate(Json::Null).await), [""; 0]);
    let refused = validate(json!("b")).await;
    assert_eq!(errors(&refused), ["Read-only attribute"]);
    assert_eq!(path(refused[0].attribute.as_ref().unwrap()), "found");
}

#[tokio::test]
async fn action_of_a_plan_or_an_apply_is_in_the_context() {
    let client = probe_client().await;
    let command = |when: &str| made(json!({ "command": format!("action:{when}") }));
    let null = Json::Null;
    let create = plan(&client, &null, &thing(json!({ "command": "action:plan_create" }))).await;
    assert_eq!(errors(&create.diagnostics), ["create"]);
    let prior = command("plan_update");
    assert_eq!(errors(&plan(&client, &prior, &prior).await.diagnostics), ["update"]);
    let prior = command("plan_destroy");
    assert_eq!(errors(&plan(&client, &prior, &null).await.diagnostics), ["destroy"]);
    let created = apply(&client, &null, &planned("action:create")).await;
    assert_eq!(errors(&created.diagnostics), ["create"]);
    let prior = command("update");
    assert_eq!(errors(&apply(&client, &prior, &prior).await.diagnostics), ["update"]);
    let destroyed = apply(&client, &command("destroy"), &null).await;
    assert_eq!(errors(&destroyed.diagnostics), ["destroy"]);
    assert_eq!(errors(&read(&client, &command("read")).await.diagnostics), ["no action"]);
}

#[tokio::test]
async fn create_returns_what_was_made() {
    let client = probe_client().await;
    let created = apply(&client, &Json::Null, &planned("")).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(state(&created.new_state), made(json!({ "command": "", "value": "v" })));
    assert_eq!(&created.private[..], b"\x81\xa4note\xa7created");
}

#[tokio::test]
async fn create_that_fails_returns_the_state_without_unknown_values() {
    let client = probe_client().await;
    let partial = apply(&client, &Json::Null, &planned("fail_with:create")).await;
    assert_eq!(errors(&partial.diagnostics), ["Commanded to fail with a state"]);
    let left = thing(json!({ "command": "fail_with:create", "value": "v" }));
    assert_eq!(state(&partial.new_state), left);
    let nothing = apply(&client, &Json::Null, &planned("fail:create")).await;
    assert_eq!(errors(&nothing.diagnostics), ["Commanded to fail"]);
    assert_eq!((state(&nothing.new_state), &nothing.private[..]), (Json::Null, PLANNED));
    let nothing_returned = apply(&client, &Json::Null, &planned("none:create")).await;
    assert_eq!(errors(&nothing_returned.diagnostics), ["Could not create the resource"]);
    assert_eq!(state(&nothing_returned.new_state), Json::Null);
}

#[tokio::test]
async fn result_that_terraform_would_refuse_is_kept() {
    let client = probe_client().await;
    let unknown = apply(&client, &Json::Null, &planned("unknown:create")).await;
    assert_eq!(errors(&unknown.diagnostics), ["Unknown value from the provider"]);
    assert_eq!(path(unknown.diagnostics[0].attribute.as_ref().unwrap()), "made");
    assert_eq!(state(&unknown.new_state)["value"], "v", "what was created is not lost");
    assert_eq!(state(&unknown.new_state)["made"], Json::Null);
    let request = apply_request(&Json::Null, &planned("change:create"));
    let changed = client.apply_resource_change(request.clone()).await.unwrap();
    assert_eq!(errors(&changed.diagnostics), [""; 0]);
    let checks = HostChecks::of(&super::probe::server());
    let refused = "value: it is not the value that was planned";
    assert_eq!(checks.result(&request, &changed), [refused]);
    let request = apply_request(&Json::Null, &planned(""));
    let created = client.apply_resource_change(request.clone()).await.unwrap();
    assert_eq!(checks.result(&request, &created), [""; 0]);
}

#[tokio::test]
async fn update_that_fails_returns_a_state_or_keeps_the_prior_one() {
    let client = probe_client().await;
    let prior = made(json!({ "command": "", "value": "old" }));
    let planned = |command: &str| made(json!({ "command": command, "value": "new" }));
    let updated = apply(&client, &prior, &planned("")).await;
    assert_eq!(state(&updated.new_state), planned(""));
    let partial = apply(&client, &prior, &planned("fail_with:update")).await;
    assert_eq!(state(&partial.new_state)["value"], "old", "not the plan");
    assert_eq!(&partial.private[..], b"\x81\xa4note\xa7updated");
    for (command, summary) in
        [("fail:update", "Commanded to fail"), ("none:update", "Could not update the resource")]
    {
        let failed = apply(&client, &prior, &planned(command)).await;
        assert_eq!(errors(&failed.diagnostics), [summary]);
        assert_eq!((state(&failed.new_state), &failed.private[..]), (Json::Null, PLANNED));
    }
}

#[tokio::test]
async fn destroy_that_returns_nothing_is_an_error() {
    let client = probe_client().await;
    let destroy = async |command: &str| {
        apply(&client, &made(json!({ "command": command })), &Json::Null).await
    };
    let destroyed = destroy("").await;
    assert_eq!((errors(&destroyed.diagnostics), state(&destroyed.new_state)), (vec![], Json::Null));
    assert_eq!(
        errors(&destroy("none:destroy").await.diagnostics),
        ["Could not destroy the resource"]
    );
    assert_eq!(errors(&destroy("fail:destroy").await.diagnostics), ["Commanded to fail"]);
}

#[tokio::test]
async fn read_returns_the_state_or_drops_it_or_keeps_it() {
    let client = probe_client().await;
    let stored = made(json!({ "value": "v" }));
    let same = read(&client, &stored).await;
    assert_eq!((state(&same.new_state), &same.private[..]), (stored, STORED));
    let drifted = read(&client, &made(json!({ "command": "drift:read" }))).await;
    assert_eq!(state(&drifted.new_state)["value"], "drifted");
    let deleted = read(&client, &made(json!({ "command": "none:read" }))).await;
    assert_eq!((errors(&deleted.diagnostics), state(&deleted.new_state)), (vec![], Json::Null));
    assert_eq!(&deleted.private[..], b"", "Terraform would pass it to the create planned next");
    for command in ["fail:read", "fail_with:read", "unknown:read"] {
        let stored = made(json!({ "command": command }));
        let kept = read(&client, &stored).await;
        assert_eq!(errors(&kept.diagnostics).len(), 1, "{command}");
        assert_eq!((state(&kept.new_state), &kept.private[..]), (stored, STORED), "{command}");
    }
}

#[tokio::test]
async fn private_data_that_is_unreadable_is_treated_as_empty() {
    let client = probe_client().await;
    for (private, echoed) in [(&b"\xc1garbage"[..], &b""[..]), (b"", b""), (STORED, STORED)] {
        let request = pb::read_resource::Request {
            type_name: "probe_thing".into(),
            current_state: Some(encode(&made(json!({})))),
            private: private.to_vec().into(),
            ..Default::default()
        };
        let read = client.read_resource(request).await.unwrap();
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        assert_eq!(&read.private[..], echoed);
    }
}

async fn configure(client: &Client, config: pb::DynamicValue) -> pb::configure_provider::Response {
    let request = pb::configure_provider::Request {
        terraform_version: "1.11.4".into(),
        config: Some(config),
        client_capabilities: None,
    };
    client.configure_provider(request).await.unwrap()
}

#[tokio::test]
async fn configure_works_without_a_schema_call_and_reports_failures() {
    let client = probe_client().await;
    let region = |region: &str| encode(&json!({ "region": region }));
    assert_eq!(errors(&configure(&client, region("north")).await.diagnostics), [""; 0]);
    for (config, summary) in [
        (region("error"), "Configured to fail"),
        (region("none"), "Could not configure the provider"),
        (region("panic"), "Provider crashed"),
        (null(), "Missing configuration"),
    ] {
        assert_eq!(errors(&configure(&client, config).await.diagnostics), [summary]);
    }
}

#[tokio::test]
async fn data_source_returns_what_is_known() {
    let client = probe_client().await;
    let read = async |given: &str| {
        let request = pb::read_data_source::Request {
            type_name: "probe_echo".into(),
            config: Some(encode(&json!({ "given": given, "found": null }))),
            ..Default::default()
        };
        client.read_data_source(request).await.unwrap()
    };
    let found = read("a").await;
    assert_eq!(state(&found.state), json!({ "given": "a", "found": "a" }));
    assert_eq!(errors(&read("none").await.diagnostics), ["Could not read the data source"]);
    assert_eq!(errors(&read("unknown").await.diagnostics), ["Unknown value from the provider"]);
}

#[tokio::test]
async fn diagnostics_do_not_contain_a_backtrace() {
    let plugin = Plugin::start(probe().env("RUST_BACKTRACE", "1")).await;
    let client = plugin.connect().await;
    let plan = plan(&client, &Json::Null, &thing(json!({ "command": "none:plan_create" }))).await;
    let expected = "The provider returned neither a result nor an error. This is a bug in the \
                    provider, please report it to its maintainers.";
    assert_eq!(plan.diagnostics[0].detail, expected);
}
