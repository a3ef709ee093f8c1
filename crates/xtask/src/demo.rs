//! `cargo xtask demo`: creates, changes and destroys a role and an owner with a real terraform and the
//! local service.

use std::fs;
use std::io::{self, IsTerminal};

use access_fake::{Fake, Service, World};
use anyhow::{Result, anyhow, ensure};
use lexopt::Parser;
use serde_json::json;

use crate::output::print_line;
use crate::terraform;
use crate::workspace::{self, Terraform};

const CONFIGURATION: &str = r#"resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  description  = "Read access to the website repository."
  resources    = ["repositories/website"]
}

resource "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}
"#;

/// Runs the demo.
///
/// # Errors
///
/// Fails if there are arguments, if no terraform is found, and if a step does not end as expected.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    // Before the build, which takes minutes.
    let binary = terraform::find()?;
    print_line(&format!("Using {}. Building the provider…", binary.display()));
    let provider = workspace::build_provider("debug")?;
    let running = Fake::start_blocking(World::default())?;
    let demo = Demo { terraform: Terraform::new(&provider)?, base_url: running.base_url() };
    print_line(&format!("The local service listens at {}.", running.base_url()));
    let result = demo.play(running.service());
    if result.is_ok() {
        print_line("\nDone. Nothing is left behind, because the service kept its data in memory.");
    }
    result
}

struct Demo {
    terraform: Terraform,
    base_url: String,
}

impl Demo {
    fn play(&self, service: &Service) -> Result<()> {
        print_line(&format!("\nThe configuration:\n\n{CONFIGURATION}"));
        fs::write(self.terraform.directory().join("main.tf"), CONFIGURATION)?;

        step("1. Plan to create a role and an owner");
        self.run(&["plan", "-detailed-exitcode"], 2)?;

        step("2. Apply");
        self.run(&["apply", "-auto-approve"], 0)?;
        let role = service.role("github", "viewer").ok_or_else(|| anyhow!("no role"))?;
        print_line(&format!("The role at the service:\n{role:#}"));

        step("3. Plan again: no changes (exit code 0)");
        self.run(&["plan", "-detailed-exitcode"], 0)?;

        step("4. Change the role outside Terraform");
        let change = json!({"displayName": "Superuser", "resources": ["repositories/all"]});
        service.change_role("github", "viewer", &change).map_err(|error| anyhow!(error))?;
        print_line(&format!("{change:#}"));

        step("5. Plan shows the drift (exit code 2)");
        self.run(&["plan", "-detailed-exitcode"], 2)?;

        step("6. Apply corrects it");
        self.run(&["apply", "-auto-approve"], 0)?;
        let role = service.role("github", "viewer").ok_or_else(|| anyhow!("no role"))?;
        ensure!(role["displayName"] == "Viewer", "the role was not corrected: {role}");

        step("7. Destroy");
        self.run(&["destroy", "-auto-approve"], 0)?;
        ensure!(service.role("github", "viewer").is_none(), "the role was not destroyed");
        ensure!(service.owners("github").len() == 1, "only the first owner should be left");

        step("8. Requests that the service received");
        for request in service.requests() {
            let status = request.status.map_or("-".to_owned(), |status| status.to_string());
            let query = if request.query.is_empty() { "" } else { "?" };
            print_line(&format!(
                "{status} {:6} {}{query}{}",
                request.method, request.path, request.query
            ));
        }
        Ok(())
    }

    /// Runs terraform, with its output on this terminal.
    fn run(&self, arguments: &[&str], expected: i32) -> Result<()> {
        print_line(&format!("$ terraform {}", arguments.join(" ")));
        // Escape sequences are for terminals, not for files and pipes.
        let no_color = (!io::stdout().is_terminal()).then_some("-no-color");
        let status = self
            .terraform
            .command(arguments)
            .arg("-compact-warnings")
            .args(no_color)
            .env("ACCESS_BASE_URL", &self.base_url)
            .env("ACCESS_API_KEY", "admin-key")
            .status()?;
        ensure!(
            status.code() == Some(expected),
            "terraform {} ended with {status}, not with {expected}",
            arguments.join(" ")
        );
        Ok(())
    }
}

fn step(title: &str) {
    print_line(&format!("\n{}\n{title}\n{}", "─".repeat(72), "─".repeat(72)));
}
