//! Measures the costs of the provider: time, processor time, memory and requests.
//! `cargo xtask bench` builds everything that it needs and runs it.
//!
//! - [`terraform`]: whole runs of a real terraform, for this provider and others
//!   - [`scenario`]: numbers of roles and listings, and the behaviour of the service;
//!     [`contender`]: the providers, and a configuration for each
//!   - [`workspace`]: one terraform with one contender; [`meter`]: the costs of its plugins
//! - [`growth`]: the same plan for more and more roles; [`layout`]: the configurations of many
//!   listings; [`picture`]: the figures as lines
//! - [`figures`]: medians, units, tables
//!
//! Linux only: its kernel counts processor time and memory of other processes.

#[cfg(target_os = "linux")]
mod contender;
#[cfg(target_os = "linux")]
mod figures;
#[cfg(target_os = "linux")]
mod growth;
#[cfg(target_os = "linux")]
mod layout;
#[cfg(target_os = "linux")]
mod meter;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod output;
#[cfg(target_os = "linux")]
mod picture;
#[cfg(target_os = "linux")]
mod scenario;
#[cfg(target_os = "linux")]
mod terraform;
#[cfg(target_os = "linux")]
mod workspace;

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<std::process::ExitCode> {
    // Terraform starts this program in place of each plugin.
    if let Some(plugin) = std::env::var_os(meter::PLUGIN) {
        return Ok(meter::run_plugin(plugin.as_ref())?.into());
    }
    match options::read(std::env::args_os().skip(1))? {
        options::Command::Help => output::print_line(options::HELP),
        options::Command::Terraform(options) => terraform::run(&options)?,
        options::Command::Picture => output::write_picture()?,
    }
    Ok(std::process::ExitCode::SUCCESS)
}

#[cfg(not(target_os = "linux"))]
fn main() -> anyhow::Result<()> {
    anyhow::bail!("The benchmark needs Linux.")
}
