//! Log output under `TF_LOG`.

use crate::support::Service;

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  description  = \"a body\"
  priority     = 0
}
";

#[test]
fn log_has_a_line_for_each_request_and_bodies_only_at_trace() {
    for (level, bodies) in [("DEBUG", false), ("TRACE", true)] {
        let service = Service::full();
        let workspace = service.workspace().with("TF_LOG_PROVIDER", level);
        workspace.configure(ROLE);
        let outcome = workspace.apply().succeeds();
        let lines: Vec<_> = outcome
            .stderr
            .lines()
            .filter(|line| line.contains("[DEBUG]") && line.contains("access_client"))
            .collect();
        assert_eq!(lines.len(), service.requests().len(), "{}", outcome.stderr);
        let patch = lines.iter().find(|line| line.contains("PATCH")).expect("the write");
        for part in [
            "path=/api/v1/listings/github/roles/viewer",
            "status=200",
            "attempt=1",
            "milliseconds=",
        ] {
            assert!(patch.contains(part), "{part}: {patch}");
        }
        assert_eq!(outcome.stderr.contains("a body"), bodies, "{level}: {}", outcome.stderr);
        assert!(!outcome.output().contains("admin-key"), "{level}");
    }
}

#[test]
fn nothing_is_logged_without_tf_log() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(ROLE);
    assert_eq!(workspace.apply().succeeds().stderr, "");
}
