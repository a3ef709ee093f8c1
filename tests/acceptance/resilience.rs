//! Interrupts: nothing is lost, and nothing exists twice.
//!
//! `access-client` has the tables of retries, rate limits and outages in virtual time, and `lives` plays
//! them against the provider. `protocol` has the tables of lost responses, and `chaos` kills processes.

use access_fake::{Action, Fault};

use crate::support::Service;
use crate::support::fixtures::{owner, roles};
use crate::support::process::{interrupt, start_apply, wait_until};

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
