//! Secrets that the service returns in its errors, in every encoding.

use access_fake::{Action, Encoding, Fault};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::*;
use crate::support::Outcome;

/// Has characters that every encoding changes, and no part that occurs by chance.
const SECRET: &str = "qvx+7/Zebra=~\"&<k>2";

const ENCODINGS: [Encoding; 8] = [
    Encoding::Raw,
    Encoding::UrlUpper,
    Encoding::UrlLower,
    Encoding::JsonEscapes,
    Encoding::HtmlDecimal,
    Encoding::HtmlHex,
    Encoding::Base64,
    Encoding::Base64Url,
];

/// Returns the forms in which the secret would be readable, with and without letters escaped.
fn forms() -> Vec<String> {
    let each = |escape: fn(char) -> String| SECRET.chars().map(escape).collect::<String>();
    let special = |escape: fn(char) -> String| {
        let escaped = |letter: char| {
            if letter.is_ascii_alphanumeric() { letter.to_string() } else { escape(letter) }
        };
        SECRET.chars().map(escaped).collect::<String>()
    };
    let escapes: [fn(char) -> String; 5] = [
        |letter| format!("%{:02X}", u32::from(letter)),
        |letter| format!("%{:02x}", u32::from(letter)),
        |letter| format!("\\u{:04x}", u32::from(letter)),
        |letter| format!("&#{};", u32::from(letter)),
        |letter| format!("&#x{:x};", u32::from(letter)),
    ];
    let mut forms = vec![SECRET.to_owned(), "Zebra".to_owned()];
    forms.extend(escapes.into_iter().map(each));
    forms.extend(escapes.into_iter().map(special));
    // The Base64 encoding at each of the three alignments, without the ends that depend on the text
    // around the secret.
    for shift in 0..3 {
        let shifted = format!("{}{SECRET}", "\0".repeat(shift));
        for encoded in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            forms.push(encoded[4..encoded.len() - 4].to_owned());
        }
    }
    forms
}

#[track_caller]
fn assert_hidden(what: &str, outcome: &Outcome, workspace: &Workspace) {
    let state = workspace.state().to_string();
    // Logs and `-json` output are JSON: the escapes appear escaped there.
    let output = outcome.output();
    let unescaped = output.replace("\\\\", "\\").replace("\\\"", "\"");
    for form in forms() {
        for (place, text) in [("state", &state), ("output", &output), ("output", &unescaped)] {
            assert!(!text.contains(&form), "{what}: {form} in the {place}: {text}");
        }
    }
}

fn echo(
    header: &str,
    key_only: bool,
    encoding: Encoding,
    every_character: bool,
    offset: usize,
) -> Action {
    let header = header.to_owned();
    Action::Echo { status: 400, header, key_only, encoding, every_character, offset }
}

#[test]
fn key_that_is_echoed_in_any_encoding_is_redacted() {
    let service = Service::full();
    service.add_admin_key(SECRET);
    let workspace = service.workspace_with_key(SECRET).with("TF_LOG", "TRACE");
    workspace.configure(&role("viewer", ""));
    for encoding in ENCODINGS {
        for (key_only, every_character, offset) in
            [(true, false, 0), (false, false, 1), (false, true, 2)]
        {
            service.local().clear_faults();
            let action = echo("authorization", key_only, encoding, every_character, offset);
            service.fault(Fault::new(action.clone()).on("PATCH"));
            let outcome = workspace.apply().exits(1);
            assert!(outcome.only_error().contains("400"), "{}", outcome.output());
            assert_hidden(&format!("{action:?}"), &outcome, &workspace);
        }
    }
}

#[test]
fn value_of_a_request_header_that_is_echoed_in_any_encoding_is_redacted() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_LOG", "TRACE").with("TF_VAR_gateway_key", SECRET);
    workspace.configure(&format!(
        "variable \"gateway_key\" {{\n  sensitive = true\n}}
provider \"access\" {{\n  request_headers = {{ X-Gateway-Key = var.gateway_key }}\n}}\n{}",
        role("viewer", "")
    ));
    for encoding in ENCODINGS {
        for (every_character, offset) in [(false, 0), (true, 1), (false, 2)] {
            service.local().clear_faults();
            let action = echo("x-gateway-key", false, encoding, every_character, offset);
            service.fault(Fault::new(action.clone()).on("PATCH"));
            let outcome = workspace.apply().exits(1);
            assert_hidden(&format!("{action:?}"), &outcome, &workspace);
        }
    }
}
