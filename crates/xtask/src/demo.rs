//! `cargo xtask demo`: a role's and an owner's life with a real terraform and the local service.

use std::fs;
use std::io::{self, IsTerminal};

use access_fake::{Fake, Service, World};
use anyhow::{Result, anyhow, ensure};
use serde_json::json;

use crate::workspace::{self, Terraform};
use crate::{tell, terraform};

const CONFIGURATION: &str = r#"resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  description  = "Read access, for everybody who wants to follow along."
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
/// Fails where there is no terraform, and where a step does not do what it is there to show.
pub(crate) fn run() -> Result<()> {
    // Before the build: somebody without one should not wait minutes to hear of it.
    let binary = terraform::find()?;
    tell(&format!("Using {}. Building the provider…", binary.display()));
    let provider = workspace::build_provider("debug")?;
    let running = Fake::start_blocking(World::default())?;
    let demo = Demo { terraform: Terraform::new(&provider)?, base_url: running.base_url() };
    tell(&format!("The local service listens at {}.", running.base_url()));
    let result = demo.play(running.service());
    if result.is_ok() {
        tell("\nThat was all. Nothing is left behind: the service kept its data in memory.");
    }
    result
}

struct Demo {
    terraform: Terraform,
    base_url: String,
}

impl Demo {
    fn play(&self, service: &Service) -> Result<()> {
        tell(&format!("\nThe configuration:\n\n{CONFIGURATION}"));
        fs::write(self.terraform.directory().join("main.tf"), CONFIGURATION)?;

        step("1. Plan: a role and an owner are to be created");
        self.run(&["plan", "-detailed-exitcode"], 2)?;

        step("2. Apply");
        self.run(&["apply", "-auto-approve"], 0)?;
        let role = service.role("github", "viewer").ok_or_else(|| anyhow!("no role"))?;
        tell(&format!("What the service has now:\n{role:#}"));

        step("3. Plan again: nothing to do (exit code 0)");
        self.run(&["plan", "-detailed-exitcode"], 0)?;

        step("4. Somebody changes the role by hand");
        let change = json!({"displayName": "Superuser", "resources": ["repositories/all"]});
        service.change_role("github", "viewer", &change).map_err(|error| anyhow!(error))?;
        tell(&format!("{change:#}"));

        step("5. Plan sees it (exit code 2)");
        self.run(&["plan", "-detailed-exitcode"], 2)?;

        step("6. Apply puts it right");
        self.run(&["apply", "-auto-approve"], 0)?;
        let role = service.role("github", "viewer").ok_or_else(|| anyhow!("no role"))?;
        ensure!(role["displayName"] == "Viewer", "the role was not put right: {role}");

        step("7. Destroy");
        self.run(&["destroy", "-auto-approve"], 0)?;
        ensure!(service.role("github", "viewer").is_none(), "the role is still there");
        ensure!(service.owners("github").len() == 1, "the first owner alone is left");

        step("8. What the service was asked");
        for request in service.requests() {
            let status = request.status.map_or("-".to_owned(), |status| status.to_string());
            let query = if request.query.is_empty() { "" } else { "?" };
            tell(&format!(
                "{status} {:6} {}{query}{}",
                request.method, request.path, request.query
            ));
        }
        Ok(())
    }

    /// Runs terraform with its output on this terminal.
    fn run(&self, arguments: &[&str], expected: i32) -> Result<()> {
        tell(&format!("$ terraform {}", arguments.join(" ")));
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
    tell(&format!("\n{}\n{title}\n{}", "─".repeat(72), "─".repeat(72)));
}
