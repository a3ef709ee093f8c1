//! The Git repository that contains a directory, read from its files.
//!
//! `include` and `insteadOf` of a configuration are not followed: they contain a route to a remote,
//! not its identity.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes. Git configurations are far smaller.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A checkout.
pub(super) struct Git {
    /// The directory that contains `.git`.
    pub(super) top: PathBuf,
    /// The first URL of the remote `origin`, which is the one that Git fetches from.
    pub(super) origin: Option<String>,
}

/// Finds the checkout that contains a directory: the nearest one, from the directory upwards.
pub(super) fn find_checkout(directory: &Path) -> Option<Git> {
    let directory = directory.canonicalize().ok()?;
    directory.ancestors().find_map(|top| {
        let git_directory = git_directory(&top.join(".git"))?;
        let configuration = common_directory(&git_directory).join("config");
        let origin = read(&configuration).and_then(|text| origin(&text));
        Some(Git { top: top.to_owned(), origin })
    })
}

/// Returns the Git directory: `.git` itself, or for a worktree or submodule the directory that the
/// file `.git` names (`gitdir: path`).
fn git_directory(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        // A directory of this name without a HEAD is something else.
        return dot_git.join("HEAD").exists().then(|| dot_git.to_owned());
    }
    let text = read(dot_git)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    let directory = dot_git.parent()?.join(path);
    directory.is_dir().then_some(directory)
}

/// Returns the Git directory that worktrees share. For other checkouts it is the given one.
fn common_directory(git_directory: &Path) -> PathBuf {
    match read(&git_directory.join("commondir")) {
        Some(path) => git_directory.join(path.trim()),
        None => git_directory.to_owned(),
    }
}

fn read(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the first `url` of `[remote "origin"]` in a Git configuration.
pub(super) fn origin(configuration: &str) -> Option<String> {
    let mut in_origin = false;
    let text = configuration.trim_start_matches('\u{feff}');
    for line in logical_lines(text) {
        let mut line = line.trim_start();
        if line.starts_with('[') {
            let (section, rest) = section(line)?;
            in_origin = section == ("remote".to_owned(), "origin".to_owned());
            line = rest.trim_start();
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if in_origin && key.trim().eq_ignore_ascii_case("url") {
            let value = value_of(value);
            if !value.is_empty() {
                return Some(value);
            }
        }
    }
    None
}

/// Joins lines that end in a backslash with the next one.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        // An even number of backslashes is as many escaped ones.
        let backslashes = line.chars().rev().take_while(|character| *character == '\\').count();
        let (content, goes_on) = match line.strip_suffix('\\') {
            Some(content) if backslashes % 2 == 1 => (content, true),
            _ => (line, false),
        };
        match lines.last_mut() {
            Some(last) if continues => last.push_str(content),
            _ => lines.push(content.to_owned()),
        }
        continues = goes_on;
    }
    lines
}

/// Returns the section and subsection of a header, and the rest of its line.
fn section(line: &str) -> Option<((String, String), &str)> {
    let inner = line.strip_prefix('[')?;
    let name_end = inner.find(|c: char| c == ']' || c == '"' || c.is_whitespace())?;
    let (name, rest) = inner.split_at(name_end);
    let rest = rest.trim_start();
    let Some(quoted) = rest.strip_prefix('"') else {
        // The old form [remote.origin], whose subsection is not case-sensitive.
        let (name, subsection) = name.split_once('.').unwrap_or((name, ""));
        let rest = &rest[rest.find(']')? + 1..];
        return Some(((name.to_lowercase(), subsection.to_lowercase()), rest));
    };
    let mut subsection = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => {
                let rest = &quoted[index + 1..];
                let rest = &rest[rest.find(']')? + 1..];
                return Some(((name.to_lowercase(), subsection), rest));
            }
            '\\' => subsection.push(characters.next()?.1),
            other => subsection.push(other),
        }
    }
    None
}

/// Returns a value without quotes, escapes, comments and blanks around it.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut characters = text.trim_start().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                quoted = !quoted;
                kept = value.len();
                continue;
            }
            '#' | ';' if !quoted => break,
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(other) => value.push(other),
                None => break,
            },
            other => value.push(other),
        }
        if quoted || !character.is_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}
