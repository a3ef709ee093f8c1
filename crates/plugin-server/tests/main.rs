//! The crate as hosts see it: by a client that behaves as go-plugin does, and by Terraform itself.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, like the tests themselves"
)]

mod generated_code;
mod suite;
