//! Text from a configuration or the service is shown as code, and as nothing else. The reports are rendered
//! with comrak, a port of the renderer that GitHub uses, with GitHub's extensions.

use std::collections::BTreeSet;

use comrak::nodes::{AstNode, ListType, NodeValue};
use comrak::{Arena, Options, parse_document};
use serde_json::{Value, json};

use super::{DRIFT, MANAGEMENT, OWNERS, REVOKE, ROLES, UNKNOWN};
use crate::support::Service;

/// Texts that would be something else than text.
fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "`",
        "``",
        "a`b",
        " ` ",
        "`` `x` ``",
        "\\`",
        "a\\",
        "|",
        "a | b |\n|---|---|",
        "@octocat",
        "@org/team",
        "[x](https://evil.example)",
        "![x](https://evil.example/a.png)",
        "<https://evil.example>",
        "https://evil.example",
        "www.evil.example",
        "mail@evil.example",
        "[x]: https://evil.example",
        "#1",
        "org/repo#1",
        "GH-1",
        "0123456789abcdef0123456789abcdef01234567",
        "# Heading",
        "## Owners, effective at once",
        "x\n# Heading\n",
        "x\n\n## To revoke by hand\n\n- [x] `all`: `done`",
        "x\r\n- [ ] y",
        "===\n---",
        "***",
        "**b** _i_ ~~s~~",
        "<b>x</b>",
        "<img src=x onerror=alert(1)>",
        "<!-- x",
        "-->",
        "</code>",
        "<details>",
        "&lt;b&gt;&#64;a",
        "&",
        "```\nx\n```",
        "~~~",
        "> quote",
        "1. one",
        "- [x] done",
        "$`x`$",
        "$$x$$",
        ":smile:",
        "[^1]",
        "[^1]: note",
        "\u{202e}gnp.exe",
        "\u{2066}a\u{2069}",
        "a\u{200b}b\u{200d}c\u{feff}",
        "\u{e0041}\u{e0042}",
        "\u{ad}",
        "\u{3164}",
        "\u{115f}",
        "\u{1b}[31mred",
        "\u{0}\u{7}\u{8}",
        "\u{85}\u{2028}\u{2029}",
        "\u{a0}\u{2003}\u{3000}",
        "\t",
        "\u{fff9}",
        "\u{fffe}",
        "\u{180e}",
        "##vso[task.setvariable variable=x]y",
        "##[error]x",
        "::error::x",
        "\n::set-output name=x::y",
        "",
        " ",
        "  ",
        "e\u{301}",
        "日本語",
        "🦀",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect();
    texts.extend([1, 79, 80, 81, 200].map(|count| format!("a{}b", "`".repeat(count))));
    texts.push("`".repeat(5_000));
    texts.push("long ` ".repeat(150_000));
    texts
}

/// Returns a plan with a text at every place that a report shows.
fn plan(text: &str) -> Value {
    let role = |listing: &str, role: &str| {
        json!({
            "listing": listing, "role": role, "display_name": text, "description": text, "priority": 1,
            "resources": [text, "r"], "manager": "TERRAFORM", "repo_uri": text, "repo_dir": text,
            "management": text, "create_time": text, "update_time": text, "deletion_policy": null,
        })
    };
    let owner =
        |principal: &str| json!({"integration": text, "owner": principal, "deletion_policy": null});
    let owners = |principals: &[&str]| json!({"integration": "okta", "owners": principals});
    let change = |kind: &str, actions: &[&str], before: Value, after: Value| {
        json!({
            "address": format!("{kind}.x[{}]", json!(text)), "mode": "managed", "type": kind,
            "provider_name": "example.com/a/access",
            "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}},
        })
    };
    const ROLE: &str = "access_listing_role";
    let mut updated = role(text, "updated");
    (updated["display_name"], updated["resources"]) = (json!("new"), json!(["s"]));
    let mut drifted = role("l", text);
    (drifted["repo_uri"], drifted["display_name"]) = (json!(format!("{text}x")), json!(null));
    let mut imported = change(ROLE, &["no-op"], role("i", text), role("i", text));
    imported["change"]["importing"] = json!({"id": text});
    let mut unknown =
        change("access_integration_owner", &["create"], Value::Null, json!({"integration": text}));
    unknown["change"]["after_unknown"] = json!({"owner": true});
    let deferred = change(ROLE, &["create"], Value::Null, role("d", text));
    json!({
        "format_version": "1.2",
        "resource_changes": [
            change(ROLE, &["create"], Value::Null, role(text, "created")),
            change(ROLE, &["update"], role(text, "updated"), updated),
            change(ROLE, &["delete"], role(text, text), Value::Null),
            change("access_integration_owner", &["create"], Value::Null, owner(text)),
            change("access_integration_owner", &["delete"], owner("users/x"), Value::Null),
            change("access_integration_owners", &["update"], owners(&[text, "users/a"]), owners(&["users/a", "users/b"])),
            imported,
            unknown,
        ],
        "resource_drift": [change(ROLE, &["update"], role("l", text), drifted)],
        "deferred_changes": [{"reason": text, "resource_change": deferred}],
    })
}

/// The words of a report that are not code.
fn vocabulary(text: &str) -> bool {
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || " ,:;._-()→".contains(character);
    text.chars().all(allowed) && !text.contains("www") && !text.contains("://")
}

/// Fails the test unless the rendered report consists of its sections, its lists, its own words and code.
#[track_caller]
fn is_inert(markdown: &str, case: &str) -> Vec<String> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options);
    let titles: BTreeSet<_> = [OWNERS, ROLES, REVOKE, DRIFT, MANAGEMENT, UNKNOWN].into();
    let (mut codes, mut headings) = (Vec::new(), Vec::new());
    for node in root.descendants() {
        match &node.data.borrow().value {
            NodeValue::Document | NodeValue::Paragraph | NodeValue::Item(_) => {}
            NodeValue::List(list) => assert_eq!(list.list_type, ListType::Bullet, "{case}"),
            NodeValue::TaskItem(item) => assert_eq!(item.symbol, None, "{case}: done already"),
            NodeValue::Heading(heading) => {
                assert_eq!(heading.level, 2, "{case}");
                headings.push(text_of(node));
            }
            NodeValue::Text(text) => assert!(vocabulary(text), "{case}: {text:?}"),
            NodeValue::Code(code) => codes.push(code.literal.clone()),
            NodeValue::SoftBreak => panic!("{case}: an entry has two lines"),
            other => panic!("{case}: {other:?}"),
        }
    }
    assert!(
        headings.iter().all(|heading| titles.contains(heading.as_str())),
        "{case}: {headings:?}"
    );
    let unseen = |character: char| {
        (character.is_control() && character != '\n')
            || "\u{202e}\u{2066}\u{2069}\u{200b}\u{200d}\u{feff}\u{e0041}\u{ad}\u{3164}\u{115f}\u{2028}\u{a0}\u{fff9}\u{180e}"
                .contains(character)
    };
    assert!(!markdown.contains(unseen), "{case}");
    for command in ["##vso[", "##[", "\n::"] {
        assert!(!markdown.contains(command), "{case}: {command}");
    }
    codes
}

fn text_of<'a>(node: &'a AstNode<'a>) -> String {
    let text = |node: &'a AstNode<'a>| match &node.data.borrow().value {
        NodeValue::Text(text) => text.to_string(),
        _ => String::new(),
    };
    node.descendants().map(text).collect()
}

#[test]
fn hostile_text_is_code_in_every_section() {
    let service = Service::full();
    let workspace = service.workspace();
    for text in hostile_texts() {
        let case: String = text.chars().take(40).collect();
        workspace.write("plan.json", &plan(&text).to_string());
        let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
        let codes = is_inert(&markdown, &case);
        assert_eq!(markdown.matches("\n## ").count(), 6, "{case}: {markdown}");
        assert!(markdown.len() <= 20_000, "{case}: {}", markdown.len());
        // What needs no escape is shown as it is.
        let is_plain =
            |character: char| !character.is_control() && (' '..='~').contains(&character);
        let is_command = text.starts_with("##vso") || text.starts_with("##[");
        if text.len() < 80
            && text.trim() == text
            && text.chars().all(is_plain)
            && !text.is_empty()
            && !is_command
        {
            assert!(codes.contains(&text), "{case}: {codes:?}");
        }
        // JSON holds the original strings.
        let json = workspace
            .run_provider(&["report", "--format=json", "--limit=10", "plan.json"])
            .succeeds();
        let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert!(
            json["revoke"].as_array().unwrap().iter().any(|it| it["resource"] == *text),
            "{case}"
        );
    }
}

#[test]
fn limit_shortens_each_section_and_never_the_counts() {
    let service = Service::full();
    let workspace = service.workspace();
    let mut large = plan("x");
    let template = large["resource_changes"][2].clone();
    for number in 0..300 {
        let mut change = template.clone();
        change["change"]["before"]["role"] = json!(format!("role-{number:03}"));
        change["change"]["before"]["resources"] =
            json!((0..7).map(|it| format!("r/{it}-{}", "long".repeat(40))).collect::<Vec<_>>());
        change["address"] = json!(format!("access_listing_role.x[{number}]"));
        large["resource_changes"].as_array_mut().unwrap().push(change);
    }
    for (case, plan) in [("many entries", large), ("long texts", plan(&"a`b ".repeat(25_000)))] {
        workspace.write("plan.json", &plan.to_string());
        let run = |limit: &str| {
            workspace.run_provider(&["report", "--limit", limit, "plan.json"]).succeeds().stdout
        };
        let whole = run("1000000000");
        let first = whole.lines().next().unwrap();
        for limit in [0, 10, 300, 1_200, 2_500, 5_000, 20_000, 60_000] {
            let text = run(&limit.to_string());
            is_inert(&text, case);
            assert_eq!(
                (text.lines().next(), text.lines().last()),
                (Some(first), Some(first)),
                "{case}"
            );
            if text.lines().count() == 1 {
                assert!(limit <= 2_500, "{case} {limit}: {text}");
                continue;
            }
            assert!(text.len() <= limit, "{case} {limit}: {}", text.len());
            let sections: Vec<_> = text.split("\n## ").skip(1).collect();
            assert_eq!(sections.len(), 6, "{case} {limit}: {text}");
            for section in sections {
                assert!(section.contains("\n- "), "{case} {limit}: {section}");
            }
        }
        assert!(whole.len() > 100_000 && !whole.contains("not shown"), "{case}");
        // Entries and those that are missing are all entries.
        let text = run("20000");
        let section = |text: &str| {
            text.split("## To revoke by hand")
                .nth(1)
                .unwrap()
                .split("\n## ")
                .next()
                .unwrap()
                .to_owned()
        };
        let (shown, all) = (section(&text), section(&whole));
        let count = |text: &str| text.matches("\n- [ ] ").count();
        let missing =
            shown.lines().find_map(|line| line.strip_suffix(" more are not shown.")?.parse().ok());
        assert_eq!(count(&shown) + missing.unwrap_or(0), count(&all), "{case}: {shown}");
    }
}
