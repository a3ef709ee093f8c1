//! Which certificates are trusted, against a server with one of each kind.

use std::sync::Arc;
use std::time::Duration;

use access_client::{
    ApiKey, BaseUrl, Client, ErrorKind, ListingRoleName, PemBundle, ProxySettings, Settings,
    StopSignal,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// An authority of our own.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(parameters, key), pem }
    }

    fn bundle(&self) -> PemBundle {
        PemBundle::parse(self.pem.as_bytes()).unwrap()
    }

    /// Serves with a certificate for this host; returns the port.
    async fn serve(&self, host: &str, expired: bool) -> u16 {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
        if expired {
            parameters.not_before = date_time_ymd(2020, 1, 1);
            parameters.not_after = date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        serve(certificate.der().clone(), key).await
    }
}

async fn serve(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    _ = stream.read(&mut [0; 4096]).await;
                    _ = stream
                        .write_all(
                            b"HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{\"displayName\":\"V\"}",
                        )
                        .await;
                    _ = stream.shutdown().await;
                }
            });
        }
    });
    port
}

async fn get(port: u16, extra_roots: Option<PemBundle>) -> Result<(), access_client::Error> {
    let settings = Settings {
        base_url: BaseUrl::parse(&format!("https://localhost:{port}")).unwrap(),
        api_key: ApiKey::parse("key").unwrap(),
        user_agent: "test".to_owned(),
        request_timeout: Duration::from_secs(5),
        max_retries: 3,
        max_retry_wait: Duration::from_secs(5),
        max_requests_per_second: None,
        extra_roots,
        headers: Vec::new(),
        proxy: ProxySettings::default(),
        stop: StopSignal::default(),
    };
    let name = ListingRoleName::parse("listings/a/roles/b").unwrap();
    Client::new(settings).unwrap().get_listing_role(&name).await.map(|_| ())
}

#[tokio::test]
async fn authority_of_a_file_is_trusted() {
    let authority = Authority::new();
    let port = authority.serve("localhost", false).await;
    get(port, Some(authority.bundle())).await.unwrap();
}

#[tokio::test]
async fn certificates_that_do_not_hold_are_refused_without_a_retry() {
    let authority = Authority::new();
    let cases = [
        ("unknown authority", authority.serve("localhost", false).await, Authority::new().bundle()),
        ("expired", authority.serve("localhost", true).await, authority.bundle()),
        ("another host", authority.serve("example.com", false).await, authority.bundle()),
    ];
    for (case, port, bundle) in cases {
        let error = get(port, Some(bundle)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Certificate, "{case}: {error}");
        assert_eq!(error.attempts(), 1, "{case}");
        assert!(!error.may_have_been_processed(), "{case}");
    }
}

#[test]
fn bundle_without_a_certificate_is_refused() {
    let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for text in ["", "no PEM", damaged] {
        assert!(PemBundle::parse(text.as_bytes()).is_err(), "{text:?}");
    }
}
