//! `comment.sh` and `drift-issue.sh` against a stand-in for GitHub, called by its `gh`.

use std::fs;
use std::process::Command;

use access_fake::{Fault, Rank, Request};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::walkthrough::paste::{path_from, tool};
use super::script;
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, has_parts};

/// A `gh` that sends its arguments, and the content of the file among them, to the stand-in. It
/// filters the response as the real one does. `gh api repos/{owner}/{repo}/branches/x` becomes the
/// path `/gh/api/branches/x`.
pub(super) const GH: &str = r#"[ "$GH_TOKEN $GH_HOST/$GH_REPO" = 'forge-token github.example/example/access' ] || exit 4
call= text=
for argument in "$@"; do
  file=${argument#body=@}
  if [ -f "$file" ]; then text=$(cat "$file") argument=${argument%"$file"}FILE; fi
  call="$call$argument "
done
response=$(jq -n --arg call "$call" --arg text "$text" '{$call, $text}' |
  curl --silent --show-error --fail-with-body --data-binary @- "$FORGE_URL/gh/$1/${2#*'{repo}/'}") || { echo "$response" >&2; exit 1; }
while [ $# -gt 0 ]; do [ "$1" != --jq ] || printf '%s' "$response" | jq -r "$2"; shift; done"#;

/// The newest commit of the pull request.
pub(super) const HEAD: &str = "1111111111111111111111111111111111111111";

/// GitHub with a comment and an issue of the pipeline, or without, and with comments of others: a
/// local service that responds to searches, and with 201 to everything else.
pub(in super::super) struct Forge {
    service: Service,
    /// Contains `event.json`, which describes the event that started the job.
    directory: TempDir,
}

impl Forge {
    pub(in super::super) fn start(has_own: bool) -> Self {
        let service = Service::full();
        service.put_key("forge", "forge-token", Rank::Reader);
        for (path, response) in searches(has_own) {
            service.add_fault(Fault::respond(200, response.to_string()).at(path));
        }
        service.add_fault(Fault::respond(422, "{}").at("/gh/label/create"));
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
    for (search, part) in [
        ("/gh/pr/view", "view 7 --json comments,headRefOid"),
        ("/gh/issue/list", "--label access-drift --limit 1 --json number"),
    ] {
        let body = request.body.to_string();
        assert!(!request.path.ends_with(search) || body.contains(part), "{request:?}");
    }
}

/// Returns the calls that search, and their responses. What belongs to the pipeline has the ID 4.
fn searches(has_own: bool) -> Vec<(&'static str, Value)> {
    let all = |others: Vec<Value>, own: Value| -> Value {
        others.into_iter().chain(has_own.then_some(own)).collect()
    };
    let marker = "<!-- access-plan -->\nold";
    let comment = |id: u64, text: &str, is_own: bool| {
        let url = format!("https://github.example/pull/7#issuecomment-{id}");
        json!({"url": url, "body": text, "viewerDidAuthor": is_own})
    };
    let others = vec![comment(2, marker, false), comment(3, "another workflow's", true)];
    let comments = all(others, comment(4, marker, true));
    vec![
        ("/gh/pr/view", json!({"comments": comments, "headRefOid": HEAD})),
        ("/gh/issue/list", all(vec![], json!({"number": 4}))),
        ("/gh/api/rules/branches/access-applied", json!([{"type": "deletion"}])),
        ("/gh/api/branches/access-applied", json!({"protected": false})),
    ]
}

type Environment = Vec<(&'static str, String)>;

const COMMENT: &[&str] = &["comment.sh", "summary.md"];
const DRIFT: &[&str] = &["drift-issue.sh", "2", "summary.md"];
const NO_DRIFT: &[&str] = &["drift-issue.sh", "0", "summary.md"];

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
fn comment_and_issue_are_added_once_updated_and_closed() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    const COMMENTS: &str =
        "api --method PATCH repos/{owner}/{repo}/issues/comments/4 --field body=@FILE --silent";
    const CREATED: &str = "issue create --title Access was changed outside Terraform --label access-drift --body-file FILE";
    // Without one of the pipeline (false), and with it.
    for (script, has_own, expected) in [
        (COMMENT, false, "pr comment 7 --body-file FILE"),
        (COMMENT, true, COMMENTS),
        (DRIFT, false, CREATED),
        (DRIFT, true, "issue edit 4 --body-file FILE"),
        (NO_DRIFT, false, ""),
        (NO_DRIFT, true, "issue close 4 --comment The last check found no drift."),
    ] {
        let forge = Forge::start(has_own);
        run(script, &forge.environment(), SUMMARY).succeeds();
        let (calls, texts): (Vec<_>, Vec<_>) = forge.take_writes().into_iter().unzip();
        assert_eq!(calls.join(", "), expected, "{script:?}");
        assert!(script == NO_DRIFT || texts.concat().ends_with(SUMMARY[0].1), "{texts:?}");
    }
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
fn invisible_characters_reach_neither_comment_nor_issue() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let hostile = "a\u{1b}[31mb\0c\u{202e}d\u{2066}e\u{9b}f\u{200b}g\u{e0041}h\ti é\u{a0}🦀";
    let shown = "a�[31mb�c�d�e�f�g�h\ti é\u{a0}🦀";
    for script in [COMMENT, DRIFT] {
        let forge = Forge::start(false);
        run(script, &forge.environment(), &[("summary.md", hostile)]).succeeds();
        let [(_, text)] = &forge.take_writes()[..] else { panic!("one write") };
        assert!(text.ends_with(shown), "{script:?}: {text:?}");
    }
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

/// A check that failed or did not compare everything, and a job outside a pull request.
#[test]
fn nothing_is_written_without_a_result_or_a_pull_request() {
    let forge = Forge::start(true);
    let mut environment = forge.environment();
    let unchecked = [("unchecked.txt", "Owners\n")];
    let partial = run(NO_DRIFT, &environment, &unchecked).succeeds();
    let failed = run(&["drift-issue.sh", "1"], &environment, &[]).exits(1);
    environment.retain(|(name, _)| *name != "GITHUB_REF");
    let outside = run(COMMENT, &environment, SUMMARY).succeeds();
    environment.retain(|(name, _)| *name != "GITHUB_ACTIONS");
    let elsewhere = run(COMMENT, &environment, SUMMARY).exits(1);
    for (text, part) in [
        (partial.stdout, "is left open"),
        (failed.stderr, "left as it is"),
        (outside.stdout, "no comment"),
        (elsewhere.stderr, "not a job of GitHub Actions"),
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(forge.take_writes(), []);
}

#[test]
fn branch_that_everyone_may_move_is_a_warning() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    for (rules, protected, warns) in [
        (json!([]), false, true),
        (json!([{"type": "deletion"}]), false, true),
        (json!([{"type": "deletion"}, {"type": "update"}]), false, false),
        (json!([]), true, false),
        // A server without rule sets.
        (Value::Null, true, false),
    ] {
        let forge = Forge::start(false);
        forge.service.clear_faults();
        let respond = |path, response: Value| {
            forge.service.add_fault(Fault::respond(200, response.to_string()).at(path));
        };
        respond("/gh/issue/list", json!([]));
        if !rules.is_null() {
            respond("/gh/api/rules/branches/access-applied", rules.clone());
        }
        respond("/gh/api/branches/access-applied", json!({"protected": protected}));
        let mut environment = forge.environment();
        environment.push(("APPLIED_BRANCH", "access-applied".to_owned()));
        let output = run(NO_DRIFT, &environment, &[]).succeeds().stdout;
        let begins = output.starts_with("::warning::Whoever can push to this repository");
        assert_eq!(begins, warns, "{rules} {protected}: {output}");
    }
}

#[test]
fn forge_that_refuses_or_cannot_be_reached_fails_the_script() {
    if !has_tools(&["curl", "jq"]) {
        return;
    }
    let forge = Forge::start(true);
    forge.service.clear_faults();
    forge.service.add_fault(Fault::respond(403, r#"{"message":"not for this token"}"#));
    for script in [COMMENT, NO_DRIFT, DRIFT] {
        forge.service.clear_requests();
        let mut environment = forge.environment();
        let refused = run(script, &environment, SUMMARY);
        environment.retain(|(name, _)| *name != "FORGE_URL");
        environment.push(("FORGE_URL", "http://127.0.0.1:1".to_owned()));
        let unreachable = run(script, &environment, SUMMARY);
        for (output, parts) in
            [(refused, ["403", "not for this token"]), (unreachable, ["127.0.0.1", ""])]
        {
            assert!(output.code > 0, "{script:?}: {}", output.stdout);
            has_parts(&output.stderr, &parts);
            assert!(!output.stderr.contains("forge-token"), "{}", output.stderr);
        }
        let requests = forge.service.requests();
        assert_eq!(requests.len(), 1, "nothing but the search: {requests:?}");
    }
}
