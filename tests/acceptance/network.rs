//! Certificate authorities. `access-client` has every kind of certificate, proxy and redirect.

use crate::support::fixtures::role;
use crate::support::network::Authority;
use crate::support::{Service, Workspace};

/// Without `SSL_CERT_FILE`, Windows and macOS verify certificates themselves. A gateway serves the
/// API below a path.
#[test]
fn ca_file_is_trusted_in_addition_to_the_system_roots() {
    let service = Service::full();
    service.change_world(|world| world.base_paths.push("/gateway".to_owned()));
    let authority = Authority::new();
    let front = authority.serve("localhost", service.address());
    let base_url = format!("https://localhost:{}/gateway", front.address.port());
    let mut workspace = Workspace::new(&base_url, "admin-key");
    workspace.configure(role("viewer"));
    workspace.write("authority.pem", &authority.pem);
    workspace.write("other.pem", &Authority::new().pem);
    let path = |name: &str| workspace.path().join(name).display().to_string();
    let [trusted, other] = [path("authority.pem"), path("other.pem")];
    for (system, argument, is_trusted) in
        [("", "", false), ("", &*trusted, true), (&*trusted, &*other, true)]
    {
        workspace.set("SSL_CERT_FILE", system);
        workspace.set("ACCESS_CA_FILE", argument);
        service.clear_requests();
        if is_trusted {
            workspace.apply().succeeds();
            workspace.run_provider(&["export", "listings/github"]).succeeds();
            assert!(service.requests().iter().all(|it| it.path.starts_with("/gateway/api/v1/")));
        } else {
            workspace.apply().fails_with(["certificate", "ca_file"]);
            let export = workspace.run_provider(&["export", "listings/github"]);
            export.refuses(&["certificate", "`ACCESS_CA_FILE`"]);
            assert_eq!(service.requests().len(), 0, "nothing was sent");
        }
    }
}
