//! `cargo xtask demo`: creates, changes and destroys a role and an owner with a real terraform and
//! the local service.

use std::fs;
use std::io::{self, BufRead as _, BufReader, IsTerminal, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use serde_json::{Value, json};

use crate::print_line;
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
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    // Before the build, which takes minutes.
    let terraform = Terraform::new()?;
    print_line(&format!("Using {}. Building the provider…", terraform.binary().display()));
    workspace::build_with_service()?;
    let demo = Demo {
        product: terraform.product()?,
        service: Service::start(&workspace::built("access-fake")?)?,
        terraform,
    };
    print_line(&format!("The local service listens at {}.", demo.service.base_url));
    demo.play()?;
    print_line("\nDone. Nothing is left behind, because the service kept its data in memory.");
    Ok(())
}

/// A terraform and a local service, for the demonstration.
struct Demo {
    terraform: Terraform,
    /// The name of the command: `terraform` or `tofu`.
    product: &'static str,
    service: Service,
}

impl Demo {
    /// Plays the steps, and fails at the first that has another result than announced.
    fn play(&self) -> Result<()> {
        print_line(&format!("\nThe configuration:\n\n{CONFIGURATION}"));
        fs::write(self.terraform.directory().join("main.tf"), CONFIGURATION)?;

        step("1. Plan to create a role and an owner");
        self.run(&["plan", "-detailed-exitcode"], 2)?;

        step("2. Apply");
        self.run(&["apply", "-auto-approve"], 0)?;
        print_line(&format!("The role at the service:\n{:#}", self.role()?));

        step("3. Plan again: no changes (exit code 0)");
        self.run(&["plan", "-detailed-exitcode"], 0)?;

        step("4. Change the role outside Terraform");
        let change = json!({"displayName": "Superuser", "resources": ["repositories/all"]});
        self.service.request("PATCH", "listings/github/roles/viewer", &change.to_string())?;
        print_line(&format!("{change:#}"));

        step("5. Plan shows the drift (exit code 2)");
        self.run(&["plan", "-detailed-exitcode", "-out=plan.bin"], 2)?;

        step("6. What the plan means for access, as a pipeline comments it on a pull request");
        let product = self.product;
        print_line(&format!(
            "$ {product} show -json plan.bin | terraform-provider-access report\n\n{}",
            self.terraform.report("plan.bin")?
        ));

        step("7. Apply corrects it");
        self.run(&["apply", "-auto-approve"], 0)?;
        let role = self.role()?;
        ensure!(role["displayName"] == "Viewer", "the role was not corrected: {role}");

        step("8. Destroy");
        self.run(&["destroy", "-auto-approve"], 0)?;
        ensure!(self.role().is_err(), "the role was not destroyed");

        step("9. Requests that the service received");
        let requests = self.service.request("GET", "requests", "")?;
        for request in requests.as_array().context("requests")? {
            let text = |field: &str| request[field].as_str().unwrap_or_default().to_owned();
            let query = if text("query").is_empty() { "" } else { "?" };
            print_line(&format!(
                "{} {:6} {}{query}{}",
                request["status"],
                text("method"),
                text("path"),
                text("query")
            ));
        }
        Ok(())
    }

    /// Returns the role as the service has it.
    fn role(&self) -> Result<Value> {
        self.service.request("GET", "listings/github/roles/viewer", "")
    }

    /// Runs terraform, with its output on this terminal.
    fn run(&self, arguments: &[&str], expected: i32) -> Result<()> {
        let line = format!("{} {}", self.product, arguments.join(" "));
        print_line(&format!("$ {line}"));
        // Escape sequences are for terminals, not for files and pipes.
        let no_color = (!io::stdout().is_terminal()).then_some("-no-color");
        let status = self
            .terraform
            .command(arguments)
            .arg("-compact-warnings")
            .args(no_color)
            .env("ACCESS_BASE_URL", &self.service.base_url)
            .env("ACCESS_API_KEY", "admin-key")
            .status()?;
        ensure!(status.code() == Some(expected), "{line} ended with {status}, not with {expected}");
        Ok(())
    }
}

/// The local service in a process of its own, which ends with this value.
struct Service {
    process: Child,
    base_url: String,
}

impl Service {
    /// Starts it on a free port.
    fn start(binary: &Path) -> Result<Self> {
        let mut command = Command::new(binary);
        let mut process =
            command.args(["--address", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().context("the service's output")?;
        let mut service = Self { process, base_url: String::new() };
        // The address is the first word that it prints.
        BufReader::new(output).read_line(&mut line)?;
        service.base_url =
            line.split(' ').next().filter(|url| !url.is_empty()).context("no address")?.to_owned();
        Ok(service)
    }

    /// Calls a page of the service for changes by hand, as one would with curl.
    fn request(&self, method: &str, page: &str, body: &str) -> Result<Value> {
        let address = self.base_url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address)?;
        // Responses to HTTP/1.0 end with the connection.
        let length = body.len();
        write!(
            stream,
            "{method} /_fake/{page} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        let (head, body) = response.split_once("\r\n\r\n").context("an incomplete response")?;
        ensure!(head.contains(" 200 "), "{method} {page}: {head}\n{body}");
        Ok(serde_json::from_str(body)?)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Prints the heading of a step.
fn step(title: &str) {
    print_line(&format!("\n{}\n{title}\n{}", "─".repeat(72), "─".repeat(72)));
}
