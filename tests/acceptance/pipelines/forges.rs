//! `comment.sh` and `drift-issue.sh` against a stand-in for each forge: its API, or on GitHub its `gh`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::walkthrough::paste::tool;
use super::http::{Request, Server};
use super::{output_of, script};
use crate::support::Outcome;
use crate::support::tools::has_tools;

/// A `gh` that sends its arguments to the stand-in, and filters the response as the real one does.
const GH: &str = r#"[ "$GH_TOKEN $GH_HOST/$GH_REPO" = 'forge-token github.example/example/access' ] || exit 4
response=$(jq -n --arg directory "$PWD" '{$directory, arguments: $ARGS.positional}' --args -- "$@" |
  curl --silent --show-error --fail-with-body --data-binary @- "$FORGE_URL/gh") || { echo "$response" >&2; exit 1; }
while [ $# -gt 0 ]; do [ "$1" != --jq ] || printf '%s' "$response" | jq -r "$2"; shift; done"#;

/// Returns the environment of a job of each forge, with the API at this address.
fn job(forge: &str, api: &str) -> Vec<(&'static str, String)> {
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

/// A forge with a comment and an issue of the pipeline, or without, and with comments of others.
pub(in super::super) struct Forge {
    kind: &'static str,
    server: Server,
    has_own: Arc<AtomicBool>,
    /// What was written: each call, and its text in JSON.
    writes: Arc<Mutex<Vec<(String, String)>>>,
    /// Its `gh`, for PATH.
    pub(super) tools: TempDir,
}

impl Forge {
    pub(in super::super) fn start(kind: &'static str) -> Self {
        let (has_own, writes) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<_>>>::default());
        let (own, written) = (Arc::clone(&has_own), Arc::clone(&writes));
        let server = Server::start(move |request| {
            let (call, text) = match kind {
                "github" => gh_call(request),
                _ => (format!("{} {}", request.method, request.path), request.body.clone()),
            };
            assert!(kind == "github" || request.headers.contains("forge-token"), "{request:?}");
            let is_patch = request.headers.contains("application/json-patch+json");
            assert_eq!(is_patch, request.path.contains("/wit/workitems/"), "{request:?}");
            assert!(!call.contains("/wiql") || text.contains("'access-drift'"), "{text}");
            if call.starts_with("label create") {
                return (422, b"{\"message\":\"label already exists\"}".to_vec());
            }
            let mut searches = searches(own.load(Ordering::SeqCst)).into_iter();
            let found = searches.find(|(search, _)| call.starts_with(search));
            let response = found.map(|(_, response)| response).unwrap_or_else(|| {
                written.lock().expect("the writes").push((call, text));
                json!({})
            });
            (200, response.to_string().into_bytes())
        });
        let tools = tempfile::tempdir().expect("a directory");
        tool(tools.path(), "gh", GH);
        Self { kind, server, has_own, writes, tools }
    }

    /// Returns the environment of a job of a pull request.
    pub(in super::super) fn environment(&self) -> Vec<(&'static str, String)> {
        job(self.kind, &self.server.url())
    }

    /// Returns what was written since the last call.
    pub(in super::super) fn take_writes(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.writes.lock().expect("the writes"))
    }
}

/// Returns the arguments of a call of `gh`, and the content of the file among them.
fn gh_call(request: &Request) -> (String, String) {
    let call = request.json();
    let directory = Path::new(call["directory"].as_str().expect("a directory"));
    let (mut arguments, mut text) = (Vec::new(), String::new());
    for argument in call["arguments"].as_array().expect("arguments") {
        let argument = argument.as_str().expect("an argument");
        let file = argument.strip_prefix("body=@").unwrap_or(argument);
        match fs::read_to_string(directory.join(file)) {
            Ok(content) if !file.is_empty() => {
                text = json!(content).to_string();
                arguments.push(argument.replace(file, "FILE"));
            }
            _ => arguments.push(argument.to_owned()),
        }
    }
    (arguments.join(" "), text)
}

/// Returns the calls that search, and their responses. What belongs to the pipeline has the ID 4. GitLab's
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
        ("pr view 7 --json comments --jq ", json!({ "comments": comments })),
        (
            "issue list --label access-drift --limit 1 --json number --jq ",
            all(vec![], json!({"number": 4})),
        ),
        ("GET /api/v4/user", json!({"id": 99})),
        (
            "GET /api/v4/projects/12/merge_requests/7/notes?order_by=created_at&per_page=100&page=1",
            vec![note(2, 5); 100].into(),
        ),
        (
            "GET /api/v4/projects/12/merge_requests/7/notes?order_by=created_at&per_page=100&page=2",
            all(vec![], note(4, 99)),
        ),
        (
            "GET /api/v4/projects/12/issues?state=opened&labels=access-drift&per_page=1",
            all(vec![], json!({"iid": 4})),
        ),
        ("GET /example/_apis/connectionData?", json!({"authenticatedUser": {"id": 99}})),
        (
            "GET /example/p-1/_apis/git/repositories/r-1/pullRequests/7/threads?",
            json!({ "value": threads }),
        ),
        ("POST /example/p-1/_apis/wit/wiql?", json!({"workItems": all(vec![], json!({"id": 4}))})),
    ]
}

/// Runs a script as a job does, in a directory with a summary.
fn run(
    (name, argument): (&str, &str),
    environment: &[(&'static str, String)],
    summary: Option<&str>,
) -> Outcome {
    let directory = tempfile::tempdir().expect("a directory");
    tool(directory.path(), "gh", GH);
    for results in ["access-plan", "access-drift"] {
        let results = directory.path().join(results);
        fs::create_dir(&results).expect("a directory");
        if let Some(summary) = summary {
            fs::write(results.join("summary.md"), summary).expect("a summary");
        }
        // What drift.sh did not compare.
        if name == "drift-issue.sh" && summary == Some("incomplete") {
            fs::write(results.join("unchecked.txt"), "Owners\n").expect("a file");
        }
    }
    let path = std::env::var("PATH").expect("PATH");
    let mut command = Command::new("sh");
    command
        .arg(script(name))
        .args(Some(argument).filter(|argument| !argument.is_empty()))
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", format!("{}:{path}", directory.path().display()))
        .envs(environment.iter().map(|(name, value)| (name, value)));
    output_of(&mut command)
}

const COMMENT: (&str, &str) = ("comment.sh", "");
const DRIFT: (&str, &str) = ("drift-issue.sh", "2");
const NO_DRIFT: (&str, &str) = ("drift-issue.sh", "0");

#[test]
fn comment_and_issue_are_added_once_updated_and_closed() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    const GITLAB: &str = "/api/v4/projects/12";
    const AZURE: &str = "/example/p-1/_apis";
    // Without one of the pipeline, and with it.
    let comments = [
        (
            "github",
            "pr comment 7 --body-file FILE",
            "api --method PATCH repos/{owner}/{repo}/issues/comments/4 --field body=@FILE --silent",
        ),
        ("gitlab", "POST GITLAB/merge_requests/7/notes", "PUT GITLAB/merge_requests/7/notes/4"),
        (
            "azure",
            "POST AZURE/git/repositories/r-1/pullRequests/7/threads?api-version=7.1",
            "PATCH AZURE/git/repositories/r-1/pullRequests/7/threads/4/comments/1?api-version=7.1",
        ),
    ];
    let opened = [
        (
            "github",
            "issue create --title Access was changed outside Terraform --label access-drift --body-file FILE",
            "issue edit 4 --body-file FILE",
        ),
        ("gitlab", "POST GITLAB/issues", "PUT GITLAB/issues/4"),
        (
            "azure",
            "POST AZURE/wit/workitems/$Issue?api-version=7.1",
            "PATCH AZURE/wit/workitems/4?api-version=7.1",
        ),
    ];
    let closed = [
        ("github", "", "issue close 4 --comment The last check found no drift."),
        ("gitlab", "", "POST GITLAB/issues/4/notes, PUT GITLAB/issues/4"),
        ("azure", "", "PATCH AZURE/wit/workitems/4?api-version=7.1"),
    ];
    let text = "1 to \"add\" \\n $HOME\n";
    let escaped = json!(text).to_string();
    let escaped = escaped.trim_matches('"');
    for (script, part, cases) in [
        (COMMENT, format!("<!-- access-plan -->\\n{escaped}"), comments),
        (DRIFT, escaped.to_owned(), opened),
        (NO_DRIFT, String::new(), closed),
    ] {
        for (kind, added, updated) in cases {
            for (has_own, expected) in [(false, added), (true, updated)] {
                let forge = Forge::start(kind);
                forge.has_own.store(has_own, Ordering::SeqCst);
                let output = run(script, &forge.environment(), Some(text));
                assert_eq!(output.code, 0, "{kind} {script:?}: {}", output.stderr);
                let writes = forge.take_writes();
                let calls: Vec<_> = writes.iter().map(|(call, _)| call.as_str()).collect();
                let expected = expected.replace("GITLAB", GITLAB).replace("AZURE", AZURE);
                assert_eq!(calls.join(", "), expected, "{kind} {script:?}");
                // Descriptions are HTML on Azure.
                let part = match (kind, script) {
                    ("azure", DRIFT) => part.replace("\\\"", "&quot;"),
                    _ => part.clone(),
                };
                assert!(writes.iter().all(|(_, text)| text.contains(&part)), "{part}: {writes:?}");
                if (script, has_own) == (NO_DRIFT, true) && kind != "github" {
                    let end = if kind == "gitlab" { "\"close\"" } else { "\"Done\"" };
                    assert!(
                        writes.last().is_some_and(|(_, text)| text.contains(end)),
                        "{writes:?}"
                    );
                }
                if (script, has_own) == (DRIFT, false) && kind != "github" {
                    for part in ["Access was changed outside Terraform", "access-drift"] {
                        assert!(writes[0].1.contains(part), "{part}: {writes:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn another_configuration_has_a_comment_of_its_own_and_an_incomplete_check_closes_nothing() {
    for kind in FORGES {
        let forge = Forge::start(kind);
        forge.has_own.store(true, Ordering::SeqCst);
        let mut environment = forge.environment();
        environment.push(("COMMENT_MARKER", "access-us".to_owned()));
        assert_eq!(run(COMMENT, &environment, Some("two\n")).code, 0);
        let writes = forge.take_writes();
        assert!(writes.len() == 1 && !writes[0].0.contains("/4"), "{kind}: {writes:?}");
        assert!(writes[0].1.contains("<!-- access-us -->\\ntwo"), "{kind}: {writes:?}");

        let output = run(NO_DRIFT, &environment, Some("incomplete"));
        assert_eq!(output.code, 0, "{kind}: {}", output.stderr);
        assert!(output.stdout.contains("is left open"), "{kind}: {}", output.stdout);
        assert_eq!(forge.take_writes(), [], "{kind}");
    }
}

const FORGES: [&str; 3] = ["github", "gitlab", "azure"];

/// Runs a script and fails the test unless it ends with an error that contains these parts.
#[track_caller]
fn fails(
    script: (&str, &str),
    environment: &[(&'static str, String)],
    summary: Option<&str>,
    parts: &[&str],
) {
    let output = run(script, environment, summary);
    assert!(output.code > 0, "{script:?}: {}", output.stdout);
    for part in parts {
        assert!(output.stderr.contains(part), "{script:?}: {part:?} in {}", output.stderr);
    }
    assert!(!output.stderr.contains("forge-token"), "{script:?}: {}", output.stderr);
}

#[test]
fn forge_that_refuses_or_cannot_be_reached_fails_the_script() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    for kind in FORGES {
        let server = Server::start(|_| (403, b"{\"message\":\"not for this token\"}".to_vec()));
        for script in [COMMENT, NO_DRIFT, DRIFT] {
            let refused = job(kind, &server.url());
            fails(script, &refused, Some("text\n"), &["403", "not for this token"]);
            let requests = server.take_requests();
            assert_eq!(requests.len(), 1, "{kind}: nothing but the search: {requests:?}");
            fails(script, &job(kind, "http://127.0.0.1:1"), Some("text\n"), &["127.0.0.1"]);
        }
    }
}

#[test]
fn script_names_what_is_missing_or_has_failed() {
    let forge = Forge::start("github");
    let complete = forge.environment();
    fails(COMMENT, &complete, None, &["Run plan.sh first"]);
    fails(COMMENT, &[], Some("text\n"), &["not a job of"]);
    fails(DRIFT, &complete, None, &["Run drift.sh first"]);
    fails(("drift-issue.sh", "1"), &complete, None, &["left as it is"]);
    for (kind, variable, value, is_missing) in [
        ("github", "GITHUB_TOKEN", "", true),
        ("gitlab", "GITLAB_TOKEN", "", true),
        ("azure", "SYSTEM_ACCESSTOKEN", "", true),
        // Outside a pull request there is no comment.
        ("github", "GITHUB_REF", "refs/heads/main", false),
        ("gitlab", "CI_MERGE_REQUEST_IID", "", false),
        ("azure", "SYSTEM_PULLREQUEST_PULLREQUESTID", "", false),
        ("azure", "BUILD_REPOSITORY_PROVIDER", "GitHub", false),
    ] {
        let mut environment = job(kind, &forge.server.url());
        environment.retain(|(name, _)| *name != variable);
        environment.push((variable, value.to_owned()));
        if is_missing {
            fails(COMMENT, &environment, Some("text\n"), &[variable]);
        } else {
            let output = run(COMMENT, &environment, Some("text\n"));
            assert_eq!(output.code, 0, "{variable}: {}", output.stderr);
            assert!(output.stdout.contains("no comment"), "{variable}: {}", output.stdout);
        }
    }
    assert_eq!(forge.server.take_requests().len(), 0);
}
