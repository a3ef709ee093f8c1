//! `comment.sh` against a stand-in for GitHub, called by its `gh`.

use std::fs;
use std::process::Command;

use access_fake::{Fault, Rank, Request};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::guides::paste::{path_from, tool};
use super::script;
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, has_parts};

/// A `gh` that sends its arguments, and the content of the file among them, to the stand-in. It
/// filters the response as the real one does. `gh pr view` becomes the path `/gh/pr/view`.
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

/// The newest commit of the pull request.
const HEAD: &str = "1111111111111111111111111111111111111111";

/// The commit of the job: the merge of a pull request, or the pushed one.
pub(in super::super) const COMMIT: &str = "3333333333333333333333333333333333333333";

/// GitHub with a comment of the pipeline, or without, and with comments of others: a local service
/// that responds to searches, and with 201 to everything else.
pub(in super::super) struct Forge {
    service: Service,
    /// Contains `event.json`, which describes the event that started the job.
    directory: TempDir,
}

impl Forge {
    pub(in super::super) fn start(has_own: bool) -> Self {
        let service = Service::full();
        service.put_key("forge", "forge-token", Rank::Reader);
        service.add_fault(Fault::respond(200, search(has_own).to_string()).at("/gh/pr/view"));
        service.add_fault(Fault::respond(201, "{}"));
        let directory = tempfile::tempdir().expect("a directory");
        let event = json!({"pull_request": {"head": {"sha": HEAD}}}).to_string();
        fs::write(directory.path().join("event.json"), event).expect("the event");
        Self { service, directory }
    }

    /// Returns the environment of a job of a pull request.
    pub(in super::super) fn environment(&self) -> Environment {
        let event = self.directory.path().join("event.json").display().to_string();
        [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://github.example"),
            ("GITHUB_REPOSITORY", "example/access"),
            ("GITHUB_REF", "refs/pull/7/merge"),
            ("GITHUB_SHA", COMMIT),
            ("GITHUB_RUN_ID", "17"),
            ("GITHUB_TOKEN", "forge-token"),
            ("GITHUB_EVENT_PATH", &event),
            ("FORGE_URL", &self.service.base_url()),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec()
    }

    /// Returns what was written since the last call: the arguments of each call, and its text.
    pub(in super::super) fn take_writes(&self) -> Vec<(String, String)> {
        let requests = self.service.requests();
        self.service.clear_requests();
        requests.iter().for_each(check);
        let writes = requests.iter().filter(|request| request.status == Some(201));
        let part = |request: &Request, name: &str| {
            request.body[name].as_str().expect("a text").trim_end().to_owned()
        };
        writes.map(|request| (part(request, "call"), part(request, "text"))).collect()
    }
}

/// Fails the test unless a request has the arguments of a search.
fn check(request: &Request) {
    let part = "view 7 --json comments,headRefOid";
    let is_search = request.path.ends_with("/gh/pr/view");
    assert!(!is_search || request.body.to_string().contains(part), "{request:?}");
}

/// Returns the pull request with its comments. That of the pipeline has the ID 4.
fn search(has_own: bool) -> Value {
    let marker = "<!-- access-plan -->\nold";
    let comment = |id: u64, text: &str, is_own: bool| {
        let url = format!("https://github.example/pull/7#issuecomment-{id}");
        json!({"url": url, "body": text, "viewerDidAuthor": is_own})
    };
    let mut comments = vec![comment(2, marker, false), comment(3, "another workflow's", true)];
    comments.extend(has_own.then(|| comment(4, marker, true)));
    json!({"comments": comments, "headRefOid": HEAD})
}

type Environment = Vec<(&'static str, String)>;

const COMMENT: &[&str] = &["comment.sh", "summary.md"];

const SUMMARY: &[(&str, &str)] = &[("summary.md", "## 1 to \"add\" \\n $HOME")];

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
fn comment_is_added_once_and_updated() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    const UPDATED: &str =
        "api --method PATCH repos/{owner}/{repo}/issues/comments/4 --field body=@FILE --silent";
    for (has_own, expected) in [(false, "pr comment 7 --body-file FILE"), (true, UPDATED)] {
        let forge = Forge::start(has_own);
        run(COMMENT, &forge.environment(), SUMMARY).succeeds();
        let [(call, text)] = &forge.take_writes()[..] else { panic!("one comment") };
        assert_eq!(call, expected);
        assert!(text.ends_with(SUMMARY[0].1), "{text}");
    }
}

#[test]
fn report_of_an_applied_plan_is_a_comment_on_its_commit() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let forge = Forge::start(true);
    let mut environment = forge.environment();
    environment.retain(|(name, _)| *name != "GITHUB_REF");
    environment.push(("GITHUB_REF", "refs/heads/main".to_owned()));
    environment.push(("APPLY_OUTCOME", "failure".to_owned()));
    run(COMMENT, &environment, SUMMARY).succeeds();
    let [(call, text)] = &forge.take_writes()[..] else { panic!("one comment") };
    assert!(
        call.contains(&format!("POST repos/{{owner}}/{{repo}}/commits/{COMMIT}/comments")),
        "{call}"
    );
    has_parts(text, &[&format!("Commit {COMMIT} ("), "), apply: failure\n\n## 1 to"]);
}

/// A comment that shows the plan of an older commit would be approved as that of the newest.
#[test]
fn comment_names_the_commit_and_is_replaced_if_there_is_no_plan() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let forge = Forge::start(true);
    let (job, marker) =
        ("[job](https://github.example/example/access/actions/runs/17)", "<!-- access-plan -->");
    let no_plan =
        format!("{marker}\n## No plan\n\nThe {job} failed before it had planned commit {HEAD}.");
    let plan = format!("{marker}\nCommit {HEAD} ({job})\n\n{}", SUMMARY[0].1);
    for (files, expected) in [(SUMMARY, plan), (&[], no_plan)] {
        run(COMMENT, &forge.environment(), files).succeeds();
        let [(call, text)] = &forge.take_writes()[..] else { panic!("one comment") };
        assert!(call.contains("/comments/4"), "{call}");
        assert_eq!(*text, expected);
    }

    // A rerun of an older commit does not replace the comment on the newest.
    let event = json!({"pull_request": {"head": {"sha": "2222"}}}).to_string();
    fs::write(forge.directory.path().join("event.json"), event).expect("the event");
    let output = run(COMMENT, &forge.environment(), SUMMARY).succeeds();
    assert!(output.stdout.contains("has a newer commit than 2222"), "{}", output.stdout);
    assert_eq!(forge.take_writes(), []);
}

#[test]
fn invisible_characters_do_not_reach_the_comment() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let hostile = "a\u{1b}[31mb\0c\u{202e}d\u{2066}e\u{9b}f\u{200b}g\u{e0041}h\ti é\u{a0}🦀";
    let shown = "a�[31mb�c�d�e�f�g�h\ti é\u{a0}🦀";
    let forge = Forge::start(false);
    run(COMMENT, &forge.environment(), &[("summary.md", hostile)]).succeeds();
    let [(_, text)] = &forge.take_writes()[..] else { panic!("one comment") };
    assert!(text.ends_with(shown), "{text:?}");
}

#[test]
fn another_configuration_has_a_comment_of_its_own() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let forge = Forge::start(true);
    let mut environment = forge.environment();
    environment.push(("COMMENT_MARKER", "access-us".to_owned()));
    run(COMMENT, &environment, SUMMARY).succeeds();
    let writes = forge.take_writes();
    assert!(writes.len() == 1 && !writes[0].0.contains("/4"), "{writes:?}");
    assert!(writes[0].1.starts_with("<!-- access-us -->\n"), "{writes:?}");
}

#[test]
fn nothing_is_written_outside_github() {
    let forge = Forge::start(true);
    let mut environment = forge.environment();
    environment.retain(|(name, _)| *name != "GITHUB_ACTIONS");
    let output = run(COMMENT, &environment, SUMMARY).exits(1);
    assert!(output.stderr.contains("not a job of GitHub Actions"), "{}", output.stderr);
    assert_eq!(forge.take_writes(), []);
}

#[test]
fn forge_that_refuses_or_cannot_be_reached_fails_the_script() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let forge = Forge::start(true);
    forge.service.clear_faults();
    forge.service.add_fault(Fault::respond(403, r#"{"message":"not for this token"}"#));
    let mut environment = forge.environment();
    let refused = run(COMMENT, &environment, SUMMARY);
    environment.retain(|(name, _)| *name != "FORGE_URL");
    environment.push(("FORGE_URL", "http://127.0.0.1:1".to_owned()));
    let unreachable = run(COMMENT, &environment, SUMMARY);
    for (output, parts) in
        [(refused, ["403", "not for this token"]), (unreachable, ["127.0.0.1", ""])]
    {
        assert!(output.code > 0, "{}", output.stdout);
        has_parts(&output.stderr, &parts);
        assert!(!output.stderr.contains("forge-token"), "{}", output.stderr);
    }
    let requests = forge.service.requests();
    assert_eq!(requests.len(), 1, "nothing but the search: {requests:?}");
}
