//! Runs a real terraform for every contender of a scenario, in rounds, and reports the medians.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};

use crate::contender::{self, Contender};
use crate::figures::{median, megabytes, seconds, table};
use crate::growth;
use crate::options::Options;
use crate::output::{self, report_progress};
use crate::scenario::{Scenario, Step};
use crate::workspace::{Measured, Workspace};

/// The results of a scenario, by the index of the contender.
#[derive(Default)]
struct Results {
    /// The measurements of each round.
    rounds: BTreeMap<(usize, Step), Vec<Measured>>,
    /// The first error of each contender that failed.
    failures: BTreeMap<usize, String>,
}

/// Measures and reports every selected scenario. Fails if there is no terraform, and after the
/// reports if this provider or `terraform_data` failed. The failure of another provider, such as
/// one that does not retry a 429, is a result.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.terraform.is_file(), "TERRAFORM_BINARY does not name a terraform or tofu");
    let contenders = contender::all(options)?;
    let mut failures = Vec::new();
    for scenario in &options.scenarios {
        let results = measure(options, scenario, &contenders);
        let report = report(options, scenario, &contenders, &results)?;
        output::publish(options, &format!("{}.md", scenario.name), &report)?;
        let ours = results.failures.iter().filter(|(index, _)| !contenders[**index].is_other());
        failures.extend(ours.map(|(_, error)| format!("{}: {error}", scenario.name)));
    }
    if options.growth {
        growth::run(options, &contenders)?;
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Measures the steps of a scenario for each contender.
fn measure(options: &Options, scenario: &Scenario, contenders: &[Contender]) -> Results {
    let mut results = Results::default();
    let mut workspaces = BTreeMap::new();
    for (index, contender) in contenders.iter().enumerate() {
        report_progress(&format!("{}: prepare {}", scenario.name, contender.label));
        match Workspace::new(options, scenario, contender).context("before the measurement") {
            Ok(workspace) => drop(workspaces.insert(index, workspace)),
            Err(error) => drop(results.failures.insert(index, format!("{error:#}"))),
        }
    }
    for round in 1..=options.rounds {
        // A round runs every contender, so that a slow minute of the machine affects all of them.
        for (index, workspace) in &workspaces {
            let label = &contenders[*index].label;
            report_progress(&format!("{}: round {round}: {label}", scenario.name));
            for step in scenario.steps {
                if results.failures.contains_key(index) {
                    break;
                }
                match workspace.run(*step) {
                    Ok(measured) => {
                        results.rounds.entry((*index, *step)).or_default().push(measured)
                    }
                    Err(error) => drop(results.failures.insert(*index, format!("{error:#}"))),
                }
            }
        }
    }
    results
}

/// Returns conditions, and a table for each step.
fn report(
    options: &Options,
    scenario: &Scenario,
    contenders: &[Contender],
    results: &Results,
) -> Result<String> {
    let mut text = format!("# {}\n\n{}\n", scenario.title, options.conditions()?);
    let header =
        ["provider", "wall", "× floor", "plugin CPU", "Terraform CPU", "plugin memory", "requests"];
    for step in scenario.steps {
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        // The first contender is `terraform_data`.
        let floor = results.rounds.get(&(0, *step));
        for (index, contender) in contenders.iter().enumerate() {
            rows.push(match results.rounds.get(&(index, *step)) {
                Some(rounds) if !results.failures.contains_key(&index) => {
                    row(contender, rounds, floor.unwrap_or(rounds))
                }
                _ => vec![contender.label.to_owned(), "failed".to_owned()],
            });
        }
        write!(text, "\n## {}\n\n{}", step.title(), table(&rows))?;
    }
    for (index, error) in &results.failures {
        // Backticks would end the code, and a line break the paragraph.
        let error = error.replace(['`', '\n'], " ");
        write!(text, "\n{} failed: `{error}`\n", contenders[*index].label)?;
    }
    Ok(text)
}

/// Returns the medians of a contender, each of a figure separately.
fn row(contender: &Contender, rounds: &[Measured], floor: &[Measured]) -> Vec<String> {
    let of_plugin = |cell: String| if contender.plugin.is_some() { cell } else { "–".to_owned() };
    let wall = median(rounds.iter().map(|round| round.wall));
    let floor = median(floor.iter().map(|round| round.wall));
    vec![
        contender.label.to_owned(),
        seconds(wall),
        format!("{:.2}×", wall.as_secs_f64() / floor.as_secs_f64()),
        of_plugin(seconds(median(rounds.iter().map(|round| round.plugin.cpu)))),
        seconds(median(rounds.iter().map(|round| round.terraform_cpu))),
        of_plugin(megabytes(median(rounds.iter().map(|round| round.plugin.peak)))),
        of_plugin(median(rounds.iter().map(|round| round.requests)).to_string()),
    ]
}
