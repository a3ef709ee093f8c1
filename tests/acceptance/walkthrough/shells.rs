//! Every shell block, pasted into an interactive bash and zsh: line by line on standard input, which
//! the commands of the block inherit, as without bracketed paste.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::blocks::{self, Block};
use crate::support::{Service, Workspace};

/// The interactive shells with their defaults: no startup files, no options.
const SHELLS: [(&str, &[&str]); 2] =
    [("bash", &["--noprofile", "--norc", "-i"]), ("zsh", &["-f", "-i"])];

/// Returns the installed shells. Prints the name of a missing one, which is a failure in CI.
fn shells() -> Vec<(&'static str, &'static [&'static str])> {
    let is_installed = |shell: &str| {
        Command::new(shell).args(["-c", ":"]).status().is_ok_and(|status| status.success())
    };
    SHELLS
        .into_iter()
        .filter(|(shell, _)| {
            let is_there = is_installed(shell);
            if !is_there {
                let line = format!("NOT TESTED: shell blocks in {shell}, which is not installed\n");
                std::io::stderr().write_all(line.as_bytes()).expect("standard error");
                assert!(
                    std::env::var_os("CI").is_none(),
                    "{line}CI needs it: apt-get install {shell}"
                );
            }
            is_there
        })
        .collect()
}

/// Returns the path of the host under test. A `terraform` that comes first in PATH calls it.
pub(super) fn host_path(workspace: &Workspace) -> String {
    let program = workspace.command(&[]).get_program().to_string_lossy().into_owned();
    let output = Command::new("sh").args(["-c", &format!("command -v '{program}'")]).output();
    let path = String::from_utf8(output.expect("a shell").stdout).expect("a path");
    fs::canonicalize(path.trim()).expect("the host").display().to_string()
}

/// The result of a paste.
struct Pasted {
    stdout: String,
    stderr: String,
}

/// A directory with commands in front of PATH, and a repository to paste in.
struct Desk {
    workspace: Workspace,
    root: PathBuf,
}

impl Desk {
    fn new(service: &Service) -> Self {
        let workspace = service.workspace();
        let root = workspace.path().join("..").canonicalize().expect("the directory");
        fs::create_dir(root.join("bin")).expect("a directory");
        let terraform = host_path(&workspace);
        let desk = Self { workspace, root };
        // The guides write `terraform`; the host under test may have another name or path.
        desk.tool("terraform", &format!("exec {terraform} \"$@\""));
        desk
    }

    /// Puts a command in front of PATH.
    fn tool(&self, name: &str, script: &str) {
        let path = self.root.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a command");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// Pastes a block. Fails the test unless the shell reads on behind it, in the same directory, after
    /// an exit code that is expected.
    #[track_caller]
    fn paste(&self, shell: (&str, &[&str]), place: &str, text: &str, code: i32) -> Pasted {
        let template = self.workspace.command(&[]);
        let directory = template.get_current_dir().expect("a directory").to_owned();
        let mut path = std::ffi::OsString::from(self.root.join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut child = Command::new(shell.0)
            .args(shell.1)
            .current_dir(&directory)
            .env_clear()
            .envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", path)
            .env("TERM", "dumb")
            .env("TMPDIR", &self.root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let paste = format!("{text}printf 'behind: %s %s\\n' \"$?\" \"$PWD\"\n");
        child.stdin.take().expect("its input").write_all(paste.as_bytes()).expect("a paste");
        let output = child.wait_with_output().expect("the end of the shell");
        let pasted = Pasted {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        let behind =
            format!("behind: {code} {}\n", directory.canonicalize().expect("it").display());
        let shown = format!("{place} in {}:\n{}\n{}", shell.0, pasted.stdout, pasted.stderr);
        assert!(pasted.stdout.contains(&behind), "{behind} is missing. {shown}");
        for part in [
            "command not found",
            "parse error",
            "syntax error",
            "no matches found",
            "event not found",
        ] {
            assert!(!pasted.stderr.contains(part), "{shown}");
        }
        pasted
    }
}

#[test]
fn readme_is_tried_as_pasted() {
    let block = blocks::with("README.md", "access-fake");
    for shell in shells() {
        let service = Service::full();
        let desk = Desk::new(&service);
        let directory = desk.workspace.path();
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), directory.join("examples"))
            .expect("the examples");
        // The build is the one under test. The service is the one of this test, on a port of its own.
        let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
        desk.tool(
            "cargo",
            &format!(
                "[ \"$*\" = 'build --workspace' ] || exit 1
mkdir -p target/debug
ln -s {provider} target/debug/terraform-provider-access
printf '#!/bin/sh\\n[ \"$*\" = \"--address 127.0.0.1:8484\" ] || exit 1\\nexec sleep 60\\n' > target/debug/access-fake
chmod +x target/debug/access-fake"
            ),
        );
        let text = block.replace(
            "ACCESS_BASE_URL=http://127.0.0.1:8484",
            &format!("ACCESS_BASE_URL={}", service.base_url()),
        );
        assert_ne!(text, block);
        let pasted = desk.paste(shell, "README.md", &text, 0);
        for part in ["2 added, 0 changed", "Changed by hand", "2 destroyed"] {
            assert!(pasted.stdout.contains(part), "{part:?}: {}\n{}", pasted.stdout, pasted.stderr);
        }
        assert_eq!(service.roles("github").len(), 0);
    }
}

/// Returns the fixture of the guides: a role and an entry of a `for_each`, applied.
fn guide(service: &Service) -> Desk {
    let desk = Desk::new(service);
    desk.workspace.configure(
        "resource \"access_listing_role\" \"viewer\" {\n  listing      = \"github\"\n  role         = \"viewer\"\n  display_name = \"Viewer\"\n  priority     = 0\n}\n",
    );
    desk.workspace.write(
        "github.tf",
        "resource \"access_listing_role\" \"github\" {\n  for_each     = toset([\"viewer\"])\n  listing      = \"production\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}\n",
    );
    desk.workspace.apply().succeeds();
    desk
}

/// Pastes the shell blocks of a guide, one after the other, with the address of the local service.
fn paste_guide(page: &str, prepare: impl Fn(&Service, &Desk), code: i32) {
    for shell in shells() {
        for block in blocks::of(page, Block::is_shell) {
            let service = Service::full();
            let desk = guide(&service);
            prepare(&service, &desk);
            let text = block
                .text
                .replace("https://eu.access.example.com", &service.base_url())
                .replace("http://127.0.0.1:8484", &service.base_url())
                .replace("\"your-api-key\"", "\"admin-key\"");
            desk.paste(shell, &block.place(), &text, code);
        }
    }
}

/// The pages with shell blocks that this file pastes with `paste_guide`.
const GUIDES: [&str; 6] = [
    "templates/index.md",
    "templates/guides/authentication.md",
    "templates/guides/handing-back.md",
    "templates/guides/pipelines.md",
    "templates/guides/testing.md",
    "templates/guides/troubleshooting.md",
];

#[test]
fn shell_blocks_of_guides_run_as_pasted() {
    for page in GUIDES {
        paste_guide(
            page,
            |_, desk| {
                desk.tool("pass", "[ \"$*\" = 'show access/terraform' ] && echo admin-key");
                if page.ends_with("testing.md") {
                    let test = blocks::with(page, "roles.tftest.hcl");
                    desk.workspace.write("roles.tftest.hcl", &test);
                }
            },
            0,
        );
    }
}

#[test]
fn shell_blocks_of_the_import_guide_write_blocks_and_resources() {
    const PAGE: &str = "templates/guides/existing-roles.md";
    for shell in shells() {
        let service = Service::full();
        for role in ["viewer", "on.call"] {
            service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
        }
        let desk = Desk::new(&service);
        let provider = env!("CARGO_BIN_EXE_terraform-provider-access");
        desk.tool("terraform-provider-access", &format!("exec {provider} \"$@\""));
        let resources = |file: &str| {
            let text = fs::read_to_string(desk.workspace.path().join(file)).expect("the resources");
            fs::remove_file(desk.workspace.path().join(file)).expect("the resources");
            text.matches("resource \"access_listing_role\"").count()
        };
        desk.paste(shell, PAGE, &blocks::with(PAGE, "export --listing"), 0);
        assert_eq!(resources("access.tf"), 2);
        desk.workspace.configure(&blocks::with(PAGE, "  provider = access\n"));
        let plan = blocks::of(PAGE, |block| block.text.starts_with("terraform plan -generate"));
        desk.paste(shell, PAGE, &plan[0].text, 0);
        assert_eq!(resources("generated.tf"), 1);
    }
}

#[test]
fn team_is_applied_as_pasted() {
    const PAGE: &str = "examples/team/README.md";
    for shell in shells() {
        let (eu, us) = (Service::full(), Service::full());
        let desk = Desk::new(&eu);
        fs::remove_file(desk.workspace.path().join("versions.tf")).expect("the versions");
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/team");
        super::super::team::copy(&example, &desk.workspace, "");
        let text = blocks::with(PAGE, "terraform get");
        let text = text
            .replace("http://127.0.0.1:8484", &eu.base_url())
            .replace("http://127.0.0.1:8485", &us.base_url());
        desk.paste(shell, PAGE, &text, 0);
        assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));

        // The first block, with an installed provider.
        desk.tool("terraform", "case $1 in init | plan) echo \"$1\" ;; *) exit 1 ;; esac");
        desk.paste(shell, PAGE, &blocks::with(PAGE, "terraform init"), 0);
    }
}

#[test]
fn shell_blocks_are_all_pasted_by_some_test() {
    let mut elsewhere = [
        // readme_is_tried_as_pasted, and the installation in `installed`
        ("README.md", 2),
        // shell_blocks_of_the_import_guide_write_blocks_and_resources
        ("templates/guides/existing-roles.md", 2),
        ("examples/team/README.md", 2),
        // pipeline_is_copied_locked_and_run
        ("examples/pipelines/README.md", 2),
    ];
    for block in blocks::all().into_iter().filter(Block::is_shell) {
        if GUIDES.contains(&block.page.as_str()) {
            continue;
        }
        let page = elsewhere.iter_mut().find(|(page, _)| *page == block.page);
        let (_, left) = page.unwrap_or_else(|| panic!("{}: no test pastes it", block.place()));
        assert!(*left > 0, "{}: no test pastes it", block.place());
        *left -= 1;
    }
}
