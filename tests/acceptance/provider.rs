//! The provider block and its environment.

use crate::support::Service;

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}
";

fn with_provider(arguments: &str) -> String {
    format!("provider \"access\" {{\n{arguments}\n}}\n{ROLE}")
}

#[test]
fn validate_schema_and_empty_plan_need_neither_key_nor_network() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "");
    workspace.configure(&with_provider(""));
    workspace.run(&["validate", "-json"]).succeeds();
    workspace.run(&["providers", "schema", "-json"]).succeeds();
    workspace.configure("provider \"access\" {}\n");
    workspace.plan().exits(0);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn missing_settings_name_argument_and_variable() {
    let service = Service::full();
    for (variable, argument) in [("ACCESS_BASE_URL", "base_url"), ("ACCESS_API_KEY", "api_key")] {
        let workspace = service.workspace().with(variable, "");
        workspace.configure(&with_provider(""));
        let error = workspace.plan().fails_with(variable).only_error();
        assert!(error.contains(&format!("`{argument}`")), "{error}");
    }
}

#[test]
fn wrong_settings_are_blamed_on_their_lines() {
    let service = Service::full();
    let workspace = service.workspace();
    let cases = [
        "  base_url = \"http://access.example.com\"",
        "  base_url = \"ftp://access.example.com\"",
        "  base_url = \"https://user@access.example.com\"",
        "  base_url = \"https://access.example.com/?a=b\"",
        "  base_url = \"http://127.0.0.1.example.com\"",
        "  base_url = \"http://localhost@example.com\"",
        "  repo_detection = \"sometimes\"",
        "  repo_uri = \"file:///etc\"",
        "  drift_detection = \"sometimes\"",
        "  request_timeout = \"30\"",
        "  request_timeout = \"0s\"",
        "  max_retries = -1",
        "  max_retries = 1.5",
        "  max_retry_wait = \"soon\"",
        "  max_requests_per_second = 0",
        "  ca_file = \"absent.pem\"",
        "  request_headers = { Authorization = \"x\" }",
        "  request_headers = { Content-Type = \"x\" }",
        "  request_headers = { Host = \"x\" }",
    ];
    for line in cases {
        workspace.configure(&with_provider(line));
        let outcome = workspace.plan().exits(1);
        assert_eq!(outcome.blamed_lines(), [line.trim()], "{}", outcome.output());
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn api_key_that_is_not_a_header_value_is_an_error_that_does_not_show_it() {
    let service = Service::full();
    let workspace = service.workspace_with_key("canary\u{7}key");
    workspace.configure(&with_provider(""));
    let outcome = workspace.plan().fails_with("Invalid api_key");
    assert!(!outcome.output().contains("canary"), "{}", outcome.output());
}

#[test]
fn key_is_trimmed_and_an_argument_wins_over_its_variable() {
    let service = Service::full();
    let workspace = service.workspace_with_key(" admin-key\n");
    workspace.configure(ROLE);
    workspace.apply().succeeds();

    let workspace =
        service.workspace_with_key("wrong").with("ACCESS_BASE_URL", "https://127.0.0.1:1");
    workspace.configure(&with_provider(&format!(
        "  base_url = \"{}\"\n  api_key = \"admin-key\"\n  drift_detection = \"\"",
        service.base_url()
    )));
    workspace.plan().fails_with("the role exists already");
    service.remove_role("github", "viewer");
    workspace.apply().succeeds();
}

#[test]
fn unknown_settings_plan_without_a_request() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "https://127.0.0.1:1");
    workspace.configure(&format!(
        "resource \"terraform_data\" \"region\" {{\n  input = \"{}\"\n}}\n{}",
        service.base_url(),
        with_provider("  base_url = terraform_data.region.output")
    ));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.viewer"), "create");
    assert_eq!(service.requests().len(), 0);
    workspace.apply().succeeds();
    workspace.plan().exits(0);

    // The region is replaced: its output is unknown, the role keeps its state.
    let workspace_text = std::fs::read_to_string(workspace.path().join("main.tf")).unwrap();
    workspace
        .configure(&workspace_text.replace("  input = ", "  triggers_replace = 1\n  input = "));
    service.clear_requests();
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.viewer"), "no-op", "{}", plan.output());
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn requests_carry_key_and_user_agent_and_extra_headers() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_APPEND_USER_AGENT", "pipeline/7");
    workspace.configure(&with_provider("  request_headers = { X-Gateway = \"blue\" }"));
    workspace.apply().succeeds();
    for request in service.requests() {
        let agent = request.user_agent.as_deref().expect("a user agent");
        assert!(agent.starts_with("Terraform/"), "{agent}");
        assert!(
            agent.contains(" (+https://www.terraform.io) terraform-provider-access/"),
            "{agent}"
        );
        assert!(agent.ends_with(" pipeline/7"), "{agent}");
        assert_eq!(request.key.as_deref(), Some("admin"));
    }
}

#[test]
fn key_appears_in_no_output_state_or_plan() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_LOG", "TRACE");
    workspace.configure(ROLE);
    let outcome = workspace.apply().succeeds();
    assert!(!outcome.output().contains("admin-key"), "{}", outcome.output());
    service.respond_to_all("GET", 403, r#"{"message":"key admin-key may not read"}"#);
    let outcome = workspace.plan().exits(1);
    assert!(!outcome.output().contains("admin-key"), "{}", outcome.output());
    assert!(!workspace.state().to_string().contains("admin-key"));
}

#[test]
fn api_key_file_is_read_in_every_run_and_its_content_never_shown() {
    let service = Service::full();
    let workspace = service.workspace_with_key("");
    workspace.configure(&with_provider("  api_key_file = \"secrets/key\""));
    workspace.run(&["validate", "-json"]).succeeds();
    let error = workspace.plan().fails_with("Invalid api_key_file").only_error();
    assert!(error.contains("secrets/key"), "{error}");

    workspace.write("secrets/key", "canary key\n");
    let outcome = workspace.plan().fails_with("secrets/key");
    assert!(!outcome.output().contains("canary"), "{}", outcome.output());
    assert_eq!(service.requests().len(), 0);

    workspace.write("secrets/key", "wrong-key\n");
    workspace.apply().fails_with("401");
    workspace.write("secrets/key", "admin-key\r\n");
    workspace.apply().succeeds();
    workspace.plan().exits(0);

    workspace.configure(&with_provider(
        "  api_key      = \"admin-key\"\n  api_key_file = \"secrets/key\"",
    ));
    let outcome = workspace.plan().fails_with("Conflicting arguments");
    assert_eq!(outcome.blamed_lines(), ["api_key_file = \"secrets/key\""]);
}

#[cfg(unix)]
#[test]
fn api_key_file_that_others_can_read_causes_a_warning() {
    use std::os::unix::fs::PermissionsExt as _;
    let service = Service::full();
    let workspace = service.workspace_with_key("").with("ACCESS_API_KEY_FILE", "key");
    workspace.write("key", "admin-key");
    workspace.configure(&with_provider(""));
    let file = workspace.path().join("key");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    workspace.plan().exits(2).warns("Every user of this machine can read the API key");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    workspace.plan().exits(2).without_warnings();
}

#[cfg(unix)]
#[test]
fn environment_variable_that_is_not_utf8_is_an_error() {
    let service = Service::full();
    let cases: [(&str, &[u8], &str); 13] = [
        ("ACCESS_BASE_URL", b"http://127.0.0.1:1/\xff", "Invalid base_url"),
        ("ACCESS_API_KEY", b"canary\xff", "Invalid api_key"),
        ("ACCESS_REPO_URI", b"https://github.com/team/\xff", "Invalid repo_uri"),
        ("ACCESS_REPO_DIR", b"roles/\xff", "Invalid repo_dir"),
        ("ACCESS_DRIFT_DETECTION", b"off\xff", "Invalid drift_detection"),
        ("ACCESS_DELETION_POLICY", b"abandon\xff", "Invalid deletion_policy"),
        ("ACCESS_CA_FILE", b"ca\xff.pem", "Invalid ca_file"),
        ("TF_APPEND_USER_AGENT", b"pipeline\xff", "Invalid TF_APPEND_USER_AGENT"),
        ("HTTPS_PROXY", b"http://127.0.0.1:18484\xff", "Could not set up the connection"),
        ("https_proxy", b"http://ada:canary\xff@127.0.0.1:18484", "Could not set up"),
        ("ALL_PROXY", b"http://127.0.0.1:18484/\xff", "Could not set up the connection"),
        ("NO_PROXY", b"internal.example\xff", "Could not set up the connection"),
        ("no_proxy", b"internal.example\xff", "Could not set up the connection"),
    ];
    for (variable, value, summary) in cases {
        let workspace = service.workspace().with_bytes(variable, value);
        workspace.configure(&with_provider(""));
        let error = workspace.plan().fails_with(summary).only_error();
        assert!(error.contains(&format!("environment variable {variable}")), "{error}");
        assert!(error.contains("UTF-8") && !error.contains("canary"), "{error}");
    }
    let workspace = service.workspace_with_key("").with_bytes("ACCESS_API_KEY_FILE", b"key\xff");
    workspace.configure(&with_provider(""));
    workspace.plan().fails_with("Invalid api_key_file");
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn proxy_variable_that_cannot_be_parsed_is_an_error_for_a_loopback_address_as_well() {
    let service = Service::full();
    let workspace = service.workspace().with("HTTPS_PROXY", "http://[bad");
    workspace.configure(&with_provider(""));
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains("environment variable HTTPS_PROXY is not the URL"), "{error}");
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn user_agent_suffix_that_is_not_a_header_value_is_named() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_APPEND_USER_AGENT", "pipe\nline");
    workspace.configure(&with_provider(""));
    let error = workspace.plan().fails_with("Invalid TF_APPEND_USER_AGENT").only_error();
    assert!(error.contains("pipe\\nline"), "{error}");
}

#[test]
fn durations_out_of_bounds_name_the_bound() {
    let service = Service::full();
    let workspace = service.workspace();
    for (line, bound) in [
        ("request_timeout = \"0s\"", "Must be at least 1ms, not \"0s\""),
        ("request_timeout = \"500us\"", "Must be at least 1ms, not \"500us\""),
        ("max_retry_wait = \"-1s\"", "Must be at least 0ms, not \"-1s\""),
        ("max_retry_wait = \"2562048h\"", "Must be at most 2562047h, not \"2562048h\""),
        ("request_timeout = \"20000000000000000000000h\"", "Must be at most 2562047h"),
    ] {
        workspace.configure(&with_provider(line));
        let error = workspace.plan().exits(1).only_error();
        assert!(error.contains(bound), "{error}");
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn longest_durations_survive_an_outage() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&with_provider(
        "  max_retry_wait  = \"+2562047h\"\n  request_timeout = \"2562047h\"\n  max_retries = 4",
    ));
    service.respond_to_all("GET", 503, "{}");
    workspace.plan().exits(1);
    service.respond_normally();
    workspace.apply().succeeds();
}
