//! A provider that misbehaves on command: see `provider.rs`.

#![allow(clippy::panic, clippy::unwrap_used, reason = "the provider panics on command")]

mod provider;

use std::process::ExitCode;

fn main() -> ExitCode {
    plugin_server::block_on(plugin_server::serve(provider::server, std::env::args_os()))
}
