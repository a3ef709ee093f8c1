//! TLS with certificates of every kind, and a proxy, between provider and service.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
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
        let key = KeyPair::generate().expect("a key");
        let pem = parameters.self_signed(&key).expect("a certificate").pem();
        Self { issuer: Issuer::new(parameters, key), pem }
    }

    fn certify(
        &self,
        host: &str,
        expired: bool,
    ) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).expect("a name");
        if expired {
            parameters.not_before = date_time_ymd(2020, 1, 1);
            parameters.not_after = date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a PKCS 8 key");
        (certificate.der().clone(), key)
    }

    /// Terminates TLS with a certificate for this host and forwards everything to the service.
    pub(crate) fn serve(&self, host: &str, expired: bool, service: SocketAddr) -> TlsFront {
        self.serve_protocols(host, expired, &[], service)
    }

    fn serve_protocols(
        &self,
        host: &str,
        expired: bool,
        protocols: &[&[u8]],
        service: SocketAddr,
    ) -> TlsFront {
        let (certificate, key) = self.certify(host, expired);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a certificate with its key");
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
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

/// A forwarder to the service that counts its connections, until it is dropped.
pub(crate) struct CountedWay {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl CountedWay {
    pub(crate) fn to(service: SocketAddr) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a socket on loopback");
        let address = listener.local_addr().expect("its address");
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        runtime.spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    if let Ok(mut server) = tokio::net::TcpStream::connect(service).await {
                        _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self { address, connections, _runtime: runtime }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// A proxy that records the bytes that it receives and connects every tunnel to one address.
#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub(crate) fn start(to: SocketAddr) -> Self {
        Self::serve(Ok(to))
    }

    /// Starts a proxy that responds to every tunnel with a status.
    pub(crate) fn refusing(status: u16) -> Self {
        Self::serve(Err(status))
    }

    fn serve(to: Result<SocketAddr, u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket on loopback");
        let address = listener.local_addr().expect("its address");
        let proxy = Self { address, seen: Arc::default() };
        let serving = proxy.clone();
        // Ends with the test's process: nothing else would wake it.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = serving.clone();
                std::thread::spawn(move || serving.tunnel(&stream, to));
            }
        });
        proxy
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns everything that could be read on the way: requests to the proxy, and the bytes in
    /// tunnels.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("the list").clone()
    }

    fn note(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.seen.lock().expect("the list").push(text);
    }

    fn tunnel(&self, client: &TcpStream, to: Result<SocketAddr, u16>) {
        let mut reader = BufReader::new(client);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or_default() == 0 {
                break;
            }
        }
        self.note(head.as_bytes());
        let mut client_out = client;
        let to = if head.starts_with("CONNECT ") { to } else { Err(502) };
        let to = match to {
            Ok(to) => to,
            Err(status) => {
                let response = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n");
                _ = client_out.write_all(response.as_bytes());
                return;
            }
        };
        let Ok(server) = TcpStream::connect(to) else { return };
        _ = client_out.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut from, mut into) = (&server, client);
                _ = std::io::copy(&mut from, &mut into);
                _ = client.shutdown(std::net::Shutdown::Write);
            });
            let mut buffer = [0; 4096];
            let mut into = &server;
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let read = buffer.get(..count).unwrap_or_default();
                self.note(read);
                if into.write_all(read).is_err() {
                    break;
                }
            }
            _ = server.shutdown(std::net::Shutdown::Write);
        });
    }
}
