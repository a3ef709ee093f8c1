//! A service that limits, fails and loses answers.

use access_fake::{Action, Fault, RateLimit, RetryAfter};

use crate::support::Service;

const ROLE: &str = "access_listing_role.viewer";

fn roles(count: u32) -> String {
    format!(
        "resource \"access_listing_role\" \"many\" {{
  count        = {count}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"Role ${{count.index}}\"
  priority     = count.index
}}
"
    )
}

fn viewer() -> String {
    roles(1)
        .replace("\"many\"", "\"viewer\"")
        .replace("  count        = 1\n", "")
        .replace("${count.index}", "x")
        .replace("count.index", "1")
}

/// Applies this many roles to a service that allows this many requests a second, and compares with
/// the best that could be.
fn keeps_pace(roles_count: u32, limit: RateLimit) {
    let service = Service::full();
    let (rate, burst, kind) = (limit.per_second, f64::from(limit.burst), limit.retry_after);
    service.limit(Some(limit));
    let workspace = service.workspace();
    workspace.configure(&roles(roles_count));
    workspace.apply().succeeds();

    // A look and a write for each role, and one read for all of them.
    let least = f64::from(2 * roles_count + 1);
    let requests = service.requests();
    let count = f64::from(u32::try_from(requests.len()).unwrap());
    assert!(count <= least * 1.3, "{kind:?}: {count} requests");
    let first = requests.first().unwrap().received_ms;
    let last = requests.last().unwrap().received_ms;
    let seconds = f64::from(u32::try_from(last - first).unwrap()) / 1000.0;
    let ideal = (least - burst) / rate;
    assert!(seconds <= ideal * 1.5, "{kind:?}: {seconds} s, ideal {ideal} s");
    service.limit(None);
    workspace.plan().exits(0);
}

#[test]
fn limited_service_is_applied_to_at_its_own_pace() {
    for retry_after in [RetryAfter::Seconds, RetryAfter::Date, RetryAfter::None] {
        keeps_pace(60, RateLimit { per_second: 20.0, burst: 20, retry_after });
    }
}

#[test]
fn own_limit_is_kept_whatever_the_parallelism() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&format!(
        "provider \"access\" {{\n  max_requests_per_second = 20\n}}\n{}",
        roles(20)
    ));
    workspace.apply_with(&["-parallelism=20"]).succeeds();
    let times: Vec<u64> = service.requests().iter().map(|request| request.received_ms).collect();
    assert_eq!(times.len(), 41);
    // In any second at most twenty, and a few that the network has bunched.
    for window in times.windows(24) {
        assert!(window[23] - window[0] >= 1_000, "24 requests in {} ms", window[23] - window[0]);
    }
}

#[test]
#[ignore = "takes 90 s; .ci/run runs it"]
fn two_hundred_roles_are_applied_at_five_requests_a_second() {
    keeps_pace(200, RateLimit { per_second: 5.0, burst: 5, retry_after: RetryAfter::Seconds });
}

#[test]
fn wait_beyond_the_budget_ends_at_once_and_is_named() {
    let service = Service::full();
    service.fault(throttled("3600"));
    let workspace = service.workspace();
    workspace.configure(&viewer());
    let error = workspace.apply().fails_with("429").only_error();
    for part in ["3600 s", "max_retry_wait", "-parallelism"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(service.requests().len(), 1);
}

fn throttled(retry_after: &str) -> Fault {
    Fault::new(Action::Respond {
        status: 429,
        headers: [("retry-after".to_owned(), retry_after.to_owned())].into(),
        body: "{}".to_owned(),
        processed: false,
    })
}

#[test]
fn dead_service_is_not_stormed() {
    let service = Service::full();
    service.answer_all("GET", 503, "{\"message\":\"down for repairs\"}");
    let workspace = service.workspace();
    workspace.configure(&format!(
        "provider \"access\" {{\n  max_retry_wait = \"3s\"\n}}\n{}",
        roles(40)
    ));
    let outcome = workspace.apply().fails_with("down for repairs");
    assert_eq!(outcome.errors().len(), 40);
    assert!(service.requests().len() <= 60, "{} requests", service.requests().len());
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn lost_and_broken_answers_to_a_write_are_made_good() {
    for action in [
        Action::ResetAfterProcessing,
        Action::Reset,
        Action::CutBody { bytes: 5 },
        Action::Respond { status: 502, headers: [].into(), body: String::new(), processed: true },
    ] {
        let service = Service::full();
        service.fault(Fault::new(action.clone()).on("PATCH").times(2));
        let workspace = service.workspace();
        workspace.configure(&viewer());
        workspace.apply().succeeds().without_warnings();
        assert_eq!(service.requests_of("PATCH"), 3, "{action:?}");
        workspace.plan().exits(0);
        service.fault(Fault::new(action.clone()).on("DELETE").times(1));
        workspace.destroy().succeeds();
        assert_eq!(workspace.state_size(), 0);
    }
}

#[test]
fn create_that_fails_for_good_leaves_no_state_and_is_made_good_by_the_next_apply() {
    let service = Service::full();
    service.fault(Fault::new(Action::Garbage).on("PATCH"));
    let workspace = service.workspace();
    workspace.configure(&viewer());
    workspace.apply().fails_with("Could not create listing role");
    assert_eq!(workspace.state_size(), 0, "a tainted role would be destroyed");

    service.answer_as_usual();
    workspace.apply().succeeds().warns("Took over a listing role that exists already");
    assert!(workspace.state_of(ROLE).is_some());
    workspace.plan().exits(0);
}

#[test]
fn role_that_vanishes_between_plan_and_apply_is_created_by_the_next_plan() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer());
    workspace.apply().succeeds();
    workspace.configure(&viewer().replace("Role x", "Other"));
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    service.remove_role("github", "role-x");
    workspace.run(&["apply", "-json", "saved.tfplan"]).fails_with("vanished after the plan");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
}
