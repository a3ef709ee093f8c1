//! `approvals.sh`: the owners of what a plan changes are asked, and have to approve.

use std::fs;
use std::process::Command;

use access_fake::Fault;
use serde_json::{Value, json};

use super::super::walkthrough::paste::{path_from, tool};
use super::github::{Forge, GH, HEAD};
use super::script;
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, provider};

/// Returns a plan that changes a role of the listing `github`, whose integration has this owner
/// before it, and removes or adds others.
fn plan(owner: &str) -> Value {
    let change = |kind: &str, actions: &[&str], before: Value, after: Value| {
        json!({
            "address": format!("{kind}.x"), "type": kind, "provider_name": "h/n/access",
            "change": {"actions": actions, "before": before, "after": after},
        })
    };
    let role =
        |name: &str| json!({"listing": "github", "role": "r", "display_name": name, "priority": 1});
    let mut changes = vec![change("access_listing_role", &["update"], role("A"), role("B"))];
    if !owner.is_empty() {
        let owner = json!({"integration": "github", "owner": owner});
        changes.push(change("access_integration_owner", &["no-op"], owner.clone(), owner));
    }
    let mine = json!({"integration": "okta", "owner": "users/mallory"});
    changes.push(change("access_integration_owner", &["create"], Value::Null, mine));
    json!({"format_version": "1.2", "resource_changes": changes})
}

#[test]
fn owners_are_asked_and_have_to_approve_the_newest_commit() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let review = |login: &str, state: &str, commit: &str, time: &str| json!({"author": {"login": login}, "state": state, "submittedAt": time, "commit": {"oid": commit}});
    let approved = |login: &str| review(login, "APPROVED", HEAD, "2030-01-01T00:00:00Z");
    let waits = "has to approve the newest commit";
    let asks = "pr edit 7 --add-reviewer ada,bea";
    for (case, owner, reviews, code, text, call) in [
        (
            "an owner has approved",
            "teams/platform",
            json!([approved("bea")]),
            0,
            "Nobody is left",
            "",
        ),
        ("nobody has", "teams/platform", json!([]), 1, waits, asks),
        ("somebody else has", "teams/platform", json!([approved("mallory")]), 1, waits, asks),
        (
            "an owner has approved an older commit",
            "teams/platform",
            json!([review("ada", "APPROVED", "old", "2030-01-01T00:00:00Z")]),
            1,
            waits,
            asks,
        ),
        (
            "an owner has changed the mind",
            "teams/platform",
            json!([
                approved("ada"),
                review("ada", "CHANGES_REQUESTED", HEAD, "2030-01-02T00:00:00Z")
            ]),
            1,
            waits,
            asks,
        ),
        (
            "an owner has only commented since",
            "teams/platform",
            json!([approved("ada"), review("ada", "COMMENTED", HEAD, "2030-01-02T00:00:00Z")]),
            0,
            "Nobody is left",
            "",
        ),
        ("the owner is the author", "users/author", json!([approved("author")]), 1, waits, ""),
        ("the owner has no login", "users/unknown", json!([]), 1, waits, ""),
        ("the plan shows no owner", "", json!([]), 0, "Nobody is left", ""),
    ] {
        let service = Service::full();
        let forge = Forge::start(false);
        let logins = json!({"teams/platform": ["ada", "bea"], "users/author": ["author"], "users/mallory": ["mallory"]});
        // `base64` of coreutils and of macOS both read standard input.
        let encoded = Command::new("sh")
            .args(["-c", "printf %s \"$0\" | base64 | tr -d '\\n'", &logins.to_string()])
            .output();
        let content = String::from_utf8(encoded.expect("base64").stdout).expect("text");
        let pull = json!({"author": {"login": "author"}, "baseRefName": "main", "headRefOid": HEAD, "reviews": reviews});
        for (path, response) in [
            ("/gh/pr/view", pull),
            ("/gh/api/contents/ci/reviewers.json", json!({"content": content})),
            ("/gh/pr/edit", json!({})),
        ] {
            service.add_fault(Fault::respond(200, response.to_string()).on("POST").at(path));
        }
        let directory = tempfile::tempdir().expect("a directory");
        tool(directory.path(), "gh", GH);
        tool(directory.path(), "terraform", "cat access-plan/plan");
        fs::create_dir(directory.path().join("access-plan")).expect("a directory");
        fs::write(directory.path().join("access-plan/plan"), plan(owner).to_string())
            .expect("a plan");
        let mut shell = Command::new("sh");
        shell
            .arg(script("approvals.sh"))
            .current_dir(directory.path())
            .env_clear()
            .env("PATH", path_from(directory.path()))
            .env("PROVIDER_BINARY", provider())
            .envs(forge.environment())
            .env("FORGE_URL", service.base_url());
        let outcome = Outcome::of(&mut shell).exits(code);
        let output = outcome.output();
        assert!(output.contains(text), "{case}: {output}");
        let calls = service.requests().into_iter();
        let calls: Vec<_> =
            calls.filter_map(|it| it.body["call"].as_str().map(str::to_owned)).collect();
        let is_base = |call: &String| call.contains("contents/ci/reviewers.json?ref=main");
        assert!(calls.iter().any(is_base), "{case}: {calls:?}");
        let edits: Vec<_> = calls.iter().filter(|call| call.starts_with("pr edit")).collect();
        assert_eq!(edits.first().map_or("", |call| call.trim_end()), call, "{case}");
    }
}
