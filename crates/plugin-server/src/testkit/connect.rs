//! Connections to a plugin.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;

use super::certificate::HostCertificate;
use super::client::Client;

/// Connects without encryption.
pub(super) async fn over_plain(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> Result<Client, String> {
    Client::over(stream).await.map_err(|error| error.to_string())
}

/// Connects over TLS, to the server with the certificate `server`.
pub(super) async fn over_tls(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    server: &[u8],
    own: Option<&HostCertificate>,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(server.to_vec())).map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots);
    let mut config = match own {
        Some(own) => config.with_client_cert_resolver(own.resolver()),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from("localhost").expect("a valid name");
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| error.to_string())?;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]), "grpc-go requires it");
    over_plain(stream).await
}
