//! A certificate like those of go-plugin: P-521, self-signed, and a CA.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p521::ecdsa::signature::Signer as _;
use p521::ecdsa::{Signature, SigningKey, VerifyingKey};
use rustls::client::ResolvesClientCert;
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;
use rustls::{SignatureAlgorithm, SignatureScheme};

/// A key with its certificate, which a host presents to its plugin.
#[derive(Clone, Debug)]
pub struct HostCertificate {
    der: Vec<u8>,
    key: Arc<Key>,
}

/// Encodes one DER element.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        length @ 0..=0x7f => out.push(u8::try_from(length).unwrap_or_default()),
        length => {
            let bytes: Vec<u8> =
                length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            out.push(0x80 | u8::try_from(bytes.len()).unwrap_or_default());
            out.extend(bytes);
        }
    }
    out.extend(content);
    out
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    der(0x30, &parts.concat())
}

impl HostCertificate {
    /// Generates a key and its certificate.
    #[must_use]
    pub fn new() -> Self {
        let random = rustls::crypto::ring::default_provider().secure_random;
        let key = loop {
            let mut scalar = [0; 66];
            random.fill(&mut scalar).expect("random bytes");
            // 521 bits are 65 bytes and one bit.
            scalar[0] &= 1;
            if let Ok(key) = SigningKey::from_slice(&scalar) {
                break key;
            }
        };
        let mut serial = [0; 16];
        random.fill(&mut serial).expect("random bytes");
        serial[0] = serial[0] & 0x7f | 1;

        const ECDSA_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04];
        const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
        const SECP521R1: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];
        let algorithm = sequence(&[der(6, ECDSA_SHA512)]);
        // CN=localhost, O=HashiCorp
        let attribute = |oid: &[u8], text: &str| {
            der(0x31, &sequence(&[der(6, oid), der(0x0c, text.as_bytes())]))
        };
        let name = sequence(&[
            attribute(&[0x55, 4, 10], "HashiCorp"),
            attribute(&[0x55, 4, 3], "localhost"),
        ]);
        let validity = sequence(&[der(0x17, b"240101000000Z"), der(0x18, b"20540101000000Z")]);
        let mut point = vec![0];
        point.extend(VerifyingKey::from(&key).to_encoded_point(false).as_bytes());
        let public =
            sequence(&[sequence(&[der(6, EC_PUBLIC_KEY), der(6, SECP521R1)]), der(3, &point)]);
        let critical = der(1, &[0xff]);
        let extension = |id: u8, critical: Option<&Vec<u8>>, value: Vec<u8>| {
            let mut parts = vec![der(6, &[0x55, 0x1d, id])];
            parts.extend(critical.cloned());
            parts.push(der(4, &value));
            sequence(&parts)
        };
        let usage = |purpose: u8| der(6, &[0x2b, 6, 1, 5, 5, 7, 3, purpose]);
        let extensions = sequence(&[
            // Signature, key encipherment, key agreement and signing of certificates.
            extension(15, Some(&critical), der(3, &[2, 0b1010_1100])),
            extension(37, None, sequence(&[usage(2), usage(1)])),
            extension(19, Some(&critical), sequence(&[der(1, &[0xff])])),
            extension(17, None, sequence(&[der(0x82, b"localhost")])),
        ]);
        let content = sequence(&[
            der(0xa0, &der(2, &[2])),
            der(2, &serial),
            algorithm.clone(),
            name.clone(),
            validity,
            name,
            public,
            der(0xa3, &extensions),
        ]);
        let signature: Signature = key.sign(&content);
        let mut bits = vec![0];
        bits.extend(signature.to_der().as_bytes());
        let der = sequence(&[content, algorithm, der(3, &bits)]);
        Self { der, key: Arc::new(Key(key)) }
    }

    /// Returns the certificate as the value of `PLUGIN_CLIENT_CERT`.
    #[must_use]
    pub fn pem(&self) -> String {
        let text = STANDARD.encode(&self.der);
        let lines: Vec<&str> = text
            .as_bytes()
            .chunks(64)
            .map(|line| std::str::from_utf8(line).unwrap_or_default())
            .collect();
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
    }

    /// Returns the certificate with the key of another one, which an intruder could present.
    #[must_use]
    pub fn with_key_of(&self, other: &Self) -> Self {
        Self { der: self.der.clone(), key: Arc::clone(&other.key) }
    }

    /// Returns a resolver that presents the certificate to every server, like go-plugin.
    pub(super) fn resolver(&self) -> Arc<dyn ResolvesClientCert> {
        let chain = vec![CertificateDer::from(self.der.clone())];
        let key = CertifiedKey::new(chain, Arc::clone(&self.key) as _);
        Arc::new(Always(Arc::new(key)))
    }
}

impl Default for HostCertificate {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Debug)]
struct Always(Arc<CertifiedKey>);

impl ResolvesClientCert for Always {
    fn resolve(&self, _: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        // Go does not present a certificate whose signatures the server does not accept.
        schemes.contains(&SignatureScheme::ECDSA_NISTP521_SHA512).then(|| Arc::clone(&self.0))
    }

    fn has_certs(&self) -> bool {
        true
    }
}

struct Key(SigningKey);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl rustls::sign::SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn rustls::sign::Signer>> {
        offered
            .contains(&SignatureScheme::ECDSA_NISTP521_SHA512)
            .then(|| Box::new(KeySigner(self.0.clone())) as _)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

struct KeySigner(SigningKey);

impl std::fmt::Debug for KeySigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeySigner")
    }
}

impl rustls::sign::Signer for KeySigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let signature: Signature = self.0.sign(message);
        Ok(signature.to_der().as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP521_SHA512
    }
}
