//! The existence check before a create.

use std::time::Duration;

use access_client::{Error, ErrorKind};
use time::OffsetDateTime;

use super::{Object, stale};
use crate::service::{Existence, Keys, Service};

/// Checks by GET whether an object exists.
///
/// # Errors
///
/// A failure that the create would meet as well.
pub(crate) async fn check<O: Object>(
    service: &Service,
    name: &O::Name,
) -> Result<Existence<O>, Error> {
    match O::get(&service.client, name).await {
        Ok(response) => {
            O::run(service).checks.record_read(name.to_string());
            Ok(of_object(service, response.object))
        }
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } => Ok(Existence::NotFound),
            ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                Ok(Existence::Unknown(error.to_string()))
            }
            _ => Err(error),
        },
    }
}

/// Returns the check that the plan made moments ago, if this process has neither written nor deleted
/// the object since. Called while the object is locked: the create may have waited for a delete.
pub(crate) fn take_recent<O: Object>(service: &Service, keys: &Keys) -> Option<Existence<O>> {
    let run = O::run(service);
    let (started, existence) = run.checks.take(keys.first()?)?;
    let mut keys = keys.clone();
    if let Existence::Exists(object) = &existence {
        keys.push(object.name().to_string());
    }
    (!run.conflicts.has_changed_since(&keys, started)).then_some(existence)
}

/// Returns whether an existing object is the tainted one that a planned create replaces, in a plan
/// without a refresh: a state has it with this creation time.
pub(crate) fn is_tainted<O: Object>(service: &Service, keys: &Keys, existing: &O) -> bool {
    let name = existing.name().to_string();
    let marks: Vec<&str> = existing.create_time().into_iter().collect();
    O::run(service).conflicts.is_loaded_tainted_object(keys, &name, &marks)
}

/// Returns whether an object that was read exists. One that this process has just deleted does
/// not: the read lags.
pub(crate) fn of_object<O: Object>(service: &Service, object: O) -> Existence<O> {
    let name = object.name().to_string();
    let deleted = object.delete_time().is_some()
        || O::run(service).conflicts.is_deleted(&name, object.create_time());
    if deleted { Existence::NotFound } else { Existence::Exists(Box::new(object)) }
}

/// Returns whether an object is older than this run, by the service's clock. `date` is that of the
/// response. Without one the clocks may differ, and only a difference of minutes counts.
pub(crate) fn is_older_than_run<O: Object>(
    service: &Service,
    create_time: Option<&str>,
    date: Option<OffsetDateTime>,
) -> bool {
    let Some(created) = create_time.and_then(stale::parse_time) else { return false };
    // `Date` has whole seconds.
    let margin = if date.is_some() { Duration::from_secs(2) } else { stale::RECENT };
    created < stale::now(date) - O::run(service).started.elapsed() - margin
}
