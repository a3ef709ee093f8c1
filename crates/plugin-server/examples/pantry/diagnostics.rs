//! Errors for the user.

use tf_provider::{AttributePath, Diagnostic, Diagnostics};

/// Adds an error at an attribute, or without one if `attribute` is empty.
pub(crate) fn fail(
    diags: &mut Diagnostics,
    summary: &'static str,
    detail: String,
    attribute: &'static str,
) {
    let attribute =
        if attribute.is_empty() { AttributePath::default() } else { AttributePath::new(attribute) };
    diags.errors.push(Diagnostic { summary: summary.into(), detail: detail.into(), attribute });
}
