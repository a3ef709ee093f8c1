//! The documented POST of an owner, and the other operations on owners.

use serde_json::json;

use crate::support::Host;

const OWNERS: &str = "/api/v1/integrations/github/owners";

#[test]
fn owner_is_added_with_a_generated_id() {
    let host = Host::full();
    let mut names = Vec::new();
    for owner in ["users/ada", "groups/ops", "teams/platform"] {
        let added = host.provider().post(OWNERS, &json!({"owner": owner})).json(200);
        assert_eq!(added["owner"], owner);
        assert_eq!(added["createTime"], added["updateTime"]);
        assert_eq!(added.as_object().unwrap().len(), 4);
        let target = format!("/api/v1/{}", added["name"].as_str().unwrap());
        assert_eq!(host.admin().get(&target).json(200), added);
        names.push(added["name"].clone());
    }
    assert_eq!(names[0], "integrations/github/owners/own-1");
    assert_eq!(names[2], "integrations/github/owners/own-3");
}

#[test]
fn owner_is_added_with_the_id_that_is_given() {
    let host = Host::full();
    let target = format!("{OWNERS}?integrationOwnerId=gr%C3%BCn");
    let added = host.admin().post(&target, &json!({"owner": "teams/platform"})).json(200);
    assert_eq!(added["name"], "integrations/github/owners/grün");
}

#[test]
fn generated_id_is_unused() {
    let host = Host::full();
    host.service().put("integrations/github/owners/own-1", &json!({"owner": "users/ada"})).unwrap();
    let added = host.admin().post(OWNERS, &json!({"owner": "users/bob"})).json(200);
    assert_eq!(added["name"], "integrations/github/owners/own-2");
}

#[test]
fn taken_id_and_taken_owner_are_conflicts() {
    let host = Host::full();
    let target = format!("{OWNERS}?integrationOwnerId=founder");
    host.admin()
        .post(&target, &json!({"owner": "teams/x"}))
        .is_refused(409, "owners/founder already exists");
    host.admin().post(OWNERS, &json!({"owner": "users/founder"})).is_refused(409, "users/founder");
    assert_eq!(host.service().objects("integrations/github").len(), 1);

    host.service().change_world(|world| world.duplicate_owners = true);
    host.admin().post(OWNERS, &json!({"owner": "users/founder"})).json(200);
    assert_eq!(host.service().objects("integrations/github").len(), 2);
    host.admin()
        .post(&target, &json!({"owner": "teams/x"}))
        .is_refused(409, "owners/founder already exists");
}

#[test]
fn wrong_owners_are_refused() {
    let host = Host::full();
    let table = [
        (json!({}), "owner is required"),
        (json!({"owner": ""}), "owner is required"),
        (json!({"owner": 7}), "must be a string"),
        (json!({"owner": "platform"}), "users/{user}"),
        (json!({"owner": "robots/x"}), "users/{user}"),
        (json!({"owner": "users/"}), "users/{user}"),
        (json!({"owner": "users/a/b"}), "users/{user}"),
        (json!({"owner": "users/a", "name": "x"}), "name is set by the service"),
        (json!({"owner": "users/a", "createTime": "x"}), "createTime is set by the service"),
        (json!({"owner": "users/a", "updateTime": "x"}), "updateTime is set by the service"),
        (json!({"owner": "users/a", "role": "x"}), "role is not a field"),
        (json!(["users/a"]), "not a JSON object"),
    ];
    for (body, message) in table {
        host.admin().post(OWNERS, &body).is_refused(400, message);
    }
    let good = json!({"owner": "users/a"});
    for query in
        ["integrationOwnerId=", "integrationOwnerId=a%2Fb", "ownerId=x", "allowMissing=true"]
    {
        host.admin().post(&format!("{OWNERS}?{query}"), &good).is_refused(400, "");
    }
    let plain = host.admin().with("content-type", "text/plain");
    plain.post(OWNERS, &good).is_refused(400, "Content-Type");
    assert_eq!(host.service().objects("integrations/github").len(), 1);
}

#[test]
fn owner_of_a_missing_integration_is_not_added() {
    let host = Host::full();
    let target = "/api/v1/integrations/nowhere/owners";
    host.admin().post(target, &json!({"owner": "users/a"})).is_refused(404, "integrations/nowhere");
    host.admin().get(target).is_refused(404, "integrations/nowhere");
}

#[test]
fn owner_is_removed() {
    let host = Host::full();
    let target = format!("{OWNERS}/founder");
    host.admin().delete(&target).json(200);
    host.admin().get(&target).is_refused(404, "owners/founder");
    host.admin().delete(&target).is_refused(404, "owners/founder");
    assert_eq!(host.admin().get(OWNERS).json(200)["integrationOwners"], json!([]));
    let again = format!("{OWNERS}?integrationOwnerId=founder");
    host.admin().post(&again, &json!({"owner": "users/founder"})).json(200);
}

#[test]
fn owner_that_exists_is_returned_if_configured() {
    let founder =
        |host: &Host| host.service().object("integrations/github/owners/founder").unwrap();
    let post = |host: &Host, query: &str, principal: &str| {
        host.admin().post(&format!("{OWNERS}{query}"), &json!({ "owner": principal }))
    };
    let same = ["users/founder"].as_slice();
    let in_any_case = ["users/founder", "users/Founder"].as_slice();
    for (settings, principals) in [
        (json!({}), same),
        (json!({"owners_ignore_case": true}), in_any_case),
        (json!({"canonical_owners": {"users/f": "users/founder"}}), &["users/founder", "users/f"]),
    ] {
        for principal in principals {
            let host = Host::with(settings.clone());
            post(&host, "", principal).is_refused(409, "already an owner");
            host.service().change_world(|world| world.returns_existing_owner = true);
            for query in ["", "?integrationOwnerId=other", "?integrationOwnerId=founder"] {
                assert_eq!(post(&host, query, principal).json(200), founder(&host), "{settings}");
            }
            assert_eq!(host.service().objects("integrations/github").len(), 1, "{settings}");
            // The ID of another principal is taken.
            post(&host, "?integrationOwnerId=founder", "users/ada").is_refused(409, "exists");
        }
    }
    let host = Host::full();
    post(&host, "", "users/Founder").json(200);
    assert_eq!(host.service().objects("integrations/github").len(), 2, "by default, case matters");
}
