//! A provider of which a setting is known only after apply.

use super::cases::*;
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_planned_and_kept_and_what_needs_the_service_names_the_argument() {
    let service = Service::full();
    let host = Host::start_with(&service, &json!({ "base_url": unknown() })).await;
    let new = with(config(), &json!({"role": "new"}));
    assert_eq!(host.plan(ROLE, None, &new, b"").await.diagnostics, []);
    assert_eq!(host.plan(ROLE, Some(&state()), &config(), b"").await.diagnostics, []);

    let read = host.read(ROLE, &state(), b"").await;
    says(
        &read.diagnostics,
        &["Could not read every object", "`base_url`", "known only after apply"],
    );
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(decode(&read.new_state.unwrap()), state());

    let imported = host.import(ROLE, "github/viewer", None).await;
    assert_eq!(imported.imported_resources, []);
    says(&imported.diagnostics, &["`base_url`", "known only after apply"]);
    let data = host.read_data(ROLE, &json!({"listing": "github", "role": "viewer"})).await;
    says(&data.diagnostics, &["`base_url`", "known only after apply"]);
    assert_eq!(service.requests().len(), 0);
}

/// What one plan of the same resources would refuse does not need the service.
#[tokio::test(flavor = "multi_thread")]
async fn plans_without_the_service_refuse_contradictions_and_new_names() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let unknowns = [
        json!({ "request_timeout": unknown() }),
        json!({ "base_url": unknown(), "api_key": unknown() }),
    ];
    for settings in unknowns {
        service.clear_requests();
        let start = async || Host::start_with(&service, &settings).await;
        let arguments = settings.as_object().unwrap().keys();
        let names: Vec<String> = arguments.map(|name| format!("`{name}`")).collect();

        // Nothing has shown whether the new name is free.
        let renamed = with(config(), &json!({"role": "reader"}));
        let planned = role.plan(&start().await, &renamed).await;
        assert_eq!(errors(&planned.diagnostics).len(), 1, "{:?}", planned.diagnostics);
        let way = "add a block of its own for the new name";
        let parts = ["roles/reader", "known only after apply", way];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        says(&planned.diagnostics, &[&parts[..], &names].concat());
        let subject = if names.len() == 1 { "argument" } else { "arguments" };
        says(&planned.diagnostics, &[&format!("provider {subject} `")]);
        assert_eq!(warnings(&planned.diagnostics), [""; 0], "the plan fails, so nothing changes");

        // A new address without a `moved` block.
        let host = start().await;
        let gone = host.plan_destroy(ROLE, &role.state, &role.private).await;
        assert_eq!(errors(&gone.diagnostics), [""; 0]);
        says(&gone.diagnostics, &["listings/github/roles/viewer", "granted earlier"]);
        let new = host.plan(ROLE, None, &config(), b"").await;
        says(&new.diagnostics, &["listings/github/roles/viewer", "moved {"]);

        // Two blocks for one integration.
        let host = start().await;
        let single = with(creating(Owner), &json!({"integration": "okta"}));
        assert_eq!(host.plan(OWNER, None, &single, b"").await.diagnostics, []);
        let list = host.plan(OWNERS, None, &owners_config("okta", &["users/ben"]), b"").await;
        says(&list.diagnostics, &["integrations/okta", "two resource types"]);

        // What the plan leaves, the apply leaves.
        let abandon = with(settings.clone(), &json!({"deletion_policy": "abandon"}));
        let host = Host::start_with(&service, &abandon).await;
        let left = host.plan_destroy(ROLE, &role.state, &role.private).await;
        says(&left.diagnostics, &["Abandoned objects stay at the service"]);
        let host = Host::start(&service).await;
        let destroyed = host.destroy(ROLE, &role.state, &left.planned_private).await;
        assert_eq!(errors(&destroyed.diagnostics), [""; 0]);

        // The apply may write the repository together with another change, and only then.
        let host = start().await;
        let pair = json!({"repo_uri": "https://git.example/ours", "repo_dir": "roles"});
        let recorded = with(role.state.clone(), &pair);
        for other in [json!({"display_name": "Other"}), json!({"adopt_existing": true})] {
            let other = with(config(), &other);
            let updated = host.plan(ROLE, Some(&recorded), &other, &role.private).await;
            let planned = decode(&updated.planned_state.unwrap());
            assert_eq!([&planned["repo_uri"], &planned["repo_dir"]], [&unknown(), &unknown()]);
        }
        let unchanged = role.plan(&host, &config()).await;
        assert_eq!(decode(&unchanged.planned_state.unwrap()), role.state);

        // What contradicts nothing is planned in silence.
        let host = start().await;
        assert_eq!(host.plan(ROLE, None, &renamed, b"").await.diagnostics, []);
        assert_eq!(role.plan(&host, &config()).await.diagnostics, []);
        assert_eq!(service.requests().len(), 0);
    }
}

/// Private state has what a refresh in a checkout has found. Without settings, there is no checkout.
#[tokio::test(flavor = "multi_thread")]
async fn refresh_without_settings_changes_no_private_state() {
    let service = Service::full();
    let role = Object::create(&service, Role).await;
    let checkout = Host::in_checkout(&service, "https://git.example/ours").await;
    let private = role.read(&checkout).await.private;
    assert_ne!(private, role.private, "the checkout has another repository than the role");
    service.clear_requests();
    let host = Host::start_with(&service, &json!({ "request_timeout": unknown() })).await;
    let read = host.read(ROLE, &role.state, &private).await;
    says(&read.diagnostics, &["Could not read every object", "`request_timeout`"]);
    assert_eq!(read.private, private);
    assert_eq!(service.requests().len(), 0);
}
