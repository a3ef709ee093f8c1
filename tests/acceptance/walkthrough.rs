//! The documentation as its readers use it: shell blocks are pasted, blocks of configuration are
//! validated or applied, and the pipelines are run step by step.
#![cfg(unix)]

mod blocks;
mod configurations;
mod flows;
mod output;
pub(super) mod paste;
mod pipeline;
mod shells;
