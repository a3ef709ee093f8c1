//! Adds errors and warnings to tf-provider's diagnostics.
//!
//! Diagnostics are built here field by field: tf-provider's own constructors append a backtrace to
//! what users read if `RUST_BACKTRACE` is set, as it is in many pipelines.

use plugin_server::Report as _;
use tf_provider::Diagnostics;

/// Adds diagnostics without backtraces. Users read the detail as it is.
pub(crate) trait Report {
    /// Adds an error, at the attribute that causes it if there is one.
    fn report_error(
        &mut self,
        summary: impl Into<String>,
        detail: impl Into<String>,
        attribute: Option<&'static str>,
    );
    /// Adds a warning, at the attribute that it is about if there is one.
    fn report_warning(
        &mut self,
        summary: impl Into<String>,
        detail: impl Into<String>,
        attribute: Option<&'static str>,
    );
}

impl Report for Diagnostics {
    fn report_error(
        &mut self,
        summary: impl Into<String>,
        detail: impl Into<String>,
        attribute: Option<&'static str>,
    ) {
        self.report_attribute_error(attribute, summary.into(), detail.into());
    }

    fn report_warning(
        &mut self,
        summary: impl Into<String>,
        detail: impl Into<String>,
        attribute: Option<&'static str>,
    ) {
        self.report_attribute_warning(attribute, summary.into(), detail.into());
    }
}
