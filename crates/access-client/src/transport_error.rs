//! Failures without a complete response, and whether the service may have processed the request.

use std::error::Error as StdError;
use std::{fmt, io};

use hyper_util::client::legacy;
use rustls::CertificateError;

use crate::json::Defect;
use crate::message;
use crate::redact::Redactor;

/// The beginning of a failure that the service may have caused after it had received the request.
const BROKEN: &str = "the connection failed before the response was complete";

pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// The error of a connection that is not established in time.
#[derive(Debug)]
pub(crate) struct ConnectTimeout;

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection in time")
    }
}

impl StdError for ConnectTimeout {}

/// The reason why there is no complete response.
#[derive(Debug)]
pub(crate) enum TransportError {
    /// There was no connection.
    NotConnected(String),
    /// The request was not processed: the connection closed before the request was written, or the
    /// service refused its HTTP/2 stream.
    Unprocessed(String),
    /// The request may have been processed.
    Sent(String),
    /// The certificate was refused: nothing was sent. `is_authority`: it is the certificate of an
    /// authority, which must not be a server's.
    Certificate { reason: String, is_authority: bool },
    /// The server responded in plain text to the TLS handshake: nothing was sent.
    NotTls,
    /// The body of a success exceeds the limit, or cannot be unpacked.
    Unusable { status: u16, reason: &'static str, defect: Defect },
}

impl TransportError {
    /// Classifies an error before the response.
    pub(crate) fn of_sending(error: &(dyn StdError + 'static), redactor: &Redactor) -> Self {
        let is_connect = find::<legacy::Error>(error).is_some_and(legacy::Error::is_connect);
        let reqwest = find::<reqwest::Error>(error);
        let tls = find::<rustls::Error>(error);
        let is_refused = matches!(
            tls,
            Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented)
        );
        if is_refused {
            let reason = reason("could not connect", error, redactor);
            let is_authority = tls.is_some_and(is_of_authority);
            return Self::Certificate { reason, is_authority };
        }
        if matches!(tls, Some(rustls::Error::InvalidMessage(_))) && is_connect {
            return Self::NotTls;
        }
        if find::<ConnectTimeout>(error).is_some()
            || is_connect && reqwest.is_some_and(reqwest::Error::is_timeout)
        {
            return Self::NotConnected("could not connect in time".to_owned());
        }
        if is_connect {
            Self::NotConnected(innermost("could not connect", error, redactor))
        } else if is_unprocessed(error) || reqwest.is_some_and(reqwest::Error::is_builder) {
            Self::Unprocessed(reason(BROKEN, error, redactor))
        } else {
            Self::Sent(reason(BROKEN, error, redactor))
        }
    }

    /// Classifies an error in the body of a response.
    pub(crate) fn of_reading(error: &reqwest::Error, redactor: &Redactor) -> Self {
        Self::Sent(reason(BROKEN, error, redactor))
    }
}

/// Returns whether the body of a response arrived, and cannot be unpacked. The errors of the
/// decoder are of `io`; those of the connection are of hyper as well.
pub(crate) fn is_undecodable(error: &reqwest::Error) -> bool {
    find::<io::Error>(error).is_some() && find::<hyper::Error>(error).is_none()
}

/// Returns whether a certificate was refused because it is that of an authority. rustls has no
/// variant for this error of its verifier.
fn is_of_authority(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(other)) = error else {
        return false;
    };
    matches!(other.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}

/// Returns whether it is certain that the service did not process the request.
fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    // hyper cancels a request that it has not begun to write, and hyper-util one for which it has
    // no connection. hyper-util's error shows its kind in its message only.
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

/// Describes the last cause of an error in one line. Those before it name the step that failed, some of
/// them twice.
fn innermost(what: &str, error: &(dyn StdError + 'static), redactor: &Redactor) -> String {
    let cause = helpful_causes(error).last().map(ToString::to_string).unwrap_or_default();
    message::clean(&format!("{what}: {cause}"), redactor)
}

/// Describes the error and its causes in one line. The caller names the URL.
fn reason(what: &str, error: &(dyn StdError + 'static), redactor: &Redactor) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in helpful_causes(error) {
        // Causes often repeat the error that they wrap.
        let text = cause.to_string();
        if parts.last().is_none_or(|last| !last.contains(&text)) {
            parts.push(text);
        }
    }
    message::clean(&format!("{what}: {}", parts.join(": ")), redactor)
}

/// Returns the error and its causes without the outer messages of the libraries, which do not help users.
fn helpful_causes<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    causes(error).filter(|cause| !cause.is::<reqwest::Error>() && !cause.is::<legacy::Error>())
}

/// Returns the cause of this type.
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
