//! Proxies: their use, refusals, invalid settings, and the redaction of their credentials.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::certificates::Authority;
use crate::*;

/// Returns a proxy that responds to every CONNECT with a status, over TLS if there is an acceptor.
/// After a 200 it connects to the port `service`.
async fn proxy(
    status: &'static str,
    tls: Option<TlsAcceptor>,
    service: u16,
) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connects = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connects);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            match &tls {
                None => respond(stream, status, service, &counted).await,
                Some(tls) => {
                    respond(tls.accept(stream).await.unwrap(), status, service, &counted).await;
                }
            }
        }
    });
    (port, connects)
}

/// Responds to one CONNECT with a status.
async fn respond(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    status: &str,
    service: u16,
    counted: &AtomicUsize,
) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            break;
        }
    }
    let request = String::from_utf8_lossy(&request).to_ascii_lowercase();
    assert!(request.starts_with("connect access.invalid:443 http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nhost: access.invalid:443\r\n"), "{request}");
    assert!(request.contains("proxy-authorization: basic dxnlcjpwcm94es1zzwnyzxq=\r\n"));
    assert!(!request.contains("canary"), "{request}");
    counted.fetch_add(1, Ordering::SeqCst);
    if status.starts_with('2') {
        // In two parts, as a slow proxy responds.
        _ = stream.write_all(format!("HTTP/1.1 {status}\r\nvia: proxy\r\n").as_bytes()).await;
        _ = stream.flush().await;
        tokio::task::yield_now().await;
        _ = stream.write_all(b"\r\n").await;
        let mut upstream = tokio::net::TcpStream::connect(("127.0.0.1", service)).await.unwrap();
        _ = tokio::io::copy_bidirectional(&mut stream, &mut upstream).await;
    } else {
        let page = "<html>refused</html>";
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", page.len());
        _ = stream.write_all(format!("{head}{page}").as_bytes()).await;
        _ = stream.shutdown().await;
    }
}

fn proxied(variables: &[(&'static str, &'static str)], port: u16) -> Settings {
    let value = |name: &str| {
        let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
        Some(value.replace("PORT", &port.to_string()))
    };
    Settings {
        max_retries: 1,
        proxy: ProxySettings::from_env(value),
        ..settings("https://access.invalid")
    }
}

const USER: &str = "http://user:proxy-secret@127.0.0.1:PORT";
const OVER_TLS: &str = "https://user:proxy-secret@127.0.0.1:PORT";

#[tokio::test]
async fn service_is_reached_through_the_proxy() {
    let authority = Authority::new();
    let service = authority.serve("access.invalid", false).await;
    for (url, over_tls) in [(USER, false), (OVER_TLS, true)] {
        let tls = TlsAcceptor::from(Arc::new(authority.server_config("127.0.0.1", false)));
        let tls = over_tls.then_some(tls);
        let (port, connects) = proxy("200 Connected", tls, service.port()).await;
        let mut settings = proxied(&[("HTTPS_PROXY", url)], port);
        settings.extra_roots = Some(authority.bundle());
        get(&Client::new(settings).unwrap()).await.unwrap();
        assert_eq!(connects.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn proxy_that_refuses_is_named() {
    // Each case waits for its retry, so they run side by side.
    let mut cases = tokio::task::JoinSet::new();
    for (variables, variable) in [
        (&[("HTTPS_PROXY", USER)][..], "HTTPS_PROXY"),
        // A proxy for other programs does not count, nor is it an error.
        (&[("https_proxy", USER), ("ALL_PROXY", "socks5h://127.0.0.1:1")], "https_proxy"),
        (&[("HTTPS_PROXY", " "), ("https_proxy", USER)], "https_proxy"),
        (&[("https_proxy", "user:proxy-secret@127.0.0.1:PORT")], "https_proxy"),
        (&[("HTTPS_PROXY", OVER_TLS)], "HTTPS_PROXY"),
    ] {
        for (status, reason) in [
            ("407 Proxy Authentication Required", "proxy authorization required"),
            ("403 Forbidden", "tunnel"),
            ("502 Bad Gateway", "tunnel"),
        ] {
            cases.spawn(refused_by_proxy(variables, variable, status, reason));
        }
    }
    cases.join_all().await;
}

async fn refused_by_proxy(
    variables: &[(&'static str, &'static str)],
    variable: &'static str,
    status: &'static str,
    reason: &str,
) {
    let authority = Authority::new();
    let tls = TlsAcceptor::from(Arc::new(authority.server_config("127.0.0.1", false)));
    let tls = (variables[0].1 == OVER_TLS).then_some(tls);
    let (port, connects) = proxy(status, tls, 0).await;
    let mut settings = proxied(variables, port);
    settings.extra_roots = Some(authority.bundle());
    let client = Client::new(settings).unwrap();
    // Nothing was sent, so a POST is sent again as well.
    let error = post(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Proxy { variable }, "{error}");
    assert!(error.affects_every_object());
    assert_eq!(error.attempts(), 2, "{error}");
    assert!(!error.may_have_been_processed());
    let shown = format!("{error} {error:?}");
    assert!(shown.contains(variable) && shown.contains(reason), "{shown}");
    assert!(!shown.contains("proxy-secret") && !shown.contains("canary"), "{shown}");
    assert_eq!(connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn proxy_that_does_not_respond_is_named() {
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = Server::start(vec![]).await;
    let closed_port = closed.port();
    closed.close().await;
    tokio::time::pause();
    for port in [closed_port, hanging.local_addr().unwrap().port()] {
        let client = Client::new(proxied(&[("HTTPS_PROXY", USER)], port)).unwrap();
        let error = get(&client).await.unwrap_err();
        let expected = ErrorKind::Proxy { variable: "HTTPS_PROXY" };
        assert_eq!(error.kind(), expected, "{error}");
        assert!(!error.may_have_been_processed());
    }
}

#[tokio::test]
async fn loopback_address_is_reached_without_the_proxy() {
    let authority = Authority::new();
    let plain = Server::start(vec![Reply::ok(ROLE)]).await;
    let secure = authority.serve("127.0.0.1", false).await;
    for (scheme, server) in [("http", plain), ("https", secure)] {
        let mut settings = proxied(&[("HTTPS_PROXY", "http://127.0.0.1:1")], 0);
        settings.base_url =
            BaseUrl::parse(&format!("{scheme}://127.0.0.1:{}", server.port())).unwrap();
        settings.extra_roots = Some(authority.bundle());
        get(&Client::new(settings).unwrap()).await.unwrap();
    }
}

/// A gateway may repeat the headers that the proxy has added.
#[test]
fn password_of_the_proxy_is_redacted_in_texts_of_the_service() {
    let client = Client::new(proxied(&[("HTTPS_PROXY", USER)], 1)).unwrap();
    let shown = client.presentable("proxy-secret proxy%2Dsecret");
    assert_eq!(shown, "[redacted] [redacted]");
}

/// The tests of `NO_PROXY` in the module have every form of an entry.
#[tokio::test]
async fn exception_is_reached_directly() {
    for (no_proxy, kind) in [
        ("*.other.example,access.invalid:443", ErrorKind::Unreachable),
        ("*.other.example,access.invalid:8443", ErrorKind::Proxy { variable: "HTTPS_PROXY" }),
    ] {
        let variables = [("HTTPS_PROXY", "http://127.0.0.1:1"), ("NO_PROXY", no_proxy)];
        let client = Client::new(proxied(&variables, 0)).unwrap();
        assert_eq!(get(&client).await.unwrap_err().kind(), kind, "{no_proxy}");
    }
}

#[test]
fn proxy_that_cannot_be_parsed_is_an_error_and_never_a_direct_connection() {
    for (variable, value) in [
        ("HTTPS_PROXY", "http://user:proxy-secret@:3128"),
        ("HTTPS_PROXY", "http://user:proxy-secret@proxy:notaport"),
        ("https_proxy", "::"),
        ("HTTPS_PROXY", "socks5://user:proxy-secret@127.0.0.1:1080"),
        ("https_proxy", "http://"),
        // The forms in which Windows stores its own setting.
        ("HTTPS_PROXY", "http=proxy.example:80;https=proxy.example:443"),
        ("HTTPS_PROXY", "https=proxy.example"),
        ("HTTPS_PROXY", "proxy.example;other.example"),
        // Not UTF-8.
        ("https_proxy", "http://user:proxy-secret\u{fffd}@proxy.example"),
        // The key, by mistake.
        ("HTTPS_PROXY", KEY),
    ] {
        let mut settings = proxied(&[], 0);
        settings.proxy =
            ProxySettings::from_env(|name| (name == variable).then(|| value.to_owned()));
        let error = Client::new(settings.clone()).err().unwrap().to_string();
        assert!(error.contains(variable), "{error}");
        let shown = format!("{error} {settings:?}");
        assert!(!shown.contains("proxy-secret") && !shown.contains("canary"), "{shown}");
        // A loopback address is reached without a proxy, but the variable is wrong all the same.
        settings.base_url = BaseUrl::parse("https://localhost:1").unwrap();
        assert!(Client::new(settings).err().unwrap().to_string().contains(variable));
    }
}
