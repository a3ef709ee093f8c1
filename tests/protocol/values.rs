//! The values that a configuration may have, attribute by attribute: what a validation refuses, and
//! what passes.
//!
//! Null passes here, and is refused at the plan (`acceptance::missing_values`).

use std::collections::BTreeSet;

use access_fake::Fault;

use super::cases::*;
use super::*;

/// What a validation does with a value.
enum Verdict {
    Passes,
    /// An error at the attribute with this part.
    Refused(&'static str),
}
use Verdict::{Passes, Refused};

/// The values of an ID in a path.
fn identifiers() -> Vec<(Value, Verdict)> {
    vec![
        (json!("Git-hub_1.x"), Passes),
        (json!("größe"), Passes),
        (Value::Null, Passes),
        (unknown(), Passes),
        (json!(""), Refused("must not be empty")),
        (json!(" "), Refused("must not contain blanks")),
        (json!("viewer "), Refused("must not contain blanks")),
        (json!("viewer\n"), Refused("must not contain blanks")),
        (json!("a/b"), Refused("must not contain `/`")),
        (json!("a%2Fb"), Refused("must not contain `%`")),
        (json!(".."), Refused("must not be `.` or `..`")),
        (json!("x".repeat(513)), Refused("at most 512 bytes")),
    ]
}

fn principals() -> Vec<(Value, Verdict)> {
    let form = "must have the form users/{id}, groups/{id} or teams/{id}";
    vec![
        (json!("users/ada"), Passes),
        (json!("teams/Platform"), Passes),
        (Value::Null, Passes),
        (unknown(), Passes),
        (json!(""), Refused(form)),
        (json!("ada"), Refused(form)),
        (json!("Users/ada"), Refused(form)),
        (json!(" users/ada"), Refused(form)),
        (json!("robots/r2"), Refused(form)),
        (json!("users/"), Refused("must not be empty")),
        (json!("users/ "), Refused("must not contain blanks")),
        (json!("users/ada\n"), Refused("must not contain blanks")),
        (json!("users/a/b"), Refused("must not contain `/`")),
    ]
}

fn display_names() -> Vec<(Value, Verdict)> {
    vec![
        (json!(" Viewer "), Passes),
        (Value::Null, Passes),
        (unknown(), Passes),
        (json!(""), Refused("must not be blank")),
        (json!(" \n"), Refused("must not be blank")),
    ]
}

fn priorities() -> Vec<(Value, Verdict)> {
    let whole = "must be a whole number from -9223372036854775808 to 9223372036854775807";
    vec![
        (json!(i64::MIN), Passes),
        (json!(0), Passes),
        (Value::Null, Passes),
        (unknown(), Passes),
        (json!(0.5), Refused(whole)),
        (json!("0.1"), Refused(whole)),
        (json!("9223372036854775808"), Refused(whole)),
    ]
}

/// Every text is one that the service may accept.
fn texts() -> Vec<(Value, Verdict)> {
    let texts = [json!("Reads"), json!(""), json!(" \n"), Value::Null, unknown()];
    texts.into_iter().map(|text| (text, Passes)).collect()
}

fn flags() -> Vec<(Value, Verdict)> {
    let flags = [json!(true), json!(false), Value::Null, unknown()];
    flags.into_iter().map(|flag| (flag, Passes)).collect()
}

fn resources() -> Vec<(Value, Verdict)> {
    let blank = "must not contain an empty resource";
    vec![
        (json!([]), Passes),
        (json!(["repo/a"]), Passes),
        // The service defines what a resource is: spellings are not interpreted.
        (json!(["repo/a", "repo/A", "repo/a "]), Passes),
        (json!([unknown(), unknown(), "repo/a"]), Passes),
        (json!([null]), Passes),
        (Value::Null, Passes),
        (unknown(), Passes),
        (json!([""]), Refused(blank)),
        // The service may have such a resource: refusing it would keep its role out of Terraform.
        (json!(["repo/a", " \n"]), Passes),
    ]
}

/// Any text may be in the state. `owners` has who is refused in a plan, because he would be added.
fn lists_of_owners() -> Vec<(Value, Verdict)> {
    let each = principals().into_iter().map(|(owner, _)| (json!(["groups/ops", owner]), Passes));
    let more = [
        // Two principals, as far as the provider can tell: spellings are not interpreted.
        (json!(["users/ada", "users/Ada"]), Passes),
        (json!([unknown(), unknown()]), Passes),
        (json!([]), Refused("List at least one owner")),
        (Value::Null, Passes),
    ];
    each.chain(more).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_attribute_refuses_what_the_service_can_never_accept() {
    let host = Host::unconfigured().await;
    let owner = json!({"integration": "github", "owner": "users/ada"});
    let owner = with(SCHEMAS.resources[OWNER].empty.clone(), &owner);
    let owners = json!({"integration": "github", "owners": ["users/ada"]});
    let owners = with(SCHEMAS.resources[OWNERS].empty.clone(), &owners);
    let mut untested: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (kind, schema) in &SCHEMAS.resources {
        untested.extend(schema.arguments().map(|argument| (kind.as_str(), argument)));
    }
    for (kind, valid, attribute, values) in [
        (ROLE, &config(), "listing", identifiers()),
        (ROLE, &config(), "role", identifiers()),
        (ROLE, &config(), "display_name", display_names()),
        (ROLE, &config(), "priority", priorities()),
        (ROLE, &config(), "description", texts()),
        (ROLE, &config(), "resources", resources()),
        (ROLE, &config(), "adopt_existing", flags()),
        (OWNER, &owner, "integration", identifiers()),
        (OWNER, &owner, "integration_owner_id", identifiers()),
        (OWNER, &owner, "owner", principals()),
        (OWNER, &owner, "adopt_existing", flags()),
        (OWNERS, &owners, "integration", identifiers()),
        (OWNERS, &owners, "owners", lists_of_owners()),
    ] {
        untested.remove(&(kind, attribute));
        for (value, verdict) in values {
            let config = with(valid.clone(), &json!({ attribute: value }));
            check(
                &format!("{kind}.{attribute}"),
                &value,
                &host.validate(kind, &config).await,
                &verdict,
            );
        }
    }
    assert!(untested.is_empty(), "a new attribute needs a line in the table: {untested:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_sources_and_lists_refuse_the_same_ids() {
    let host = Host::unconfigured().await;
    let role = json!({"listing": "github", "role": "viewer"});
    for (kind, attributes) in [
        (ROLE, &["listing", "role"][..]),
        ("access_listing_roles", &["listing"]),
        (OWNER, &["integration", "integration_owner_id"]),
        (OWNERS, &["integration"]),
    ] {
        for &attribute in attributes {
            for (value, verdict) in identifiers() {
                let config = SCHEMAS.data_sources[kind].empty.clone();
                let config = with(config, &if kind == ROLE { role.clone() } else { json!({}) });
                let config = match (kind, attribute) {
                    (OWNER, "integration") => with(config, &json!({"owner": "users/ada"})),
                    // Null selects nothing, which is another error.
                    (OWNER, _) if value.is_null() => continue,
                    _ => config,
                };
                let config = with(config, &json!({ attribute: value }));
                let request = pb::validate_data_resource_config::Request {
                    type_name: kind.to_owned(),
                    config: Some(encode(&config)),
                };
                let found = host.client.validate_data_resource_config(request).await.unwrap();
                check(&format!("data.{kind}.{attribute}"), &value, &found.diagnostics, &verdict);
            }
        }
    }
    for (kind, attribute) in [(ROLE, "listing"), (OWNER, "integration")] {
        for (value, verdict) in identifiers() {
            let empty = if kind == ROLE { json!({ "manager": null }) } else { json!({}) };
            let config = with(empty, &json!({ attribute: value }));
            let request = pb::validate_list_resource_config::Request {
                type_name: kind.to_owned(),
                config: Some(encode(&config)),
            };
            let found = host.client.validate_list_resource_config(request).await.unwrap();
            check(&format!("list.{kind}.{attribute}"), &value, &found.diagnostics, &verdict);
        }
    }
}

#[track_caller]
fn check(place: &str, value: &Value, found: &[pb::Diagnostic], verdict: &Verdict) {
    match verdict {
        Passes => assert_eq!(found, [], "{place} = {value}"),
        Refused(part) => {
            assert_eq!(errors(found).len(), 1, "{place} = {value}: {found:?}");
            assert!(found[0].detail.contains(part), "{place} = {value}: {}", found[0].detail);
            let attribute = place.rsplit('.').next().expect("an attribute");
            assert_eq!(blamed(found), attribute, "{place} = {value}");
        }
    }
}

/// What is read is taken as it is: an entry counts as there by its name, whatever else is odd, and a list
/// is no witness for an ID that it may have in another spelling.
#[tokio::test(flavor = "multi_thread")]
async fn list_is_a_witness_unless_it_may_contain_the_object() {
    let of_role = |rest: &str| format!("{{\"name\":\"listings/github/roles/{rest}}}");
    let of_owner = |rest: &str| format!("{{\"name\":\"integrations/github/owners/{rest}}}");
    let roles = [
        // Of strangers.
        (of_role("x\",\"priority\":\"abc\""), Conclusion::Dropped),
        (of_role("x\",\"description\":7"), Conclusion::Dropped),
        (of_role("x\",\"resources\":[null]"), Conclusion::Dropped),
        (of_role("a b\""), Conclusion::Dropped),
        (of_role("a/b\""), Conclusion::Dropped),
        (of_role("..\""), Conclusion::Dropped),
        // Perhaps the role.
        (of_role("viewer\",\"priority\":\"abc\""), Conclusion::Warned),
        (of_role("Viewer\""), Conclusion::Warned),
        (of_role("viewer \""), Conclusion::Warned),
        (of_role("view%65r\""), Conclusion::Warned),
        (of_role("\""), Conclusion::Warned),
        ("{\"name\":\"listings/okta/roles/x\"}".to_owned(), Conclusion::Warned),
        ("{\"displayName\":\"Viewer\"}".to_owned(), Conclusion::Warned),
        ("{\"name\":7}".to_owned(), Conclusion::Warned),
        ("7".to_owned(), Conclusion::Warned),
    ];
    let owners = [
        (of_owner("x\""), Conclusion::Dropped),
        (of_owner("x\",\"owner\":7"), Conclusion::Dropped),
        (of_owner("a b\",\"owner\":\"deleted:users/ada?uid=1\""), Conclusion::Dropped),
        (of_owner("own-1\",\"owner\":7"), Conclusion::Warned),
        (of_owner("OWN-1\",\"owner\":\"users/ada\""), Conclusion::Warned),
        (of_owner("own%2D1\""), Conclusion::Warned),
        ("{\"owner\":\"users/ada\"}".to_owned(), Conclusion::Warned),
    ];
    let rows = roles.map(|row| (Role, row)).into_iter().chain(owners.map(|row| (Owner, row)));
    let case = |(entity, (entry, expected)): (Entity, (String, Conclusion))| {
        let list = format!("{{\"$ENTRIES\":[{entry}]}}").leak();
        let case = Case::new(entity, Read);
        (Case { get: Some(JSON_404), list: Some((200, list)), ..case }, expected)
    };
    compare(rows.map(case).collect(), |case| case.read_after(0)).await;
    // A page that cannot be parsed.
    let case =
        Case { get: Some(JSON_404), list: Some((200, "{\"x\":1}")), ..Case::new(Role, Read) };
    compare(vec![(case, Conclusion::Warned)], |case| case.read_after(0)).await;
    // The same ID in another form of Unicode.
    let (service, host) = Host::with_service().await;
    let list = r#"{"listingRoles":[{"name":"listings/github/roles/e\u0301"}]}"#;
    service.add_fault(Fault::respond(200, list).on("GET").at(Role.list_path()));
    service.add_fault(Fault::respond(404, "{}").on("GET").at(Role.object_path()));
    let name = "listings/github/roles/\u{e9}";
    let state = with(state(), &json!({"role": "\u{e9}", "id": name, "name": name}));
    let read = host.read(ROLE, &state, b"").await;
    assert_eq!(decode(&read.new_state.unwrap()), state);
    says(&read.diagnostics, &["its list contains it"]);
}

/// An error of that object alone, where it is ours.
#[tokio::test(flavor = "multi_thread")]
async fn value_that_its_attribute_cannot_hold_is_an_error_of_its_object() {
    let viewer = "\"name\":\"listings/github/roles/viewer\",\"displayName\":\"Viewer\"";
    let case = |body: &str| {
        let body: &str = format!("{{{viewer},{body}}}").leak();
        (Case { get: Some((200, body)), ..Case::new(Role, Read) }, Conclusion::Failed)
    };
    let odd =
        ["\"priority\":\"abc\"", "\"description\":7", "\"resources\":[null]", "\"manager\":{}"];
    compare(odd.map(case).into(), |case| case.read_after(0)).await;
    // A delete reads the name and the times alone.
    let answered = Some((200, "{}"));
    let deleted = |body| (Case { delete: answered, ..case(body).0 }, Conclusion::Dropped);
    compare(odd.map(deleted).into(), Case::destroy).await;
    // An entry of a list that equals the state otherwise confirms nothing: GET counts.
    let list = "{\"$ENTRIES\":[$ODD]}";
    let case = Case { get: Some(FAILURE), list: Some((200, list)), ..Case::new(Role, Read) };
    compare(vec![(case, Conclusion::Failed)], |case| case.read_after(4)).await;
}

/// A list that has the ID in another spelling does not show that it is free, nor one in another form of the
/// same text that it is.
#[tokio::test(flavor = "multi_thread")]
async fn create_is_not_sure_of_an_id_that_the_list_has_in_another_spelling() {
    for (listed, part) in [
        ("OWN-1", "may have been added twice"),
        ("own%2D1", "may have been added twice"),
        ("own-1", "own-1 belongs to users/zoe"),
        ("other", ""),
    ] {
        let name = format!("integrations/okta/owners/{listed}");
        let list = json!({"integrationOwners": [{"name": name, "owner": "users/zoe"}]});
        let service = Service::with_empty_okta();
        let fault = Fault::respond(200, list.to_string()).on("GET");
        service.add_fault(fault.at("*/integrations/okta/owners"));
        let config = json!({"integration": "okta", "integration_owner_id": "own-1"});
        let host = Host::start(&service).await;
        let created = host.apply_create(OWNER, &with(creating(Owner), &config)).await;
        match part {
            "" => assert_eq!(created.diagnostics, [], "{listed}"),
            part => says(&created.diagnostics, &[part]),
        }
    }
}
