//! The messages and services of the protocol, generated from `proto/` by `tests/generated_code.rs`.

#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    rust_2018_idioms,
    clippy::all,
    clippy::str_to_string,
    clippy::use_self,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]

#[rustfmt::skip]
pub mod tfplugin6;

#[rustfmt::skip]
pub mod plugin;
