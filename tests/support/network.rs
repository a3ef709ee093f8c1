//! TLS between provider and service.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::runtime::Runtime;

/// A certificate authority of its own.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate.
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).expect("no names");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // OpenSSL takes a certificate with the name of its issuer for one that has signed itself.
        parameters.distinguished_name.push(DnType::CommonName, "Test authority");
        let key = KeyPair::generate().expect("a key");
        let pem = parameters.self_signed(&key).expect("a certificate").pem();
        Self { issuer: Issuer::new(parameters, key), pem }
    }

    /// Terminates TLS with a certificate for this host and forwards everything to the service.
    pub(crate) fn serve(&self, host: &str, service: SocketAddr) -> TlsFront {
        let parameters = CertificateParams::new(vec![host.to_owned()]).expect("a name");
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a PKCS 8 key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate with its key");
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a socket on loopback");
        let address = listener.local_addr().expect("its address");
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut inside) = acceptor.accept(stream).await else { return };
                    let Ok(mut outside) = tokio::net::TcpStream::connect(service).await else {
                        return;
                    };
                    _ = tokio::io::copy_bidirectional(&mut inside, &mut outside).await;
                });
            }
        });
        TlsFront { address, _runtime: runtime }
    }
}

/// TLS before the service, until it is dropped.
pub(crate) struct TlsFront {
    pub(crate) address: SocketAddr,
    _runtime: Runtime,
}
