//! The integration tests: the real binary, driven as users and Terraform drive it.
//!
//! - `acceptance`: a real `terraform` (or `tofu`) against the local service. `TERRAFORM_BINARY`
//!   chooses one; without any on PATH these tests fail.
//! - `protocol`: gRPC against the built binary, for what no terraform sends.
//! - `chaos`: random edits under faults and kills; what has to hold afterwards.
//! - `graphs`: random sequences of configurations, none of which may lose an object.
//! - `arrows`: the dependencies between the crates are as designed.
//! - `language`: the vocabulary of sources and documentation is that of the field.
//! - `pages`: what is written for people agrees with the code.
//! - `support`: the working directory of a test, what it runs, and what it reads from it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod acceptance;
mod arrows;
mod chaos;
mod graphs;
mod language;
mod pages;
mod protocol;
mod support;
