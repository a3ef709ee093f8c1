//! The service over real connections, with a client that shares no code with it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests that fails is a test that fails"
)]

mod paused;
mod support;

mod deletes;
mod echo;
mod faults;
mod http2;
mod lag;
mod lists;
mod network;
mod owners;
mod roles;
mod spellings;
mod throttle;
