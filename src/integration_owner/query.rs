//! Owners that a data source, an import or a `list` block selects. An owner is found by its ID, or by its
//! user, group or team: the service may have one of these twice, under two IDs.

use access_client::{Identifier, IntegrationOwner, IntegrationOwnerName, Principal};
use plugin_server::schema::{optional_computed, required};
use plugin_server::validator::exactly_one_of;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, INTEGRATION, INTEGRATION_OWNER_ID, OWNER};
use super::say;
use super::state::{IntegrationOwnerData, principal_key, validate_principal};
use crate::resource::attributes::data_attributes;
use crate::resource::call::{Call, Operation, require_run};
use crate::resource::data_source::{DataEntity, read_all, read_one};
use crate::resource::describe::Describe as _;
use crate::resource::entity::{Convert as _, Query};
use crate::resource::value::{parse_import_id, read_identifier, validate_identifier};
use crate::run::{Configured, Run};
use crate::say::Reported;
use crate::say::read::Needed;

/// The number of owners that an error lists.
const LISTED: usize = 20;

/// The owners of an integration, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnersData {
    integration: Value<String>,
    owners: Value<Vec<IntegrationOwnerData>>,
}

impl DataEntity for IntegrationOwner {
    type One = IntegrationOwnerData;
    type All = IntegrationOwnersData;

    const OBJECTS: &'static str = "owners";
    const OBJECTS_DESCRIPTION: &'static str = "The owners, by ID.";
    const ONE_DESCRIPTION: &'static str =
        "Reads one owner of an integration, by its ID or by the user, group or team.";
    const INSTEAD_OF_GET: &'static str = "If the service does not offer reads, set `owner` instead, which is looked up in the list of owners.";

    fn object_attributes() -> Vec<(&'static str, Attribute)> {
        data_attributes(ATTRIBUTES)
    }

    fn one_arguments() -> Vec<(&'static str, Attribute)> {
        let either = |description: &str, other: &str| {
            let description = format!("{description} Either this or `{other}` is set.");
            optional_computed(AttributeType::String, &description)
        };
        vec![
            ("integration", required(AttributeType::String, INTEGRATION)),
            ("integration_owner_id", either(INTEGRATION_OWNER_ID, "owner")),
            ("owner", either(OWNER, "integration_owner_id")),
        ]
    }

    fn validate_one(config: &Self::One, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
        validate_choice(config, diags);
    }

    /// By GET with `integration_owner_id`. By the list with `owner`: the service does not find
    /// owners by user, group or team.
    async fn find_one(run: &Run, config: &Self::One, diags: &mut Diagnostics) -> Option<Self> {
        // Values that were unknown at validation may have become null.
        validate_choice(config, diags)?;
        let integration = read_identifier("integration", &config.integration, diags)?;
        if config.owner.is_null() {
            let id = read_identifier("integration_owner_id", &config.integration_owner_id, diags)?;
            let name = IntegrationOwnerName { integration, owner: id };
            return read_one(run, &name, "integration_owner_id", diags).await;
        }
        let principal = validate_principal("owner", &config.owner, diags)?;
        let owner = principal_key(&integration, &principal.to_string());
        let mut call = Call::new(run, Operation::Data, Self::WORDS, owner, diags);
        let needed = Needed::of_list(
            Self::WORDS,
            "If the service does not list owners, set `integration_owner_id` instead, which is read by GET.",
        );
        let by_id = "set `integration_owner_id`";
        find_principal(&mut call, &integration, &principal, &needed, by_id).await.ok()
    }

    fn parent_of_all(config: &Self::All) -> &Value<String> {
        &config.integration
    }

    fn all(integration: Value<String>, owners: Vec<Self>) -> Self::All {
        let owners = owners.into_iter().map(|owner| Self::from_response(owner).into()).collect();
        IntegrationOwnersData { integration, owners: Value::Value(owners) }
    }
}

/// Adds an error unless exactly one attribute selects the owner.
fn validate_choice(config: &IntegrationOwnerData, diags: &mut Diagnostics) -> Option<()> {
    exactly_one_of(
        diags,
        &[("integration_owner_id", &config.integration_owner_id), ("owner", &config.owner)],
    )
}

impl Query for IntegrationOwner {
    const INSTEAD_OF_IMPORT: &'static str = "In place of the `import` block, set `adopt_existing = true` on the resource if the service lists owners. Without the list, an apply would add the owner once more.";

    async fn import_name(
        configured: &Configured,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<Self::Name, Reported> {
        let Some((integration, principal)) = parse_principal_id(id) else {
            return parse_import_id(id, diags);
        };
        let object = format!("{} {id}", Self::WORDS.noun);
        let run = require_run(configured, Operation::Import, &object, diags).ok_or(Reported)?;
        let owner = principal_key(&integration, &principal.to_string());
        let mut call = Call::new(&run, Operation::Import, Self::WORDS, owner, diags);
        let instead = "An import by user, group or team needs the list of owners. Import by the ID of the \
                       owner instead: `{integration}/{id}`.";
        let needed = Needed { attribute: None, ..Needed::of_list(Self::WORDS, instead) };
        let by_id = format!("import `{integration}/{{id}}`");
        let found = find_principal(&mut call, &integration, &principal, &needed, &by_id).await?;
        Ok(found.name)
    }

    fn display_name(&self) -> String {
        self.owner.clone()
    }
}

/// Parses an import ID with a principal in place of the owner's ID: `{integration}/users/ada` or
/// `integrations/{integration}/owners/users/ada`.
fn parse_principal_id(id: &str) -> Option<(Identifier, Principal)> {
    let full = id.strip_prefix("integrations/").and_then(|rest| rest.split_once("/owners/"));
    let (integration, principal) = full.or_else(|| id.split_once('/'))?;
    Some((Identifier::parse(integration).ok()?, Principal::parse(principal).ok()?))
}

/// Finds the only owner with this principal in the list, or adds an error that lists the
/// candidates. `by_id` is the step that selects an owner by its ID: "set `integration_owner_id`".
async fn find_principal(
    call: &mut Call<'_>,
    integration: &Identifier,
    principal: &Principal,
    needed: &Needed,
    by_id: &str,
) -> Result<IntegrationOwner, Reported> {
    let principal = principal.to_string();
    let all = read_all::<IntegrationOwner>(call, integration, needed).await?;
    let found: Vec<_> = all.iter().filter(|owner| owner.owner == principal).cloned().collect();
    let candidates = match &found[..] {
        [owner] => return Ok(owner.clone()),
        [] => &all,
        _ => &found,
    };
    let line = |owner: &IntegrationOwner| {
        format!("\n  {} {}", owner.name, call.run.client.presentable(&owner.owner))
    };
    let mut lines: String = candidates.iter().take(LISTED).map(line).collect();
    match candidates.len() {
        0 => lines.push_str("\n  no owners"),
        count if count > LISTED => lines.push_str(&format!("\n  and {} more", count - LISTED)),
        _ => {}
    }
    let kind = call.operation.failure();
    let message = if found.is_empty() {
        say::no_such_owner(kind, &lines)
    } else {
        say::ambiguous_owner(kind, by_id, &lines)
    };
    Err(call.fail(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_may_name_a_principal() {
        for (id, names_one) in [
            ("github/users/ada", true),
            ("integrations/github/owners/users/ada", true),
            ("integrations/github/owners/own-1", false),
            ("github/own-1", false),
            ("a/robots/r2", false),
        ] {
            let ids = parse_principal_id(id).map(|(parent, owner)| format!("{parent} {owner}"));
            assert_eq!(ids.as_deref(), names_one.then_some("github users/ada"), "{id}");
        }
    }
}
