//! The picture of the growth of plans without changes, drawn from the tables in
//! `benchmarks/growth.md`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::layout::Layout;

/// The file of the picture in `benchmarks/`.
pub(crate) const FILE: &str = "plan.svg";
/// The file with the tables, also in `benchmarks/`.
const TABLES: &str = "growth.md";
/// What the guide teaches comes first.
const PANELS: [Layout; 2] = [Layout::Modules, Layout::OneResource];
/// The providers from the fastest to the slowest, and their colours, which the colour-blind can
/// tell apart.
const PROVIDERS: [(&str, RGBColor); 4] = [
    ("terraform_data", RGBColor(120, 120, 120)),
    ("access", RGBColor(0, 114, 178)),
    ("Mastercard/restapi", RGBColor(230, 159, 0)),
    ("magodo/restful", RGBColor(213, 94, 0)),
];
/// The ranges of the axes.
const ROLES: std::ops::Range<f64> = 80.0..4000.0;
const SECONDS: std::ops::Range<f64> = 0.1..200.0;

/// The processor time of a plan.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    /// The heading of its table.
    heading: String,
    provider: String,
    roles: f64,
    seconds: f64,
}

/// Draws the picture from the tables in this directory.
pub(crate) fn draw(directory: &Path) -> Result<String> {
    let path = directory.join(TABLES);
    let points = points(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (960, 400)).into_drawing_area();
        root.fill(&WHITE).map_err(|error| anyhow::anyhow!("{error}"))?;
        for (panel, layout) in root.split_evenly((1, 2)).iter().zip(PANELS) {
            let title = layout.title();
            let of_panel: Vec<_> = points.iter().filter(|point| point.heading == title).collect();
            ensure!(!of_panel.is_empty(), "no figures of {title}");
            draw_panel(panel, title, &of_panel).map_err(|error| anyhow::anyhow!("{error}"))?;
        }
        root.present().map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    // One line: nobody reads a diff of coordinates.
    Ok(svg.replace('\n', "") + "\n")
}

/// The area of a panel.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the lines of the providers in one layout, on logarithmic axes.
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
        .y_desc("processor time of a plan without changes")
        .x_label_formatter(&|roles| format!("{roles:.0}"))
        .y_label_formatter(&|seconds| format!("{seconds} s"))
        .draw()?;
    for (provider, color) in PROVIDERS {
        let of_provider = points.iter().filter(|point| point.provider == provider);
        let places: Vec<_> = of_provider.map(|point| (point.roles, point.seconds)).collect();
        if places.is_empty() {
            continue;
        }
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

/// Reads the times from the tables of a report whose columns are numbers of roles.
fn points(report: &str) -> Vec<Point> {
    let mut heading = "";
    let mut header = Vec::new();
    let mut points = Vec::new();
    for line in report.lines() {
        if let Some(text) = line.strip_prefix("## ") {
            heading = text;
            header = Vec::new();
        } else if let Some(row) = line.strip_prefix("| ") {
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            if header.is_empty() {
                header = cells;
                continue;
            }
            for (column, cell) in header.iter().zip(&cells) {
                let roles = number_before(column, " roles");
                if let (Some(roles), Some(seconds)) = (roles, number_before(cell, " s")) {
                    let provider = cells[0].to_owned();
                    points.push(Point { heading: heading.to_owned(), provider, roles, seconds });
                }
            }
        }
    }
    points
}

/// Returns the number in front of a unit: 300 in "300 roles".
fn number_before(text: &str, unit: &str) -> Option<f64> {
    text.split_once(unit)?.0.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_times_of_tables_by_numbers_of_roles() {
        let report = "# Growth\n\n## A module for each listing\n\n\
            | provider | 100 roles | 3000 roles |\n|---|---|---|\n\
            | access | 0.51 s | 2.54 s |\n| other | 1.00 s |  |\n\n\
            ## Hosts: 2000 roles in 10 listings\n\n\
            | host | processor time |\n|---|---|\n| Terraform | 5.00 s |\n";
        let point = |provider: &str, roles, seconds| Point {
            heading: "A module for each listing".to_owned(),
            provider: provider.to_owned(),
            roles,
            seconds,
        };
        let expected = [
            point("access", 100.0, 0.51),
            point("access", 3000.0, 2.54),
            point("other", 100.0, 1.0),
        ];
        assert_eq!(points(report), expected);
    }

    #[test]
    fn picture_is_drawn_from_the_figures() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
        let drawn = draw(&directory).unwrap();
        for (provider, lines) in
            [("terraform_data", 2), ("access", 2), ("Mastercard/restapi", 1), ("magodo/restful", 1)]
        {
            assert_eq!(drawn.matches(provider).count(), lines, "lines of {provider}");
        }
        let current = fs::read_to_string(directory.join(FILE)).unwrap();
        assert!(drawn == current, "benchmarks/{FILE} is out of date: cargo xtask bench --picture");
    }
}
