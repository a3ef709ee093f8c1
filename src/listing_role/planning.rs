//! What a plan makes of a configuration and the state of a role that stays in place.

use tf_provider::value::Value;

use super::{ListingRoleMemory, ListingRoleState, changed_fields, same_text};
use crate::plan::keep;
use crate::repository::{Recorded, Recording, Repository, Source};
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
    let enforces = service.is_some_and(|service| {
        let explicit = |recorded: &Option<Recorded>| {
            recorded.as_ref().is_some_and(|it| it.source == Source::Explicit)
        };
        let news = news(&service.repository, prior, memory);
        (news.uri.is_some() && explicit(&service.repository.uri))
            || (news.dir.is_some() && explicit(&service.repository.dir))
    });
    let claims = !prior.is_managed() && !memory.manager_unrecorded;

    let mut planned = proposed;
    let changes = changed_fields(prior, &planned, !config.resources.is_null());
    if changes.is_empty() && !claims && !enforces {
        return planned;
    }
    planned.update_time = Value::Unknown;
    if claims {
        planned.manager = Value::Unknown;
    }
    // A saved plan may be applied where another repository is found, and Terraform holds a plan to
    // every value that it has promised.
    planned.repo_uri = Value::Unknown;
    planned.repo_dir = Value::Unknown;
    if memory.unread {
        for computed in [&mut planned.management, &mut planned.create_time] {
            *computed = keep(computed);
        }
        if config.resources.is_null() {
            planned.resources = keep(&planned.resources);
        }
    }
    planned
}

/// What of the repository an update sends: all of it along with the manager or where nothing is known
/// of the role, else what is new, and nothing where the plan writes nothing.
pub(super) fn recording<'r>(
    repository: &'r Repository,
    prior: Option<&ListingRoleState>,
    planned: &ListingRoleState,
    memory: &ListingRoleMemory,
) -> Recording<'r> {
    match prior {
        Some(prior) if !planned.manager.is_unknown() => {
            let writes = planned.repo_uri.is_unknown();
            if writes { news(repository, prior, memory) } else { Recording::default() }
        }
        _ => repository.to_send(),
    }
}

/// What of our repository the role does not record, as far as sending it can help.
fn news<'r>(
    repository: &'r Repository,
    prior: &ListingRoleState,
    memory: &ListingRoleMemory,
) -> Recording<'r> {
    let is_news = |ours: &&str, prior: &Value<String>, unrecorded: &Option<String>| {
        !same_text(prior.as_ref_option(), Some(ours)) && unrecorded.as_deref() != Some(*ours)
    };
    let Recording { uri, dir } = repository.to_send();
    Recording {
        uri: uri.filter(|it| is_news(it, &prior.repo_uri, &memory.repo_uri_unrecorded)),
        dir: dir.filter(|it| is_news(it, &prior.repo_dir, &memory.repo_dir_unrecorded)),
    }
}
