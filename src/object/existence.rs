//! The existence check before a create, and the read-back after a write.

use std::time::Duration;

use access_client::{Error, ErrorKind};
use time::OffsetDateTime;

use super::private_state::ObjectPrivateState;
use super::{Object, stale};
use crate::config::DriftDetection;
use crate::service::{Existence, Keys, ReadBack, Service};

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
        Ok(response) => Ok(of_object(service, response.object)),
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

/// Records a write in the private state, and reads an object back once per parent and run to learn
/// whether reads work. Returns the result of the read-back.
pub(crate) async fn record_write<O: Object>(
    service: &Service,
    written: &O,
    date: Option<OffsetDateTime>,
    private: &mut ObjectPrivateState,
) -> Option<ReadBack<O>> {
    let name = written.name();
    let is_new = private.name.is_none();
    private.record_presence(service, name.to_string());
    private.seen = false;
    private.written_at = Some(stale::now(date).unix_timestamp());
    // `off` reads nothing. A create still has to learn whether the 404 of its check counts.
    if service.drift_detection == DriftDetection::Off && !is_new {
        return None;
    }
    let read = || read_back(service, written);
    let read_back = O::run(service).read_back(O::parent(name), read).await?;
    match &read_back {
        ReadBack::Current(object) => {
            private.reads = true;
            private.seen = object.name() == name;
        }
        ReadBack::Older => private.reads = true,
        ReadBack::Nothing => {}
    }
    Some(read_back)
}

/// Reads an object that was just written. `None` if the read was interrupted, which shows nothing
/// about the service.
pub(crate) async fn read_back<O: Object>(service: &Service, written: &O) -> Option<ReadBack<O>> {
    match O::get(&service.client, written.name()).await {
        Ok(response) => {
            let older = stale::is_older(response.object.update_time(), written.update_time());
            Some(if older { ReadBack::Older } else { ReadBack::Current(response.object) })
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => None,
        Err(_) => Some(ReadBack::Nothing),
    }
}
