//! The results of a scenario as Markdown and as a plot.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::contender::Contender;
use crate::machine;
use crate::options::Options;
use crate::plot::{Bar, Group, bars};
use crate::scenario::Scenario;
use crate::statistics::{megabytes, ratio, seconds, short};
use crate::step::Step;
use crate::table::Table;
use crate::workspace::Measured;

/// Index of `terraform_data` among the contenders.
const FLOOR: usize = 0;
/// Index of this provider with its default settings.
const ACCESS: usize = 1;

/// The results of a scenario.
pub(crate) struct Results {
    /// Medians by the index of the contender and the step.
    pub(crate) medians: BTreeMap<(usize, Step), Measured>,
    /// The first error of each contender that failed, by its index.
    pub(crate) failures: BTreeMap<usize, String>,
}

/// Returns the report: conditions, a table for each step, goals, and costs per role.
///
/// # Errors
///
/// Fails if the versions of terraform or the provider cannot be read.
pub(crate) fn markdown(
    options: &Options,
    scenario: &Scenario,
    contenders: &[Contender],
    results: &Results,
) -> Result<String> {
    let mut text = conditions(options, scenario)?;
    for step in scenario.steps {
        let floor = results.medians.get(&(FLOOR, *step));
        let mut table = Table::new([
            "provider",
            "wall",
            "× floor",
            "plugin CPU",
            "Terraform CPU",
            "plugin memory",
            "requests",
        ]);
        for (index, contender) in contenders.iter().enumerate() {
            table.row(match results.medians.get(&(index, *step)) {
                Some(measured) => row(contender, measured, floor),
                None => vec![contender.label.clone(), "failed".to_owned()],
            });
        }
        write!(text, "\n### {}\n\n{}", heading(scenario, *step), table.markdown())?;
    }
    for (index, error) in &results.failures {
        // Backticks would end the code, and a line break the paragraph.
        let error = error.replace(['`', '\n'], " ");
        write!(text, "\n{} failed: `{error}`\n", contenders[*index].label)?;
    }
    if let Some(table) = goals(scenario, results) {
        write!(text, "\n{}", table.markdown())?;
    }
    if scenario.steps.len() > 1 {
        write!(text, "\n### Costs per role\n\nWith `drift_detection = \"auto\"`:\n\n")?;
        text += &costs_per_role(scenario, results)?.markdown();
    }
    Ok(text)
}

/// Returns the heading of a step's table. All scenarios are on one page, so the heading contains
/// the conditions.
fn heading(scenario: &Scenario, step: Step) -> String {
    match (scenario.latency.as_millis(), scenario.requests_per_second) {
        (0, None) => step.title().to_owned(),
        (latency, None) => format!("{}, {latency} ms per request", step.title()),
        (0, Some(rate)) => format!("{}, {rate} requests per second", step.title()),
        (latency, Some(rate)) => {
            format!("{}, {latency} ms per request, {rate} requests per second", step.title())
        }
    }
}

fn row(contender: &Contender, measured: &Measured, floor: Option<&Measured>) -> Vec<String> {
    let has_plugin = contender.plugin.is_some();
    let of_plugin = |cell: String| if has_plugin { cell } else { "–".to_owned() };
    vec![
        contender.label.clone(),
        seconds(measured.wall),
        floor.map_or(String::new(), |floor| ratio(measured.wall, floor.wall)),
        of_plugin(seconds(measured.plugin.cpu)),
        seconds(measured.terraform_cpu),
        of_plugin(megabytes(measured.plugin.peak)),
        of_plugin(measured.requests.to_string()),
    ]
}

/// Returns the conditions that the figures depend on.
fn conditions(options: &Options, scenario: &Scenario) -> Result<String> {
    let mut versions =
        vec![machine::terraform_version(&options.terraform)?, provider_version(options)?];
    for other in &options.others {
        let version = if other.version.is_empty() { "unknown version" } else { &other.version };
        versions.push(format!("{} {version}", other.name));
    }
    Ok(format!(
        "{}; parallelism {}, median of {} rounds.\n{}; {}; {}.\n",
        scenario.description(),
        options.parallelism,
        options.rounds,
        versions.join(", "),
        machine::machine(),
        machine::today(),
    ))
}

fn provider_version(options: &Options) -> Result<String> {
    let output = Command::new(&options.provider).arg("--version").output()?;
    let text = String::from_utf8(output.stdout).context("the provider's version")?;
    Ok(text.trim().to_owned())
}

/// Returns the scenario's goals and whether this provider meets them, or `None` without goals or
/// figures.
fn goals(scenario: &Scenario, results: &Results) -> Option<Table> {
    let measured = results.medians.get(&(ACCESS, Step::Plan))?;
    let goals = &scenario.goals;
    let mut rows = Vec::new();
    if let Some(goal) = goals.added {
        let floor = results.medians.get(&(FLOOR, Step::Plan))?;
        let added = measured.wall.saturating_sub(floor.wall);
        rows.push(("wall, on top of terraform_data", seconds(goal), seconds(added), added <= goal));
    }
    if let Some(goal) = goals.wall {
        rows.push(("wall", seconds(goal), seconds(measured.wall), measured.wall <= goal));
    }
    if let Some(goal) = goals.requests {
        let requests = measured.requests;
        rows.push(("requests", goal.to_string(), requests.to_string(), requests <= goal));
    }
    if rows.is_empty() {
        return None;
    }
    let mut table = Table::new(["access, auto", "goal", "measured", ""]);
    for (what, goal, measured, is_met) in rows {
        let verdict = if is_met { "met" } else { "missed" };
        table.row([what.to_owned(), goal, measured, verdict.to_owned()]);
    }
    Some(table)
}

/// Returns the time that this provider adds to Terraform's own time, per role.
fn costs_per_role(scenario: &Scenario, results: &Results) -> Result<Table> {
    let mut table = Table::new([
        "step",
        "wall",
        "terraform_data",
        "added",
        "Terraform CPU",
        "plugin CPU",
        "requests",
    ]);
    let roles = u32::try_from(scenario.roles)?;
    for step in scenario.steps {
        let (Some(floor), Some(access)) =
            (results.medians.get(&(FLOOR, *step)), results.medians.get(&(ACCESS, *step)))
        else {
            continue;
        };
        let each = |time: Duration| short(time / roles);
        #[allow(clippy::cast_precision_loss, reason = "one digit is shown")]
        let requests = access.requests as f64 / f64::from(roles);
        table.row([
            step.title().to_owned(),
            each(access.wall),
            each(floor.wall),
            each(access.wall.saturating_sub(floor.wall)),
            each(access.terraform_cpu),
            each(access.plugin.cpu),
            format!("{requests:.1}"),
        ]);
    }
    Ok(table)
}

/// Returns the wall times as bars.
pub(crate) fn plot(scenario: &Scenario, contenders: &[Contender], results: &Results) -> String {
    let groups: Vec<_> = scenario
        .steps
        .iter()
        .map(|step| Group {
            title: heading(scenario, *step),
            bars: contenders
                .iter()
                .enumerate()
                .filter_map(|(index, contender)| {
                    let wall = results.medians.get(&(index, *step))?.wall;
                    Some(Bar {
                        label: contender.label.clone(),
                        value: wall.as_secs_f64(),
                        text: seconds(wall),
                    })
                })
                .collect(),
        })
        .collect();
    bars("Wall time (shorter is better)", &groups)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn measured(seconds: u64, requests: usize) -> Measured {
        Measured { wall: Duration::from_secs(seconds), requests, ..Measured::default() }
    }

    #[test]
    fn row_has_no_plugin_figures_without_a_plugin() {
        let cells = row(&Contender::floor(), &measured(4, 0), Some(&measured(2, 0)));
        assert_eq!(cells[1..4], ["4.00 s", "2.00×", "–"]);
        let access = Contender::access(Path::new("/plugin"), "auto");
        let cells = row(&access, &measured(4, 7), None);
        assert_eq!(cells[2..4], ["", "0.00 s"]);
        assert_eq!(cells[6], "7");
    }

    #[test]
    fn goals_compare_the_plan_with_the_scenario() {
        let [latency, rate, local] = &Scenario::all()[..] else { panic!("three scenarios") };
        let results = |access: Measured| Results {
            medians: BTreeMap::from([
                ((FLOOR, Step::Plan), measured(2, 0)),
                ((ACCESS, Step::Plan), access),
            ]),
            failures: BTreeMap::new(),
        };
        let verdicts = |scenario, access| {
            let text = goals(scenario, &results(access)).unwrap().markdown();
            let lines = text.lines().skip(2);
            lines.map(|line| line.contains(" met |")).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(latency, measured(3, 60)), [true, true]);
        assert_eq!(verdicts(latency, measured(4, 61)), [false, false]);
        assert_eq!(verdicts(rate, measured(6, 999)), [true]);
        assert_eq!(verdicts(rate, measured(7, 1)), [false]);
        assert!(goals(local, &results(measured(1, 1))).is_none());
    }

    #[test]
    fn heading_names_the_conditions() {
        let [latency, rate, local] = &Scenario::all()[..] else { panic!("three scenarios") };
        assert_eq!(heading(latency, Step::Plan), "Plan without changes, 80 ms per request");
        assert_eq!(heading(rate, Step::Plan), "Plan without changes, 5 requests per second");
        assert_eq!(heading(local, Step::Plan), "Plan without changes");
    }
}
