//! `picture REPORT DIRECTORY`: renders a report in Markdown as a comment on a pull request, into
//! `report-light.png` and `report-dark.png`. `cargo xtask docs` runs it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use comrak::{Options, markdown_to_html};

const STYLE: &str = include_str!("style.css");

/// Width and height of the page in CSS pixels. The height suits the report that `cargo xtask docs` writes.
const WIDTH: u32 = 900;

/// GitHub limits nothing here; a README should load at once.
const LARGEST: usize = 200_000;

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [report, directory] = &arguments[..] else { anyhow::bail!("picture REPORT DIRECTORY") };
    let markdown = fs::read_to_string(report)?;
    let browser = find_browser().context("no Chromium on PATH, and CHROME names none")?;
    fs::create_dir_all(directory)?;
    for theme in ["light", "dark"] {
        let page = report.with_file_name(format!("{theme}.html"));
        fs::write(&page, html(&markdown, theme))?;
        let picture = directory.join(format!("report-{theme}.png"));
        render(&browser, &page, &picture, height(&markdown))?;
        let size = fs::read(&picture)?.len();
        ensure!(size < LARGEST, "{} has {size} bytes", picture.display());
    }
    Ok(())
}

/// Returns `CHROME`, or the first Chromium on PATH.
fn find_browser() -> Option<PathBuf> {
    if let Some(chosen) = env::var_os("CHROME").filter(|chosen| !chosen.is_empty()) {
        return Some(chosen.into());
    }
    let names = ["chromium-headless-shell", "chromium", "google-chrome", "chrome"];
    let path = env::var_os("PATH")?;
    let candidates = names
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |directory| directory.join(name)));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

/// Returns a page with the comment. The report is rendered as GitHub renders it.
fn html(markdown: &str, theme: &str) -> String {
    let mut options = Options::default();
    options.extension.autolink = true;
    options.extension.tasklist = true;
    let body = markdown_to_html(markdown, &options);
    format!(
        "<!doctype html>\n<meta charset=utf-8>\n<style>{STYLE}</style>\n<body class={theme}>\n\
         <article>\n<header><b>access-pipeline</b> commented on this pull request</header>\n\
         <section>{body}</section>\n</article>\n"
    )
}

/// Returns the height of the page: Chromium takes pictures of windows, not of pages.
fn height(markdown: &str) -> u32 {
    let lines = markdown.lines().map(|line| {
        let wrapped = u32::try_from(line.chars().count() / 115).unwrap_or_default();
        match line {
            "" => 4,
            _ if line.starts_with("## ") => 54,
            _ if line.starts_with("- ") => 27 + 24 * wrapped,
            _ => 34 + 24 * wrapped,
        }
    });
    lines.sum::<u32>() + 40
}

fn render(browser: &Path, page: &Path, picture: &Path, height: u32) -> Result<()> {
    let profile = page.with_file_name("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--force-device-scale-factor=1.5", "--virtual-time-budget=1000"])
        .arg(format!("--window-size={WIDTH},{height}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.canonicalize()?.display()))
        .output()
        .with_context(|| browser.display().to_string())?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
