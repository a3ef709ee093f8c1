//! Reading an object, and the conclusions from a failed read (the tables of DESIGN.md).
//!
//! The API document shows no reads: a 404 to a GET may mean that the object was deleted, that the
//! key may not see it, that the base address is another one, or that there is no GET. Nothing is
//! inferred from a response with two meanings, because a wrong inference would empty a state.

use access_client::{Error, ErrorKind};
use plugin_server::Report as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;
use time::OffsetDateTime;

use super::Object;
use super::list::{self, InList};
use super::operation::Operation;
use super::private_state::{History, ObjectPrivateState};
use super::stale::{self, Reread, Rereads};
use crate::service::Service;

/// An object as the state has it.
pub(crate) struct Prior<'a, O: Object> {
    /// The full name.
    pub(crate) name: &'a O::Name,
    /// The shared part of its private state.
    pub(crate) private: &'a ObjectPrivateState,
    /// `create_time` of the state.
    pub(crate) create_time: Option<&'a str>,
    /// `update_time` of the state.
    pub(crate) update_time: Option<&'a str>,
}

/// The result of a refresh.
pub(crate) enum Read<O> {
    /// A GET returned the object.
    ByGet(Box<O>),
    /// The list contains the object, unchanged.
    Confirmed,
    /// The object was deleted outside Terraform.
    NotFound,
    /// Nothing could be read, and nothing is wrong: the state is kept.
    Unavailable,
    /// The state is kept, and a diagnostic contains the reason.
    Failed,
}

/// The finding of one failed read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A 404 of the service's own: the list decides.
    NotFound,
    /// A 404 at another base address than the one in private state.
    OtherAddress,
    /// Reads are not available, according to the response.
    Unavailable,
    /// The read failed.
    Failed,
}

/// The meaning of a 404 together with the parent's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The object was deleted.
    Deleted,
    /// Reads do not work for this object.
    Unavailable,
    /// The list contains the object, or could not be read: the 404 alone does not count.
    Contradicted,
}

impl<'a, O: Object> Prior<'a, O> {
    /// Returns the object of a state with these times.
    pub(crate) fn new(
        name: &'a O::Name,
        private: &'a ObjectPrivateState,
        create_time: &'a Value<String>,
        update_time: &'a Value<String>,
    ) -> Self {
        let text = |value: &'a Value<String>| value.as_ref_option().map(String::as_str);
        Self { name, private, create_time: text(create_time), update_time: text(update_time) }
    }

    /// Returns whether the object was written less than five minutes before `now`. An unknown time
    /// counts as recent, because nothing is then inferred from a 404.
    fn is_recent(&self, now: OffsetDateTime) -> bool {
        let updated = self.update_time.and_then(stale::parse_time);
        let written = self
            .private
            .written_at
            .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        updated.max(written).is_none_or(|last| stale::is_recent(last, now))
    }
}

/// Judges a failed GET by its status, its body and the history of the object.
pub(crate) fn judge(kind: &ErrorKind, history: History) -> Finding {
    match (kind, history) {
        (ErrorKind::NotFound { .. }, History::OtherAddress) => Finding::OtherAddress,
        (ErrorKind::NotFound { json: true }, _) => Finding::NotFound,
        // A gateway's 404: the object is somewhere else, or the base address is wrong.
        (ErrorKind::NotFound { json: false }, History::Evidence) => Finding::Failed,
        (ErrorKind::NotFound { json: false }, History::NoEvidence)
        | (ErrorKind::NotImplemented, _) => Finding::Unavailable,
        _ => Finding::Failed,
    }
}

/// Judges a 404 of the service's own by the list of the parent.
pub(crate) fn decide(in_list: &InList, history: History, recent: bool) -> Decision {
    match (in_list, history) {
        (InList::Contains | InList::Forbidden(_) | InList::NotReceived(_), History::Evidence) => {
            Decision::Contradicted
        }
        // A list that does not exist contradicts nothing.
        (InList::Lacks { .. } | InList::DoesNotExist, History::Evidence) => Decision::Deleted,
        (InList::Lacks { exhaustive: true, .. }, History::NoEvidence) if !recent => {
            Decision::Deleted
        }
        _ => Decision::Unavailable,
    }
}

/// Refreshes an object under `drift_detection` `auto` or `list`. `confirms` returns whether an
/// entry of the list equals the state in every attribute.
pub(crate) async fn refresh<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    confirms: impl Fn(&O) -> bool + Send,
    diags: &mut Diagnostics,
) -> Read<O> {
    let history = prior.private.history(service);
    if history != History::OtherAddress
        && let Some(entry) = list::entry::<O>(service, prior.name).await
        && entry.delete_time().is_none()
        // Without its time, an entry that omits a field looks like one in which it is empty.
        && (entry.update_time().is_some() || prior.update_time.is_none())
        && confirms(&entry)
    {
        return Read::Confirmed;
    }
    let mut rereads = Rereads::after_write();
    loop {
        let read = O::get(&service.client, prior.name).await;
        let lags = match &read {
            Ok(response) => {
                let older = stale::is_older(response.object.update_time(), prior.update_time);
                older && prior.is_recent(stale::now(response.date))
            }
            // Evidence may come from a sibling, so a new object may not be visible yet.
            Err(error) => {
                error.kind() == (ErrorKind::NotFound { json: true })
                    && history == History::Evidence
                    && !prior.private.seen
                    && prior.private.written_at.is_some()
                    && prior.is_recent(OffsetDateTime::now_utc())
            }
        };
        if lags {
            match rereads.wait().await {
                Reread::Now => continue,
                Reread::Stopped => {
                    warn_stale::<O>(service, operation, diags);
                    return Read::Unavailable;
                }
                Reread::Exhausted => {}
            }
        }
        return match read {
            Ok(response)
                if history == History::OtherAddress && is_another(&response.object, prior) =>
            {
                report_other_address(service, operation, prior.private, None, diags);
                Read::Failed
            }
            Ok(response) if response.object.delete_time().is_some() => Read::NotFound,
            Ok(_) if lags => {
                warn_stale::<O>(service, operation, diags);
                Read::Unavailable
            }
            Ok(response) => Read::ByGet(Box::new(response.object)),
            // A second owner would be added: the create is not idempotent.
            Err(_) if lags && !O::CREATE_IS_IDEMPOTENT => {
                warn_stale::<O>(service, operation, diags);
                Read::Unavailable
            }
            Err(error) => not_read(service, operation, prior, &error, diags).await,
        };
    }
}

/// Draws the conclusion from a failed GET, and reports it.
pub(crate) async fn not_read<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    error: &Error,
    diags: &mut Diagnostics,
) -> Read<O> {
    let history = prior.private.history(service);
    match judge(&error.kind(), history) {
        Finding::NotFound => {
            let in_list = list::find::<O>(service, prior.name).await;
            let now = stale::now(match &in_list {
                InList::Lacks { date, .. } => *date,
                _ => None,
            });
            match decide(&in_list, history, prior.is_recent(now)) {
                Decision::Deleted => Read::NotFound,
                Decision::Unavailable => {
                    warn_unavailable::<O>(service, operation, error, diags);
                    Read::Unavailable
                }
                Decision::Contradicted => {
                    report_contradiction(service, operation, error, &in_list, diags);
                    Read::Failed
                }
            }
        }
        Finding::OtherAddress => {
            report_other_address(service, operation, prior.private, Some(error), diags);
            Read::Failed
        }
        Finding::Unavailable => {
            warn_unavailable::<O>(service, operation, error, diags);
            Read::Unavailable
        }
        Finding::Failed => {
            let next = read_advice::<O>(error, operation.kind);
            operation.failed_to_refresh(service, error, next, diags);
            Read::Failed
        }
    }
}

/// Checks, before a write, that an object last seen under another or an unknown base address is the
/// same here. Adds an error and returns `None` if no response shows it.
pub(crate) async fn verify_address<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    diags: &mut Diagnostics,
) -> Option<()> {
    if !prior.private.is_elsewhere(service) && !prior.private.is_unverified {
        return Some(());
    }
    match O::get(&service.client, prior.name).await {
        Ok(response) if !is_another(&response.object, prior) => Some(()),
        Ok(_) => {
            report_other_address(service, operation, prior.private, None, diags);
            None
        }
        Err(error) => {
            report_other_address(service, operation, prior.private, Some(&error), diags);
            None
        }
    }
}

/// Returns whether an object of the same name at another base address may be another one than the
/// state's. It is the same one only if both creation times are known and equal.
fn is_another<O: Object>(object: &O, prior: &Prior<'_, O>) -> bool {
    let time = |text: Option<&str>| text.and_then(stale::parse_time);
    match (time(object.create_time()), time(prior.create_time)) {
        (Some(found), Some(known)) => found != known,
        _ => true,
    }
}

/// Adds the error of an object that was last seen at another base address and was not found at this
/// one: another object has its name there, or the read failed.
pub(crate) fn report_other_address(
    service: &Service,
    operation: &Operation<'_>,
    private: &ObjectPrivateState,
    error: Option<&Error>,
    diags: &mut Diagnostics,
) {
    let found = match error {
        Some(error) => format!("{error}."),
        None => {
            "The service there has an object of this name, but not with the creation time in the \
             state."
                .to_owned()
        }
    };
    if private.is_unverified {
        report_tainted(service, operation, &found, diags);
        return;
    }
    let found = format!("{found} This does not show that the {} was deleted.", operation.kind);
    report_unverified(service, operation, private, &found, diags);
}

/// Checks, before a same-name replacement is planned, that the object was last seen at this base
/// address: the apply would write to another region's object. Adds an error and returns `None` if it
/// was not.
pub(crate) fn require_address(
    service: &Service,
    operation: &Operation<'_>,
    private: &ObjectPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    if !private.is_elsewhere(service) {
        return Some(());
    }
    let found = "This plan has not read it at the new address. If it is the same service, run \
                 Terraform once with a refresh and `drift_detection = \"auto\"`, which records the \
                 new address.";
    report_unverified(service, operation, private, found, diags);
    None
}

fn report_unverified(
    service: &Service,
    operation: &Operation<'_>,
    private: &ObjectPrivateState,
    found: &str,
    diags: &mut Diagnostics,
) {
    diags.report_error(
        operation.summary(),
        format!(
            "{name}: the {kind} was last seen at {seen}, and the provider is configured with \
             {here}. {found} Its state is kept.\n\nCheck `base_url` and ACCESS_BASE_URL. If the \
             service has moved, the {kind} must be readable at the new address. If the {kind} is to \
             be managed in the other region instead, remove it from the state with `terraform state \
             rm`, and import or create it there.",
            name = operation.name,
            kind = operation.kind,
            seen = private.base_url.as_deref().unwrap_or_default(),
            here = service.base_url,
        ),
    );
}

/// Adds the error of the destroy of a tainted object whose private state the plan did not receive. No
/// response shows that the object at this base address is the state's.
pub(crate) fn report_tainted(
    service: &Service,
    operation: &Operation<'_>,
    found: &str,
    diags: &mut Diagnostics,
) {
    let kind = operation.kind;
    diags.report_error(
        operation.summary(),
        format!(
            "{name}: the {kind} is tainted. Terraform does not pass to this plan where it was last \
             seen, and nothing shows that it is the {kind} at {here}. {found} Its state is kept.\n\nRun \
             `terraform untaint`, and replace the {kind} with `-replace`. Or remove it from the state \
             with `terraform state rm`: it then stays at the service.",
            name = operation.name,
            here = service.base_url,
        ),
    );
}

fn report_contradiction(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    in_list: &InList,
    diags: &mut Diagnostics,
) {
    let kind = operation.kind;
    let found = match in_list {
        InList::Contains => format!("the list contains the {kind}"),
        InList::Forbidden(error) | InList::NotReceived(error) => format!("{error}"),
        InList::Lacks { .. } | InList::DoesNotExist => String::new(),
    };
    let next = format!(
        "This does not show that the {kind} was deleted: {found}. The state is kept. Check that \
         this API key may read the {kind} and list its siblings, and run Terraform again. \
         `drift_detection = \"off\"` plans without reads."
    );
    operation.failed_to_refresh(service, error, Some(next), diags);
}

/// Warns, once per run and resource type, that drift detection is unavailable.
pub(crate) fn warn_unavailable<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    diags: &mut Diagnostics,
) {
    if !O::run(service).unavailable_warning.claim() {
        return;
    }
    let kind = O::KIND;
    let meaning = match error.kind() {
        ErrorKind::NotImplemented => "The service does not offer this read.".to_owned(),
        _ => format!(
            "No read of this {kind} has succeeded so far, so this response does not distinguish a \
             missing {kind} from a missing operation or permission."
        ),
    };
    diags.report_warning(
        format!("Drift detection unavailable for {kind}s"),
        format!(
            "{}: {error}.\n\n{meaning} The state is kept, and the plan compares it with the \
             configuration only. {}",
            operation.name,
            O::WITHOUT_READS
        ),
    );
}

/// Warns, once per run and resource type, that a read was older than the state.
pub(crate) fn warn_stale<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    diags: &mut Diagnostics,
) {
    if O::run(service).stale_warning.claim() {
        diags.report_warning(
            "The service returned an older version",
            format!(
                "{}: the response is older than the last write of this configuration. Reads of \
                 the service lag behind its writes. The state is kept; run Terraform again later \
                 to detect changes made outside it. Other objects may be affected.",
                operation.name
            ),
        );
    }
}

/// Warns, once per run, that a plan under `off` compares with nothing but the state.
pub(crate) fn warn_off(service: &Service, diags: &mut Diagnostics) {
    if service.off_warning.claim() {
        diags.report_warning(
            "Drift detection is off",
            "With `drift_detection = \"off\"` nothing is read. This plan compares the \
             configuration with the state, and does not show changes made outside Terraform.",
        );
    }
}

/// Returns the next step after a refused read.
pub(crate) fn read_advice<O: Object>(error: &Error, kind: &str) -> Option<String> {
    let forbidden = error.kind() == ErrorKind::Forbidden;
    forbidden.then(|| {
        format!(
            "This API key may not read the {kind}. Use a key that may. {} The state is kept.",
            O::WITHOUT_READS
        )
    })
}

#[cfg(test)]
mod tests {
    use super::History::{Evidence, NoEvidence, OtherAddress};
    use super::*;

    #[test]
    fn judge_infers_nothing_from_a_response_with_two_meanings() {
        let json = ErrorKind::NotFound { json: true };
        let text = ErrorKind::NotFound { json: false };
        let cases = [
            (json, Evidence, Finding::NotFound),
            (json, NoEvidence, Finding::NotFound),
            (json, OtherAddress, Finding::OtherAddress),
            (text, Evidence, Finding::Failed),
            (text, NoEvidence, Finding::Unavailable),
            (text, OtherAddress, Finding::OtherAddress),
            (ErrorKind::NotImplemented, Evidence, Finding::Unavailable),
            (ErrorKind::NotImplemented, OtherAddress, Finding::Unavailable),
            (ErrorKind::Unauthorized, Evidence, Finding::Failed),
            (ErrorKind::Forbidden, Evidence, Finding::Failed),
            (ErrorKind::Forbidden, OtherAddress, Finding::Failed),
            (ErrorKind::Server, Evidence, Finding::Failed),
            (ErrorKind::Unreadable, Evidence, Finding::Failed),
            (ErrorKind::Unreachable, NoEvidence, Finding::Failed),
            (ErrorKind::Redirect, Evidence, Finding::Failed),
        ];
        for (kind, history, expected) in cases {
            assert_eq!(judge(&kind, history), expected, "{kind:?}, {history:?}");
        }
    }
}
