//! The picture of the times of plans without changes, drawn from the tables in `benchmarks/`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use plotters::coord::Shift;
use plotters::prelude::*;

/// The file of the picture in `benchmarks/`.
pub(crate) const FILE: &str = "plan.svg";
/// The tables with plans without changes, the complete one first.
const TABLES: [&[&str]; 2] = [&["growth.md"], &["terraform.md", "latency.md"]];
/// The providers from the fastest to the slowest, and their colours, which the colour-blind can tell apart.
const PROVIDERS: [(&str, RGBColor); 4] = [
    ("terraform_data", RGBColor(120, 120, 120)),
    ("access", RGBColor(0, 114, 178)),
    ("Mastercard/restapi", RGBColor(230, 159, 0)),
    ("magodo/restful", RGBColor(213, 94, 0)),
];
const ROLES: std::ops::Range<f64> = 80.0..4000.0;
const SECONDS: std::ops::Range<f64> = 0.1..200.0;

/// The time of a plan.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    provider: String,
    roles: f64,
    latency_ms: f64,
    seconds: f64,
}

/// Draws the picture from the tables in this directory.
pub(crate) fn draw(directory: &Path) -> Result<String> {
    let read = |file: &&str| fs::read_to_string(directory.join(file)).unwrap_or_default();
    let points: Vec<Vec<Point>> = TABLES
        .iter()
        .map(|files| files.iter().map(read).flat_map(|text| points(&text)).collect())
        .collect();
    let points = points.iter().find(|points| !points.is_empty());
    let points = points.with_context(|| format!("no figures in {}", directory.display()))?;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (960, 400)).into_drawing_area();
        root.fill(&WHITE).map_err(|error| anyhow::anyhow!("{error}"))?;
        let panels = root.split_evenly((1, 2));
        let titles = ["A service without latency", "80 ms per request"];
        for ((panel, title), latency_ms) in panels.iter().zip(titles).zip([0.0, 80.0]) {
            let of_panel: Vec<_> =
                points.iter().filter(|point| point.latency_ms == latency_ms).collect();
            ensure!(!of_panel.is_empty(), "no figures with a latency of {latency_ms} ms");
            draw_panel(panel, title, &of_panel).map_err(|error| anyhow::anyhow!("{error}"))?;
        }
        root.present().map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    // One line: nobody reads a diff of coordinates.
    Ok(svg.replace('\n', "") + "\n")
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw_panel(
    area: &Area<'_>,
    title: &str,
    points: &[&Point],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(56)
        .build_cartesian_2d(
            ROLES.log_scale().with_key_points(vec![100.0, 300.0, 1000.0, 3000.0]),
            SECONDS.log_scale().with_key_points(vec![0.1, 1.0, 10.0, 100.0]),
        )?;
    chart
        .configure_mesh()
        .bold_line_style(RGBColor(225, 225, 225))
        .max_light_lines(0)
        .x_desc("roles")
        .y_desc("plan without changes")
        .x_label_formatter(&|roles| format!("{roles:.0}"))
        .y_label_formatter(&|seconds| format!("{seconds} s"))
        .draw()?;
    for (provider, color) in PROVIDERS {
        let of_provider = points.iter().filter(|point| point.provider == provider);
        let places: Vec<_> = of_provider.map(|point| (point.roles, point.seconds)).collect();
        let style = color.stroke_width(2);
        chart
            .draw_series(LineSeries::new(places.clone(), style))?
            .label(provider)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
        chart.draw_series(places.into_iter().map(|place| Circle::new(place, 4, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .draw()?;
    Ok(())
}

/// Reads the times of plans without changes from a report. Conditions are in its headings: the number of roles
/// in the title or at the head of each column, the latency in either heading.
fn points(report: &str) -> Vec<Point> {
    let (mut title, mut heading, mut header) = ("", "", Vec::new());
    let mut points = Vec::new();
    for line in report.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            title = text;
        } else if let Some(text) = line.strip_prefix("## ") {
            (heading, header) = (text, Vec::new());
        } else if let Some(row) = line.strip_prefix("| ") {
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            if header.is_empty() {
                header = cells;
                continue;
            }
            let before = |unit| number_before(heading, unit).or_else(|| number_before(title, unit));
            for (column, cell) in header.iter().zip(&cells) {
                let is_plan = *column == "wall" && heading == "Plan without changes";
                let of_title = || if is_plan { before(" roles") } else { None };
                let roles = number_before(column, " roles").or_else(of_title);
                let seconds = number_before(cell, " s");
                if let (Some(roles), Some(seconds)) = (roles, seconds) {
                    let latency_ms = before(" ms").unwrap_or_default();
                    points.push(Point {
                        provider: cells[0].to_owned(),
                        roles,
                        latency_ms,
                        seconds,
                    });
                }
            }
        }
    }
    points
}

/// Returns the number in front of a unit: 80 in "…, 80 ms per request".
fn number_before(text: &str, unit: &str) -> Option<f64> {
    text.split_once(unit)?.0.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_plans_of_a_report() {
        let point = |provider: &str, roles, latency_ms, seconds| Point {
            provider: provider.to_owned(),
            roles,
            latency_ms,
            seconds,
        };
        for (report, expected) in [
            (
                "# Own costs: 500 roles in 1 listing, no latency\n\n## Create all (apply)\n\n\
                 | provider | wall |\n|---|---|\n| access | 3.99 s |\n\n## Plan without changes\n\n\
                 | provider | wall | × floor |\n|---|---|---|\n| access | 1.03 s | 1.24× |\n",
                vec![point("access", 500.0, 0.0, 1.03)],
            ),
            (
                "# Growth\n\n## 80 ms per request\n\n| provider | 100 roles | 3000 roles |\n|---|---|---|\n\
                 | access | 0.51 s | 2.54 s |\n| other | failed | 9.00 s |\n",
                vec![
                    point("access", 100.0, 80.0, 0.51),
                    point("access", 3000.0, 80.0, 2.54),
                    point("other", 3000.0, 80.0, 9.0),
                ],
            ),
        ] {
            assert_eq!(points(report), expected, "{report}");
        }
    }

    #[test]
    fn picture_is_drawn_from_the_figures() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
        let drawn = draw(&directory).unwrap();
        for (provider, _) in PROVIDERS {
            assert_eq!(drawn.matches(provider).count(), 2, "a line of {provider} in each panel");
        }
        let current = fs::read_to_string(directory.join(FILE)).unwrap();
        assert!(drawn == current, "benchmarks/{FILE} is out of date: cargo xtask bench --picture");
    }
}
