//! Whole runs of a real terraform, for every contender, in rounds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use access_fake::Fake;
use anyhow::{Context as _, Result, ensure};

use crate::contender::Contender;
use crate::options::Options;
use crate::plot::{Bar, Group, bars};
use crate::statistics::{median, megabytes, ratio, seconds, short};
use crate::table::Table;
use crate::workspace::{Measured, Step, Workspace};
use crate::{complain, machine, tell, write};

/// Medians by contender and step; what failed is not there.
type Medians = BTreeMap<(usize, Step), Measured>;

/// Measures and reports.
///
/// # Errors
///
/// There is no terraform, or a contender failed: after the report on the others.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.terraform.is_file(), "TERRAFORM_BINARY names no terraform or tofu");
    let contenders = contenders(options)?;
    let mut rounds: BTreeMap<(usize, Step), Vec<Measured>> = BTreeMap::new();
    let mut failures = BTreeMap::new();
    for round in 1..=options.rounds {
        // A round has everybody, so that a slow minute of the machine is nobody's alone.
        for (index, contender) in contenders.iter().enumerate() {
            if failures.contains_key(&index) {
                continue;
            }
            complain(&format!("round {round} of {}: {}", options.rounds, contender.label));
            match measure(options, contender) {
                Ok(steps) => {
                    for (step, measured) in steps {
                        rounds.entry((index, step)).or_default().push(measured);
                    }
                }
                Err(error) => {
                    failures.insert(index, format!("{}: {error:#}", contender.label));
                }
            }
        }
    }
    rounds.retain(|(index, _), _| !failures.contains_key(index));
    let medians: Medians = rounds.into_iter().map(|(key, all)| (key, middle(&all))).collect();
    let report = report(options, &contenders, &medians)?;
    tell(&report);
    if let Some(directory) = &options.write {
        write(directory, "terraform.md", &report)?;
        write(directory, "terraform.svg", &plot(&contenders, &medians))?;
    }
    let failures: Vec<_> = failures.into_values().collect();
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

/// One contender's life with a service of its own.
fn measure(options: &Options, contender: &Contender) -> Result<Vec<(Step, Measured)>> {
    let running = Fake::start_blocking(options.world.clone())?;
    let workspace = Workspace::new(options, contender, running.service(), &running.base_url())?;
    Step::ALL.into_iter().map(|step| Ok((step, workspace.run(step)?))).collect()
}

/// The median of each figure by itself.
fn middle(all: &[Measured]) -> Measured {
    fn of<T: Copy + Default + PartialOrd>(all: &[Measured], get: impl Fn(&Measured) -> T) -> T {
        median(&all.iter().map(get).collect::<Vec<_>>())
    }
    let mut middle = Measured {
        wall: of(all, |it| it.wall),
        terraform_cpu: of(all, |it| it.terraform_cpu),
        requests: of(all, |it| it.requests),
        ..Measured::default()
    };
    middle.plugin.processes = of(all, |it| it.plugin.processes);
    middle.plugin.cpu = of(all, |it| it.plugin.cpu);
    middle.plugin.peak = of(all, |it| it.plugin.peak);
    middle
}

fn report(options: &Options, contenders: &[Contender], medians: &Medians) -> Result<String> {
    let mut text = conditions(options)?;
    for step in Step::ALL {
        let floor = medians.get(&(0, step)).copied();
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
            table.row(match medians.get(&(index, step)) {
                Some(it) => row(contender, it, floor.as_ref()),
                None => vec![contender.label.clone(), "failed".to_owned()],
            });
        }
        write!(text, "\n### {}\n\n{}", step.title(), table.markdown())?;
    }
    text.push_str(&limits(options, medians)?);
    Ok(text)
}

fn row(contender: &Contender, it: &Measured, floor: Option<&Measured>) -> Vec<String> {
    let mut cells = vec![
        contender.label.clone(),
        seconds(it.wall),
        floor.map_or(String::new(), |floor| ratio(it.wall, floor.wall)),
    ];
    let plugin = contender.plugin.is_some();
    cells.push(if plugin { seconds(it.plugin.cpu) } else { "–".to_owned() });
    cells.push(seconds(it.terraform_cpu));
    cells.push(if plugin { megabytes(it.plugin.peak) } else { "–".to_owned() });
    cells.push(if plugin { it.requests.to_string() } else { "–".to_owned() });
    cells
}

/// Everything that the figures depend on.
fn conditions(options: &Options) -> Result<String> {
    let mut versions =
        vec![machine::terraform_version(&options.terraform)?, provider_version(options)?];
    for other in &options.others {
        let version = if other.version.is_empty() { "unknown version" } else { &other.version };
        versions.push(format!("{} {version}", other.name));
    }
    let service = match &options.world.rate_limit {
        Some(limit) => format!(", {} requests a second", limit.per_second),
        None => String::new(),
    };
    Ok(format!(
        "{} roles, parallelism {}, median of {} rounds; the service answers after {} ms{service}.\n\
         {}; {}; {}.\n",
        options.resources,
        options.parallelism,
        options.rounds,
        options.world.latency_ms,
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

/// What this provider adds to Terraform's own time, for each role.
fn limits(options: &Options, medians: &Medians) -> Result<String> {
    let mut text =
        "\n### Whose time it is\n\nOne role, `drift_detection = \"auto\"`:\n\n".to_owned();
    let mut table = Table::new([
        "step",
        "wall",
        "terraform_data",
        "added",
        "Terraform CPU",
        "plugin CPU",
        "requests",
    ]);
    let resources = u32::try_from(options.resources)?;
    for step in Step::ALL {
        let (Some(floor), Some(access)) = (medians.get(&(0, step)), medians.get(&(1, step))) else {
            continue;
        };
        let each = |time: Duration| short(time / resources);
        #[allow(clippy::cast_precision_loss, reason = "one digit is shown")]
        let requests = access.requests as f64 / f64::from(resources);
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
    text.push_str(&table.markdown());
    Ok(text)
}

fn plot(contenders: &[Contender], medians: &Medians) -> String {
    let groups = Step::ALL.map(|step| Group {
        title: step.title().to_owned(),
        bars: contenders
            .iter()
            .enumerate()
            .filter_map(|(index, contender)| {
                let wall = medians.get(&(index, step))?.wall;
                Some(Bar {
                    label: contender.label.clone(),
                    value: wall.as_secs_f64(),
                    text: seconds(wall),
                })
            })
            .collect(),
    });
    bars("Wall time, less is better", &groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_is_taken_of_each_figure_by_itself() {
        let measured = |wall, requests| Measured {
            wall: Duration::from_secs(wall),
            requests,
            ..Measured::default()
        };
        let middle = middle(&[measured(1, 30), measured(9, 10), measured(5, 20)]);
        assert_eq!((middle.wall, middle.requests), (Duration::from_secs(5), 20));
    }

    #[test]
    fn row_has_no_plugin_figures_where_there_is_no_plugin() {
        let it = Measured { wall: Duration::from_secs(4), ..Measured::default() };
        let floor = Measured { wall: Duration::from_secs(2), ..Measured::default() };
        let cells = row(&Contender::floor(), &it, Some(&floor));
        assert_eq!(cells[1..4], ["4.00 s", "2.00×", "–"]);
        let access = Contender::access(std::path::Path::new("/plugin"), "auto");
        assert_eq!(row(&access, &it, None)[2..4], ["", "0.00 s"]);
    }
}
