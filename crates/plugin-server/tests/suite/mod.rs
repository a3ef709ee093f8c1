//! The tests, with a file for each subject.

mod handshake;
mod lifecycle;
mod plans;
mod resource_traits;
mod security;
mod speed;
mod support;
mod terraform;
mod values;

#[path = "../probe/provider.rs"]
mod probe;
