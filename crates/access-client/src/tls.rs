//! The trusted certificates: those of the system, and those of a file.
//!
//! ring is selected explicitly. If two crypto providers are compiled in, rustls's default selection
//! panics at the first connection.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Certificates of authorities that are trusted in addition to the system's.
#[derive(Clone, Debug)]
pub struct PemBundle(Vec<CertificateDer<'static>>);

/// The reason why a file is not a bundle. Its message is a clause with the subject "it".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PemBundleError {
    /// The file does not contain a certificate.
    Empty,
    /// A section is damaged.
    Damaged,
    /// A certificate cannot be an authority.
    Unusable,
}

impl PemBundle {
    /// Parses the content of a PEM file.
    ///
    /// # Errors
    ///
    /// Returns an error for a file without certificates, and for one with a certificate that cannot
    /// be parsed.
    pub fn parse(bytes: &[u8]) -> Result<Self, PemBundleError> {
        let certificates = CertificateDer::pem_slice_iter(bytes)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| PemBundleError::Damaged)?;
        if certificates.is_empty() {
            return Err(PemBundleError::Empty);
        }
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store.add(certificate.clone()).map_err(|_| PemBundleError::Unusable)?;
        }
        Ok(Self(certificates))
    }
}

impl fmt::Display for PemBundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it contains no certificate",
            Self::Damaged => "it is damaged",
            Self::Unusable => "it contains a certificate that does not parse",
        })
    }
}

impl std::error::Error for PemBundleError {}

/// Returns the TLS configuration of a client. The system's roots are read only for https, because
/// reading them takes some milliseconds. `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's.
pub(crate) fn config(https: bool, extra: Option<&PemBundle>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    if https {
        let native = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(native.certs);
        if roots.is_empty() && extra.is_none() {
            let reason =
                native.errors.first().map_or("none were found".to_owned(), ToString::to_string);
            return Err(format!(
                "there are no certificate authorities to trust ({reason}); install the system's \
                 (ca-certificates), or name a PEM file"
            ));
        }
    }
    for certificate in extra.map_or(&[][..], |bundle| &bundle.0) {
        roots.add(certificate.clone()).map_err(|error| error.to_string())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
