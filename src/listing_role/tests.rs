//! Conversions between state and API.

use access_client::api::ListingRole;
use access_client::{ListingRoleName, ObjectName as _};
use plugin_server::value::Number;
use tf_provider::value::Value;

use super::state::{ListingRoleState, MANAGER, RolePrivateState, to_patch};
use crate::object::Convert as _;
use crate::repository::Repository;

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
    let mut stored = RolePrivateState::default().after_write(&patch, &unmanaged);
    let expected = RolePrivateState {
        manager_unrecorded: true,
        repository_unrecorded: true,
        own_repository: Some(Repository::default()),
        ..RolePrivateState::default()
    };
    assert_eq!(stored, expected);
    stored.record_read(&role(), false);
    assert_eq!(stored, RolePrivateState { manager_unrecorded: false, ..expected.clone() });
    let recorded = || ListingRole { repo_uri: Some("https://h/a".to_owned()), ..role() };
    stored.record_read(&recorded(), true);
    assert!(stored.repository_unrecorded, "the service spells it differently");
    stored.record_read(&recorded(), false);
    let own_repository = expected.own_repository.clone();
    assert_eq!(stored, RolePrivateState { own_repository, ..RolePrivateState::default() });

    let (display_name, _) = to_patch(None, &state(), &state(), None).unwrap();
    let stored = expected.after_write(&display_name, &role());
    assert!(stored.repository_unrecorded, "a write that does not send it shows nothing about it");
}
