//! A warning or an error, before it is added to the diagnostics of a call.

use access_client::Error;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

/// `terraform destroy` plans the configuration first.
const DESTROY: &str = "`terraform destroy` works with `-refresh=false`.";

/// An error was added to the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// How a message is reported, and what remains of it after the complete ones of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The operation fails. Later ones are one line each.
    Error,
    /// The operation goes on. Later ones have a constant summary, which hosts fold to a count.
    Warning,
    /// A warning about whose an object is, or who stays in control. Later ones are one line each.
    Ownership,
    /// A warning about the run: a constant summary, once.
    Run,
}

/// What happened to an object, and what to do. The call that reports it knows the object.
pub(crate) struct Message {
    pub(super) severity: Severity,
    /// What happened, as the summary has it after the object: "exists already".
    pub(super) kind: String,
    /// What the summary adds: the response, or the attributes that change.
    pub(super) note: String,
    /// The part of the cause that counts as another kind: the status.
    pub(super) cause: String,
    /// What is known, and what was not done.
    pub(super) fact: String,
    pub(super) step: String,
    pub(super) attribute: Option<&'static str>,
    /// Whether a plan with `-refresh=false` that destroys everything does not meet this error.
    pub(super) spares_destroy: bool,
}

impl Message {
    fn new(severity: Severity, kind: impl Into<String>) -> Self {
        Self {
            severity,
            kind: kind.into(),
            note: String::new(),
            cause: String::new(),
            fact: String::new(),
            step: String::new(),
            attribute: None,
            spares_destroy: false,
        }
    }

    pub(crate) fn error(kind: impl Into<String>) -> Self {
        Self::new(Severity::Error, kind)
    }

    pub(crate) fn warning(kind: impl Into<String>) -> Self {
        Self::new(Severity::Warning, kind)
    }

    pub(crate) fn ownership(kind: impl Into<String>) -> Self {
        Self::new(Severity::Ownership, kind)
    }

    pub(crate) fn run(kind: impl Into<String>) -> Self {
        Self::new(Severity::Run, kind)
    }

    /// Returns the error of a failed request: `kind` is "could not be read".
    pub(crate) fn failed(kind: impl Into<String>, error: &Error, advice: Advice) -> Self {
        let message = Self::error(kind).note(error.cause()).fact(format!("{error}."));
        Self {
            cause: error.status().map_or_else(|| error.cause(), |status| status.to_string()),
            step: advice.step,
            attribute: advice.attribute,
            spares_destroy: advice.spares_destroy,
            ..message
        }
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    pub(crate) fn fact(self, fact: impl Into<String>) -> Self {
        Self { fact: sentence(fact.into()), ..self }
    }

    pub(crate) fn step(self, step: impl Into<String>) -> Self {
        Self { step: step.into(), ..self }
    }

    pub(crate) fn at(self, attribute: impl Into<Option<&'static str>>) -> Self {
        Self { attribute: attribute.into(), ..self }
    }

    /// Marks an error that `terraform destroy` does not meet with `-refresh=false`, because that does not
    /// plan the configuration.
    pub(crate) fn spares_destroy(self) -> Self {
        Self { spares_destroy: true, ..self }
    }

    /// Returns the error as a warning.
    pub(crate) fn into_warning(self) -> Self {
        Self { severity: Severity::Warning, spares_destroy: false, ..self }
    }

    /// Returns the message of a plan: it names the option by which it stops no destroy.
    pub(crate) fn of_plan(self) -> Self {
        if !self.spares_destroy {
            return self;
        }
        // Text does not continue the last line of a block.
        let step = match self.step.trim_end() {
            step if step.ends_with('}') => format!("{step}\n{DESTROY}"),
            step => format!("{step} {DESTROY}"),
        };
        Self { step, ..self }
    }

    /// Adds the error of a configuration, which is complete and names no object.
    pub(crate) fn refuse(self, diags: &mut Diagnostics) -> Reported {
        let detail = paragraphs(&self.fact, &self.step);
        diags.report_attribute_error(self.attribute, self.kind, detail);
        Reported
    }
}

/// The next step after a failed request, and the attribute to blame.
pub(crate) struct Advice {
    pub(crate) step: String,
    pub(crate) attribute: Option<&'static str>,
    pub(crate) spares_destroy: bool,
}

impl Advice {
    pub(crate) fn new(step: impl Into<String>) -> Self {
        Self { step: step.into(), attribute: None, spares_destroy: false }
    }

    /// Sets whether `terraform destroy` does not meet the error with `-refresh=false`.
    pub(crate) fn spares_destroy(self, spares_destroy: bool) -> Self {
        Self { spares_destroy, ..self }
    }

    pub(crate) fn at(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }

    /// Returns the advice with sentences in front of it.
    pub(crate) fn after(self, sentences: &str) -> Self {
        Self { step: format!("{sentences} {}", self.step).trim().to_owned(), ..self }
    }
}

/// Returns a text that begins with a capital letter, unless it begins with a name.
fn sentence(text: String) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    match text.get(..1) {
        Some(letter) if first.bytes().all(|byte| byte.is_ascii_lowercase()) => {
            format!("{}{}", letter.to_ascii_uppercase(), &text[1..])
        }
        _ => text,
    }
}

/// Joins the parts of a detail that are not empty, with an empty line between them, except after a block.
pub(super) fn paragraphs(fact: &str, step: &str) -> String {
    let parts = [fact.trim(), step.trim()];
    let between = if fact.ends_with('}') { "\n" } else { "\n\n" };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}
