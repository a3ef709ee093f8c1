//! Outages, rate limits, lost responses, closed connections, interrupts and kills: nothing is lost,
//! nothing exists twice, and the service is not flooded.

use std::time::{Duration, Instant};

use access_fake::{Action, Fault, OmittedFields, RateLimit, ResponseTo, RetryAfter};

use crate::support::fixtures::{Block, import, owner, role, roles, settings};
use crate::support::{Service, Workspace};

const ROLE: &str = "access_listing_role.viewer";

fn respond(status: u16, processed: bool) -> Action {
    let body = format!("{{\"message\":\"response with {status}\"}}");
    Action::Respond { status, headers: [].into(), body, processed }
}

fn throttled(retry_after: &str) -> Fault {
    let headers = [("retry-after".to_owned(), retry_after.to_owned())].into();
    Fault::new(Action::Respond { status: 429, headers, body: "{}".to_owned(), processed: false })
}

/// Returns the response of another role, to a request that was processed.
fn misnamed() -> Action {
    let body = r#"{"name":"listings/github/roles/another","displayName":"One"}"#.to_owned();
    Action::Respond { status: 200, headers: [].into(), body, processed: true }
}

/// Returns a provider that does not wait long for a response that this fault withholds. The other requests
/// of the run have the same time, which is enough on a busy machine too.
fn provider(fault: &Action) -> Block {
    let provider = settings().set("max_retries", 1);
    match fault {
        Action::Hang | Action::HangAfterProcessing => provider.text("request_timeout", "10s"),
        _ => provider,
    }
}

fn named(display_name: &str) -> Block {
    role("viewer").text("display_name", display_name)
}

/// Reads, updates and deletes a role while one method fails like this, always.
fn survives(action: &Action) {
    let service = Service::full();
    let workspace = service.applied(named("One"));
    for (method, name, arguments) in [
        ("GET", "One", &["plan", "-json", "-lock=false"][..]),
        ("PATCH", "Two", &["apply", "-json", "-auto-approve", "-lock=false"]),
        ("DELETE", "Two", &["destroy", "-json", "-auto-approve", "-lock=false"]),
    ] {
        service.respond_normally();
        service.clear_requests();
        workspace.configure(provider(action) + named(name));
        service.fault(Fault::new(action.clone()).on(method));
        workspace.run(arguments).fails_with(["listings/github/roles/viewer", method]);
        let after = workspace.state_of(ROLE).expect("the state is kept");
        assert_eq!(after["display_name"], "One", "{action:?} {method}");
        let attempts = service.requests_of(method);
        assert!((1..=2).contains(&attempts), "{action:?} {method}: {attempts} attempts");
    }
    service.respond_normally();
    workspace.configure(named("Two"));
    workspace.apply().succeeds();
    workspace.plans_nothing();
    assert_eq!(service.display_name("viewer"), "Two");
    workspace.destroy().succeeds();
}

#[test]
fn failing_service_and_broken_connections_keep_the_state() {
    for action in [respond(500, false), respond(503, false), Action::Reset] {
        survives(&action);
    }
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn missing_responses_keep_the_state() {
    survives(&Action::Hang);
    survives_lost_responses(&Action::HangAfterProcessing);
    for action in [Action::HangAfterProcessing, Action::Hang] {
        adds_an_owner_once(&action);
    }
}

/// Creates, updates and deletes a role while the service processes each write and its response is lost.
fn survives_lost_responses(action: &Action) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(provider(action) + named("One"));
    service.fault(Fault::new(action.clone()).on("PATCH"));
    workspace.apply().fails_with(["PATCH", "roles/viewer"]);
    assert_eq!(workspace.state_size(), 0, "{action:?}: a tainted role would be destroyed");
    assert!(service.role("github", "viewer").is_some(), "{action:?}: it was written");

    service.respond_normally();
    workspace.configure(named("One"));
    workspace.apply().fails_with("import {");
    workspace.configure(named("One") + import(ROLE, "github/viewer"));
    workspace.apply().succeeds();
    service.fault(Fault::new(action.clone()).on("PATCH"));
    workspace.configure(provider(action) + named("Two"));
    workspace.apply().fails_with("PATCH");
    assert_eq!(workspace.state_of(ROLE).expect("a role")["display_name"], "One");

    service.respond_normally();
    workspace.apply().succeeds();
    workspace.plans_nothing();
    service.fault(Fault::new(action.clone()).on("DELETE").times(1));
    if *action == Action::Garbage {
        // A response that is not the service's does not prove a deletion, and is not repeated.
        workspace.destroy().fails_with("DELETE");
        assert_eq!(workspace.state_size(), 1);
    }
    workspace.destroy().succeeds();
    assert_eq!(service.roles("github").len(), 0, "{action:?}");
}

#[test]
fn lost_response_to_a_processed_write_loses_no_state() {
    for action in [Action::ResetAfterProcessing, Action::Garbage, misnamed()] {
        survives_lost_responses(&action);
    }
}

#[test]
fn lost_response_to_a_write_is_retried_and_no_conflict() {
    let cut = Action::CutBody { bytes: 5 };
    for action in [Action::ResetAfterProcessing, Action::Reset, cut, respond(502, true)] {
        let service = Service::full();
        service.fault(Fault::new(action.clone()).on("PATCH").times(2));
        let workspace = service.workspace();
        workspace.configure(role("viewer"));
        workspace.apply().succeeds().without_warnings();
        assert_eq!(service.requests_of("PATCH"), 3, "{action:?}");
        service.fault(Fault::new(action.clone()).on("DELETE").times(1));
        workspace.destroy().succeeds();
        assert_eq!(workspace.state_size(), 0);
    }
}

/// Adds an owner while each POST fails like this, and again afterwards.
fn adds_an_owner_once(action: &Action) {
    for fixed in [false, true] {
        let case = format!("{action:?}, fixed: {fixed}");
        let service = Service::full();
        let workspace = service.workspace();
        let ada = owner("ada");
        let ada = if fixed { ada.text("integration_owner_id", "own-ada") } else { ada };
        workspace.configure(provider(action) + &ada);
        service.fault(Fault::new(action.clone()).on("POST"));
        let outcome = workspace.apply();
        assert_eq!(service.requests_of("POST"), 1, "{case}: sent once");
        let exists = service.owners_named("github", "users/ada");
        let output = outcome.output();
        assert_eq!(outcome.code == 0, exists == 1, "{case}: reads show its outcome\n{output}");
        assert_eq!(workspace.state_size(), exists, "{case}");
        service.respond_normally();
        workspace.configure(ada);
        workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
        workspace.plans_nothing();
    }
}

#[test]
fn owner_whose_response_is_lost_is_added_once() {
    for action in [
        Action::ResetAfterProcessing,
        Action::CutBody { bytes: 7 },
        Action::Garbage,
        respond(500, true),
        respond(503, false),
    ] {
        adds_an_owner_once(&action);
    }
}

/// Nothing shows whether the owner was added, so the error says how to find out, and it works.
#[test]
fn owner_that_may_exist_is_an_error_with_its_import_block() {
    for absence in [404, 405, 501] {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(owner("ada"));
        service.lose_responses("POST");
        workspace.apply().fails_with(["import {", "users/ada"]);
        assert_eq!((service.requests_of("POST"), workspace.state_size()), (1, 0), "{absence}");
    }
    // GET shows an owner of another spelling without a creation time: it may be an older one.
    let service = Service::full();
    service.without_lists();
    service.change_world(|world| {
        world.canonical_owners.insert("users/ada".to_owned(), "users/id-17".to_owned());
        let fields = vec!["createTime".to_owned()];
        let responses = vec![ResponseTo::Get];
        world.omitted_fields.push(OmittedFields { responses, fields, ..Default::default() });
    });
    let workspace = service.workspace();
    let ada = owner("ada").text("integration_owner_id", "ada");
    workspace.configure(&ada);
    service.lose_responses("POST");
    let outcome = workspace.apply();
    assert_eq!(service.requests_of("POST"), 1);
    service.respond_normally();
    if outcome.code == 1 {
        outcome.fails_with("import {");
        let import = import("access_integration_owner.ada", "github/ada");
        workspace.configure(ada.text("owner", "users/id-17") + import);
        workspace.apply().succeeds();
    }
    assert_eq!(service.requests_of("POST"), 1);
    workspace.plans_nothing();
}

/// The list lacks an older owner that has the fixed ID, and the response with 409 is lost.
#[test]
fn older_owner_with_the_fixed_id_is_not_the_one_that_the_post_added() {
    let service = Service::full();
    let fields = serde_json::json!({"owner": "users/ben", "createTime": "2024-01-01T00:00:00Z"});
    service.local().put_owner("github", "ada-1", &fields).expect("an owner");
    service.hide(access_fake::HiddenObject {
        object: "integrations/github/owners/ada-1".to_owned(),
        omit_from_list: true,
        ..Default::default()
    });
    service.lose_responses("POST");
    let workspace = service.workspace();
    workspace.configure(owner("ada").text("integration_owner_id", "ada-1"));
    workspace.apply().fails_with("ada-1");
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn retry_after_of_a_503_is_honoured_and_one_beyond_the_budget_ends_the_call() {
    let fault = |wait| Fault::respond(503, "{}").header("retry-after", wait).on("PATCH");
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    service.fault(fault("600"));
    let started = Instant::now();
    workspace.apply().fails_with(["503", "max_retry_wait"]);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    assert_eq!(service.writes().len(), 1);

    service.respond_normally();
    service.clear_requests();
    service.fault(fault("3").times(1));
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 2, "{writes:#?}");
    let pause = writes[1].received_ms - writes[0].received_ms;
    assert!((2_900..30_000).contains(&pause), "{pause} ms");
}

#[test]
fn retry_after_of_a_429_beyond_the_budget_is_an_error_at_once() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    service.fault(throttled("3600"));
    workspace.plan().fails_with(["429", "max_retry_wait"]);
    assert_eq!(service.requests().len(), 1);
}

/// A few seconds in the middle of an apply, seen by every call.
#[test]
fn short_outage_fails_no_resource() {
    for action in [respond(503, false), Action::Reset] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(roles(60));
        let outage = Fault::new(action.clone()).on("PATCH").skipping(20);
        service.fault(outage.lasting(Duration::from_secs(3)));
        workspace.apply_with(&["-parallelism=20"]).succeeds();
        assert_eq!(service.roles("github").len(), 60, "{action:?}");
        workspace.plans_nothing();
    }
}

#[test]
#[ignore = "takes three minutes; .ci/run runs it"]
fn outage_of_50_seconds_in_an_apply_of_300_roles_fails_nothing() {
    let in_seconds = Fault::respond(503, "{}").header("retry-after", "2").action;
    for action in [respond(503, false), in_seconds, Action::Reset] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(roles(300));
        let outage = Fault::new(action.clone()).on("PATCH").skipping(150);
        service.fault(outage.lasting(Duration::from_secs(50)));
        workspace.apply_with(&["-parallelism=50"]).succeeds();
        assert_eq!(service.roles("github").len(), 300, "{action:?}");
        workspace.plans_nothing();
    }
}

/// After `max_retry_wait` without any success, each further call is sent once.
fn endless_outage(action: &Action, max_retry_wait: u64) {
    let service = Service::full();
    let wait = settings().text("max_retry_wait", &format!("{max_retry_wait}s"));
    let workspace = service.applied(wait.clone() + roles(60));
    workspace.configure(wait + roles(60).text("display_name", "Changed"));
    service.fault(Fault::new(action.clone()).on("PATCH"));
    let started = Instant::now();
    let outcome = workspace.apply_with(&["-parallelism=10"]).fails_with("PATCH");
    let elapsed = started.elapsed();
    assert_eq!(outcome.errors().len(), 60, "{action:?}");
    assert!(elapsed < Duration::from_secs(max_retry_wait + 60), "{action:?}: {elapsed:?}");
    // Ten calls repeat; the other fifty are sent once.
    let writes = service.writes().len();
    assert!(writes <= 50 + 10 * 11, "{action:?}: {writes} requests of 60 calls");
}

#[test]
fn endless_outage_is_reported_soon_after_max_retry_wait() {
    endless_outage(&respond(503, false), 5);
}

#[test]
#[ignore = "takes three minutes; .ci/run runs it"]
fn endless_outages_of_every_kind_are_reported_soon_after_max_retry_wait() {
    endless_outage(&respond(503, false), 60);
    endless_outage(&Action::Reset, 20);
}

/// A wrong host, port or name: 15 seconds for all objects of a process together.
#[test]
fn service_that_has_never_responded_is_given_up_after_15_seconds() {
    let data = "data \"access_listing_role\" \"many\" {\n  count = 20\n  listing = \"github\"\n  role = \"role-${count.index}\"\n}\n";
    // Connections to it are established, and nobody responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    let addresses = ["http://127.0.0.1:1", "https://access.service.invalid", &silent];
    std::thread::scope(|scope| {
        for address in addresses {
            scope.spawn(move || {
                let workspace = Workspace::new(address, "admin-key");
                workspace.configure(data);
                let started = Instant::now();
                let outcome = workspace.plan().fails_with(["base_url", address]);
                let elapsed = started.elapsed();
                assert!(elapsed < Duration::from_secs(30), "{address}: {elapsed:?}");
                assert_eq!(outcome.errors().len(), 20, "{}", outcome.output());
            });
        }
    });
}

#[test]
fn rate_limit_of_the_service_fails_nothing_and_costs_few_requests() {
    for retry_after in [RetryAfter::Seconds, RetryAfter::Date, RetryAfter::None] {
        let service = Service::full();
        service.limit(Some(RateLimit { per_second: 20.0, burst: 20, retry_after }));
        let workspace = service.workspace();
        workspace.configure(roles(60));
        workspace.apply().succeeds();
        let count = service.requests().len();
        assert!(count <= (2 * 60 + 12) * 2, "{retry_after:?}: {count} requests");
        service.limit(None);
        workspace.plans_nothing();
    }
}

#[test]
fn max_requests_per_second_holds_under_any_parallelism() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(settings().set("max_requests_per_second", 20) + roles(40));
    workspace.save_plan(&[]);
    service.clear_requests();
    workspace.apply_with(&["-parallelism=20"]).succeeds();
    let times: Vec<u64> = service.writes().iter().map(|request| request.received_ms).collect();
    // 40 looks and 40 writes at 20 a second take 4 s, less the delay of the first on a busy machine.
    let all: Vec<u64> = service.requests().iter().map(|request| request.received_ms).collect();
    let took = times.last().expect("writes") - all[0];
    assert!(took >= 2_500, "{} requests in {took} ms", all.len());
}

#[cfg(unix)]
mod processes {
    //! Ctrl-C and kills while an apply is under way.

    use access_fake::{Action, Fault};

    use super::*;
    use crate::support::fixtures::Text;
    use crate::support::process::{
        children_of, interrupt, kill_host, kill_outright, start_apply, wait_until,
    };

    #[test]
    fn interrupt_ends_a_wait_for_the_next_attempt_at_once() {
        let service = Service::full();
        service.fault(throttled("60").on("PATCH"));
        let workspace = service.workspace();
        workspace.configure(roles(8));
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
        assert!(stderr.contains("interrupted"), "{stderr}");
        assert_eq!(workspace.state_size(), 0);
    }

    #[test]
    fn interrupt_lets_requests_in_flight_finish_and_keeps_what_they_wrote() {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(roles(8) + owner("ada"));
        for method in ["PATCH", "POST"] {
            service.fault(Fault::new(Action::Hold { processed: true }).on(method));
        }
        let apply = start_apply(&workspace);
        wait_until("objects are written", || {
            service.roles("github").len() >= 3 && service.owners_named("github", "users/ada") == 1
        });
        interrupt(&apply, &workspace);
        service.respond_normally();
        apply.wait_with_output().expect("terraform ends");
        let written = service.roles("github").len() + 1;
        assert_eq!(workspace.state_size(), written, "each written object is in the state");
        workspace.apply().succeeds().without_warnings();
        assert_eq!(workspace.state_size(), 9);
    }

    /// Returns `import` blocks for the roles that exist at the service and are not in the state.
    fn imports(service: &Service, workspace: &Workspace) -> Text {
        let state = workspace.state().to_string();
        let mut blocks = Text::default();
        for role in service.roles("github") {
            let name = role["name"].as_str().expect("a name");
            if !state.contains(&format!("\"{name}\"")) {
                let number = name.rsplit('-').next().expect("a number");
                blocks = blocks + import(&format!("access_listing_role.many[{number}]"), name);
            }
        }
        blocks
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "finds the plugin's process in /proc")]
    fn killed_apply_is_completed_after_imports() {
        const ROLES: usize = 12;
        let service = Service::full();
        let workspace = service.workspace();
        for (round, (responses, kills_host)) in
            [(0, true), (5, false), (9, true), (3, false)].into_iter().enumerate()
        {
            let configuration = roles(ROLES).text("display_name", &format!("Round {round}"));
            workspace.configure(&configuration);
            // The other roles are written, and their responses do not arrive.
            let held = Fault::new(Action::Hold { processed: true }).on("PATCH");
            service.fault(held.skipping(responses as u64));
            service.clear_requests();
            let mut apply = start_apply(&workspace);
            wait_until("a response is held", || service.requests_of("PATCH") > responses);
            let plugins = if kills_host {
                kill_host(&mut apply, &workspace)
            } else {
                children_of(apply.id())
            };
            assert!(!plugins.is_empty(), "the provider runs");
            plugins.into_iter().for_each(kill_outright);
            apply.wait_with_output().expect("terraform ends");
            service.respond_normally();

            let case = format!("round {round}, killed after {responses} responses");
            let orphans = imports(&service, &workspace);
            if !orphans.0.is_empty() {
                // A create that was killed leaves a role that no state contains; its error asks for this.
                workspace.apply().fails_with("import {");
            }
            workspace.configure(configuration + orphans);
            workspace.apply().succeeds();
            assert_eq!(workspace.plan().code, 0, "{case}");
            assert_eq!((workspace.state_size(), service.roles("github").len()), (ROLES, ROLES));
            let name = format!("Round {round}");
            let all = service.roles("github");
            assert!(all.iter().all(|role| role["displayName"] == *name), "{case}: {all:?}");
            if round == 1 {
                // Creates are cut off as well as updates.
                workspace.destroy().succeeds();
            }
        }
    }
}
