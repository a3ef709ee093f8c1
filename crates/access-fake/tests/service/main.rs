//! The documented calls, and what the tests of the provider rely on: the settings and the faults.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests that fails is a test that fails"
)]

mod support;

mod connections;
mod faults;
mod owners;
mod roles;
mod settings;
