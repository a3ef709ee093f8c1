//! The scripts of `examples/pipelines`, run as a pipeline runs them.
#![cfg(unix)]

mod drift;
pub(super) mod github;
mod install;
pub(super) mod runner;
mod signals;
pub(super) mod site;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::guides::VIEWER as ROLE;
use super::guides::paste::{path_from, tool};
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, Workspace, has_parts, in_repository, provider};

/// A function of the shell that prints the SHA-256 of files. macOS has no `sha256sum`.
const SHA256: &str = "sha256() { if command -v sha256sum >/dev/null; then sha256sum \"$@\"; else shasum -a 256 \"$@\"; fi; }\n";

/// Returns the path of a script.
fn script(name: &str) -> PathBuf {
    in_repository("examples/pipelines/scripts").join(name)
}

/// Returns a script in the workspace, with its environment and the terraform under test.
fn command(workspace: &Workspace, name: &str) -> Command {
    let mut command = workspace.command_of("sh");
    command
        .arg(script(name))
        .env("TERRAFORM", workspace.command(&[]).get_program())
        .env("PROVIDER_BINARY", provider());
    command
}

/// Runs a script in the workspace and fails the test unless it ends with this exit code.
#[track_caller]
fn runs(workspace: &Workspace, name: &str, code: i32) -> Outcome {
    Outcome::of(&mut command(workspace, name)).exits(code)
}

#[test]
fn plan_is_summed_up_and_the_plan_that_was_kept_is_applied() {
    if !has_tools(&["jq"]) {
        return;
    }
    let service = Service::full();
    let mut workspace = service.workspace_with_key("reader-key");
    // A configuration that names its base address needs none of the environment.
    let settings = format!("provider \"access\" {{\n  base_url = \"{}\"\n}}\n", service.base_url());
    workspace.set("ACCESS_BASE_URL", "");
    // A log of a job executes the commands in it, and a terminal its escapes.
    let description = "first\\n::warning::z\\n##vso[x]\\u001b[31mred\\u202etxt\\n";
    let priority = "priority     = 0";
    let role = ROLE.replace(priority, &format!("{priority}\n  description  = \"{description}\""));
    let output = "output \"text\" {\n  value = access_listing_role.viewer.description\n}\n";
    let configuration = format!("{settings}{role}{output}");
    workspace.configure(&configuration);
    let refused = runs(&workspace, "apply.sh", 1);
    has_parts(&refused.stderr, &["Run plan.sh first"]);
    let planned = runs(&workspace, "plan.sh", 0).stdout;
    for file in std::fs::read_dir(workspace.path().join("access-plan")).expect("the results") {
        let mode = file.and_then(|it| it.metadata()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "others can read the state");
    }
    let text = workspace.read("access-plan/summary.md");
    has_parts(
        &text,
        &["## Roles, effective for new requests\n\n- `listings/github/roles/viewer`", "is created"],
    );
    let plan = "\n\n## Plan\n\nPlan: 1 to add, 0 to change, 0 to destroy.\n";
    assert!(text.contains(plan), "{text}");
    assert_eq!(service.writes().len(), 0);

    workspace.configure(configuration.replace("\"Viewer\"", "\"Changed after the plan\""));
    workspace.set("ACCESS_API_KEY", "admin-key");
    let applied = runs(&workspace, "apply.sh", 0).stdout;
    has_parts(&applied, &["Apply complete!"]);
    assert_eq!(service.display_name("viewer"), "Viewer");
    for text in [planned, applied] {
        has_parts(&text, &[": :warning::z", "# #vso[x]"]);
        for part in ["\n::", "##vso[", "\u{1b}", "\u{202e}"] {
            assert!(!text.contains(part), "{part:?}: {text}");
        }
    }
    // The state has changed since: the same plan is not applied twice.
    let output = runs(&workspace, "apply.sh", 1);
    assert!(output.stdout.contains("stale"), "{}", output.stdout);

    // A summary without its report would look complete, and its plan must not be applied.
    let output = Outcome::of(command(&workspace, "plan.sh").env("PROVIDER_BINARY", "")).exits(1);
    has_parts(&output.stderr, &["must contain the provider access/access"]);
    for file in ["plan", "summary.md"] {
        assert!(!workspace.path().join("access-plan").join(file).exists(), "{file}");
    }
}

#[test]
fn plan_summary_contains_warnings_and_a_failed_plan_its_errors_and_no_plan() {
    if !has_tools(&["jq"]) {
        return;
    }
    let (service, workspace) = Service::with_applied(ROLE);
    // Runners execute logging commands in the output of a job.
    let description = "##vso[task.setvariable variable=X]y\n::warning::z\n  ::error::e ###[group]";
    let fields = json!({"displayName": "By hand", "description": description});
    service.change_role("github", "viewer", fields);
    workspace
        .configure(ROLE.replace("priority     = 0", "priority     = 0\n  resources    = [\"r\"]"));
    let output = runs(&workspace, "plan.sh", 0);
    let text = workspace.read("access-plan/summary.md");
    assert_eq!(output.stdout, text);
    let place = "\n      with access_listing_role.viewer,\n      on main.tf line 6, in resource \"access_listing_role\" \"viewer\":\n      6:   resources    = [\"r\"]\n";
    let inert = ["# #vso[task.setvariable variable=X]y", ": :warning::z", ": :error::e # # #["];
    has_parts(&text, &inert);
    has_parts(&text, &["\n### Warnings\n\n    Warning: ", place]);
    for part in ["##vso[", "##[", "\n::", "### Errors"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    let plan = workspace.read("access-plan/plan.json");
    assert!(plan.contains("By hand"), "the state and the change are in it: {plan}");
    assert!(!plan.contains("admin-key"), "{plan}");

    // Terraform keeps a plan that has failed, with the counts of the part that it has planned.
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "plan.sh", 1);
    let text = workspace.read("access-plan/summary.md");
    assert_eq!(output.stderr, text);
    assert!(text.starts_with("## Plan failed\n"), "{text}");
    let place = "\n      with access_listing_role.viewer,\n      on main.tf line 1, in resource";
    has_parts(&text, &["\n### Errors\n\n    Error: ", place, "not for this key"]);
    assert!(!text.contains(" to add"), "{text}");
    for file in ["plan", "plan.part", "plan.json", "plan.txt"] {
        assert!(!workspace.path().join("access-plan").join(file).exists(), "{file}");
    }
}

/// A create does not contain the address that it was planned for.
#[test]
fn plan_is_applied_at_the_base_addresses_that_it_was_made_for() {
    if !has_tools(&["jq"]) {
        return;
    }
    let (service, other) = (Service::full(), Service::full());
    other.put_viewer();
    let name = "TF_VAR_eu_base_url";
    let adopting = ROLE.replace("priority     = 0", "priority     = 0\n  adopt_existing = true");
    let mut workspace = service.configured(adopting).with(name, "https://eu.example.com");
    runs(&workspace, "plan.sh", 0);
    for (variable, right, wrong) in [
        ("ACCESS_BASE_URL", service.base_url(), other.base_url()),
        (name, "https://eu.example.com".to_owned(), "https://us.example.com".to_owned()),
        (name, "https://eu.example.com".to_owned(), String::new()),
        ("TF_VAR_base_url", String::new(), "https://us.example.com".to_owned()),
    ] {
        workspace.set(variable, &wrong);
        let output = runs(&workspace, "apply.sh", 1).stderr;
        let texts = ["Nothing was applied.", right.as_str(), wrong.as_str()];
        has_parts(&output, &texts);
        workspace.set(variable, &right);
    }
    // Terraform prefers a value in these files to a variable.
    for (file, text) in [
        ("terraform.tfvars", "eu_base_url = \"https://us.example.com\"\n"),
        ("terraform.tfvars.json", "{\"eu\\u005fbase_ur\\u006c\": \"https://us.example.com\"}"),
        ("other.auto.tfvars", "eu_base_url = \"https://us.example.com\"\n"),
        ("other.auto.tfvars.json", "{\"eu_base_url\": \"https://us.example.com\"}"),
    ] {
        workspace.write(file, text);
        let output = runs(&workspace, "apply.sh", 1).stderr;
        has_parts(&output, &[&format!("{file} sets a base address")]);
        std::fs::remove_file(workspace.path().join(file)).expect("the file");
    }
    assert_eq!(service.writes().len() + other.writes().len(), 0);
    assert_eq!(other.display_name("viewer"), "Viewer");
    workspace.write("terraform.tfvars", "team = \"payments\"\n");
    runs(&workspace, "apply.sh", 0);
    assert_eq!(service.display_name("viewer"), "Viewer");
    workspace.write("terraform.tfvars", "eu_base_url = \"https://us.example.com\"\n");
    runs(&workspace, "plan.sh", 1);
    assert!(!workspace.path().join("access-plan/plan").exists());
}

/// Terraform would be killed by a pipe that nobody reads.
#[test]
fn output_that_cannot_be_shown_ends_no_apply() {
    let (service, workspace) = Service::with_workspace();
    workspace.configure(ROLE);
    workspace.run(&["plan", "-out=plan"]).succeeds();
    let tools = tempfile::tempdir().expect("a directory");
    for name in ["dirname", "sh"] {
        let find = Outcome::of(Command::new("sh").args(["-c", &format!("command -v {name}")]));
        std::os::unix::fs::symlink(find.stdout.trim(), tools.path().join(name)).expect("a tool");
    }
    let base_url = format!("ACCESS_BASE_URL={}\n", service.base_url());
    workspace.write("base-urls", &base_url);
    let mut without = command(&workspace, "apply.sh");
    let output = Outcome::of(without.arg(".").env("PATH", tools.path())).exits(1);
    assert_eq!(output.stderr, "jq is not installed. Nothing was applied.\n");
    assert_eq!(service.writes().len(), 0);

    for name in ["tr", "jq"] {
        tool(tools.path(), name, "exit 1");
    }
    let mut broken = command(&workspace, "apply.sh");
    Outcome::of(broken.arg(".").env("PATH", path_from(tools.path()))).succeeds();
    assert_eq!(workspace.state_size(), 1);
}

#[test]
fn summary_of_many_changes_fits_into_a_comment() {
    if !has_tools(&["jq"]) {
        return;
    }
    let workspace = Service::full().workspace();
    let addresses = (0..120).map(|number| format!("access_listing_role.many[{number}]"));
    let addresses: Vec<_> = addresses.collect();
    let changes = addresses.iter().enumerate().map(|(number, address)| {
        let (id, display_name) = (format!("role-{number}"), "a long name ".repeat(20));
        let after = json!({"listing": "github", "role": id, "display_name": display_name, "priority": 0});
        json!({
            "address": address, "mode": "managed", "type": "access_listing_role", "name": "many", "index": number,
            "provider_name": "registry.terraform.io/access/access",
            "change": {"actions": ["create"], "before": null, "after": after, "after_unknown": {}},
        })
    });
    let changes: Vec<_> = changes.collect();
    let plan = json!({"format_version": "1.2", "resource_changes": changes});
    workspace.write("plan.json", &plan.to_string());
    let lines = addresses.iter().map(|address| format!("  # {address} will be created\n"));
    let text = lines.collect::<String>() + &"  + a long line of the plan\n".repeat(600);
    workspace.write("plan.txt", &text);
    let warning = |number| {
        let warning =
            json!({"severity": "warning", "summary": number, "detail": "long ".repeat(60)});
        json!({"type": "diagnostic", "diagnostic": warning}).to_string() + "\n"
    };
    let warnings = (0..50).map(|number| warning(format!("Warning {number}")));
    let counts = json!({"type": "change_summary", "@message": "Plan: 120 to add"}).to_string();
    workspace.write("messages.jsonl", &(warnings.collect::<String>() + &counts + "\n"));
    Outcome::of(command(&workspace, "summary.sh").args(["Plan", "."])).succeeds();

    let cut = "\n    ... (cut; the log of the job has the rest)\n";
    let text = workspace.read("summary.md");
    has_parts(
        &text,
        &["\n## Plan\n\nPlan: 120 to add\n", " more", &format!("{cut}\n</details>\n")],
    );
    assert_eq!(text.matches(cut).count(), 2, "{text}");
    assert!(text.starts_with("120 ") && text.ends_with("\n</details>\n"), "{text}");
    assert!((40_000..60_000).contains(&text.len()), "{}", text.len());
    // The log of the job.
    let whole = workspace.read("whole.md");
    let parts = addresses.iter().map(|address| format!("    # {address} will be created\n"));
    has_parts(&whole, &parts.collect::<Vec<_>>());
    has_parts(&whole, &["\n    Warning: Warning 49\n"]);
    assert!(!whole.contains(cut) && whole.matches("listings/github/roles/role-").count() >= 120);
}

#[test]
fn inert_text_is_indented_and_has_no_logging_commands() {
    if !has_tools(&["jq"]) {
        return;
    }
    let rows = [
        ("a::b # c", "a::b # c"),
        ("", ""),
        ("\td", "\td"),
        ("##vso[task.complete]x", "# #vso[task.complete]x"),
        ("a ###[x] #####", "a # # #[x] # # # # #"),
        ("## Roles", "## Roles"),
        ("### ##vso[x]", "### # #vso[x]"),
        (" - ::warning::z", " - : :warning::z"),
        (":::w", ": ::w"),
        // A runner skips every blank of Unicode, and a carriage return ends its line.
        ("\u{a0}\u{3000}::w::", "\u{a0}\u{3000}: :w::"),
        ("a\r::w::", "a ::w::"),
        ("#\r#vso[x]\r", "# #vso[x] "),
        ("\u{1b}[1mx\u{202e}y\u{200b}::w::", "�[1mx�y�::w::"),
        ("\u{1b}::w::", "�: :w::"),
        ("a\0b", "a�b"),
        (
            "a\u{202e}b\u{2066}c\u{9b}d\u{e0041}e\u{34f}f\u{2800}g\u{3164}h\u{e0100}i\u{2028}j\tk é\u{a0}🦀",
            "a�b�c�d�e�f�g�h�i�j\tk é\u{a0}🦀",
        ),
    ];
    let input = rows.map(|(text, _)| text).join("\n");
    let mut command = Command::new("sh");
    let output = Outcome::with_input(command.arg(script("inert.sh")).arg("> "), input.as_bytes());
    let stdout = output.succeeds().stdout;
    assert_eq!(stdout.lines().count(), rows.len());
    for (line, (text, expected)) in stdout.lines().zip(rows) {
        assert_eq!(line, format!("> {expected}"), "{text:?}");
    }
}

/// `.terraform` may contain other versions and providers, such as one that a commit has added.
#[test]
fn provider_of_the_lock_file_writes_the_report() {
    if !has_tools(&["jq"]) {
        return;
    }
    let workspace = Service::full().workspace();
    let locked = |source: &str, version: &str| {
        format!("provider \"{source}\" {{\n  version     = \"{version}\"\n}}\n")
    };
    let version: serde_json::Value =
        serde_json::from_str(&workspace.run(&["version", "-json"]).stdout).expect("JSON");
    let platform = version["platform"].as_str().expect("a platform");
    let ours = "registry.terraform.io/access/access";
    let others = ["z.example/z/access", "registry.opentofu.org.z.example/access/access"];
    for (source, version) in
        [(ours, "0.1.0"), (ours, "9.9.9"), (others[0], "0.1.0"), (others[1], "0.1.0")]
    {
        let place = format!(".terraform/providers/{source}/{version}/{platform}");
        let place = workspace.path().join(place);
        std::fs::create_dir_all(&place).expect("a directory");
        tool(&place, "terraform-provider-access", &format!("echo {source} {version}"));
    }
    let another = |source: &str| locked(source, "0.1.0");
    // A block that is written in another way is one for Terraform.
    let spaced = locked(ours, "0.1.0").replace("provider ", "provider  ");
    for (lock, expected) in [
        (locked(ours, "0.1.0") + &another("registry.terraform.io/x/random"), Ok("0.1.0")),
        (locked(ours, "9.9.9"), Ok("9.9.9")),
        (locked(ours, "1.0.0"), Err("does not contain the one in .terraform.lock.hcl")),
        (spaced + &another(others[0]), Err("no other provider called access")),
        (another(others[1]), Err("no other provider called access")),
    ] {
        workspace.write(".terraform.lock.hcl", &lock);
        let mut command = command(&workspace, "report.sh");
        let output = Outcome::of(command.arg(".").env("PROVIDER_BINARY", ""));
        match expected {
            Ok(version) => assert_eq!(output.stdout, format!("{ours} {version}\n"), "{lock}"),
            Err(text) => assert!(output.stderr.contains(text), "{lock}: {}", output.stderr),
        }
        assert_eq!(output.code == 0, expected.is_ok(), "{lock}");
    }
}
