//! Outages, limits and closed connections.

use std::time::{Duration, Instant};

use access_fake::{Action, Fault, RetryAfter};

use super::*;
use crate::support::network::Authority;

/// Returns many roles of the listing `github`.
fn roles(count: usize, display_name: &str, provider: &str) -> String {
    format!(
        "provider \"access\" {{
{provider}
}}
resource \"access_listing_role\" \"many\" {{
  count        = {count}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"{display_name}\"
  priority     = count.index
}}
"
    )
}

fn unavailable(retry_after: RetryAfter, seconds: u64) -> Fault {
    Fault::new(Action::Unavailable { retry_after, seconds: Some(seconds) })
}

#[test]
fn retry_after_of_a_503_is_honoured() {
    for form in [RetryAfter::Seconds, RetryAfter::Date] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&role("viewer", ""));
        service.fault(unavailable(form, 3).on("PATCH").times(1));
        workspace.apply().succeeds();
        let writes = service.writes();
        assert_eq!(writes.len(), 2, "{writes:#?}");
        let pause = writes[1].received_ms - writes[0].received_ms;
        // A date has whole seconds.
        assert!((1_900..30_000).contains(&pause), "{form:?}: {pause} ms");
    }
}

#[test]
fn retry_after_beyond_the_budget_ends_the_call_at_once() {
    for form in [RetryAfter::Seconds, RetryAfter::Date] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&role("viewer", ""));
        service.fault(unavailable(form, 600).on("PATCH"));
        let started = Instant::now();
        let error = workspace.apply().exits(1).only_error();
        assert!(error.contains("requested a wait"), "{error}");
        // It asks for 600 s.
        assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
        assert_eq!(service.writes().len(), 1);
    }
}

/// A few seconds in the middle of an apply, seen by every call.
#[test]
fn short_outage_fails_no_resource() {
    for action in [
        Action::Unavailable { retry_after: RetryAfter::None, seconds: None },
        Action::Refuse { milliseconds: 3_000 },
    ] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&roles(60, "Role", ""));
        let outage = Fault::new(action.clone()).on("PATCH").skipping(20);
        service.fault(match action {
            Action::Refuse { .. } => outage.times(1),
            _ => outage.lasting(Duration::from_secs(3)),
        });
        workspace.apply_with(&["-parallelism=20"]).succeeds();
        assert_eq!(service.roles("github").len(), 60, "{action:?}");
        workspace.plan().exits(0);
    }
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn outage_of_20_seconds_in_an_apply_of_300_roles_fails_nothing() {
    for action in [
        Action::Unavailable { retry_after: RetryAfter::None, seconds: None },
        Action::Unavailable { retry_after: RetryAfter::Seconds, seconds: Some(2) },
        Action::Refuse { milliseconds: 20_000 },
    ] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&roles(300, "Role", ""));
        let outage = Fault::new(action.clone()).on("PATCH").skipping(150);
        service.fault(match action {
            Action::Refuse { .. } => outage.times(1),
            _ => outage.lasting(Duration::from_secs(20)),
        });
        service.clear_requests();
        workspace.apply_with(&["-parallelism=50"]).succeeds();
        assert_eq!(service.roles("github").len(), 300, "{action:?}");
        let writes = service.writes().len();
        assert!(writes <= 450, "{action:?}: {writes} writes");
        workspace.plan().exits(0);
    }
}

/// Begins an outage that does not end in the middle of an apply with 60 calls.
fn endless_outage(action: &Action, max_retry_wait: Duration) {
    let service = Service::full();
    let workspace = service.workspace();
    let provider = format!("  max_retry_wait = \"{}s\"", max_retry_wait.as_secs());
    workspace.configure(&roles(60, "Role", &provider));
    workspace.apply_with(&["-parallelism=60"]).succeeds();
    workspace.configure(&roles(60, "Changed", &provider));
    service.clear_requests();
    service.fault(Fault::new(action.clone()).on("PATCH"));
    let started = Instant::now();
    let errors = workspace.apply_with(&["-parallelism=60"]).exits(1).errors();
    let elapsed = started.elapsed();
    assert_eq!(errors.len(), 60, "{action:?}");
    let limit = max_retry_wait + Duration::from_secs(60);
    assert!(elapsed < limit, "{action:?}: {elapsed:?}");
    let writes = service.writes().len();
    assert!(writes <= 90, "{action:?}: {writes} requests of 60 calls");
}

#[test]
fn endless_outage_is_reported_soon_after_max_retry_wait() {
    let action = Action::Unavailable { retry_after: RetryAfter::None, seconds: None };
    endless_outage(&action, Duration::from_secs(5));
}

#[test]
#[ignore = "takes three minutes; .ci/run runs it"]
fn endless_outages_of_every_kind_are_reported_soon_after_max_retry_wait() {
    for (action, seconds) in [
        (Action::Unavailable { retry_after: RetryAfter::None, seconds: None }, 120),
        (Action::Reset, 20),
        (Action::Refuse { milliseconds: 600_000 }, 20),
    ] {
        endless_outage(&action, Duration::from_secs(seconds));
    }
}

/// The service closes each connection after a response, without announcing it. One call at a time:
/// with several, a call that begins a new connection may still be sent over a closed one.
#[test]
fn closed_connection_is_replaced_without_using_up_a_retry() {
    let service = Service::full();
    service.change_world(|world| world.close_after_response = true);
    let workspace = service.workspace();
    for display_name in ["Role", "Changed"] {
        workspace.configure(&roles(15, display_name, "  max_retries = 0"));
        workspace.apply_with(&["-parallelism=1"]).succeeds();
        workspace.plan_with(&["-parallelism=1"]).exits(0);
    }
}

/// A POST on a closed connection may have been processed: it is never sent again unchecked.
#[test]
fn closed_connection_adds_no_owner_twice() {
    let service = Service::full();
    service.change_world(|world| {
        world.close_after_response = true;
        world.duplicate_owners = true;
    });
    let workspace = service.workspace();
    workspace.configure(
        "resource \"access_integration_owner\" \"many\" {
  count       = 40
  integration = \"github\"
  owner       = \"users/user-${count.index}\"
}
",
    );
    workspace.apply();
    service.change_world(|world| world.close_after_response = false);
    workspace.apply().succeeds();
    for number in 0..40 {
        let user = format!("users/user-{number}");
        assert_eq!(service.owners_named("github", &user), 1, "{user}");
    }
    workspace.plan().exits(0);
}

#[test]
fn goaway_loses_none_of_120_posts() {
    let service = Service::full();
    service.change_world(|world| world.goaway_after = Some(7));
    let authority = Authority::new();
    let front = authority.serve_http2("localhost", service.address());
    let base_url = format!("https://localhost:{}", front.address.port());
    let workspace = Workspace::new(&base_url, "admin-key");
    workspace.write("authority.pem", &authority.pem);
    let path = workspace.path().join("authority.pem").display().to_string();
    let workspace = workspace.with("SSL_CERT_FILE", &path);
    workspace.configure(
        "resource \"access_integration_owner\" \"many\" {
  count       = 120
  integration = \"github\"
  owner       = \"users/user-${count.index}\"
}
",
    );
    workspace.apply_with(&["-parallelism=30"]).succeeds();
    for number in 0..120 {
        let user = format!("users/user-{number}");
        assert_eq!(service.owners_named("github", &user), 1, "{user}");
    }
    let connections = service.requests().iter().map(|request| request.connection).max();
    assert!(connections > Some(10), "{connections:?} connections");
}
