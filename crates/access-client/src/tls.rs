//! The trusted certificates: those of the system, and those of a file.
//!
//! ring is selected explicitly. If two crypto providers are compiled in, rustls's default selection
//! panics at the first connection.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::invalid::Invalid;
use crate::system_verifier::{self, SystemVerifier};

/// The line before a certificate.
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

/// Certificates of authorities that are trusted in addition to the system's.
#[derive(Clone, Debug)]
pub struct PemBundle(Vec<CertificateDer<'static>>);

impl PemBundle {
    /// Reads a PEM file.
    ///
    /// # Errors
    ///
    /// Returns a sentence with the path and what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        fs::read(path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| Self::parse(&bytes).map_err(|error| error.to_string()))
            .map_err(|error| {
                let path = path.display();
                format!("Could not use {path} as a PEM file of certificates: {error}.")
            })
    }

    /// Parses the content of a PEM file.
    ///
    /// # Errors
    ///
    /// Returns an error for a file without certificates, and for one with a certificate that cannot
    /// be parsed. No certificate is skipped.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        if is_utf16(bytes) {
            return Err("it is in UTF-16; save it in UTF-8".into());
        }
        // Some editors and PowerShell begin a file in UTF-8 with a byte order mark. It is within
        // the file if that was concatenated from others.
        let text = String::from_utf8_lossy(bytes).replace('\u{feff}', "");
        let damaged = "it contains a certificate that is damaged, or that does not begin on a line of its own";
        let certificates = CertificateDer::pem_slice_iter(text.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| damaged)?;
        // The parser skips a certificate if there is anything before it on its first line.
        if text.matches(BEGIN).count() > certificates.len() {
            return Err(damaged.into());
        }
        if certificates.is_empty() {
            return Err("it contains no certificate".into());
        }
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store
                .add(certificate.clone())
                .map_err(|_| "it contains a certificate that does not parse")?;
        }
        Ok(Self(certificates))
    }
}

/// Returns whether a part of the file is in UTF-16, in which PowerShell writes files by default.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.windows(4).any(|part| part == b"-\0-\0" || part == b"\0-\0-")
}

/// Returns the TLS configuration of a client. The system's roots are read only for https, because
/// reading them takes some milliseconds. `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's.
pub(crate) fn config(https: bool, extra: Option<&PemBundle>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in extra.map_or(&[][..], |bundle| &bundle.0) {
        roots.add(certificate.clone()).map_err(|error| error.to_string())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = if https && system_verifier::is_used(|name| std::env::var_os(name)) {
        let verifier = SystemVerifier::new(roots, &provider)?;
        config.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        if https {
            add_system_roots(&mut roots)?;
        }
        config.with_root_certificates(roots)
    };
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Adds the roots of the system's store. An error only if there are no others either.
fn add_system_roots(roots: &mut RootCertStore) -> Result<(), String> {
    let native = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(native.certs);
    if !roots.is_empty() {
        return Ok(());
    }
    let reason = native.errors.first().map_or("none were found".to_owned(), ToString::to_string);
    Err(format!(
        "there are no certificate authorities to trust ({reason}). Install the system's (package \
         `ca-certificates`), or set SSL_CERT_FILE to a PEM file with the authority of the service"
    ))
}
