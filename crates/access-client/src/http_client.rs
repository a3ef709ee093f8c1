//! The HTTP client: reqwest, except through a proxy.
//!
//! reqwest hides the status with which a proxy refuses a tunnel, and accepts no tunnel of its user.
//! So requests through a proxy are sent with hyper-util, on which reqwest is built, over a
//! [`Tunnel`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_rustls::HttpsConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use tower_layer::Layer;
use tower_service::Service;

use crate::connect::{BoxError, ConnectTimeout, ProxyError, Tunnel};
use crate::health::Health;
use crate::invalid::Invalid;
use crate::proxy::Proxy;

/// The connect timeout as a fraction of `request_timeout`. It is shorter, so that a connection that
/// cannot be established is reported as such: only then may a POST be sent again.
const CONNECT_TIMEOUT_FRACTION: f64 = 0.75;

/// Balancers and servers close idle connections after 60 s or more. Closing them well before keeps
/// a POST, which is not sent again, off a connection that the service closes at the same moment.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;
/// The client whose connections begin with a CONNECT to the proxy.
type ProxiedClient =
    hyper_util::client::legacy::Client<LimitedConnector<HttpsConnector<Tunnel>>, Full<Bytes>>;

/// The HTTP client. Connections are left to hyper-util's pool in both cases.
pub(crate) enum HttpClient {
    Direct(reqwest::Client),
    Proxied(Box<ProxiedClient>),
    #[cfg(feature = "simulation")]
    Simulated(Arc<dyn crate::simulation::Network>),
}

impl HttpClient {
    /// Builds the client. It follows no redirect, and `retry` decides what is sent again.
    pub(crate) fn new(
        tls: ClientConfig,
        proxy: Option<Proxy>,
        request_timeout: Duration,
        health: Arc<Health>,
    ) -> Result<Self, Invalid> {
        #[cfg(feature = "simulation")]
        if let Some(network) = crate::simulation::installed() {
            return Ok(Self::Simulated(network));
        }
        let timeout = request_timeout.mul_f64(CONNECT_TIMEOUT_FRACTION);
        let limit = ConnectLimit { timeout, through_proxy: proxy.is_some(), health };
        if let Some(proxy) = proxy {
            let tunnel = Tunnel::new(proxy, tls.clone(), timeout);
            let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
                .timer(TokioTimer::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(POOL_IDLE_TIMEOUT)
                .build(limit.layer(HttpsConnector::from((tunnel, tls))));
            return Ok(Self::Proxied(Box::new(client)));
        }
        reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .no_proxy()
            .tcp_nodelay(true)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            // Divided among the addresses of a host.
            .connect_timeout(timeout)
            .connector_layer(limit)
            .build()
            .map(Self::Direct)
            .map_err(|error| Invalid::from(error.to_string()))
    }

    /// Sends a request. Redirects are not followed.
    pub(crate) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<reqwest::Body>, BoxError> {
        match self {
            Self::Direct(client) => Ok(client.execute(request.try_into()?).await?.into()),
            Self::Proxied(client) => {
                Ok(client.request(request.map(Full::new)).await?.map(reqwest::Body::wrap))
            }
            #[cfg(feature = "simulation")]
            Self::Simulated(network) => crate::simulation::send(&**network, request).await,
        }
    }
}

/// The limit of the time to connect.
#[derive(Clone)]
struct ConnectLimit {
    timeout: Duration,
    through_proxy: bool,
    health: Arc<Health>,
}

impl<C> Layer<C> for ConnectLimit {
    type Service = LimitedConnector<C>;

    fn layer(&self, connector: C) -> LimitedConnector<C> {
        LimitedConnector { connector, limit: self.clone() }
    }
}

/// A connector with a limit.
#[derive(Clone)]
pub(crate) struct LimitedConnector<C> {
    connector: C,
    limit: ConnectLimit,
}

impl<R, C> Service<R> for LimitedConnector<C>
where
    C: Service<R, Error = BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Connecting<C::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let ConnectLimit { timeout, through_proxy, health } = &self.limit;
        let limit = health.first_response_limit().map_or(*timeout, |limit| limit.min(*timeout));
        let connecting = self.connector.call(target);
        let through_proxy = *through_proxy;
        Box::pin(async move {
            tokio::time::timeout(limit, connecting).await.unwrap_or_else(|_| {
                Err(if through_proxy {
                    ProxyError::new(ConnectTimeout).into()
                } else {
                    ConnectTimeout.into()
                })
            })
        })
    }
}
