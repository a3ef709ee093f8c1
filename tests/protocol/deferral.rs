//! A provider whose `base_url` is unknown, with hosts that accept deferred changes and others.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{decode, encode, null, unknown};
use serde_json::json;

use super::{Host, ROLE, config, schema, state};
use crate::support::Service;

const DEFERRED: Option<pb::Deferred> = Some(pb::Deferred { reason: 2 });

/// Returns the capabilities of a host.
fn client(deferral_allowed: bool) -> Option<pb::ClientCapabilities> {
    Some(pb::ClientCapabilities { deferral_allowed, ..Default::default() })
}

async fn host_with_unknown_base_url(service: &Service) -> Host {
    Host::start_with(service, &json!({ "base_url": unknown() })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_and_reads_are_deferred_if_the_host_allows_it() {
    let service = Service::full();
    let host = host_with_unknown_base_url(&service).await;
    for (allowed, expected) in [(true, DEFERRED), (false, None)] {
        let provider = &host.client;
        for prior in [None, Some(state())] {
            let request = pb::plan_resource_change::Request {
                type_name: ROLE.to_owned(),
                prior_state: Some(prior.as_ref().map_or_else(null, encode)),
                proposed_new_state: Some(encode(&prior.clone().unwrap_or_else(config))),
                config: Some(encode(&config())),
                client_capabilities: client(allowed),
                ..Default::default()
            };
            let planned = provider.plan_resource_change(request).await.unwrap();
            assert_eq!((planned.diagnostics, planned.deferred), (vec![], expected));
        }
        let request = pb::read_resource::Request {
            type_name: ROLE.to_owned(),
            current_state: Some(encode(&state())),
            client_capabilities: client(allowed),
            ..Default::default()
        };
        let read = provider.read_resource(request).await.unwrap();
        assert_eq!((read.diagnostics, read.deferred), (vec![], expected));
        assert_eq!(decode(&read.new_state.unwrap()), state());
    }
    assert_eq!(service.requests().len(), 0);
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_and_data_sources_are_deferred_or_name_the_unknown_argument() {
    let service = Service::full();
    let host = host_with_unknown_base_url(&service).await;
    let provider = &host.client;
    for (allowed, expected) in [(true, DEFERRED), (false, None)] {
        let request = pb::import_resource_state::Request {
            type_name: ROLE.to_owned(),
            id: "github/viewer".to_owned(),
            client_capabilities: client(allowed),
            ..Default::default()
        };
        let imported = provider.import_resource_state(request).await.unwrap();
        assert_eq!(imported.deferred, expected);
        assert_eq!(imported.imported_resources, []);
        let diagnostics = format!("{:?}", imported.diagnostics);
        assert_eq!(diagnostics.contains("base_url"), !allowed, "{diagnostics}");

        let mut config = schema::empty_data_source(ROLE);
        config["listing"] = json!("github");
        config["role"] = json!("viewer");
        let request = pb::read_data_source::Request {
            type_name: ROLE.to_owned(),
            config: Some(encode(&config)),
            client_capabilities: client(allowed),
            ..Default::default()
        };
        let data = provider.read_data_source(request).await.unwrap();
        assert_eq!(data.deferred, expected);
        let diagnostics = format!("{:?}", data.diagnostics);
        assert_eq!(diagnostics.contains("base_url"), !allowed, "{diagnostics}");
        if allowed {
            let state = decode(&data.state.unwrap());
            assert_eq!(state["listing"], "github");
            assert_eq!(state["display_name"], unknown());
        }
    }
    assert_eq!(service.requests().len(), 0);
    host.end().await;
}
