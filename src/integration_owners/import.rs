//! Importing the owners of an integration, all of them.

use std::time::Duration;

use access_client::Identifier;
use tf_provider::Diagnostics;

use super::diagnostics::{report_import_id, report_list_needed, report_no_owners};
use super::read::{list_owners, report_unresolved, resolve};
use super::state::{IntegrationOwnersPrivateState, IntegrationOwnersState, Known};
use crate::object::operation::Operation;
use crate::service::Service;

/// Parses an import ID, `integrations/{integration}` or `{integration}`, or adds an error.
pub(super) fn parse_id(id: &str, diags: &mut Diagnostics) -> Option<Identifier> {
    let integration = Identifier::parse(id.strip_prefix("integrations/").unwrap_or(id)).ok();
    if integration.is_none() {
        report_import_id(id, diags);
    }
    integration
}

/// Imports the owners by the list. Sends no write.
pub(super) async fn import(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    diags: &mut Diagnostics,
) -> Option<Known> {
    let mut private = IntegrationOwnersPrivateState::default();
    let list = match list_owners(service, integration, Duration::MAX).await {
        Ok(list) => list,
        Err(error) => {
            report_list_needed(service, operation, &private.object, &error, diags);
            return None;
        }
    };
    if let Err(failure) = resolve(service, operation, integration, &list, &mut private, diags).await
    {
        report_unresolved(service, operation, &private.object, &failure, diags);
        return None;
    }
    if private.owners.is_empty() {
        report_no_owners(operation, diags);
        return None;
    }
    Some((IntegrationOwnersState::new(integration, private.principals()), private))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_is_an_integration() {
        for id in ["github", "integrations/github"] {
            let parsed = parse_id(id, &mut Diagnostics::default());
            assert_eq!(parsed, Identifier::parse("github").ok(), "{id}");
        }
        for id in ["", "integrations/", "a/b", "integrations/a/owners/b", "listings/a"] {
            let mut diags = Diagnostics::default();
            assert_eq!(parse_id(id, &mut diags), None, "{id}");
            assert!(diags.errors[0].detail.contains("integrations/{integration}"), "{id}");
        }
    }
}
