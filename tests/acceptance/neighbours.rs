//! Other processes on the machine, while terraform applies.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use access_fake::Fault;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{HostCertificate, Intruder, intrude};

use crate::support::Service;
use crate::support::process::{start_apply, wait_until};

/// Returns the sockets of the plugins whose directory for temporary files this is.
fn sockets(temporary: &Path) -> Vec<PathBuf> {
    let directories = std::fs::read_dir(temporary).expect("the directory").flatten();
    let sockets = directories.map(|directory| directory.path().join("s"));
    sockets.filter(|socket| socket.exists()).collect()
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}

/// Returns whether a process that did not start the plugin receives a response from it.
async fn responds(socket: &Path, intruder: Intruder<'_>) -> bool {
    let Ok(client) = intrude(socket, intruder).await else { return false };
    let request = pb::get_provider_schema::Request {};
    let call = client.get_provider_schema(request);
    let response = tokio::time::timeout(Duration::from_secs(30), call).await;
    response.expect("a refusal instead of a timeout").is_ok()
}

#[test]
fn plugin_refuses_other_processes_while_terraform_applies() {
    let service = Service::full();
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let temporary = temporary.path();
    let workspace = service.workspace().with("TMPDIR", &temporary.display().to_string());
    workspace.configure(
        "resource \"access_listing_role\" \"many\" {
  count        = 3
  listing      = \"github\"
  role         = \"role-${count.index}\"
  display_name = \"Role\"
  priority     = count.index
}
",
    );
    // The apply continues while the neighbours connect: it cannot end before the outage.
    service.fault(Fault::respond(503, "{}").on("PATCH"));
    let apply = start_apply(&workspace);
    wait_until("a role is sent", || !service.writes().is_empty());
    let sockets = sockets(temporary);
    assert!(!sockets.is_empty(), "the plugin that applies has a socket");
    let own = HostCertificate::new();
    // On several threads hyper loses a request whose connection ends at the same moment.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    for socket in &sockets {
        assert_eq!(mode(socket), 0o600);
        assert_eq!(mode(socket.parent().expect("a directory")), 0o700);
        for intruder in
            [Intruder::ClearText, Intruder::WithoutCertificate, Intruder::WithCertificate(&own)]
        {
            assert!(!runtime.block_on(responds(socket, intruder)), "{intruder:?} got a response");
        }
    }
    let attempts = service.writes();
    assert!(attempts.iter().all(|write| write.status != Some(200)), "the apply is under way");
    service.respond_normally();
    let output = apply.wait_with_output().expect("terraform ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.state_size(), 3);
    let left = std::fs::read_dir(temporary).expect("the directory").count();
    assert_eq!(left, 0, "sockets and their directories are removed");
}
