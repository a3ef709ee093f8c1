//! A call of Terraform for an object: the run, the operation as messages name it, and the diagnostics.
//!
//! Inside this crate a method that has added an error returns [`Reported`]. Methods of tf-provider's
//! traits turn it into `None`.

use access_client::{Error, ErrorKind};
use plugin_server::CallContext;
use serde::de::IgnoredAny;
use tf_provider::Diagnostics;

use super::message::{Advice, COMPLETE, Message, Reported, Words};
use super::next_step::{next_step, step_for_all};
use crate::service::{Cause, Connection, Session};

/// One call of Terraform.
pub(crate) struct Call<'a> {
    pub(crate) session: &'a Session,
    /// "create", "read", "update", "delete", "import", "plan"; "list" and "export" for all objects of a parent.
    verb: &'static str,
    pub(crate) words: &'static Words,
    /// The kind of object, as the summary of an error names it.
    pub(crate) kind: &'static str,
    /// The object's name, as the service writes it.
    pub(crate) object: String,
    pub(crate) diags: &'a mut Diagnostics,
    /// Whether Terraform shows the messages of this call without a source line: those of a destroy. It folds
    /// only warnings that have a line.
    has_no_source: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        session: &'a Session,
        verb: &'static str,
        words: &'static Words,
        object: impl ToString,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let kind = if matches!(verb, "list" | "export") { words.kinds } else { words.kind };
        let object = object.to_string();
        Self { session, verb, words, kind, object, diags, has_no_source: false }
    }

    /// Returns the call of a destroy, for which Terraform has no configuration. The first warning of a kind
    /// in a run speaks for all of them.
    pub(crate) fn without_source(self) -> Self {
        Self { has_no_source: true, ..self }
    }

    pub(crate) fn of(&mut self, object: impl ToString) -> Call<'_> {
        Call { object: object.to_string(), diags: self.diags, ..*self }
    }

    pub(crate) fn reporting_to<'d>(&'d self, diags: &'d mut Diagnostics) -> Call<'d> {
        Call { object: self.object.clone(), diags, ..*self }
    }

    /// Returns the summary of an error: "Could not update listing role".
    pub(crate) fn summary(&self) -> String {
        format!("Could not {} {}", self.verb, self.kind)
    }

    /// Returns the object with the base address, as complete messages name it.
    pub(crate) fn located_object(&self) -> String {
        self.session.with_base_url(&self.object)
    }

    pub(crate) fn fail(&mut self, message: Message) -> Reported {
        message.fail(self.diags)
    }

    /// Adds an error whose cause may concern many objects: the first are complete, the others only have the
    /// short summary.
    pub(crate) fn fail_shortened(
        &mut self,
        cause: &str,
        message: Message,
        short: String,
    ) -> Reported {
        let cause = Cause::Shortened(self.kind, cause.to_owned());
        self.fail_after(COMPLETE, cause, message, short)
    }

    /// Adds an error whose next step is the same for all objects: only the first of a run is complete.
    pub(crate) fn fail_once(
        &mut self,
        cause: &'static str,
        message: Message,
        short: String,
    ) -> Reported {
        self.fail_after(1, Cause::Family(cause), message, short)
    }

    /// Adds an error: complete if fewer than `complete` others have this cause, and otherwise in one line.
    fn fail_after(
        &mut self,
        complete: usize,
        cause: Cause,
        message: Message,
        short: String,
    ) -> Reported {
        if self.session.causes.count(cause, &self.object) < complete {
            return self.fail(message);
        }
        self.fail(Message { summary: short, detail: String::new(), ..message })
    }

    pub(crate) fn warn(&mut self, message: Message) {
        self.warn_of_kind(message.summary.clone(), message);
    }

    /// Adds a warning. Without a source line, the first of a kind speaks for all of them.
    fn warn_of_kind(&mut self, kind: String, message: Message) {
        let folds = Cause::WithoutSource(kind);
        if !self.has_no_source || self.session.causes.count(folds, &self.object) == 0 {
            message.warn(self.diags);
        }
    }

    /// Adds a warning if it is the first of its summary in the run.
    pub(crate) fn warn_once(&mut self, message: Message) {
        self.warn_first(Cause::Warning(message.summary.clone()), message);
    }

    /// Adds a warning if it is the first of this cause in the run.
    pub(crate) fn warn_first(&mut self, cause: Cause, message: Message) {
        if self.session.causes.count(cause, &self.object) == 0 {
            self.warn(message);
        }
    }

    /// Adds a warning about an object, unless the refresh has added it, whose warnings Terraform discards
    /// before a `terraform destroy`.
    pub(crate) fn warn_again(&mut self, kind: &str, message: Message) {
        let cause = Cause::Warning(message.summary.clone());
        if self.session.causes.count(cause, self.verb) == 0 {
            self.warn_of_kind(kind.to_owned(), message);
        }
    }

    /// Adds the error of a failed request, for which the status alone determines what to do.
    pub(crate) fn failed(&mut self, error: &Error) -> Reported {
        self.failed_with(error, Advice::default())
    }

    /// Adds the error of a failed request. The first errors of a cause are complete, the others are one
    /// line each.
    pub(crate) fn failed_with(&mut self, error: &Error, advice: Advice) -> Reported {
        let (summary, object) = (self.summary(), &self.object);
        let (cause, complete) = match error.shared_cause() {
            Some(cause) => (Cause::SharedFailure(cause), 1),
            None => {
                // The service does not offer the operation, for any object.
                let complete = if error.kind() == ErrorKind::NotImplemented { 1 } else { COMPLETE };
                (Cause::Failure(summary.clone(), error.status()), complete)
            }
        };
        let for_all = advice.for_all.unwrap_or_else(|| step_for_all(error.kind()));
        let (brief, base_url) = (error.brief(), error.base_url());
        let short = format!("{summary} {object}: {brief} at {base_url} (for all: {for_all})");
        let next = next_step(error, &advice.next.unwrap_or_default());
        let detail = format!("{object}: {error}.\n\n{next}");
        let message = Message { summary, detail, attribute: advice.attribute };
        self.fail_after(complete, cause, message, short)
    }
}

/// Returns the run of a configured provider, or adds an error. Adds none if the call is deferred. `object` is the
/// kind of object, with its name if a plan calls.
pub(crate) fn require_session(
    connection: &Connection,
    verb: &'static str,
    object: &str,
    diags: &mut Diagnostics,
) -> Option<std::sync::Arc<Session>> {
    match connection.require() {
        Ok(session) => Some(session),
        Err(detail) => {
            if let Some(detail) = detail {
                Message::new(format!("Could not {verb} {object}"), detail).fail(diags);
            }
            None
        }
    }
}

/// Returns whether this is the plan inside the apply of what was planned before. `false` up to Terraform
/// 1.15 and with OpenTofu, which do not tell.
pub(crate) fn was_planned() -> bool {
    let planned = |call: CallContext| call.planned_private::<IgnoredAny>();
    CallContext::current().and_then(planned).is_some()
}
