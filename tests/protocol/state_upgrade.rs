//! State upgrades: recorded states of prior schema versions, and damaged states.

use super::*;

async fn upgraded(host: &Host, type_name: &str, version: i64, stored: &Value) -> Value {
    let request = pb::upgrade_resource_state::Request {
        type_name: type_name.to_owned(),
        version,
        raw_state: Some(pb::RawState { json: stored.to_string().into(), ..Default::default() }),
    };
    let response = host.client.upgrade_resource_state(request).await.unwrap();
    assert_eq!(response.diagnostics, []);
    decode(&response.upgraded_state.unwrap())
}

/// Returns a recorded state with null for the attributes that have been added since.
fn with_new_attributes(type_name: &str, recorded: &Value) -> Value {
    with(schema::empty_resource(type_name), recorded)
}

/// Files that the provider wrote when its schema had version 0.
const RECORDED: [(&str, &str); 4] = [
    (ROLE, "version-0/listing_role-whole.json"),
    (ROLE, "version-0/listing_role-least.json"),
    (OWNER, "version-0/integration_owner-whole.json"),
    (OWNER, "version-0/integration_owner-least.json"),
];

#[tokio::test(flavor = "multi_thread")]
async fn state_of_version_0_keeps_every_attribute() {
    let host = Host::unconfigured().await;
    for (type_name, file) in RECORDED {
        let instance = fixture(file);
        assert_eq!(instance["schema_version"], 0, "{file}");
        let stored = &instance["attributes"];
        let expected = with_new_attributes(type_name, stored);
        assert_eq!(upgraded(&host, type_name, 0, stored).await, expected, "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn state_upgrade_ignores_foreign_attributes_and_sets_missing_ones_to_null() {
    let host = Host::unconfigured().await;
    for version in [0, 1] {
        for (type_name, file) in RECORDED {
            let mut stored = fixture(file)["attributes"].clone();
            let mut expected = with_new_attributes(type_name, &stored);
            for missing in ["update_time", "adopt_existing"] {
                stored.as_object_mut().unwrap().remove(missing).unwrap();
                expected[missing] = Value::Null;
            }
            stored["of_another_version"] = json!([1]);
            let upgraded = upgraded(&host, type_name, version, &stored).await;
            assert_eq!(upgraded, expected, "{file} of version {version}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn state_that_is_unreadable_or_of_a_newer_version_is_an_error() {
    let host = Host::unconfigured().await;
    for (version, stored) in [(0, "{\"listing\":[1]}"), (0, "null"), (0, "{"), (2, "{}")] {
        let request = pb::upgrade_resource_state::Request {
            type_name: ROLE.to_owned(),
            version,
            raw_state: Some(pb::RawState { json: stored.to_owned().into(), ..Default::default() }),
        };
        let response = host.client.upgrade_resource_state(request).await.unwrap();
        assert_eq!(errors(&response.diagnostics).len(), 1, "{version} {stored}");
        assert_eq!(response.upgraded_state, None, "{version} {stored}");
    }
}
