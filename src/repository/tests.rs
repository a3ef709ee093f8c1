//! Detection over fixture files.

use std::fs;
use std::path::Path;

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
        ("[url \"https://h/\"]\ninsteadOf = gh:\n[remote \"origin\"]\nurl = gh:a", Some("gh:a")),
        ("[remote \"origin", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(git::origin(text).as_deref(), expected, "{text:?}");
    }
}

/// Adds a checkout without objects.
fn add_checkout(top: &Path, origin: &str) {
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.join(".git/config"), format!("[remote \"origin\"]\nurl = {origin}\n")).unwrap();
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
    assert_eq!(detect(Path::new("/does/not/exist")), None);
    // A module in the cache of Terragrunt has the `.git` of its own repository.
    let cache = top.path().join("prod/eu/.terragrunt-cache/a/b");
    add_checkout(&cache, "https://h/modules");
    assert_found(&cache.join("modules/access"), "https://h/a/b", "prod/eu");
}

#[test]
fn directory_is_not_detected_without_a_uri() {
    let top = checkout();
    for origin in ["/srv/git/access.git", "../access", "file:///srv/a", "codecommit::eu://a", ""] {
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

#[test]
fn explicit_values_replace_detection_as_a_whole_and_are_enforced() {
    let detected = pair(Some("https://h/a/b"), Some(""));
    let (uri, dir) = (Some("https://set/x/y"), Some("d"));
    // What is set and therefore enforced, and what is written.
    for (explicit, written) in [
        (pair(uri, dir), pair(uri, dir)),
        (pair(uri, None), pair(uri, Some(""))),
        (pair(None, dir), pair(Some(""), dir)),
        (pair(None, None), detected.clone()),
    ] {
        let repository = OwnRepository::new(explicit.clone(), || detected.clone());
        assert_eq!(repository, OwnRepository { written, enforced: explicit });
    }
}
