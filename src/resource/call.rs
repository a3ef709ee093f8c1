//! A call of Terraform for an object: the run, the operation as messages name it, and the diagnostics.
//!
//! Inside this crate a function that has added an error returns [`Reported`]. Methods of tf-provider's
//! traits turn it into `None`.

use std::sync::Arc;

use access_client::Error;
use tf_provider::Diagnostics;

use crate::run::{Configured, Run};
use crate::say::call::not_configured;
use crate::say::requests::by_status;
use crate::say::{About, Advice, Message, Reported, Words};

/// What Terraform asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Plan,
    Create,
    /// Of the state of a resource.
    Refresh,
    /// Of a data source.
    Data,
    Update,
    Delete,
    Import,
    /// `terraform query`.
    List,
}

impl Operation {
    /// Returns a message as this operation says it. Refreshes, import blocks and data sources are parts
    /// of a plan.
    fn says(self, message: Message) -> Message {
        match self {
            Self::Plan | Self::Refresh | Self::Import | Self::Data => message.of_plan(),
            Self::Create | Self::Update | Self::Delete | Self::List => message,
        }
    }

    /// Returns what an error says: "could not be created".
    pub(crate) fn failure(self) -> &'static str {
        match self {
            Self::Plan => "could not be planned",
            Self::Create => "could not be created",
            Self::Refresh | Self::Data => "could not be read",
            Self::Update => "could not be updated",
            Self::Delete => "could not be deleted",
            Self::Import => "could not be imported",
            Self::List => "could not be listed",
        }
    }
}

/// One call of Terraform.
pub(crate) struct Call<'a> {
    pub(crate) run: &'a Run,
    pub(crate) operation: Operation,
    pub(crate) words: &'static Words,
    /// The object's full name or, for all objects of a parent, what messages call them.
    pub(crate) object: String,
    /// A sentence that every error of the call adds; usually empty.
    remark: String,
    pub(crate) diags: &'a mut Diagnostics,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        run: &'a Run,
        operation: Operation,
        words: &'static Words,
        object: impl ToString,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self { run, operation, words, object: object.to_string(), remark: String::new(), diags }
    }

    /// Returns this call for another object: the new one of a replacement, or one owner of a list.
    pub(crate) fn of(&mut self, object: impl ToString) -> Call<'_> {
        let remark = self.remark.clone();
        Call { object: object.to_string(), remark, diags: self.diags, ..*self }
    }

    /// Returns this call with one more sentence that every error of it adds.
    pub(crate) fn with_remark(&mut self, remark: &str) -> Call<'_> {
        let remark = format!("{} {remark}", self.remark).trim().to_owned();
        Call { object: self.object.clone(), remark, diags: self.diags, ..*self }
    }

    /// Adds an error.
    pub(crate) fn fail(&mut self, message: Message) -> Reported {
        self.report(message, None);
        Reported
    }

    /// Adds the error of an object that the plan of a create has found. The first one ends the plan, and
    /// the others are a warning, after which the caller goes on.
    pub(crate) fn fold(&mut self, message: Message) -> Result<(), Reported> {
        if self.report(message, Some("create")) { Err(Reported) } else { Ok(()) }
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, message: Message) {
        self.report(message, None);
    }

    /// Adds a message. Returns whether it is an error.
    fn report(&mut self, message: Message, walk: Option<&'static str>) -> bool {
        let Self { run, operation, object, remark, diags, .. } = self;
        // An imported object is refreshed as well, and counts as an import.
        let is_refresh = *operation == Operation::Refresh && !run.plans.is_imported(object);
        let walk = walk.or(is_refresh.then_some("refresh")).filter(|_| !run.plans.have_ended());
        let about = About { object, base_url: run.base_url.as_deref(), remark, walk };
        run.said.report(operation.says(message), &about, diags)
    }

    /// Adds the error of a failed request, for which the status alone determines what to do.
    pub(crate) fn failed(&mut self, error: &Error) -> Reported {
        self.failed_with(error, by_status(error))
    }

    /// Adds the error of a failed request.
    pub(crate) fn failed_with(&mut self, error: &Error, advice: Advice) -> Reported {
        self.fail(Message::failed(self.operation.failure(), error, advice))
    }
}

/// Returns the run for an operation that needs the service, or adds an error. `object` is what the
/// operation is about.
pub(crate) fn require_run(
    configured: &Configured,
    operation: Operation,
    object: &str,
    diags: &mut Diagnostics,
) -> Option<Arc<Run>> {
    let refuse = |reason: String| {
        operation.says(not_configured(object, operation.failure(), &reason)).refuse(diags)
    };
    configured.require().map_err(refuse).ok()
}
