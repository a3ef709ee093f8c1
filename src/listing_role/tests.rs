//! Conversions between state and API.

use access_client::{ListingRole, ListingRoleName, Object as _, ObjectName as _, RoleField};
use plugin_server::value::Number;
use serde_json::json;
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::plan::UpdateCause::{self, Fields, Imported, Manager};
use super::plan::causes;
use super::state::{ListingRoleState, MANAGER, RolePrivate, changed_fields, to_patch};
use crate::repository::{ConfiguredRepository, Repository};
use crate::resource::attributes::tests::check_rows;
use crate::resource::attributes::{Form, ValueType};
use crate::resource::describe::Describe as _;
use crate::resource::entity::Convert as _;

fn text(value: &str) -> Value<String> {
    Value::Value(value.to_owned())
}

fn resources(values: &[&str]) -> Value<Vec<Value<String>>> {
    Value::Value(values.iter().map(|value| text(value)).collect())
}

fn state() -> ListingRoleState {
    ListingRoleState { resources: resources(&["b", "a"]), ..ListingRole::from_response(role()) }
}

fn role() -> ListingRole {
    ListingRole {
        name: ListingRoleName::parse("listings/github/roles/viewer").unwrap(),
        display_name: "Viewer".to_owned(),
        description: "Reads".to_owned(),
        resources: vec!["a".to_owned(), "b".to_owned()],
        priority: 3,
        management: Some("MANUAL".to_owned()),
        manager: Some(MANAGER.to_owned()),
        repo_uri: None,
        repo_dir: None,
        create_time: Some("2026-01-01T00:00:00Z".to_owned()),
        update_time: Some("2026-01-02T00:00:00Z".to_owned()),
        delete_time: None,
        defect: None,
    }
}

fn repository() -> Repository {
    Repository { uri: Some("https://h/a".to_owned()), dir: Some("d".to_owned()) }
}

fn mask_of(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    repository: Option<&Repository>,
) -> Option<String> {
    to_patch(prior, planned, &state(), repository).map(|(_, mask)| mask.to_string())
}

#[test]
fn response_keeps_the_order_and_spelling_of_equal_values() {
    let mut filled = state();
    filled.set_from_response(role());
    assert_eq!(filled.resources, resources(&["b", "a"]));
    assert_eq!(filled.management, text("MANUAL"));

    let cases = [
        (text(""), "", text("")),
        (Value::Null, "", Value::Null),
        (Value::Unknown, "", Value::Null),
        (text("old"), "", Value::Null),
        (Value::Null, "new", text("new")),
        (text(""), "new", text("new")),
    ];
    for (before, returned, after) in cases {
        let mut state = ListingRoleState { description: before.clone(), ..state() };
        state.set_from_response(ListingRole { description: returned.to_owned(), ..role() });
        assert_eq!(state.description, after, "{before:?}, returned {returned:?}");
    }
}

#[test]
fn response_without_a_field_keeps_it_if_nobody_has_changed_the_role() {
    let prior = ListingRoleState { repo_uri: text("https://h/a"), ..state() };
    let (unchanged, later) = (role().update_time, Some("2026-01-03T00:00:00Z".to_owned()));
    for (update_time, is_kept) in [(unchanged, true), (later, false), (None, false)] {
        let partial = ListingRole { manager: None, create_time: None, update_time, ..role() };
        let mut filled = prior.clone();
        filled.set_from_response(partial);
        let kept = [&filled.manager, &filled.repo_uri].map(Value::is_value);
        assert_eq!(kept, [is_kept; 2], "{:?}", filled.update_time);
        assert_eq!(filled.create_time, prior.create_time);
    }
}

#[test]
fn patch_of_an_update_names_what_changed_and_nothing_else() {
    let prior = state();
    assert_eq!(mask_of(Some(&prior), &state(), None), None);
    let pair = mask_of(Some(&prior), &state(), Some(&repository()));
    assert_eq!(pair.as_deref(), Some("repoUri,repoDir"));
    let cases = [
        (ListingRoleState { display_name: text("x"), ..state() }, "displayName"),
        (ListingRoleState { priority: Value::Value(Number::from(4)), ..state() }, "priority"),
        (ListingRoleState { description: Value::Null, ..state() }, "description"),
        (ListingRoleState { resources: resources(&["a"]), ..state() }, "resources"),
        (ListingRoleState { manager: Value::Unknown, ..state() }, "displayName"),
    ];
    for (planned, mask) in cases {
        assert_eq!(mask_of(Some(&prior), &planned, None).as_deref(), Some(mask));
    }
    let reordered = ListingRoleState { resources: resources(&["a", "b"]), ..state() };
    assert_eq!(mask_of(Some(&prior), &reordered, None), None);
}

#[test]
fn state_after_a_write_keeps_the_plan_and_names_what_differs() {
    let planned = ListingRoleState { update_time: Value::Unknown, ..state() };
    let response = ListingRole {
        display_name: "VIEWER".to_owned(),
        resources: vec!["c".to_owned()],
        ..role()
    };
    let (written, differing) = planned.clone().after_write(response.clone(), &state());
    assert_eq!(written.display_name, text("Viewer"));
    assert_eq!(written.update_time, text("2026-01-02T00:00:00Z"));
    assert_eq!(differing, ["display_name", "resources"]);
    let unmanaged = ListingRoleState { resources: Value::Null, ..state() };
    let (_, differing) = planned.after_write(response, &unmanaged);
    assert_eq!(differing, ["display_name"]);
}

#[test]
fn private_state_records_what_the_service_did_not_record_until_it_does() {
    let (patch, _) = to_patch(None, &state(), &state(), Some(&repository())).unwrap();
    let unmanaged = ListingRole { manager: None, ..role() };
    let mut stored = RolePrivate::default().after_write(&patch, &unmanaged);
    let expected = RolePrivate {
        manager_unrecorded: true,
        repository_unrecorded: true,
        own_repository: Some(Repository::default()),
        ..RolePrivate::default()
    };
    assert_eq!(stored, expected);
    stored.record_read(&role(), false);
    assert_eq!(stored, RolePrivate { manager_unrecorded: false, ..expected.clone() });
    let recorded = || ListingRole { repo_uri: Some("https://h/a".to_owned()), ..role() };
    stored.record_read(&recorded(), true);
    assert!(stored.repository_unrecorded, "the service spells it differently");
    stored.record_read(&recorded(), false);
    let own_repository = expected.own_repository.clone();
    assert_eq!(stored, RolePrivate { own_repository, ..RolePrivate::default() });

    let (display_name, _) = to_patch(None, &state(), &state(), None).unwrap();
    let stored = expected.after_write(&display_name, &role());
    assert!(stored.repository_unrecorded, "a write that does not send it shows nothing about it");
}

#[test]
fn every_attribute_is_read_and_generated_and_in_the_example() {
    check_rows::<ListingRole, _>(ATTRIBUTES, |text, number| {
        json!({
            "name": format!("listings/{text}/roles/{text}"), "displayName": text, "priority": number,
            "description": text, "resources": [text], "management": text, "manager": text,
            "repoUri": format!("https://host/{text}"), "repoDir": text,
            "createTime": format!("2026-01-0{number}T00:00:00Z"),
            "updateTime": format!("2026-02-0{number}T00:00:00Z"),
        })
    });
}

/// An update that forgets an attribute would show a plan that no apply ends, or none at all.
#[test]
fn every_attribute_that_a_configuration_sets_is_compared_sent_and_read() {
    for row in ATTRIBUTES.iter().filter(|row| row.is_exported) {
        let name = row.name;
        if ListingRole::WORDS.name_arguments.iter().any(|(argument, _)| *argument == name) {
            continue;
        }
        let field = row.field.unwrap_or_else(|| panic!("no write sends {name}"));
        let mut changed = serde_json::to_value(state()).unwrap();
        changed[name] = match row.value_type {
            ValueType::Text => json!("Other"),
            ValueType::Integer => json!(9),
            ValueType::Flag => json!(true),
            ValueType::SetOfTexts => json!(["other"]),
        };
        let expected = changed[name].clone();
        let planned: ListingRoleState = serde_json::from_value(changed).unwrap();
        assert_eq!(changed_fields(Some(&state()), &planned, &planned), [field]);
        assert!(changed_fields(None, &planned, &planned).contains(&field), "{name} in a create");

        // The service returns what it was sent.
        let (patch, mask) = to_patch(Some(&state()), &planned, &planned, None).unwrap();
        assert_eq!(mask.to_string(), field.as_str());
        let body = serde_json::to_value(&patch).unwrap();
        assert!(!body[field.as_str()].is_null(), "{name} is not sent");
        let mut response = json!({"name": role().name.to_string(), "displayName": "Viewer"});
        response[field.as_str()] = body[field.as_str()].clone();
        let after = |before: &ListingRoleState, response: &serde_json::Value| {
            let wire = serde_json::from_str(&response.to_string()).unwrap();
            let mut after = before.clone();
            after
                .set_from_response(ListingRole::of_wire(wire, &role().name.listing, None).unwrap());
            serde_json::to_value(after).unwrap()[name].clone()
        };
        assert_eq!(after(&state(), &response), expected, "{name} in the state");
        if row.form == Form::Optional {
            response[field.as_str()] = json!("");
            assert!(after(&state(), &response).is_null(), "an empty {name} in the state");
            let mut empty = serde_json::to_value(state()).unwrap();
            empty[name] = json!("");
            let empty = serde_json::from_value(empty).unwrap();
            assert_eq!(after(&empty, &response), "", "{name} = \"\" in the configuration");
        }
    }
}

#[test]
fn update_is_planned_for_a_field_the_manager_a_repository_that_is_set_or_an_import() {
    let recorded =
        ListingRoleState { repo_uri: text("https://h/a"), repo_dir: text("d"), ..state() };
    let unmanaged = ListingRoleState { manager: text("TEAM"), ..recorded.clone() };
    let written = RolePrivate::default;
    let refused = || RolePrivate { manager_unrecorded: true, ..written() };
    let not_stored = || RolePrivate { repository_unrecorded: true, ..written() };
    let imported = |pair| RolePrivate { imported_pair: Some(pair), ..written() };
    let other = || Repository { uri: Some("https://h/other".to_owned()), dir: None };
    let detected = ConfiguredRepository { written: other(), ..Default::default() };
    let set = ConfiguredRepository::new(other(), || None);
    let same = ConfiguredRepository::new(repository(), || None);
    let name = &[RoleField::DisplayName][..];
    let repository_cause = UpdateCause::Repository;
    let cases: [(&str, &[RoleField], _, _, _, &[UpdateCause]); 12] = [
        ("another repository is detected", &[], &recorded, written(), Some(&detected), &[]),
        ("a field differs", name, &recorded, written(), Some(&detected), &[Fields]),
        ("another manager", &[], &unmanaged, written(), Some(&detected), &[Manager]),
        ("a manager that the service did not record", &[], &unmanaged, refused(), None, &[]),
        ("another repository is set", &[], &recorded, written(), Some(&set), &[repository_cause]),
        ("it was not recorded before", &[], &recorded, not_stored(), Some(&set), &[]),
        ("the same repository is set", &[], &recorded, written(), Some(&same), &[]),
        ("the provider is not configured", &[], &recorded, written(), None, &[]),
        ("imported", &[], &recorded, imported(repository()), Some(&detected), &[Imported]),
        ("imported, and written since", &[], &recorded, imported(other()), Some(&detected), &[]),
        ("two causes", name, &unmanaged, written(), None, &[Fields, Manager]),
        (
            "all",
            name,
            &unmanaged,
            imported(repository()),
            Some(&set),
            &[Fields, Manager, repository_cause, Imported],
        ),
    ];
    for (case, changes, prior, private, repository, expected) in cases {
        assert_eq!(causes(changes, prior, &private, repository), expected, "{case}");
    }
}
