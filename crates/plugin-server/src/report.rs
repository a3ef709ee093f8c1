//! Diagnostics for users.
//!
//! tf-provider's own methods append a backtrace to the detail if `RUST_BACKTRACE` is set.

use tf_provider::{AttributePath, Diagnostics};

use crate::diagnostic::{Text, diagnostic};

/// The name of an attribute, or a path to a nested one.
pub trait ToAttributePath {
    /// Returns the path.
    fn to_attribute_path(self) -> AttributePath;
}

impl ToAttributePath for AttributePath {
    fn to_attribute_path(self) -> AttributePath {
        self
    }
}

impl ToAttributePath for &'static str {
    fn to_attribute_path(self) -> AttributePath {
        AttributePath::new(self)
    }
}

/// `None` is the root. A diagnostic that no attribute has caused has this path.
impl<A: ToAttributePath> ToAttributePath for Option<A> {
    fn to_attribute_path(self) -> AttributePath {
        self.map_or_else(AttributePath::default, A::to_attribute_path)
    }
}

/// Adds diagnostics without backtraces.
///
/// ```
/// use plugin_server::Report;
/// use plugin_server::tf_provider::Diagnostics;
///
/// let mut diags = Diagnostics::default();
/// diags.report_error("Could not open the pantry", "The door is locked.");
/// diags.report_attribute_error("label", "Invalid label", "A label must not contain a slash.");
/// assert_eq!(diags.errors.len(), 2);
/// ```
pub trait Report {
    /// Adds an error that no attribute has caused.
    fn report_error(&mut self, summary: impl Into<Text>, detail: impl Into<Text>) {
        self.report_attribute_error(AttributePath::default(), summary, detail);
    }

    /// Adds an error at the attribute that has caused it.
    fn report_attribute_error(
        &mut self,
        attribute: impl ToAttributePath,
        summary: impl Into<Text>,
        detail: impl Into<Text>,
    );

    /// Adds a warning at the attribute that has caused it.
    fn report_attribute_warning(
        &mut self,
        attribute: impl ToAttributePath,
        summary: impl Into<Text>,
        detail: impl Into<Text>,
    );
}

impl Report for Diagnostics {
    fn report_attribute_error(
        &mut self,
        attribute: impl ToAttributePath,
        summary: impl Into<Text>,
        detail: impl Into<Text>,
    ) {
        self.errors.push(diagnostic(summary, detail, attribute.to_attribute_path()));
    }

    fn report_attribute_warning(
        &mut self,
        attribute: impl ToAttributePath,
        summary: impl Into<Text>,
        detail: impl Into<Text>,
    ) {
        self.warnings.push(diagnostic(summary, detail, attribute.to_attribute_path()));
    }
}
