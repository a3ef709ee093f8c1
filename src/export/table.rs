//! `--format csv`: one line for each role and owner, for a review in a spreadsheet (RFC 4180).

use std::borrow::Cow;

use access_client::api::{IntegrationOwner, ListingRole};

use super::attributes::resources;
use super::{Objects, Output};

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

/// The cells of a line, in the order of [`HEADER`].
type Line<'a> = [Cow<'a, str>; HEADER.len()];

/// Returns the table of these objects.
pub(super) fn write(objects: &Objects) -> Result<Output, csv::Error> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(HEADER)?;
    let roles = objects.roles.iter().map(role_line);
    for line in roles.chain(objects.owners.iter().map(owner_line)) {
        writer.write_record(line.iter().map(|cell| inert(cell)).map(Cow::into_owned))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(Output { text: String::from_utf8_lossy(&bytes).into_owned(), imports: None })
}

fn role_line(role: &ListingRole) -> Line<'_> {
    let none = Cow::Borrowed("");
    [
        role.name.listing.as_str().into(),
        role.name.role.as_str().into(),
        none.clone(),
        none.clone(),
        none,
        role.display_name.as_str().into(),
        role.priority.to_string().into(),
        resources(role).join("; ").into(),
        text(role.manager.as_ref()),
        text(role.repo_uri.as_ref()),
        text(role.repo_dir.as_ref()),
        text(role.create_time.as_ref()),
        text(role.update_time.as_ref()),
    ]
}

fn owner_line(owner: &IntegrationOwner) -> Line<'_> {
    let mut line = [const { Cow::Borrowed("") }; HEADER.len()];
    line[2] = owner.name.integration.as_str().into();
    line[3] = owner.name.owner.as_str().into();
    line[4] = owner.owner.as_str().into();
    line[11] = text(owner.create_time.as_ref());
    line[12] = text(owner.update_time.as_ref());
    line
}

fn text(value: Option<&String>) -> Cow<'_, str> {
    value.map_or(Cow::Borrowed(""), |value| value.as_str().into())
}

/// Returns a cell that a spreadsheet shows and does not calculate. Quotes do not help: they are removed
/// before a formula is recognised.
fn inert(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}").into()
    } else {
        cell.into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::attributes::tests::{whole_owner, whole_role};
    use super::*;
    use crate::object::data_source::DataEntity;

    fn table(objects: &Objects) -> Vec<Vec<String>> {
        let text = write(objects).unwrap().text;
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let lines = reader.records().map(|line| line.unwrap().iter().map(str::to_owned).collect());
        lines.collect()
    }

    #[test]
    fn table_has_a_line_for_each_object() {
        let text = write(&Objects { roles: vec![whole_role()], owners: vec![whole_owner()] });
        let expected = "listing,role,integration,integration_owner_id,owner,display_name,priority,resources,manager,repo_uri,repo_dir,create_time,update_time\r
github,viewer,,,,Viewer,'-7,a; b,TERRAFORM,https://git.example.com/a/b,access,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z\r
,,okta,own-9,groups/platform,,,,,,,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z\r
";
        assert_eq!(text.unwrap().text, expected);
    }

    #[test]
    fn cell_never_becomes_a_formula_or_another_cell() {
        let cases = [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
            ("a,b\r\n\"c\";=d", "a,b\r\n\"c\";=d"),
        ];
        for (name, expected) in cases {
            let role = ListingRole { display_name: name.to_owned(), ..whole_role() };
            let lines = table(&Objects { roles: vec![role], owners: Vec::new() });
            assert_eq!((lines.len(), &*lines[1][5]), (2, expected), "{name:?}");
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
