//! How the time of a plan grows with the number of roles, with and without latency of the service.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::contender::Contender;
use crate::figures::{median, seconds, table};
use crate::options::Options;
use crate::output::report_progress;
use crate::scenario::{GROWTH, Scenario, Step};
use crate::workspace::Workspace;

const SIZES: [usize; 4] = [100, 300, 1000, 3000];
const LATENCIES_MS: [u64; 2] = [0, 80];

/// Median times by latency, label and number of roles.
type Walls = BTreeMap<(u64, &'static str, usize), Duration>;

/// Measures every size for every contender and writes the report.
pub(crate) fn run(options: &Options, contenders: &[Contender]) -> Result<()> {
    let mut walls = Walls::new();
    let labels: Vec<_> = contenders.iter().map(|contender| contender.label).collect();
    for roles in SIZES {
        for contender in contenders {
            measure(options, contender, roles, &mut walls)
                .with_context(|| format!("{roles} roles with {}", contender.label))?;
        }
        // Thousands of roles take a quarter of an hour: a run that is stopped keeps the smaller sizes.
        options
            .publish(&format!("{GROWTH}.md"), &report(&options.conditions()?, &labels, &walls))?;
    }
    Ok(())
}

fn measure(
    options: &Options,
    contender: &Contender,
    roles: usize,
    walls: &mut Walls,
) -> Result<()> {
    report_progress(&format!("{GROWTH}: {roles} roles with {}", contender.label));
    let scenario = Scenario {
        name: GROWTH,
        title: "",
        roles,
        listings: 1,
        latency_ms: 0,
        requests_per_second: None,
        steps: &[Step::Plan],
    };
    // The roles are created once, because that takes most of the time.
    let workspace = Workspace::new(options, &scenario, contender)?;
    for latency_ms in LATENCIES_MS {
        workspace.set_conditions(&Scenario { latency_ms, ..scenario });
        let rounds: Result<Vec<_>> =
            (0..options.rounds).map(|_| workspace.run(Step::Plan)).collect();
        let wall = median(rounds?.into_iter().map(|round| round.wall));
        walls.insert((latency_ms, contender.label, roles), wall);
    }
    Ok(())
}

fn report(conditions: &str, labels: &[&'static str], walls: &Walls) -> String {
    let mut text = format!("# Growth: plan without changes, 1 listing\n\n{conditions}\n");
    for latency in LATENCIES_MS {
        let header = SIZES.iter().map(|roles| format!("{roles} roles"));
        let mut rows = vec![std::iter::once("provider".to_owned()).chain(header).collect()];
        for label in labels {
            let cell = |roles| walls.get(&(latency, *label, roles)).copied().map(seconds);
            let cells = SIZES.iter().map(|roles| cell(*roles).unwrap_or_default());
            rows.push(std::iter::once((*label).to_owned()).chain(cells).collect());
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {latency} ms per request\n\n{}", table(&rows));
    }
    text
}
