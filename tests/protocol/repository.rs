//! The repository that roles record, and runs in other Git checkouts than the run before.

use super::cases::*;
use super::*;

const OURS: &str = "https://example.com/ours";
const OTHER: &str = "https://example.com/other";

fn renamed() -> Value {
    with(config(), &json!({"display_name": "Other"}))
}

/// Returns the role that a run in a checkout of ours creates.
async fn create_in_ours(service: &Service) -> Object {
    let (state, private) = Host::in_checkout(service, OURS).await.create(ROLE, &config()).await;
    Object { type_name: ROLE, config: config(), state, private }
}

/// Terraform refuses a plan inside an apply that differs from the plan before it.
#[tokio::test(flavor = "multi_thread")]
async fn update_records_the_repository_that_its_plan_has_promised_in_any_checkout() {
    // Where the role is refreshed and planned, where the plan is applied, and what the role then
    // records; the reads of the refresh. A list confirms what the fourth would read.
    for (planned_in, applied_in, recorded, reads) in [
        (OURS, OURS, OURS, 1),
        (OURS, OTHER, OURS, 1),
        (OTHER, OTHER, OTHER, 1),
        (OTHER, OTHER, OTHER, 4),
        (OTHER, OURS, OURS, 1),
    ] {
        let case = format!("{planned_in}, {applied_in}, {reads}");
        let service = Service::full();
        let mut role = create_in_ours(&service).await;
        let host = Host::in_checkout(&service, planned_in).await;
        for _ in 1..reads {
            role.read(&host).await;
        }
        let read = role.read(&host).await;
        assert_eq!(read.diagnostics, [], "{case}");
        role.follow(read.new_state, &read.private);
        let planned = role.plan(&host, &renamed()).await;
        let host = Host::in_checkout(&service, applied_in).await;
        let again = role.plan(&host, &renamed()).await;
        assert_eq!(
            decode(&again.planned_state.unwrap()),
            decode(planned.planned_state.as_ref().unwrap()),
            "{case}"
        );
        let updated = host.apply(ROLE, Some(&role.state), &renamed(), &planned).await;
        assert_eq!(errors(&updated.diagnostics), [""; 0], "{case}");
        assert_eq!(service.role("github", "viewer").unwrap()["repoUri"], recorded, "{case}");
        role.follow(updated.new_state, &updated.private);
        assert_eq!(role.read(&host).await.private, updated.private, "{case}");
    }
}

/// New private state would be a change for `plan -refresh-only -detailed-exitcode`.
#[tokio::test(flavor = "multi_thread")]
async fn refresh_after_a_create_changes_nothing_where_no_repository_is_recorded() {
    let service = Service::full();
    service.omit(&["repoUri", "repoDir"], &[]);
    let role = create_in_ours(&service).await;
    let read = role.read(&Host::in_checkout(&service, OURS).await).await;
    assert_eq!(decode(&read.new_state.unwrap()), role.state);
    assert_eq!((read.diagnostics, read.private.to_vec()), (vec![], role.private));
}

/// Its plan records the repository of a checkout. The apply ends the diff, also one that has none.
#[tokio::test(flavor = "multi_thread")]
async fn imported_role_is_planned_once_although_the_apply_has_no_repository_to_record() {
    for has_repository in [false, true] {
        let service = Service::full();
        let fields = json!({"displayName": "Viewer", "priority": "3", "manager": "TERRAFORM",
                            "repoUri": OTHER});
        service.put_role("github", "viewer", fields);
        let host = Host::in_checkout(&service, OURS).await;
        let imported = host.import(ROLE, "github/viewer", None).await.imported_resources.remove(0);
        let (state, private) = (decode(&imported.state.unwrap()), imported.private.to_vec());
        let mut role = Object { type_name: ROLE, config: config(), state, private };
        let read = role.read(&host).await;
        role.follow(read.new_state, &read.private);
        let planned = role.plan(&host, &role.config).await;
        assert_ne!(decode(planned.planned_state.as_ref().unwrap()), role.state);
        let host = if has_repository { host } else { Host::start(&service).await };
        let updated = host.apply(ROLE, Some(&role.state), &role.config, &planned).await;
        assert_eq!(errors(&updated.diagnostics), [""; 0]);
        role.follow(updated.new_state, &updated.private);

        // Also if somebody records the other one again.
        service.change_role("github", "viewer", json!({ "repoUri": OTHER }));
        let host = Host::in_checkout(&service, OURS).await;
        let read = role.read(&host).await;
        role.follow(read.new_state, &read.private);
        let planned = role.plan(&host, &role.config).await;
        assert_eq!(decode(&planned.planned_state.unwrap()), role.state, "{has_repository}");
    }
}

/// An adoption leaves no directory of the repository that the role recorded before.
#[tokio::test(flavor = "multi_thread")]
async fn adoption_clears_the_directory_of_another_repository() {
    let service = Service::full();
    let fields =
        json!({"displayName": "Viewer", "priority": "3", "repoUri": OTHER, "repoDir": "infra"});
    service.put_role("github", "viewer", fields);
    let adopting = with(config(), &json!({"adopt_existing": true}));
    let planned = Host::in_checkout(&service, OURS).await.plan(ROLE, None, &adopting, b"").await;
    let now = format!("`repo_uri`, now \"{OTHER}\"; `repo_dir`, now \"infra\"");
    says(&planned.diagnostics, &["changes `repo_uri`, `repo_dir`", &now]);
    let host = Host::in_checkout(&service, OURS).await;
    host.create(ROLE, &adopting).await;
    let role = service.role("github", "viewer").unwrap();
    assert_eq!(role["repoUri"], OURS);
    assert_eq!(role["repoDir"].as_str().unwrap_or_default(), "");
}
