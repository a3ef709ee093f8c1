//! Redaction of secrets: as they are, and in any percent-encoding.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

const KEY: &str = "canary-key+/=\"<&>_~Z9";

fn redactor() -> &'static Redactor {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
        let secrets = [KEY, "päss wörd😀", "abc", "100%25", "canary-key"];
        Redactor::new(secrets.map(Secret::new))
    });
    &REDACTOR
}

#[test]
fn redactor_finds_a_key_as_it_is_and_percent_encoded() {
    let url = "canary%2Dkey%2B%2F%3D%22%3C%26%3E%5F%7EZ9";
    for text in [
        KEY,
        url,
        &url.to_ascii_lowercase().replace("z9", "Z9"),
        "canary-key%2B%2F%3D%22%3C%26%3E_~Z9",
        "canary-key+/=%22%3C&%3E_~Z9",
        "%63%61%6e%61%72%79%2d%6b%65%79%2b%2f%3d%22%3c%26%3e%5f%7e%5a%39",
        "päss wörd😀",
        "p%C3%A4ss%20w%C3%B6rd%F0%9F%98%80",
        "p%c3%a4ss%20wörd%f0%9f%98%80",
        "100%25",
    ] {
        for (before, after) in [("", ""), ("<", ">"), ("é", "%c3"), ("a=", "%")] {
            let shown = redactor().redact(&format!("{before}{text}{after}"));
            assert_eq!(shown, format!("{before}[redacted]{after}"), "{text}");
        }
    }
    assert_eq!(redactor().redact("canary-keycanary%2dkey"), "[redacted][redacted]");
}

#[test]
fn redactor_finds_a_key_in_the_texts_of_json() {
    let text = r#"{"canary-key+\/=\"\u003c&>_~Z9": ["p\u00e4ss w\u00f6rd\ud83d\ude00", 7]}"#;
    let shown = redactor().redact_json(serde_json::from_str(text).unwrap());
    assert_eq!(shown.to_string(), r#"{"[redacted]":["[redacted]",7]}"#);
}

#[test]
fn redactor_leaves_other_texts_alone() {
    for text in [
        "",
        "abc",
        "canary",
        "100% of \\ & &amp; %2 %zz %+1 \\u12 &#; &#x; &nothing; ==== \u{e9}\u{1f600}",
        "listings/github/roles/viewer",
        "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijklmnop",
    ] {
        assert_eq!(redactor().redact(text), text);
    }
}

#[test]
fn head_shows_no_part_of_a_secret_that_it_cuts() {
    let redactor = Redactor::new([Secret::new("canary-key")]);
    let in_url: String = "canary-key".bytes().map(|byte| format!("%{byte:x}")).collect();
    for form in ["canary-key", &in_url] {
        for before in 0..30 {
            let body = format!("{}{form}{}", " ".repeat(before), "x".repeat(200));
            for limit in [0, 5, 20, 40, 75, 400] {
                let head = redactor.head(body.as_bytes(), limit);
                let shows_part = ["ca", "ry", "%"].iter().any(|part| head.contains(part));
                assert!(!shows_part, "{head:?} of {limit}");
                assert!(limit < 400 || head.ends_with("xxx"), "{head:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn redactor_survives_anything(text in "(.|[%cé0-9a-f]){0,80}") {
        let redactor = Redactor::new(["canary-key", "éa%c"].map(Secret::new));
        let shown = redactor.redact(&text);
        prop_assert!(shown == text || shown.contains("[redacted]"));
    }
}
