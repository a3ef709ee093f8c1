//! Runs a real terraform for every contender of a scenario, in rounds.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use crate::contender::Contender;
use crate::options::Options;
use crate::output::{print_line, report_progress, write};
use crate::report::{self, Results};
use crate::scenario::Scenario;
use crate::statistics::median;
use crate::step::Step;
use crate::workspace::{Measured, Workspace};

/// Measures and reports every selected scenario.
///
/// # Errors
///
/// Fails if there is no terraform, and after the reports if this provider or `terraform_data` failed.
/// The failure of another provider, such as one that does not retry a 429, is a result.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.terraform.is_file(), "TERRAFORM_BINARY does not name a terraform or tofu");
    let contenders = contenders(options)?;
    let mut failures = Vec::new();
    for scenario in &options.scenarios {
        let results = measure(options, scenario, &contenders);
        let report = report::markdown(options, scenario, &contenders, &results)?;
        print_line(&report);
        if let Some(directory) = &options.write {
            write(directory, &format!("{}.md", scenario.name), &report)?;
            let plot = report::plot(scenario, &contenders, &results);
            write(directory, &format!("{}.svg", scenario.name), &plot)?;
        }
        let ours = results.failures.iter().filter(|(index, _)| !contenders[**index].is_other());
        failures.extend(ours.map(|(index, error)| {
            format!("{}, {}: {error}", scenario.name, contenders[*index].label)
        }));
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

fn contenders(options: &Options) -> Result<Vec<Contender>> {
    let mut all = vec![Contender::floor()];
    all.extend(["auto", "list", "off"].map(|mode| Contender::access(&options.provider, mode)));
    for other in &options.others {
        all.push(Contender::other(&other.name, &other.binary)?);
    }
    Ok(all)
}

/// Measures the steps of a scenario for each contender.
fn measure(options: &Options, scenario: &Scenario, contenders: &[Contender]) -> Results {
    let mut rounds: BTreeMap<(usize, Step), Vec<Measured>> = BTreeMap::new();
    let mut failures = BTreeMap::new();
    let mut workspaces = BTreeMap::new();
    for (index, contender) in contenders.iter().enumerate() {
        report_progress(&format!("{}: prepare {}", scenario.name, contender.label));
        match Workspace::new(options, scenario, contender).context("before the measurement") {
            Ok(workspace) => drop(workspaces.insert(index, workspace)),
            Err(error) => drop(failures.insert(index, format!("{error:#}"))),
        }
    }
    for round in 1..=options.rounds {
        // A round runs every contender, so that a slow minute of the machine affects all of them.
        for (index, workspace) in &workspaces {
            if failures.contains_key(index) {
                continue;
            }
            let label = &contenders[*index].label;
            report_progress(&format!(
                "{}: round {round} of {}: {label}",
                scenario.name, options.rounds
            ));
            for step in scenario.steps {
                match workspace.run(*step) {
                    Ok(measured) => rounds.entry((*index, *step)).or_default().push(measured),
                    Err(error) => {
                        failures.insert(*index, format!("{error:#}"));
                        break;
                    }
                }
            }
        }
    }
    rounds.retain(|(index, _), _| !failures.contains_key(index));
    let medians = rounds.into_iter().map(|(key, all)| (key, medians(&all))).collect();
    Results { medians, failures }
}

/// Returns the median of each figure separately.
fn medians(all: &[Measured]) -> Measured {
    fn of<T: Copy + Default + PartialOrd>(all: &[Measured], get: impl Fn(&Measured) -> T) -> T {
        median(&all.iter().map(get).collect::<Vec<_>>())
    }
    let mut medians = Measured {
        wall: of(all, |measured| measured.wall),
        terraform_cpu: of(all, |measured| measured.terraform_cpu),
        requests: of(all, |measured| measured.requests),
        ..Measured::default()
    };
    medians.plugin.processes = of(all, |measured| measured.plugin.processes);
    medians.plugin.cpu = of(all, |measured| measured.plugin.cpu);
    medians.plugin.peak = of(all, |measured| measured.plugin.peak);
    medians
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn medians_are_taken_of_each_figure_separately() {
        let measured = |wall, requests| Measured {
            wall: Duration::from_secs(wall),
            requests,
            ..Measured::default()
        };
        let medians = medians(&[measured(1, 30), measured(9, 10), measured(5, 20)]);
        assert_eq!((medians.wall, medians.requests), (Duration::from_secs(5), 20));
    }
}
