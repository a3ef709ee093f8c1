//! What users read, copy and download: documents, examples, pipelines and releases, with a real terraform
//! and the local service.
//!
//! - `pages`: the documentation agrees with the code.
//! - `guides`: what guides show is what happens.
//! - `examples`, `team`, `testing`: the examples do what they say.
//! - `pipelines`, `workflows`: the scripts of users, and those of this repository.
//! - `installed`, `mirror`: a release is installed as users install it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod examples;
mod guides;
#[cfg(unix)]
mod installed;
#[cfg(target_os = "linux")]
mod mirror;
mod pages;
mod pipelines;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "other targets and platforms use the rest")]
mod support;
mod team;
mod testing;
mod workflows;
