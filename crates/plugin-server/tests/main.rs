//! Tests of the crate with a client that behaves like go-plugin, and with Terraform itself.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod generated_code;
mod suite;
