//! What plans of an integration owner register and warn about.

use access_client::{Identifier, IntegrationOwner, Retries};

use super::check::existing_owners;
use super::say;
use crate::resource::call::Call;
use crate::resource::describe::StoredOf;
use crate::resource::entity::{Convert as _, Watch};
use crate::resource::value::known_text;
use crate::run::Keys;
use crate::say::Reported;

impl Watch for IntegrationOwner {
    fn register_member(
        call: &mut Call<'_>,
        state: &Self::State,
        stays: bool,
    ) -> Result<(), Reported> {
        let Some(integration) = known_text(&state.integration) else { return Ok(()) };
        register_type(call, integration, stays)
    }

    async fn warn_destroyed(call: &mut Call<'_>, stored: &StoredOf<Self>, _leaves_out: bool) {
        if let Some(name) = Self::state_name(&stored.state) {
            warn_without_owners(call, &name.integration).await;
        }
    }
}

/// Registers a resource that manages owners of an integration, or adds the error of another type.
pub(crate) fn register_type(
    call: &mut Call<'_>,
    integration: &str,
    stays: bool,
) -> Result<(), Reported> {
    let this = call.words.resource_type;
    let parent = format!("integrations/{integration}");
    let Some(other) = call.run.plans.register_type(&parent, this, stays) else { return Ok(()) };
    let goes = if stays { other } else { this };
    Err(call.fail(say::two_owners_types(&parent, goes)))
}

/// Warns if the plan so far destroys every owner that the list shows. Entries that cannot be read do
/// not count: they must not hide that the others are destroyed.
pub(crate) async fn warn_without_owners(call: &mut Call<'_>, integration: &Identifier) {
    let run = call.run;
    if !run.detects_drift {
        return;
    }
    let list =
        run.list::<IntegrationOwner>(integration, &Keys::default(), Retries::Throttled).await;
    let Ok(list) = list else { return };
    let mut names = existing_owners(run, &list).map(|owner| owner.name.to_string()).peekable();
    if names.peek().is_some() && run.plans.destroys_all(names) {
        call.of(format!("integrations/{integration}")).warn(say::left_without_owners());
    }
}
