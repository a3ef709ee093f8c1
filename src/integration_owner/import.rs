//! Importing an integration owner: by its name, or by its principal through the list.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier, IntegrationOwnerName, Principal};
use tf_provider::Diagnostics;

use super::diagnostics::{report_import_failure, warn_imported_by_name, warn_skipped_entries};
use super::principal::select_by_principal;
use super::state::{IntegrationOwnerPrivateState, IntegrationOwnerState, Stored};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::object::{list, parse_either_name};
use crate::service::{Purpose, Service};

/// The object of an import ID.
#[derive(Debug, PartialEq)]
pub(super) enum ImportId {
    /// An owner.
    Name(IntegrationOwnerName),
    /// A principal in an integration.
    Principal(Identifier, Principal),
}

impl ImportId {
    /// Parses `integrations/{integration}/owners/{id}`, `{integration}/{id}`, or with a principal
    /// in place of the ID: `{integration}/users/ada`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Ok(name) = parse_either_name::<IntegrationOwner>(text) {
            return Some(Self::Name(name));
        }
        let rest = text.strip_prefix("integrations/").and_then(|rest| {
            let (integration, principal) = rest.split_once("/owners/")?;
            Some((integration, principal))
        });
        let (integration, principal) = rest.or_else(|| text.split_once('/'))?;
        Some(Self::Principal(
            Identifier::parse(integration).ok()?,
            Principal::parse(principal).ok()?,
        ))
    }
}

/// Returns the name of the one owner with this principal, or adds an error with the candidates.
pub(super) async fn find_by_principal(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    principal: &Principal,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwnerName> {
    let list = match list::whole::<IntegrationOwner>(
        service,
        integration,
        Duration::MAX,
        Purpose::All,
    )
    .await
    {
        Ok(list) => list,
        Err(error) => {
            let next = "An import by user, group or team needs the list of owners. Import by the \
                ID of the owner instead: `{integration}/{id}`.";
            operation.failed(service, &error, Some(next.to_owned()), None, diags);
            return None;
        }
    };
    warn_skipped_entries(service, integration, &list.skipped, diags);
    let owners = list.entries.values();
    let by_id = format!("import `{integration}/{{id}}`");
    let owner = select_by_principal(service, operation, owners, principal, &by_id, diags)?;
    Some(owner.name.clone())
}

/// Imports an owner. Sends no write.
pub(super) async fn import(
    service: &Service,
    operation: &Operation<'_>,
    name: &IntegrationOwnerName,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let error = match service.client.get_integration_owner(name).await {
        Ok(response) => {
            let mut state = IntegrationOwnerState::default();
            state.set_from_response(response.object, None);
            let mut private = IntegrationOwnerPrivateState::default();
            private.object.record_read(service, name.to_string());
            private.owner = state.owner.as_ref_option().cloned();
            return Some((state, private));
        }
        Err(error) => error,
    };
    let by_name = match error.kind() {
        ErrorKind::NotImplemented => true,
        ErrorKind::NotFound { .. } | ErrorKind::Forbidden => {
            service.drift_detection == DriftDetection::Off
        }
        _ => false,
    };
    if !by_name {
        report_import_failure(service, operation, &error, diags);
        return None;
    }
    warn_imported_by_name(operation, &error, diags);
    Some((IntegrationOwnerState::from_name(name), IntegrationOwnerPrivateState::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_is_a_name_or_a_principal() {
        let name = IntegrationOwnerName::parse("integrations/github/owners/own-1").unwrap();
        let principal = ImportId::Principal(
            Identifier::parse("github").unwrap(),
            Principal::parse("users/ada").unwrap(),
        );
        for text in ["integrations/github/owners/own-1", "github/own-1"] {
            assert_eq!(ImportId::parse(text), Some(ImportId::Name(name.clone())), "{text}");
        }
        for text in ["github/users/ada", "integrations/github/owners/users/ada"] {
            assert_eq!(ImportId::parse(text).as_ref(), Some(&principal), "{text}");
        }
        for text in ["", "github", "github/robots/r2", "github/users/", "a/b/c/d"] {
            assert_eq!(ImportId::parse(text), None, "{text}");
        }
    }
}
