//! Where the API key comes from.

use serde_json::{Map, json};
use tf_provider::value::Value;

use super::*;

/// Configures with arguments (`"?"` is unknown) and environment variables, and returns the
/// diagnostics, and the unknown arguments if there are any.
fn configure_with(
    arguments: &[(&str, &str)],
    variables: &[(&str, &str)],
) -> (Diagnostics, Option<Vec<&'static str>>) {
    let mut diags = Diagnostics::default();
    let environment = |name: &str| {
        let variable = variables.iter().find(|(variable, _)| *variable == name);
        match variable {
            Some((_, value)) => Some((*value).to_owned()),
            None => (name == "ACCESS_BASE_URL").then(|| "https://access.example.com".to_owned()),
        }
    };
    let stop = StopSignal::new(plugin_server::stop_token);
    let config = provider_config(arguments);
    let configuration = configure(&config, "1.11.4", &environment, Path::new(""), stop, &mut diags);
    let unknown = match configuration {
        Some(Configuration::Unknown(unknown)) => Some(unknown),
        _ => None,
    };
    (diags, unknown)
}

fn provider_config(arguments: &[(&str, &str)]) -> ProviderConfig {
    let names = provider_schema().block.attributes.into_keys();
    let mut config: Map<_, _> = names.map(|name| (name, json!(null))).collect();
    for (name, value) in arguments {
        config.insert((*name).to_owned(), json!(value));
    }
    let mut config: ProviderConfig = serde_json::from_value(config.into()).unwrap();
    for argument in [
        &mut config.base_url,
        &mut config.api_key,
        &mut config.api_key_file,
        &mut config.repo_uri,
        &mut config.repo_dir,
        &mut config.drift_detection,
        &mut config.deletion_policy,
    ] {
        if argument.as_ref_option().is_some_and(|value| value == "?") {
            *argument = Value::Unknown;
        }
    }
    config
}

/// Returns summary and detail of the only error.
fn only_error(diags: &Diagnostics) -> String {
    let [error] = diags.errors.as_slice() else { panic!("{diags:?}") };
    format!("{}: {}", error.summary, error.detail)
}

#[test]
fn api_key_comes_from_arguments_before_variables_and_itself_before_its_file() {
    // Each source but the expected one is valid, so that only the expected one can be the error.
    let directory = tempfile::tempdir().unwrap();
    let good_file = directory.path().join("key");
    std::fs::write(&good_file, "good-key").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&good_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let good_file = good_file.to_str().unwrap();
    let (key, file) = ("ACCESS_API_KEY", "ACCESS_API_KEY_FILE");
    let cases: [(&[_], &[_], &str); 4] = [
        (&[("api_key", "bad key")], &[(key, "good-key"), (file, good_file)], "Invalid api_key: "),
        (
            &[("api_key_file", "absent-1")],
            &[(key, "good-key"), (file, good_file)],
            "Invalid api_key_file: The file \"absent-1\" cannot be read",
        ),
        (
            &[],
            &[(key, "bad key"), (file, good_file)],
            "comes from the environment variable ACCESS_API_KEY.",
        ),
        (&[], &[(key, " "), (file, "absent-2")], "ACCESS_API_KEY_FILE is set to \"absent-2\""),
    ];
    for (arguments, variables, expected) in cases {
        let error = only_error(&configure_with(arguments, variables).0);
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("bad key"), "{error}");
    }
    for (arguments, variables) in [
        (&[("api_key_file", good_file)][..], &[(key, "bad key")][..]),
        (&[], &[(key, "good-key"), (file, "absent")]),
        (&[("api_key_file", "")], &[(file, good_file)]),
    ] {
        let (diags, _) = configure_with(arguments, variables);
        assert_eq!(diags, Diagnostics::default());
    }
}

#[test]
fn api_key_and_its_file_together_are_an_error_at_validate() {
    let mut diags = Diagnostics::default();
    let both = [("api_key", "good-key"), ("api_key_file", "absent")];
    validate(&provider_config(&both), &mut diags);
    assert!(only_error(&diags).contains("`api_key` and `api_key_file` are both set"));
    assert!(only_error(&configure_with(&both, &[]).0).contains("both set"));
}

#[test]
fn api_key_file_is_not_read_at_validate() {
    let mut diags = Diagnostics::default();
    validate(&provider_config(&[("api_key_file", "absent")]), &mut diags);
    assert_eq!(diags, Diagnostics::default());
}

#[test]
fn unknown_api_key_file_is_not_replaced_by_a_variable() {
    for name in ["api_key", "api_key_file"] {
        let (diags, unknown) = configure_with(&[(name, "?")], &[("ACCESS_API_KEY", "good-key")]);
        assert_eq!((diags, unknown), (Diagnostics::default(), Some(vec![name])));
    }
}

#[test]
fn missing_api_key_names_every_way_to_set_it() {
    let error = only_error(&configure_with(&[], &[]).0);
    for part in ["`api_key`", "`ACCESS_API_KEY`", "`api_key_file`", "`ACCESS_API_KEY_FILE`"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn argument_wins_over_its_variable_which_counts_only_if_the_argument_is_null() {
    // An invalid value, and a valid one.
    let cases = [
        ("base_url", "ACCESS_BASE_URL", "ftp://env", "https://access.example.com"),
        ("repo_uri", "ACCESS_REPO_URI", "file:///env", "https://git.example.com/a/b"),
        ("repo_dir", "ACCESS_REPO_DIR", "/env", "roles"),
        ("drift_detection", "ACCESS_DRIFT_DETECTION", "env", "off"),
        ("deletion_policy", "ACCESS_DELETION_POLICY", "env", "abandon"),
    ];
    for (argument, variable, invalid, valid) in cases {
        let key = ("ACCESS_API_KEY", "good-key");
        let error = only_error(&configure_with(&[], &[key, (variable, invalid)]).0);
        let shown = format!("The environment variable {variable} is set to {invalid:?}.");
        assert!(error.starts_with(&format!("Invalid {argument}: ")), "{error}");
        assert!(error.ends_with(&shown), "{error}");
        let error =
            only_error(&configure_with(&[(argument, invalid)], &[key, (variable, valid)]).0);
        assert!(error.contains(argument) && !error.contains(variable), "{error}");
        for arguments in [&[(argument, valid)][..], &[(argument, "?")]] {
            let (diags, unknown) = configure_with(arguments, &[key, (variable, invalid)]);
            let is_unknown = (arguments[0].1 == "?").then(|| vec![argument]);
            assert_eq!((diags, unknown), (Diagnostics::default(), is_unknown), "{argument}");
        }
        // Empty counts as unset, of both.
        for unset in ["", " "] {
            let error =
                only_error(&configure_with(&[(argument, unset)], &[key, (variable, invalid)]).0);
            assert!(error.ends_with(&shown), "{error}");
        }
        if argument != "base_url" {
            let (diags, _) = configure_with(&[], &[key, (variable, " ")]);
            assert_eq!(diags, Diagnostics::default(), "{argument}");
        }
    }
}

#[test]
fn drift_detection_is_auto_or_off() {
    for old in ["list", "patch"] {
        let error =
            only_error(&configure_with(&[("drift_detection", old)], &[("ACCESS_API_KEY", "k")]).0);
        assert_eq!(
            error,
            format!("Invalid drift_detection: Must be `auto` or `off`, not {old:?}.")
        );
    }
}
