//! The next step after a failed request, as far as the status alone determines it.

use access_client::{Error, ErrorKind};

use super::message::Advice;

/// Returns what to do after a failed request.
pub(crate) fn by_status(error: &Error) -> Advice {
    match error.kind() {
        ErrorKind::Unauthorized => unauthorized(),
        ErrorKind::Forbidden => forbidden(),
        ErrorKind::NotFound => not_found(),
        ErrorKind::NotImplemented => not_offered(),
        ErrorKind::TooManyRequests => throttled(),
        ErrorKind::Redirect => redirected(),
        ErrorKind::Unreadable => unreadable(),
        ErrorKind::TooLarge => too_large(),
        ErrorKind::Certificate { is_authority: true } => certificate_of_authority(),
        ErrorKind::Certificate { is_authority: false } => certificate(),
        ErrorKind::NotTls => not_tls(),
        ErrorKind::Proxy { .. } => proxy(),
        ErrorKind::Unreachable | ErrorKind::NoResponse => unreachable(),
        ErrorKind::Interrupted => interrupted(),
        ErrorKind::SettingsUnknown => argument_unknown(),
        ErrorKind::Server => server_failed(),
        _ if error.message().is_empty() => refused_without_a_reason(),
        _ => refused(),
    }
}

/// 401.
fn unauthorized() -> Advice {
    Advice::new(
        "The API key is missing or not valid there. Check `api_key` (or ACCESS_API_KEY), and that `base_url` names the \
         region that issued the key.",
    )
}

/// 403.
fn forbidden() -> Advice {
    Advice::new(
        "This API key is not allowed to do this, or a gateway in front of the service has refused it. Use a key with \
         the permission.",
    )
}

/// 404.
fn not_found() -> Advice {
    Advice::new(
        "The service does not have this object, or `base_url` leads elsewhere. Check the IDs, and the region and path \
         prefix of `base_url`; the provider adds /api/v1 itself.",
    )
}

/// 405 or 501.
fn not_offered() -> Advice {
    Advice::new("The service does not offer this operation.")
}

/// 429.
fn throttled() -> Advice {
    Advice::new(
        "The service limits requests. Run Terraform again later, with a lower `-parallelism`, or raise \
         `max_retry_wait`.",
    )
}

/// 3xx.
fn redirected() -> Advice {
    Advice::new(
        "The provider never follows redirects, so the API key is sent to `base_url` alone. If the service has moved, \
         set `base_url` to its new base address, without /api/v1.",
    )
}

/// A body that is not the documented one.
fn unreadable() -> Advice {
    Advice::new(
        "The response does not have the documented form. Check that `base_url` leads to the service itself; \
         TF_LOG_PROVIDER=TRACE logs the body.",
    )
}

/// A body, or a list, that is larger than the provider reads.
fn too_large() -> Advice {
    Advice::new(
        "The provider reads no more than this. Use resources and data sources for single objects, which are read one \
         by one, or report the list to the service's operators.",
    )
}

/// TLS: the certificate.
fn certificate() -> Advice {
    Advice::new(
        "The certificate was refused. Check the host of `base_url`. If a private authority signed the certificate, set \
         `ca_file` to the authority's PEM file. Certificate checks cannot be turned off.",
    )
}

/// TLS: the server uses the certificate of an authority.
fn certificate_of_authority() -> Advice {
    Advice::new(
        "The server uses the certificate of an authority as its own, as `openssl req -x509` makes it, and that is \
         refused whether `ca_file` contains it or not. Have the authority issue a certificate for the host, give the \
         server that one, and set `ca_file` to the authority's PEM file.",
    )
}

/// TLS: there is none.
fn not_tls() -> Advice {
    Advice::new(
        "The server does not use TLS, so no request was sent. Check the scheme and the port of `base_url`; `http` is \
         for loopback hosts only.",
    )
}

/// The proxy.
fn proxy() -> Advice {
    Advice::new(
        "There is no connection through the proxy. Check the proxy variable and its credentials, or add the host of \
         `base_url` to NO_PROXY.",
    )
}

/// No response.
fn unreachable() -> Advice {
    Advice::new(
        "The service could not be reached, or did not respond in time. Check host, port and scheme of `base_url`, the \
         proxy settings and `request_timeout`, and run Terraform again.",
    )
}

/// An interrupt.
fn interrupted() -> Advice {
    Advice::new("Terraform was interrupted. Run it again.")
}

/// Arguments of the provider are unknown.
fn argument_unknown() -> Advice {
    Advice::new("Use known values, or apply what they come from first (`-target`).")
}

/// 5xx.
fn server_failed() -> Advice {
    Advice::new(
        "The service failed. Run Terraform again, and report the failure to the service's operators if it persists.",
    )
}

/// 409, and any other 4xx.
fn refused() -> Advice {
    Advice::new(
        "The service did not accept the request. Correct what its message names, and run Terraform again.",
    )
}

/// The same without a message.
fn refused_without_a_reason() -> Advice {
    Advice::new(
        "The service did not accept the request, and gave no reason. TF_LOG_PROVIDER=TRACE logs both bodies for the \
         service's operators.",
    )
}
