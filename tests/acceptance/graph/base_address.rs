//! Another base address: a service with other objects, and the same service after a move.

use std::net::SocketAddr;

use access_fake::{OmittedFields, Running, World};
use serde_json::json;

use super::{owner, role, start, workspace, writes};

const DESTROY: [&str; 5] = ["destroy", "-json", "-auto-approve", "-lock=false", "-refresh=false"];

fn configuration() -> String {
    role("viewer", "viewer", "") + &owner("ada", "users/ada", "")
}

#[test]
fn other_region_fails_plan_and_destroy_and_keeps_the_state() {
    let home = start(World::default());
    let elsewhere = start(World::default());
    let mut workspace = workspace(&home);
    workspace.configure(&configuration());
    workspace.apply().succeeds();
    let state = workspace.state();
    workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
    home.service().clear_requests();

    // The other region first lacks the objects, and then has others of the same names.
    for _ in 0..2 {
        let destroy = ["destroy", "-json", "-auto-approve", "-lock=false"];
        let unrefreshed = [&destroy[..], &["-refresh=false"]].concat();
        for outcome in [workspace.plan(), workspace.run(&destroy), workspace.run(&unrefreshed)] {
            let errors = outcome.exits(1).errors();
            assert_eq!(errors.len(), 2, "{errors:#?}");
            for error in errors {
                assert!(error.contains(&home.base_url()), "{error}");
                assert!(error.contains(&elsewhere.base_url()), "{error}");
            }
        }
        assert_eq!(workspace.state()["resources"], state["resources"]);
        assert_eq!((writes(&home), writes(&elsewhere)), (0, 0));
        let fields = json!({"displayName": "Viewer", "priority": "1"});
        elsewhere.service().put_role("github", "viewer", &fields).unwrap();
        let id = workspace.state_of("access_integration_owner.ada").unwrap();
        let id = id["integration_owner_id"].as_str().expect("an ID").to_owned();
        elsewhere.service().put_owner("github", &id, &json!({"owner": "users/ada"})).unwrap();
    }

    workspace.set("ACCESS_BASE_URL", &home.base_url());
    workspace.plan().exits(0);
}

#[test]
fn object_without_a_creation_time_at_another_address_is_not_the_same() {
    let home = start(World::default());
    let mut workspace = workspace(&home);
    workspace.configure(&configuration());
    workspace.apply().succeeds();
    let id = workspace.state_of("access_integration_owner.ada").unwrap();
    let id = id["integration_owner_id"].as_str().expect("an ID").to_owned();
    let fields = vec!["createTime".to_owned()];
    let omitted = OmittedFields { object: None, responses: Vec::new(), fields };
    let elsewhere = start(World { omitted_fields: vec![omitted], ..World::default() });
    let fields = json!({"displayName": "Viewer", "priority": "1"});
    elsewhere.service().put_role("github", "viewer", &fields).unwrap();
    elsewhere.service().put_owner("github", &id, &json!({"owner": "users/ada"})).unwrap();
    workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
    for command in [&["plan", "-json", "-lock=false"][..], &DESTROY] {
        let errors = workspace.run(command).exits(1).errors();
        assert_eq!(errors.len(), 2, "{errors:#?}");
        assert!(errors.iter().all(|error| error.contains("was last seen at")), "{errors:#?}");
    }
    assert_eq!(writes(&elsewhere), 0);
}

#[test]
fn same_service_under_a_new_address_plans_nothing_and_is_recorded() {
    let old = start(World::default());
    let mut workspace = workspace(&old);
    workspace.configure(&configuration());
    workspace.apply().succeeds();
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let new = Running::start_blocking(old.service().clone(), any_port).expect("a second address");
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.plan().exits(0).without_warnings();
    workspace.apply().succeeds().without_warnings();

    // At the recorded address a 404 counts.
    assert!(new.service().remove_role("github", "viewer"));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.viewer"), "create");
    assert_eq!(plan.action("access_integration_owner.ada"), "no-op");
}
