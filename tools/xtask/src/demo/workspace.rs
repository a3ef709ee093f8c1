//! A Git checkout in which terraform runs the provider that was built, with an environment of its own.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};

use crate::print_line;
use crate::workspace::{built, target_directory};

/// The repository of the checkout, as the provider records it.
pub(super) const REPOSITORY: &str = "https://git.example.com/team/access";
/// The directory of the configuration in it.
pub(super) const DIRECTORY: &str = "roles";

pub(super) struct Workspace {
    terraform: PathBuf,
    /// `terraform` or `tofu`.
    product: &'static str,
    directory: PathBuf,
}

/// The part of a command's output that is printed.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// What follows this text on standard output, with the text.
    From(&'static str),
    /// What is on standard error.
    Errors,
    /// The lines with this beginning.
    Beginning(&'static str),
    /// The last line that is not empty.
    Last,
}

/// The output of a command, without escape sequences.
pub(super) struct Printed(pub(super) String);

impl Workspace {
    /// Creates the checkout and the mirror below the target directory, in place of those of an earlier
    /// run.
    pub(super) fn new(terraform: PathBuf) -> Result<Self> {
        let directory = target_directory()?.join("xtask/demo");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(directory.join("home"))?;
        let mut workspace = Self { terraform, product: "terraform", directory };
        fs::create_dir_all(workspace.configuration())?;
        let checkout = workspace.directory.join("checkout");
        for arguments in [&["init", "--quiet"][..], &["remote", "add", "origin", REPOSITORY]] {
            let git = Command::new("git").args(arguments).current_dir(&checkout).output();
            let git = git.context("git does not start")?;
            ensure!(git.status.success(), "git: {}", String::from_utf8_lossy(&git.stderr));
        }
        workspace.add_mirror()?;
        Ok(workspace)
    }

    /// Puts the provider into a folder that the CLI configuration names as a mirror.
    fn add_mirror(&mut self) -> Result<()> {
        let mirror = self.directory.join("mirror");
        let path = mirror.display().to_string();
        let text = format!(
            "provider_installation {{\n  filesystem_mirror {{\n    path = {path:?}\n  }}\n}}\n"
        );
        fs::write(self.directory.join("cli.tfrc"), text)?;
        // "Terraform v1.11.4\non linux_amd64"
        let version = String::from_utf8(self.command(&["version"], "").output()?.stdout)?;
        let platform = version.lines().find_map(|line| line.strip_prefix("on "));
        let platform = platform.context("no platform in the output of `version`")?;
        let (product, registry) = match version.starts_with("OpenTofu") {
            true => ("tofu", "registry.opentofu.org"),
            false => ("terraform", "registry.terraform.io"),
        };
        self.product = product;
        let version = env!("CARGO_PKG_VERSION");
        let folder = mirror.join(registry).join("access/access").join(version).join(platform);
        fs::create_dir_all(&folder)?;
        let program = format!("terraform-provider-access_v{version}{}", env::consts::EXE_SUFFIX);
        fs::copy(built("terraform-provider-access")?, folder.join(program))?;
        Ok(())
    }

    fn configuration(&self) -> PathBuf {
        self.directory.join("checkout").join(DIRECTORY)
    }

    /// Writes a file of the configuration.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<()> {
        Ok(fs::write(self.configuration().join(name), text)?)
    }

    /// Returns a terraform command. It inherits only PATH and, on Windows, SystemRoot from the process
    /// environment.
    fn command(&self, arguments: &[&str], base_url: &str) -> Command {
        let mut command = Command::new(&self.terraform);
        command
            .args(arguments)
            .current_dir(self.configuration())
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            // Windows needs it to open sockets.
            .envs(env::var_os("SystemRoot").map(|root| ("SystemRoot", root)))
            .env("HOME", self.directory.join("home"))
            .env("TF_CLI_CONFIG_FILE", self.directory.join("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_IN_AUTOMATION", "1")
            .env("ACCESS_BASE_URL", base_url)
            .env("ACCESS_API_KEY", "admin-key");
        command
    }

    /// Runs terraform, prints the command and a part of its output, and checks its exit code.
    pub(super) fn run(
        &self,
        line: &str,
        base_url: &str,
        exit_code: i32,
        shown: Shown,
    ) -> Result<Printed> {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        // Escape sequences are for terminals, not for files and pipes.
        if !io::stdout().is_terminal() {
            arguments.push("-no-color");
        }
        let line = format!("{} {line}", self.product);
        print_line(&format!("$ {line}"));
        let Output { status, stdout, stderr } = self.command(&arguments, base_url).output()?;
        let [stdout, stderr] = [stdout, stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        let all = format!("{stdout}{stderr}");
        ensure!(
            status.code() == Some(exit_code),
            "{all}\n{line} ended with {status}, not with {exit_code}"
        );
        let part = match shown {
            Shown::From(start) => stdout.find(start).map_or("", |start| &stdout[start..]),
            Shown::Errors => &stderr,
            Shown::Beginning(_) | Shown::Last => &stdout,
        };
        let mut lines: Vec<&str> = part.trim().lines().collect();
        match shown {
            Shown::Beginning(start) => {
                lines.retain(|line| without_colors(line).starts_with(start));
            }
            Shown::Last => {
                lines.retain(|line| !without_colors(line).trim().is_empty());
                _ = lines.drain(..lines.len().saturating_sub(1));
            }
            Shown::From(_) | Shown::Errors => {}
        }
        print_line(&lines.join("\n"));
        Ok(Printed(without_colors(&all)))
    }

    /// Prints the command of a report, and returns the provider's report of a saved plan.
    pub(super) fn report(&self, plan: &str) -> Result<String> {
        let product = self.product;
        print_line(&format!("$ {product} show -json {plan} | terraform-provider-access report"));
        let shown = self.command(&["show", "-json", plan], "").output()?;
        ensure!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
        let file = self.directory.join("plan.json");
        fs::write(&file, shown.stdout)?;
        let mut provider = Command::new(built("terraform-provider-access")?);
        let output = provider.arg("report").arg(&file).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
    }
}

impl Printed {
    /// Fails unless the output contains all of these parts.
    pub(super) fn contains(&self, parts: &[&str]) -> Result<()> {
        for part in parts {
            ensure!(self.0.contains(part), "{}\n{part:?} was not printed", self.0);
        }
        Ok(())
    }

    /// Returns the lines that contain one of these texts.
    pub(super) fn lines_with(&self, texts: &[&str]) -> String {
        let is_shown = |line: &&str| texts.iter().any(|text| line.contains(text));
        self.0.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
    }

    /// Returns the `import` block of an error, which Terraform prints in a frame, with the address of a
    /// resource.
    pub(super) fn import_block(&self, address: &str) -> Result<String> {
        let lines = self.0.lines().map(|line| line.trim_start_matches(['│', '|', ' ']).trim_end());
        let block: Vec<_> = lines.skip_while(|line| !line.starts_with("import {")).collect();
        let end = block.iter().position(|line| *line == "}").context("no `import` block")?;
        let line = |line: &&str| match line.starts_with("to = ") {
            true => format!("  to = {address}\n"),
            false => format!("{line}\n"),
        };
        Ok(block[..=end].iter().map(line).collect())
    }
}

/// Removes escape sequences, each of which ends with `m`.
fn without_colors(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}
