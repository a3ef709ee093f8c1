//! Refreshing an integration owner.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use tf_provider::Diagnostics;

use super::state::Stored;
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::object::read::{Read, refresh, warn_off};
use crate::service::Service;

/// Refreshes the state. `None` removes the owner from the state.
pub(super) async fn read(
    service: &Service,
    operation: &Operation<'_>,
    name: &IntegrationOwnerName,
    (prior, mut private): Stored,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    match service.drift_detection {
        DriftDetection::Off => {
            warn_off(service, diags);
            return Some((prior, private));
        }
        DriftDetection::Auto => {}
    }
    let confirms = |entry: &IntegrationOwner| {
        let mut listed = prior.clone();
        listed.set_from_response(entry.clone(), private.stored.as_ref());
        listed == prior
    };
    let known = prior.as_prior(name, &private);
    match refresh(service, operation, &known, confirms, diags).await {
        Read::ByGet(owner) => {
            private.object.record_read(service, name.to_string());
            let mut state = prior;
            let stored = private.stored.replace(owner.owner.clone());
            state.set_from_response(*owner, stored.as_ref());
            private.owner = state.owner.as_ref_option().cloned();
            Some((state, private))
        }
        Read::Confirmed => {
            private.object.record_presence(service, name.to_string());
            private.owner = prior.owner.as_ref_option().cloned();
            Some((prior, private))
        }
        Read::NotFound => None,
        Read::Unavailable | Read::Failed => Some((prior, private)),
    }
}
