//! Detection over fixture files, and the table of remotes.

use std::fs;
use std::path::Path;

use super::*;

#[test]
fn uri_is_normalised_and_never_holds_credentials() {
    let cases = [
        ("git@host:a/b.git", "https://host/a/b"),
        ("host:a/b", "https://host/a/b"),
        ("ssh://git@host:2222/a/b.git", "https://host/a/b"),
        ("ssh://host/a/b/", "https://host/a/b"),
        ("git+ssh://git@host/a/b", "https://host/a/b"),
        ("git://host/a/b.git", "https://host/a/b"),
        ("https://user:secret@HOST/a/b.git?x=secret#secret", "https://host/a/b"),
        ("https://to/ken:secret@host/a", "https://to/ken:secret@host/a"),
        ("https://user:p%40ss@host/a/b", "https://host/a/b"),
        ("https://user:p@ss@host/a/b", "https://host/a/b"),
        ("https://host:8443/a/b/", "https://host:8443/a/b"),
        ("https://host:443/a/b", "https://host/a/b"),
        ("http://host/a", "http://host/a"),
        ("https://host/a/b.git/", "https://host/a/b"),
        ("https://host/a%20b", "https://host/a%20b"),
        ("git@[::1]:a/b.git", "https://[::1]/a/b"),
        ("ssh://git@[::1]:22/a", "https://[::1]/a"),
        (
            "https://org@dev.azure.com/org/project/_git/repo",
            "https://dev.azure.com/org/project/_git/repo",
        ),
    ];
    for (text, normalised) in cases {
        assert_eq!(normalise_uri(text).as_deref(), Ok(normalised), "{text}");
        assert_eq!(normalise_uri(normalised).as_deref(), Ok(normalised), "again: {text}");
    }
}

#[test]
fn uri_of_an_odd_form_is_not_sent() {
    for text in [
        "",
        "C:\\x\\y",
        "C:/x/y",
        "/srv/git/a.git",
        "../a",
        "file:///srv/a",
        "ext::sh -c x",
        "codecommit::eu-west-1://repo",
        "hg::https://host/a",
        "https://",
        "https://host",
        "https:///a",
        "https://user:secret@/a",
        "ftp://host/a",
        "a b:c",
        "oauth2:secret@host/a/b",
        "user:secret@host:a/b",
        "javascript://host/a",
        "git@host:",
    ] {
        assert!(normalise_uri(text).is_err(), "{text:?}: {:?}", normalise_uri(text));
    }
}

#[test]
fn directory_that_was_set_stays_in_the_repository() {
    let cases = [
        ("roles", Ok("roles")),
        ("./roles//github/", Ok("roles/github")),
        ("roles\\github", Ok("roles/github")),
        (".", Ok("")),
        ("unit/.terragrunt-cache/x/y", Ok("unit")),
        ("/roles", Err(())),
        ("../roles", Err(())),
        ("a/../../b", Err(())),
        ("C:\\roles", Err(())),
    ];
    for (dir, expected) in cases {
        assert_eq!(normalise_dir(dir).as_deref().map_err(|_| ()), expected, "{dir}");
    }
}

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

proptest::proptest! {
    #[test]
    fn git_configuration_survives_anything(text in "(?s).{0,200}", tail in "[\\[\\]\"\\\\=a-z\n ]{0,80}") {
        git::origin(&text);
        git::origin(&tail);
        git::origin(&format!("[remote \"origin\"]\n{tail}"));
    }

    #[test]
    fn uri_of_any_text_holds_no_user(user in "[a-z:%]{1,20}", host in "[a-z]{2,9}", path in "[a-z/]{1,20}") {
        for text in [format!("https://{user}@{host}/x{path}"), format!("ssh://{user}@{host}/x{path}")] {
            let normalised = normalise_uri(&text).unwrap();
            proptest::prop_assert!(!normalised.contains('@'), "{normalised}");
            proptest::prop_assert_eq!(normalise_uri(&normalised).unwrap(), normalised);
        }
    }
}

/// Returns the detected pair.
fn found(directory: &Path) -> (Option<String>, Option<String>) {
    let Repository { uri, dir } = detect(directory).unwrap_or_default();
    (uri, dir)
}

fn checkout() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join(".git")).unwrap();
    fs::create_dir_all(top.path().join("roles/github/.terragrunt-cache/hash/unit")).unwrap();
    fs::write(top.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.path().join(".git/config"), "[remote \"origin\"]\nurl = git@h:a/b.git\n")
        .unwrap();
    top
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn checkout_is_found_from_below_it() {
    let top = checkout();
    assert_eq!(found(top.path()), (some("https://h/a/b"), some("")));
    let below = top.path().join("roles/github");
    assert_eq!(found(&below), (some("https://h/a/b"), some("roles/github")));
    let cached = below.join(".terragrunt-cache/hash/unit");
    assert_eq!(found(&cached), (some("https://h/a/b"), some("roles/github")));
}

/// Adds a checkout without objects.
fn add_checkout(top: &Path, origin: &str) {
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.join(".git/config"), format!("[remote \"origin\"]\nurl = {origin}\n")).unwrap();
}

#[test]
fn checkout_of_a_module_in_the_cache_of_terragrunt_is_not_the_repository() {
    let top = tempfile::tempdir().unwrap();
    let live = top.path().join("live");
    add_checkout(&live, "https://h/live");
    let cache = live.join("prod/eu/.terragrunt-cache/a/b");
    add_checkout(&cache, "https://h/modules");
    let module = cache.join("modules/access");
    fs::create_dir_all(&module).unwrap();
    assert_eq!(found(&module), (some("https://h/live"), some("prod/eu")));
}

#[test]
fn directory_is_not_detected_without_a_uri() {
    let top = checkout();
    let below = top.path().join("roles");
    let origins = ["/srv/git/access.git", "../access", "file:///srv/a", "codecommit::eu://a"];
    let configurations = origins.map(|url| format!("[remote \"origin\"]\nurl = {url}\n"));
    for configuration in configurations.iter().map(String::as_str).chain([""]) {
        fs::write(top.path().join(".git/config"), configuration).unwrap();
        assert_eq!(found(&below), (None, None), "{configuration}");
    }
}

#[test]
fn worktree_and_submodule_are_followed_to_their_configuration() {
    let main = checkout();
    let git = main.path().join(".git");
    fs::create_dir_all(git.join("worktrees/w")).unwrap();
    fs::write(git.join("worktrees/w/commondir"), "../..\n").unwrap();
    let worktree = tempfile::tempdir().unwrap();
    fs::create_dir(worktree.path().join("dir")).unwrap();
    let link = format!("gitdir: {}\n", git.join("worktrees/w").display());
    fs::write(worktree.path().join(".git"), link).unwrap();
    assert_eq!(found(&worktree.path().join("dir")), (some("https://h/a/b"), some("dir")));

    fs::create_dir_all(git.join("modules/sub")).unwrap();
    fs::write(git.join("modules/sub/config"), "[remote \"origin\"]\nurl = https://h/sub\n")
        .unwrap();
    fs::create_dir_all(main.path().join("sub/dir")).unwrap();
    fs::write(main.path().join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    assert_eq!(found(&main.path().join("sub/dir")), (some("https://h/sub"), some("dir")));
}

#[test]
fn directory_outside_a_repository_records_none() {
    let directory = tempfile::tempdir().unwrap();
    // The temporary directory itself may be in a repository on a developer's machine.
    fs::write(directory.path().join(".git"), "no git file").unwrap();
    if detect(directory.path()).is_none() {
        assert_eq!(found(directory.path()), (None, None));
    }
    assert_eq!(found(Path::new("/does/not/exist")), (None, None));
}

#[test]
fn explicit_values_replace_detection_as_a_whole_and_are_enforced() {
    let top = checkout();
    let uri = "https://set/x/y";
    // The set values, what is enforced, and what is written.
    let cases = [
        ((Some(uri), Some("d")), (Some(uri), Some("d")), (Some(uri), Some("d"))),
        ((Some(uri), None), (Some(uri), None), (Some(uri), Some(""))),
        ((None, Some("d")), (None, Some("d")), (Some(""), Some("d"))),
        ((None, None), (None, None), (Some("https://h/a/b"), Some(""))),
    ];
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let pair = |(uri, dir)| Repository { uri: owned(uri), dir: owned(dir) };
    for (explicit, enforced, written) in cases {
        let detected = || detect(top.path()).unwrap_or_default();
        let repository = OwnRepository::new(pair(explicit), detected);
        let expected = OwnRepository { written: pair(written), enforced: pair(enforced) };
        assert_eq!(repository, expected, "{explicit:?}");
    }
}
