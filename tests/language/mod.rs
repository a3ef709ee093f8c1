//! The vocabulary of sources and documentation: [`rules`] lists terms that must not come back.

mod rules;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::tracked_files;
use rules::{Pattern, RULES};

/// Files whose text is not ours or is generated from files that are checked.
const NOT_OURS: &[(&str, &str)] = &[
    ("LICENSE", "the Apache License"),
    ("Cargo.lock", "names of other crates"),
    ("benchmarks/", "written by `cargo xtask bench`"),
    ("crates/plugin-server/proto/", "protocol definitions of HashiCorp and the gRPC project"),
    ("crates/plugin-server/src/pb/", "generated from those"),
    ("docs/", "written by `cargo xtask docs`"),
    ("tests/fixtures/", "recorded states"),
    ("tests/language/", "names the terms"),
];

/// A term of the dialect in a file.
struct Finding {
    file: String,
    line: usize,
    term: String,
    instead: &'static str,
}

/// A word of a line: in lower case, and the bytes of the line that it is.
struct Word {
    text: String,
    start: usize,
    end: usize,
}

/// Splits a line into words. Identifiers are split where they change case and at underscores.
fn words(line: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let mut previous = ' ';
    for (at, character) in line.char_indices() {
        let is_part = |character: char| character.is_alphabetic() || character == '\'';
        let begins = !is_part(previous) || (previous.is_lowercase() && character.is_uppercase());
        if is_part(character) {
            if begins {
                all.push(Word { text: String::new(), start: at, end: at });
            }
            if let Some(word) = all.last_mut() {
                word.text.extend(character.to_lowercase());
                word.end = at + character.len_utf8();
            }
        }
        previous = character;
    }
    all
}

/// Returns the words of a line that form one of the terms, as they are written there.
fn find_words<'l>(line: &'l str, all: &[Word], terms: &[&str]) -> Option<&'l str> {
    for term in terms {
        let term: Vec<&str> = term.split([' ', '_']).collect();
        let found = all.windows(term.len()).find(|window| {
            let is_equal = window.iter().zip(&term).all(|(word, term)| word.text == *term);
            let is_joined = window.windows(2).all(|pair| {
                ["", " ", "_", "-"].contains(&line[pair[0].end..pair[1].start].trim_matches('`'))
            });
            is_equal && is_joined
        });
        if let Some(window) = found {
            return line.get(window.first()?.start..window.last()?.end);
        }
    }
    None
}

/// Returns the name of a type that ends with `suffix`. In prose a capital letter is the start of a
/// sentence, so that the suffix alone counts only where code names a type.
fn find_type<'l>(line: &'l str, suffix: &str) -> Option<&'l str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    for (at, _) in line.match_indices(suffix) {
        let end = at + suffix.len();
        if line[end..].chars().next().is_some_and(is_part) {
            continue;
        }
        let start =
            line[..at].rfind(|character| !is_part(character)).map_or(0, |before| before + 1);
        let name = &line[start..end];
        let before = line[..start].trim_end();
        let keywords = ["struct", "enum", "type", "impl", "for", "->", "<", ":", "&", "dyn"];
        let is_named = keywords.iter().any(|keyword| before.ends_with(keyword));
        let is_path = line[end..].starts_with("::") || line[end..].starts_with('>');
        let is_longer = start < at && name.starts_with(char::is_uppercase);
        let is_comment = line.trim_start().starts_with("//");
        if is_longer || (!is_comment && (is_named || is_path)) {
            return Some(name);
        }
    }
    None
}

/// Returns the text of a line that is a comment, without its marker.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["///", "//!", "//", "# "].iter().find_map(|marker| line.strip_prefix(marker)).map(str::trim)
}

/// Returns the part of a line that a pattern matches. `words` are those of the line, and `before` is the
/// line above it.
fn find<'l>(
    pattern: &Pattern,
    line: &'l str,
    words: &[Word],
    before: &str,
    is_heading: bool,
) -> Option<&'l str> {
    match pattern {
        Pattern::Words(terms) => find_words(line, words, terms),
        Pattern::Type(suffix) => find_type(line, suffix),
        Pattern::CommentStart(start) => {
            let is_first = comment(before).is_none_or(str::is_empty);
            let text = comment(line).filter(|_| is_first && !is_heading)?;
            let rest = text.strip_prefix(start)?;
            rest.starts_with(' ').then(|| &text[..start.len()])
        }
        Pattern::CausalFor(followers) => {
            line.match_indices(", for ").find_map(|(at, separator)| {
                let rest = &line[at + separator.len()..];
                let next = rest.split(|character: char| !character.is_alphanumeric()).next()?;
                let is_causal = followers.contains(&next.to_lowercase().as_str());
                is_causal.then(|| &line[at..at + separator.len() + next.len()])
            })
        }
        Pattern::Question => (is_heading && line.trim_end().ends_with('?')).then_some(line),
    }
}

/// Returns every term of the dialect in a text.
fn check(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_markdown = file.ends_with(".md");
    let (mut before, mut is_code) = ("", false);
    // The name of the file counts as line 0.
    for (number, line) in std::iter::once(file).chain(text.lines()).enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let is_heading = is_markdown && !is_code && number > 0 && line.starts_with('#');
        let lower = line.to_lowercase();
        let words = words(line);
        for rule in RULES {
            if rule.unless.iter().any(|part| lower.contains(part)) {
                continue;
            }
            if let Some(term) = find(&rule.pattern, line, &words, before, is_heading) {
                let (file, term) = (file.to_owned(), term.to_owned());
                findings.push(Finding { file, line: number, term, instead: rule.instead });
            }
        }
        before = line;
    }
    findings
}

/// Returns every term of the dialect in the files that Git tracks, except those in [`NOT_OURS`].
fn check_tree() -> Vec<Finding> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut findings = Vec::new();
    let mut count = 0;
    for name in tracked_files() {
        // Not a text, or deleted and not committed.
        let Ok(text) = fs::read_to_string(top.join(&name)) else { continue };
        count += 1;
        if !NOT_OURS.iter().any(|(start, _)| name.starts_with(start)) {
            findings.extend(check(&name, &text));
        }
    }
    assert!(count > 200, "{count} files");
    findings
}

#[test]
fn language_is_that_of_the_field() {
    let findings = check_tree();
    let mut report = String::new();
    for Finding { file, line, term, instead } in &findings {
        writeln!(report, "{file}:{line}: {term:?}: write {instead}").expect("a string");
    }
    assert!(findings.is_empty(), "{} terms to replace:\n{report}", findings.len());
}

#[test]
fn terms_are_found_in_prose_and_identifiers() {
    for (file, text, terms) in [
        ("a.rs", "fn answer_as_usual() {}", &["answer"][..]),
        ("a.rs", "let it = Answered::new();", &["Answered"]),
        ("a.rs", "/// The service's answer.", &["answer"]),
        ("words.rs", "", &["words"]),
        ("a.rs", "fn take_over_or_refuse() {} // taken over", &["take_over"]),
        ("a.md", "A role that was taken over.", &["taken over"]),
        ("a.rs", "warn_of_blind_create(diags);", &["blind"]),
        ("a.rs", "struct Memory {", &["Memory"]),
        ("a.rs", "fn of(memory: &ListingRoleMemory) {}", &["ListingRoleMemory"]),
        ("a.rs", "// Memory is not the limit.", &[]),
        ("a.rs", "Look::Blind => {}", &["Blind", "Look"]),
        ("a.rs", "// Look for the first one.", &[]),
        ("a.rs", "// It is gone.", &["gone"]),
        ("a.rs", "// 410 Gone", &[]),
        ("a.md", "No such file or directory", &[]),
        ("a.rs", "fn outage_tells_how_long() { outcome.said() }", &["said"]),
        ("a.rs", "// The page has the ways out.", &["ways out"]),
        ("a.rs", "/// There is no such role.", &["no such"]),
        ("a.rs", "/// Kept, for it may come back.", &[", for it"]),
        ("a.md", "Some checks, for example this one, for each role", &[]),
        ("a.rs", "/// What is kept.", &["What"]),
        ("a.rs", "/// A sentence about\n/// What follows.", &[]),
        ("a.md", "## What is a key?", &["## What is a key?"]),
        ("a.md", "```shell\n# Is it there?\n```", &[]),
        ("a.rs", "answers, take(over), response", &["answers"]),
        ("a.rs", "the provider returns the response", &[]),
    ] {
        let mut found: Vec<_> = check(file, text).into_iter().map(|finding| finding.term).collect();
        found.sort();
        assert_eq!(found, terms, "{file}: {text}");
    }
}

#[test]
fn messages_have_single_blanks() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = String::new();
    for name in tracked_files().iter().filter(|name| name.starts_with("src/")) {
        let Ok(source) = fs::read_to_string(top.join(name)) else { continue };
        // A line break in a literal needs a backslash, or its indent becomes a part of the message.
        // Lines with `\n` are blocks of configuration, with an indent of their own.
        let lines = source.lines().enumerate().filter(|(_, line)| !line.contains("\\n"));
        for (number, line) in lines {
            let Some((_, literal)) = line.split_once('"') else { continue };
            if literal.trim().contains("   ") {
                writeln!(found, "{name}:{}: {line}", number + 1).expect("a string");
            }
        }
    }
    assert!(found.is_empty(), "runs of blanks:\n{found}");
}

#[test]
fn exceptions_name_files_that_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, reason) in NOT_OURS {
        assert!(top.join(name).exists(), "{name} ({reason}) does not exist: remove the exception");
    }
}
