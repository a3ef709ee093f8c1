//! A provider whose `base_url` is unknown, with hosts that accept deferred changes and others.

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
        for prior in [Value::Null, state()] {
            let request = pb::plan_resource_change::Request {
                client_capabilities,
                ..SCHEMAS.plan_request(ROLE, &prior, &config(), Default::default())
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
