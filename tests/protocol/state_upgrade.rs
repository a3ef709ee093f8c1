//! State upgrades: recorded states of prior schema versions. `plugin-server` refuses damaged states.

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

/// Returns a file below `tests/fixtures`.
fn fixture(path: &str) -> Value {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(&path).expect(&path)).expect(&path)
}

/// Files that the provider wrote when its schema had version 0.
const RECORDED: [(&str, &str); 4] = [
    (ROLE, "version-0/listing_role-whole.json"),
    (ROLE, "version-0/listing_role-least.json"),
    (OWNER, "version-0/integration_owner-whole.json"),
    (OWNER, "version-0/integration_owner-least.json"),
];

#[tokio::test(flavor = "multi_thread")]
async fn state_upgrade_keeps_every_attribute_and_sets_missing_ones_to_null() {
    let host = Host::unconfigured().await;
    for (type_name, file) in RECORDED {
        let instance = fixture(file);
        assert_eq!(instance["schema_version"], 0, "{file}");
        let mut stored = instance["attributes"].clone();
        // Attributes that have been added since are null.
        let mut expected = with(schema::empty_resource(type_name), &stored);
        assert_eq!(upgraded(&host, type_name, 0, &stored).await, expected, "{file}");
        for missing in ["update_time", "adopt_existing"] {
            stored.as_object_mut().unwrap().remove(missing).unwrap();
            expected[missing] = Value::Null;
        }
        stored["of_another_version"] = json!([1]);
        for version in [0, 1] {
            let upgraded = upgraded(&host, type_name, version, &stored).await;
            assert_eq!(upgraded, expected, "{file} of version {version}");
        }
    }
}
