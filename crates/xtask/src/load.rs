//! Builds that keep the processors busy.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::workspace;

/// The time after which a build is polled again.
const POLL: Duration = Duration::from_millis(200);

/// Builds of the provider, one after another in each thread, until it is stopped or dropped.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<usize>>>,
}

impl Load {
    /// Starts `builds` builds, each in a target directory of its own.
    pub(crate) fn start(builds: usize) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let target = workspace::target_directory()?;
        let threads = (0..builds).map(|build| {
            let directory = target.join(format!("load-{build}"));
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                let built = build_until(&stop, &directory);
                // Its files only take space.
                let _ = fs::remove_dir_all(&directory);
                built
            })
        });
        Ok(Self { threads: threads.collect(), stop })
    }

    /// Stops the builds, and returns how many have ended.
    ///
    /// # Errors
    ///
    /// Fails if a build failed, because the tests then ran without it.
    pub(crate) fn stop(mut self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self
            .threads
            .drain(..)
            .map(|thread| thread.join().map_err(|_| anyhow!("a build panicked"))?);
        ended.sum()
    }
}

/// Builds again and again. Returns the number of builds that ended.
fn build_until(stop: &AtomicBool, directory: &Path) -> Result<usize> {
    let mut builds = 0;
    loop {
        // It does not exist at first.
        let _ = fs::remove_dir_all(directory);
        let mut cargo = workspace::cargo_command()
            .args(["build", "--quiet", "--locked", "--package", "terraform-provider-access"])
            .arg("--target-dir")
            .arg(directory)
            .stderr(Stdio::null())
            .spawn()
            .context("a build cannot be started")?;
        let status = loop {
            if let Some(status) = cargo.try_wait()? {
                break status;
            }
            if stop.load(Ordering::Relaxed) {
                // It may have ended by itself.
                let _ = cargo.kill();
                cargo.wait()?;
                return Ok(builds);
            }
            std::thread::sleep(POLL);
        };
        ensure!(status.success(), "a build that runs at the same time failed: {status}");
        builds += 1;
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // The run has failed already.
            let _ = thread.join();
        }
    }
}
