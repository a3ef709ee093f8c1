//! Errors that contain a secret of the caller. The encodings are tested at their source.

use access_fake::{Action, Encoding, Fault};

use crate::support::Host;

const KEY: &str = "s3cr+t/k=y";

#[test]
fn header_is_echoed_and_not_logged() {
    let table = [
        ("authorization", false, Encoding::Raw, "authorization Bearer s3cr+t/k=y"),
        ("authorization", true, Encoding::UrlUpper, "authorization s3cr%2Bt%2Fk%3Dy"),
        ("authorization", true, Encoding::Base64, "authorization eHMzY3IrdC9rPXk="),
        ("X-Token", false, Encoding::Raw, "X-Token another secret"),
    ];
    for (header, key_only, encoding, expected) in table {
        let host = Host::full();
        host.service().add_fault(Fault::new(Action::Echo {
            status: 418,
            header: header.to_owned(),
            key_only,
            encoding,
            every_character: false,
            offset: 1,
        }));
        let caller = host.caller(KEY, "curl/8").with("x-token", "another secret");
        caller.get("/api/v1/integrations/github/owners").is_refused(418, expected);
        let log = serde_json::to_string(&host.service().requests()).unwrap();
        assert!(!log.contains(KEY), "{log}");
    }
}
