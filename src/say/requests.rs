//! The next step after a failed request, as far as the status alone determines it.

use access_client::{Error, ErrorKind};

use super::message::Advice;

/// Returns what to do after a failed request.
pub(crate) fn by_status(error: &Error) -> Advice {
    Advice::new(match error.kind() {
        ErrorKind::Unauthorized => {
            "The API key is missing or not valid there. Check `api_key` (or ACCESS_API_KEY), and that `base_url` names \
             the region that issued the key."
        }
        ErrorKind::Forbidden => {
            "This API key is not allowed to do this, or a gateway in front of the service has refused it. Use a key \
             with the permission."
        }
        ErrorKind::NotFound => {
            "The service does not have this object, or `base_url` leads elsewhere. Check the IDs, and the region and \
             path prefix of `base_url`; the provider adds /api/v1 itself."
        }
        ErrorKind::NotImplemented => "The service does not offer this operation.",
        ErrorKind::TooManyRequests => {
            "The service limits requests. Run Terraform again later, with a lower `-parallelism`, or raise \
             `max_retry_wait`."
        }
        ErrorKind::Redirect => {
            "The provider never follows redirects, so the API key is sent to `base_url` alone. If the service has \
             moved, set `base_url` to its new base address, without /api/v1."
        }
        ErrorKind::Unreadable => {
            "The response does not have the documented form. Check that `base_url` leads to the service itself; \
             TF_LOG_PROVIDER=TRACE logs the body."
        }
        ErrorKind::TooLarge => {
            "The provider reads no more than this. Use resources and data sources for single objects, which are read \
             one by one, or report the list to the service's operators."
        }
        ErrorKind::Certificate { is_authority: false } => {
            "Check the host of `base_url`. If a private authority signed the certificate, set `ca_file` to the \
             authority's PEM file."
        }
        ErrorKind::Certificate { is_authority: true } => {
            "The server uses the certificate of an authority as its own, which is refused whether `ca_file` contains \
             it or not. Have the authority issue a certificate for the host, give the server that one, and set \
             `ca_file` to the authority's PEM file."
        }
        ErrorKind::NotTls => {
            "No request was sent. Check the scheme and the port of `base_url`; `http` is for loopback hosts only."
        }
        ErrorKind::Proxy { .. } => {
            "There is no connection through the proxy. Check the proxy variable and its credentials, or add the host \
             of `base_url` to NO_PROXY."
        }
        ErrorKind::Unreachable => {
            "Check host, port and scheme of `base_url`, and the proxy settings."
        }
        ErrorKind::NoResponse => {
            "Run Terraform again. If the service needs longer, raise `request_timeout`."
        }
        ErrorKind::Interrupted => "Terraform was interrupted. Run it again.",
        ErrorKind::SettingsUnknown => {
            "Use known values, or apply what they come from first (`-target`)."
        }
        ErrorKind::Server => {
            "The service failed. Run Terraform again, and report the failure to the service's operators if it persists."
        }
        // 409, and any other 4xx.
        _ if error.message().is_empty() => {
            "The service did not accept the request, and gave no reason. TF_LOG_PROVIDER=TRACE logs both bodies for \
             the service's operators."
        }
        _ => {
            "The service did not accept the request. Correct what its message names, and run Terraform again."
        }
    })
}
