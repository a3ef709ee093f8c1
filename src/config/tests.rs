//! Where settings come from.

use tf_provider::value::Value;

use super::*;

const KEY: (&str, &str) = ("ACCESS_API_KEY", "good-key");

/// Configures with arguments (`?` is unknown) and environment variables. Returns summary and detail
/// of the only error, or the unknown arguments, or nothing.
fn outcome(set: &[(&str, &str)]) -> String {
    let environment = |name: &str| {
        let value = set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| *value);
        let default = (name == "ACCESS_BASE_URL").then_some("https://access.example.com");
        value.or(default).map(str::to_owned)
    };
    let stop = StopSignal::new(plugin_server::stop_token);
    let mut diags = Diagnostics::default();
    let config = provider_config(set);
    let configuration = configure(&config, "1.11.4", &environment, Path::new(""), stop, &mut diags);
    match configuration {
        Some(Configuration::Unknown(Unknown { arguments, abandons })) => {
            let policy = if abandons { "; abandons" } else { "" };
            format!("unknown: {}{policy}", arguments.join(", "))
        }
        _ => only_error(&diags),
    }
}

fn provider_config(set: &[(&str, &str)]) -> ProviderConfig {
    let argument = |name: &str| match set.iter().find(|(set, _)| *set == name) {
        None => Value::Null,
        Some((_, "?")) => Value::Unknown,
        Some((_, text)) => Value::Value((*text).to_owned()),
    };
    ProviderConfig {
        base_url: argument("base_url"),
        api_key: argument("api_key"),
        api_key_file: argument("api_key_file"),
        repo_uri: argument("repo_uri"),
        repo_dir: argument("repo_dir"),
        drift_detection: argument("drift_detection"),
        deletion_policy: argument("deletion_policy"),
        ..ProviderConfig::default()
    }
}

/// Returns summary and detail of the only diagnostic, which is an error; nothing if there is none.
fn only_error(diags: &Diagnostics) -> String {
    assert!(diags.warnings.is_empty() && diags.errors.len() < 2, "{diags:?}");
    let texts = diags.errors.iter().map(|error| format!("{}: {}", error.summary, error.detail));
    texts.collect()
}

#[test]
fn api_key_comes_from_arguments_before_variables_and_itself_before_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let good_file = directory.path().join("key");
    std::fs::write(&good_file, "good-key").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&good_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let good_file = good_file.to_str().unwrap();
    let file = |path| ("ACCESS_API_KEY_FILE", path);
    let bad_key = ("ACCESS_API_KEY", "bad key");
    // Each source but the expected one is valid, so only the expected one can be the error.
    for (set, expected) in [
        (vec![("api_key", "bad key"), KEY, file(good_file)], "Invalid api_key: "),
        (
            vec![("api_key_file", "absent-1"), KEY, file(good_file)],
            "Invalid api_key_file: The file \"absent-1\" cannot be read",
        ),
        (vec![bad_key, file(good_file)], "comes from the environment variable ACCESS_API_KEY."),
        (
            vec![("ACCESS_API_KEY", " "), file("absent-2")],
            "ACCESS_API_KEY_FILE is set to \"absent-2\"",
        ),
        (vec![("api_key_file", good_file), bad_key], ""),
        (vec![KEY, file("absent")], ""),
        (vec![("api_key_file", ""), file(good_file)], ""),
        (vec![("api_key", "?"), KEY], "unknown: api_key"),
        (vec![("api_key_file", "?"), KEY], "unknown: api_key_file"),
        (vec![("api_key", "?"), ("deletion_policy", "abandon")], "unknown: api_key; abandons"),
    ] {
        let outcome = outcome(&set);
        assert!(outcome.contains(expected), "{set:?}: {outcome}");
        assert!(outcome.is_empty() == expected.is_empty(), "{set:?}: {outcome}");
        assert!(!outcome.contains("bad key"), "{outcome}");
    }
}

#[test]
fn validate_reads_no_key_file_and_refuses_both_sources() {
    let absent = ("api_key_file", "absent");
    for (set, expected) in [
        (vec![absent], ""),
        (vec![absent, ("api_key", "good-key")], "`api_key` and `api_key_file` are both set"),
    ] {
        let mut diags = Diagnostics::default();
        validate(&provider_config(&set), &mut diags);
        let error = only_error(&diags);
        assert!(error.contains(expected) && error.is_empty() == expected.is_empty(), "{error}");
    }
}

/// As the page of the provider documents them.
#[test]
fn defaults_are_patient_and_delete_what_is_destroyed() {
    let environment = |name: &str| match name {
        "ACCESS_API_KEY" => Some("good-key".to_owned()),
        "ACCESS_BASE_URL" => Some("https://access.example.com".to_owned()),
        _ => None,
    };
    let mut diags = Diagnostics::default();
    let config = ProviderConfig::default();
    let stop = StopSignal::default();
    let configured = configure(&config, "1.11.4", &environment, Path::new(""), stop, &mut diags);
    let Some(Configuration::Ready(settings)) = configured else { panic!("{diags:?}") };
    let access_client::Settings { request_timeout, max_retries, max_retry_wait, .. } =
        settings.client;
    assert_eq!(
        (request_timeout, max_retries, max_retry_wait),
        (Duration::from_secs(30), 10, Duration::from_secs(120))
    );
    assert_eq!(settings.client.max_requests_per_second, None);
    assert!(settings.detects_drift && !settings.abandons);
}

#[test]
fn argument_wins_over_its_variable() {
    // An invalid value, and a valid value. plugin-server has the table of the rule.
    for (argument, variable, invalid, valid) in [
        ("base_url", "ACCESS_BASE_URL", "ftp://env", "https://access.example.com"),
        ("repo_uri", "ACCESS_REPO_URI", "file:///env", "https://git.example.com/a/b"),
        ("repo_dir", "ACCESS_REPO_DIR", "/env", "roles"),
        ("drift_detection", "ACCESS_DRIFT_DETECTION", "env", "off"),
        ("deletion_policy", "ACCESS_DELETION_POLICY", "env", "abandon"),
    ] {
        let error = outcome(&[KEY, (variable, invalid)]);
        assert!(error.starts_with(&format!("Invalid {argument}: ")), "{error}");
        assert!(error.ends_with(&format!("{variable} is set to {invalid:?}.")), "{error}");
        assert_eq!(outcome(&[KEY, (argument, valid), (variable, invalid)]), "");
        let unknown = outcome(&[KEY, (argument, "?"), (variable, invalid)]);
        assert_eq!(unknown, format!("unknown: {argument}"));
        let is_required = argument == "base_url";
        assert_eq!(outcome(&[KEY, (variable, " ")]).is_empty(), !is_required, "{argument}");
    }
    for (variable, invalid) in
        [("ACCESS_CA_FILE", "absent.pem"), ("TF_APPEND_USER_AGENT", "pipe\nline")]
    {
        let error = outcome(&[KEY, (variable, invalid)]);
        assert!(error.ends_with(&format!("{variable} is set to {invalid:?}.")), "{error}");
    }
}
