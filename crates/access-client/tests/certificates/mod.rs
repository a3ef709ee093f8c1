//! Trust in certificates, against a server with one of each kind.

use std::sync::Arc;

use access_client::PemBundle;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

use crate::*;

/// A certificate authority of the tests.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
}

impl Authority {
    pub(crate) fn new() -> Self {
        Self::of_hosts(Vec::new())
    }

    /// Returns an authority whose own certificate names a host.
    fn of_host(host: &str) -> Self {
        Self::of_hosts(vec![host.to_owned()])
    }

    fn of_hosts(hosts: Vec<String>) -> Self {
        let mut parameters = CertificateParams::new(hosts).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        Self { issuer: Issuer::new(parameters, key), certificate }
    }

    fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(crate) fn bundle(&self) -> PemBundle {
        PemBundle::parse(self.pem().as_bytes()).unwrap()
    }

    /// Returns the configuration of a server with the authority's own certificate.
    fn own_config(&self) -> ServerConfig {
        config(&self.certificate, self.issuer.key())
    }

    /// Serves with a certificate for this host.
    pub(crate) async fn serve(&self, host: &str, expired: bool) -> Server {
        Server::start_tls(self.server_config(host, expired)).await
    }

    /// Returns the configuration of a server with a certificate for this host.
    pub(crate) fn server_config(&self, host: &str, expired: bool) -> ServerConfig {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
        if expired {
            parameters.not_before = date_time_ymd(2020, 1, 1);
            parameters.not_after = date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        config(&certificate, &key)
    }
}

fn config(certificate: &Certificate, key: &KeyPair) -> ServerConfig {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap()
}

async fn get(server: &Server, extra_roots: Option<PemBundle>) -> Result<(), Error> {
    let settings =
        Settings { extra_roots, ..settings(&format!("https://localhost:{}", server.port())) };
    crate::get(&Client::new(settings).unwrap()).await.map(drop)
}

#[tokio::test]
async fn invalid_certificates_are_refused_without_a_retry() {
    let authority = Authority::new();
    // As `openssl req -x509` makes them.
    let own = Authority::of_host("localhost");
    let with_own = Server::start_tls(own.own_config()).await;
    let cases = [
        (
            "unknown authority",
            authority.serve("localhost", false).await,
            Authority::new().bundle(),
            false,
        ),
        ("expired", authority.serve("localhost", true).await, authority.bundle(), false),
        ("another host", authority.serve("example.com", false).await, authority.bundle(), false),
        ("its own authority", with_own, own.bundle(), true),
    ];
    for (case, server, bundle, is_authority) in cases {
        let error = get(&server, Some(bundle)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Certificate { is_authority }, "{case}: {error}");
        assert_eq!(error.attempts(), 1, "{case}");
        assert!(!error.may_have_been_processed(), "{case}");
    }
}

#[tokio::test]
async fn authorities_of_a_file_are_trusted_also_after_byte_order_marks() {
    let authorities = [Authority::new(), Authority::new()];
    let marked: Vec<_> = authorities.iter().map(|it| format!("\u{feff}{}", it.pem())).collect();
    let bundle = PemBundle::parse(marked.concat().as_bytes()).unwrap();
    for authority in &authorities {
        let server = authority.serve("localhost", false).await;
        get(&server, Some(bundle.clone())).await.unwrap();
    }
}

#[test]
fn certificate_that_would_be_skipped_is_an_error() {
    let pem = Authority::new().pem();
    for text in [format!("authority: {pem}"), format!("{pem}  {pem}")] {
        let error = PemBundle::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("does not begin on a line of its own"), "{error}");
    }
    let utf16 = |encode: fn(u16) -> [u8; 2]| pem.encode_utf16().flat_map(encode).collect();
    for bytes in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)] as [Vec<u8>; 2] {
        let marked = [&[0xff, 0xfe][..], &bytes].concat();
        let appended = [pem.as_bytes(), &bytes].concat();
        for bytes in [bytes, marked, appended] {
            let error = PemBundle::parse(&bytes).unwrap_err().to_string();
            assert!(error.contains("save it in UTF-8"), "{error}");
        }
    }
}

#[test]
fn bundle_without_a_certificate_is_refused() {
    let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for text in ["", "no PEM", damaged] {
        assert!(PemBundle::parse(text.as_bytes()).is_err(), "{text:?}");
    }
}
