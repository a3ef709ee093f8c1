//! Where settings come from.

use std::time::Duration;

use tf_provider::value::Value;

use super::read::Given;
use super::*;

const KEY: (&str, &str) = ("ACCESS_API_KEY", "good-key");
const BASE_URL: (&str, &str) = ("ACCESS_BASE_URL", "https://access.example.com");

/// Returns the environment of these variables.
fn environment(set: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    |name| {
        let set = set.iter().find(|(variable, _)| *variable == name);
        set.map(|(_, value)| (*value).to_owned())
    }
}

/// Configures with arguments (`?` is unknown) and environment variables.
fn configuration(set: &[(&str, &str)], diags: &mut Diagnostics) -> Option<Configuration> {
    let environment = environment(set);
    let stop = StopSignal::new(plugin_server::stop_token);
    configure(&provider_config(set), "1.11.4", &environment, Path::new(""), stop, diags)
}

fn provider_config(set: &[(&str, &str)]) -> ProviderConfig {
    let value = |text: &str| match text {
        "?" => Value::Unknown,
        text => Value::Value(Given::Text(text.to_owned())),
    };
    let arguments = set.iter().map(|(name, text)| ((*name).to_owned(), value(text)));
    ProviderConfig(arguments.collect())
}

/// Returns summary and detail of the errors, or the unknown arguments, or nothing.
fn outcome(set: &[(&str, &str)]) -> String {
    let mut diags = Diagnostics::default();
    match configuration(set, &mut diags) {
        Some(Configuration::Unknown(Unknown { arguments, abandons })) => {
            let policy = if abandons { "; abandons" } else { "" };
            format!("unknown: {}{policy}", arguments.join(", "))
        }
        Some(Configuration::Ready(_)) => String::new(),
        None => errors(&diags),
    }
}

fn errors(diags: &Diagnostics) -> String {
    let errors = diags.errors.iter();
    let texts: Vec<_> = errors.map(|it| format!("{}: {}", it.summary, it.detail)).collect();
    texts.join("\n")
}

/// As the page of the provider documents them.
#[test]
fn defaults_are_patient_and_delete_what_is_destroyed() {
    let mut diags = Diagnostics::default();
    let configured = configuration(&[KEY, BASE_URL], &mut diags);
    let Some(Configuration::Ready(settings)) = configured else { panic!("{diags:?}") };
    let access_client::Settings { request_timeout, max_retries, max_retry_wait, .. } =
        settings.client;
    assert_eq!(
        (request_timeout, max_retries, max_retry_wait),
        (Duration::from_secs(30), 10, Duration::from_secs(120))
    );
    assert!(settings.detects_drift && !settings.abandons);
}

/// For every argument that has a variable: an invalid value, and a valid one.
#[test]
fn argument_wins_over_its_variable() {
    let pem = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let values = [
        ("base_url", "ftp://env", "https://access.example.com"),
        ("api_key", "bad key", "good-key"),
        ("repo_uri", "file:///env", "https://git.example.com/a/b"),
        ("repo_dir", "/env", "roles"),
        ("drift_detection", "env", "off"),
        ("deletion_policy", "env", "abandon"),
        ("ca_file", pem, ""),
    ];
    let with_variable = arguments::ARGUMENTS.iter().filter(|it| it.variable.is_some());
    assert_eq!(with_variable.count(), values.len());
    for (argument, invalid, valid) in values {
        let variable = &*format!("ACCESS_{}", argument.to_uppercase());
        let others = [KEY, BASE_URL].into_iter().filter(|(name, _)| *name != variable);
        let others: Vec<_> = others.collect();
        let of = |set: &[(&str, &str)]| outcome(&[&others, set].concat());
        let error = of(&[(variable, invalid)]);
        assert!(error.starts_with(&format!("Invalid {argument}: ")), "{error}");
        let source = match argument {
            "api_key" => format!(" comes from the environment variable {variable}."),
            _ => format!("The environment variable {variable} is set to {invalid:?}."),
        };
        assert!(error.ends_with(&source), "{error}");
        assert!(!error.contains("bad key"), "{error}");
        if !valid.is_empty() {
            assert_eq!(of(&[(argument, valid), (variable, invalid)]), "");
        }
        // Blank counts as unset.
        assert_eq!(of(&[(argument, " "), (variable, invalid)]), error);
        let unknown = of(&[(argument, "?"), (variable, invalid)]);
        assert_eq!(unknown, format!("unknown: {argument}"));
        let missing = of(&[(variable, " ")]);
        let is_required = matches!(argument, "base_url" | "api_key");
        assert_eq!(missing.starts_with(&format!("Missing {argument}: ")), is_required, "{missing}");
        assert_eq!(missing.contains(variable), is_required, "{missing}");
    }
}

#[test]
fn arguments_without_a_variable_have_none() {
    for (argument, invalid) in [
        ("repo_detection", "env"),
        ("request_timeout", "500us"),
        ("max_retries", "1.5"),
        ("max_retries", "1001"),
        ("max_retry_wait", "-1s"),
    ] {
        let variable = &*format!("ACCESS_{}", argument.to_uppercase());
        assert_eq!(outcome(&[KEY, BASE_URL, (variable, invalid)]), "");
        let error = outcome(&[KEY, BASE_URL, (argument, invalid)]);
        assert!(error.starts_with(&format!("Invalid {argument}: Must be ")), "{error}");
    }
}

#[test]
fn variables_that_are_not_text_are_errors_that_name_them() {
    for variable in ["ACCESS_REPO_DIR", "ACCESS_API_KEY", "TF_APPEND_USER_AGENT"] {
        let error = outcome(&[BASE_URL, (variable, "canary\u{fffd}"), KEY]);
        assert!(error.contains("Must be text in UTF-8"), "{error}");
        assert!(error.contains(&format!("environment variable {variable}")), "{error}");
        assert_eq!(error.contains("canary"), variable != "ACCESS_API_KEY", "{error}");
    }
    let error = outcome(&[KEY, BASE_URL, ("TF_APPEND_USER_AGENT", "pipe\nline")]);
    assert!(error.ends_with("TF_APPEND_USER_AGENT is set to \"pipe\\nline\"."), "{error}");
}

#[test]
fn known_policy_counts_although_other_arguments_are_unknown() {
    for (policy, expected) in [
        ("delete", "unknown: api_key"),
        ("abandon", "unknown: api_key; abandons"),
        ("?", "unknown: api_key, deletion_policy"),
    ] {
        assert_eq!(outcome(&[("api_key", "?"), ("deletion_policy", policy)]), expected);
    }
}

/// By a slip such as `ACCESS_BASE_URL=$ACCESS_API_KEY`. The second key is a valid directory.
#[test]
fn value_that_equals_the_key_is_not_shown() {
    let others = || arguments::ARGUMENTS.iter().filter(|argument| argument.name != "api_key");
    let cases = ["/canary/../key", "canary-key"].into_iter().flat_map(|key| {
        let holders = ["ACCESS_API_KEY", "api_key"].into_iter();
        holders.flat_map(move |holder| others().map(move |argument| (key, holder, argument)))
    });
    for (key, holder, argument) in cases {
        for place in [Some(argument.name), argument.variable].into_iter().flatten() {
            let set = [(holder, key), (place, &format!(" {key}\n")), BASE_URL];
            let is_argument = place == argument.name;
            let mut validated = Diagnostics::default();
            validate(&provider_config(&set), &environment(&set), &mut validated);
            let validated = errors(&validated);
            assert_eq!(validated.is_empty(), !is_argument, "{place}: {validated}");
            for error in [outcome(&set), validated].iter().filter(|error| !error.is_empty()) {
                let name = argument.name;
                let expected = format!("Invalid {name}: The value of `{name}` is the API key");
                assert!(error.contains(&expected), "{place}: {error}");
                assert_eq!(error.contains("environment variable"), !is_argument, "{error}");
                assert!(error.contains(place) && !error.contains("canary"), "{error}");
            }
        }
    }
    for key in ["canary\u{7}key", "canary-key"] {
        let user_agent = ("TF_APPEND_USER_AGENT", key);
        let error = outcome(&[BASE_URL, ("ACCESS_API_KEY", key), user_agent]);
        assert!(error.contains("TF_APPEND_USER_AGENT is set to the API key."), "{error}");
        assert!(!error.contains("canary"), "{error}");
    }
}

#[test]
fn address_is_shown_without_its_query_and_user_info() {
    for address in ["http://access.example/?key=canary", "https://a:canary@access.example"] {
        let error = outcome(&[KEY, ("ACCESS_BASE_URL", address)]);
        assert!(error.contains("ACCESS_BASE_URL is set to \"http"), "{error}");
        assert!(!error.contains("canary"), "{error}");
    }
}

#[test]
fn validate_sets_nothing_by_a_variable_and_requires_nothing() {
    for (set, expected) in [
        (vec![KEY, ("ACCESS_DELETION_POLICY", "keep")], ""),
        (vec![("repo_uri", "?"), ("base_url", "?")], ""),
        (vec![("deletion_policy", "keep")], "Invalid deletion_policy: Must be `delete` or"),
    ] {
        let mut diags = Diagnostics::default();
        validate(&provider_config(&set), &environment(&set), &mut diags);
        let error = errors(&diags);
        assert!(error.starts_with(expected) && error.is_empty() == expected.is_empty(), "{error}");
    }
}
