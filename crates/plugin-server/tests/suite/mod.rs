//! The tests, with a file for each subject.

mod actions;
mod documentation;
mod ephemeral_resources;
mod handshake;
mod lifecycle;
mod plans;
mod resource_traits;
mod security;
mod speed;
mod support;
mod terraform;
mod terraform_ephemeral;
mod values;

#[path = "../probe/provider.rs"]
mod probe;
