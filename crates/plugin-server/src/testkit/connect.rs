//! Connections to a plugin: those of its host and those of an intruder.

#[cfg(unix)]
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, SupportedProtocolVersion,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;

use super::certificate::HostCertificate;
use super::client::Client;

/// The way in which a process that did not start the plugin tries to connect.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Intruder<'c> {
    /// No encryption.
    ClearText,
    /// TLS without a certificate.
    WithoutCertificate,
    /// TLS with a certificate that is not the host's.
    WithCertificate(&'c HostCertificate),
}

/// Connects to a plugin of another process, by the path of its unix socket.
///
/// Accepts every certificate of the plugin. With TLS 1.3 a refusal arrives with the response to the
/// first call. Only a successful call shows that the plugin has accepted the connection.
#[cfg(unix)]
pub async fn intrude(socket: &Path, intruder: Intruder<'_>) -> Result<Client, String> {
    let stream =
        tokio::net::UnixStream::connect(socket).await.map_err(|error| error.to_string())?;
    let certificate = match intruder {
        Intruder::ClearText => return over_plain(stream).await,
        Intruder::WithoutCertificate => None,
        Intruder::WithCertificate(certificate) => Some(certificate),
    };
    over_tls(stream, None, certificate, rustls::DEFAULT_VERSIONS).await
}

/// Connects without encryption.
pub(super) async fn over_plain(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> Result<Client, String> {
    Client::over(stream).await.map_err(|error| error.to_string())
}

/// Connects over TLS, to the server with the certificate `server`, or to any if that is `None`.
pub(super) async fn over_tls(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    server: Option<&[u8]>,
    own: Option<&HostCertificate>,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| error.to_string())?;
    let config = match server {
        Some(server) => {
            let mut roots = RootCertStore::empty();
            let server = CertificateDer::from(server.to_vec());
            roots.add(server).map_err(|error| error.to_string())?;
            config.with_root_certificates(roots)
        }
        None => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAnyServer(provider)))
        }
    };
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

/// Accepts every server.
#[derive(Debug)]
struct AcceptAnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
