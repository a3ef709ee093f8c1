//! What is tested, a file each.

mod abilities;
mod handshake;
mod lifecycle;
mod plans;
mod security;
mod speed;
mod support;
mod terraform;
mod values;

#[path = "../probe/provider.rs"]
mod probe;
