//! What `cargo xtask docs` does with the pages.

/// Whether pages are written or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Write them.
    Write,
    /// Compare them with `docs/`.
    Check,
}
