//! Verification of certificates by the system, on Windows and macOS.
//!
//! Their stores do not contain every authority that the system trusts: Windows downloads a root
//! when it is first needed. So the system has to decide, as it does for programs in Go. The certificates
//! of a file are checked by rustls first, on every system by the same rules. They are not given to the
//! system as extra roots (`Verifier::new_with_extra_roots`), because wine 8.0 refuses that.

use std::ffi::OsString;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Returns whether the system verifies certificates. `SSL_CERT_FILE` and `SSL_CERT_DIR` replace its
/// authorities on every system.
pub(crate) fn is_used(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_vendor = "apple"))
        && !is_set("SSL_CERT_FILE")
        && !is_set("SSL_CERT_DIR")
}

/// Trusts the certificates that the system accepts, and those of a file.
#[derive(Debug)]
pub(crate) struct SystemVerifier {
    system: rustls_platform_verifier::Verifier,
    file: Option<Arc<WebPkiServerVerifier>>,
}

impl SystemVerifier {
    /// Creates a verifier with the authorities of a file, which may be none.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not offer the verification.
    pub(crate) fn new(file: RootCertStore, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let system = rustls_platform_verifier::Verifier::new(Arc::clone(provider))
            .map_err(|error| error.to_string())?;
        let file = (!file.is_empty())
            .then(|| {
                WebPkiServerVerifier::builder_with_provider(Arc::new(file), Arc::clone(provider))
                    .build()
            })
            .transpose()
            .map_err(|error| error.to_string())?;
        Ok(Self { system, file })
    }
}

impl ServerCertVerifier for SystemVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let by_system =
            || self.system.verify_server_cert(certificate, intermediates, name, ocsp, now);
        let Some(file) = &self.file else { return by_system() };
        let Err(of_file) = file.verify_server_cert(certificate, intermediates, name, ocsp, now)
        else {
            return Ok(ServerCertVerified::assertion());
        };
        by_system().map_err(|of_system| match of_system {
            // An expired certificate of an authority in the file, for example.
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => of_file,
            of_system => of_system,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.system.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};

    use super::*;

    struct Authority {
        issuer: Issuer<'static, KeyPair>,
        certificate: CertificateDer<'static>,
    }

    impl Authority {
        fn new() -> Self {
            let mut parameters = CertificateParams::new(Vec::new()).unwrap();
            parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let key = KeyPair::generate().unwrap();
            let certificate = parameters.self_signed(&key).unwrap().der().clone();
            Self { issuer: Issuer::new(parameters, key), certificate }
        }

        fn issue(&self, host: &str, until: i32) -> CertificateDer<'static> {
            let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
            parameters.not_before = date_time_ymd(2020, 1, 1);
            parameters.not_after = date_time_ymd(until, 1, 1);
            let key = KeyPair::generate().unwrap();
            parameters.signed_by(&key, &self.issuer).unwrap().der().clone()
        }
    }

    fn verify(file: &[&Authority], certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let mut roots = RootCertStore::empty();
        for authority in file {
            roots.add(authority.certificate.clone()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = SystemVerifier::new(roots, &provider).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        verifier.verify_server_cert(certificate, &[], &name, &[], UnixTime::now()).map(drop)
    }

    #[test]
    fn authority_of_the_file_is_trusted_in_addition_to_the_system() {
        let authority = Authority::new();
        let other = Authority::new();
        let valid = authority.issue("localhost", 2100);
        assert_eq!(verify(&[&other, &authority], &valid), Ok(()));
        for (file, certificate, reason) in [
            (&[][..], &valid, ""),
            (&[&other], &valid, ""),
            (&[&authority], &authority.issue("localhost", 2021), "expired"),
            (&[&authority], &authority.issue("example.com", 2100), "name"),
        ] {
            let refused = verify(file, certificate).unwrap_err();
            assert!(matches!(refused, Error::InvalidCertificate(_)), "{refused}");
            assert!(refused.to_string().contains(reason), "{refused}");
        }
    }

    #[test]
    fn variables_replace_the_system_on_every_platform() {
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            assert!(!is_used(|variable| (variable == name).then(|| "roots".into())), "{name}");
        }
        for value in [None, Some(OsString::new())] {
            assert_eq!(is_used(|_| value.clone()), cfg!(any(windows, target_vendor = "apple")));
        }
    }
}
