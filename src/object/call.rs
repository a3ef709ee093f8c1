//! One call of Terraform for one object: the run, the operation as messages name it, and the diagnostics.
//!
//! Inside this crate a method that has added an error returns [`Reported`]. Methods of tf-provider's
//! traits turn it into `None`.

use access_client::{Error, ErrorKind};
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use crate::service::{Connection, Contradiction, Notice, Run};

use super::messages::{contradiction, next_step};

/// An error was added to the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A warning or an error.
pub(crate) struct Message {
    summary: String,
    attribute: Option<&'static str>,
    detail: String,
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

/// An operation on an object, as messages name it.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// "create", "read", "update", "delete", "import", "list", "plan".
    pub(crate) verb: &'static str,
    /// "listing role", "integration owner".
    pub(crate) kind: &'static str,
    /// The object's name, as the service writes it.
    pub(crate) object: String,
}

impl Operation {
    /// Returns the summary: "Could not update listing role".
    pub(crate) fn summary(&self) -> String {
        format!("Could not {} {}", self.verb, self.kind)
    }
}

/// What the message about a failed request adds to the response.
#[derive(Default)]
pub(crate) struct Advice {
    /// The attribute to blame.
    pub(crate) attribute: Option<&'static str>,
    /// The next step. `None` if the status alone determines it.
    pub(crate) next: Option<String>,
    /// What handles all objects that fail for the same reason, for the messages in one line.
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

/// One call of Terraform.
pub(crate) struct Call<'a> {
    pub(crate) run: &'a Run,
    pub(crate) operation: Operation,
    pub(crate) diags: &'a mut Diagnostics,
}

/// The number of errors of one cause that are complete. Terraform does not fold errors.
const COMPLETE_ERRORS: usize = 3;

impl<'a> Call<'a> {
    /// Returns a call for an object.
    pub(crate) fn new(
        run: &'a Run,
        verb: &'static str,
        kind: &'static str,
        object: impl ToString,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self { run, operation: Operation { verb, kind, object: object.to_string() }, diags }
    }

    /// Returns the same call for another object, in the same operation.
    pub(crate) fn of(&mut self, object: impl ToString) -> Call<'_> {
        let operation = Operation { object: object.to_string(), ..self.operation.clone() };
        Call { run: self.run, operation, diags: self.diags }
    }

    /// Adds an error.
    pub(crate) fn fail(&mut self, message: Message) -> Reported {
        message.fail(self.diags)
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, message: Message) {
        message.warn(self.diags);
    }

    /// Adds a warning if it is the first of this cause in the run.
    pub(crate) fn warn_once(&mut self, notice: Notice, message: Message) {
        if self.run.notices.is_first(notice) {
            self.warn(message);
        }
    }

    /// Adds the error of two plans that contradict each other. `attribute` names the object.
    pub(crate) fn agree(
        &mut self,
        planned: Result<(), Contradiction>,
        resource_type: &str,
        attribute: &'static str,
    ) -> Result<(), Reported> {
        planned.map_err(|found| {
            let object = self.run.at(&self.operation.object);
            self.fail(
                contradiction(&found, resource_type, self.operation.kind, &object).at(attribute),
            )
        })
    }

    /// Adds the error of a failed request, for which the status alone determines what to do.
    pub(crate) fn failed(&mut self, error: &Error) -> Reported {
        self.failed_with(error, Advice::default())
    }

    /// Adds the error of a failed request. The first errors of a cause are complete, the others are one
    /// line each.
    pub(crate) fn failed_with(&mut self, error: &Error, advice: Advice) -> Reported {
        let summary = self.operation.summary();
        let (notice, complete) = match error.shared_cause() {
            Some(cause) => (Notice::SharedFailure(cause), 1),
            None => {
                // The service does not offer the operation, for any object.
                let complete =
                    if error.kind() == ErrorKind::NotImplemented { 1 } else { COMPLETE_ERRORS };
                (Notice::Failure(summary.clone(), error.status()), complete)
            }
        };
        let message = if self.run.notices.count(notice) < complete {
            let next = advice.next.unwrap_or_default();
            let next = next_step(error, &next);
            Message::new(summary, format!("{}: {error}.\n\n{next}", self.operation.object))
        } else {
            let for_all = advice.for_all.map_or_else(String::new, |text| format!(" ({text})"));
            Message::new(
                format!(
                    "{summary} {}: {} at {}{for_all}",
                    self.operation.object,
                    error.brief(),
                    error.base_url()
                ),
                "",
            )
        };
        self.fail(Message { attribute: advice.attribute, ..message })
    }
}

/// Returns the run of a configured provider, or adds an error. Adds none if the call is deferred.
pub(crate) fn require_run(
    connection: &Connection,
    verb: &'static str,
    kind: &'static str,
    diags: &mut Diagnostics,
) -> Option<std::sync::Arc<Run>> {
    match connection.require() {
        Ok(run) => Some(run),
        Err(detail) => {
            if let Some(detail) = detail {
                Message::new(format!("Could not {verb} {kind}"), detail).fail(diags);
            }
            None
        }
    }
}
