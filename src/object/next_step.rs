//! The next step after a failed request: what the status alone determines, and what follows for a read that an
//! operation cannot do without (an import, a data source, a list, an export, the check before a create).

use access_client::{Error, ErrorKind};

use super::message::{Advice, Words};

/// Returns the next step after a failed request: `own`, or if that is empty what the status alone
/// determines.
pub(crate) fn next_step(error: &Error, own: &str) -> String {
    let next = if own.is_empty() { by_status(error.kind()).0 } else { own };
    // The API document does not show the bodies of errors: the service may send text as well.
    if error.kind() == ErrorKind::Forbidden && !error.is_from_service() {
        return format!(
            "The response does not look like the service's own: a gateway or proxy may have refused the \
             request. Check `base_url` and the gateways in front of the service. If it is the service: \
             {next}"
        );
    }
    next.to_owned()
}

/// Returns what to do about all objects with the same failure, as a one-line error ends.
pub(crate) fn step_for_all(kind: ErrorKind) -> &'static str {
    by_status(kind).1
}

/// Returns the next step after a failure, as a complete error and as a one-line error says it.
fn by_status(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::Unauthorized => (
            "The API key is missing or not valid there. Check `api_key` or `api_key_file` (or \
             ACCESS_API_KEY, ACCESS_API_KEY_FILE), and that `base_url` names the region that issued the \
             key.",
            "correct the API key",
        ),
        ErrorKind::Forbidden => (
            "This API key is not allowed to do this. Use a key with the permission, or have the \
             permission granted.",
            "use a key with the permission",
        ),
        ErrorKind::NotFound { json: true } => (
            "The service does not have this object. Check the identifiers, and that `base_url` names the \
             right region.",
            "check the IDs and `base_url`",
        ),
        ErrorKind::NotFound { json: false } => (
            "The response does not look like the service's own. Check `base_url`: the region and the \
             path prefix. The provider adds /api/v1 itself.",
            "check the IDs and `base_url`",
        ),
        ErrorKind::NotImplemented => {
            ("The service does not offer this operation.", "do what the first, complete error says")
        }
        ErrorKind::TooManyRequests { .. } => (
            "The service limits requests. Wait and run Terraform again, lower `-parallelism`, set \
             `max_requests_per_second`, or raise `max_retry_wait`.",
            "lower `-parallelism`, or raise `max_retry_wait`",
        ),
        ErrorKind::Redirect => (
            "The provider never follows redirects, so that the API key is sent to `base_url` alone. If the \
             service has moved, set `base_url` to its new base address, without /api/v1.",
            "check `base_url`",
        ),
        ErrorKind::Unreadable => (
            "The response does not have the documented form. Check that `base_url` leads to the service \
             itself. TF_LOG_PROVIDER=TRACE logs the body.",
            "check that `base_url` leads to the service",
        ),
        ErrorKind::TooLarge => (
            "The provider reads no more than this, because a response without an end would take all memory. \
             If the list really has so many entries, manage the objects with resources and data sources for \
             single objects, which are read one by one. Otherwise report the list to the service's \
             operators.",
            "report the list to the service's operators",
        ),
        ErrorKind::Certificate => (
            "The certificate was refused. Check the host of `base_url`. If a private authority signed the \
             certificate, set `ca_file` to the authority's PEM file. Certificate checks cannot be turned off.",
            "set `ca_file`",
        ),
        ErrorKind::NotTls => (
            "The response is not TLS, so no request was sent. Check the scheme and the port of \
             `base_url`. The provider accepts `http` for loopback hosts only.",
            "check `base_url`",
        ),
        ErrorKind::Proxy { .. } => (
            "There is no connection through the proxy. Check the proxy variable and its credentials, or \
             add the host of `base_url` to NO_PROXY.",
            "check the proxy variable",
        ),
        ErrorKind::Unreachable => (
            "The service could not be reached or did not respond in time. Check host, port and scheme of \
             `base_url`, the proxy settings and `request_timeout`, and run Terraform again.",
            "run Terraform again",
        ),
        ErrorKind::Interrupted => {
            ("Terraform was interrupted. Run it again.", "run Terraform again")
        }
        ErrorKind::Server => (
            "The service failed. The configuration does not need to change: run Terraform again, and \
             report the failure to the service's operators if it persists.",
            "run Terraform again",
        ),
        _ => (
            "The service did not accept the request. Correct what its message names, and run Terraform \
             again.",
            "correct what the complete errors name, and run Terraform again",
        ),
    }
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
    pub(crate) fn of_list(words: &Words, alternative: impl Into<String>) -> Self {
        let [(attribute, _), _] = words.name_arguments;
        Self {
            subject: format!("The {}", words.parent_kind),
            operation: "lists",
            attribute: Some(attribute),
            alternative: alternative.into(),
        }
    }

    /// Returns the advice after its failure. Nothing is inferred from a 404: the text names all that it may
    /// mean.
    pub(crate) fn advice(&self, kind: ErrorKind) -> Advice {
        let Self { subject, operation, attribute, alternative } = self;
        let next = match kind {
            ErrorKind::NotFound { json } => {
                let gateway =
                    if json { "" } else { "The response does not look like the service's own. " };
                let id =
                    attribute.map_or("the ID".to_owned(), |attribute| format!("`{attribute}`"));
                let next = format!(
                    "{gateway}{subject} does not exist, this API key may not see it, or the service does not offer \
                     {operation}. Check {id} and `base_url` (ACCESS_BASE_URL). {alternative}"
                );
                return Advice { attribute: *attribute, ..Advice::next(next) };
            }
            ErrorKind::NotImplemented => {
                format!("The service does not offer {operation}. {alternative}")
            }
            ErrorKind::Forbidden => {
                format!("This API key may not read this. Use a key that may. {alternative}")
            }
            _ => return Advice::default(),
        };
        Advice::next(next)
    }
}
