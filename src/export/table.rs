//! `--format csv`: one line for each role and owner, for a review in a spreadsheet (RFC 4180).

use serde_json::Value;

use super::objects::{Objects, text};
use super::reviews::Reviews;

/// The columns: the service, and attributes by their names.
const HEADER: [&str; 15] = [
    "base_url",
    "listing",
    "role",
    "integration",
    "integration_owner_id",
    "owner",
    "display_name",
    "description",
    "priority",
    "resources",
    "manager",
    "repo_uri",
    "repo_dir",
    "create_time",
    "update_time",
];

/// The columns of `--reviews`.
const REVIEW: [&str; 2] = ["reason", "review_after"];

/// The columns that say what an object is. No other table begins like this.
const FIRST_COLUMNS: usize = 6;

/// Returns whether a text is a table that an export has written.
pub(super) fn is_table(text: &str) -> bool {
    text.starts_with(&HEADER[..FIRST_COLUMNS].join(","))
}

/// Returns the table of these objects of one service, with the columns of the reviews if there are
/// some.
pub(super) fn write(objects: &Objects, base_url: &str, reviews: Option<&Reviews>) -> String {
    let columns = HEADER.iter().chain(reviews.iter().flat_map(|_| &REVIEW));
    let header = columns.copied().collect::<Vec<_>>().join(",");
    let lines = objects.roles.iter().chain(&objects.owners).map(|object| {
        let mut cells = vec![cell(&Value::from(base_url))];
        cells.extend(HEADER[1..].iter().map(|column| cell(&object[*column])));
        if let Some(reviews) = reviews {
            let review = reviews.of(&text(&object["listing"]), &text(&object["role"]));
            cells.extend([review.reason, review.review_after].map(|it| cell(&Value::from(it))));
        }
        cells.join(",")
    });
    [header].into_iter().chain(lines).map(|line| line + "\r\n").collect()
}

/// What a spreadsheet calculates if it is the first character of a cell.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns a cell that a spreadsheet shows and does not calculate. Quotes do not help: they are
/// removed before a formula is recognised. Numbers remain numbers.
///
/// Programs that expect another separator split lines at semicolons, tabs and line breaks,
/// sometimes even in quotes. So what follows one of these does not begin a formula either.
fn cell(value: &Value) -> String {
    let text = text(value);
    if value.is_number() {
        return text;
    }
    let mut shown = String::new();
    let mut is_first = true;
    for character in text.chars() {
        if is_first && FORMULA.contains(&character) {
            shown.push('\'');
        }
        // Blanks before a formula may be removed.
        is_first = matches!(character, ';' | '\t' | '\r' | '\n') || is_first && character == ' ';
        shown.push(character);
    }
    let is_quoted = shown.contains([',', ';', '"', '\t', '\r', '\n']);
    if is_quoted { format!("\"{}\"", shown.replace('"', "\"\"")) } else { shown }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use access_client::api::{IntegrationOwner, ListingRole};

    use super::*;
    use crate::object::data_source::DataEntity as _;

    #[test]
    fn cell_never_becomes_a_formula_or_another_cell() {
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", " '=1"),
            ("\t=1", "\"'\t'=1\""),
            ("\r=1", "\"'\r'=1\""),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
            (" a;b ", "\" a;b \""),
            ("a; b", "\"a; b\""),
            ("a;=1", "\"a;'=1\""),
            ("a; =1", "\"a; '=1\""),
            ("a\t@b", "\"a\t'@b\""),
            ("a,b\r\n\"c\";=d", "\"a,b\r\n\"\"c\"\";'=d\""),
            ("a\n-b", "\"a\n'-b\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(cell(&Value::from(text)), expected);
        }
        assert_eq!(cell(&Value::from(-7)), "-7");
        assert_eq!(cell(&Value::Null), "");
    }

    #[test]
    fn columns_are_attributes_and_every_attribute_is_one_unless_a_review_needs_none() {
        // `id` and `name` repeat the first columns. Inherited fields are not reviewed.
        let others = ["id", "management", "name"];
        let attributes = ListingRole::object_attributes()
            .into_iter()
            .chain(IntegrationOwner::object_attributes());
        let mut expected: BTreeSet<_> =
            attributes.map(|(name, _)| name).filter(|name| !others.contains(name)).collect();
        expected.insert("base_url");
        assert_eq!(BTreeSet::from(HEADER), expected);
    }
}
