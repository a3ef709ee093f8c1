//! The picture in README.md: the access report of a small change, as a pull request shows it.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::Mode;
use crate::demo::Service;
use crate::print_line;
use crate::workspace::{self, Terraform};

/// What is applied, and what the pull request plans.
const BEFORE: &str = include_str!("picture/before.tf");
const AFTER: &str = include_str!("picture/after.tf");

/// Renders the picture, and writes the report into its `alt` text in README.md.
pub(super) fn write(mode: Mode) -> Result<()> {
    workspace::cargo(&["build", "--locked", "--package", "access-fake"])?;
    let report = report()?;
    let readme = workspace::directory().join("README.md");
    let text = fs::read_to_string(&readme)?;
    let updated = with_alt(&text, &report).context("README.md has no picture of the report")?;
    let images = workspace::directory().join("docs/images");
    if mode == Mode::Check {
        ensure!(
            text == updated,
            "The picture in README.md shows another report. Run `cargo xtask docs`."
        );
        for name in ["report-light.png", "report-dark.png"] {
            ensure!(images.join(name).exists(), "docs/images/{name} does not exist");
        }
        return Ok(());
    }
    if text != updated {
        fs::write(&readme, updated)?;
    }
    let file = workspace::target_directory()?.join("xtask/docs/report.md");
    fs::write(&file, report)?;
    let script = workspace::directory().join("crates/xtask/src/docs/picture/render.sh");
    let rendered = Command::new("sh").arg(script).arg(file).arg(images).status();
    if !rendered.is_ok_and(|status| status.success()) {
        print_line("NOT RENDERED: the pictures in docs/images are as they were.");
    }
    Ok(())
}

/// Returns the report of the change, made by a real terraform and the local service.
fn report() -> Result<String> {
    let terraform = Terraform::new("docs")?;
    let service = Service::start(&workspace::built("access-fake")?)?;
    let run = |arguments: &[&str]| -> Result<()> {
        let mut command = terraform.command(arguments);
        command.env("ACCESS_BASE_URL", &service.base_url).env("ACCESS_API_KEY", "admin-key");
        let output = command.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    let main = terraform.directory().join("main.tf");
    fs::write(&main, BEFORE)?;
    run(&["apply", "-auto-approve"])?;
    fs::write(&main, AFTER)?;
    run(&["plan", "-out=plan.bin"])?;
    terraform.report("plan.bin")
}

/// Returns the page with the report as the `alt` text of its first picture.
fn with_alt(page: &str, report: &str) -> Option<String> {
    let start = page.find("alt=\"")? + "alt=\"".len();
    let end = start + page[start..].find('"')?;
    let lines = report.lines().filter(|line| !line.is_empty());
    let text = lines.map(|line| line.trim_start_matches("## ")).collect::<Vec<_>>().join(" ");
    let text = text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    Some(format!("{}{text}{}", &page[..start], &page[end..]))
}
