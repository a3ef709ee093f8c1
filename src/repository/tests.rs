//! Detection over fixture files, and the table of remotes.

use std::collections::HashMap;
use std::fs;

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
            "git@ssh.dev.azure.com:v3/org/project/repo",
            "https://dev.azure.com/org/project/_git/repo",
        ),
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
        ("/roles", Err(RepositoryError::Dir)),
        ("../roles", Err(RepositoryError::Dir)),
        ("a/../../b", Err(RepositoryError::Dir)),
        ("C:\\roles", Err(RepositoryError::Dir)),
    ];
    for (dir, expected) in cases {
        assert_eq!(normalise_dir(dir).as_deref(), expected.as_ref().map(|dir| *dir), "{dir}");
    }
}

#[test]
fn git_configuration_is_read_as_git_does() {
    let cases = [
        ("[remote \"origin\"]\n\turl = https://h/a\n", Some("https://h/a")),
        ("\u{feff}[Remote \"origin\"]\r\n\tURL=https://h/a\r\n", Some("https://h/a")),
        ("[remote \"Origin\"]\nurl = https://h/a", None),
        ("[remote.ORIGIN]\nurl = https://h/a", Some("https://h/a")),
        (
            "[remote \"or\\\"igin\"]\nurl = x\n[remote \"origin\"] url = https://h/a",
            Some("https://h/a"),
        ),
        ("[remote \"origin\"]\nurl = \"https://h/a b\" # c\n", Some("https://h/a b")),
        ("[remote \"origin\"]\nurl = https://h/a ; c\nurl = https://h/b", Some("https://h/a")),
        ("[remote \"origin\"]\nurl = https://h/\\\na", Some("https://h/a")),
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

fn found(directory: &Path, variables: &[(&str, &str)]) -> (Option<String>, Option<String>) {
    let variables: HashMap<_, _> = variables.iter().copied().collect();
    let environment = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let nothing_set = Explicit { uri: None, dir: None };
    let repository =
        find_repository(nothing_set, Detection::Auto, &environment, directory).unwrap();
    (repository.uri.map(|uri| uri.value), repository.dir.map(|dir| dir.value))
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
    assert_eq!(found(top.path(), &[]), (some("https://h/a/b"), None));
    let below = top.path().join("roles/github");
    assert_eq!(found(&below, &[]), (some("https://h/a/b"), some("roles/github")));
    let cached = below.join(".terragrunt-cache/hash/unit");
    assert_eq!(found(&cached, &[]), (some("https://h/a/b"), some("roles/github")));
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
    assert_eq!(found(&module, &[]), (some("https://h/live"), some("prod/eu")));
    let workspace = live.to_str().unwrap();
    let ci = [
        ("GITLAB_CI", "true"),
        ("CI_PROJECT_URL", "https://h/live"),
        ("CI_PROJECT_DIR", workspace),
    ];
    assert_eq!(found(&module, &ci), (some("https://h/live"), some("prod/eu")));
}

#[test]
fn checkout_below_the_workspace_of_a_ci_system_determines_the_directory() {
    let workspace = tempfile::tempdir().unwrap();
    let infra = workspace.path().join("infra");
    fs::create_dir_all(infra.join("stack")).unwrap();
    let ci = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_WORKSPACE", workspace.path().to_str().unwrap()),
    ];
    let uri = some("https://github.com/o/r");
    // Without `.git`, only the workspace is known.
    assert_eq!(found(&infra.join("stack"), &ci), (uri.clone(), some("infra/stack")));
    add_checkout(&infra, "https://github.com/o/r");
    assert_eq!(found(&infra.join("stack"), &ci), (uri.clone(), some("stack")));
    assert_eq!(found(&infra, &ci), (uri.clone(), None));
    // The path in another repository is not one in the repository that the variables name.
    add_checkout(&infra, "https://github.com/o/other");
    assert_eq!(found(&infra.join("stack"), &ci), (uri.clone(), None));
    assert_eq!(found(&infra, &ci), (uri.clone(), None));
    // A checkout that contains the workspace is not in it.
    let below = [ci[0], ci[1], ("GITHUB_WORKSPACE", infra.to_str().unwrap())];
    fs::remove_dir_all(infra.join(".git")).unwrap();
    add_checkout(workspace.path(), "https://github.com/o/other");
    assert_eq!(found(&infra.join("stack"), &below), (uri, some("stack")));
    // Variables without a usable URI: the checkout alone counts.
    let odd = [("GITHUB_ACTIONS", "true"), below[2]];
    let top = workspace.path();
    assert_eq!(found(top, &odd), (some("https://github.com/o/other"), None));
    assert_eq!(found(&infra, &odd), (some("https://github.com/o/other"), some("infra")));
}

#[test]
fn directory_is_not_detected_without_a_uri() {
    let top = checkout();
    let below = top.path().join("roles");
    let origins = ["/srv/git/access.git", "../access", "file:///srv/a", "codecommit::eu://a"];
    let configurations = origins.map(|url| format!("[remote \"origin\"]\nurl = {url}\n"));
    for configuration in configurations.iter().map(String::as_str).chain([""]) {
        fs::write(top.path().join(".git/config"), configuration).unwrap();
        assert_eq!(found(&below, &[]), (None, None), "{configuration}");
        let workspace = top.path().to_str().unwrap();
        let ci =
            [("GITLAB_CI", "true"), ("CI_PROJECT_URL", "file:///x"), ("CI_PROJECT_DIR", workspace)];
        assert_eq!(found(&below, &ci), (None, None), "{configuration}");
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
    assert_eq!(found(&worktree.path().join("dir"), &[]), (some("https://h/a/b"), some("dir")));

    fs::create_dir_all(git.join("modules/sub")).unwrap();
    fs::write(git.join("modules/sub/config"), "[remote \"origin\"]\nurl = https://h/sub\n")
        .unwrap();
    fs::create_dir_all(main.path().join("sub/dir")).unwrap();
    fs::write(main.path().join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    assert_eq!(found(&main.path().join("sub/dir"), &[]), (some("https://h/sub"), some("dir")));
}

#[test]
fn ci_variables_win_over_the_checkout() {
    let top = checkout();
    let below = top.path().join("roles");
    let workspace = top.path().to_str().unwrap();
    let cases: [(&[(&str, &str)], &str); 7] = [
        (
            &[
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_REPOSITORY", "o/r"),
                ("GITHUB_SERVER_URL", "https://ghe"),
            ],
            "https://ghe/o/r",
        ),
        (&[("GITLAB_CI", "true"), ("CI_PROJECT_URL", "https://gl/o/r")], "https://gl/o/r"),
        (
            &[("BITBUCKET_BUILD_NUMBER", "1"), ("BITBUCKET_REPO_FULL_NAME", "o/r")],
            "https://bitbucket.org/o/r",
        ),
        (
            &[
                ("TF_BUILD", "True"),
                ("BUILD_REPOSITORY_URI", "https://org@dev.azure.com/o/p/_git/r"),
            ],
            "https://dev.azure.com/o/p/_git/r",
        ),
        (&[("BUILDKITE", "true"), ("BUILDKITE_REPO", "git@h:o/r.git")], "https://h/o/r"),
        (&[("CIRCLECI", "true"), ("CIRCLE_REPOSITORY_URL", "git@h:o/r.git")], "https://h/o/r"),
        (&[("GITLAB_CI", "true"), ("CI_PROJECT_URL", "file:///x")], "https://h/a/b"),
    ];
    for (variables, uri) in cases {
        // The checkout of another repository does not determine the directory in this one.
        let dir = if uri == "https://h/a/b" { some("roles") } else { None };
        assert_eq!(found(&below, variables), (some(uri), dir), "{variables:?}");
    }
    // The checkout is a part of the workspace: its own directory counts.
    let variables = [
        ("GITLAB_CI", "true"),
        ("CI_PROJECT_URL", "https://gl/o/r"),
        ("CI_PROJECT_DIR", workspace),
    ];
    assert_eq!(found(&below, &variables), (some("https://gl/o/r"), some("roles")));
    let elsewhere = [("GITHUB_REPOSITORY", "left/behind")];
    assert_eq!(found(&below, &elsewhere).0, some("https://h/a/b"));
}

#[test]
fn directory_outside_a_repository_records_none() {
    let directory = tempfile::tempdir().unwrap();
    // The temporary directory itself may be in a repository on a developer's machine.
    fs::write(directory.path().join(".git"), "no git file").unwrap();
    if git::find_checkout(directory.path()).is_none() {
        assert_eq!(found(directory.path(), &[]), (None, None));
    }
    assert_eq!(found(Path::new("/does/not/exist"), &[]), (None, None));
}

#[test]
fn explicit_value_wins_and_is_enforced() {
    let top = checkout();
    let recorded = |value: &str, source| Some(Recorded { value: value.to_owned(), source });
    let below = top.path().join("roles");
    for (uri, dir) in [
        // The same repository as the checkout's, in another spelling.
        ("https://h/a/b.git", recorded("roles", Source::Detected)),
        // Another one: the directory of the checkout is not its directory.
        ("https://set/x/y", None),
    ] {
        let explicit = Explicit { uri: some(uri), dir: None };
        let repository = find_repository(explicit, Detection::Auto, &|_| None, &below).unwrap();
        assert_eq!(repository.uri.as_ref().unwrap().source, Source::Explicit);
        assert_eq!(repository.dir, dir, "{uri}");
        let enforced = Pair { uri: repository.uri.as_ref().map(|uri| &*uri.value), dir: None };
        assert_eq!(repository.enforced(), enforced);
    }

    let off = Explicit { uri: None, dir: some("set") };
    let repository = find_repository(off, Detection::Off, &|_| None, top.path()).unwrap();
    assert_eq!(repository, Repository { uri: None, dir: recorded("set", Source::Explicit) });

    let odd = Explicit { uri: some("file:///x"), dir: None };
    assert_eq!(
        find_repository(odd, Detection::Auto, &|_| None, top.path())
            .map_err(RepositoryError::attribute),
        Err("repo_uri")
    );
}
