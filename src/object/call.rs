//! A call of Terraform for an object: the run, the operation as messages name it, and the
//! diagnostics.
//!
//! Inside this crate a method that has added an error returns [`Reported`]. Methods of
//! tf-provider's traits turn it into `None`.

use access_client::{Error, ErrorKind};
use plugin_server::{CallContext, Report as _};
use serde::de::IgnoredAny;
use tf_provider::Diagnostics;

use super::message::{Advice, COMPLETE, Message, Reported, Words};
use super::next_step::by_status;
use crate::messages::reads::NotConfigured;
use crate::service::{Cause, Connection, Session};

/// One call of Terraform.
pub(crate) struct Call<'a> {
    pub(crate) session: &'a Session,
    /// "create", "read", "update", "delete", "import", "plan"; "list" and "export" for all objects
    /// of a parent.
    verb: &'static str,
    pub(crate) words: &'static Words,
    /// The kind of object, as the summary of an error names it.
    pub(crate) kind: &'static str,
    /// The object's name, as the service writes it.
    pub(crate) object: String,
    pub(crate) diags: &'a mut Diagnostics,
    /// Whether Terraform shows the messages of this call without a source line: those of a destroy.
    /// It folds only warnings that have a line.
    has_no_source: bool,
    /// Whether the object may be a deposed one: not if a replacement destroys it first.
    pub(crate) may_be_deposed: bool,
}

impl<'a> Call<'a> {
    /// Returns a call for an object. `object` is its full name or, for all objects of a parent,
    /// what messages call them.
    pub(crate) fn new(
        session: &'a Session,
        verb: &'static str,
        words: &'static Words,
        object: impl ToString,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let kind = if matches!(verb, "list" | "export") { words.kinds } else { words.kind };
        let object = object.to_string();
        Self {
            session,
            verb,
            words,
            kind,
            object,
            diags,
            has_no_source: false,
            may_be_deposed: true,
        }
    }

    /// Returns the call of a destroy, for which Terraform has no configuration. The first warning
    /// of a kind in a run speaks for all of them.
    pub(crate) fn without_source(self) -> Self {
        Self { has_no_source: true, ..self }
    }

    /// Returns this call for another object: the new one of a replacement, or one owner of a list.
    pub(crate) fn of(&mut self, object: impl ToString) -> Call<'_> {
        Call { object: object.to_string(), diags: self.diags, ..*self }
    }

    /// Returns this call with diagnostics of its own, for errors that the caller may turn into
    /// warnings.
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

    /// Adds an error: complete for the first objects with its cause, and otherwise in one line.
    pub(crate) fn fail(&mut self, message: impl Into<Message>) -> Reported {
        let message = message.into();
        let given = self.count(&message);
        let message = if given < message.complete { message } else { message.into_short() };
        message.fail(self.diags)
    }

    /// Adds a warning: complete for the first objects with its cause. The others are in one line,
    /// or in none if Terraform shows them without a source line.
    pub(crate) fn warn(&mut self, message: impl Into<Message>) {
        let message = message.into();
        let given = self.count(&message);
        if self.has_no_source && given > 0 {
            return;
        }
        let message = if given < message.complete { message } else { message.into_short() };
        message.warn(self.diags);
    }

    /// Returns how many other objects have reported a message of this family.
    fn count(&self, message: &Message) -> usize {
        let kind = if message.counts_all_kinds { "" } else { self.kind };
        self.session.causes.count(Cause::Declared(message.family, kind), &self.object)
    }

    /// Adds a warning if it is the first of its summary in the run.
    pub(crate) fn warn_once(&mut self, message: impl Into<Message>) {
        let message = message.into();
        self.warn_first(Cause::Warning(message.summary.clone()), message);
    }

    /// Adds a warning if it is the first of this cause in the run.
    pub(crate) fn warn_first(&mut self, cause: Cause, message: impl Into<Message>) {
        if self.session.causes.count(cause, &self.object) == 0 {
            self.warn(message);
        }
    }

    /// Adds a warning about an object, unless the refresh has added it, whose warnings Terraform
    /// discards before a `terraform destroy`.
    pub(crate) fn warn_again(&mut self, message: impl Into<Message>) {
        let message = message.into();
        // The refresh and the plan of one object are two calls: only the first of them warns.
        let cause = Cause::InEitherCall(message.summary.clone());
        if self.session.causes.is_first_call(cause, self.verb) {
            self.warn(message);
        }
    }

    /// Adds the error of a failed request, for which the status alone determines what to do.
    pub(crate) fn failed(&mut self, error: &Error) -> Reported {
        self.failed_with(error, by_status(error))
    }

    /// Adds the error of a failed request. The first errors of a cause are complete, the others are
    /// one line each.
    pub(crate) fn failed_with(&mut self, error: &Error, advice: impl Into<Advice>) -> Reported {
        let Advice { next, for_all, attribute } = advice.into();
        let summary = self.summary();
        let object = &self.object;
        let (cause, complete) = match error.shared_cause() {
            Some(cause) => (Cause::SharedFailure(cause), 1),
            None => {
                // The service does not offer the operation, for any object.
                let complete = if error.kind() == ErrorKind::NotImplemented { 1 } else { COMPLETE };
                (Cause::Failure(summary.clone(), error.status()), complete)
            }
        };
        if self.session.causes.count(cause, object) < complete {
            let detail = format!("{object}: {error}.\n\n{next}");
            self.diags.report_attribute_error(attribute, summary, detail);
            return Reported;
        }
        let for_all = for_all.or(by_status(error).for_all).unwrap_or_default();
        let brief = error.brief();
        let at = match error.base_url() {
            "" => String::new(),
            base_url => format!(" at {base_url}"),
        };
        let short = format!("{summary} {object}: {brief}{at} (for all: {for_all})");
        self.diags.report_attribute_error(attribute, short, "");
        Reported
    }
}

/// Returns the run of a configured provider, or adds an error. Adds none if the call is deferred.
/// `object` is the kind of object, with its name if a plan calls.
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
                let message = NotConfigured { verb: &verb, object: &object, reason: &detail };
                Message::from(message).fail(diags);
            }
            None
        }
    }
}

/// Returns whether this is the plan inside the apply of what was planned before. `false` up to
/// Terraform 1.15 and with OpenTofu, which do not tell.
pub(crate) fn was_planned() -> bool {
    let planned = |call: CallContext| call.planned_private::<IgnoredAny>();
    CallContext::current().and_then(planned).is_some()
}
