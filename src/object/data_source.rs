//! Reading objects for data sources.
//!
//! A data source has no state to keep, so nothing is inferred from a 404: the error names all that it may
//! mean. Data sources read by GET and list under every `drift_detection`.

use access_client::{Error, ErrorKind, Identifier};

use super::call::{Advice, Call, Message, Reported};
use super::{Entity, list};

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
pub(crate) async fn read_one<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    advice: &NotReadAdvice,
) -> Result<E, Reported> {
    let object = match E::get(&call.run.client, name).await {
        Ok(response) => response.object,
        Err(error) => return Err(report_not_read(call, &error, advice)),
    };
    if let Some(at) = object.delete_time() {
        let at = call.run.client.presentable(at);
        let detail = format!("{name}: the {} was deleted at {at}.", E::KIND);
        let message = Message::new(call.operation.summary(), detail).at(advice.attribute);
        return Err(call.fail(message));
    }
    Ok(object)
}

/// Reads all objects of a parent, by ID. All data sources and resources of a run share the list.
pub(crate) async fn read_all<E: Entity>(
    call: &mut Call<'_>,
    parent: &Identifier,
    advice: &NotReadAdvice,
) -> Result<Vec<E>, Reported> {
    let list = list::whole::<E>(call.run, parent).await;
    let list = list.map_err(|error| report_not_read(call, &error, advice))?;
    if !list.skipped.is_empty() {
        call.warn(Message::new(
            format!("Entries of the list of {}s were skipped", E::KIND),
            format!(
                "{}: some entries could not be read and are missing from the result. {}",
                call.operation.object,
                list.skipped.join("; ")
            ),
        ));
    }
    let entries = list.entries.values();
    Ok(entries.filter(|object| object.delete_time().is_none()).cloned().collect())
}

fn report_not_read(call: &mut Call<'_>, error: &Error, advice: &NotReadAdvice) -> Reported {
    let NotReadAdvice { subject, attribute, alternative } = advice;
    let advice = match error.kind() {
        ErrorKind::NotFound { json: true } => Advice::next(format!(
            "{subject} does not exist, this API key may not see it, or the service does not offer this \
             operation; the response does not show which. Check `{attribute}` and `base_url`. \
             {alternative}"
        ))
        .at(attribute),
        ErrorKind::NotImplemented => {
            Advice::next(format!("The service does not offer this operation. {alternative}"))
        }
        ErrorKind::Forbidden => Advice::next(
            "This API key may not read this. Use a key that may: data sources read under every \
             `drift_detection`.",
        ),
        _ => Advice::default(),
    };
    call.failed_with(error, advice)
}
