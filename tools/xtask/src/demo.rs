//! `cargo xtask demo`: the life of a role and an owner, with a real terraform and the local service. The
//! demo fails if a step has another result, or prints something else, than its sentence says.

mod service;
mod workspace;

use anyhow::{Result, ensure};
use lexopt::Parser;

use self::service::Service;
use self::workspace::{DIRECTORY, Printed, REPOSITORY, Shown, Workspace};
use crate::{print_line, terraform};

const VERSIONS: &str = r#"terraform {
  required_providers {
    access = { source = "access/access" }
  }
}
"#;

const CONFIGURATION: &str = r#"resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  resources    = ["repositories/website"]
}

resource "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}
"#;

/// A block for a role that exists.
const ADMIN_BLOCK: &str = r#"resource "access_listing_role" "admin" {
  listing      = "github"
  role         = "admin"
  display_name = "Admin"
  priority     = 9
}"#;

/// The beginning of what a plan says about the role of the configuration.
const PLAN: &str = "# access_listing_role.viewer";

const VIEWER: &str = "listings/github/roles/viewer";
const ADMIN: &str = "listings/github/roles/admin";

/// A role that Terraform manages, on its page for changes by hand.
const MANAGED: &str = "\"manager\": \"TERRAFORM\"";

/// Runs the demo.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    // Before the build, which takes minutes.
    let terraform = terraform::find()?;
    print_line(&format!("Using {}. Building the provider…", terraform.display()));
    crate::workspace::build_with_service()?;
    let service = Service::start(&crate::workspace::built("access-fake")?)?;
    let workspace = Workspace::new(terraform)?;
    print_line(&format!(
        "A local service listens at {}. The configuration, in `{DIRECTORY}` of a checkout of\n{REPOSITORY}:\n\n{}",
        service.base_url,
        CONFIGURATION.trim_end()
    ));
    Demo { workspace, service }.play()?;
    print_line("\nDone. Its files are in `target/xtask/demo`.");
    Ok(())
}

/// A terraform and a local service, for the demonstration.
struct Demo {
    workspace: Workspace,
    service: Service,
}

impl Demo {
    /// Plays the steps, and fails at the first that has another result than announced.
    fn play(&self) -> Result<()> {
        self.workspace.write("versions.tf", VERSIONS)?;
        self.workspace.write("main.tf", CONFIGURATION)?;
        step(
            "1. `init` installs the provider from a folder, which is laid out as a team's mirror.",
        );
        let installed = self.run("init", 0, Shown::Beginning("- Installed"))?;
        installed.contains(&["- Installed access/access v"])?;

        step(
            "2. Plan: `manager`, `repo_uri` and `repo_dir`, who manages the role and where, are set by the apply; step 4\n   shows them.",
        );
        let plan = self.run("plan -out=plan.bin", 0, Shown::From(PLAN))?;
        plan.contains(&["+ manager ", "+ repo_uri ", "+ repo_dir ", "2 to add"])?;

        step(
            "3. The access report: what this plan means, for a comment on the pull request (reads are offered here, so\n   an object that exists fails the plan: step 6).",
        );
        let report = self.workspace.report("plan.bin")?;
        ensure!(report.contains("`teams/platform` gains control of `github`"), "{report}");
        print_line(&report);

        step(
            "4. Apply: the service has the role with `manager`, `repoUri` and `repoDir`. `/_fake` is the local service's\n   page for changes by hand.",
        );
        self.run("apply plan.bin", 0, Shown::Last)?.contains(&["2 added"])?;
        let viewer = self.get(VIEWER)?;
        for (field, value) in
            [("manager", "TERRAFORM"), ("repoUri", REPOSITORY), ("repoDir", DIRECTORY)]
        {
            viewer.contains(&[&format!("\"{field}\": \"{value}\"")])?;
        }
        print_line(&format!("$ curl {} | grep -E 'manager|repo[DU]'", self.page(VIEWER)));
        print_line(&viewer.lines_with(&["\"manager", "\"repoD", "\"repoU"]));

        step(
            "5. Another client changes the role: the plan shows the change, and that the role no longer has Terraform as\n   its manager (exit code 2).",
        );
        let change = r#"{"displayName": "Superuser"}"#;
        print_line(&format!("$ curl -X PATCH {} -d '{change}'", self.page(VIEWER)));
        self.service.request("PATCH", VIEWER, change)?;
        let drift = self.run("plan -detailed-exitcode -out=plan.bin", 2, Shown::From(PLAN))?;
        let change = "\"Superuser\" -> \"Viewer\"";
        drift.contains(&[change, "+ manager ", "roles/viewer: is not managed by Terraform"])?;
        self.run("apply plan.bin", 0, Shown::Last)?.contains(&["1 changed"])?;
        self.get(VIEWER)?.contains(&[MANAGED])?;

        step(
            "6. A block for a role that exists: the plan refuses it, and prints the `import` block.",
        );
        let existing = r#"{"displayName": "Administrators", "priority": "9"}"#;
        self.service.request("PUT", ADMIN, existing)?;
        print_line(ADMIN_BLOCK);
        self.workspace.write("admin.tf", ADMIN_BLOCK)?;
        let refused = self.run("plan", 1, Shown::Errors)?;
        refused.contains(&["roles/admin: exists already"])?;

        step(
            "7. With that block, `to` set to this resource, the apply imports the role and writes its configuration over\n   it.",
        );
        let import = refused.import_block("access_listing_role.admin")?;
        self.workspace.write("import.tf", &import)?;
        self.run("apply -auto-approve", 0, Shown::Last)?.contains(&["1 imported"])?;
        self.get(ADMIN)?.contains(&[MANAGED, "\"displayName\": \"Admin\""])?;

        step("8. `destroy` deletes the objects of the configuration.");
        self.run("destroy -auto-approve", 0, Shown::Last)?.contains(&["3 destroyed"])?;
        let left = [VIEWER, ADMIN].iter().filter(|name| self.get(name).is_ok()).count();
        ensure!(left == 0, "{left} roles were not destroyed");

        step("9. The requests of all these commands.");
        print_line(&self.service.count_requests()?);
        Ok(())
    }

    /// Returns the address of a page for changes by hand.
    fn page(&self, name: &str) -> String {
        format!("{}/_fake/{name}", self.service.base_url)
    }

    /// Returns an object as the service has it.
    fn get(&self, name: &str) -> Result<Printed> {
        self.service.request("GET", name, "").map(Printed)
    }

    /// Runs terraform, prints the command and a part of its output, and checks its exit code.
    fn run(&self, line: &str, exit_code: i32, shown: Shown) -> Result<Printed> {
        self.workspace.run(line, &self.service.base_url, exit_code, shown)
    }
}

/// Prints the sentence of a step.
fn step(sentence: &str) {
    print_line(&format!("\n── {sentence}"));
}
