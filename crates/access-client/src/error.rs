//! Errors by meaning: told by type, with status and the service's words kept.

use std::fmt;
use std::time::Duration;

/// A call that failed, after all its attempts.
#[derive(Clone, Debug)]
pub struct Error {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The base address that was asked.
    pub(crate) base_url: String,
    pub(crate) failure: Failure,
    pub(crate) attempts: u32,
    pub(crate) request_id: Option<String>,
    /// Whether any attempt may have been processed by the service.
    pub(crate) processed: bool,
}

/// How one attempt failed.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// An answer that is no success.
    Status { status: u16, words: String, json: bool },
    /// 429, and what became of waiting.
    Throttled { words: String, retry_after: Option<Duration>, budget: Option<Duration> },
    /// A success whose body is not what it must be.
    Unreadable { status: u16, reason: String },
    /// No answer, or not a whole one.
    Transport { reason: String },
    /// The server's certificate was refused.
    Certificate { reason: String },
    /// Stopped from outside.
    Interrupted,
}

/// What a failure means for whoever called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// 404. `json` tells the service's own word, a JSON object, from a gateway's page.
    NotFound {
        /// Whether the body is a JSON object.
        json: bool,
    },
    /// 405 or 501: the operation does not exist.
    NotImplemented,
    /// 401: the key is missing or not valid.
    Unauthorized,
    /// 403: the key is not allowed to do this.
    Forbidden,
    /// 409 or 412: something like it exists.
    Conflict,
    /// 429, and the wait it asks for or the call's patience is over.
    TooManyRequests {
        /// The wait that the last answer asked for.
        retry_after: Option<Duration>,
        /// Whether that wait is longer than the call may still wait.
        budget_exceeded: bool,
    },
    /// Any other 4xx: the request is wrong.
    Invalid,
    /// 5xx but 501: the service failed.
    Server,
    /// 3xx: redirects are not followed.
    Redirect,
    /// A success whose body is not what it must be: no JSON object, another's name, too large.
    Unreadable,
    /// No connection, no answer in time, or one that was cut off.
    Unreachable,
    /// The certificate was refused.
    Certificate,
    /// Stopped from outside.
    Interrupted,
}

impl Error {
    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path below the base address, without the query.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The status of the last answer; `None` where there was none.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self.failure {
            Failure::Status { status, .. } | Failure::Unreadable { status, .. } => Some(status),
            Failure::Throttled { .. } => Some(429),
            Failure::Transport { .. } | Failure::Certificate { .. } | Failure::Interrupted => None,
        }
    }

    /// Whether the answer has the form of the service's own: a JSON object, or a 429. A gateway, a proxy
    /// or another server answers otherwise.
    #[must_use]
    pub fn is_of_the_service(&self) -> bool {
        match self.failure {
            Failure::Status { json, .. } => json,
            Failure::Throttled { .. } => true,
            _ => false,
        }
    }

    /// The service's words, cleaned and shortened; empty where it said nothing.
    #[must_use]
    pub fn message(&self) -> &str {
        match &self.failure {
            Failure::Status { words, .. } | Failure::Throttled { words, .. } => words,
            _ => "",
        }
    }

    /// How many requests were sent for the call.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The service's ID of the last request, where it sent one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Whether the service may have processed the call: false only where no attempt reached it,
    /// or each one that did was answered with 429.
    #[must_use]
    pub fn may_have_been_processed(&self) -> bool {
        self.processed
    }

    /// What the failure means.
    #[must_use]
    pub fn meaning(&self) -> Meaning {
        match &self.failure {
            Failure::Status { status, json, .. } => match status {
                404 => Meaning::NotFound { json: *json },
                405 | 501 => Meaning::NotImplemented,
                401 => Meaning::Unauthorized,
                403 => Meaning::Forbidden,
                409 | 412 => Meaning::Conflict,
                300..=399 => Meaning::Redirect,
                400..=499 => Meaning::Invalid,
                _ => Meaning::Server,
            },
            Failure::Throttled { retry_after, budget, .. } => Meaning::TooManyRequests {
                retry_after: *retry_after,
                budget_exceeded: budget.is_some(),
            },
            Failure::Unreadable { .. } => Meaning::Unreadable,
            Failure::Transport { .. } => Meaning::Unreachable,
            Failure::Certificate { .. } => Meaning::Certificate,
            Failure::Interrupted => Meaning::Interrupted,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.method, self.path)?;
        match &self.failure {
            Failure::Status { status, words, .. } => write_answer(f, *status, words)?,
            Failure::Throttled { words, retry_after, budget } => {
                write_answer(f, 429, words)?;
                match (retry_after, budget) {
                    (Some(wait), Some(left)) => write!(
                        f,
                        "; it asks to wait {} s, and {} s of `max_retry_wait` are left",
                        wait.as_secs(),
                        left.as_secs()
                    )?,
                    (Some(wait), None) => write!(f, "; it asks to wait {} s", wait.as_secs())?,
                    (None, _) => {}
                }
            }
            Failure::Unreadable { status, reason } => {
                write_answer(f, *status, "")?;
                write!(f, ", but {reason}")?;
            }
            Failure::Transport { reason } | Failure::Certificate { reason } => {
                f.write_str(reason)?
            }
            Failure::Interrupted => f.write_str("stopped before it was answered")?,
        }
        if self.attempts > 1 {
            write!(f, " (after {} attempts)", self.attempts)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(f, " (request {request_id})")?;
        }
        // Where it is not the service that speaks, it matters who was asked.
        if !self.is_of_the_service() && !matches!(self.failure, Failure::Interrupted) {
            write!(f, " (at {})", self.base_url)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

fn write_answer(f: &mut fmt::Formatter<'_>, status: u16, words: &str) -> fmt::Result {
    write!(f, "{status}")?;
    let reason = reqwest::StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason());
    if let Some(reason) = reason {
        write!(f, " {reason}")?;
    }
    if words.is_empty() { Ok(()) } else { write!(f, ": {words}") }
}
