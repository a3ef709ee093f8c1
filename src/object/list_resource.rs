//! List resources: the objects of a parent for `terraform query`.
//!
//! Pages are requested one by one, no more than the limit needs. The API document shows no list, so
//! a 404 may mean that it does not exist.

use std::ops::ControlFlow;

use access_client::{Error, ErrorKind, Identifier};
use plugin_server::{ListResource, ListResult, ListResultsStream};
use tf_provider::Diagnostics;

use super::Object;
use super::operation::{Operation, import_block};
use crate::service::Service;

/// The objects of a parent to list.
pub(crate) struct ListRequest<'a, O> {
    /// The ID of the parent.
    pub(crate) parent: &'a Identifier,
    /// Whether `wanted` may leave out objects. Pages are then requested whole, because the number
    /// of objects that remain of a page is not known in advance.
    pub(crate) is_filtered: bool,
    /// Whether an object is listed.
    pub(crate) wanted: &'a (dyn Fn(&O) -> bool + Sync),
}

/// Sends the objects of a parent to the stream. `result` turns an object into a result, with the
/// resource itself if asked to.
pub(crate) async fn list_objects<O: Object, R: ListResource>(
    service: &Service,
    operation: &Operation<'_>,
    request: ListRequest<'_, O>,
    stream: &mut ListResultsStream<'_, R>,
    result: impl Fn(O, bool) -> ListResult<'static, R> + Sync,
    diags: &mut Diagnostics,
) -> Option<()> {
    let mut pages = O::pages(&service.client, request.parent);
    loop {
        let remaining = usize::try_from(stream.remaining()).unwrap_or(usize::MAX);
        let at_most = if request.is_filtered { usize::MAX } else { remaining };
        let page = match pages.next(at_most).await {
            Ok(Some(page)) => page,
            Ok(None) => return Some(()),
            Err(error) => {
                report_list_failure::<O>(service, operation, &error, diags);
                return None;
            }
        };
        let listed = page.items.into_iter().filter(|object| {
            // Deleted objects are not listed, whether the service omits them or not.
            object.delete_time().is_none() && (request.wanted)(object)
        });
        for object in listed {
            let item = result(object, stream.include_resource());
            if let ControlFlow::Break(()) = stream.send(item).await {
                return Some(());
            }
        }
    }
}

fn report_list_failure<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let instead = format!(
        "Objects can be imported by name instead, with a block for each:\n\n{}",
        import_block(O::TYPE, &format!("{}/ID", operation.name))
    );
    let next = match error.kind() {
        ErrorKind::NotImplemented => Some(format!("The service does not offer lists. {instead}")),
        ErrorKind::NotFound { .. } => Some(format!(
            "The {} does not exist, this API key may not see it, or the service does not offer \
             lists. Check the ID and `base_url`. {instead}",
            O::PARENT_KIND
        )),
        _ => None,
    };
    operation.failed(service, error, next, None, diags);
}
