//! Plays breaks: starts the test binaries with a break switched on, and stops at the first test
//! that fails.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use anyhow::{Context as _, Result, ensure};

use super::layer::{LIVES, LIVES_COUNT, Layer};
use super::score::{Break, Notice};
use super::tree::{self, Binary};
use crate::{print_line, terraform};

/// What the score has in place of a test if the time of a layer has passed.
const HANG: &str = "only a hang";
/// The number of tests that one process plays: the fastest ones first.
const CHUNK: usize = 16;

/// How tests have ended.
enum Outcome {
    Passed,
    /// The first test that failed.
    Failed(String),
    Hung,
}

/// A test, and the breaks whose code it reaches. It cannot notice others.
#[derive(Clone)]
struct Test {
    name: String,
    binary: PathBuf,
    breaks: BTreeSet<u32>,
    duration: Duration,
}

pub(super) struct Player {
    tree: PathBuf,
    binaries: Vec<Binary>,
    terraform: PathBuf,
    temporary: PathBuf,
    /// The tests of the layers that were played without a break, by package.
    tests: BTreeMap<(Layer, PathBuf), Vec<Test>>,
}

impl Player {
    pub(super) fn new(tree: PathBuf) -> Result<Self> {
        // Before the build, which takes minutes.
        let terraform = terraform::find()?;
        let binaries = tree::build(&tree)?;
        // Short, because sockets are in it.
        let temporary = std::env::temp_dir().join(format!("breaks-{}", process::id()));
        Ok(Self { tree, binaries, terraform, temporary, tests: BTreeMap::new() })
    }

    /// Returns the package whose tests a layer runs for a break; `None` if no test of the layer can
    /// notice it.
    fn package(&self, it: &Break, layer: Layer) -> Option<PathBuf> {
        let in_crate = it.area.starts_with("crates/").then(|| self.tree.join(&it.area));
        if layer == Layer::Crates { in_crate } else { Some(self.tree.clone()) }
    }

    fn binaries(&self, layer: Layer, package: &Path) -> Vec<&Binary> {
        let is_wanted = |binary: &&Binary| {
            let target = binary.target.as_str();
            binary.package == package
                && match layer {
                    Layer::Units => !matches!(target, "main" | "lives"),
                    Layer::Crates => true,
                    Layer::Protocol | Layer::Acceptance => target == "main",
                    Layer::Lives => target == "lives",
                }
        };
        self.binaries.iter().filter(is_wanted).collect()
    }

    /// Plays a break. Returns the test that notices it.
    pub(super) fn play(&mut self, it: &Break, layer: Layer) -> Result<Option<String>> {
        let Some(package) = self.package(it, layer) else { return Ok(None) };
        let mut tests = self.tests(layer, &package)?;
        tests.retain(|test| test.breaks.contains(&it.number));
        select(&it.number.to_string())?;
        for chunk in tests.chunk_by(|one, other| one.binary == other.binary) {
            for chunk in chunk.chunks(CHUNK) {
                let mut names: Vec<&str> = chunk.iter().map(|test| test.name.as_str()).collect();
                while !names.is_empty() {
                    match self.run(&chunk[0].binary, &package, layer, &names)? {
                        Outcome::Passed => break,
                        Outcome::Hung => return Ok(Some(HANG.to_owned())),
                        Outcome::Failed(test) => {
                            let alone = [test.as_str()];
                            // A test may fail because other programs run, and then shows nothing.
                            if layer == Layer::Lives
                                || !self.passes(&chunk[0].binary, &package, layer, &alone)?
                            {
                                return Ok(Some(test));
                            }
                            names.retain(|name| *name != test);
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns whether tests of a layer reach the code of a break.
    pub(super) fn reaches(&mut self, it: &Break, layer: Layer) -> Result<bool> {
        let Some(package) = self.package(it, layer) else { return Ok(false) };
        Ok(self.tests(layer, &package)?.iter().any(|test| test.breaks.contains(&it.number)))
    }

    /// Returns whether what noticed a break last time still does.
    pub(super) fn plays_hint(&mut self, it: &Break, hint: &Notice) -> Result<bool> {
        let layer = hint.layer;
        let Some(package) = self.package(it, layer) else { return Ok(false) };
        let tests = self.tests(layer, &package)?;
        select(&it.number.to_string())?;
        if layer == Layer::Lives {
            // The rule, and the seed of a life.
            let Some((_, seed)) = hint.test.rsplit_once("life ") else { return Ok(false) };
            let Some(lives) = tests.first() else { return Ok(false) };
            let mut command = self.command(&lives.binary, &package, layer, &[LIVES]);
            command.env("LIVES_SEED", seed).env("LIVES_COUNT", "1");
            // With one life, a break may be seen by the number of runs that succeed.
            let outcome = self.run_command(command, layer)?;
            return Ok(matches!(outcome, Outcome::Failed(rule) if rule != LIVES));
        }
        let Some(test) = tests.iter().find(|test| test.name == hint.test) else { return Ok(false) };
        Ok(!self.passes(&test.binary, &package, layer, &[&test.name])?)
    }

    fn passes(&self, binary: &Path, package: &Path, layer: Layer, names: &[&str]) -> Result<bool> {
        Ok(matches!(self.run(binary, package, layer, names)?, Outcome::Passed))
    }

    /// Returns the tests of a layer, the fastest first. The first time, it runs each of them
    /// without a break, and fails unless they pass.
    fn tests(&mut self, layer: Layer, package: &Path) -> Result<Vec<Test>> {
        let key = (layer, package.to_owned());
        if let Some(tests) = self.tests.get(&key) {
            return Ok(tests.clone());
        }
        let started = Instant::now();
        let mut tests = Vec::new();
        for binary in self.binaries(layer, package) {
            let list = Command::new(&binary.path).args(["--list", "--format", "terse"]).output()?;
            let list = String::from_utf8(list.stdout)?;
            let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
            for name in names.filter(|name| name.starts_with(layer.prefix())) {
                tests.push(self.record(layer, package, &binary.path, name)?);
            }
        }
        ensure!(!tests.is_empty(), "There are no tests: {layer} of {}", package.display());
        let seconds = started.elapsed().as_secs();
        print_line(&format!("{layer}: {} tests pass without a break, {seconds} s", tests.len()));
        tests.sort_by_key(|test| (test.binary.clone(), test.duration));
        self.tests.insert(key, tests.clone());
        Ok(tests)
    }

    /// Runs a test without a break, and records which breaks it reaches.
    fn record(&self, layer: Layer, package: &Path, binary: &Path, name: &str) -> Result<Test> {
        select("record")?;
        let reached = tree::directory().join("reached");
        let started = Instant::now();
        // It may have failed because other programs run.
        for is_last in [false, true] {
            let _ = fs::remove_file(&reached);
            let failure = match self.run(binary, package, layer, &[name])? {
                Outcome::Passed => break,
                Outcome::Hung => HANG.to_owned(),
                Outcome::Failed(test) => test,
            };
            ensure!(!is_last, "Without a break, {layer} fails: {failure}");
        }
        let text = fs::read_to_string(&reached).unwrap_or_default();
        let breaks = text.lines().filter_map(|line| line.parse().ok()).collect();
        let duration = started.elapsed();
        Ok(Test { name: name.to_owned(), binary: binary.to_owned(), breaks, duration })
    }

    /// Runs tests until the first one fails.
    fn run(&self, binary: &Path, package: &Path, layer: Layer, names: &[&str]) -> Result<Outcome> {
        self.run_command(self.command(binary, package, layer, names), layer)
    }

    fn command(&self, binary: &Path, package: &Path, layer: Layer, names: &[&str]) -> Command {
        let threads = thread::available_parallelism().map_or(4, |cores| 2 * cores.get());
        let mut command = Command::new(binary);
        command
            .arg("--exact")
            .args(names)
            .current_dir(package)
            .env("CARGO_MANIFEST_DIR", package)
            .env("RUST_TEST_THREADS", threads.to_string())
            .env("TERRAFORM_BINARY", &self.terraform)
            .env("TMPDIR", &self.temporary)
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if layer == Layer::Lives {
            // Shows the rules that are broken before the lives are shortened.
            command.arg("--nocapture").env("LIVES_COUNT", LIVES_COUNT);
        }
        command
    }

    fn run_command(&self, mut command: Command, layer: Layer) -> Result<Outcome> {
        fs::create_dir_all(&self.temporary)?;
        // The tests start terraform, which starts the provider.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let output = child.stdout.take().context("standard output of a test")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let deadline = Instant::now() + layer.limit();
        let outcome = loop {
            match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(test) = failure_in(&line) {
                        break Outcome::Failed(test);
                    }
                }
                Err(RecvTimeoutError::Timeout) => break Outcome::Hung,
                Err(RecvTimeoutError::Disconnected) if child.wait()?.success() => {
                    break Outcome::Passed;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    break Outcome::Failed("the end of the process".to_owned());
                }
            }
        };
        // Kills what the tests have started as well.
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        child.wait()?;
        let _ = fs::remove_dir_all(&self.temporary);
        Ok(outcome)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = select("0");
    }
}

/// Switches a break on by its number, and all others off. "record" records which are reached.
fn select(number: &str) -> Result<()> {
    Ok(fs::write(tree::switch(), number)?)
}

/// Returns the test, or the rule of a life, that a line of output reports as failed.
fn failure_in(line: &str) -> Option<String> {
    if let Some(rule) = line.strip_prefix("Broken by ") {
        return Some(rule.split_once(": ").map_or(rule, |(_, rule)| rule).replace('|', "/"));
    }
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.trim_end_matches(" - should panic").to_owned())
}

#[cfg(test)]
mod tests {
    use super::failure_in;

    #[test]
    fn failed_tests_and_broken_rules_are_found_in_the_output() {
        for (line, expected) in [
            (
                "test object::read::tests::it_works ... FAILED",
                Some("object::read::tests::it_works"),
            ),
            ("test a::b - should panic ... FAILED", Some("a::b")),
            ("test a::b ... ok", None),
            ("test result: FAILED. 1 passed; 1 failed", None),
            ("Broken by 2 lives: nothing is lost, life 17", Some("nothing is lost, life 17")),
        ] {
            assert_eq!(failure_in(line).as_deref(), expected, "{line}");
        }
    }
}
