//! Pasting into an interactive shell: line by line on standard input, which the commands inherit,
//! as without bracketed paste.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, Workspace};

/// An interactive shell with its defaults: no startup files, no options.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Shell {
    pub(super) name: &'static str,
    arguments: &'static [&'static str],
    /// What a `trap` calls the failure of a command.
    failure: &'static str,
}

const SHELLS: [Shell; 2] = [
    Shell { name: "bash", arguments: &["--noprofile", "--norc", "-i"], failure: "ERR" },
    Shell { name: "zsh", arguments: &["-f", "-i"], failure: "ZERR" },
];

/// Returns the shells that are installed.
#[track_caller]
pub(in super::super) fn shells() -> Vec<Shell> {
    let mut shells = Vec::new();
    // A closure would not pass on the place of the caller.
    for shell in SHELLS {
        if has_tools(&[shell.name]) {
            shells.push(shell);
        }
    }
    shells
}

/// Returns the path of the host under test. A `terraform` that comes first in PATH calls it.
pub(in super::super) fn host_path(workspace: &Workspace) -> String {
    let program = workspace.command(&[]).get_program().to_string_lossy().into_owned();
    let output = Command::new("sh").args(["-c", &format!("command -v '{program}'")]).output();
    let path = String::from_utf8(output.expect("a shell").stdout).expect("a path");
    fs::canonicalize(path.trim()).expect("the host").display().to_string()
}

/// Writes a command for a directory in front of PATH.
pub(in super::super) fn tool(directory: &Path, name: &str, script: &str) {
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a command");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// Returns PATH with a directory in front.
pub(in super::super) fn path_from(directory: &Path) -> String {
    format!("{}:{}", directory.display(), std::env::var("PATH").expect("PATH"))
}

/// Pastes a block into a shell that this command starts. Fails the test if a command of the block
/// fails, and unless the shell reads on behind the block in the same directory.
#[track_caller]
pub(in super::super) fn paste(
    shell: Shell,
    command: &mut Command,
    place: &str,
    text: &str,
) -> Outcome {
    command.args(shell.arguments).env("TERM", "dumb");
    let directory = command.get_current_dir().expect("a directory").canonicalize().expect("it");
    // Every command that fails is reported, not only the last one.
    let trap = format!("trap 'echo \"failed: $?\"' {}", shell.failure);
    let paste = format!("{trap}\n{text}printf 'behind: %s %s\\n' \"$?\" \"$PWD\"\n");
    let pasted = Outcome::with_input(command, paste.as_bytes());
    let behind = format!("behind: 0 {}\n", directory.display());
    let shown = format!("{place} in {}: {}", shell.name, pasted.output());
    assert!(pasted.stdout.contains(&behind), "{behind} is missing. {shown}");
    assert!(!pasted.stdout.contains("failed: "), "a command failed. {shown}");
    for part in
        ["command not found", "parse error", "syntax error", "no matches found", "event not found"]
    {
        assert!(!pasted.stderr.contains(part), "{shown}");
    }
    pasted
}

/// A directory with commands in front of PATH, and a repository to paste in.
pub(in super::super) struct Desk {
    pub(in super::super) workspace: Workspace,
    root: PathBuf,
}

impl Desk {
    pub(in super::super) fn new(service: &Service) -> Self {
        let workspace = service.workspace().encrypted();
        let root = workspace.path().join("..").canonicalize().expect("the directory");
        fs::create_dir(root.join("bin")).expect("a directory");
        let desk = Self { workspace, root };
        // The guides write `terraform`; the host under test may have another name or path.
        let terraform = host_path(&desk.workspace);
        desk.tool("terraform", &format!("exec {terraform} \"$@\""));
        desk
    }

    /// Puts a command in front of PATH.
    pub(in super::super) fn tool(&self, name: &str, script: &str) {
        tool(&self.root.join("bin"), name, script);
    }

    /// Pastes a block in the directory of the configuration.
    #[track_caller]
    pub(in super::super) fn paste(&self, shell: Shell, place: &str, text: &str) -> Outcome {
        let mut command = self.workspace.command_of(shell.name);
        command.env("PATH", path_from(&self.root.join("bin"))).env("TMPDIR", &self.root);
        paste(shell, &mut command, place, text)
    }
}
