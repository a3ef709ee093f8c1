//! Redaction of secrets, in the encodings that encoders write.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

const KEY: &str = "canary-key+/=\"<&>_~Z9";

fn redactor() -> &'static Redactor {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
        let secrets = [KEY, "päss wörd😀", "abc", "{a|b}'c"];
        Redactor::new(secrets.map(Secret::new)).unwrap()
    });
    &REDACTOR
}

#[test]
fn redactor_finds_each_encoding_of_a_key() {
    let url = "canary%2Dkey%2B%2F%3D%22%3C%26%3E%5F%7EZ9";
    for text in [
        KEY,
        &KEY.to_ascii_uppercase(),
        url,
        &url.to_ascii_lowercase(),
        "canary-key%2B%2F%3D%22%3C%26%3E_~Z9",
        "canary-key+/=%22%3C&%3E_~Z9",
        "canary-key+/=\\\"<&>_~Z9",
        "canary-key+\\/=\\\"<&>_~Z9",
        "canary-key+/=\\\"\\u003c\\u0026\\u003e_~Z9",
        "canary-key+/=\\\"\\u003C\\u0026\\u003E_~Z9",
        "canary-key+/=&quot;&lt;&amp;&gt;_~Z9",
        "canary-key+/=&#34;&lt;&amp;&gt;_~Z9",
        "canary-key+&#x2F;&#x3D;&quot;&lt;&amp;&gt;_~Z9",
        "canary-key&#43;/=&#34;&lt;&amp;&gt;_~Z9",
        "canary&#45;key&#43;&#47;&#61;&#34;&#60;&#38;&#62;&#95;&#126;Z9",
        "canary&#45;key&#X2b;&#047;&#x3D;&quot;&LT;&amp;>_~Z9",
        "&#67;&#x61;nary-key+/=\"<&>_~Z9",
        "%63%61%6e%61%72%79%2d%6b%65%79%2b%2f%3d%22%3c%26%3e%5f%7e%5a%39",
        // Mixed.
        "canary&#45;key+\\u002f%3D&quot;\\u003c%26&gt;_~Z9",
        "päss wörd😀",
        "p%C3%A4ss%20w%C3%B6rd%F0%9F%98%80",
        "p%c3%a4ss+w%c3%b6rd%f0%9f%98%80",
        "p\\u00e4ss w\\u00f6rd\\ud83d\\ude00",
        "{a|b}'c",
        "%7Ba%7Cb%7D'c",
        "{a|b}&#39;c",
        "{a|b}&#x27;c",
        "{a|b}&#039;c",
        "{a|b}&apos;c",
    ] {
        let shown = redactor().redact(&format!("the key <{text}> was refused"));
        assert_eq!(shown, "the key <[redacted]> was refused", "{text}");
    }
}

#[test]
fn references_of_characters_that_no_secret_contains_are_not_resolved() {
    let shown = redactor().redact("&#27;[31m&#8238;&lt; {a|b}&#39;c &amp;#27; &&lt &#x110000;");
    assert_eq!(shown, "&#27;[31m&#8238;< [redacted] &#27; &&lt &#x110000;");
    let many = "&".repeat(1 << 20);
    assert_eq!(redactor().redact(&many), many);
}

#[test]
fn redactor_leaves_other_texts_alone() {
    for text in [
        "",
        "abc",
        "canary",
        "100% of \\ & &amp; %2 %zz \\u12 &#; &#x; &nothing; ==== \u{e9}\u{1f600}",
        "listings/github/roles/viewer",
        "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijklmnop",
    ] {
        assert_eq!(redactor().redact(text), text);
    }
}

#[test]
fn head_shows_no_part_of_a_secret_that_it_cuts() {
    let redactor = Redactor::new([Secret::new("canary-key")]).unwrap();
    let in_html: String = "canary-key".bytes().map(|byte| format!("&#x{byte:x};")).collect();
    for form in ["canary-key", &in_html] {
        for before in 0..30 {
            let body = format!("{}{form}{}", " ".repeat(before), "x".repeat(200));
            for limit in [0, 5, 20, 40, 75, 400] {
                let head = redactor.head(body.as_bytes(), limit);
                let shows_part = ["ca", "ry", "&"].iter().any(|part| head.contains(part));
                assert!(!shows_part, "{head:?} of {limit}");
                assert!(limit < 400 || head.ends_with("xxx"), "{head:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn redactor_finds_base64_of_any_surroundings(
        before in "[ -~é]{0,12}", after in "[ -~é]{0,12}", variant in 0_usize..4,
    ) {
        let engine = [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD][variant];
        let encoded = engine.encode(format!("{before}{KEY}{after}"));
        let shown = redactor().redact(&encoded);
        prop_assert!(shown.contains("[redacted]"), "{} of {}", shown, encoded);
        // Less than a byte of the key is left on each side.
        let around = before.len() * 8 / 6 + 1 + (after.len() * 8).div_ceil(6) + 1 + 2;
        prop_assert!(shown.len() <= around + REDACTED.len(), "{} of {}", shown, encoded);
    }

    #[test]
    fn redactor_survives_anything(text in "(.|[%&\\\\#;xu0-9a-f]){0,80}") {
        let shown = redactor().redact(&text);
        prop_assert!(shown == text || shown.contains("[redacted]"));
    }
}
