//! Reading objects for data sources.
//!
//! A data source has no state to keep, so nothing is inferred from a 404: the error names all that
//! it may mean. Data sources read by GET and list under every `drift_detection`.

use std::time::Duration;

use access_client::{Error, ErrorKind, Identifier};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::Object;
use super::list;
use super::operation::Operation;
use crate::service::{Purpose, Service};

/// The advice of the error of a failed read.
pub(crate) struct NotReadAdvice {
    /// The object that may be missing after a 404: "The role or its listing".
    pub(crate) subject: &'static str,
    /// The attribute that names it.
    pub(crate) attribute: &'static str,
    /// The alternative if the service does not offer the operation.
    pub(crate) alternative: &'static str,
}

/// Reads one object by GET. A list entry is not used: the list may lag or omit fields, and a data source
/// has no prior state to compare the entry with.
pub(crate) async fn read_one<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    name: &O::Name,
    advice: &NotReadAdvice,
    diags: &mut Diagnostics,
) -> Option<O> {
    let object = match O::get(&service.client, name).await {
        Ok(response) => response.object,
        Err(error) => {
            report_not_read(service, operation, &error, advice, diags);
            return None;
        }
    };
    if let Some(delete_time) = object.delete_time() {
        let when = service.client.presentable(delete_time);
        diags.report_attribute_error(
            advice.attribute,
            operation.summary(),
            format!("{}: the {} was deleted at {when}.", operation.name, O::KIND),
        );
        return None;
    }
    Some(object)
}

/// Reads all objects of a parent, by ID. All data sources and resources of a run share the list.
pub(crate) async fn read_all<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    parent: &Identifier,
    advice: &NotReadAdvice,
    diags: &mut Diagnostics,
) -> Option<Vec<O>> {
    let list = match list::whole::<O>(service, parent, Duration::MAX, Purpose::All).await {
        Ok(list) => list,
        Err(error) => {
            report_not_read(service, operation, &error, advice, diags);
            return None;
        }
    };
    if !list.exhaustive {
        diags.report_warning(
            format!("Entries of the list of {}s were skipped", O::KIND),
            format!(
                "{}: some entries could not be read and are missing from the result. {}",
                operation.name,
                list.skipped.join("; ")
            ),
        );
    }
    let mut objects: Vec<O> =
        list.entries.into_values().filter(|object| object.delete_time().is_none()).collect();
    objects.sort_by(|one, other| O::id(one.name()).cmp(O::id(other.name())));
    Some(objects)
}

fn report_not_read(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    advice: &NotReadAdvice,
    diags: &mut Diagnostics,
) {
    let NotReadAdvice { subject, attribute, alternative } = advice;
    let (next, attribute) = match error.kind() {
        ErrorKind::NotFound { json: true } => (
            Some(format!(
                "{subject} does not exist, this API key may not see it, or the service does not \
                 offer this operation; the response does not show which. Check `{attribute}` and \
                 `base_url`. {alternative}"
            )),
            Some(*attribute),
        ),
        ErrorKind::NotImplemented => {
            (Some(format!("The service does not offer this operation. {alternative}")), None)
        }
        ErrorKind::Forbidden => (
            Some(
                "This API key may not read this. Use a key that may: data sources read under \
                 every `drift_detection`."
                    .to_owned(),
            ),
            None,
        ),
        _ => (None, None),
    };
    operation.failed(service, error, next, attribute, diags);
}
