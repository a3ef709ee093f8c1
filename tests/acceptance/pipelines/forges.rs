//! `comment.sh` and `drift-issue.sh` against a stand-in for each forge: its API, or on GitHub its `gh`.

use std::fs;
use std::process::Command;

use access_fake::{Fault, Rank, Request};
use serde_json::{Value, json};

use super::super::walkthrough::paste::{path_from, tool};
use super::script;
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, has_parts};

/// A `gh` that sends its arguments, and the content of the file among them, to the stand-in. It filters the
/// response as the real one does.
pub(super) const GH: &str = r#"[ "$GH_TOKEN $GH_HOST/$GH_REPO" = 'forge-token github.example/example/access' ] || exit 4
call= text=
for argument in "$@"; do
  file=${argument#body=@}
  if [ -f "$file" ]; then text=$(cat "$file") argument=${argument%"$file"}FILE; fi
  call="$call$argument "
done
response=$(jq -n --arg call "$call" --arg text "$text" '{$call, $text}' |
  curl --silent --show-error --fail-with-body --data-binary @- "$FORGE_URL/gh/$1/$2") || { echo "$response" >&2; exit 1; }
while [ $# -gt 0 ]; do [ "$1" != --jq ] || printf '%s' "$response" | jq -r "$2"; shift; done"#;

/// Returns the environment of a job of each forge, with the API at this address.
fn job(forge: &str, api: &str) -> Environment {
    let (collection, api_v4) = (format!("{api}/example/"), format!("{api}/api/v4"));
    let variables = match forge {
        "github" => vec![
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://github.example"),
            ("GITHUB_REPOSITORY", "example/access"),
            ("GITHUB_REF", "refs/pull/7/merge"),
            ("GITHUB_TOKEN", "forge-token"),
            ("FORGE_URL", api),
        ],
        "gitlab" => vec![
            ("GITLAB_CI", "true"),
            ("CI_API_V4_URL", &api_v4),
            ("CI_PROJECT_ID", "12"),
            ("CI_MERGE_REQUEST_IID", "7"),
            ("GITLAB_TOKEN", "forge-token"),
        ],
        _ => vec![
            ("TF_BUILD", "True"),
            ("SYSTEM_COLLECTIONURI", &collection),
            ("SYSTEM_TEAMPROJECTID", "p-1"),
            ("BUILD_REPOSITORY_ID", "r-1"),
            ("BUILD_REPOSITORY_PROVIDER", "TfsGit"),
            ("SYSTEM_PULLREQUEST_PULLREQUESTID", "7"),
            ("SYSTEM_ACCESSTOKEN", "forge-token"),
        ],
    };
    variables.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
}

/// A forge with a comment and an issue of the pipeline, or without, and with comments of others: a local
/// service that responds to searches, and with 201 to everything else.
pub(in super::super) struct Forge {
    kind: &'static str,
    service: Service,
}

impl Forge {
    pub(in super::super) fn start(kind: &'static str, has_own: bool) -> Self {
        let service = Service::full();
        service.put_key("forge", "forge-token", Rank::Reader);
        for (search, response) in searches(has_own) {
            let (method, path) = search.split_once(' ').expect("a method");
            service.add_fault(Fault::respond(200, response.to_string()).on(method).at(path));
        }
        service.add_fault(Fault::respond(422, "{}").at("/gh/label/create"));
        service.add_fault(Fault::respond(201, "{}"));
        Self { kind, service }
    }

    /// Returns the environment of a job of a pull request.
    pub(in super::super) fn environment(&self) -> Environment {
        job(self.kind, &self.service.base_url())
    }

    /// Returns what was written since the last call: each call, and its text in JSON.
    pub(in super::super) fn take_writes(&self) -> Vec<(String, String)> {
        let requests = self.service.requests();
        self.service.clear_requests();
        requests.iter().for_each(check);
        requests.iter().filter(|request| request.status == Some(201)).map(call_of).collect()
    }
}

/// Fails the test unless a request has the token, the type of its body, and the arguments of a search.
fn check(request: &Request) {
    let Request { path, headers, body, .. } = request;
    let header = |name: &str| headers.get(name).map(String::as_str);
    let has_token = request.key.is_some() || header("private-token") == Some("forge-token");
    assert!(has_token || path.starts_with("/gh/"), "{request:?}");
    let is_patch = header("content-type") == Some("application/json-patch+json");
    assert_eq!(is_patch, path.contains("/wit/workitems/"), "{request:?}");
    for (search, part) in [
        ("/gh/pr/view", "view 7 --json comments"),
        ("/gh/issue/list", "--label access-drift --limit 1 --json number"),
        ("/wit/wiql", "'access-drift'"),
    ] {
        assert!(!path.ends_with(search) || body.to_string().contains(part), "{request:?}");
    }
}

/// Returns the call that a request makes, or the arguments of `gh`, and its text in JSON.
fn call_of(request: &Request) -> (String, String) {
    let Request { method, path, query, body, .. } = request;
    match body["call"].as_str() {
        Some(call) => (call.trim_end().to_owned(), body["text"].to_string()),
        None if query.is_empty() => (format!("{method} {path}"), body.to_string()),
        None => (format!("{method} {path}?{query}"), body.to_string()),
    }
}

/// Returns the requests that search, and their responses. What belongs to the pipeline has the ID 4. GitLab's
/// second page has it.
fn searches(has_own: bool) -> Vec<(&'static str, Value)> {
    let all = |others: Vec<Value>, own: Value| -> Value {
        others.into_iter().chain(has_own.then_some(own)).collect()
    };
    let marker = "<!-- access-plan -->\nold";
    let comment = |id: u64, text: &str, is_own: bool| {
        let url = format!("https://github.example/pull/7#issuecomment-{id}");
        json!({"url": url, "body": text, "viewerDidAuthor": is_own})
    };
    let note = |id: u64, author: u64| json!({"id": id, "body": marker, "author": {"id": author}});
    let thread = |id: u64, author: u64, is_deleted: bool| {
        let comment = json!({"id": 1, "author": {"id": author}, "content": marker});
        json!({"id": id, "isDeleted": is_deleted, "comments": [comment]})
    };
    let others = vec![comment(2, marker, false), comment(3, "another workflow's", true)];
    let comments = all(others, comment(4, marker, true));
    // A thread without comments is one that the service itself wrote.
    let others = vec![thread(2, 5, false), json!({"id": 5, "comments": []}), thread(3, 99, true)];
    let threads = all(others, thread(4, 99, false));
    vec![
        ("POST /gh/pr/view", json!({ "comments": comments })),
        ("POST /gh/issue/list", all(vec![], json!({"number": 4}))),
        ("GET /api/v4/user", json!({"id": 99})),
        (
            "GET /merge_requests/7/notes?order_by=created_at&per_page=100&page=1",
            vec![note(2, 5); 100].into(),
        ),
        (
            "GET /merge_requests/7/notes?order_by=created_at&per_page=100&page=2",
            all(vec![], note(4, 99)),
        ),
        ("GET /issues?state=opened&labels=access-drift&per_page=1", all(vec![], json!({"iid": 4}))),
        ("GET /example/_apis/connectionData", json!({"authenticatedUser": {"id": 99}})),
        ("GET /git/repositories/r-1/pullRequests/7/threads", json!({ "value": threads })),
        ("POST /wit/wiql", json!({"workItems": all(vec![], json!({"id": 4}))})),
    ]
}

type Environment = Vec<(&'static str, String)>;

const COMMENT: &[&str] = &["comment.sh", "summary.md"];
const DRIFT: &[&str] = &["drift-issue.sh", "2", "summary.md"];
const NO_DRIFT: &[&str] = &["drift-issue.sh", "0", "summary.md"];

const SUMMARY: &[(&str, &str)] = &[("summary.md", "1 to \"add\" \\n $HOME")];

/// Runs a script with its arguments as a job does, in a directory with these files.
fn run(command: &[&str], environment: &[(&str, String)], files: &[(&str, &str)]) -> Outcome {
    let directory = tempfile::tempdir().expect("a directory");
    tool(directory.path(), "gh", GH);
    for (name, text) in files {
        fs::write(directory.path().join(name), text).expect("a file");
    }
    let mut shell = Command::new("sh");
    shell
        .arg(script(command[0]))
        .args(&command[1..])
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", path_from(directory.path()))
        .envs(environment.iter().map(|(name, value)| (name, value)));
    Outcome::of(&mut shell)
}

#[test]
fn comment_and_issue_are_added_once_updated_and_closed() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    const TITLE: &str = "Access was changed outside Terraform";
    // Without one of the pipeline (false), and with it.
    for (script, kind, has_own, expected) in [
        (COMMENT, "github", false, "pr comment 7 --body-file FILE"),
        (COMMENT, "github", true, "api --method PATCH COMMENTS/4 --field body=@FILE --silent"),
        (COMMENT, "gitlab", false, "POST GITLAB/merge_requests/7/notes"),
        (COMMENT, "gitlab", true, "PUT GITLAB/merge_requests/7/notes/4"),
        (COMMENT, "azure", false, "POST THREADS?api-version=7.1"),
        (COMMENT, "azure", true, "PATCH THREADS/4/comments/1?api-version=7.1"),
        (DRIFT, "github", false, "issue create --title TITLE --label LABEL --body-file FILE"),
        (DRIFT, "github", true, "issue edit 4 --body-file FILE"),
        (DRIFT, "gitlab", false, "POST GITLAB/issues"),
        (DRIFT, "gitlab", true, "PUT GITLAB/issues/4"),
        (DRIFT, "azure", false, "POST AZURE/wit/workitems/$Issue?api-version=7.1"),
        (DRIFT, "azure", true, "PATCH AZURE/wit/workitems/4?api-version=7.1"),
        (NO_DRIFT, "github", false, ""),
        (NO_DRIFT, "github", true, "issue close 4 --comment The last check found no drift."),
        (NO_DRIFT, "gitlab", false, ""),
        (NO_DRIFT, "gitlab", true, "POST GITLAB/issues/4/notes, PUT GITLAB/issues/4"),
        (NO_DRIFT, "azure", false, ""),
        (NO_DRIFT, "azure", true, "PATCH AZURE/wit/workitems/4?api-version=7.1"),
    ] {
        let forge = Forge::start(kind, has_own);
        run(script, &forge.environment(), SUMMARY).succeeds();
        let (calls, texts): (Vec<_>, Vec<_>) = forge.take_writes().into_iter().unzip();
        let expected = expected
            .replace("COMMENTS", "repos/{owner}/{repo}/issues/comments")
            .replace("LABEL", "access-drift")
            .replace("GITLAB", "/api/v4/projects/12")
            .replace("THREADS", "AZURE/git/repositories/r-1/pullRequests/7/threads")
            .replace("AZURE", "/example/p-1/_apis")
            .replace("TITLE", TITLE);
        assert_eq!(calls.join(", "), expected, "{script:?}");
        let texts = texts.concat();
        // Descriptions are HTML on Azure.
        let text = match (script, kind) {
            (DRIFT, "azure") => "1 to &quot;add&quot; \\\\n $HOME",
            _ => "1 to \\\"add\\\" \\\\n $HOME",
        };
        assert!(script == NO_DRIFT || texts.contains(text), "{kind} {script:?}: {texts}");
        // `gh` has these in its arguments.
        let parts: &[&str] = match (script, kind, has_own) {
            (COMMENT, ..) => &["<!-- access-plan -->\\n"],
            (DRIFT, "gitlab" | "azure", false) => &[TITLE, "access-drift"],
            (NO_DRIFT, "gitlab", true) => &["\"close\""],
            (NO_DRIFT, "azure", true) => &["\"Done\""],
            _ => &[],
        };
        has_parts(&texts, parts);
    }
}

const FORGES: [&str; 3] = ["github", "gitlab", "azure"];

#[test]
fn another_configuration_has_a_comment_of_its_own() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    for kind in FORGES {
        let forge = Forge::start(kind, true);
        let mut environment = forge.environment();
        environment.push(("COMMENT_MARKER", "access-us".to_owned()));
        run(COMMENT, &environment, &[("summary.md", "two")]).succeeds();
        let writes = forge.take_writes();
        assert!(writes.len() == 1 && !writes[0].0.contains("/4"), "{kind}: {writes:?}");
        assert!(writes[0].1.contains("<!-- access-us -->\\ntwo"), "{kind}: {writes:?}");
    }
}

/// A check that failed or did not compare everything, and a job outside a pull request.
#[test]
fn nothing_is_written_without_a_result_or_a_pull_request() {
    for (kind, variable) in [
        ("github", "GITHUB_REF"),
        ("gitlab", "CI_MERGE_REQUEST_IID"),
        ("azure", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
    ] {
        let forge = Forge::start(kind, true);
        let mut environment = forge.environment();
        let unchecked = [("unchecked.txt", "Owners\n")];
        let partial = run(NO_DRIFT, &environment, &unchecked).succeeds();
        let failed = run(&["drift-issue.sh", "1"], &environment, &[]).exits(1);
        environment.retain(|(name, _)| *name != variable);
        let outside = run(COMMENT, &environment, SUMMARY).succeeds();
        for (text, part) in [
            (partial.stdout, "is left open"),
            (failed.stderr, "left as it is"),
            (outside.stdout, "no comment"),
        ] {
            assert!(text.contains(part), "{kind}: {text}");
        }
        assert_eq!(forge.take_writes(), [], "{kind}");
    }
}

#[test]
fn forge_that_refuses_or_cannot_be_reached_fails_the_script() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    for kind in FORGES {
        let service = Service::full();
        service.add_fault(Fault::respond(403, r#"{"message":"not for this token"}"#));
        for script in [COMMENT, NO_DRIFT, DRIFT] {
            service.clear_requests();
            for (address, parts) in [
                (service.base_url(), ["403", "not for this token"]),
                ("http://127.0.0.1:1".to_owned(), ["127.0.0.1", ""]),
            ] {
                let output = run(script, &job(kind, &address), SUMMARY);
                assert!(output.code > 0, "{kind} {script:?}: {}", output.stdout);
                has_parts(&output.stderr, &parts);
                assert!(!output.stderr.contains("forge-token"), "{}", output.stderr);
            }
            let requests = service.requests();
            assert_eq!(requests.len(), 1, "{kind}: nothing but the search: {requests:?}");
        }
    }
}
