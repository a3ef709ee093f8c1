//! A bar chart as SVG.
//!
//! It is not written by a charting crate, because those contain a renderer and fonts, and their
//! output differs between versions: each measurement would change every line of a file that Git
//! tracks.

use std::fmt::Write as _;

/// Bars with a common title.
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

/// One bar.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The label at the end of the bar.
    pub(crate) text: String,
}

const WIDTH: f64 = 720.0;
const LABELS: f64 = 170.0;
/// Space to the right of the longest bar for its value.
const VALUES: f64 = 80.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 34.0;
/// Colours of the bars of each group. The first, grey, is that of `terraform_data`.
const COLOURS: [&str; 6] = ["#8a8f98", "#1f6feb", "#3fa7d6", "#7cc6a4", "#d08b2c", "#b5566b"];

/// Returns the chart. All groups share one scale.
pub(crate) fn bars(title: &str, groups: &[Group]) -> String {
    let all = groups.iter().flat_map(|group| &group.bars);
    let longest = all.map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let mut body = String::new();
    let mut y = HEAD;
    for group in groups {
        y += ROW;
        text(&mut body, 12.0, y, "font-weight=\"bold\"", &group.title);
        y += 8.0;
        for (bar, colour) in group.bars.iter().zip(COLOURS.iter().cycle()) {
            let length = bar.value / longest * (WIDTH - LABELS - VALUES);
            // A write to a string does not fail.
            let _ = writeln!(
                body,
                "<rect x=\"{LABELS}\" y=\"{y:.0}\" width=\"{length:.1}\" height=\"15\" fill=\"{colour}\"/>"
            );
            text(&mut body, LABELS - 8.0, y + 12.0, "text-anchor=\"end\"", &bar.label);
            text(&mut body, LABELS + length + 6.0, y + 12.0, "", &bar.text);
            y += ROW;
        }
    }
    let height = y + 12.0;
    let mut head = String::new();
    text(&mut head, 12.0, 24.0, "font-size=\"15\"", title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#1b1f24\" role=\"img\">\n\
         <title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{head}{body}</svg>\n",
        escaped(title)
    )
}

fn text(out: &mut String, x: f64, y: f64, style: &str, content: &str) {
    let style = if style.is_empty() { String::new() } else { format!(" {style}") };
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{style}>{}</text>", escaped(content));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64) -> Bar {
        Bar { label: label.to_owned(), value, text: format!("{value} s") }
    }

    #[test]
    fn bars_are_as_long_as_their_values_across_groups() {
        let groups = [
            Group { title: "Create".to_owned(), bars: vec![bar("a", 4.0), bar("b", 1.0)] },
            Group { title: "Plan".to_owned(), bars: vec![bar("a", 2.0)] },
        ];
        let svg = bars("Wall", &groups);
        for width in ["width=\"470.0\"", "width=\"117.5\"", "width=\"235.0\""] {
            assert_eq!(svg.matches(width).count(), 1, "{width}: {svg}");
        }
        assert_eq!(svg.matches("fill=\"#8a8f98\"").count(), 2, "the first of each group");
    }

    #[test]
    fn names_cannot_break_the_markup() {
        let groups = [Group { title: "<&>".to_owned(), bars: vec![bar("\"x\"", 1.0)] }];
        let svg = bars("t", &groups);
        assert!(svg.contains("&lt;&amp;&gt;") && svg.contains("&quot;x&quot;"), "{svg}");
    }

    #[test]
    fn plot_of_nothing_is_a_plot() {
        assert!(bars("nothing", &[]).ends_with("</svg>\n"));
        assert!(
            !bars("zero", &[Group { title: String::new(), bars: vec![bar("z", 0.0)] }])
                .contains("NaN")
        );
    }
}
