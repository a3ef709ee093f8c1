//! What an export reads, and what it writes.

use access_client::api::{IntegrationOwner, ListingRole};

/// The objects of an export: by parent in the order of the arguments, then by ID.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) roles: Vec<ListingRole>,
    /// Owners whose principal is a user, group or team.
    pub(super) owners: Vec<IntegrationOwner>,
}

/// The text of an export.
pub(super) struct Output {
    /// What standard output gets.
    pub(super) text: String,
    /// The `import` blocks; `None` if the format has none.
    pub(super) imports: Option<String>,
}

/// The first line of `import` blocks.
pub(super) const IMPORTS_HEAD: &str =
    "# Written by `terraform-provider-access export`. Delete these blocks after the apply.\n";
