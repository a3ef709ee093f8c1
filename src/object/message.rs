//! A warning or an error, before it is added to the diagnostics of a call.

use plugin_server::Report as _;
use tf_provider::Diagnostics;

/// The number of messages of one cause that are complete. The others are one line each, because Terraform
/// does not fold errors, nor warnings that name their object.
pub(crate) const COMPLETE: usize = 3;

/// An error was added to the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A warning or an error.
pub(crate) struct Message {
    pub(crate) summary: String,
    pub(crate) attribute: Option<&'static str>,
    pub(crate) detail: String,
}

impl Message {
    /// Returns a message without an attribute. A summary that names its object is shown for each object.
    /// Terraform folds warnings with one summary.
    pub(crate) fn new(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { summary: summary.into(), attribute: None, detail: detail.into() }
    }

    /// Returns the message at the attribute to blame.
    pub(crate) fn at(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }

    /// Adds the message as an error.
    pub(crate) fn fail(self, diags: &mut Diagnostics) -> Reported {
        diags.report_attribute_error(self.attribute, self.summary, self.detail);
        Reported
    }

    /// Adds the message as a warning.
    pub(crate) fn warn(self, diags: &mut Diagnostics) {
        diags.report_attribute_warning(self.attribute, self.summary, self.detail);
    }
}

/// What the message about a failed request adds to the response.
#[derive(Default)]
pub(crate) struct Advice {
    /// The attribute to blame.
    pub(crate) attribute: Option<&'static str>,
    /// The next step. `None` if the status alone determines it.
    pub(crate) next: Option<String>,
    /// A command for all objects with this failure; shown in one-line messages.
    pub(crate) for_all: Option<&'static str>,
}

impl Advice {
    /// Returns the advice with this next step.
    pub(crate) fn next(next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..Self::default() }
    }

    /// Returns the advice at the attribute to blame.
    pub(crate) fn at(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }
}
