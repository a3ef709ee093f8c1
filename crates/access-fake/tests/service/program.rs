//! The program `access-fake`.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

use serde_json::json;

use crate::support::Caller;

/// A process that is stopped at the end of its test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_access-fake"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

#[test]
fn program_prints_its_address_and_serves() {
    let arguments = ["--address", "127.0.0.1:0", "--listing", "payroll", "--get", "absent-405"];
    let mut program = Program(command(&arguments).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(program.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (url, keys) = line.trim_end().split_once(' ').unwrap();
    assert_eq!(keys, "keys: admin-key, member-key, reader-key");
    let address = url.strip_prefix("http://").unwrap().parse().unwrap();
    let admin = Caller::new(address, "admin-key", "");
    let role = "/api/v1/listings/payroll/roles/clerk";
    let body = json!({"displayName": "Clerk", "priority": "1"});
    admin.patch(&format!("{role}?allowMissing=true"), &body).json(200);
    admin.get(role).is_refused(405, "");
}

#[test]
fn program_prints_help_and_version() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("Example:") && help.contains("--reads-lag"), "{help}");
    let version = String::from_utf8(run(&["--version"]).stdout).unwrap();
    assert_eq!(version, concat!("access-fake ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn program_refuses_invalid_arguments_and_addresses() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    for (arguments, message) in [
        (&["--nonsense"][..], "--nonsense"),
        (&["--address", "0.0.0.0:0"][..], "loopback"),
        (&["--get", "absent-403"][..], "absent-404"),
        (&["--address", &taken][..], &taken),
    ] {
        let mut program = Program(command(arguments).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(program.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "", "it listens with {arguments:?}");
        assert_eq!(program.0.wait().unwrap().code(), Some(1), "{arguments:?}");
        let mut stderr = String::new();
        program.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(stderr.starts_with("access-fake: ") && stderr.contains(message), "{stderr}");
    }
}
