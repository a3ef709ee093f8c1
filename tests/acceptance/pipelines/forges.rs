//! `comment.sh` and `drift-issue.sh` against a stand-in for the API of each forge.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::http::{Request, Server};
use super::{CommandOutput, output_of, script};

/// Returns the environment of a job of each forge, with the API at this address.
fn job(forge: &str, api: &str) -> Vec<(&'static str, String)> {
    match forge {
        "github" => vec![
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_API_URL", api.to_owned()),
            ("GITHUB_REPOSITORY", "example/access".to_owned()),
            ("GITHUB_REF", "refs/pull/7/merge".to_owned()),
            ("GITHUB_TOKEN", "forge-token".to_owned()),
        ],
        "gitlab" => vec![
            ("GITLAB_CI", "true".to_owned()),
            ("CI_API_V4_URL", format!("{api}/api/v4")),
            ("CI_PROJECT_ID", "12".to_owned()),
            ("CI_MERGE_REQUEST_IID", "7".to_owned()),
            ("GITLAB_TOKEN", "forge-token".to_owned()),
        ],
        _ => vec![
            ("TF_BUILD", "True".to_owned()),
            ("SYSTEM_COLLECTIONURI", format!("{api}/example/")),
            ("SYSTEM_TEAMPROJECTID", "p-1".to_owned()),
            ("BUILD_REPOSITORY_ID", "r-1".to_owned()),
            ("BUILD_REPOSITORY_PROVIDER", "TfsGit".to_owned()),
            ("SYSTEM_PULLREQUEST_PULLREQUESTID", "7".to_owned()),
            ("SYSTEM_ACCESSTOKEN", "forge-token".to_owned()),
        ],
    }
}

/// Runs a script as a job does, in a directory with a summary.
fn run(
    name: &str,
    arguments: &[&str],
    environment: &[(&'static str, String)],
    summary: Option<&str>,
) -> CommandOutput {
    let directory = tempfile::tempdir().expect("a directory");
    for results in ["access-plan", "access-drift"] {
        let results = directory.path().join(results);
        fs::create_dir(&results).expect("a directory");
        if let Some(summary) = summary {
            fs::write(results.join("summary.md"), summary).expect("a summary");
        }
    }
    let mut command = Command::new("sh");
    command
        .arg(script(name))
        .args(arguments)
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(environment.iter().map(|(name, value)| (name, value)));
    output_of(&mut command)
}

/// The store of a forge: comments of one pull request and issues with the label, by ID.
#[derive(Default)]
struct Stored {
    comments: Vec<Value>,
    issues: Vec<Value>,
}

/// A forge that stores comments and issues. Elements that are there already come from other authors.
pub(in super::super) struct Forge {
    kind: &'static str,
    server: Server,
    stored: Arc<Mutex<Stored>>,
}

impl Forge {
    pub(in super::super) fn start(kind: &'static str) -> Self {
        let stored = Arc::<Mutex<Stored>>::default();
        let shared = Arc::clone(&stored);
        let server = Server::start(move |request| {
            let mut stored = shared.lock().expect("the store");
            match respond(&mut stored, request) {
                Some(body) => (200, body.to_string().into_bytes()),
                None => (404, b"{\"message\":\"unknown route\"}".to_vec()),
            }
        });
        Self { kind, server, stored }
    }

    /// Returns the environment of a job of a pull request.
    pub(in super::super) fn environment(&self) -> Vec<(&'static str, String)> {
        job(self.kind, &self.server.url())
    }

    #[track_caller]
    fn runs(&self, name: &str, arguments: &[&str], summary: Option<&str>) {
        let output = run(name, arguments, &self.environment(), summary);
        assert_eq!(output.code, Some(0), "{} {name}: {}", self.kind, output.stderr);
        for request in self.server.take_requests() {
            assert!(request.headers.contains("forge-token"), "{request:?}");
        }
    }

    pub(in super::super) fn comments(&self) -> Vec<String> {
        let stored = self.stored.lock().expect("the store");
        stored.comments.iter().map(|comment| comment["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns state and text of each issue.
    pub(in super::super) fn issues(&self) -> Vec<(String, String)> {
        let stored = self.stored.lock().expect("the store");
        let text = |issue: &Value, name: &str| issue[name].as_str().unwrap_or_default().to_owned();
        stored.issues.iter().map(|issue| (text(issue, "state"), text(issue, "text"))).collect()
    }
}

/// The ID of the user whose token the scripts have.
const SELF: u64 = 99;

/// Returns what all three forges have in common: one shape that contains the fields of each.
fn respond(stored: &mut Stored, request: &Request) -> Option<Value> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    if ["/api/v4/user", "/example/_apis/connectionData"].contains(&path) {
        return Some(json!({"id": SELF, "authenticatedUser": {"id": SELF}}));
    }
    let tops = ["/repos/example/access", "/api/v4/projects/12", "/example/p-1/_apis"];
    let path = tops.iter().find_map(|top| path.strip_prefix(top))?;
    let body = request.json();
    // A JSON Patch as an object: the last part of each path, and its value.
    let fields: Value = body.as_array().map_or(Value::Null, |operations| {
        assert!(request.headers.contains("application/json-patch+json"), "{}", request.headers);
        let name =
            |operation: &Value| Some(operation["path"].as_str()?.rsplit('.').next()?.to_owned());
        operations.iter().map(|one| (name(one).expect("a field"), one["value"].clone())).collect()
    });
    let texts = [&body["body"], &body["description"], &body["content"], &fields["Description"]];
    let text =
        texts.into_iter().chain([&body["comments"][0]["content"]]).find(|text| text.is_string());
    let is_list = request.method == "GET" || path.ends_with("/wiql");
    let is_new = request.method == "POST";
    let id =
        path.strip_suffix("/comments/1").filter(|path| path.contains("/threads/")).unwrap_or(path);
    let id: Option<usize> = id.rsplit('/').next()?.parse().ok();
    let comments = ["/7/comments", "/issues/comments/", "/7/notes", "/pullRequests/7/threads"];
    if comments.iter().any(|part| path.contains(part)) {
        if is_list {
            let mut all: Vec<_> = stored.comments.iter().map(comment).collect();
            if path.ends_with("/threads") {
                // A thread without comments is one that the service itself wrote.
                let mut deleted = comment(&json!({"own": true, "text": "<!-- access-plan -->"}));
                deleted["isDeleted"] = json!(true);
                all.extend([json!({"id": 500, "comments": []}), deleted]);
                return Some(json!({ "value": all }));
            }
            return Some(page(&all, query));
        }
        if is_new {
            stored.comments.push(json!({"id": stored.comments.len(), "own": true}));
        }
        let id = id.unwrap_or(stored.comments.len() - 1);
        stored.comments[id]["text"] = text?.clone();
    } else if is_list {
        assert!(request.path.contains("access-drift") || request.body.contains("'access-drift'"));
        let open = stored.issues.iter().filter(|issue| issue["state"] == "open");
        let open: Vec<_> = open.cloned().collect();
        return Some(if is_new { json!({"workItems": open}) } else { page(&open, query) });
    } else if is_new && !path.ends_with("/comments") && !path.ends_with("/notes") {
        for part in ["Access was changed outside Terraform", "access-drift"] {
            assert!(request.body.contains(part), "{}", request.body);
        }
        let id = stored.issues.len();
        stored
            .issues
            .push(json!({"number": id, "iid": id, "id": id, "state": "open", "text": text?}));
    } else if !is_new {
        let states = [&body["state"], &body["state_event"], &fields["State"]];
        if states
            .into_iter()
            .any(|state| ["closed", "close", "Done"].iter().any(|end| state == end))
        {
            stored.issues[id?]["state"] = json!("closed");
        } else {
            stored.issues[id?]["text"] = text?.clone();
        }
    }
    Some(json!({}))
}

/// Returns a comment with the fields of all forges.
fn comment(stored: &Value) -> Value {
    let (kind, id) = if stored["own"] == true { ("Bot", SELF) } else { ("User", 5) };
    json!({"id": stored["id"], "body": stored["text"], "user": {"type": kind}, "author": {"id": id},
           "comments": [{"id": 1, "author": {"id": id}, "content": stored["text"]}]})
}

/// Returns one page of a list, as `page` and `per_page` of the query ask for it.
fn page(all: &[Value], query: &str) -> Value {
    let number = |name: &str, default| {
        let found =
            query.split('&').filter_map(|pair| pair.split_once('=')).find(|pair| pair.0 == name);
        found.map_or(default, |(_, value)| value.parse().expect("a number"))
    };
    let (page, size): (usize, usize) = (number("page", 1), number("per_page", 20));
    all.iter().skip((page - 1) * size).take(size).cloned().collect()
}

const FORGES: [&str; 3] = ["github", "gitlab", "azure"];

/// Runs a script and fails the test unless it ends with an error that contains the text.
#[track_caller]
fn fails(
    name: &str,
    arguments: &[&str],
    environment: &[(&'static str, String)],
    summary: Option<&str>,
    text: &str,
) {
    let output = run(name, arguments, environment, summary);
    assert!(!matches!(output.code, None | Some(0)), "{name}: {}", output.stdout);
    assert!(output.stderr.contains(text), "{name}: {text:?} in {}", output.stderr);
    assert!(!output.stderr.contains("forge-token"), "{name}: {}", output.stderr);
}

#[test]
fn comment_is_posted_once_and_updated_afterwards() {
    for kind in FORGES {
        let forge = Forge::start(kind);
        // Someone else's comment with the marker stays as it is, and the own one is on page two.
        for id in 0..100 {
            let text = if id == 3 { "<!-- access-plan -->\nforged" } else { "Looks good." };
            forge.stored.lock().unwrap().comments.push(json!({"id": id, "text": text}));
        }
        for text in ["2 to add\n", "1 to add \"quoted\" \\n $HOME\n"] {
            forge.runs("comment.sh", &[], Some(text));
            let comments = forge.comments();
            assert_eq!(comments.len(), 101, "{kind}: {:?}", comments.last());
            assert_eq!(comments[100], format!("<!-- access-plan -->\n{text}"), "{kind}");
            assert_eq!(comments[3], "<!-- access-plan -->\nforged", "{kind}");
        }
        // The comment of another configuration has its own marker.
        let mut environment = forge.environment();
        environment.push(("COMMENT_MARKER", "access-us".to_owned()));
        assert_eq!(run("comment.sh", &[], &environment, Some("two\n")).code, Some(0));
        assert_eq!(forge.comments()[101..], ["<!-- access-us -->\ntwo\n"], "{kind}");
    }
}

#[test]
fn comment_outside_a_pull_request_sends_nothing() {
    for (kind, variable, value) in [
        ("github", "GITHUB_REF", "refs/heads/main"),
        ("gitlab", "CI_MERGE_REQUEST_IID", ""),
        ("azure", "SYSTEM_PULLREQUEST_PULLREQUESTID", ""),
        ("azure", "BUILD_REPOSITORY_PROVIDER", "GitHub"),
    ] {
        let forge = Forge::start(kind);
        let mut environment = forge.environment();
        environment.retain(|(name, _)| *name != variable);
        environment.push((variable, value.to_owned()));
        let output = run("comment.sh", &[], &environment, Some("text\n"));
        assert_eq!(output.code, Some(0), "{kind}: {}", output.stderr);
        assert!(output.stdout.contains("no comment"), "{kind}: {}", output.stdout);
        assert_eq!(forge.server.take_requests().len(), 0, "{kind}");
    }
}

#[test]
fn forge_that_refuses_or_cannot_be_reached_fails_the_script() {
    for kind in FORGES {
        let server = Server::start(|_| (403, b"{\"message\":\"not for this token\"}".to_vec()));
        for (name, arguments) in
            [("comment.sh", &[][..]), ("drift-issue.sh", &["0"]), ("drift-issue.sh", &["2"])]
        {
            let job = |api: &str| job(kind, api);
            for text in ["status 403", "not for this token"] {
                fails(name, arguments, &job(&server.url()), Some("text\n"), text);
            }
            let requests = server.take_requests();
            assert_eq!(requests.len(), 2, "{kind}: nothing but the search: {requests:?}");
            fails(name, arguments, &job("http://127.0.0.1:1"), Some("text\n"), "status 000");
        }
    }
}

#[test]
fn script_names_what_is_missing_or_has_failed() {
    let (github, api) = (Forge::start("github"), Forge::start("gitlab").server.url());
    let complete = github.environment();
    fails("comment.sh", &[], &complete, None, "Run plan.sh first");
    fails("comment.sh", &[], &[], Some("text\n"), "not a job of");
    fails("drift-issue.sh", &["2"], &complete, None, "Run drift.sh first");
    fails("drift-issue.sh", &["1"], &complete, None, "left as it is");
    for (kind, token) in
        [("github", "GITHUB_TOKEN"), ("gitlab", "GITLAB_TOKEN"), ("azure", "SYSTEM_ACCESSTOKEN")]
    {
        let mut environment = job(kind, &api);
        environment.retain(|(name, _)| *name != token);
        fails("comment.sh", &[], &environment, Some("text\n"), token);
    }
    assert_eq!(github.server.take_requests().len(), 0);
}

#[test]
fn drift_issue_is_opened_updated_closed_and_opened_again() {
    for kind in FORGES {
        let forge = Forge::start(kind);
        let issue = |state: &str, text: &str| {
            let text = if kind == "azure" { format!("<pre>{text}</pre>") } else { text.to_owned() };
            (state.to_owned(), text)
        };
        // Without an issue there is nothing to close.
        forge.runs("drift-issue.sh", &["0"], None);
        assert_eq!(forge.issues(), [], "{kind}");
        for (code, summary, expected) in [
            ("2", Some("viewer\n"), issue("open", "viewer\n")),
            ("2", Some("viewer, admin\n"), issue("open", "viewer, admin\n")),
            ("0", None, issue("closed", "viewer, admin\n")),
        ] {
            forge.runs("drift-issue.sh", &[code], summary);
            assert_eq!(forge.issues(), [expected], "{kind}");
        }
        forge.runs("drift-issue.sh", &["2"], Some("again\n"));
        assert_eq!(forge.issues()[1..], [issue("open", "again\n")], "{kind}");

        // Not everything was compared: the issue stays open.
        let results = tempfile::tempdir().expect("a directory");
        let file = results.path().join("summary.md").display().to_string();
        for (text, state) in [("Owners\n", "open"), ("", "closed")] {
            fs::write(results.path().join("unchecked.txt"), text).expect("a file");
            let output = run("drift-issue.sh", &["0", &file], &forge.environment(), None);
            assert_eq!(output.code, Some(0), "{kind}: {}", output.stderr);
            assert_eq!(output.stdout.contains("is left open"), state == "open", "{kind}");
            assert_eq!(forge.issues()[1].0, state, "{kind}");
        }
    }
}

#[test]
fn scripts_are_executable_but_for_the_one_that_is_sourced() {
    use std::os::unix::fs::PermissionsExt as _;

    for file in fs::read_dir(script("")).expect("the scripts").flatten() {
        let is_executable = file.metadata().unwrap().permissions().mode() & 0o111 != 0;
        assert_eq!(is_executable, file.file_name() != "forge.sh", "{:?}", file.file_name());
    }
}
