//! `terraform-provider-access report`: plans of a real host, and what their applies then change at
//! the service.

mod compare;
mod hostile;
mod input;
mod plans;
mod random;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::fixtures::{Block, Configuration, role};
use crate::support::{Outcome, Service, Workspace};
use compare::{Change, PARENTS, Snapshot};

/// The sections, in their order.
const TITLES: [&str; 6] = [
    "Owners, effective at once",
    "Roles, effective for new requests",
    "To revoke by hand",
    "Known only after apply",
    "Changed outside Terraform",
    "Comes under Terraform, leaves Terraform",
];

/// A plan, and the report of it in both forms.
struct Planned {
    plan: Value,
    markdown: String,
    json: Value,
}

/// Plans, and reports what the plan says.
#[track_caller]
fn planned_with(workspace: &Workspace, more: &[&str]) -> Planned {
    workspace.plan_with(&[&["-out=saved.tfplan"], more].concat());
    reported(workspace)
}

/// Returns the saved plan, and the report of it.
#[track_caller]
fn reported(workspace: &Workspace) -> Planned {
    let plan = workspace.saved_plan();
    workspace.write("plan.json", &plan);
    let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
    let arguments = ["report", "--format=json", "--detailed-exitcode", "plan.json"];
    let outcome = workspace.run_provider(&arguments);
    let json: Value = serde_json::from_str(&outcome.stdout).expect("a report of JSON");
    let has_notes = json["notes"].as_array().is_some_and(|notes| !notes.is_empty());
    let is_quiet = markdown.starts_with("No change of access by this provider.") && !has_notes;
    assert_eq!(outcome.exits(if is_quiet { 0 } else { 2 }).stderr, "");
    Planned { plan: serde_json::from_str(&plan).expect("a plan"), markdown, json }
}

#[track_caller]
fn planned(workspace: &Workspace, configuration: impl Configuration) -> Planned {
    workspace.configure(configuration);
    planned_with(workspace, &[])
}

impl Planned {
    fn line(&self) -> &str {
        self.markdown.lines().next().unwrap_or_default()
    }

    /// Fails the test unless the report has these lines, and nothing else. It is compared without
    /// its blank lines. An expected line may be indented.
    #[track_caller]
    fn reads(&self, expected: &str) {
        let text = &self.markdown;
        let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, expected.lines().map(str::trim).collect::<Vec<_>>(), "{text}");
    }

    /// Applies the plan, whatever becomes of it, and fails the test if it changes at the service what
    /// the report does not say.
    #[track_caller]
    fn applies_no_more(&self, workspace: &Workspace, service: &Service) -> Outcome {
        self.applies(workspace, service, "").0
    }

    /// Applies the plan, and fails the test unless it changes at the service what the report says.
    #[track_caller]
    fn applies_as_said(&self, workspace: &Workspace, service: &Service) {
        let (outcome, changes) = self.applies(workspace, service, "");
        let mut claims = compare::claims(&self.json).into_iter();
        let other = claims.find(|claim| !changes.contains(claim));
        let output = outcome.succeeds().output();
        assert!(other.is_none(), "the apply does not do {other:?}\n{}\n{output}", self.markdown);
    }

    /// Returns what the apply changed. `case` is printed if the report does not say it.
    #[track_caller]
    fn applies(
        &self,
        workspace: &Workspace,
        service: &Service,
        case: &str,
    ) -> (Outcome, BTreeSet<Change>) {
        let before = Snapshot::of(service);
        let outcome = workspace.apply_saved();
        let changes = compare::changes(&before, &Snapshot::of(service));
        let unsaid: Vec<_> =
            changes.iter().filter(|change| !compare::says(&self.json, change)).collect();
        let text = &self.markdown;
        let output = outcome.output();
        assert!(unsaid.is_empty(), "{case}: the report does not say {unsaid:#?}\n{text}\n{output}");
        let is_quiet = text.starts_with("No change of access by this provider.");
        assert!(changes.is_empty() || !is_quiet, "{case}: {changes:#?}\n{text}");
        (outcome, changes)
    }
}

/// Returns a service with all listings and integrations of these tests.
fn service() -> Service {
    let service = Service::full();
    for parent in PARENTS {
        service.put_listing(parent);
        service.put_integration(parent);
    }
    service
}

/// Returns a role with resources.
fn holding(id: &str, resources: &[&str]) -> Block {
    role(id).set("resources", format!("{resources:?}"))
}

/// The table of the guide names every section.
#[test]
fn guide_names_every_section() {
    let page = include_str!("../../docs/guides/access-report.md");
    for title in TITLES {
        assert!(page.contains(&format!("\n| {title} | ")), "{title}");
    }
}
