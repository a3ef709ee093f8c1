use super::*;
use crate::wire::{Role, encode, test_values};

fn attribute() -> Role {
    test_values::attribute(true, false)
}

fn object(fields: &[(&str, Type, Role)]) -> Type {
    let fields = fields.iter().map(|(name, ty, role)| test_values::field(name, ty.clone(), *role));
    Type::Object(ObjectShape::new(fields.collect()))
}

/// Returns byte sequences that Terraform (go-cty's msgpack encoder) writes, each for one value.
fn golden() -> Vec<(&'static [u8], Type)> {
    let pair = object(&[("a", Type::Number, attribute()), ("b", Type::String, attribute())]);
    vec![
        (b"\xc0", Type::String),
        (b"\xd4\x00\x00", Type::String),
        (b"\xa5caf\xc3\xa9", Type::String),
        (b"\xc3", Type::Bool),
        (b"\x07", Type::Number),
        (b"\xff", Type::Number),
        (b"\xa30.1", Type::Number),
        (b"\xb39223372036854775808", Type::Number),
        (b"\x92\xa1x\xd4\x00\x00", Type::List(Box::new(Type::String))),
        (b"\x92\xd4\x00\x00\xd4\x00\x00", Type::Set(Box::new(Type::String))),
        (b"\x90", Type::Set(Box::new(Type::String))),
        (b"\x81\xa1k\xc2", Type::Map(Box::new(Type::Bool))),
        (b"\x82\xa1a\x01\xa1b\xc0", pair),
    ]
}

#[test]
fn codec_round_trips_what_terraform_writes() {
    for (bytes, ty) in golden() {
        let decoded = decode(bytes, &ty);
        assert_eq!(decoded.faults, [], "{bytes:x?}");
        assert!(!survey(bytes, &ty).rewritten, "{bytes:x?}");
        assert_eq!(encode(&decoded.value, &ty), bytes);
    }
}

#[test]
fn codec_reads_a_fraction_as_its_decimal() {
    let number = |bytes: &[u8]| encode(&decode(bytes, &Type::Number).value, &Type::Number);
    assert_eq!(number(b"\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00"), b"\xa30.5");
    assert_eq!(number(b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), b"\xb418446744073709551615");
    let nan = decode(b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", &Type::Number);
    assert_eq!(nan.faults.len(), 1);
}

#[test]
fn codec_reads_a_refined_unknown_value_as_unknown() {
    // Extension 12: not null, with a known prefix of the string.
    let refined = b"\xc7\x07\x0c\x82\x01\xc2\x02\xa2ab";
    let decoded = decode(refined, &Type::String);
    assert!(decoded.value.is_unknown() && decoded.faults.is_empty());
    assert!(survey(refined, &Type::String).rewritten);
    assert_eq!(encode(&decoded.value, &Type::String), b"\xd4\x00\x00");
    // The empty extension that rmp-serde users write.
    assert!(decode(b"\xc7\x00\x00", &Type::Bool).value.is_unknown());
}

#[test]
fn survey_finds_required_attributes_and_elements_that_are_null() {
    let required = || test_values::attribute(false, false);
    let rule = object(&[
        ("id", Type::Number, test_values::attribute(false, true)),
        ("port", Type::Number, required()),
    ]);
    let list = |element: &Type| Type::List(Box::new(element.clone()));
    let set = |element: &Type| Type::Set(Box::new(element.clone()));
    let one = |name, ty, role| object(&[(name, ty, role)]);
    let role = one("role", Type::String, required());
    let names = one("names", list(&Type::String), attribute());
    let owners = one("owners", set(&Type::String), required());
    let rules = one("rules", list(&rule), attribute());
    let unordered = one("rules", set(&rule), attribute());
    let map = one("tags", Type::Map(Box::new(Type::String)), attribute());
    let optional = one("description", Type::String, attribute());
    let missing =
        |path: &str, attribute: Option<&str>| vec![(path.to_owned(), attribute.map(str::to_owned))];
    for (bytes, ty, expected) in [
        (&b"\x81\xa4role\xc0"[..], &role, missing("role", Some("role"))),
        (b"\x81\xa4role\xa0", &role, vec![]),
        (b"\x81\xa4role\xd4\x00\x00", &role, vec![]),
        (b"\xc0", &role, vec![]),
        (b"\x81\xabdescription\xc0", &optional, vec![]),
        (b"\x81\xa5names\x92\xa1a\xc0", &names, missing("names[1]", None)),
        (b"\x81\xa5names\xc0", &names, vec![]),
        (b"\x81\xa6owners\x93\xc0\xa1a\xc0", &owners, missing("owners", None)),
        (b"\x81\xa6owners\x91\xd4\x00\x00", &owners, vec![]),
        (b"\x81\xa6owners\x90", &owners, vec![]),
        (
            b"\x81\xa5rules\x91\x82\xa2id\xc0\xa4port\xc0",
            &rules,
            missing("rules[0].port", Some("port")),
        ),
        (b"\x81\xa5rules\x91\xc0", &rules, missing("rules[0]", None)),
        (
            b"\x81\xa5rules\x91\x82\xa2id\xc0\xa4port\xc0",
            &unordered,
            missing("rules", Some("port")),
        ),
        // Providers may take null as "not set" in a map.
        (b"\x81\xa4tags\x81\xa1k\xc0", &map, vec![]),
    ] {
        let survey = survey(bytes, ty);
        assert_eq!(survey.faults, [], "{bytes:x?}");
        let found = survey.missing.into_iter().map(|it| (it.path.to_string(), it.attribute));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{bytes:x?}");
    }
    let many = [&b"\x81\xa5names\xdc\x00\x64"[..], &[crate::wire::NIL; 100]].concat();
    assert_eq!(survey(&many, &names).missing.len(), MAX_MISSING);
}

#[test]
fn codec_names_the_place_of_a_wrong_value() {
    let rule = object(&[("port", Type::Number, attribute())]);
    let ty = object(&[
        ("rules", Type::List(Box::new(rule.clone())), attribute()),
        ("tags", Type::Map(Box::new(Type::String)), attribute()),
        ("set", Type::Set(Box::new(rule)), attribute()),
    ]);
    for (bytes, path) in [
        (&b"\x81\xa5rules\x92\x81\xa4port\x01\x81\xa4port\xa4http"[..], "rules[1].port"),
        (b"\x81\xa4tags\x81\xa1k\x05", "tags[\"k\"]"),
        (b"\x81\xa3set\x91\x81\xa4port\xc3", "set"),
        (b"\x81\xa5other\x01", "other"),
        (b"\x91\x01", ""),
        (b"\x81\xa5rules", ""),
        (b"\xc0\xc0", ""),
    ] {
        let decoded = decode(bytes, &ty);
        assert_eq!(decoded.faults.len(), 1, "{bytes:x?}: {:?}", decoded.faults);
        assert_eq!(decoded.faults[0].path.to_string(), path, "{bytes:x?}");
    }
}

#[test]
fn codec_never_repeats_a_value_in_a_fault() {
    let decoded = decode(b"\xa6s3cr3t", &Type::Number);
    assert!(!decoded.faults[0].what.contains("s3cr3t"));
}

#[test]
fn survey_finds_the_first_unknown_value() {
    let unknown = survey(b"\x92\xa1x\xd4\x00\x00", &Type::List(Box::new(Type::String))).unknown;
    assert_eq!(unknown.map(|path| path.to_string()).as_deref(), Some("[1]"));
}

#[test]
fn codec_refuses_endless_nesting() {
    assert_eq!(decode(&[0x91; 5_000], &Type::String).faults.len(), 2);
}

#[test]
fn object_is_read_with_members_in_any_order_and_number() {
    let member = |name| (name, Type::Number, attribute());
    let ty = object(&[member("a"), member("b"), member("c")]);
    let sorted = decode(b"\x83\xa1a\x01\xa1b\x02\xa1c\x03", &ty).value;
    for bytes in [&b"\x83\xa1c\x03\xa1b\x02\xa1a\x01"[..], b"\x83\xa1b\x02\xa1a\x01\xa1c\x03"] {
        let decoded = decode(bytes, &ty);
        assert_eq!(decoded.faults, [], "{bytes:x?}");
        assert!(decoded.value.equals(&sorted, &ty), "{bytes:x?}");
    }
    let lacking = b"\x82\xa1b\x02\xa1c\x03";
    assert!(survey(lacking, &ty).rewritten);
    let Value::Object(members) = decode(lacking, &ty).value else { panic!("an object") };
    assert!(members[0].is_null() && !members[1].is_null() && !members[2].is_null());
}

mod hostile {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::json::from_json;

    fn any_type() -> impl Strategy<Value = Type> {
        let leaf = prop_oneof![Just(Type::String), Just(Type::Number), Just(Type::Bool)];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|element| Type::List(Box::new(element))),
                inner.clone().prop_map(|element| Type::Set(Box::new(element))),
                inner.clone().prop_map(|element| Type::Map(Box::new(element))),
                (inner.clone(), inner)
                    .prop_map(|(a, b)| object(&[("a", a, attribute()), ("b", b, attribute())])),
            ]
        })
    }

    /// Returns any bytes, or bytes that Terraform writes with one byte changed.
    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        let places = (0..golden().len(), any::<prop::sample::Index>(), any::<u8>());
        let damaged = places.prop_map(|(which, place, byte)| {
            let mut bytes = golden()[which].0.to_vec();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            bytes
        });
        prop_oneof![prop::collection::vec(any::<u8>(), 0..80), damaged]
    }

    proptest! {
        #[test]
        fn codec_survives_anything(bytes in any_bytes(), ty in any_type()) {
            let decoded = decode(&bytes, &ty);
            prop_assert_eq!(&survey(&bytes, &ty).faults, &decoded.faults);
            if decoded.faults.is_empty() {
                // The decoded value is encoded, and decoding that returns an equal value.
                let again = encode(&decoded.value, &ty);
                let decoded_again = decode(&again, &ty);
                prop_assert_eq!(&decoded_again.faults, &[]);
                prop_assert_eq!(encode(&decoded_again.value, &ty), again);
            }
        }

        #[test]
        fn json_codec_survives_anything(text in "[\\[\\]{}\",:0-9eE.truefalsn -]{0,60}", ty in any_type()) {
            let decoded = from_json(text.as_bytes(), &ty);
            if decoded.faults.is_empty() {
                let bytes = encode(&decoded.value, &ty);
                prop_assert_eq!(&decode(&bytes, &ty).faults, &[]);
            }
        }
    }
}
