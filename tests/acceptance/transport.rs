//! Calls that fail in each way in which a network can fail: an error, and the state as it was
//! before.

use access_fake::{Action, Fault};

use crate::support::Service;

const ROLE: &str = "access_listing_role.viewer";

/// Returns the arguments of a provider that does not wait long for a response that this fault withholds.
/// The other requests of the run have the same time, which is enough on a busy machine too.
fn timeout(fault: Option<&Action>) -> &'static str {
    match fault {
        Some(Action::Hang | Action::HangAfterProcessing | Action::Trickle { .. }) => {
            "  request_timeout = \"10s\"\n"
        }
        _ => "",
    }
}

fn configuration(display_name: &str, fault: Option<&Action>) -> String {
    format!(
        "provider \"access\" {{
  max_retries = 1
{}}}
resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"{display_name}\"
  priority     = 1
}}
",
        timeout(fault)
    )
}

fn respond(status: u16, processed: bool) -> Action {
    let body = format!("{{\"message\":\"response with {status}\"}}");
    Action::Respond { status, headers: [].into(), body, processed }
}

/// Reads, updates and deletes a role while one method fails like this, always, and checks that
/// nothing is lost and that the service is as configured afterwards.
fn survives(action: &Action) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&configuration("Viewer", None));
    workspace.apply().succeeds();
    let before = workspace.state_of(ROLE).expect("a role");

    for (method, display_name, arguments) in [
        ("GET", "Viewer", &["plan", "-json", "-lock=false"][..]),
        ("PATCH", "Changed", &["apply", "-json", "-auto-approve", "-lock=false"]),
        ("DELETE", "Changed", &["destroy", "-json", "-auto-approve", "-lock=false"]),
    ] {
        service.respond_normally();
        service.clear_requests();
        workspace.configure(&configuration(display_name, Some(action)));
        service.fault(Fault::new(action.clone()).on(method));
        let error = workspace.run(arguments).exits(1).only_error();
        for part in ["listings/github/roles/viewer", method] {
            assert!(error.contains(part), "{action:?} {part}: {error}");
        }
        let after = workspace.state_of(ROLE).expect("the state is kept");
        assert_eq!(after["display_name"], before["display_name"], "{action:?} {method}");
        // One more attempt than the first, unless the failure is a final one.
        let attempts = service.requests_of(method);
        assert!((1..=2).contains(&attempts), "{action:?} {method}: {attempts} attempts");
    }

    service.respond_normally();
    workspace.configure(&configuration("Changed", None));
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    assert_eq!(service.role("github", "viewer").expect("a role")["displayName"], "Changed");
    workspace.destroy().succeeds();
}

#[test]
fn refusals_of_a_failing_service_keep_the_state() {
    for status in [500, 502, 503, 504] {
        survives(&respond(status, false));
    }
}

#[test]
fn broken_connections_keep_the_state() {
    survives(&Action::Reset);
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn missing_responses_keep_the_state() {
    survives(&Action::Hang);
}

#[test]
fn lost_response_to_a_processed_write_loses_no_state() {
    survives_lost_responses(&[
        Action::ResetAfterProcessing,
        Action::CutBody { bytes: 7 },
        Action::Garbage,
        Action::WrongName,
        respond(502, true),
    ]);
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn missing_response_to_a_processed_write_loses_no_state() {
    let trickle = Action::Trickle { bytes: 1, milliseconds: 1_000 };
    survives_lost_responses(&[Action::HangAfterProcessing, trickle]);
}

/// Creates, updates and deletes a role while the service processes each write and its response is lost.
fn survives_lost_responses(actions: &[Action]) {
    for action in actions {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&configuration("Viewer", Some(action)));
        service.fault(Fault::new(action.clone()).on("PATCH"));
        workspace.apply().exits(1);
        assert_eq!(workspace.state_size(), 0, "{action:?}: a tainted role would be destroyed");
        assert!(service.role("github", "viewer").is_some(), "{action:?}: it was written");

        service.respond_normally();
        workspace.configure(&configuration("Viewer", None));
        workspace.apply().fails_with("import {");
        workspace.run(&["import", "-lock=false", ROLE, "github/viewer"]).succeeds();
        workspace.apply().succeeds();
        service.fault(Fault::new(action.clone()).on("PATCH"));
        workspace.configure(&configuration("Changed", Some(action)));
        workspace.apply().exits(1);
        assert_eq!(workspace.state_of(ROLE).expect("a role")["display_name"], "Viewer");

        service.respond_normally();
        workspace.configure(&configuration("Changed", None));
        workspace.apply().succeeds();
        workspace.plan().exits(0);
        workspace.configure(&configuration("Changed", Some(action)));
        service.fault(Fault::new(action.clone()).on("DELETE").times(1));
        if *action == Action::Garbage {
            // A response that is not the service's does not prove a deletion, and the
            // request is not repeated.
            workspace.destroy().fails_with("neither empty nor a JSON object");
            assert_eq!(workspace.state_size(), 1);
        }
        workspace.destroy().succeeds();
        assert_eq!(service.roles("github").len(), 0, "{action:?}");
    }
}

#[test]
fn owner_whose_response_is_lost_is_added_once() {
    adds_an_owner_once(&[
        Action::ResetAfterProcessing,
        Action::CutBody { bytes: 7 },
        Action::Garbage,
        respond(500, true),
        respond(503, false),
    ]);
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn owner_without_a_response_is_added_once() {
    adds_an_owner_once(&[Action::HangAfterProcessing, Action::Hang]);
}

/// Adds an owner while each POST fails like this, and again afterwards.
fn adds_an_owner_once(actions: &[Action]) {
    let owner = |id: &str, fault: Option<&Action>| {
        format!(
            "provider \"access\" {{\n{}}}
resource \"access_integration_owner\" \"ada\" {{
  integration = \"github\"
  owner       = \"users/ada\"
{id}}}
",
            timeout(fault)
        )
    };
    for id in ["", "  integration_owner_id = \"own-ada\"\n"] {
        for action in actions {
            let service = Service::full();
            let workspace = service.workspace();
            workspace.configure(&owner(id, Some(action)));
            service.fault(Fault::new(action.clone()).on("POST"));
            let outcome = workspace.apply();
            assert_eq!(service.requests_of("POST"), 1, "{id} {action:?}: sent once");
            let exists = service.owners_named("github", "users/ada");
            assert_eq!(
                outcome.code == 0,
                exists == 1,
                "{id} {action:?}: lists and reads show its outcome\n{}",
                outcome.output()
            );
            assert_eq!(workspace.state_size(), exists, "{id} {action:?}");

            service.respond_normally();
            workspace.configure(&owner(id, None));
            workspace.apply().succeeds();
            assert_eq!(service.owners_named("github", "users/ada"), 1, "{id} {action:?}");
            workspace.plan().exits(0);
        }
    }
}

#[test]
fn concurrent_applies_of_one_role_end_in_one_of_the_two_configurations() {
    let service = Service::full();
    service.latency(std::time::Duration::from_millis(30));
    let (one, other) = (service.workspace(), service.workspace());
    one.configure(&configuration("One", None));
    other.configure(&configuration("Other", None));
    let outcomes = std::thread::scope(|scope| {
        let one = scope.spawn(|| one.apply());
        let other = scope.spawn(|| other.apply());
        [one.join().expect("its outcome"), other.join().expect("its outcome")]
    });
    // Either the second apply was refused, or both existence checks ran before the first write. The
    // service cannot distinguish the two applies, and one of them shows drift at once.
    let succeeded = outcomes.iter().filter(|outcome| outcome.code == 0).count();
    assert!(succeeded >= 1, "{}", outcomes.map(|outcome| outcome.output()).concat());
    let plans = [one.plan().code, other.plan().code];
    let quiet = plans.iter().filter(|code| **code == 0).count();
    assert_eq!(quiet, 1, "{plans:?}");
}
