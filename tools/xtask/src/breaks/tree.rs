//! The copy of the tree that has the breaks: a Git worktree with the patch.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::workspace;

const PATCH: &str = "tests/breaks/breaks.patch";
/// The test binary of the lives, and the profile that it is built with.
const LIVES: &str = "lives";
/// In the tree, the commit that has no breaks. The breaks are one commit on top of it.
const BASE: &str = "HEAD^";

/// Returns the directory of everything that the command makes.
pub(super) fn directory() -> PathBuf {
    workspace::directory().join("target/breaks")
}

/// Returns the file whose number selects a break.
pub(super) fn switch() -> PathBuf {
    directory().join("switch")
}

/// Runs Git, and returns what it prints. Some of the commands make commits, which need an author.
fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    git_with_index(directory, arguments, None)
}

fn git_with_index(directory: &Path, arguments: &[&str], index: Option<&Path>) -> Result<String> {
    let mut command = Command::new("git");
    command.current_dir(directory).args([
        "-c",
        "user.name=breaks",
        "-c",
        "user.email=breaks@localhost",
    ]);
    command.args(arguments).envs(index.map(|index| ("GIT_INDEX_FILE", index)));
    let output = command.output()?;
    ensure!(
        output.status.success(),
        "`git {}` failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the breaks of the tree, as a patch of the commit that they were applied to.
fn difference(tree: &Path) -> Result<String> {
    git(tree, &["add", "--all"])?;
    git(tree, &["diff", "--cached", "--full-index", "--unified=2", BASE])
}

/// Returns the tree with the breaks, made from the tracked files of the working tree. Only files
/// that differ from those in the tree are written: the others need no build.
pub(super) fn prepare() -> Result<PathBuf> {
    let (top, tree) = (workspace::directory(), directory().join("tree"));
    fs::create_dir_all(directory())?;
    // A commit of the changes that are not committed. Empty if there are none.
    let changes = git(&top, &["stash", "create"])?;
    let commit = if changes.trim().is_empty() { "HEAD" } else { changes.trim() };
    let base = git(&top, &["rev-parse", commit])?.trim().to_owned();
    let patch = fs::read_to_string(top.join(PATCH))?;
    if tree.exists() {
        let is_edited = !git(&tree, &["status", "--porcelain"])?.is_empty();
        ensure!(
            !is_edited || difference(&tree)? == patch,
            "{} has changes. `cargo xtask breaks --save` writes them to {PATCH}; or remove the directory.",
            tree.display()
        );
    } else {
        git(&top, &["worktree", "prune"])?;
        let path = tree.to_str().context("a path in UTF-8")?;
        git(&top, &["worktree", "add", "--quiet", "--force", "--detach", path, &base])?;
    }
    let index = directory().join("index");
    git_with_index(&top, &["read-tree", &base], Some(&index))?;
    if git_with_index(&top, &["apply", "--cached", "--whitespace=nowarn", PATCH], Some(&index))
        .is_ok()
    {
        let patched = git_with_index(&top, &["write-tree"], Some(&index))?;
        let commit = git(&top, &["commit-tree", "-p", &base, "-m", "breaks", patched.trim()])?;
        git(&tree, &["checkout", "--quiet", "--force", "--detach", commit.trim()])?;
        return Ok(tree);
    }
    // The patch was made for an older tree: merge it, beginning with a commit of nothing else.
    let commit = format!("{base}^{{tree}}");
    let commit = git(&top, &["commit-tree", "-p", &base, "-m", "breaks", &commit])?;
    git(&tree, &["checkout", "--quiet", "--force", "--detach", commit.trim()])?;
    git(&tree, &["apply", "--3way", "--whitespace=nowarn", PATCH]).with_context(|| {
        format!("Resolve the conflicts in {}, and run `cargo xtask breaks --save`", tree.display())
    })?;
    Ok(tree)
}

/// Writes the patch from the tree with the breaks.
pub(super) fn save() -> Result<()> {
    fs::write(workspace::directory().join(PATCH), difference(&directory().join("tree"))?)?;
    Ok(())
}

/// Fails unless the patch applies to the working tree.
pub(super) fn check_patch() -> Result<()> {
    let applies = git(&workspace::directory(), &["apply", "--check", "--whitespace=nowarn", PATCH]);
    applies.map(drop).context(
        "The breaks do not apply any more. `cargo xtask breaks --edit` applies them and names the tree in which \
         to resolve conflicts, and `cargo xtask breaks --save` then writes the patch",
    )
}

/// Returns the numbers of the breaks in the patch.
pub(super) fn numbers_in_patch() -> Result<BTreeSet<u32>> {
    let patch = fs::read_to_string(workspace::directory().join(PATCH))?;
    let mut numbers = BTreeSet::new();
    for line in patch.lines().filter(|line| line.starts_with('+')) {
        for part in line.split("broken(").skip(1) {
            let Some((number, _)) = part.split_once(')') else { continue };
            numbers.extend(number.parse::<u32>());
        }
    }
    Ok(numbers)
}

/// A test binary.
pub(super) struct Binary {
    pub(super) path: PathBuf,
    /// The directory of its package.
    pub(super) package: PathBuf,
    /// `main` for `tests/main.rs`.
    pub(super) target: String,
}

/// Builds the test binaries of the tree, those of the lives with optimisation.
pub(super) fn build(tree: &Path) -> Result<Vec<Binary>> {
    let workspace = ["--workspace", "--exclude", "bench"];
    let lives = ["--package", "terraform-provider-access", "--test", LIVES, "--profile", LIVES];
    let mut binaries = build_some(tree, &workspace)?;
    binaries.retain(|binary| binary.target != LIVES);
    binaries.extend(build_some(tree, &lives)?);
    Ok(binaries)
}

fn build_some(tree: &Path, which: &[&str]) -> Result<Vec<Binary>> {
    let output = workspace::cargo_command()
        .current_dir(tree)
        .args(["test", "--no-run", "--locked"])
        .args(which)
        .args(["--features", "terraform-provider-access/simulation", "--message-format=json"])
        .env("CARGO_TARGET_DIR", directory().join("build"))
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let mut binaries = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(error) = message["message"]["rendered"].as_str()
            && message["message"]["level"] == "error"
        {
            crate::print_line(error);
        }
        let is_test = message["profile"]["test"] == true;
        let (path, manifest) = (message["executable"].as_str(), message["manifest_path"].as_str());
        if let (true, Some(path), Some(manifest)) = (is_test, path, manifest) {
            binaries.push(Binary {
                path: path.into(),
                package: Path::new(manifest).parent().context("a package")?.to_owned(),
                target: message["target"]["name"].as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    if !output.status.success() || binaries.is_empty() {
        bail!("The tree with the breaks does not build.");
    }
    Ok(binaries)
}
