//! Hosts that plan again during the apply and pass what the plan stored, as Terraform 1.16 does.

use super::*;

/// Plans a create while the object does not exist, and again in another process, as an apply does,
/// after the object was added. Returns the errors of both.
async fn plan_twice(type_name: &str, config: &Value, add: impl Fn(&Service)) -> [Vec<String>; 2] {
    let service = Service::full();
    service.remove_owner("github", "founder");
    let mut private = Vec::new();
    let mut found = [Vec::new(), Vec::new()];
    for phase in &mut found {
        let host = Host::start(&service).await;
        let plan = host.plan_as(type_name, None, config, &private).await;
        *phase = errors(&plan.diagnostics).iter().map(|&summary| summary.to_owned()).collect();
        private = plan.planned_private.to_vec();
        host.end().await;
        add(&service);
    }
    found
}

/// The private state of a moved owner, or of a prior version, lacks the principal.
#[tokio::test(flavor = "multi_thread")]
async fn replacement_does_not_adopt_another_owner_if_private_state_lacks_its_own() {
    let service = Service::full();
    service.put_owner("github", "own-1", "users/ada");
    service.put_owner("github", "own-9", "users/ben");
    let mut prior = schema::empty_resource(OWNER);
    prior["integration"] = json!("github");
    prior["owner"] = json!("users/ada");
    prior["integration_owner_id"] = json!("own-1");
    prior["name"] = json!("integrations/github/owners/own-1");
    prior["id"] = prior["name"].clone();
    let mut config = schema::empty_resource(OWNER);
    config["integration"] = json!("github");
    config["owner"] = json!("users/ben");
    for private in [json!({}), json!({"object": {"name": "integrations/github/owners/own-1"}})] {
        let host = Host::start(&service).await;
        let plan = host.plan_as(OWNER, Some(&prior), &config, &private_state(&private)).await;
        assert_eq!(errors(&plan.diagnostics), [""; 0]);
        assert!(!plan.requires_replace.is_empty());
        // The second plan of the replacement.
        let plan = host.plan_as(OWNER, None, &config, &plan.planned_private).await;
        assert_eq!(errors(&plan.diagnostics), ["Could not create integration owner"], "{private}");
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn object_that_appears_after_the_plan_is_not_adopted() {
    let found = plan_twice(ROLE, &config(), |service| {
        service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "9"}));
    })
    .await;
    assert_eq!(found, [vec![], vec!["Could not create listing role".to_owned()]]);

    let mut owner = schema::empty_resource(OWNER);
    owner["integration"] = json!("github");
    owner["owner"] = json!("users/ada");
    let add = |service: &Service| service.put_owner("github", "own-9", "users/ada");
    let found = plan_twice(OWNER, &owner, add).await;
    assert_eq!(found, [vec![], vec!["Could not create integration owner".to_owned()]]);

    let mut owners = schema::empty_resource("access_integration_owners");
    owners["integration"] = json!("github");
    owners["owners"] = json!(["users/ada"]);
    let found = plan_twice("access_integration_owners", &owners, add).await;
    assert_eq!(found[0], [""; 0]);
    assert_eq!(found[1].len(), 1, "{:?}", found[1]);
}
