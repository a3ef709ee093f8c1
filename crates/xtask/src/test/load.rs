//! Builds that keep the processors busy.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Result;

use crate::workspace;

/// The time after which a build is polled again.
const POLL: Duration = Duration::from_millis(200);

/// Builds of the provider, one after another in each thread, until it is dropped.
pub(super) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts `builds` builds, each in a target directory of its own.
    pub(super) fn start(builds: usize) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for build in 0..builds {
            let directory = workspace::target_directory()?.join(format!("load-{build}"));
            let stop = Arc::clone(&stop);
            threads.push(std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) && build_once(&directory, &stop) {}
                // Its files only take space.
                let _ = fs::remove_dir_all(&directory);
            }));
        }
        Ok(Self { stop, threads })
    }
}

/// Builds from nothing. Returns whether the build was started.
fn build_once(directory: &Path, stop: &AtomicBool) -> bool {
    // It does not exist at first.
    let _ = fs::remove_dir_all(directory);
    let cargo = workspace::cargo_command()
        .args(["build", "--quiet", "--locked", "--package", "terraform-provider-access"])
        .arg("--target-dir")
        .arg(directory)
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut cargo) = cargo else { return false };
    while matches!(cargo.try_wait(), Ok(None)) {
        if stop.load(Ordering::Relaxed) {
            // It may have ended by itself.
            let _ = cargo.kill();
        }
        std::thread::sleep(POLL);
    }
    true
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has no build left.
            let _ = thread.join();
        }
    }
}
