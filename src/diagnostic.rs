//! The only bridge from an API error to diagnostics.
//!
//! Diagnostics are put together here field by field: tf-provider's own constructors append a
//! backtrace to what users read wherever `RUST_BACKTRACE` is set.

use std::fmt;

use access_client::{Error, Meaning};
use tf_provider::{AttributePath, Diagnostic, Diagnostics};

use crate::plan;

/// Adds diagnostics without backtraces. The detail is shown to users as it is.
pub(crate) trait Report {
    /// An error, at an attribute where one is to blame.
    fn report_error(&mut self, summary: String, detail: String, attribute: Option<&'static str>);
    /// A warning, at an attribute where one is to blame.
    fn report_warning(&mut self, summary: String, detail: String, attribute: Option<&'static str>);
}

impl Report for Diagnostics {
    fn report_error(&mut self, summary: String, detail: String, attribute: Option<&'static str>) {
        self.errors.push(diagnostic(summary, detail, attribute));
    }

    fn report_warning(&mut self, summary: String, detail: String, attribute: Option<&'static str>) {
        self.warnings.push(diagnostic(summary, detail, attribute));
    }
}

fn diagnostic(summary: String, detail: String, attribute: Option<&'static str>) -> Diagnostic {
    Diagnostic {
        summary: summary.into(),
        detail: detail.into(),
        attribute: attribute.map_or_else(AttributePath::default, plan::path),
    }
}

/// What was tried, for the words of a diagnostic.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    /// The verb: "create", "read", "update", "delete", "import".
    pub(crate) verb: &'static str,
    /// What kind of object: "listing role", "integration owner".
    pub(crate) kind: &'static str,
    /// The object's name, as the service writes it.
    pub(crate) name: &'a (dyn fmt::Display + Sync),
}

impl Attempt<'_> {
    /// "Could not update listing role".
    pub(crate) fn summary(&self) -> String {
        format!("Could not {} {}", self.verb, self.kind)
    }

    /// The error of a failed call. `next` is what to do where this object knows better than the
    /// status alone says.
    pub(crate) fn failed(
        &self,
        error: &Error,
        next: Option<String>,
        attribute: Option<&'static str>,
        diags: &mut Diagnostics,
    ) {
        let next = next.unwrap_or_else(|| next_step(error));
        let detail = format!("{}: {error}.\n\n{next}", self.name);
        diags.report_error(self.summary(), detail, attribute);
    }
}

/// The block that imports an object.
pub(crate) fn import_block(resource_type: &str, id: &dyn fmt::Display) -> String {
    format!("  import {{\n    to = {resource_type}.example\n    id = \"{id}\"\n  }}")
}

/// The error of a list that failed. A service without lists is told by what can be done instead.
pub(crate) fn report_list_failure(
    attempt: &Attempt<'_>,
    error: &Error,
    resource_type: &str,
    diags: &mut Diagnostics,
) {
    let instead = format!(
        "What is to be managed can be imported by its name instead, with a block for each:\n\n{}",
        import_block(resource_type, &format!("{}/ID", attempt.name))
    );
    let next = match error.meaning() {
        Meaning::NotImplemented => Some(format!("The service does not offer lists. {instead}")),
        Meaning::NotFound { .. } => Some(format!(
            "Either it does not exist, or the key may not see it, or the service does not offer \
             lists. Check the ID and `base_url`. {instead}"
        )),
        _ => None,
    };
    attempt.failed(error, next, None, diags);
}

/// What to do with an object that the service cannot delete.
pub(crate) fn keep_it_advice(resource_type: &str, kind: &str) -> String {
    format!(
        "The service does not offer this operation: the {kind} stays, and so does its state. To \
         stop managing it, replace its resource block with\n\n  removed {{\n    from = \
         {resource_type}.example\n    lifecycle {{\n      destroy = false\n    }}\n  }}\n\nor run \
         `terraform state rm {resource_type}.example`, with its own address for the example."
    )
}

/// The error of an import ID that names nothing.
pub(crate) fn report_import_id(kind: &str, id: &str, form: &str, diags: &mut Diagnostics) {
    diags.report_error(
        format!("Could not import {kind}"),
        format!("The import ID {id:?} is not of the form `{form}`, nor its two IDs with a slash."),
        None,
    );
}

/// The error of a state that does not say which object it is of.
pub(crate) fn report_unnamed(kind: &str, diags: &mut Diagnostics) {
    diags.report_error(
        format!("Could not tell which {kind} this is"),
        "The state holds no valid name. It may have been edited: remove it with `terraform state \
         rm` and import the object anew."
            .to_owned(),
        None,
    );
}

/// What to do next, by what an answer means on its own.
fn next_step(error: &Error) -> String {
    match error.meaning() {
        Meaning::Unauthorized => "The key is missing or not valid there. Check `api_key` (or \
            ACCESS_API_KEY), and that `base_url` names the region that issued it."
            .to_owned(),
        Meaning::Forbidden if !error.is_of_the_service() => "The answer does not look like the \
            service's own: a gateway or proxy may have refused the request. Check `base_url` and \
            what stands before the service; if it is the service, the key lacks a permission."
            .to_owned(),
        Meaning::Forbidden => "The key is not allowed to do this. Use a key with that permission, \
            or have it granted."
            .to_owned(),
        Meaning::NotFound { json: true } => {
            "The service does not have it. Check the identifiers, and that `base_url` names the \
             right region."
                .to_owned()
        }
        Meaning::NotFound { json: false } => "The answer does not look like the service's own. \
            Check `base_url`: region and path prefix. The provider adds /api/v1 itself."
            .to_owned(),
        Meaning::NotImplemented => "The service does not offer this operation.".to_owned(),
        Meaning::TooManyRequests { .. } => "The service limits requests. Wait and run it again, \
            lower `-parallelism`, set `max_requests_per_second`, or raise `max_retry_wait`."
            .to_owned(),
        Meaning::Redirect => "Redirects are never followed, so that the key goes to `base_url` \
            alone. Set `base_url` to the final address."
            .to_owned(),
        Meaning::Unreadable => "The answer is not what the service documents. Check that \
            `base_url` leads to the service itself, and look at the body with TF_LOG_PROVIDER=TRACE."
            .to_owned(),
        Meaning::Certificate => "The certificate was refused. If a private authority signs it, \
            name its PEM file in `ca_file`; certificate checks cannot be turned off."
            .to_owned(),
        Meaning::Unreachable => "The service could not be reached or did not answer in time. \
            Check host, port and scheme of `base_url`, proxy settings and `request_timeout`, and \
            run it again."
            .to_owned(),
        Meaning::Interrupted => "Terraform was interrupted. Run it again.".to_owned(),
        Meaning::Server => "The service failed. Nothing needs to change in the configuration: \
            run it again, and report it to the service's operators if it stays."
            .to_owned(),
        _ => "The service did not accept the request. Correct what its message names, and run \
            it again."
            .to_owned(),
    }
}
