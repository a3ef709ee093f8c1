//! `--format csv`: one line for each role and owner, for a review in a spreadsheet (RFC 4180).

use super::objects::{Objects, text};

/// The columns, by the names of attributes.
const HEADER: [&str; 13] = [
    "listing",
    "role",
    "integration",
    "integration_owner_id",
    "owner",
    "display_name",
    "priority",
    "resources",
    "manager",
    "repo_uri",
    "repo_dir",
    "create_time",
    "update_time",
];

pub(super) fn write(objects: &Objects) -> String {
    let objects = objects.roles.iter().chain(&objects.owners);
    let lines = objects.map(|object| HEADER.map(|column| cell(text(&object[column]))).join(","));
    [HEADER.join(",")].into_iter().chain(lines).map(|line| line + "\r\n").collect()
}

/// Returns a cell that a spreadsheet shows and does not calculate. Quotes do not help: they are removed
/// before a formula is recognised.
fn cell(text: String) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text };
    let is_quoted = text.contains([',', '"', '\r', '\n']);
    if is_quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
            (" a;b ", " a;b "),
            ("a,b\r\n\"c\";=d", "\"a,b\r\n\"\"c\"\";=d\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(cell(text.to_owned()), expected);
        }
    }

    #[test]
    fn columns_are_attributes_and_every_attribute_is_one_unless_a_review_needs_none() {
        // `id` and `name` repeat the first columns. Texts for users and inherited fields are not reviewed.
        let others = ["description", "id", "management", "name"];
        let attributes = ListingRole::object_attributes()
            .into_iter()
            .chain(IntegrationOwner::object_attributes());
        let expected: BTreeSet<_> =
            attributes.map(|(name, _)| name).filter(|name| !others.contains(name)).collect();
        assert_eq!(BTreeSet::from(HEADER), expected);
    }
}
