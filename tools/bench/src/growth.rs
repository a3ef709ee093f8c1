//! How the processor time of a plan grows with the number of roles, for the two layouts of a
//! configuration and for several hosts. Terraform and the plugin are counted together, and other
//! work of the machine is not.
//!
//! For this provider the roles exist at the service first. Their data files and `import` blocks
//! come from `export`, and one apply imports them: the plans that are measured are those of a
//! configuration that an export has begun.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use access_fake::World;
use anyhow::{Context as _, Error, Result};

use crate::contender::{Contender, Kind};
use crate::figures::{median, seconds, table, version_of};
use crate::layout::{self, DATA, Layout};
use crate::options::Options;
use crate::output::{self, report_progress};
use crate::scenario::{GROWTH, Scenario, Step};
use crate::workspace::Workspace;

/// The numbers of roles that are measured.
const SIZES: [usize; 4] = [100, 300, 1000, 3000];
/// More roles take other providers a quarter of an hour.
const LARGEST_SIZE_OF_OTHERS: usize = 1000;
/// The number of roles in each listing of these sizes.
const ROLES_OF_LISTING: usize = 100;

/// The roles and listings for which hosts are compared.
const COMPARED: (usize, usize) = (2000, 10);

/// The host of provider addresses in states that Terraform writes.
const TERRAFORM_REGISTRY: &str = "registry.terraform.io/";

/// The layouts, in the order of the report.
const LAYOUTS: [Layout; 2] = [Layout::Modules, Layout::OneResource];

/// What has been measured: medians of the processor time.
#[derive(Default)]
struct Figures {
    /// With the first host, by layout, label and number of roles.
    sizes: BTreeMap<(Layout, &'static str, usize), Duration>,
    /// By host, label and layout.
    hosts: Vec<(String, &'static str, Layout, Duration)>,
}

/// Measures every size for every contender, and the hosts, and writes the report.
pub(crate) fn run(options: &Options, contenders: &[Contender]) -> Result<()> {
    let mut figures = Figures::default();
    for roles in SIZES {
        let is_measured = |it: &&Contender| !it.is_other() || roles <= LARGEST_SIZE_OF_OTHERS;
        for contender in contenders.iter().filter(is_measured) {
            measure_size(options, contender, roles, &mut figures)
                .with_context(|| format!("{roles} roles with {}", contender.label))?;
        }
        // A run that is stopped keeps the smaller sizes.
        publish(options, contenders, &figures)?;
    }
    for contender in contenders.iter().filter(|contender| !contender.is_other()) {
        compare_hosts(options, contender, &mut figures)
            .with_context(|| format!("the hosts with {}", contender.label))?;
    }
    publish(options, contenders, &figures)
}

/// Returns a scenario of a plan without latency and limits.
fn scenario(roles: usize, listings: usize) -> Scenario {
    Scenario {
        name: GROWTH,
        title: "",
        roles,
        listings,
        latency_ms: 0,
        requests_per_second: None,
        steps: &[Step::Plan],
    }
}

/// Measures the plan of so many roles, in each layout of the contender.
fn measure_size(
    options: &Options,
    contender: &Contender,
    roles: usize,
    figures: &mut Figures,
) -> Result<()> {
    let scenario = scenario(roles, roles / ROLES_OF_LISTING);
    report_progress(&format!("{GROWTH}: prepare {roles} roles with {}", contender.label));
    let workspace = prepare(options, &scenario, contender)?;
    let state = workspace.read("terraform.tfstate")?;
    // Other providers are compared in the layout that the guide teaches.
    for layout in LAYOUTS.into_iter().filter(|it| *it == Layout::Modules || !contender.is_other()) {
        report_progress(&format!("{GROWTH}: {}: {}", contender.label, layout.title()));
        set_layout(&workspace, layout, contender, &state)?;
        let cpu = measure_plan(options, &workspace)?;
        figures.sizes.insert((layout, contender.label, roles), cpu);
    }
    Ok(())
}

/// Measures the same roles in both layouts, with each host.
fn compare_hosts(options: &Options, contender: &Contender, figures: &mut Figures) -> Result<()> {
    let (roles, listings) = COMPARED;
    let scenario = scenario(roles, listings);
    let mut workspace = prepare(options, &scenario, contender)?;
    let state = workspace.read("terraform.tfstate")?;
    for host in [&options.terraform].into_iter().chain(&options.hosts) {
        let name = version_of(host)?;
        // OpenTofu has a registry of its own.
        let is_tofu = name.starts_with("OpenTofu");
        let registry = if is_tofu { "registry.opentofu.org/" } else { TERRAFORM_REGISTRY };
        let state = state.replace(TERRAFORM_REGISTRY, registry);
        workspace.set_host(host);
        for layout in LAYOUTS {
            report_progress(&format!("{GROWTH}: {name}: {}: {}", contender.label, layout.title()));
            set_layout(&workspace, layout, contender, &state)?;
            let cpu = measure_plan(options, &workspace)?;
            figures.hosts.push((name.clone(), contender.label, layout, cpu));
        }
    }
    Ok(())
}

/// Writes the configuration of a layout, and this state of the layout of the guide.
fn set_layout(
    workspace: &Workspace<'_>,
    layout: Layout,
    contender: &Contender,
    state: &str,
) -> Result<()> {
    write_configuration(workspace, layout, contender)?;
    match layout {
        Layout::Modules => workspace.write("terraform.tfstate", state),
        Layout::OneResource => workspace.write("terraform.tfstate", &layout::join_modules(state)?),
    }
}

/// Returns the median of the processor time of a plan without changes.
fn measure_plan(options: &Options, workspace: &Workspace<'_>) -> Result<Duration> {
    let rounds = (0..options.rounds).map(|_| workspace.run(Step::Plan));
    let rounds: Result<Vec<_>> = rounds.collect();
    Ok(median(rounds?.into_iter().map(|round| round.plugin.cpu + round.terraform_cpu)))
}

/// Returns a workspace with the layout of the guide, whose roles exist and are in the state.
fn prepare<'b>(
    options: &Options,
    scenario: &'b Scenario,
    contender: &'b Contender,
) -> Result<Workspace<'b>> {
    let workspace = Workspace::empty(options, scenario, contender)?;
    write_configuration(&workspace, Layout::Modules, contender)?;
    let indexes = |listing: usize| (listing..scenario.roles).step_by(scenario.listings);
    let listings: Vec<_> = scenario.listing_names().collect();
    if contender.kind == Kind::Access {
        workspace.service().change_world(|world| *world = World::default());
        for (listing, name) in listings.iter().enumerate() {
            for index in indexes(listing) {
                let role = layout::role(index);
                workspace
                    .service()
                    .put_role(name, &format!("role-{index}"), &role)
                    .map_err(Error::msg)?;
            }
        }
        let parents: Vec<_> = listings.iter().map(|name| format!("listings/{name}")).collect();
        let mut arguments = vec!["export", "--format", "yaml", "--output", DATA];
        arguments.extend(["--to", "module.region", "--imports", "imports.tf"]);
        arguments.extend(parents.iter().map(String::as_str));
        workspace.run_unmeasured(Some(&options.provider), &arguments)?;
    } else {
        for (listing, name) in listings.iter().enumerate() {
            let text: String = indexes(listing).map(layout::data_entry).collect();
            workspace.write(&format!("{DATA}/listings/{name}.yaml"), &text)?;
        }
    }
    workspace.run_unmeasured(None, &["get"])?;
    workspace.run(Step::Create)?;
    if contender.kind == Kind::Access {
        workspace.remove("imports.tf")?;
    }
    Ok(workspace)
}

/// Writes the configuration of a layout. What it does not need of another layout stays, and is not
/// read.
fn write_configuration(
    workspace: &Workspace<'_>,
    layout: Layout,
    contender: &Contender,
) -> Result<()> {
    for (path, text) in layout::files(layout, contender, &workspace.base_url()) {
        workspace.write(path, &text)?;
    }
    Ok(())
}

/// Publishes what has been measured so far.
fn publish(options: &Options, contenders: &[Contender], figures: &Figures) -> Result<()> {
    let labels: Vec<_> = contenders.iter().map(|contender| contender.label).collect();
    let report = report(&options.conditions()?, &labels, figures);
    output::publish(options, &format!("{GROWTH}.md"), &report)
}

/// Returns a table of sizes for each layout, and the table of hosts.
fn report(conditions: &str, labels: &[&'static str], figures: &Figures) -> String {
    let mut text = format!(
        "# Growth: processor time of a plan without changes\n\n{conditions}\n\n{ROLES_OF_LISTING} roles in each \
         listing. Terraform and plugin together.\n"
    );
    for layout in LAYOUTS {
        let header = SIZES.iter().map(|roles| format!("{roles} roles"));
        let mut rows = vec![std::iter::once("provider".to_owned()).chain(header).collect()];
        for label in labels {
            let cell = |roles| figures.sizes.get(&(layout, *label, roles)).copied().map(seconds);
            let cells: Vec<_> =
                SIZES.iter().map(|roles| cell(*roles).unwrap_or_default()).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(std::iter::once((*label).to_owned()).chain(cells).collect());
            }
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}\n\n{}", layout.title(), table(&rows));
    }
    if !figures.hosts.is_empty() {
        let (roles, listings) = COMPARED;
        let header = ["host", "provider", "layout", "processor time"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (host, label, layout, cpu) in &figures.hosts {
            let label = (*label).to_owned();
            rows.push(vec![host.clone(), label, layout.title().to_owned(), seconds(*cpu)]);
        }
        let _ =
            write!(text, "\n## Hosts: {roles} roles in {listings} listings\n\n{}", table(&rows));
    }
    text
}
