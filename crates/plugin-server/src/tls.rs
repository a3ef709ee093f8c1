//! TLS between the host and this process.
//!
//! The host passes its certificate in the environment and receives that of this process in the
//! handshake line. A certificate is therefore verified by comparison, without chain, names or
//! dates. rustls's own verifier cannot be used: go-plugin's certificate is a CA that presents
//! itself as an end entity, which webpki rejects, on the curve P-521, which ring does not
//! implement.

use std::sync::Arc;
use std::time::Duration;

use p521::ecdsa::signature::Verifier as _;
use p521::ecdsa::{DerSignature, Signature, VerifyingKey};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, PrivateKeyDer, PrivatePkcs8KeyDer,
    SignatureVerificationAlgorithm, UnixTime, alg_id,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error as TlsError, ServerConfig,
    SignatureScheme,
};
use tokio_rustls::TlsAcceptor;

/// The timeout of the TLS handshake.
pub(crate) const ACCEPT_TIMEOUT: Duration = Duration::from_secs(10);

/// ECDSA over P-521, which go-plugin uses and ring does not implement.
#[derive(Debug)]
struct P521;

impl SignatureVerificationAlgorithm for P521 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let key = VerifyingKey::from_sec1_bytes(public_key).map_err(|_| InvalidSignature)?;
        let signature = DerSignature::from_bytes(signature).map_err(|_| InvalidSignature)?;
        let signature = Signature::try_from(signature).map_err(|_| InvalidSignature)?;
        key.verify(message, &signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_P521
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_SHA512
    }
}

/// The signature algorithm of go-plugin. ring implements all others.
static P521_SHA512: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&P521],
    mapping: &[(SignatureScheme::ECDSA_NISTP521_SHA512, &[&P521])],
};

/// Accepts exactly one certificate.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    ring: WebPkiSupportedAlgorithms,
}

impl Pinned {
    fn algorithms(&self, scheme: SignatureScheme) -> &WebPkiSupportedAlgorithms {
        if scheme == SignatureScheme::ECDSA_NISTP521_SHA512 { &P521_SHA512 } else { &self.ring }
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        // With hints, Go would send its certificate only if one of them names its issuer.
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, TlsError> {
        if *end_entity == self.certificate && intermediates.is_empty() {
            Ok(ClientCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, self.algorithms(dss.scheme))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, self.algorithms(dss.scheme))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = P521_SHA512.supported_schemes();
        schemes.extend(self.ring.supported_schemes());
        schemes
    }
}

/// The TLS configuration of the server: a key that was generated for this process, and the host's
/// certificate.
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    /// The certificate of this process, which the handshake line contains.
    pub(crate) certificate: CertificateDer<'static>,
}

impl Tls {
    /// Reads `client`, the certificate of the host as PEM, and generates a key.
    pub(crate) fn new(client: &str) -> Result<Self, String> {
        let client = CertificateDer::from_pem_slice(client.as_bytes()).map_err(|error| {
            format!("PLUGIN_CLIENT_CERT does not contain a certificate: {error:?}")
        })?;
        // A certificate that webpki cannot read would make every connection fail.
        rustls::server::ParsedCertificate::try_from(&client)
            .map_err(|error| format!("PLUGIN_CLIENT_CERT is not a certificate: {error}"))?;
        let (certificate, key) = own_certificate().map_err(|error| error.to_string())?;
        // Selected explicitly, because the default panics if the binary contains two crypto
        // providers.
        let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::ring::default_provider());
        let pinned =
            Pinned { certificate: client, ring: provider.signature_verification_algorithms };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(Arc::new(pinned))
            .with_single_cert(vec![certificate.clone()], key)
            .map_err(|error| error.to_string())?;
        // grpc-go rejects a server that does not select a protocol.
        config.alpn_protocols = vec![b"h2".to_vec()];
        // A resumed session would bypass the verifier.
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
    }
}

/// Generates a certificate for `localhost`, which is the name that every go-plugin client expects.
fn own_certificate() -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};

    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(["localhost".to_owned()])?;
    params.distinguished_name.push(DnType::CommonName, "localhost");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let certificate = params.self_signed(&key)?.der().clone();
    Ok((certificate, PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
}
