//! Reads and lists that lag behind writes.

use access_fake::{Action, Fault, LagRule, Read, Write};

use super::*;

fn lag(read: Option<Read>, after: Option<Write>, reads: u32) -> LagRule {
    LagRule { read, after, reads, ..LagRule::default() }
}

/// The reads after the delete of a replacement still return the old object.
#[test]
fn replacement_under_lagging_reads_is_created_again() {
    let (service, workspace) = applied(&(role("viewer", "") + &owner("ada", "")));
    service.change_world(|world| {
        for read in [Read::Get, Read::List] {
            world.lags.push(lag(Some(read), Some(Write::Delete), 2));
        }
    });
    let replaced = workspace.apply_with(&[
        "-replace=access_listing_role.viewer",
        "-replace=access_integration_owner.ada",
    ]);
    replaced.succeeds();
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.owners_named("github", "users/ada"), 1);
    service.change_world(|world| world.lags.clear());
    workspace.plan().exits(0);
}

#[test]
fn owner_with_a_new_id_is_created_again_under_lagging_reads() {
    let (service, workspace) = applied(&owner("ada", "  integration_owner_id = \"one\""));
    service.change_world(|world| {
        for read in [Read::Get, Read::List] {
            world.lags.push(lag(Some(read), None, 2));
        }
    });
    workspace.configure(&owner("ada", "  integration_owner_id = \"two\""));
    workspace.apply().succeeds();
    assert_eq!(owner_ids(&service, "users/ada"), ["two"]);
    workspace.plan().exits(0);
}

/// The next run does not find the owner yet, neither by GET nor in the list.
#[test]
fn lagging_owner_is_not_added_twice() {
    for mode in ["auto", "list"] {
        let service = Service::full();
        service.change_world(|world| {
            world.duplicate_owners = true;
            for read in [Read::Get, Read::List] {
                world.lags.push(lag(Some(read), Some(Write::Create), 12));
            }
        });
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&owner("ada", ""));
        for _ in 0..3 {
            workspace.apply().succeeds();
            assert_eq!(service.owners_named("github", "users/ada"), 1, "{mode}");
        }
        service.change_world(|world| world.lags.clear());
        workspace.plan().exits(0);
    }
}

/// The service stores `users/ada` as `users/id-17`.
#[test]
fn owner_stored_under_another_spelling_is_not_added_again() {
    for mode in ["auto", "list", "patch", "off"] {
        for more in ["", "  integration_owner_id = \"one\""] {
            let service = Service::full();
            service.change_world(|world| {
                world.duplicate_owners = true;
                world.canonical_owners =
                    [("users/ada".to_owned(), "users/id-17".to_owned())].into();
            });
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(&owner("ada", more));
            for _ in 0..2 {
                workspace.apply().succeeds();
                assert_eq!(service.owners_named("github", "users/id-17"), 1, "{mode} {more:?}");
                workspace.plan().exits(0);
            }
            workspace.destroy().succeeds();
            assert_eq!(service.owners_named("github", "users/id-17"), 0, "{mode} {more:?}");
        }
    }
}

/// The list lags for longer than any wait. With a fixed ID, GET shows the owner.
#[test]
fn owner_with_a_fixed_id_is_found_by_get_while_the_list_lags() {
    let fixed = "  integration_owner_id = \"ada-1\"\n";
    let service = Service::full();
    service.change_world(|world| {
        world.lags.push(lag(Some(Read::List), Some(Write::Create), 100));
    });
    service.fault(Fault::new(Action::ResetAfterProcessing).on("POST"));
    let workspace = service.workspace();
    workspace.configure(&owner("ada", fixed));
    workspace.apply().succeeds();
    assert_eq!(service.requests_of("POST"), 1);
    assert_eq!(owner_ids(&service, "users/ada"), ["ada-1"]);
    service.respond_normally();
    workspace.plan().exits(0);

    // The POST of another workspace returns 409.
    let other = service.workspace();
    other.configure(&owner("ada", fixed));
    let error = other.apply().exits(1).only_error();
    assert!(error.contains("users/ada is an owner of integrations/github already"), "{error}");
    assert!(error.contains("id = \"integrations/github/owners/ada-1\""), "{error}");
    other.configure(&owner("bob", fixed));
    other.apply().fails_with("this ID belongs to users/ada already");
    other.configure(&owner("ada", &format!("{fixed}  adopt_existing = true")));
    other.apply().succeeds();
    other.plan().exits(0);

    // Without an ID, only the list could show the owner.
    let other = service.workspace();
    other.configure(&owner("ada", ""));
    let error = other.apply().exits(1).only_error();
    assert!(error.contains("the list of owners does not show which"), "{error}");
    assert_eq!(owner_ids(&service, "users/ada"), ["ada-1"]);
}

/// The list lacks an owner that has the fixed ID, and the response with 409 is lost.
#[test]
fn older_owner_with_the_fixed_id_is_not_the_one_that_the_post_added() {
    let service = Service::full();
    let fields = serde_json::json!({"owner": "users/bob", "createTime": "2024-01-01T00:00:00Z"});
    service.local().put_owner("github", "ada-1", &fields).expect("an owner");
    service.change_world(|world| {
        world.hidden.push(access_fake::HiddenObject {
            object: "integrations/github/owners/ada-1".to_owned(),
            omit_from_list: true,
            ..access_fake::HiddenObject::default()
        });
    });
    service.fault(Fault::new(Action::ResetAfterProcessing).on("POST"));
    let workspace = service.workspace();
    workspace.configure(&owner("ada", "  integration_owner_id = \"ada-1\""));
    workspace.apply().fails_with("this ID belongs to users/bob already");
    assert_eq!(workspace.state_size(), 0);
}
