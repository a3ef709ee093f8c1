//! Diagnostics of failed API calls: the operation, the response of the service, and the next step.

use std::fmt;

use access_client::{Error, ErrorKind};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::Object;
use crate::hcl::quoted;
use crate::service::Service;

/// The advice for a 403 whose body is not a JSON object.
const GATEWAY_ADVICE: &str = "The response does not look like the service's own: a gateway or proxy \
    may have refused the request. Check `base_url` and the gateways in front of the service.";

/// An operation on an object, as diagnostics name it.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    /// The verb: "create", "read", "update", "delete", "import", "list", "plan".
    pub(crate) verb: &'static str,
    /// The kind of object: "listing role", "integration owner".
    pub(crate) kind: &'static str,
    /// The object's name, as the service writes it.
    pub(crate) name: &'a (dyn fmt::Display + Sync),
}

impl Operation<'_> {
    /// Returns the summary: "Could not update listing role".
    pub(crate) fn summary(&self) -> String {
        format!("Could not {} {}", self.verb, self.kind)
    }

    /// Adds the error of a failed call. `next_step` replaces the advice that the status alone
    /// determines. If an earlier object met the same cause, one line refers to its error.
    pub(crate) fn failed(
        &self,
        service: &Service,
        error: &Error,
        next_step: Option<String>,
        attribute: Option<&'static str>,
        diags: &mut Diagnostics,
    ) {
        match error.shared_cause() {
            Some(cause) if !service.shared_failures.record(cause) => {
                diags.report_attribute_error(attribute, self.summary(), self.repeated(error));
            }
            _ => diags.report_attribute_error(
                attribute,
                self.summary(),
                self.detail(error, next_step),
            ),
        }
    }

    /// Adds the error of a failed call for which the status alone determines what to do.
    pub(crate) fn failed_by_status(
        &self,
        service: &Service,
        error: &Error,
        diags: &mut Diagnostics,
    ) {
        self.failed(service, error, None, None, diags);
    }

    /// Adds the error of a failed read that keeps the state. If an earlier object met the same
    /// cause, which fails the run, this one is a warning, which Terraform folds into one.
    pub(crate) fn failed_to_refresh(
        &self,
        service: &Service,
        error: &Error,
        next_step: Option<String>,
        diags: &mut Diagnostics,
    ) {
        match error.shared_cause() {
            Some(cause) if !service.shared_failures.record(cause) => {
                let summary = format!("{} as well", self.summary());
                diags.report_warning(summary, self.repeated(error));
            }
            _ => {
                diags.report_error(self.summary(), self.detail(error, next_step));
            }
        }
    }

    fn detail(&self, error: &Error, next_step: Option<String>) -> String {
        let next_step = self::next_step(error, &next_step.unwrap_or_default());
        format!("{}: {error}.\n\n{next_step}", self.name)
    }

    fn repeated(&self, error: &Error) -> String {
        format!(
            "{}: {} (at {}). The first error with this cause has the details.",
            self.name,
            error.brief(),
            error.base_url()
        )
    }
}

/// Returns the block that imports an object.
pub(crate) fn import_block(resource_type: &str, id: &dyn fmt::Display) -> String {
    let id = quoted(&id.to_string());
    format!("  import {{\n    to = {resource_type}.example\n    id = {id}\n  }}")
}

/// Returns the advice for objects if the service does not delete objects.
pub(crate) fn keep_object_advice(resource_type: &str, kind: &str) -> String {
    format!(
        "The {kind} and its state are kept. To stop managing it, set `deletion_policy = \
         \"abandon\"` on the resource (or on the provider) and apply, and then destroy it. Or \
         replace its resource block with\n\n  removed {{\n    from = {resource_type}.example\n    \
         lifecycle {{\n      destroy = false\n    }}\n  }}\n\nor run `terraform state rm \
         '{resource_type}.example'`. Replace `example` with the name of this resource, and leave \
         other resources for the same {kind} alone. For a deposed object (Terraform prints \
         \"deposed\" with the address), only the deletion policy of the provider helps: run the \
         apply once with `ACCESS_DELETION_POLICY=abandon`."
    )
}

/// Adds the error of an import ID that names no object.
pub(crate) fn report_import_id<O: Object>(id: &str, diags: &mut Diagnostics) {
    diags.report_error(
        format!("Could not import {}", O::KIND),
        format!(
            "The import ID {id:?} has neither the form `{}` nor the two IDs with a slash between \
             them.",
            O::NAME_FORM
        ),
    );
}

/// Adds the error of a state without a valid name.
pub(crate) fn report_invalid_state(kind: &str, diags: &mut Diagnostics) {
    diags.report_error(
        format!("Invalid state of {kind}"),
        "The state does not contain a valid name. It may have been edited. Remove it with \
         `terraform state rm` and import the object again.",
    );
}

/// Returns the next step after a failed request: `own`, or if that is empty what the status alone
/// determines.
pub(crate) fn next_step(error: &Error, own: &str) -> String {
    let next = if own.is_empty() { next_step_of(error) } else { own.to_owned() };
    // The API document does not show the bodies of errors: the service may send text as well.
    if error.kind() == ErrorKind::Forbidden && !error.is_from_service() {
        return format!("{GATEWAY_ADVICE} If it is the service: {next}");
    }
    next
}

/// Returns the advice that the status alone determines.
fn next_step_of(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Unauthorized => "The API key is missing or not valid there. Check `api_key` \
            or `api_key_file` (or ACCESS_API_KEY, ACCESS_API_KEY_FILE), and that `base_url` names \
            the region that issued the key."
            .to_owned(),
        ErrorKind::Forbidden => "This API key is not allowed to do this. Use a key with the \
            permission, or have the permission granted."
            .to_owned(),
        ErrorKind::NotFound { json: true } => "The service does not have this object. Check the \
            identifiers, and that `base_url` names the right region."
            .to_owned(),
        ErrorKind::NotFound { json: false } => "The response does not look like the service's \
            own. Check `base_url`: the region and the path prefix. The provider adds /api/v1 \
            itself."
            .to_owned(),
        ErrorKind::NotImplemented => "The service does not offer this operation.".to_owned(),
        ErrorKind::TooManyRequests { .. } => "The service limits requests. Wait and run Terraform \
            again, lower `-parallelism`, set `max_requests_per_second`, or raise \
            `max_retry_wait`."
            .to_owned(),
        ErrorKind::Redirect => "The provider never follows redirects, so that the API key is sent \
            to `base_url` alone. Set `base_url` to the final address."
            .to_owned(),
        ErrorKind::Unreadable => "The response does not have the documented form. Check that \
            `base_url` leads to the service itself. TF_LOG_PROVIDER=TRACE logs the body."
            .to_owned(),
        ErrorKind::Certificate => "The certificate was refused. If a private authority signed it, \
            set `ca_file` to the authority's PEM file. Certificate checks cannot be turned off."
            .to_owned(),
        ErrorKind::NotTls => {
            "The response is not TLS, so no request was sent. Check the scheme and the \
            port of `base_url`. The provider accepts `http` for loopback hosts only."
                .to_owned()
        }
        ErrorKind::Proxy { .. } => "The proxy refused the connection. Check the proxy variable \
            and its credentials, or add the host of `base_url` to NO_PROXY."
            .to_owned(),
        ErrorKind::Unreachable => "The service could not be reached or did not respond in time. \
            Check host, port and scheme of `base_url`, the proxy settings and `request_timeout`, \
            and run Terraform again."
            .to_owned(),
        ErrorKind::Interrupted => "Terraform was interrupted. Run it again.".to_owned(),
        ErrorKind::Server => "The service failed. The configuration does not need to change: run \
            Terraform again, and report the failure to the service's operators if it persists."
            .to_owned(),
        _ => "The service did not accept the request. Correct what its message names, and run \
            Terraform again."
            .to_owned(),
    }
}
