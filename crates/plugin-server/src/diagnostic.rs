//! Diagnostics of this crate, and the conversion of all diagnostics to messages of the protocol.
//!
//! tf-provider's constructors are not used, because they append a backtrace to the detail if
//! `RUST_BACKTRACE` is set.

use std::borrow::Cow;

use tf_provider::{AttributePath, AttributePathStep, Diagnostic, Diagnostics};

use crate::pb::tfplugin6 as pb;
use crate::wire::Fault;

/// The last sentence of an error that only a bug in the provider can cause.
pub(crate) const BUG: &str = "This is a bug in the provider, please report it to its maintainers.";

/// The text of a diagnostic.
pub(crate) type Text = Cow<'static, str>;

/// Returns a diagnostic without a backtrace. An empty path is no attribute.
pub(crate) fn diagnostic(
    summary: impl Into<Text>,
    detail: impl Into<Text>,
    attribute: AttributePath,
) -> Diagnostic {
    Diagnostic { summary: summary.into(), detail: detail.into(), attribute }
}

/// Adds an error without an attribute.
pub(crate) fn error(diags: &mut Diagnostics, summary: impl Into<Text>, detail: impl Into<Text>) {
    diags.errors.push(diagnostic(summary, detail, AttributePath::default()));
}

/// Adds an error for each fault. `lead` names the value, such as "The planned state", and `end` is
/// the last sentence.
pub(crate) fn faults(
    diags: &mut Diagnostics,
    summary: &'static str,
    lead: &str,
    found: Vec<Fault>,
    end: &str,
) {
    diags.errors.extend(found.into_iter().map(|Fault { path, what }| {
        let at = if path.steps.is_empty() { String::new() } else { format!(", attribute {path}") };
        diagnostic(summary, format!("{lead}{at}: {what}. {end}").trim_end().to_owned(), path)
    }));
}

/// Converts diagnostics to messages: errors first, then warnings.
pub(crate) fn to_wire(diags: Diagnostics) -> Vec<pb::Diagnostic> {
    use pb::diagnostic::Severity;
    let convert = |severity: Severity| {
        move |diagnostic: Diagnostic| pb::Diagnostic {
            severity: severity.into(),
            summary: diagnostic.summary.into_owned(),
            detail: diagnostic.detail.into_owned(),
            attribute: (!diagnostic.attribute.steps.is_empty())
                .then(|| path_to_wire(diagnostic.attribute)),
        }
    };
    let errors = diags.errors.into_iter().map(convert(Severity::Error));
    errors.chain(diags.warnings.into_iter().map(convert(Severity::Warning))).collect()
}

pub(crate) fn path_to_wire(path: AttributePath) -> pb::AttributePath {
    use pb::attribute_path::{Step, step::Selector};
    let steps = path.steps.into_iter().map(|step| Step {
        selector: Some(match step {
            AttributePathStep::Attribute(name) => Selector::AttributeName(name.into_owned()),
            AttributePathStep::Key(key) => Selector::ElementKeyString(key.into_owned()),
            AttributePathStep::Index(index) => Selector::ElementKeyInt(index),
        }),
    });
    pb::AttributePath { steps: steps.collect() }
}
