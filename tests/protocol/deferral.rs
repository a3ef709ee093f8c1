//! A provider whose `base_url` is unknown, with hosts that accept deferred changes and others.

use super::cases::*;
use super::*;

const DEFERRED: Option<pb::Deferred> = Some(pb::Deferred { reason: 2 });

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_deferred_if_the_host_allows_it_and_otherwise_plan_or_name_the_argument() {
    let service = Service::full();
    let host = Host::start_with(&service, &json!({ "base_url": unknown() })).await;
    let provider = &host.client;
    let type_name = || ROLE.to_owned();
    for (deferral_allowed, expected) in [(true, DEFERRED), (false, None)] {
        let client_capabilities =
            Some(pb::ClientCapabilities { deferral_allowed, ..Default::default() });
        let new = with(config(), &json!({"role": "new"}));
        for (prior, config) in [(Value::Null, new), (state(), config())] {
            let request = pb::plan_resource_change::Request {
                client_capabilities,
                ..SCHEMAS.plan_request(ROLE, &prior, &config, Default::default())
            };
            let planned = provider.plan_resource_change(request).await.unwrap();
            assert_eq!((planned.diagnostics, planned.deferred), (vec![], expected));
        }
        let request = pb::read_resource::Request {
            type_name: type_name(),
            current_state: Some(encode(&state())),
            client_capabilities,
            ..Default::default()
        };
        let read = provider.read_resource(request).await.unwrap();
        assert_eq!((read.diagnostics, read.deferred), (vec![], expected));
        // A read returns integers as text.
        let kept = decode(&read.new_state.unwrap());
        let priority = state()["priority"].to_string();
        assert_eq!(kept, with(state(), &json!({ "priority": priority })));

        let names_argument = |diagnostics: &[pb::Diagnostic]| {
            assert_eq!(format!("{diagnostics:?}").contains("base_url"), !deferral_allowed);
        };
        let request = pb::import_resource_state::Request {
            type_name: type_name(),
            id: "github/viewer".to_owned(),
            client_capabilities,
            ..Default::default()
        };
        let imported = provider.import_resource_state(request).await.unwrap();
        assert_eq!((imported.imported_resources, imported.deferred), (vec![], expected));
        names_argument(&imported.diagnostics);

        let viewer = json!({"listing": "github", "role": "viewer"});
        let request = pb::read_data_source::Request {
            type_name: type_name(),
            config: Some(encode(&with(SCHEMAS.data_sources[ROLE].empty.clone(), &viewer))),
            client_capabilities,
            ..Default::default()
        };
        let data = provider.read_data_source(request).await.unwrap();
        assert_eq!(data.deferred, expected);
        names_argument(&data.diagnostics);
        if deferral_allowed {
            let state = decode(&data.state.unwrap());
            assert_eq!((&state["listing"], &state["display_name"]), (&json!("github"), &unknown()));
        }
    }
    assert_eq!(service.requests().len(), 0);
}

/// What one plan of the same resources would refuse does not need the service.
#[tokio::test(flavor = "multi_thread")]
async fn plans_without_the_service_refuse_contradictions_and_new_names() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let unknowns = [
        json!({ "request_timeout": unknown() }),
        json!({ "base_url": unknown(), "api_key": unknown() }),
    ];
    for settings in unknowns {
        service.clear_requests();
        let start = async || Host::start_with(&service, &settings).await;
        let arguments = settings.as_object().unwrap().keys();
        let names: Vec<String> = arguments.map(|name| format!("`{name}`")).collect();

        // Nothing has shown whether the new name is free.
        let renamed = with(config(), &json!({"role": "reader"}));
        let planned = role.plan(&start().await, &renamed).await;
        assert_eq!(errors(&planned.diagnostics).len(), 1, "{:?}", planned.diagnostics);
        let way = "add a block of its own for the new name";
        let parts = ["roles/reader", "known only after apply", way];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        says(&planned.diagnostics, &[&parts[..], &names].concat());
        says(&planned.diagnostics, &["listings/github/roles/viewer", "does not revoke access"]);

        // A new address without a `moved` block.
        let host = start().await;
        let gone = host.plan_destroy(ROLE, &role.state, &role.private).await;
        assert_eq!(errors(&gone.diagnostics), [""; 0]);
        says(&gone.diagnostics, &["listings/github/roles/viewer", "entitlements"]);
        let new = host.plan(ROLE, None, &config(), b"").await;
        says(&new.diagnostics, &["listings/github/roles/viewer", "moved {"]);

        // Two blocks for one integration.
        let host = start().await;
        let single = with(creating(Owner), &json!({"integration": "okta"}));
        assert_eq!(host.plan(OWNER, None, &single, b"").await.diagnostics, []);
        let list = host.plan(OWNERS, None, &owners_config("okta", &["users/ben"]), b"").await;
        says(&list.diagnostics, &["integrations/okta", "managed twice"]);

        // The apply may write the repository together with another change, and only then.
        let host = start().await;
        let policy = with(config(), &json!({"deletion_policy": "abandon"}));
        let updated = role.plan(&host, &policy).await;
        assert_eq!(decode(&updated.planned_state.unwrap())["repo_dir"], unknown());
        let unchanged = role.plan(&host, &config()).await;
        assert_eq!(decode(&unchanged.planned_state.unwrap()), role.state);

        // What contradicts nothing is planned in silence.
        let host = start().await;
        assert_eq!(host.plan(ROLE, None, &renamed, b"").await.diagnostics, []);
        assert_eq!(role.plan(&host, &config()).await.diagnostics, []);
        assert_eq!(service.requests().len(), 0);
    }
}

/// Private state has what a refresh in a checkout has found. Without settings, there is no checkout.
#[tokio::test(flavor = "multi_thread")]
async fn refresh_without_settings_changes_no_private_state() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let checkout = Host::in_checkout(&service, "https://git.example/ours").await;
    let private = role.read(&checkout).await.private;
    assert_ne!(private, role.private, "the checkout has another repository than the role");
    service.clear_requests();
    let host = Host::start_with(&service, &json!({ "request_timeout": unknown() })).await;
    let read = host.read(ROLE, &role.state, &private).await;
    assert_eq!((read.diagnostics, read.private), (vec![], private));
    assert_eq!(service.requests().len(), 0);
}
