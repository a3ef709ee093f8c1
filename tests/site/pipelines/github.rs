//! `comment.sh` with a `gh` that records what would be written.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::guides::paste::{path_from, tool};
use super::script;
use crate::support::tools::has_tools;
use crate::support::{Outcome, has_parts};

/// A `gh` that prints the pull request, filtered as the real one does, and records the arguments of
/// every other call with the content of the file among them.
pub(super) const GH: &str = r#"[ "$GH_TOKEN $GH_HOST/$GH_REPO" = 'forge-token github.example/example/access' ] || exit 4
call= text=
for argument in "$@"; do
  file=${argument#body=@}
  if [ -f "$file" ]; then text=$(cat "$file") argument=${argument%"$file"}FILE; fi
  call="$call$argument "
done
case $call in
  'pr view 7 --json comments,headRefOid --jq '*) jq -r "$argument" "$FORGE/pull-request.json" ;;
  *) printf '%s\n%s\036' "$call" "$text" >>"$FORGE/writes" ;;
esac"#;

/// The newest commit of the pull request.
const HEAD: &str = "1111111111111111111111111111111111111111";

/// The commit of the job: the merge of a pull request, or the pushed one.
pub(in super::super) const COMMIT: &str = "3333333333333333333333333333333333333333";

/// GitHub with a pull request, whose comments are those of others, and perhaps that of the pipeline.
pub(in super::super) struct Forge {
    directory: TempDir,
}

pub(super) type Environment = Vec<(&'static str, String)>;

impl Forge {
    pub(in super::super) fn start(has_own: bool) -> Self {
        let forge = Self { directory: tempfile::tempdir().expect("a directory") };
        forge.write("pull-request.json", &pull_request(has_own));
        forge.write("event.json", &json!({"pull_request": {"head": {"sha": HEAD}}}));
        forge
    }

    fn write(&self, name: &str, value: &Value) {
        fs::write(self.directory.path().join(name), value.to_string()).expect("a file");
    }

    /// Returns the environment of a job of a pull request.
    pub(super) fn environment(&self) -> Environment {
        let directory = self.directory.path().display();
        [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://github.example"),
            ("GITHUB_REPOSITORY", "example/access"),
            ("GITHUB_REF", "refs/pull/7/merge"),
            ("GITHUB_SHA", COMMIT),
            ("GITHUB_RUN_ID", "17"),
            ("GITHUB_TOKEN", "forge-token"),
            ("GITHUB_EVENT_PATH", &format!("{directory}/event.json")),
            ("FORGE", &directory.to_string()),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec()
    }

    /// Returns what was written since the last call: the arguments of each call, and its text.
    pub(in super::super) fn take_writes(&self) -> Vec<(String, String)> {
        let file = self.directory.path().join("writes");
        let text = fs::read_to_string(&file).unwrap_or_default();
        _ = fs::remove_file(file);
        let writes = text.split_terminator('\u{1e}').map(|write| write.split_once('\n'));
        let writes = writes.map(|write| write.expect("a call and its text"));
        writes.map(|(call, text)| (call.trim_end().to_owned(), text.to_owned())).collect()
    }
}

/// Returns the pull request with its comments. That of the pipeline has the ID 4.
fn pull_request(has_own: bool) -> Value {
    let marker = "<!-- access-plan -->\nold";
    let comment = |id: u64, text: &str, is_own: bool| {
        let url = format!("https://github.example/pull/7#issuecomment-{id}");
        json!({"url": url, "body": text, "viewerDidAuthor": is_own})
    };
    let mut comments = vec![comment(2, marker, false), comment(3, "another workflow's", true)];
    comments.extend(has_own.then(|| comment(4, marker, true)));
    json!({"comments": comments, "headRefOid": HEAD})
}

/// Runs the script as a job does, in a directory with or without a summary.
fn run(environment: &[(&str, String)], has_summary: bool) -> Outcome {
    let directory = tempfile::tempdir().expect("a directory");
    tool(directory.path(), "gh", GH);
    if has_summary {
        fs::write(directory.path().join("summary.md"), SUMMARY).expect("a file");
    }
    let mut shell = Command::new("sh");
    shell
        .arg(script("comment.sh"))
        .arg("summary.md")
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", path_from(directory.path()))
        .envs(environment.iter().map(|(name, value)| (name, value)));
    Outcome::of(&mut shell)
}

const SUMMARY: &str = "## 1 to \"add\" \\n $HOME";

/// A comment that shows the plan of an older commit would be approved as that of the newest.
#[test]
fn comment_is_written_once_and_names_its_commit() {
    if !has_tools(&["jq"]) {
        return;
    }
    const ADDED: &str = "pr comment 7 --body-file FILE";
    const UPDATED: &str =
        "api --method PATCH repos/{owner}/{repo}/issues/comments/4 --field body=@FILE --silent";
    let on_commit = format!(
        "api --method POST repos/{{owner}}/{{repo}}/commits/{COMMIT}/comments --field body=@FILE --silent"
    );
    let job = "[job](https://github.example/example/access/actions/runs/17)";
    let plan = |marker: &str, commit: &str, apply: &str| {
        format!("<!-- {marker} -->\nCommit {commit} ({job}){apply}\n\n{SUMMARY}")
    };
    let none = format!(
        "<!-- access-plan -->\n## No plan\n\nThe {job} failed before it had planned commit {HEAD}."
    );
    let main = ("GITHUB_REF", "refs/heads/main");
    for (name, has_own, has_summary, variables, call, text) in [
        ("first", false, true, vec![], ADDED, plan("access-plan", HEAD, "")),
        ("later", true, true, vec![], UPDATED, plan("access-plan", HEAD, "")),
        ("no plan", true, false, vec![], UPDATED, none),
        (
            "another configuration",
            true,
            true,
            vec![("COMMENT_MARKER", "access-us")],
            ADDED,
            plan("access-us", HEAD, ""),
        ),
        (
            "apply",
            true,
            true,
            vec![main, ("APPLY_OUTCOME", "failure")],
            &on_commit,
            plan("access-plan", COMMIT, ", apply: failure"),
        ),
    ] {
        let forge = Forge::start(has_own);
        let mut environment = forge.environment();
        environment.retain(|(name, _)| variables.iter().all(|(other, _)| name != other));
        environment.extend(variables.iter().map(|(name, value)| (*name, (*value).to_owned())));
        run(&environment, has_summary).succeeds();
        assert_eq!(forge.take_writes(), [(call.to_owned(), text)], "{name}");
    }
}

#[test]
fn nothing_is_written_for_an_older_commit_outside_github_or_if_the_forge_refuses() {
    if !has_tools(&["jq"]) {
        return;
    }
    let forge = Forge::start(true);
    forge.write("event.json", &json!({"pull_request": {"head": {"sha": "2222"}}}));
    let output = run(&forge.environment(), true).succeeds();
    has_parts(&output.stdout, &["has a newer commit than 2222"]);
    assert_eq!(forge.take_writes(), []);

    let mut environment = forge.environment();
    environment.retain(|(name, _)| *name != "GITHUB_ACTIONS");
    let output = run(&environment, true).exits(1);
    has_parts(&output.stderr, &["not a job of GitHub Actions"]);
    assert_eq!(forge.take_writes(), []);

    let forge = Forge::start(true);
    let mut environment = forge.environment();
    environment.retain(|(name, _)| *name != "GITHUB_TOKEN");
    environment.push(("GITHUB_TOKEN", "another".to_owned()));
    run(&environment, true).exits(4);
    assert_eq!(forge.take_writes(), []);
}
