//! `--reviews FILE`: why roles exist, and when that is to be reviewed. The configuration records
//! it, and the service does not. Terraform prints it as JSON: `terraform output -json reviews`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// Why a role exists, and the date after which it is reviewed.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Review {
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) review_after: Option<String>,
}

/// The reviews of roles, by listing and role.
pub(super) struct Reviews(BTreeMap<String, BTreeMap<String, Review>>);

impl Reviews {
    /// # Errors
    ///
    /// The file cannot be read, or is not such a map.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("Could not read {}: {error}.", path.display()))?;
        let reviews = serde_json::from_str(&text).map_err(|error| {
            format!(
                "{} is not a map of listings, of roles, of `reason` and `review_after`: {error}. Write it with \
                 `terraform output -json`, from the output of `examples/team`.",
                path.display()
            )
        })?;
        Ok(Self(reviews))
    }

    /// Returns the review of a role; an empty one if there is none.
    pub(super) fn of(&self, listing: &str, role: &str) -> Review {
        self.0.get(listing).and_then(|roles| roles.get(role)).cloned().unwrap_or_default()
    }
}
