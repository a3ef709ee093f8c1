//! Mapping between state and API, and what a plan makes of it.

use access_client::api::ListingRole;
use access_client::{ListingRoleName, RoleField};
use tf_provider::value::Value;

use super::*;
use crate::repository::{Recorded, Source};

fn text(value: &str) -> Value<String> {
    Value::Value(value.to_owned())
}

fn resources(values: &[&str]) -> Value<Vec<Value<String>>> {
    Value::Value(values.iter().map(|value| text(value)).collect())
}

fn state() -> ListingRoleState {
    ListingRoleState {
        display_name: text("Viewer"),
        priority: Value::Value(Number::Integer(3)),
        description: text("Reads"),
        resources: resources(&["b", "a"]),
        manager: text(MANAGER),
        ..ListingRoleState::of(&name())
    }
}

fn name() -> ListingRoleName {
    ListingRoleName::parse("listings/github/roles/viewer").unwrap()
}

fn role() -> ListingRole {
    ListingRole {
        name: name(),
        display_name: "Viewer".to_owned(),
        description: "Reads".to_owned(),
        resources: vec!["a".to_owned(), "b".to_owned()],
        priority: 3,
        management: None,
        manager: Some(MANAGER.to_owned()),
        repo_uri: None,
        repo_dir: None,
        create_time: Some("2026-01-01T00:00:00Z".to_owned()),
        update_time: Some("2026-01-02T00:00:00Z".to_owned()),
        delete_time: None,
    }
}

fn no_repository() -> Repository {
    Repository { uri: None, dir: None }
}

fn repository() -> Repository {
    let recorded =
        |value: &str| Some(Recorded { value: value.to_owned(), source: Source::Detected });
    Repository { uri: recorded("https://h/a"), dir: recorded("d") }
}

fn mask_of(
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    repository: &Repository,
) -> Option<String> {
    let memory = ListingRoleMemory::default();
    let recording = super::planning::recording(repository, prior, planned, &memory);
    to_patch(prior, planned, true, recording).map(|(_, mask)| mask.to_string())
}

#[test]
fn fill_keeps_the_order_and_spelling_of_what_is_equal() {
    let mut filled = state();
    filled.fill(role());
    assert_eq!(filled.resources, resources(&["b", "a"]));

    let cases = [
        (text(""), "", text("")),
        (Value::Null, "", Value::Null),
        (Value::Unknown, "", Value::Null),
        (text("old"), "", Value::Null),
        (Value::Null, "new", text("new")),
        (text(""), "new", text("new")),
    ];
    for (before, answered, after) in cases {
        let mut state = ListingRoleState { description: before.clone(), ..state() };
        state.fill(ListingRole { description: answered.to_owned(), ..role() });
        assert_eq!(state.description, after, "{before:?} answered {answered:?}");
    }
}

#[test]
fn fill_shows_management_as_text() {
    let cases = [
        (None, Value::Null),
        (Some(serde_json::json!("MANUAL")), text("MANUAL")),
        (Some(serde_json::json!({"kind": 1})), text("{\"kind\":1}")),
    ];
    for (management, shown) in cases {
        let mut filled = state();
        filled.fill(ListingRole { management, ..role() });
        assert_eq!(filled.management, shown);
    }
}

#[test]
fn patch_of_an_update_names_what_changed_and_nothing_else() {
    let prior = state();
    let same = state();
    assert_eq!(mask_of(Some(&prior), &same, &repository()), None);
    let cases = [
        (ListingRoleState { display_name: text("x"), ..state() }, "displayName"),
        (ListingRoleState { priority: Value::Value(Number::Integer(4)), ..state() }, "priority"),
        (ListingRoleState { description: Value::Null, ..state() }, "description"),
        (ListingRoleState { resources: resources(&["a"]), ..state() }, "resources"),
        (ListingRoleState { repo_uri: Value::Unknown, ..state() }, "repoUri,repoDir"),
        (ListingRoleState { manager: Value::Unknown, ..state() }, "repoUri,repoDir"),
    ];
    for (planned, mask) in cases {
        assert_eq!(mask_of(Some(&prior), &planned, &repository()).as_deref(), Some(mask));
    }
    let recorded = ListingRoleState { repo_dir: text("d"), ..state() };
    let planned = ListingRoleState { repo_uri: Value::Unknown, ..state() };
    assert_eq!(mask_of(Some(&recorded), &planned, &repository()).as_deref(), Some("repoUri"));
    let reordered = ListingRoleState { resources: resources(&["a", "b"]), ..state() };
    assert_eq!(mask_of(Some(&prior), &reordered, &repository()), None);
}

#[test]
fn patch_that_only_claims_the_role_has_a_mask() {
    let planned = ListingRoleState { manager: Value::Unknown, ..state() };
    assert_eq!(mask_of(Some(&state()), &planned, &no_repository()).as_deref(), Some("displayName"));
}

#[test]
fn patch_of_a_create_leaves_unmanaged_resources_out() {
    let planned = ListingRoleState { resources: Value::Unknown, ..state() };
    let (patch, mask) = to_patch(None, &planned, false, no_repository().to_send()).unwrap();
    assert_eq!(patch.resources, None);
    assert!(!mask.contains(RoleField::Resources));
    let (patch, mask) = to_patch(None, &state(), true, repository().to_send()).unwrap();
    assert_eq!(patch.resources, Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(mask.to_string(), "displayName,description,priority,resources,repoUri,repoDir");
}

#[test]
fn written_keeps_every_promise_of_the_plan_and_names_what_differs() {
    let planned = ListingRoleState { update_time: Value::Unknown, ..state() };
    let answer = ListingRole {
        display_name: "VIEWER".to_owned(),
        resources: vec!["c".to_owned()],
        ..role()
    };
    let (written, differing) = planned.clone().written(answer.clone(), true);
    assert_eq!(written.display_name, text("Viewer"));
    assert_eq!(written.update_time, text("2026-01-02T00:00:00Z"));
    assert_eq!(differing, ["display_name", "resources"]);
    let (_, differing) = planned.written(answer, false);
    assert_eq!(differing, ["display_name"]);
}

#[test]
fn equal_role_is_told_from_another() {
    let equal = |role: &ListingRole| equals_configuration(role, &state(), true, &repository());
    assert!(equal(&role()));
    assert!(equal(&ListingRole { repo_uri: Some("https://h/a".to_owned()), ..role() }));
    assert!(!equal(&ListingRole { repo_uri: Some("https://h/b".to_owned()), ..role() }));
    assert!(!equal(&ListingRole { repo_dir: Some("e".to_owned()), ..role() }));
    assert!(!equal(&ListingRole { display_name: "x".to_owned(), ..role() }));
    assert!(!equal(&ListingRole { description: String::new(), ..role() }));
    assert!(!equal(&ListingRole { priority: 4, ..role() }));
    assert!(!equal(&ListingRole { resources: Vec::new(), ..role() }));
}

#[test]
fn memory_of_what_was_not_recorded_ends_when_it_is() {
    let (patch, _) = to_patch(None, &state(), true, repository().to_send()).unwrap();
    let mut memory = ListingRoleMemory { vanished: true, unread: true, ..Default::default() };
    memory.note_write(&patch, &ListingRole { manager: None, ..role() });
    assert_eq!(
        memory,
        ListingRoleMemory {
            manager_unrecorded: true,
            repo_uri_unrecorded: Some("https://h/a".to_owned()),
            repo_dir_unrecorded: Some("d".to_owned()),
            ..Default::default()
        }
    );
    memory.note_read(&ListingRole { repo_uri: Some("https://h/a".to_owned()), ..role() });
    assert!(!memory.manager_unrecorded);
    assert_eq!(memory.repo_uri_unrecorded, None);
    assert_eq!(memory.repo_dir_unrecorded.as_deref(), Some("d"));
}

proptest::proptest! {
    #[test]
    fn import_id_survives_anything(
        any in ".{0,40}",
        listing in "[a-z./?#% ]{0,6}",
        role in "[a-zA-Z0-9./\\-]{0,6}",
    ) {
        let short = format!("{listing}/{role}");
        let full = format!("listings/{listing}/roles/{role}");
        for id in [any, short, full] {
            if let Ok(name) = parse_name(&id) {
                let text = name.to_string();
                proptest::prop_assert_eq!(text.split('/').count(), 4, "{}", text);
                proptest::prop_assert_eq!(parse_name(&text), Ok(name));
            }
        }
    }
}
