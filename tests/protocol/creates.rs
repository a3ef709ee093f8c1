//! Creates: the look before them, and what follows from each response.

use access_fake::Fault;
use plugin_server::testkit::proto::tfplugin6::Diagnostic;
use serde_json::{Value, json};

use super::cases::*;
use super::{Host, OWNER, ROLE, config, decode, errors, warnings};
use crate::support::Service;

/// What a create does after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Written, without a warning.
    Written,
    /// Written, with a warning about the object.
    Unchecked,
    /// Not sent: the object exists. With `adopt_existing`, it is adopted.
    Exists,
    /// Not sent: an error.
    Failed,
}
use Effect::{Exists, Failed, Unchecked, Written};

const NO_LIST: Response = (405, "");
const EMPTY: Response = (200, r#"{"$ENTRIES":[]}"#);

/// Responses to GET and list; the effect on the create of a role.
const ROLES: [(Response, Response, Effect); 20] = [
    (OBJECT, NO_LIST, Exists),
    (OBJECT, (200, r#"{"$ENTRIES":[$OBJECT]}"#), Exists),
    ((200, "$DELETED"), NO_LIST, Written),
    (JSON_404, EMPTY, Written),
    (JSON_404, NO_LIST, Unchecked),
    (JSON_404, FORBIDDEN, Unchecked),
    (TEXT_404, NO_LIST, Unchecked),
    (HTML_404, NO_LIST, Unchecked),
    ((405, ""), NO_LIST, Unchecked),
    ((501, "{}"), NO_LIST, Unchecked),
    (FORBIDDEN, NO_LIST, Unchecked),
    ((401, "{}"), NO_LIST, Failed),
    ((400, "{}"), NO_LIST, Failed),
    ((409, "{}"), NO_LIST, Failed),
    ((429, "{}"), NO_LIST, Failed),
    (FAILURE, NO_LIST, Failed),
    ((503, ""), NO_LIST, Failed),
    ((200, "not json"), NO_LIST, Failed),
    ((200, "$OTHER"), NO_LIST, Failed),
    ((301, ""), NO_LIST, Failed),
];

/// Response to the list; the effect on the create of an owner.
const OWNERS: [(Response, Effect); 11] = [
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), Exists),
    (EMPTY, Written),
    ((405, ""), Unchecked),
    ((501, ""), Unchecked),
    (FORBIDDEN, Unchecked),
    ((200, "not json"), Unchecked),
    ((401, "{}"), Failed),
    ((400, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
    ((503, ""), Failed),
];

/// Response to the GET of a fixed ID where there is no list; the effect on the create of an owner.
const FIXED_OWNERS: [(Response, Effect); 5] = [
    (OBJECT, Exists),
    ((405, ""), Unchecked),
    ((401, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
];

/// Fails the test unless the diagnostics of an apply are those of this effect.
fn check(case: &str, effect: Effect, entity: Entity, adopts: bool, found: &[Diagnostic]) {
    let (failed, warned) = (errors(found), warnings(found));
    match effect {
        Written => assert_eq!((failed.len(), warned.len()), (0, 0), "{case}: {found:?}"),
        Unchecked => {
            assert_eq!(failed, [""; 0], "{case}: {found:?}");
            assert!(!warned.is_empty(), "{case}: no warning");
        }
        Exists if adopts => assert_eq!(failed, [""; 0], "{case}: {found:?}"),
        Exists => {
            assert_eq!(failed.len(), 1, "{case}: {found:?}");
            let text = format!("{found:?}");
            for part in ["import {", "adopt_existing", "export", entity.name()] {
                assert!(text.contains(part), "{case}: {part}: {text}");
            }
        }
        Failed => assert_eq!(failed.len(), 1, "{case}: {found:?}"),
    }
}

/// Plans and applies a create under these responses, in two processes as Terraform does.
async fn create(config: &Value, entity: Entity, responses: &[(&str, Response)], effect: Effect) {
    let adopts = config["adopt_existing"] == true || config["allow_missing"] == false;
    let case = format!("{responses:?}, adopts: {adopts}");
    // The plan of a service without objects.
    let empty = Service::full();
    let host = Host::start(&empty).await;
    let planned = host.plan_as(entity.type_name(), None, config, b"").await;
    host.end().await;

    let service = Service::full();
    if effect == Exists {
        service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "3"}));
        service.put_owner("github", "own-1", "users/ada");
    }
    for (path, (status, body)) in responses {
        service.fault(Fault::respond(*status, entity.body(body)).on("GET").at(path));
    }
    let settings = json!({ "max_retries": 0 });
    let host = Host::start_with(&service, &settings).await;
    let plan = host.plan_as(entity.type_name(), None, config, b"").await;
    if effect != Failed {
        assert_eq!(errors(&plan.diagnostics), [""; 0], "{case}: a plan never fails");
        let warned = warnings(&plan.diagnostics);
        assert_eq!(warned.is_empty(), effect == Written, "{case}: {warned:?}");
        if effect == Exists {
            assert!(warned[0].contains(entity.name()) || warned[0].contains("users/ada"));
        }
    }
    assert_eq!(service.writes().len(), 0, "{case}: a plan writes nothing");
    host.end().await;

    let host = Host::start_with(&service, &settings).await;
    // Terraform plans again before it applies.
    let again = host.plan_as(entity.type_name(), None, config, b"").await;
    let planned = if errors(&again.diagnostics).is_empty() { again } else { planned };
    let applied = host.apply_planned(entity.type_name(), config, &planned).await;
    host.end().await;
    check(&case, effect, entity, adopts, &applied.diagnostics);
    let is_sent = match effect {
        Written | Unchecked => true,
        Exists => adopts && entity == Role,
        Failed => false,
    };
    assert_eq!(service.writes().len(), usize::from(is_sent), "{case}: {:?}", service.requests());
    // A state or an error, never both: Terraform would taint the object.
    let state = applied.new_state.map(|state| decode(&state)).unwrap_or_default();
    assert_eq!(state.is_null(), !errors(&applied.diagnostics).is_empty(), "{case}");
}

#[tokio::test(flavor = "multi_thread")]
async fn role_is_written_adopted_or_refused_as_in_the_table() {
    for (get, list, effect) in ROLES {
        for (argument, value) in [("adopt_existing", false), ("adopt_existing", true)] {
            let mut config = config();
            config[argument] = json!(value);
            let responses = [(Role.object_path(), get), (Role.list_path(), list)];
            create(&config, Role, &responses, effect).await;
        }
    }
    let mut config = config();
    config["allow_missing"] = json!(false);
    let responses = [(Role.object_path(), OBJECT), (Role.list_path(), NO_LIST)];
    create(&config, Role, &responses, Exists).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_is_added_adopted_or_refused_as_in_the_tables() {
    for adopts in [false, true] {
        let mut config = creating(Owner);
        config["adopt_existing"] = json!(adopts);
        for (list, effect) in OWNERS {
            create(&config, Owner, &[(Owner.list_path(), list)], effect).await;
        }
        config["integration_owner_id"] = json!("own-1");
        for (get, effect) in FIXED_OWNERS {
            let responses = [(Owner.object_path(), get), (Owner.list_path(), NO_LIST)];
            create(&config, Owner, &responses, effect).await;
        }
    }
}

/// The look has not found the role, and the response shows that it is older than the run.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_is_older_than_the_run_was_overwritten() {
    let service = Service::full();
    let body = Role.body("$OBJECT");
    service.fault(Fault::respond(200, body).on("PATCH"));
    let host = Host::start(&service).await;
    let planned = host.plan_as(ROLE, None, &config(), b"").await;
    let applied = host.apply_planned(ROLE, &config(), &planned).await;
    assert_eq!(errors(&applied.diagnostics), [""; 0]);
    let text = format!("{:?}", applied.diagnostics);
    assert!(text.contains("overwritten") && text.contains(Role.name()), "{text}");
    host.end().await;
}

/// What this process has written exists, whatever a lagging read returns.
#[tokio::test(flavor = "multi_thread")]
async fn second_create_of_one_object_is_refused_under_lagging_reads() {
    for entity in [Role, Owner] {
        let service = Service::full();
        let host = Host::start(&service).await;
        service.lag(100);
        host.create(entity.type_name(), &creating(entity)).await;
        let second = host.apply_create(entity.type_name(), &creating(entity)).await;
        assert_eq!(errors(&second.diagnostics).len(), 1, "{entity:?}");
        assert_eq!(service.writes().len(), 1, "{entity:?}");
        host.end().await;
    }
}

/// The list could not be read before the POST, so it does not show that the owner is new.
#[tokio::test(flavor = "multi_thread")]
async fn owner_of_a_list_that_was_not_read_before_is_not_the_one_that_the_post_added() {
    for status in [500, 409] {
        let service = Service::full();
        let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
        service.fault(Fault::respond(403, "{}").on("GET").at(Owner.list_path()).times(1));
        service.fault(Fault::respond(status, "{}").on("POST"));
        service.put_owner("github", "own-1", "users/ada");
        let planned = host.plan_as(OWNER, None, &creating(Owner), b"").await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{status}");
        let applied = host.apply_planned(OWNER, &creating(Owner), &planned).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{status}");
        let text = format!("{:?}", applied.diagnostics);
        assert!(text.contains("import {"), "{status}: {text}");
        assert!(decode(&applied.new_state.unwrap()).is_null(), "{status}");
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn create_looks_with_drift_detection_off() {
    let service = Service::full();
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "3"}));
    service.put_owner("github", "own-1", "users/ada");
    let host = Host::start_with(&service, &json!({ "drift_detection": "off" })).await;
    for entity in [Role, Owner] {
        let config = creating(entity);
        let planned = host.plan_as(entity.type_name(), None, &config, b"").await;
        assert_eq!(planned.diagnostics, [], "{entity:?}");
        let applied = host.apply_planned(entity.type_name(), &config, &planned).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{entity:?}");
        assert_eq!(service.writes().len(), 0, "{entity:?}");
    }
    host.end().await;
}

/// The service wrote the role as a deleted one.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_is_deleted_in_the_response_is_no_state() {
    let service = Service::full();
    service.fault(Fault::respond(200, Role.body("$DELETED")).on("PATCH"));
    let host = Host::start(&service).await;
    let planned = host.plan_as(ROLE, None, &config(), b"").await;
    let applied = host.apply_planned(ROLE, &config(), &planned).await;
    assert_eq!(errors(&applied.diagnostics).len(), 1);
    assert!(decode(&applied.new_state.unwrap()).is_null());
    host.end().await;
}

/// The first create under a parent is read back, once; updates are not.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_create_under_a_parent_is_read_back() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let mut states = Vec::new();
    for (number, id) in ["one", "two", "three"].into_iter().enumerate() {
        let mut config = config();
        config["role"] = json!(id);
        let planned = host.plan_as(ROLE, None, &config, b"").await;
        service.clear_requests();
        let applied = host.apply_planned(ROLE, &config, &planned).await;
        let lines = requests(&service);
        let write = lines.iter().position(|line| line.starts_with("PATCH")).expect("a write");
        assert_eq!(lines.len() - write - 1, usize::from(number == 0), "{lines:?}");
        states.push((config, decode(&applied.new_state.unwrap()), applied.private));
    }
    let (mut config, state, private) = states.remove(0);
    config["display_name"] = json!("Other");
    let planned = host.plan(Some(&state), &config, &private).await;
    service.clear_requests();
    host.apply(ROLE, Some(&state), &config, &planned).await;
    assert_eq!(requests(&service).len(), 1, "{:?}", requests(&service));
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_values_are_errors_at_their_attributes_before_any_request() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let owners = "access_integration_owners";
    for (type_name, attribute, value) in [
        (ROLE, "priority", json!(1.5)),
        (ROLE, "priority", json!(9_223_372_036_854_775_808_u64)),
        (ROLE, "display_name", json!("")),
        (ROLE, "display_name", json!(" ")),
        (ROLE, "display_name", json!({"not": "text"})),
        (ROLE, "role", json!("a/b")),
        (ROLE, "listing", json!("..")),
        (ROLE, "listing", json!("")),
        (ROLE, "deletion_policy", json!("retain")),
        (OWNER, "owner", json!("robots/x")),
        (OWNER, "owner", json!("teams/")),
        (OWNER, "owner", json!("platform")),
        (OWNER, "integration", json!("a/b")),
        (OWNER, "deletion_policy", json!("retain")),
        (owners, "owners", json!([])),
        (owners, "owners", json!(["users/ada", "teams/"])),
    ] {
        let mut config = match type_name {
            ROLE => config(),
            OWNER => creating(Owner),
            _ => {
                let mut config = super::schema::empty_resource(owners);
                config["integration"] = json!("github");
                config["owners"] = json!(["users/ada"]);
                config
            }
        };
        config[attribute] = value.clone();
        let mut found = host.validate(type_name, &config).await;
        if errors(&found).is_empty() {
            found = host.plan_as(type_name, None, &config, b"").await.diagnostics;
        }
        assert_eq!(errors(&found).len(), 1, "{attribute} = {value}: {found:?}");
        let blamed = format!("{:?}", found[0].attribute);
        assert!(blamed.contains(attribute), "{attribute} = {value}: {blamed}");
    }
    assert_eq!(service.requests().len(), 0);
    host.end().await;
}
