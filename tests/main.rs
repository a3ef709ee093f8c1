//! The integration tests of the real binary, called as users and Terraform call it.
//!
//! - `acceptance`: a real `terraform` (or `tofu`) against the local service. `TERRAFORM_BINARY`
//!   selects one; without any on PATH these tests fail.
//! - `protocol`: gRPC against the built binary, for requests that terraform does not send.
//! - `chaos`: random edits and kills, after which nothing is lost.
//! - `dependencies`: the dependencies between the crates are as designed.
//! - `support`: services, workspaces and outcomes for tests.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod acceptance;
mod chaos;
mod dependencies;
mod protocol;
#[allow(dead_code, reason = "another target uses the rest")]
mod support;
