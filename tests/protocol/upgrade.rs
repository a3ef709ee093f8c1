//! States of other versions of the schema: recorded ones, and ones that were damaged.

use super::*;

async fn upgraded(host: &Host, type_name: &str, version: i64, stored: &Value) -> Value {
    let request = pb::upgrade_resource_state::Request {
        type_name: type_name.to_owned(),
        version,
        raw_state: Some(pb::RawState { json: stored.to_string().into(), ..Default::default() }),
    };
    let answer = host.client.provider.clone().upgrade_resource_state(request).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.diagnostics, []);
    decode(&answer.upgraded_state.unwrap())
}

/// Files that the provider wrote when its schema had version 0.
const RECORDED: [(&str, &str); 4] = [
    ("access_listing_role", "version-0/listing_role-whole.json"),
    ("access_listing_role", "version-0/listing_role-least.json"),
    ("access_integration_owner", "version-0/integration_owner-whole.json"),
    ("access_integration_owner", "version-0/integration_owner-least.json"),
];

#[tokio::test(flavor = "multi_thread")]
async fn recorded_states_of_version_0_are_kept_whole() {
    let host = Host::unconfigured().await;
    for (type_name, file) in RECORDED {
        let instance = fixture(file);
        assert_eq!(instance["schema_version"], 0, "{file}");
        let stored = &instance["attributes"];
        assert_eq!(upgraded(&host, type_name, 0, stored).await, *stored, "{file}");
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attributes_that_are_unknown_are_passed_over_and_missing_ones_are_null() {
    let host = Host::unconfigured().await;
    for version in [0, 1] {
        for (type_name, file) in RECORDED {
            let mut stored = fixture(file)["attributes"].clone();
            let mut expected = stored.clone();
            for gone in ["update_time", "adopt_existing"] {
                stored.as_object_mut().unwrap().remove(gone).unwrap();
                expected[gone] = Value::Null;
            }
            stored["of_another_version"] = json!([1]);
            let upgraded = upgraded(&host, type_name, version, &stored).await;
            assert_eq!(upgraded, expected, "{file} of version {version}");
        }
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn state_that_does_not_read_and_versions_to_come_are_errors() {
    let host = Host::unconfigured().await;
    for (version, stored) in [(0, "{\"listing\":[1]}"), (0, "null"), (0, "{"), (2, "{}")] {
        let request = pb::upgrade_resource_state::Request {
            type_name: "access_listing_role".to_owned(),
            version,
            raw_state: Some(pb::RawState { json: stored.to_owned().into(), ..Default::default() }),
        };
        let answer = host.client.provider.clone().upgrade_resource_state(request).await.unwrap();
        let answer = answer.into_inner();
        assert_eq!(errors(&answer.diagnostics).len(), 1, "{version} {stored}");
        assert_eq!(answer.upgraded_state, None, "{version} {stored}");
    }
    host.end().await;
}
