//! What a plan makes of a configuration and the state of a role that stays in place.

use tf_provider::value::Value;

use super::{ListingRoleMemory, ListingRoleState, changed_fields};
use crate::plan::keep;
use crate::repository::{Recorded, Source};
use crate::service::Service;

/// The plan of an update: what the configuration changes, the manager where it is not
/// recorded, the repository where that is enforced or something is written anyway.
pub(super) fn plan_in_place(
    service: Option<&Service>,
    prior: &ListingRoleState,
    proposed: ListingRoleState,
    config: &ListingRoleState,
    memory: &ListingRoleMemory,
) -> ListingRoleState {
    let repository = service.map(|service| &service.repository);
    let uri = repository.and_then(|repository| repository.uri.as_ref());
    let dir = repository.and_then(|repository| repository.dir.as_ref());
    let new_uri = uri.is_some_and(|it| is_news(it, &prior.repo_uri, &memory.repo_uri_unrecorded));
    let new_dir = dir.is_some_and(|it| is_news(it, &prior.repo_dir, &memory.repo_dir_unrecorded));
    let enforces = |recorded: Option<&Recorded>, is_new: bool| {
        is_new && recorded.is_some_and(|it| it.source == Source::Explicit)
    };
    let claims = !prior.is_managed() && !memory.manager_unrecorded;

    let mut planned = proposed;
    let changes = changed_fields(prior, &planned, !config.resources.is_null());
    if changes.is_empty() && !claims && !enforces(uri, new_uri) && !enforces(dir, new_dir) {
        return planned;
    }
    planned.update_time = Value::Unknown;
    if claims {
        planned.manager = Value::Unknown;
    }
    // An unconfigured provider may find out at apply that the repository changed.
    if new_uri || service.is_none() {
        planned.repo_uri = Value::Unknown;
    }
    if new_dir || service.is_none() {
        planned.repo_dir = Value::Unknown;
    }
    if memory.unread {
        for computed in [
            &mut planned.management,
            &mut planned.repo_uri,
            &mut planned.repo_dir,
            &mut planned.create_time,
        ] {
            *computed = keep(computed);
        }
        if config.resources.is_null() {
            planned.resources = keep(&planned.resources);
        }
    }
    planned
}

/// Whether our repository is not what the role records, as far as recording it can help.
fn is_news(ours: &Recorded, prior: &Value<String>, unrecorded: &Option<String>) -> bool {
    prior.as_ref_option() != Some(&ours.value) && unrecorded.as_ref() != Some(&ours.value)
}
