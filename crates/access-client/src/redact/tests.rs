//! Redaction of secrets in every encoding.

use ::base64::Engine;
use ::base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::*;

const KEY: &str = "canary-key+/=\"<&>_~Z9";

fn redactor() -> Redactor {
    Redactor::new([Secret::new(KEY), Secret::new("päss wörd😀"), Secret::new("abc")])
}

/// Returns an encoding of one character, selected by `choice`.
fn spell(character: char, choice: u8) -> String {
    let mut utf8 = [0; 4];
    let bytes = character.encode_utf8(&mut utf8).as_bytes().to_vec();
    let url = |upper: bool| -> String {
        let spelled =
            |byte: &u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        bytes.iter().map(spelled).collect()
    };
    let utf16: String =
        character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let code = u32::from(character);
    match choice % 12 {
        0 => url(true),
        1 => url(false),
        2 => utf16,
        3 => utf16.to_ascii_uppercase().replace("\\U", "\\u"),
        4 if "\"'/\\".contains(character) => format!("\\{character}"),
        5 => format!("&#{code};"),
        6 => format!("&#x{code:x};"),
        7 => format!("&#X00{code:X};"),
        8 => match character {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            '+' => "&plus;".to_owned(),
            '/' => "&sol;".to_owned(),
            '=' => "&equals;".to_owned(),
            other => other.to_string(),
        },
        9 => format!("\\u{{{code:x}}}"),
        _ => character.to_string(),
    }
}

fn spelled(text: &str, choices: &[u8]) -> String {
    text.chars().zip(choices.iter().cycle()).map(|(c, choice)| spell(c, *choice)).collect()
}

/// Returns a nested encoding, which always encodes the character that introduces an encoding.
fn spelled_again(text: &str, encoding: u8, choices: &[u8]) -> String {
    let (mark, spellings) =
        [('%', [0, 1]), ('\\', [2, 3]), ('&', [5, 6])][usize::from(encoding) % 3];
    let spell = |(character, choice): (char, &u8)| {
        let encode = character == mark || choice % 2 == 0;
        let choice = spellings[usize::from(choice / 2 % 2)];
        if encode { spell(character, choice) } else { character.to_string() }
    };
    text.chars().zip(choices.iter().cycle()).map(spell).collect()
}

#[test]
fn redactor_finds_each_encoding_of_a_whole_key() {
    let whole_url = "canary%2Dkey%2B%2F%3D%22%3C%26%3E%5F%7EZ9";
    for text in [
        KEY.to_owned(),
        KEY.to_ascii_uppercase(),
        whole_url.to_owned(),
        whole_url.to_ascii_lowercase(),
        whole_url.replace('%', "%25"),
        "canary-key+\\/=\\\"\\u003c&\\u003E_~Z9".to_owned(),
        "canary-key+/=&quot;&lt;&amp;&gt;_~Z9".to_owned(),
        "\\\\u0063anary-key+/=\\\\\\\"<&>_~Z9".to_owned(),
        "&amp;#99;anary-key+/=&amp;quot;&amp;lt;&amp;amp;&amp;gt;_~Z9".to_owned(),
        STANDARD.encode(KEY),
        URL_SAFE.encode(KEY),
        STANDARD_NO_PAD.encode(KEY),
        STANDARD.encode(KEY).replace('=', "%3D").replace('/', "\\/").replace('+', "&#43;"),
    ] {
        let shown = redactor().redact(&format!("the key <{text}> was refused"));
        assert_eq!(shown, "the key <[redacted]> was refused", "{text}");
    }
}

#[test]
fn redactor_finds_the_header_in_base64() {
    for header in [format!("Bearer {KEY}"), format!("x{KEY}yz"), format!("user:{KEY}")] {
        for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&header);
            for glue in ["", "a", "ab", "abc"] {
                let shown = redactor().redact(&format!("it is {glue}{encoded}."));
                assert!(shown.contains("[redacted]"), "{shown}");
                assert!(shown.len() < 40, "{shown}");
            }
            let (first, second) = encoded.split_at(20);
            let wrapped = redactor().redact(&format!("{first}\r\n{second}"));
            assert!(wrapped.contains("[redacted]"), "{wrapped}");
        }
    }
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
fn head_ends_before_a_secret_that_it_would_cut() {
    let redactor = Redactor::new([Secret::new("canary-key")]);
    let body = b"0123canary-key456789canary%2Dkey ";
    for (limit, expected) in [
        (4, 4),
        (5, 4),
        (13, 4),
        (14, 14),
        (15, 15),
        (20, 20),
        (21, 20),
        (31, 20),
        (32, 32),
        (99, 33),
    ] {
        assert_eq!(redactor.head(body, limit).len(), expected, "{limit}");
    }
}

#[test]
fn redactor_reads_a_long_text_in_linear_time() {
    let redactor = redactor();
    let texts =
        [200, 1_600].map(|times| "%2%25\\u00&#x6;cana aGVsbG8gd29ybGQ/ \\\\ ".repeat(times));
    let mut shortest = [std::time::Duration::MAX; 2];
    // The texts take turns, so that a busy machine delays both.
    for _ in 0..5 {
        for (text, shortest) in texts.iter().zip(&mut shortest) {
            let started = std::time::Instant::now();
            assert_eq!(redactor.redact(text), *text);
            *shortest = started.elapsed().min(*shortest);
        }
    }
    // Eight times the time of the short text, and 64 times if the time were quadratic.
    let [short, long] = shortest;
    assert!(long < 24 * short, "{short:?}, and {long:?} for eight times the length");
}

proptest! {
    #[test]
    fn redactor_finds_any_mixture(
        choices in prop::collection::vec(any::<u8>(), 24),
        again in prop::collection::vec(any::<u8>(), 24),
        encodings in prop::collection::vec(any::<u8>(), 0..=1),
        second in any::<bool>(),
    ) {
        let secret = if second { "päss wörd😀" } else { KEY };
        let mut text = spelled(secret, &choices);
        for encoding in encodings {
            text = spelled_again(&text, encoding, &again);
        }
        let shown = redactor().redact(&format!("<{text}>"));
        prop_assert_eq!(shown, "<[redacted]>", "{}", text);
    }

    #[test]
    fn redactor_finds_base64_of_any_surroundings(
        before in "[ -~é]{0,12}", after in "[ -~é]{0,12}", variant in 0_usize..4,
        choices in prop::collection::vec(any::<u8>(), 7),
    ) {
        let engine = [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD][variant];
        let encoded = engine.encode(format!("{before}{KEY}{after}"));
        let core = STANDARD_NO_PAD.encode(&KEY[3 - before.len() % 3..KEY.len() - 3]);
        for text in [encoded.clone(), spelled(&encoded, &choices)] {
            let shown = redactor().redact(&format!("<{text}>"));
            prop_assert!(shown.contains("[redacted]"), "{} of {}", shown, text);
            prop_assert!(!shown.contains(&core[..8]), "{} of {}", shown, text);
        }
    }

    #[test]
    fn redactor_survives_anything(text in "(.|[%&\\\\#;xu0-9a-f]){0,80}") {
        let shown = redactor().redact(&text);
        prop_assert!(shown == text || shown.contains("[redacted]"));
    }

    #[test]
    fn head_never_cuts_a_secret(
        before in "[a-z ]{0,9}", after in "[a-z ]{0,9}", limit in 0_usize..200,
        choices in prop::collection::vec(any::<u8>(), 24), base64 in any::<bool>(),
    ) {
        let text = if base64 { STANDARD.encode(KEY) } else { spelled(KEY, &choices) };
        let body = format!("{before} {text} {after}");
        let head = redactor().head(body.as_bytes(), limit);
        let (start, end) = (before.len() + 1, before.len() + 1 + text.len());
        prop_assert!(head.len() <= limit);
        prop_assert!(head.len() <= start || head.len() >= end, "{} of {}", head.len(), body);
    }
}
