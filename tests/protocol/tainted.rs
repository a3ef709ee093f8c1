//! Creates of objects that a state of the same plan names: Terraform plans the replacement of a
//! tainted object as a create without private state.

use super::*;

const OWNERS: &str = "access_integration_owners";

/// Returns a configuration and a state of each resource, and adds the objects to the service.
fn objects(service: &Service) -> [(&'static str, Value, Value); 3] {
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "3"}));
    let create_time = service.role("github", "viewer").unwrap()["createTime"].clone();
    let mut role = state();
    role["create_time"] = create_time;

    service.put_owner("okta", "own-7", "users/ada");
    let mut owner_config = schema::empty_resource(OWNER);
    owner_config["integration"] = json!("okta");
    owner_config["owner"] = json!("users/ada");
    let mut owner = owner_config.clone();
    owner["integration_owner_id"] = json!("own-7");
    owner["id"] = json!("integrations/okta/owners/own-7");
    owner["name"] = owner["id"].clone();
    owner["create_time"] = service.local().owner("okta", "own-7").unwrap()["createTime"].clone();

    let mut owners_config = schema::empty_resource(OWNERS);
    owners_config["integration"] = json!("github");
    owners_config["owners"] = json!(["users/founder"]);
    let mut owners = owners_config.clone();
    owners["id"] = json!("integrations/github");
    owners["name"] = owners["id"].clone();
    [(ROLE, config(), role), (OWNER, owner_config, owner), (OWNERS, owners_config, owners)]
}

/// Plans the destroy of a state whose resource abandons its object. Returns the errors.
async fn plan_abandon(host: &Host, type_name: &str, state: &Value, private: &[u8]) -> Vec<String> {
    let mut abandoned = state.clone();
    abandoned["deletion_policy"] = json!("abandon");
    let request = pb::plan_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: Some(encode(&abandoned)),
        proposed_new_state: Some(null()),
        config: Some(null()),
        prior_private: private.to_vec().into(),
        ..Default::default()
    };
    let planned = host.client.plan_resource_change(request).await.unwrap();
    errors(&planned.diagnostics).into_iter().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn abandon_and_create_of_one_object_are_an_error_in_either_order() {
    for abandons_first in [true, false] {
        let service = Service::full();
        let host = Host::start(&service).await;
        for (type_name, config, state) in objects(&service) {
            let case = format!("{type_name}, {abandons_first}");
            let private = evidence(&service);
            let read = host.read_as(type_name, &state, &private).await;
            assert_eq!(errors(&read.diagnostics), [""; 0], "{case}");
            let mut found = Vec::new();
            for abandons in [abandons_first, !abandons_first] {
                if abandons {
                    found.extend(plan_abandon(&host, type_name, &state, &private).await);
                } else {
                    let planned = host.plan_as(type_name, None, &config, b"").await;
                    found.extend(errors(&planned.diagnostics).into_iter().map(str::to_owned));
                }
            }
            assert_eq!(found.len(), 1, "{case}: {found:?}");
            let conflict = "is destroyed and created under two addresses";
            assert_eq!(found[0].contains(conflict), !abandons_first, "{case}: {found:?}");
        }
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoned_object_can_be_adopted_in_either_order() {
    for abandons_first in [true, false] {
        let service = Service::full();
        let host = Host::start(&service).await;
        for (type_name, mut config, state) in objects(&service) {
            config["adopt_existing"] = json!(true);
            let private = evidence(&service);
            host.read_as(type_name, &state, &private).await;
            for abandons in [abandons_first, !abandons_first] {
                let case = format!("{type_name}, {abandons_first}");
                if abandons {
                    let found = plan_abandon(&host, type_name, &state, &private).await;
                    assert_eq!(found, [""; 0], "{case}");
                } else {
                    let planned = host.plan_as(type_name, None, &config, b"").await;
                    assert_eq!(errors(&planned.diagnostics), [""; 0], "{case}");
                }
            }
        }
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn object_that_a_read_does_not_find_is_not_taken_for_a_tainted_one() {
    let service = Service::full();
    let [role, owner, _] = objects(&service);
    for (type_name, config, state) in [role, owner] {
        service.local().remove_role("github", "viewer");
        for id in ["own-7", "own-9"] {
            service.local().remove_owner("okta", id);
        }
        let plan = Host::start(&service).await;
        let read = plan.read_as(type_name, &state, &evidence(&service)).await;
        assert_eq!(decode(&read.new_state.unwrap()), Value::Null, "{type_name}");
        // Terraform passes the private state of the response to the create.
        let planned = plan.plan_as(type_name, None, &config, &read.private).await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{type_name}");
        plan.end().await;

        // Both processes have one parent, as in `terraform apply`.
        service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "9"}));
        service.put_owner("okta", "own-9", "users/ada");
        let apply = Host::start(&service).await;
        let planned = apply.plan_as(type_name, None, &config, b"").await;
        assert_eq!(errors(&planned.diagnostics).len(), 1, "{type_name}");
        apply.end().await;
    }
}
