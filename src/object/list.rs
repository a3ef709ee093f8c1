//! Lists of one parent, read into the run's list cache.

use std::time::Duration;

use access_client::{Error, ErrorKind, Identifier, Pages};
use time::OffsetDateTime;

use super::Object;
use crate::config::DriftDetection;
use crate::service::{PageSink, Purpose, Service, WholeList};

/// Reads by GET under one parent before `auto` requests the parent's list. With fewer, small
/// configurations list more than they need; with more, large ones wait for more round trips.
const READS_BEFORE_LIST: usize = 3;

/// The finding of a lookup in the list of a parent.
#[derive(Debug)]
pub(crate) enum InList {
    /// The list contains the object.
    Contains,
    /// The list does not contain it. `exhaustive` is false if entries of the list were skipped.
    Lacks { exhaustive: bool, date: Option<OffsetDateTime> },
    /// This API key may not list.
    Forbidden(Error),
    /// The service does not offer the list (404, 405, 501), or not one that can be read to its end.
    DoesNotExist,
    /// No list was received for a reason that would keep a GET from the service as well.
    NotReceived(Error),
}

/// Returns how many reads by GET come before the list, or `None` if nothing is read.
pub(crate) fn reads_before_list(drift_detection: DriftDetection) -> Option<usize> {
    match drift_detection {
        DriftDetection::Auto => Some(READS_BEFORE_LIST),
        DriftDetection::Off => None,
    }
}

/// Returns the entry of an object once lists are in use, from the list that all reads share.
pub(crate) async fn entry<O: Object>(service: &Service, name: &O::Name) -> Option<O> {
    let reads = reads_before_list(service.drift_detection)?;
    let (client, parent) = (service.client.clone(), O::parent(name).clone());
    // Reads go on by GET without the list, so it must not delay them.
    let list = |sink| async move { read_into(O::pages(&client, &parent).optional(), sink).await };
    O::run(service).lists.entry(O::parent(name), O::id(name), reads, list).await
}

/// Returns the whole list of a parent, not older than `max_age`.
///
/// # Errors
///
/// The error that ended the list.
pub(crate) async fn whole<O: Object>(
    service: &Service,
    parent: &Identifier,
    max_age: Duration,
    purpose: Purpose,
) -> Result<WholeList<O>, Error> {
    let list = |sink| {
        let (client, parent) = (service.client.clone(), parent.clone());
        async move { read_into(O::pages(&client, &parent), sink).await }
    };
    O::run(service).lists.whole(parent, max_age, purpose, list).await
}

/// Looks an object up in the list of its parent, which one run requests once.
pub(crate) async fn find<O: Object>(service: &Service, name: &O::Name) -> InList {
    match whole::<O>(service, O::parent(name), Duration::MAX, Purpose::All).await {
        Ok(mut list) => match list.entries.remove(O::id(name)) {
            Some(object) if object.delete_time().is_none() => InList::Contains,
            _ => InList::Lacks { exhaustive: list.exhaustive, date: list.date },
        },
        Err(error) => match error.kind() {
            ErrorKind::Forbidden => InList::Forbidden(error),
            // A page that arrived before the list failed is evidence that its objects exist.
            _ if O::run(service).lists.listed(O::parent(name), O::id(name)).is_some() => {
                InList::Contains
            }
            ErrorKind::NotFound { .. }
            | ErrorKind::NotImplemented
            | ErrorKind::Conflict
            | ErrorKind::Invalid
            | ErrorKind::Redirect
            | ErrorKind::Server
            | ErrorKind::Unreadable => InList::DoesNotExist,
            _ => InList::NotReceived(error),
        },
    }
}

async fn read_into<O: Object>(mut pages: Pages<'_, O>, sink: PageSink<O>) -> Result<(), Error> {
    while let Some(page) = pages.next(usize::MAX).await? {
        let entry = |object: O| (O::id(object.name()).clone(), object);
        sink.push(page.items.into_iter().map(entry), page.date, page.skipped);
    }
    Ok(())
}
