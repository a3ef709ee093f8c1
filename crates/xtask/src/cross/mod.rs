//! `cargo xtask cross`: builds the provider for every platform that is released, as far as this machine
//! can, and runs what it can run. A table lists what was not built or not run, with the reason.

mod platform;
mod problem;
mod tools;
mod trial;

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use platform::{PLATFORMS, Platform, Toolchain};
use problem::Problem;

/// The options of the command line.
#[derive(Debug, Default)]
struct Options {
    /// The platforms; all of them by default.
    platforms: Vec<&'static Platform>,
    /// Whether to build as for a release, which takes several times as long.
    release: bool,
    /// Whether to only check the types of the whole workspace.
    check: bool,
}

impl Options {
    fn parse(mut arguments: Parser) -> Result<Self> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("check") => options.check = true,
                Long("release") => options.release = true,
                Long("target") => {
                    let target = arguments.value()?.string()?;
                    let platform = Platform::find(&target)
                        .with_context(|| format!("{target} is not a platform of the release."))?;
                    options.platforms.push(platform);
                }
                _ => return Err(argument.unexpected().into()),
            }
        }
        if options.platforms.is_empty() {
            options.platforms = PLATFORMS.iter().collect();
        }
        Ok(options)
    }
}

/// The steps of a platform, with their results.
struct Row {
    platform: &'static Platform,
    built: Result<String, Problem>,
    run: Result<String, Problem>,
}

/// Builds and runs the provider for the platforms, and prints a table.
///
/// # Errors
///
/// Fails if an argument is unknown, and if a build or a run fails. A platform that this machine cannot
/// build or run is listed. If `REQUIRE_PLATFORMS` is set, it is an error that something is not installed.
pub(crate) fn run(arguments: Parser) -> Result<()> {
    let options = Options::parse(arguments)?;
    let rows: Vec<Row> =
        options.platforms.iter().map(|platform| try_out(platform, &options)).collect();
    print_line("\n== Summary");
    let requires_all = std::env::var_os("REQUIRE_PLATFORMS").is_some_and(|value| !value.is_empty());
    let mut failures = Vec::new();
    for row in &rows {
        let Platform { released, target, .. } = row.platform;
        let stand_in =
            if released == target { String::new() } else { format!(" (built as {target})") };
        print_line(&format!("{released}{stand_in}"));
        for (missing, result) in [("NOT BUILT", &row.built), ("NOT RUN", &row.run)] {
            print_line(&match result {
                Ok(done) => format!("  {done}"),
                Err(Problem::Missing(reason)) => format!("  {missing}: {reason}"),
                Err(Problem::NotInstalled(reason)) => {
                    if requires_all {
                        failures.push(*released);
                    }
                    format!("  {missing}: {reason}")
                }
                Err(Problem::Failed(error)) => {
                    failures.push(*released);
                    format!("  FAILED: {error:#}")
                }
            });
        }
    }
    ensure!(failures.is_empty(), "Failed: {}.", failures.join(", "));
    Ok(())
}

fn try_out(platform: &'static Platform, options: &Options) -> Row {
    print_line(&format!("\n== {}", platform.released));
    let built = build(platform, options);
    let run = match &built {
        _ if options.check => Err(Problem::missing("--check".to_owned())),
        Ok(_) => {
            let profile = if options.release { "release" } else { "debug" };
            tools::output_directory(platform.target, profile).map_err(Problem::from).and_then(
                |directory| trial::run(&directory.join(platform.binary()), platform.runner),
            )
        }
        Err(_) => Err(Problem::missing("it was not built".to_owned())),
    };
    Row { platform, built, run }
}

fn build(platform: &Platform, options: &Options) -> Result<String, Problem> {
    tools::standard_library(platform.target)?;
    let mut cargo = tools::cargo(platform.toolchain, options.check)?;
    cargo.args(["--locked", "--target", platform.target]);
    if options.check {
        cargo.args(["--workspace", "--all-targets"]);
    } else {
        cargo.args(["--package", "terraform-provider-access"]);
    }
    if options.release {
        cargo.arg("--release");
    }
    let status = cargo.status().context("cargo")?;
    if !status.success() {
        return Err(anyhow::anyhow!("cargo did not build it").into());
    }
    Ok(match platform.toolchain {
        _ if options.check => "types of the workspace and its tests checked".to_owned(),
        Toolchain::Zig => "built with zig".to_owned(),
        Toolchain::Mingw => "built with mingw-w64".to_owned(),
        Toolchain::ZigWithoutLinker(reason) => format!("types checked, NOT LINKED: {reason}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_select_platforms_of_the_release() {
        let parse = |arguments: &[&str]| Options::parse(Parser::from_args(arguments));
        assert_eq!(parse(&[]).unwrap().platforms.len(), PLATFORMS.len());
        let options = parse(&["--target", "x86_64-pc-windows-gnu", "--release"]).unwrap();
        assert_eq!(options.platforms[0].released, "x86_64-pc-windows-msvc");
        assert!(options.release && !options.check);
        for refused in [&["--target"][..], &["--target", "wasm32-unknown-unknown"], &["--all"]] {
            assert!(parse(refused).is_err(), "{refused:?}");
        }
    }
}
