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
const TEXTS: [&str; 18] = [
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
    "##vso[task.setvariable variable=x]y ##[error]x",
    "::error::x",
    "\n::set-output name=x::y",
    "e\u{301} 日本語 🦀",
];

/// Returns a plan with each text at every place that a report shows.
fn plan(texts: &[String]) -> Value {
    let mut plan = json!({"format_version": "1.2"});
    for text in texts {
        let role = |listing: &str, role: &str| {
            json!({
                "listing": listing, "role": role, "display_name": text, "description": text,
                "priority": 1, "resources": [text, "r"], "manager": "TERRAFORM", "repo_uri": text,
                "repo_dir": text, "management": text, "create_time": text, "update_time": text,
            })
        };
        let owner = |principal: &str| json!({"integration": text, "owner": principal});
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
                "provider_name": "example.com/a/access", "change": change,
            })
        };
        let mut edited = role(text, "edited");
        edited["resources"] = json!(["s"]);
        let mut drifted = role("l", text);
        (drifted["repo_uri"], drifted["display_name"]) = (json!("x"), Value::Null);
        let mut imported = change(ROLE, role("i", text), role("i", text));
        imported["change"]["importing"] = json!({"id": text});
        let mut unknown = change(OWNER, Value::Null, json!({"integration": text}));
        unknown["change"]["after_unknown"] = json!({"owner": true});
        let deferred = change(ROLE, Value::Null, role("d", text));
        let changes = vec![
            change(ROLE, role(text, text), Value::Null),
            change(ROLE, Value::Null, role(text, "created")),
            change(ROLE, role(text, "edited"), edited),
            change(OWNER, Value::Null, owner(text)),
            change(OWNER, owner("users/x"), Value::Null),
            change(OWNERS, owners(&[text, "users/a"]), owners(&["users/a", "users/b"])),
            imported,
            unknown,
        ];
        for (list, entries) in [
            ("resource_changes", changes),
            ("resource_drift", vec![change(ROLE, role("l", text), drifted)]),
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
    for command in ["##vso[", "##[", "\n::"] {
        assert!(!markdown.contains(command), "{command}");
    }
}

fn report(workspace: &Workspace, arguments: &[&str]) -> String {
    workspace.run_provider(&[&["report", "plan.json"], arguments].concat()).succeeds().stdout
}

#[test]
fn hostile_text_is_code_in_every_section() {
    let (_service, workspace) = Service::with_workspace();
    let runs = [79, 80, 81, 200, 5_000].map(|count| format!("a{}b", "`".repeat(count)));
    let texts = SHORT.into_iter().chain(TEXTS).map(str::to_owned);
    let texts: Vec<_> = texts.chain(runs).chain(["long ` ".repeat(1_500)]).collect();
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
        assert!(revoke.iter().any(|entry| entry["resource"] == **text), "{text}");
    }
}

#[test]
fn limit_shortens_each_section_and_never_the_counts() {
    let (_service, workspace) = Service::with_workspace();
    let mut large = plan(&["x".to_owned()]);
    let template = large["resource_changes"][0].clone();
    for number in 0..100 {
        let mut change = template.clone();
        change["change"]["before"]["role"] = json!(format!("role-{number:03}"));
        change["change"]["before"]["resources"] =
            (0..7).map(|it| format!("r/{it}-{}", "long".repeat(40))).collect();
        large["resource_changes"].as_array_mut().expect("changes").push(change);
    }
    for (case, plan) in [("entries", large), ("texts", plan(&["a`b ".repeat(2_500)]))] {
        workspace.write("plan.json", &plan.to_string());
        let run = |limit: usize| report(&workspace, &["--limit", &limit.to_string()]);
        let whole = run(1_000_000_000);
        assert!(whole.len() > 100_000 && !whole.contains("not shown"), "{case}");
        let counts = whole.lines().next();
        for limit in [0, 300, 1_200, 2_500, 5_000, 20_000, 60_000] {
            let text = run(limit);
            is_inert(&text);
            assert_eq!((text.lines().next(), text.lines().last()), (counts, counts), "{case}");
            if text.lines().count() == 1 {
                assert!(limit <= 2_500, "{case} {limit}: {text}");
                continue;
            }
            assert!(text.len() <= limit, "{case} {limit}: {}", text.len());
            let sections: Vec<_> = text.split("\n## ").skip(1).collect();
            assert_eq!(sections.len(), 6, "{case} {limit}: {text}");
            assert!(sections.iter().all(|section| section.contains("\n- ")), "{case} {limit}");
        }
        // Entries and those that are missing are all entries.
        let entries = |text: &str| text.matches("\n- [ ] ").count();
        let text = run(20_000);
        let (_, section) = text.split_once("## To revoke by hand").expect("a section");
        let section = section.split("\n## ").next().expect("its end");
        let missing = section.lines().find_map(|line| line.strip_suffix(" more are not shown."));
        let missing = missing.map_or(0, |count| count.parse().expect("a number"));
        assert_eq!(entries(&text) + missing, entries(&whole), "{case}");
    }
}
