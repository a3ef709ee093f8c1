//! Measures what the provider costs with a real terraform: time, processor time, memory and
//! requests. `cargo xtask bench` builds what it needs and runs it.
//!
//! - [`options`]: the command line
//! - [`case`]: a configuration and a provider, which are one row for each step
//! - [`workspace`]: terraform and a local service for one case; [`meter`]: the costs of plugins
//! - [`table`]: the figures as Markdown
//!
//! Linux only: its kernel counts processor time and memory of other processes.

#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod meter;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod workspace;

#[cfg(target_os = "linux")]
#[allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program of its own: the table on standard output, progress on standard error"
)]
fn main() -> anyhow::Result<std::process::ExitCode> {
    use anyhow::Context as _;

    // Terraform starts this program in place of each plugin.
    if let Some(plugin) = std::env::var_os(meter::PLUGIN) {
        return Ok(meter::run_plugin(plugin.as_ref())?.into());
    }
    let Some(options) = options::read(std::env::args_os().skip(1))? else {
        print!("{}", options::HELP);
        return Ok(std::process::ExitCode::SUCCESS);
    };
    let mut rows = Vec::new();
    for case in case::all(&options) {
        let name = format!("{}, {}", case.configuration(), case.provider);
        let workspace = workspace::Workspace::new(&options, &case).with_context(|| name.clone())?;
        for step in workspace::STEPS {
            eprintln!("{name}: {}", step.name());
            let measured = workspace.run(step).with_context(|| name.clone())?;
            rows.push(table::row(&case, step, &measured));
        }
    }
    print!("{}\n\n{}", table::conditions(&options)?, table::table(&rows));
    Ok(std::process::ExitCode::SUCCESS)
}

#[cfg(not(target_os = "linux"))]
fn main() -> anyhow::Result<()> {
    anyhow::bail!("The benchmark needs Linux.")
}
