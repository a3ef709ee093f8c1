//! The next step after a failed request: what the status alone determines, and what follows for a
//! read that an operation cannot do without (an import, a data source, a list, an export, the check
//! before a create).

use access_client::{Error, ErrorKind};
use plugin_server::hcl::quoted;

use super::message::{Advice, Words};
use crate::messages::requests::{
    ArgumentUnknown, Certificate, Forbidden, ForbiddenByGateway, Interrupted, NeededForbidden,
    NeededNotFound, NeededNotFoundByGateway, NeededNotOffered, NotFound, NotFoundByGateway,
    NotFoundByGatewayHere, NotFoundHere, NotOffered, NotTls, OtherSpelling, Proxy, Redirected,
    Refused, ServerFailed, Throttled, TooLarge, Unauthorized, Unreachable, UnreachableHere,
    Unreadable, UnreadableHere,
};

/// Returns what to do after a failed request, as far as the status and the reads of this run
/// determine it. `base_url` is suspected only if no read has succeeded there.
pub(crate) fn by_status(error: &Error) -> Advice {
    if let Some(advice) = other_spelling(error, None) {
        return advice;
    }
    let was_read = error.follows_a_read();
    match error.kind() {
        ErrorKind::Unauthorized => Unauthorized.into(),
        ErrorKind::Forbidden => forbidden(error, Forbidden.into()),
        ErrorKind::NotFound { json: true } if was_read => NotFoundHere.into(),
        ErrorKind::NotFound { json: true } => NotFound.into(),
        ErrorKind::NotFound { json: false } if was_read => NotFoundByGatewayHere.into(),
        ErrorKind::NotFound { json: false } => NotFoundByGateway.into(),
        ErrorKind::NotImplemented => NotOffered.into(),
        ErrorKind::TooManyRequests { .. } => Throttled.into(),
        ErrorKind::Redirect => Redirected.into(),
        ErrorKind::Unreadable if was_read => UnreadableHere.into(),
        ErrorKind::Unreadable => Unreadable.into(),
        ErrorKind::TooLarge => TooLarge.into(),
        ErrorKind::Certificate => Certificate.into(),
        ErrorKind::NotTls => NotTls.into(),
        ErrorKind::Proxy { .. } => Proxy.into(),
        ErrorKind::Unreachable if was_read => UnreachableHere.into(),
        ErrorKind::Unreachable => Unreachable.into(),
        ErrorKind::Interrupted => Interrupted.into(),
        ErrorKind::SettingsUnknown => ArgumentUnknown.into(),
        ErrorKind::Server => ServerFailed.into(),
        _ => Refused.into(),
    }
}

/// Returns the advice if the object of the response has the requested name in another spelling.
/// `whole` is the argument that has the whole name, instead of the ID alone.
fn other_spelling(error: &Error, whole: Option<&str>) -> Option<Advice> {
    let name = error.other_spelling()?;
    let (parents, id) = name.rsplit_once('/')?;
    let own = if parents.ends_with("/roles") { "role" } else { "integration_owner_id" };
    let (argument, id) = whole.map_or((own, id), |argument| (argument, name));
    let id = quoted(id);
    Some(OtherSpelling { name: &name, id: &id, argument: &argument }.into())
}

/// Returns the advice after a 403. The API document does not show the bodies of errors: the service
/// may send text as well.
pub(crate) fn forbidden(error: &Error, advice: Advice) -> Advice {
    if error.kind() != ErrorKind::Forbidden || error.is_from_service() || error.follows_a_read() {
        return advice;
    }
    let by_gateway = Advice::from(ForbiddenByGateway { next: &advice.next });
    Advice { next: by_gateway.next, ..advice }
}

/// Returns the sentence about the base address, if no read of this run has succeeded there.
pub(crate) fn check_base_url(error: &Error) -> &'static str {
    if error.follows_a_read() { "" } else { "Check `base_url`. " }
}

/// A read that an operation cannot do without.
pub(crate) struct NeededRead {
    /// What may be missing after a 404: "The role or its listing".
    pub(crate) subject: String,
    /// "reads" or "lists".
    pub(crate) operation: &'static str,
    /// The attribute that names the subject; `None` for an ID that is no attribute.
    pub(crate) attribute: Option<&'static str>,
    /// How to do without this read.
    pub(crate) alternative: String,
}

impl NeededRead {
    /// Returns the list of a parent, which the first argument of a name selects.
    pub(crate) fn of_list(words: &Words, alternative: impl Into<String>) -> Self {
        let [(attribute, _), _] = words.name_arguments;
        Self {
            subject: format!("The {}", words.parent_kind),
            operation: "lists",
            attribute: Some(attribute),
            alternative: alternative.into(),
        }
    }

    /// Returns the advice after its failure. Nothing is inferred from a 404: the text names all
    /// that it may mean.
    pub(crate) fn advice(&self, error: &Error) -> Advice {
        let Self { subject, operation, attribute, alternative } = self;
        // An ID that is no attribute is that of an import.
        if let Some(advice) = other_spelling(error, attribute.is_none().then_some("id")) {
            return advice;
        }
        let id = attribute.map_or("the ID".to_owned(), |attribute| format!("`{attribute}`"));
        let check = if error.follows_a_read() {
            id
        } else {
            format!("{id} and `base_url` (ACCESS_BASE_URL)")
        };
        match error.kind() {
            ErrorKind::NotFound { json: true } => {
                let advice = NeededNotFound { subject, operation, check: &check, alternative };
                Advice { attribute: *attribute, ..advice.into() }
            }
            ErrorKind::NotFound { json: false } => {
                let advice =
                    NeededNotFoundByGateway { subject, operation, check: &check, alternative };
                Advice { attribute: *attribute, ..advice.into() }
            }
            ErrorKind::NotImplemented => NeededNotOffered { operation, alternative }.into(),
            ErrorKind::Forbidden => forbidden(error, NeededForbidden { alternative }.into()),
            _ => by_status(error),
        }
    }
}
