//! The Git checkout that contains a directory, read from its files.
//!
//! `include` and `insteadOf` of a configuration are not followed: they contain a route to a remote,
//! not its identity.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use super::{Repository, TERRAGRUNT_CACHE, normalise_uri};

/// The largest file that is read, in bytes. Git configurations are far smaller.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A repository, and the remote and the file that it comes from, for the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) repository: Repository,
    pub(crate) source: String,
}

/// Detects the nearest checkout that contains a directory, from the directory upwards: its remote
/// `origin` or its only remote, normalised, and the directory below its top, with slashes; "" for the
/// top itself. Reads files and never runs `git`, which may be absent or localised, or refuse a
/// directory of another user.
///
/// # Errors
///
/// Returns why nothing is recorded, as a sentence without its period. A checkout whose remote is not a
/// web address is not recorded: its directory would be one of an unknown repository.
pub(crate) fn detect(directory: &Path) -> Result<Detected, String> {
    let shown = directory.display();
    // Terragrunt copies each unit into a cache, whose path contains a hash. The copy of a module
    // may contain the `.git` of the module.
    let directory: PathBuf = directory
        .canonicalize()
        .map_err(|error| format!("the working directory cannot be read ({error})"))?
        .components()
        .take_while(|part| part.as_os_str() != TERRAGRUNT_CACHE)
        .collect();
    let mut checkouts = directory.ancestors().filter_map(|top| {
        let git = git_directory(&top.join(".git")).transpose()?;
        Some(git.map(|git| (top, git)))
    });
    let Some(checkout) = checkouts.next() else {
        return Err(format!("{shown} is not in a Git checkout"));
    };
    let (top, git) = checkout?;
    // Worktrees share the configuration of the repository that they belong to.
    let common = read(&git.join("commondir")).unwrap_or_else(|_| ".".to_owned());
    let path = git.join(common.trim()).join("config");
    let configuration = read(&path).map_err(|error| unreadable(&path, &error))?;
    let (name, url) = remote(remotes(&configuration))
        .map_err(|reason| format!("{} has {reason}", path.display()))?;
    let source = format!("the remote {name:?} in {}", path.display());
    // The address itself may contain credentials.
    let uri = normalise_uri(&url).map_err(|_| format!("{source} is not a web address"))?;
    let dir = below(top, &directory).ok_or_else(|| format!("the path {shown} is not text"))?;
    Ok(Detected { repository: Repository { uri: Some(uri), dir: Some(dir) }, source })
}

/// Returns the Git directory: `.git` itself, or for a worktree or submodule the directory that the
/// file `.git` names (`gitdir: path`). `None` if there is none, or if it is something else.
fn git_directory(dot_git: &Path) -> Result<Option<PathBuf>, String> {
    if dot_git.is_dir() {
        // A directory of this name without a HEAD is something else.
        let has_head = dot_git.join("HEAD").try_exists();
        let has_head = has_head.map_err(|error| unreadable(dot_git, &error))?;
        return Ok(has_head.then(|| dot_git.to_owned()));
    }
    let text = match read(dot_git) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(dot_git, &error)),
    };
    let Some((parent, link)) = dot_git.parent().zip(text.strip_prefix("gitdir:")) else {
        return Ok(None);
    };
    let directory = parent.join(link.trim());
    fs::metadata(&directory).map_err(|error| unreadable(&directory, &error))?;
    Ok(Some(directory))
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read ({error})", path.display())
}

/// Returns the path of a directory below the top. Both are canonical.
fn below(top: &Path, directory: &Path) -> Option<String> {
    let part = |component: Component<'_>| component.as_os_str().to_str().map(str::to_owned);
    let parts: Option<Vec<_>> = directory.strip_prefix(top).ok()?.components().map(part).collect();
    let path = parts.map(|parts| parts.join("/"));
    path.filter(|path| !path.contains(char::is_control))
}

/// Returns the beginning of a file of Git. Fails if it is not a regular file: opening a pipe would
/// wait.
fn read(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the remote that names the repository: `origin`, or the only one.
fn remote(mut remotes: Vec<(String, String)>) -> Result<(String, String), &'static str> {
    let chosen = match remotes.iter().position(|(name, _)| name == "origin") {
        Some(origin) => origin,
        None if remotes.is_empty() => return Err("no remote"),
        None if remotes.len() > 1 => return Err("several remotes, and none is called `origin`"),
        None => 0,
    };
    Ok(remotes.swap_remove(chosen))
}

/// Returns the remotes in a Git configuration, each with its first `url`: the one that Git fetches
/// from.
fn remotes(configuration: &str) -> Vec<(String, String)> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    let mut section = None;
    for line in configuration.trim_start_matches('\u{feff}').lines() {
        let mut line = line.trim();
        // The first key may follow the header on its line.
        if let Some((header, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            let name = header.split_once(char::is_whitespace);
            let name = name.filter(|(section, _)| section.eq_ignore_ascii_case("remote"));
            section = name.map(|(_, name)| value_of(name));
            line = rest;
        }
        let Some(name) = &section else { continue };
        let Some((key, value)) = line.split_once('=') else { continue };
        let is_known = remotes.iter().any(|(known, _)| known == name);
        if key.trim().eq_ignore_ascii_case("url") && !is_known {
            remotes.push((name.clone(), value_of(value)));
        }
    }
    remotes.retain(|(_, url)| !url.is_empty());
    remotes
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
        let none: &[(&str, &str)] = &[];
        let origin = &[("origin", "https://h/a")][..];
        let cases = [
            ("[remote \"origin\"]\n\turl = https://h/a\n", origin),
            ("\u{feff}[Remote \"origin\"]\r\n\tURL=https://h/a\r\n", origin),
            ("[remote \"Origin\"]\nurl = https://h/a", &[("Origin", "https://h/a")]),
            (
                "[remote \"or\\\"igin\"]\nurl = x\n[remote \"origin\"] url = https://h/a",
                &[("or\"igin", "x"), ("origin", "https://h/a")],
            ),
            ("[remote \"origin\"]\nurl = \"https://h/a b\" # c\n", &[("origin", "https://h/a b")]),
            ("[remote \"origin\"]\nurl = https://h/a ; c\nurl = https://h/b", origin),
            ("[remote \"origin\"]\nurl = C:\\\\srv\\\\a", &[("origin", "C:\\srv\\a")]),
            ("[remote \"origin\"]\n# url = https://h/x\npushurl = https://h/y\n", none),
            ("[remote \"origin\"]\nurl =\n[remote]\nurl = x\npushDefault = origin", none),
            (
                "[remote \"upstream\"]\nurl = https://h/x\n[branch \"main\"]\nurl = y",
                &[("upstream", "https://h/x")],
            ),
            (
                "[url \"https://h/\"]\ninsteadOf = gh:\n[remote \"origin\"]\nurl = gh:a",
                &[("origin", "gh:a")],
            ),
            ("[remote \"origin", none),
            ("", none),
        ];
        for (text, expected) in cases {
            let remotes = remotes(text);
            let found: Vec<_> = remotes.iter().map(|(name, url)| (&**name, &**url)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn origin_or_the_only_remote_names_the_repository() {
        for (names, expected) in [
            (&[][..], Err("no remote")),
            (&["origin"], Ok("origin")),
            (&["upstream"], Ok("upstream")),
            (&["upstream", "origin"], Ok("origin")),
            (&["upstream", "fork"], Err("several remotes, and none is called `origin`")),
        ] {
            let all = names.iter().map(|name| ((*name).to_owned(), "https://h/a".to_owned()));
            let chosen = remote(all.collect()).map(|(name, _)| name);
            assert_eq!(chosen.as_deref().map_err(|reason| *reason), expected, "{names:?}");
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
        let detected = detect(directory).map(|detected| detected.repository);
        assert_eq!(detected, Ok(pair(Some(uri), Some(dir))));
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
        // A module in the cache of Terragrunt has the `.git` of its own repository.
        let cache = top.path().join("prod/eu/.terragrunt-cache/a/b");
        add_checkout(&cache, "https://h/modules");
        assert_found(&cache.join("modules/access"), "https://h/a/b", "prod/eu");
    }

    #[track_caller]
    fn assert_missing(directory: &Path, reason: &str) {
        let missing = detect(directory).unwrap_err();
        assert!(missing.contains(reason), "{reason:?} in {missing:?}");
    }

    #[test]
    fn reason_is_given_where_none_is_detected() {
        assert_missing(Path::new("/does/not/exist"), "the working directory cannot be read (");
        let outside = tempfile::tempdir().unwrap();
        assert_missing(outside.path(), "/");
        assert_missing(outside.path(), " is not in a Git checkout");

        let top = checkout();
        for origin in ["/srv/git/access.git", "../access", "file:///srv/a", "codecommit::eu://a"] {
            add_checkout(top.path(), origin);
            let reason = "config is not a web address";
            assert_missing(top.path(), reason);
            assert!(!detect(top.path()).unwrap_err().contains(origin));
        }
        add_checkout(top.path(), "");
        assert_missing(top.path(), "config has no remote");
        let config = top.path().join(".git/config");
        fs::write(&config, "[remote \"a\"]\nurl = h:a\n[remote \"b\"]\nurl = h:b\n").unwrap();
        assert_missing(top.path(), "config has several remotes, and none is called `origin`");
        fs::remove_file(&config).unwrap();
        assert_missing(top.path(), "config cannot be read (");
        // A worktree whose repository is not on this machine, inside another checkout.
        let worktree = top.path().join("worktree");
        fs::create_dir(&worktree).unwrap();
        fs::write(worktree.join(".git"), "gitdir: /does/not/exist\n").unwrap();
        assert_missing(&worktree, "/does/not/exist cannot be read (");
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
