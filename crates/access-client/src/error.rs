//! Errors of calls: distinguished by type, with the status and the service's message.

use std::fmt;
use std::time::Duration;

use crate::json::Defect;

/// Follows the operation in the text of an error whose request was not sent.
pub const NOT_SENT: &str = "not sent, because";

/// A call that failed, after all its attempts.
#[derive(Clone, Debug)]
pub struct Error {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The base address of the client that made the call; empty if its settings are unknown.
    pub(crate) base_url: String,
    pub(crate) failure: Failure,
    pub(crate) attempts: u32,
    /// The service's ID of the last request, if it sent one.
    pub(crate) request_id: Option<String>,
    /// Whether the service may have processed any of the attempts.
    pub(crate) processed: bool,
    /// Whether the call ended because the service is down: a call has used up its wait, and none
    /// has succeeded since.
    pub(crate) outage: bool,
}

/// The failure of one attempt.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A response whose status is not a success, the wait that it requested, and the target of a
    /// redirect without its query and user info.
    Status { status: u16, message: String, wait: Option<Wait>, target: Option<String> },
    /// A success whose body cannot be parsed.
    Unreadable { status: u16, reason: String, defect: Defect },
    /// No connection.
    NotConnected { reason: String },
    /// No response, or an incomplete one.
    Transport { reason: String },
    /// The server's certificate was refused.
    Certificate { reason: String, is_authority: bool },
    /// The server responded in plain text to a TLS handshake.
    NotTls,
    /// No connection through the proxy.
    Proxy { variable: &'static str, reason: String },
    /// The call was interrupted.
    Interrupted,
    /// The settings of the client are unknown, for this reason.
    SettingsUnknown { reason: String },
}

impl Failure {
    /// Returns the status of the service's response, if there was one.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::Unreadable { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Returns whether there was no connection to the service.
    pub(crate) fn is_without_connection(&self) -> bool {
        matches!(self, Self::NotConnected { .. } | Self::Proxy { .. })
    }

    /// Returns the failure in a few words, without the service's message.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::Status { status, .. } => status_line(*status),
            Self::Unreadable { status, .. } => {
                format!("{}, but the body cannot be used", status_line(*status))
            }
            Self::NotConnected { .. } => "the service could not be reached".to_owned(),
            Self::Transport { .. } => "no complete response".to_owned(),
            Self::Certificate { .. } => "the certificate was refused".to_owned(),
            Self::NotTls => "the server does not use TLS".to_owned(),
            Self::Proxy { variable, .. } => {
                format!("no connection through the proxy in {variable}")
            }
            Self::Interrupted => "interrupted".to_owned(),
            Self::SettingsUnknown { reason } => reason.clone(),
        }
    }

    /// Returns the wait that the response requested.
    pub(crate) fn asked(&self) -> Option<Duration> {
        self.wait().map(|wait| wait.asked)
    }

    /// Returns the failure with a requested wait and, if the wait exceeds it, the rest of
    /// `max_retry_wait`.
    pub(crate) fn asking(mut self, asked: Duration, exceeds: Option<Duration>) -> Self {
        if let Self::Status { wait, .. } = &mut self {
            *wait = Some(Wait { asked, exceeds });
        }
        self
    }

    fn wait(&self) -> Option<Wait> {
        if let Self::Status { wait, .. } = self { *wait } else { None }
    }
}

/// The wait that a response requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) asked: Duration,
    /// The rest of `max_retry_wait`, if the wait exceeds it.
    pub(crate) exceeds: Option<Duration>,
}

/// The category of a failure, on which callers base their decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// 404 or 410, of the service or of a gateway.
    NotFound,
    /// 405 or 501: the operation does not exist.
    NotImplemented,
    /// 401: the key is missing or invalid.
    Unauthorized,
    /// 403: the key does not have permission.
    Forbidden,
    /// 409 or 412: the object exists already, or has changed.
    Conflict,
    /// 429, or 503 with the request to wait: after every attempt, or because the wait exceeds
    /// `max_retry_wait`.
    TooManyRequests,
    /// Any other 4xx: the request is invalid.
    Invalid,
    /// Any other status: the service failed.
    Server,
    /// 3xx: redirects are not followed.
    Redirect,
    /// A success whose body cannot be used: it is not a JSON object, or is another object.
    Unreadable,
    /// A success that is larger than this client reads: a body, or a list with its pages.
    TooLarge,
    /// No connection.
    Unreachable,
    /// A connection, and no response in time, or an incomplete one.
    NoResponse,
    /// The certificate was refused.
    Certificate {
        /// Whether it is the certificate of an authority, such as `openssl req -x509` makes. It
        /// must not be a server's, so trusting it does not help.
        is_authority: bool,
    },
    /// The server behind an `https` address does not use TLS.
    NotTls,
    /// No connection through a proxy.
    Proxy {
        /// The environment variable that names the proxy.
        variable: &'static str,
    },
    /// The call was interrupted.
    Interrupted,
    /// The client sends nothing, because its settings are unknown.
    SettingsUnknown,
}

impl Error {
    /// Returns the status of the service's last response, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.failure.status()
    }

    /// Returns the service's message, sanitized, redacted and shortened; empty without a message.
    #[must_use]
    pub fn message(&self) -> &str {
        match &self.failure {
            Failure::Status { message, .. } => message,
            _ => "",
        }
    }

    /// Returns the number of requests that were sent for the call.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns whether the service may have processed the call. It is false only if no attempt
    /// reached the service, or if the service refused each one unprocessed (429, a refused HTTP/2
    /// stream).
    #[must_use]
    pub fn may_have_been_processed(&self) -> bool {
        self.processed
    }

    /// Returns the category of the failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match &self.failure {
            Failure::Status { status: 429, .. } | Failure::Status { wait: Some(_), .. } => {
                ErrorKind::TooManyRequests
            }
            Failure::Status { status, .. } => match status {
                404 | 410 => ErrorKind::NotFound,
                405 | 501 => ErrorKind::NotImplemented,
                401 => ErrorKind::Unauthorized,
                403 => ErrorKind::Forbidden,
                409 | 412 => ErrorKind::Conflict,
                300..=399 => ErrorKind::Redirect,
                400..=499 => ErrorKind::Invalid,
                _ => ErrorKind::Server,
            },
            Failure::Unreadable { defect: Defect::TooLarge, .. } => ErrorKind::TooLarge,
            Failure::Unreadable { .. } => ErrorKind::Unreadable,
            Failure::NotConnected { .. } => ErrorKind::Unreachable,
            Failure::Transport { .. } => ErrorKind::NoResponse,
            Failure::Certificate { is_authority, .. } => {
                ErrorKind::Certificate { is_authority: *is_authority }
            }
            Failure::NotTls => ErrorKind::NotTls,
            Failure::Proxy { variable, .. } => ErrorKind::Proxy { variable },
            Failure::Interrupted => ErrorKind::Interrupted,
            Failure::SettingsUnknown { .. } => ErrorKind::SettingsUnknown,
        }
    }

    /// Returns whether the cause affects every object: the key, the address, the connection, or a
    /// service that is down or asks all calls to wait.
    #[must_use]
    pub fn affects_every_object(&self) -> bool {
        match &self.failure {
            Failure::Status { status: 401, .. }
            | Failure::Status { wait: Some(Wait { exceeds: Some(_), .. }), .. }
            | Failure::NotConnected { .. }
            | Failure::Transport { .. }
            | Failure::Certificate { .. }
            | Failure::NotTls
            | Failure::Proxy { .. }
            | Failure::SettingsUnknown { .. } => true,
            Failure::Status { .. } => self.outage,
            Failure::Unreadable { .. } | Failure::Interrupted => false,
        }
    }

    /// Returns whether a request for fewer entries may succeed: the page was too large, or the
    /// service refused it. Services refuse a page size beyond their limit with 400.
    pub(crate) fn may_accept_fewer_entries(&self) -> bool {
        matches!(
            self.failure,
            Failure::Unreadable { defect: Defect::TooLarge, .. }
                | Failure::Status { status: 400 | 413, .. }
        )
    }

    /// Returns the failure in a few words, without the request, the service's message and the address.
    #[must_use]
    pub fn cause(&self) -> String {
        self.failure.cause()
    }

    /// Writes the failure without the request, as the end of "PATCH /path: …".
    fn write_failure(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            Failure::Status { status, message, wait, target, .. } => {
                write_response(f, *status, message)?;
                write_wait(f, *wait)?;
                match target {
                    Some(target) => write!(f, "; it redirects to {target}"),
                    None => Ok(()),
                }
            }
            Failure::Unreadable { status, reason, .. } => {
                write_response(f, *status, "")?;
                write!(f, ", but {reason}")
            }
            Failure::NotConnected { reason }
            | Failure::Transport { reason }
            | Failure::Certificate { reason, .. } => f.write_str(reason),
            Failure::NotTls => {
                let authority = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
                let authority = authority.split('/').next().unwrap_or_default();
                write!(f, "{authority} does not use TLS")
            }
            Failure::Proxy { variable, reason } => {
                write!(f, "the proxy in the environment variable {variable}: {reason}")
            }
            // An interrupt ends waits. A request that was sent is waited for.
            Failure::Interrupted if self.attempts == 0 => {
                f.write_str("interrupted before the request was sent")
            }
            Failure::Interrupted => f.write_str("interrupted before the request was sent again"),
            Failure::SettingsUnknown { reason } => write!(f, "{NOT_SENT} {reason}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.method, self.path)?;
        self.write_failure(f)?;
        if self.attempts > 1 {
            write!(f, " (after {} attempts)", self.attempts)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(f, " (request {request_id})")?;
        }
        if matches!(self.failure, Failure::Interrupted | Failure::SettingsUnknown { .. }) {
            return Ok(());
        }
        if self.attempts == 0 {
            let reason = match self.failure {
                Failure::Status { .. } => {
                    "an earlier response requested this wait for all requests"
                }
                _ => "earlier requests of this run have failed like this",
            };
            write!(f, " ({NOT_SENT} {reason})")?;
        }
        write!(f, " (at {})", self.base_url)
    }
}

impl std::error::Error for Error {}

/// Returns a status with its usual reason: "404 Not Found".
fn status_line(status: u16) -> String {
    let code = http::StatusCode::from_u16(status).ok();
    match code.and_then(|code| code.canonical_reason()) {
        Some(reason) => format!("{status} {reason}"),
        None => status.to_string(),
    }
}

/// Writes a status, and the service's message if there is one.
fn write_response(f: &mut fmt::Formatter<'_>, status: u16, message: &str) -> fmt::Result {
    f.write_str(&status_line(status))?;
    if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
}

/// Writes the wait that the service has requested, and what is left of the call's own.
fn write_wait(f: &mut fmt::Formatter<'_>, wait: Option<Wait>) -> fmt::Result {
    let Some(Wait { asked, exceeds }) = wait else { return Ok(()) };
    // Less than a second is the client's own pause after a 429 without Retry-After.
    if asked.as_secs() > 0 {
        write!(f, "; the service requested a wait of {} s", asked.as_secs())?;
    }
    match exceeds {
        Some(rest) => write!(f, "; the call may wait for {} s more", rest.as_secs()),
        None => Ok(()),
    }
}
