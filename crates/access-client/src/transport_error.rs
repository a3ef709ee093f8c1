//! Failures without a complete response, and whether the service may have processed the request.

use std::error::Error as StdError;
use std::io;

use crate::message;
use crate::redact::Redactor;

/// The errors of a connection that the peer has closed.
const CLOSED: [io::ErrorKind; 4] = [
    io::ErrorKind::ConnectionReset,
    io::ErrorKind::ConnectionAborted,
    io::ErrorKind::BrokenPipe,
    io::ErrorKind::UnexpectedEof,
];

/// The reason why there is no complete response.
#[derive(Debug)]
pub(crate) enum TransportError {
    /// There was no connection: the request was not sent.
    NotSent(String),
    /// The request was not processed: its connection closed before it was written, or the service
    /// refused its HTTP/2 stream.
    Unprocessed(String),
    /// A kept-alive connection closed without a response. Either it was idle for too long, or the
    /// request may have been processed.
    Closed(String),
    /// The request may have been processed.
    Sent(String),
    /// The certificate was refused: nothing was sent.
    Certificate(String),
    /// The server responded in plain text to the TLS handshake: nothing was sent.
    NotTls,
    /// The proxy did not connect: nothing was sent. reqwest exposes only the status 407.
    Proxy { status: Option<u16>, reason: String },
    /// The body exceeds the limit.
    TooLarge { status: u16 },
}

impl TransportError {
    /// Classifies an error before the response. `is_new` is true if the connection was opened for
    /// the request.
    pub(crate) fn of_sending(error: &reqwest::Error, is_new: bool, redactor: &Redactor) -> Self {
        if let Some(refused) = tunnel_error(error) {
            return refused.redacted(redactor);
        }
        let tls = find::<rustls::Error>(error);
        if let Some(rustls::Error::InvalidMessage(_)) = tls
            && error.is_connect()
        {
            return Self::NotTls;
        }
        let reason = reason(error, redactor);
        if let Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) =
            tls
        {
            Self::Certificate(reason)
        } else if error.is_connect() || error.is_builder() {
            Self::NotSent(reason)
        } else if is_unprocessed(error) {
            Self::Unprocessed(reason)
        } else if !is_new && is_closed(error) {
            Self::Closed(reason)
        } else {
            Self::Sent(reason)
        }
    }

    /// Classifies an error in the body of a response.
    pub(crate) fn of_reading(error: &reqwest::Error, redactor: &Redactor) -> Self {
        Self::Sent(reason(error, redactor))
    }

    fn redacted(self, redactor: &Redactor) -> Self {
        match self {
            Self::Proxy { status, reason } => {
                Self::Proxy { status, reason: message::clean(&reason, redactor) }
            }
            other => other,
        }
    }
}

/// Finds the error of a proxy's tunnel. Its type is private to hyper-util, so that it is recognised
/// by its message. A test with a real proxy fails if the message changes.
fn tunnel_error(error: &reqwest::Error) -> Option<TransportError> {
    let mut causes = causes(error).skip_while(|cause| !is_tunnel_error(*cause));
    let text = causes.next()?.to_string();
    let text = text.trim_start_matches("tunnel error: ");
    if text == "proxy authorization required" {
        return Some(TransportError::Proxy { status: Some(407), reason: String::new() });
    }
    if text == "unsuccessful" {
        return Some(TransportError::Proxy { status: None, reason: String::new() });
    }
    let parts: Vec<_> = std::iter::once(text.to_owned()).chain(texts(causes)).collect();
    Some(TransportError::Proxy { status: None, reason: parts.join(": ") })
}

fn is_tunnel_error(error: &(dyn StdError + 'static)) -> bool {
    error.to_string().starts_with("tunnel error: ")
}

/// Returns whether it is certain that the service did not process the request.
fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    // hyper cancels a request that it has not begun to write, and hyper-util one for which it has no
    // connection. hyper-util's error shows its kind in its message only.
    if find::<hyper::Error>(error).is_some_and(hyper::Error::is_canceled)
        || causes(error).any(|cause| cause.to_string() == "client error (Canceled)")
    {
        return true;
    }
    // h2 returns a remote GOAWAY only to streams above the last one that the service processes
    // (RFC 9113, 6.8) and to those that were not opened.
    find::<h2::Error>(error).is_some_and(|error| {
        error.is_remote()
            && (error.is_go_away()
                || error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM))
    })
}

/// Returns whether the connection closed before the response began.
fn is_closed(error: &reqwest::Error) -> bool {
    if error.is_timeout() {
        return false;
    }
    find::<hyper::Error>(error).is_some_and(hyper::Error::is_incomplete_message)
        || causes(error)
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|error| CLOSED.contains(&error.kind()))
}

/// Describes the error in one line: reqwest's message and those of its causes. The caller names the
/// URL.
fn reason(error: &reqwest::Error, redactor: &Redactor) -> String {
    let what = if error.is_connect() && error.is_timeout() {
        return "could not connect in time, which is limited by `request_timeout`".to_owned();
    } else if error.is_connect() {
        "could not connect"
    } else if error.is_timeout() {
        return "no complete response within `request_timeout`".to_owned();
    } else {
        "the connection failed before the response was complete"
    };
    let parts = texts(causes(error).skip(1));
    message::clean(&format!("{what}: {}", parts.join(": ")), redactor)
}

fn texts<'e>(causes: impl Iterator<Item = &'e (dyn StdError + 'static)>) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes {
        let text = cause.to_string();
        // hyper's outer message does not help users, and causes often repeat the error that they
        // wrap.
        if !text.starts_with("client error")
            && parts.last().is_none_or(|last| !last.contains(&text))
        {
            parts.push(text);
        }
    }
    parts
}

fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    causes(error).find_map(|cause| cause.downcast_ref::<T>())
}

/// Returns the error and its causes. The source of an `io::Error` skips the error that it wraps,
/// and TLS errors are wrapped several times.
fn causes<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&(dyn StdError + 'static)| {
        let error = *error;
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|wrapped| wrapped as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

#[cfg(test)]
mod tests;
