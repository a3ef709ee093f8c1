//! The program: `access-fake --help`.

mod flags;

use std::process::ExitCode;
use std::{env, thread};

use access_fake::Running;

use flags::Command;

fn main() -> ExitCode {
    let command = match flags::read(env::args_os().skip(1)) {
        Ok(command) => command,
        Err(problem) => return failed(&format!("{problem}\nTry: access-fake --help")),
    };
    let settings = match command {
        Command::Help => return print(flags::HELP),
        Command::Version => return print(concat!("access-fake ", env!("CARGO_PKG_VERSION"))),
        Command::Serve(settings) => *settings,
    };
    let service = match settings.service() {
        Ok(service) => service,
        Err(problem) => return failed(&problem),
    };
    match Running::start_blocking(service, settings.address) {
        Ok(running) => {
            // Scripts read the URL, so it comes first.
            print(&format!("{} keys: admin-key, member-key, reader-key", running.base_url()));
            // The service runs on its own thread until the process is stopped.
            loop {
                thread::park();
            }
        }
        Err(error) => failed(&format!("cannot listen on {}: {error}", settings.address)),
    }
}

#[allow(clippy::print_stdout, reason = "a program of its own, whose output is for its user")]
fn print(text: &str) -> ExitCode {
    println!("{}", text.trim_end());
    ExitCode::SUCCESS
}

#[allow(clippy::print_stderr, reason = "a program of its own, whose errors are for its user")]
fn failed(problem: &str) -> ExitCode {
    eprintln!("access-fake: {problem}");
    ExitCode::FAILURE
}
