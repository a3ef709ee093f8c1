//! Ctrl-C, which reaches terraform and the plugin at once.
#![cfg(unix)]

use std::time::{Duration, Instant};

use access_fake::{Action, Fault};

use crate::support::Service;
use crate::support::process::{interrupt, start_apply, wait_until};

const ROLES: usize = 8;

fn configuration() -> String {
    format!(
        "resource \"access_listing_role\" \"many\" {{
  count        = {ROLES}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"Role\"
  priority     = count.index
}}
"
    )
}

#[test]
fn interrupt_ends_a_wait_for_the_next_attempt_at_once() {
    let service = Service::full();
    let throttled = Action::Respond {
        status: 429,
        headers: [("retry-after".to_owned(), "60".to_owned())].into(),
        body: "{}".to_owned(),
        processed: false,
    };
    service.fault(Fault::new(throttled).on("PATCH"));
    let workspace = service.workspace();
    workspace.configure(&configuration());
    let apply = start_apply(&workspace);
    wait_until("a write is refused", || {
        service.writes().iter().any(|write| write.status == Some(429))
    });
    let interrupted = Instant::now();
    interrupt(&apply, &workspace);
    let output = apply.wait_with_output().expect("terraform ends");
    // The wait is 60 s.
    assert!(interrupted.elapsed() < Duration::from_secs(30), "{:?}", interrupted.elapsed());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("Terraform was interrupted"), "{stderr}");
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn interrupt_lets_requests_in_flight_finish_and_keeps_what_they_wrote() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&configuration());
    service.fault(Fault::new(Action::Hold { processed: true }).on("PATCH"));
    let apply = start_apply(&workspace);
    wait_until("roles are written", || service.roles("github").len() >= 3);
    interrupt(&apply, &workspace);
    service.respond_normally();
    apply.wait_with_output().expect("terraform ends");
    let written = service.roles("github").len();
    assert!(written >= 3);
    assert_eq!(workspace.state_size(), written, "each written role is in the state");
    workspace.apply().succeeds().without_warnings();
    assert_eq!(workspace.state_size(), ROLES);
}
