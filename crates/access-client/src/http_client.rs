//! The HTTP client: hyper-util's, over connections that this crate limits and, through a proxy, opens.
//!
//! reqwest was considered, which is built on hyper-util: it hides the status with which a proxy refuses a
//! tunnel, and accepts no tunnel of its user.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use tower_service::Service;

use crate::connect::{BoxError, ConnectTimeout, Connector, ProxyError};
use crate::health::Health;
use crate::proxy::Proxy;

/// The connect timeout as a fraction of `request_timeout`. It is shorter, so that a connection that
/// cannot be established is reported as such: only then may a POST be sent again.
const CONNECT_TIMEOUT_FRACTION: f64 = 0.75;

/// Balancers and servers close idle connections after 60 s or more. Closing them well before keeps a
/// POST, which is not sent again, off a connection that the service closes at the same moment.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// The body of a response.
pub(crate) type Body = UnsyncBoxBody<Bytes, BoxError>;

/// The HTTP client. It follows no redirects, and leaves connections to hyper-util's pool.
pub(crate) enum HttpClient {
    Pooled(Box<Client<LimitedConnector<HttpsConnector<Connector>>, Full<Bytes>>>),
    #[cfg(feature = "simulation")]
    Simulated(Arc<dyn crate::simulation::Network>),
}

impl HttpClient {
    pub(crate) fn new(
        tls: ClientConfig,
        proxy: Option<Proxy>,
        request_timeout: Duration,
        health: Arc<Health>,
    ) -> Self {
        #[cfg(feature = "simulation")]
        if let Some(network) = crate::simulation::installed() {
            return Self::Simulated(network);
        }
        let timeout = request_timeout.mul_f64(CONNECT_TIMEOUT_FRACTION);
        let through_proxy = proxy.is_some();
        let connector = Connector::new(proxy, tls.clone(), timeout);
        let connector = HttpsConnector::from((connector, tls));
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .build(LimitedConnector { connector, timeout, through_proxy, health });
        Self::Pooled(Box::new(client))
    }

    /// Sends a request.
    pub(crate) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, BoxError> {
        match self {
            Self::Pooled(client) => {
                let response = client.request(request.map(Full::new)).await?;
                Ok(response.map(|body| body.map_err(BoxError::from).boxed_unsync()))
            }
            #[cfg(feature = "simulation")]
            Self::Simulated(network) => crate::simulation::send(&**network, request).await,
        }
    }
}

/// A connector whose connections, with their handshakes, are ready in time.
#[derive(Clone)]
pub(crate) struct LimitedConnector<C> {
    connector: C,
    timeout: Duration,
    through_proxy: bool,
    health: Arc<Health>,
}

impl<R, C> Service<R> for LimitedConnector<C>
where
    C: Service<R, Error = BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let first = self.health.first_response_limit();
        let limit = first.map_or(self.timeout, |first| first.min(self.timeout));
        let (connecting, through_proxy) = (self.connector.call(target), self.through_proxy);
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
