//! Text from a configuration or the service is shown as code, and as nothing else. The reports are
//! rendered with comrak, a port of the renderer that GitHub uses, with GitHub's extensions.

use comrak::nodes::{ListType, NodeValue};
use comrak::{Arena, Options, parse_document};
use serde_json::{Value, json};

use super::TITLES;
use crate::support::fixtures::{OWNER, OWNERS, ROLE};
use crate::support::{Service, Workspace};

/// Texts that would be something else than text: short ones, and several constructs in each of the
/// others.
const SHORT: [&str; 15] =
    ["", " ", "`", "``", "a`b", " ` ", "\\`", "a\\", "|", "#1", "GH-1", "***", "&", "~~~", "-->"];
const TEXTS: [&str; 17] = [
    "`` `x` ``",
    "# Heading",
    "[x]: https://evil.example",
    "@octocat @org/team [x](https://evil.example) ![x](https://evil.example/a.png)",
    "<https://evil.example> https://evil.example www.evil.example mail@evil.example",
    "org/repo#1 0123456789abcdef0123456789abcdef01234567 :smile: [^1] $`x`$ $$x$$",
    "&lt;b&gt;&#64;a **b** _i_ ~~s~~",
    "<b>x</b><img src=x onerror=alert(1)><!-- x </code><details>",
    "a | b |\n|---|---|",
    "x\n\n## To revoke by hand\n\n- [x] `all`: `done`\n\n===\n---\n***\n> quote\n1. one\n[^1]: note",
    "x\r\n- [ ] y",
    "```\nx\n```",
    "\u{202e}gnp.exe\u{2066}a\u{2069} a\u{200b}b\u{200d}c\u{feff}\u{e0041}\u{ad}\u{3164}\u{115f}\u{180e}",
    "\u{1b}[31mred\u{0}\u{7}\u{8}\t\u{85}\u{2028}\u{2029}\u{a0}\u{2003}\u{3000}\u{fff9}\u{fffe}",
    "::error::x",
    "\n::set-output name=x::y",
    "e\u{301} 日本語 🦀",
];

/// Returns a plan with each text at every place that a report shows.
fn plan(texts: &[String]) -> Value {
    let commands = texts.iter().map(|text| json!({"address": text, "provisioners": [{}]}));
    let commands: Vec<_> = commands.collect();
    let mut plan = json!({
        "format_version": "1.2", "configuration": {"root_module": {"resources": commands}},
    });
    for text in texts {
        // A name is never empty.
        let name = if text.is_empty() { "x" } else { text };
        let role = |listing: &str, role: &str| {
            json!({
                "listing": listing, "role": role, "display_name": text, "description": text,
                "priority": 1, "resources": [text, "r"], "manager": "TERRAFORM", "repo_uri": text,
                "repo_dir": text, "management": text, "create_time": text, "update_time": text,
            })
        };
        let owner = |principal: &str| json!({"integration": name, "owner": principal});
        let owners = |all: &[&str]| json!({"integration": format!("okta {text}"), "owners": all});
        let change = |kind: &str, before: Value, after: Value| {
            let actions = match (before.is_null(), after.is_null()) {
                (true, _) => ["create"],
                (_, true) => ["delete"],
                _ => ["update"],
            };
            let change = json!({"actions": actions, "before": before, "after": after});
            json!({
                "address": format!("{kind}.x[{}]", json!(text)), "mode": "managed", "type": kind,
                "change": change,
            })
        };
        let mut edited = role(name, "edited");
        (edited["resources"], edited["display_name"]) = (json!(["s"]), json!("New"));
        let mut drifted = role("l", name);
        (drifted["repo_uri"], drifted["display_name"]) = (json!("x"), Value::Null);
        let mut imported = change(ROLE, role("i", name), role("i", name));
        imported["change"]["importing"] = json!({"id": text});
        let mut unknown = change(OWNER, Value::Null, json!({"integration": name}));
        unknown["change"]["after_unknown"] = json!({"owner": true});
        let deferred = change(ROLE, Value::Null, role("d", name));
        let changes = vec![
            change(ROLE, role(name, name), Value::Null),
            change(ROLE, Value::Null, role(name, "created")),
            change(ROLE, role(name, "edited"), edited),
            change(OWNER, Value::Null, owner(name)),
            change(OWNER, owner("users/x"), Value::Null),
            change(OWNERS, owners(&[text, "users/a"]), owners(&["users/a", "users/b"])),
            imported,
            unknown,
        ];
        for (list, entries) in [
            ("resource_changes", changes),
            ("resource_drift", vec![change(ROLE, role("l", name), drifted)]),
            ("deferred_changes", vec![json!({"reason": text, "resource_change": deferred})]),
        ] {
            let all = plan[list].as_array().into_iter().flatten().cloned();
            plan[list] = all.chain(entries).collect();
        }
    }
    plan
}

/// The words of a report that are not code.
fn vocabulary(text: &str) -> bool {
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || " ,:;._-()→".contains(character);
    text.chars().all(allowed) && !text.contains("www") && !text.contains("://")
}

/// Fails the test unless the rendered report consists of its sections, its lists, its own words and
/// code.
#[track_caller]
fn is_inert(markdown: &str) {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let mut headings = 0;
    for node in parse_document(&arena, markdown, &options).descendants() {
        let data = node.data.borrow();
        let line = || markdown.lines().nth(data.sourcepos.start.line - 1).unwrap_or_default();
        match &data.value {
            NodeValue::Document
            | NodeValue::Paragraph
            | NodeValue::Item(_)
            | NodeValue::Code(_) => {}
            NodeValue::List(list) => assert_eq!(list.list_type, ListType::Bullet, "{}", line()),
            NodeValue::TaskItem(item) => assert_eq!(item.symbol, None, "{}", line()),
            NodeValue::Heading(_) => {
                assert!(TITLES.iter().any(|title| line() == format!("## {title}")), "{}", line());
                headings += 1;
            }
            NodeValue::Text(text) => assert!(vocabulary(text), "{text:?} in {}", line()),
            other => panic!("{other:?} in {}", line()),
        }
    }
    assert!([0, TITLES.len()].contains(&headings), "{headings}");
    let unseen = |character: char| {
        (character.is_control() && character != '\n')
            || "\u{202e}\u{2066}\u{2069}\u{200b}\u{200d}\u{feff}\u{e0041}\u{ad}\u{3164}\u{115f}\u{2028}\u{a0}\u{fff9}\u{180e}"
                .contains(character)
    };
    assert!(!markdown.contains(unseen), "{:?}", markdown.find(unseen));
    assert!(!markdown.contains("\n::"), "a command of GitHub's runner");
}

fn report(workspace: &Workspace, arguments: &[&str]) -> String {
    workspace.run_provider(&[&["report", "plan.json"], arguments].concat()).succeeds().stdout
}

#[test]
fn hostile_text_is_code_in_every_section() {
    let (_service, workspace) = Service::with_workspace();
    let runs = [79, 80, 81, 500].map(|count| format!("a{}b", "`".repeat(count)));
    let texts = SHORT.into_iter().chain(TEXTS).map(str::to_owned);
    let texts: Vec<_> = texts.chain(runs).chain(["long ` ".repeat(200)]).collect();
    workspace.write("plan.json", &plan(&texts).to_string());
    let whole = report(&workspace, &["--limit=1000000000"]);
    is_inert(&whole);
    assert_eq!(whole.matches("\n## ").count(), 6);
    let shortened = report(&workspace, &[]);
    is_inert(&shortened);
    assert!(shortened.len() <= 20_000, "{}", shortened.len());
    // JSON holds the original strings.
    let json = report(&workspace, &["--format=json", "--limit=10"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let revoke = json["revoke"].as_array().expect("a list");
    for text in &texts {
        let is_in = |entry: &Value| {
            entry["resources"].as_array().is_some_and(|all| all.contains(&json!(text)))
        };
        assert!(revoke.iter().any(is_in), "{text}");
    }
    let help = report(&workspace, &["--help"]);
    let help: Vec<_> = help.split(|it: char| !it.is_alphanumeric() && it != '_').collect();
    let undocumented: Vec<_> =
        members(&json).into_iter().filter(|name| !help.contains(&&**name)).collect();
    assert_eq!(undocumented, [""; 0]);
}

/// Returns the names of all members in a value.
fn members(value: &Value) -> Vec<String> {
    match value {
        Value::Array(elements) => elements.iter().flat_map(members).collect(),
        Value::Object(object) => object
            .iter()
            .flat_map(|(name, value)| [vec![name.clone()], members(value)].concat())
            .collect(),
        _ => vec![],
    }
}
