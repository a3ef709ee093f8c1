//! The documentation as its readers use it: shell blocks are pasted, blocks of configuration are
//! validated or applied, and the pipelines are run step by step.
#![cfg(unix)]

pub(super) mod blocks;
mod configurations;
mod flows;
mod output;
pub(super) mod paste;
mod pipeline;
pub(super) mod shells;

/// The role that pages refer to.
pub(super) const VIEWER: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}
";
