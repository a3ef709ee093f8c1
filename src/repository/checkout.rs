//! The Git checkout that contains a directory, read from its files.
//!
//! `include` and `insteadOf` of a configuration are not followed: they contain a route to a remote,
//! not its identity.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::{Repository, TERRAGRUNT_CACHE, normalise_uri};

/// The largest file that is read, in bytes. Git configurations are far smaller.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Detects the nearest checkout that contains a directory, from the directory upwards: its remote
/// `origin`, normalised, and the directory below its top, with slashes; "" for the top itself.
/// Reads files and never runs `git`, which may be absent or localised, or refuse a directory of
/// another user. A checkout whose remote is not a web address is not recorded: its directory would
/// be one of an unknown repository.
pub(crate) fn detect(directory: &Path) -> Option<Repository> {
    // Terragrunt copies each unit into a cache, whose path contains a hash. The copy of a module
    // may contain the `.git` of the module.
    let directory: PathBuf = directory
        .canonicalize()
        .ok()?
        .components()
        .take_while(|part| part.as_os_str() != TERRAGRUNT_CACHE)
        .collect();
    let (top, git) =
        directory.ancestors().find_map(|top| Some((top, git_directory(&top.join(".git"))?)))?;
    // Worktrees share the configuration of the repository that they belong to.
    let common = read(&git.join("commondir"));
    let configuration = git.join(common.as_deref().unwrap_or(".").trim()).join("config");
    let uri = normalise_uri(&origin(&read(&configuration)?)?).ok()?;
    Some(Repository { uri: Some(uri), dir: Some(below(top, &directory)?) })
}

/// Returns the Git directory: `.git` itself, or for a worktree or submodule the directory that the
/// file `.git` names (`gitdir: path`).
fn git_directory(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        // A directory of this name without a HEAD is something else.
        return dot_git.join("HEAD").exists().then(|| dot_git.to_owned());
    }
    let text = read(dot_git)?;
    let directory = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    directory.is_dir().then_some(directory)
}

/// Returns the path of a directory below the top. Both are canonical.
fn below(top: &Path, directory: &Path) -> Option<String> {
    let part = |component: Component<'_>| component.as_os_str().to_str().map(str::to_owned);
    let parts: Option<Vec<_>> = directory.strip_prefix(top).ok()?.components().map(part).collect();
    let path = parts.map(|parts| parts.join("/"));
    path.filter(|path| !path.contains(char::is_control))
}

/// Returns the beginning of a file of Git. `None` if it is not a regular file: opening a pipe would
/// wait.
fn read(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the first `url` of `[remote "origin"]` in a Git configuration: the one that Git fetches
/// from.
fn origin(configuration: &str) -> Option<String> {
    let mut in_origin = false;
    for line in configuration.trim_start_matches('\u{feff}').lines() {
        let mut line = line.trim();
        // The first key may follow the header on its line.
        if let Some((header, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            in_origin = header.split_once(char::is_whitespace).is_some_and(|(section, name)| {
                section.eq_ignore_ascii_case("remote") && name.trim() == "\"origin\""
            });
            line = rest;
        }
        match line.split_once('=') {
            Some((key, value)) if in_origin && key.trim().eq_ignore_ascii_case("url") => {
                return Some(value_of(value)).filter(|url| !url.is_empty());
            }
            _ => {}
        }
    }
    None
}

/// Returns a value without quotes, escapes, comments and blanks around it.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => value.extend(characters.next()),
            other => value.push(other),
        }
    }
    value.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_configuration_is_read_as_git_does() {
        let cases = [
            ("[remote \"origin\"]\n\turl = https://h/a\n", Some("https://h/a")),
            ("\u{feff}[Remote \"origin\"]\r\n\tURL=https://h/a\r\n", Some("https://h/a")),
            ("[remote \"Origin\"]\nurl = https://h/a", None),
            (
                "[remote \"or\\\"igin\"]\nurl = x\n[remote \"origin\"] url = https://h/a",
                Some("https://h/a"),
            ),
            ("[remote \"origin\"]\nurl = \"https://h/a b\" # c\n", Some("https://h/a b")),
            ("[remote \"origin\"]\nurl = https://h/a ; c\nurl = https://h/b", Some("https://h/a")),
            ("[remote \"origin\"]\nurl = C:\\\\srv\\\\a", Some("C:\\srv\\a")),
            ("[remote \"origin\"]\n# url = https://h/x\npushurl = https://h/y\n", None),
            (
                "[remote \"upstream\"]\nurl = https://h/x\n[remote \"origin\"]\nurl=https://h/a",
                Some("https://h/a"),
            ),
            (
                "[url \"https://h/\"]\ninsteadOf = gh:\n[remote \"origin\"]\nurl = gh:a",
                Some("gh:a"),
            ),
            ("[remote \"origin", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(origin(text).as_deref(), expected, "{text:?}");
        }
    }

    /// Adds a checkout without objects.
    fn add_checkout(top: &Path, origin: &str) {
        fs::create_dir_all(top.join(".git")).unwrap();
        fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(top.join(".git/config"), format!("[remote \"origin\"]\nurl = {origin}\n"))
            .unwrap();
    }

    fn checkout() -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        add_checkout(top.path(), "git@h:a/b.git");
        top
    }

    fn pair(uri: Option<&str>, dir: Option<&str>) -> Repository {
        Repository { uri: uri.map(str::to_owned), dir: dir.map(str::to_owned) }
    }

    #[track_caller]
    fn assert_found(directory: &Path, uri: &str, dir: &str) {
        fs::create_dir_all(directory).unwrap();
        assert_eq!(detect(directory), Some(pair(Some(uri), Some(dir))));
    }

    #[test]
    fn checkout_is_found_from_below_it() {
        let top = checkout();
        assert_found(top.path(), "https://h/a/b", "");
        let below = top.path().join("roles/github");
        assert_found(&below, "https://h/a/b", "roles/github");
        assert_found(&below.join(".terragrunt-cache/hash/unit"), "https://h/a/b", "roles/github");
        // A directory of this name without a HEAD is something else.
        fs::create_dir(below.join(".git")).unwrap();
        assert_found(&below, "https://h/a/b", "roles/github");
        assert_eq!(detect(Path::new("/does/not/exist")), None);
        // A module in the cache of Terragrunt has the `.git` of its own repository.
        let cache = top.path().join("prod/eu/.terragrunt-cache/a/b");
        add_checkout(&cache, "https://h/modules");
        assert_found(&cache.join("modules/access"), "https://h/a/b", "prod/eu");
    }

    #[test]
    fn directory_is_not_detected_without_a_uri() {
        let top = checkout();
        for origin in
            ["/srv/git/access.git", "../access", "file:///srv/a", "codecommit::eu://a", ""]
        {
            add_checkout(top.path(), origin);
            assert_eq!(detect(top.path()), None, "{origin}");
        }
    }

    #[test]
    fn worktree_and_submodule_are_followed_to_their_configuration() {
        let main = checkout();
        let git = main.path().join(".git");
        fs::create_dir_all(git.join("worktrees/w")).unwrap();
        fs::write(git.join("worktrees/w/commondir"), "../..\n").unwrap();
        let worktree = tempfile::tempdir().unwrap();
        let link = format!("gitdir: {}\n", git.join("worktrees/w").display());
        fs::write(worktree.path().join(".git"), link).unwrap();
        assert_found(&worktree.path().join("dir"), "https://h/a/b", "dir");

        fs::create_dir_all(git.join("modules/sub")).unwrap();
        let configuration = "[remote \"origin\"]\nurl = https://h/sub\n";
        fs::write(git.join("modules/sub/config"), configuration).unwrap();
        fs::create_dir_all(main.path().join("sub")).unwrap();
        fs::write(main.path().join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert_found(&main.path().join("sub/dir"), "https://h/sub", "dir");
    }
}
