//! Errors that contain a secret of the caller.

use serde_json::{Value, json};

use crate::support::{Host, Reply};

const OWNERS: &str = "/api/v1/integrations/github/owners";
const KEY: &str = "s3cr+t/k=y";

fn echo(fields: Value) -> Reply {
    let host = Host::full();
    let mut action = json!({"type": "echo"});
    action.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    host.caller("", "curl/8").post("/_fake/faults", &json!({ "action": action })).json(200);
    let reply = host.caller(KEY, "curl/8").with("x-token", "another secret").get(OWNERS);
    let log = serde_json::to_string(&host.service().requests()).unwrap();
    assert!(!log.contains(KEY), "{log}");
    reply
}

fn message(fields: Value) -> String {
    echo(fields).json(400)["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn key_is_echoed_in_each_encoding() {
    let table = [
        (json!({}), "authorization Bearer s3cr+t/k=y"),
        (json!({"key_only": true}), "authorization s3cr+t/k=y"),
        (json!({"encoding": "url_upper"}), "Bearer%20s3cr%2Bt%2Fk%3Dy"),
        (json!({"encoding": "url_lower"}), "Bearer%20s3cr%2bt%2fk%3dy"),
        (json!({"encoding": "json_escapes", "key_only": true}), "s3cr\\u002bt\\u002fk\\u003dy"),
        (json!({"encoding": "html_decimal", "key_only": true}), "s3cr&#43;t&#47;k&#61;y"),
        (json!({"encoding": "html_hex", "key_only": true}), "s3cr&#x2b;t&#x2f;k&#x3d;y"),
        (
            json!({"encoding": "html_hex", "key_only": true, "every_character": true}),
            "&#x73;&#x33;&#x63;&#x72;&#x2b;",
        ),
        (json!({"encoding": "base64", "key_only": true}), " czNjcit0L2s9eQ=="),
        (json!({"encoding": "base64", "key_only": true, "offset": 1}), " eHMzY3IrdC9rPXk="),
        (json!({"encoding": "base64", "key_only": true, "offset": 2}), " eHhzM2NyK3Qvaz15"),
        (json!({"encoding": "base64"}), " QmVhcmVyIHMzY3IrdC9rPXk="),
    ];
    for (fields, expected) in table {
        let message = message(fields.clone());
        assert!(message.ends_with(expected) || message.contains(expected), "{fields}: {message}");
    }
}

#[test]
fn another_header_is_echoed() {
    let message = message(json!({"header": "X-Token", "encoding": "raw"}));
    assert!(message.ends_with("X-Token another secret"), "{message}");
    assert_eq!(echo(json!({"status": 500})).status, 500);
}
