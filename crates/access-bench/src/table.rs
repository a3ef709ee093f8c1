//! A Markdown table.
//!
//! It is not written by a crate, which would be a dependency for about 40 lines.

/// A header and rows. The first column is text, the others are figures.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with the given header.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    /// Adds a row. Missing cells at its end are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the table as Markdown with aligned columns.
    pub(crate) fn markdown(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let cell = |row: &Vec<String>, column: usize| {
            row.get(column).map_or(String::new(), |cell| cell.replace('|', "\\|"))
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let widths = self.rows.iter().map(|row| cell(row, column).chars().count());
                widths.max().unwrap_or_default().max(2)
            })
            .collect();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            for (column, width) in widths.iter().enumerate() {
                let cell = cell(row, column);
                text += &match column {
                    0 => format!("| {cell:<width$} |"),
                    _ => format!(" {cell:>width$} |"),
                };
            }
            text.push('\n');
            if index == 0 {
                for (column, width) in widths.iter().enumerate() {
                    text += &match column {
                        0 => format!("|{}|", "-".repeat(width + 2)),
                        _ => format!("{}:|", "-".repeat(width + 1)),
                    };
                }
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_aligned_markdown() {
        let mut table = Table::new(["name", "time"]);
        table.row(["access".to_owned(), "1.5 s".to_owned()]);
        table.row(["a|b".to_owned()]);
        assert_eq!(
            table.markdown(),
            "| name   |  time |\n\
             |--------|------:|\n\
             | access | 1.5 s |\n\
             | a\\|b   |       |\n"
        );
    }
}
