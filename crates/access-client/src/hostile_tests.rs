//! Malicious response bodies. Parsing them returns the requested object or an error. It never
//! panics and never returns another object.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use crate::exchange::RawResponse;
use crate::integration_owner::IntegrationOwner;
use crate::json;
use crate::listing_role::{ListingRole, ListingRoleName};
use crate::message;
use crate::names::{Identifier, ObjectName as _};
use crate::object::{read, read_item};
use crate::pages::read_page;
use crate::path::path;
use crate::redact::{Redactor, Secret};

fn requested() -> ListingRoleName {
    ListingRoleName::parse("listings/github/roles/viewer").unwrap()
}

fn response(body: &[u8]) -> RawResponse {
    RawResponse {
        status: 200,
        body: body.to_vec(),
        retry_after: None,
        request_id: None,
        location: None,
    }
}

fn redactor() -> &'static Redactor {
    static REDACTOR: LazyLock<Redactor> =
        LazyLock::new(|| Redactor::new([Secret::new("canary-key")]));
    &REDACTOR
}

/// Returns JSON in the shapes that responses have, and in any other.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "-?[0-9]{1,22}".prop_map(Value::from),
        "listings/[a-z/%.]{1,8}/roles/.{0,4}".prop_map(Value::from),
        "(users|groups|x)/.{0,4}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        "name|displayName|description|resources|priority|management|manager|owner|deleteTime",
        "message|error|errors|detail|listingRoles|integrationOwners|roles|nextPageToken",
        ".{0,6}",
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns a body: valid JSON, JSON with some bytes changed or cut off, or any bytes.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let whole = json().prop_map(|value| value.to_string().into_bytes()).boxed();
    let damaged = (whole.clone(), any::<prop::sample::Index>(), any::<u8>(), any::<bool>());
    let damaged = damaged.prop_map(|(mut body, place, byte, cut)| {
        let place = place.index(body.len());
        if cut {
            body.truncate(place);
        } else if let Some(changed) = body.get_mut(place) {
            *changed = byte;
        }
        body
    });
    prop_oneof![4 => whole, 4 => damaged, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #[test]
    fn response_reading_survives_anything(body in body()) {
        let response = response(&body);
        let listing = requested().listing;
        if let Ok(role) = read::<ListingRole>(&body, &listing, Some(&requested())) {
            prop_assert_eq!(role.name, requested());
        }
        let integration = Identifier::parse("github").unwrap();
        if let Ok(owner) = read::<IntegrationOwner>(&body, &integration, None) {
            prop_assert_eq!(owner.name.integration, integration.clone());
            prop_assert!(!owner.owner.is_empty() && owner.defect.is_none());
        }
        let read_item = |item: &_| read_item::<IntegrationOwner>(item, &integration);
        if let Ok(read) = read_page(&response, &["integrationOwners"], &read_item, 100) {
            prop_assert!(read.page.items.iter().all(|owner| owner.name.integration == integration));
        }
        if let Ok(value) = serde_json::from_slice::<Value>(&body) {
            prop_assert_eq!(json::is_object(&response.body), value.is_object());
        }
    }

    #[test]
    fn message_survives_anything(body in body()) {
        let shown = message::of_body(&body, redactor());
        prop_assert!(shown.chars().count() <= 513);
        prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
    }

    #[test]
    fn key_is_found_within_anything(before in "(.{0,40}|[\u{1b}\\[\u{200b}a]{0,4})", after in ".{0,40}") {
        let shown = message::of_body(format!("{before}canary-key{after}").as_bytes(), redactor());
        prop_assert!(!shown.contains("anary-ke"), "{:?}", shown);
    }

    #[test]
    fn path_segment_survives_anything(text in "([a-zA-Z0-9._~-]{0,3}[/?#%\\\\ \u{0}-\u{20}\u{7f}é]{0,1}.{0,3}|\\.{0,3}|.{0,20})") {
        let Ok(identifier) = Identifier::parse(&text) else { return Ok(()) };
        prop_assert_eq!(identifier.as_str(), &text);
        let base = url::Url::parse("https://access.example/prefix/").unwrap();
        let joined = base.join(owners_of(&identifier).trim_start_matches('/')).unwrap();
        let segments: Vec<_> = joined.path_segments().unwrap().collect();
        prop_assert_eq!(segments.len(), 6, "{}", joined);
        let decoded = percent_encoding::percent_decode_str(segments[4]).decode_utf8().unwrap();
        prop_assert_eq!(decoded, text);
        prop_assert_eq!((joined.query(), joined.fragment()), (None, None));
    }
}

fn owners_of(integration: &Identifier) -> String {
    path(&["integrations", integration.as_str(), "owners"])
}

#[test]
fn large_bodies_are_errors() {
    let integration = Identifier::parse("github").unwrap();
    let read_item = |item: &_| read_item::<IntegrationOwner>(item, &integration);
    let objects = r#"{"":0},"#.repeat(100_000);
    let role = r#""name":"listings/github/roles/viewer""#;
    let open = "[".repeat(1 << 20);
    let close = "]".repeat(1 << 20);
    for body in [
        format!(r#"{{{role},"management":[{objects}0]}}"#),
        format!(r#"{{{role},"management":{open}0{close}}}"#),
        format!(r#"{{{role},"management":{open}"#),
        format!(r#"{{"integrationOwners":[{objects}0]}}"#),
    ] {
        let response = response(body.as_bytes());
        let role = read::<ListingRole>(&response.body, &integration, Some(&requested()));
        assert!(role.is_err(), "{}", &body[..60]);
        assert!(
            read_page(&response, &["integrationOwners"], &read_item, 100).is_err(),
            "{}",
            &body[..60]
        );
        assert!(message::of_body(&response.body, redactor()).len() < 2_000);
    }
}
