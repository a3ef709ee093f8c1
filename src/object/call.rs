//! One call of Terraform for one object: the run, the operation as messages name it, and the diagnostics.
//!
//! Inside this crate a method that has added an error returns [`Reported`]. Methods of tf-provider's
//! traits turn it into `None`.

use access_client::{Error, ErrorKind};
use tf_provider::Diagnostics;

use super::message::COMPLETE;
pub(crate) use super::message::{Advice, Message, Reported};
use super::next_step::next_step;
use crate::service::{Cause, Connection, Session};

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

/// One call of Terraform.
pub(crate) struct Call<'a> {
    pub(crate) session: &'a Session,
    pub(crate) operation: Operation,
    pub(crate) diags: &'a mut Diagnostics,
    /// Whether Terraform shows the messages of this call without a source line: those of a destroy. It folds
    /// only warnings that have a line.
    has_no_source: bool,
}

impl<'a> Call<'a> {
    /// Returns a call for an object.
    pub(crate) fn new(
        session: &'a Session,
        verb: &'static str,
        kind: &'static str,
        object: impl ToString,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let operation = Operation { verb, kind, object: object.to_string() };
        Self { session, operation, diags, has_no_source: false }
    }

    /// Returns the call of a destroy, for which Terraform has no configuration. The first warning of a kind
    /// in a run speaks for all of them.
    pub(crate) fn without_source(self) -> Self {
        Self { has_no_source: true, ..self }
    }

    /// Returns the same call for another object, in the same operation.
    pub(crate) fn of(&mut self, object: impl ToString) -> Call<'_> {
        let operation = Operation { object: object.to_string(), ..self.operation.clone() };
        Call {
            session: self.session,
            operation,
            diags: self.diags,
            has_no_source: self.has_no_source,
        }
    }

    /// Returns the same call with other diagnostics.
    pub(crate) fn reporting_to<'d>(&'d self, diags: &'d mut Diagnostics) -> Call<'d> {
        let operation = self.operation.clone();
        Call { session: self.session, operation, diags, has_no_source: self.has_no_source }
    }

    /// Adds an error.
    pub(crate) fn fail(&mut self, message: Message) -> Reported {
        message.fail(self.diags)
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, message: Message) {
        let folds = Cause::WithoutSource(message.summary.clone());
        if !self.has_no_source || self.session.causes.is_first(folds, &self.operation.object) {
            message.warn(self.diags);
        }
    }

    /// Adds a warning if it is the first of this cause in the run.
    pub(crate) fn warn_once(&mut self, cause: Cause, message: Message) {
        if self.session.causes.is_first(cause, &self.operation.object) {
            self.warn(message);
        }
    }

    /// Adds a warning about an object, unless the refresh has said it, which Terraform discards before a
    /// `terraform destroy`. Without a source line, the first warning of a kind speaks for all of them.
    pub(crate) fn warn_again(&mut self, cause: Cause, kind: &str, message: Message) {
        let causes = &self.session.causes;
        if !causes.is_first(cause, self.operation.verb) {
            return;
        }
        let of_kind = Cause::WithoutSource(kind.to_owned());
        if !self.has_no_source || causes.is_first(of_kind, &self.operation.object) {
            message.warn(self.diags);
        }
    }

    /// Returns what this run has deleted before a create that fails.
    fn deleted_before(&self) -> Option<String> {
        let Operation { verb, object, .. } = &self.operation;
        let collection = if object.starts_with("listings/") { "listings" } else { "integrations" };
        self.session.writes.describe_deleted(collection).filter(|_| *verb == "create")
    }

    /// Adds the error of a failed request, for which the status alone determines what to do.
    pub(crate) fn failed(&mut self, error: &Error) -> Reported {
        self.failed_with(error, Advice::default())
    }

    /// Adds the error of a failed request. The first errors of a cause are complete, the others are one
    /// line each.
    pub(crate) fn failed_with(&mut self, error: &Error, advice: Advice) -> Reported {
        let summary = self.operation.summary();
        let (cause, complete) = match error.shared_cause() {
            Some(cause) => (Cause::SharedFailure(cause), 1),
            None => {
                // The service does not offer the operation, for any object.
                let complete = if error.kind() == ErrorKind::NotImplemented { 1 } else { COMPLETE };
                (Cause::Failure(summary.clone(), error.status()), complete)
            }
        };
        let message = if self.session.causes.count(cause, &self.operation.object) < complete {
            let next = advice.next.unwrap_or_default();
            let next = next_step(error, &next);
            let gone = self.deleted_before().map_or_else(String::new, |gone| format!(" {gone}"));
            Message::new(summary, format!("{}: {error}.\n\n{next}{gone}", self.operation.object))
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
pub(crate) fn require_session(
    connection: &Connection,
    verb: &'static str,
    kind: &'static str,
    diags: &mut Diagnostics,
) -> Option<std::sync::Arc<Session>> {
    match connection.require() {
        Ok(session) => Some(session),
        Err(detail) => {
            if let Some(detail) = detail {
                Message::new(format!("Could not {verb} {kind}"), detail).fail(diags);
            }
            None
        }
    }
}
