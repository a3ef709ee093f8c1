//! The HTTP client: reqwest, with a limit of the time to connect.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Bytes;
use rustls::ClientConfig;
use tower_layer::Layer;
use tower_service::Service;

use crate::gate::Gate;
use crate::invalid::Invalid;
use crate::transport_error::{BoxError, ConnectTimeout};

/// The connect timeout as a fraction of `request_timeout`. It is shorter, so that a connection that
/// cannot be established is reported as such: only then may a POST be sent again.
const CONNECT_TIMEOUT_FRACTION: f64 = 0.75;

/// Balancers and servers close idle connections after 60 s or more. Closing them well before keeps
/// a POST, which is not sent again, off a connection that the service closes at the same moment.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// The HTTP client, or the network of a test.
pub(crate) enum HttpClient {
    Real(reqwest::Client),
    #[cfg(feature = "simulation")]
    Simulated(Arc<dyn crate::simulation::Network>),
}

impl HttpClient {
    /// Builds the client. It follows no redirect, and `retry` decides what is sent again.
    pub(crate) fn new(
        tls: ClientConfig,
        proxy: Option<reqwest::Proxy>,
        request_timeout: Duration,
        gate: Arc<Gate>,
    ) -> Result<Self, Invalid> {
        #[cfg(feature = "simulation")]
        if let Some(network) = crate::simulation::installed() {
            return Ok(Self::Simulated(network));
        }
        let timeout = request_timeout.mul_f64(CONNECT_TIMEOUT_FRACTION);
        // Without this, reqwest reads the variables itself, and ignores what it cannot parse.
        let mut builder = reqwest::Client::builder().no_proxy();
        if let Some(proxy) = proxy {
            builder = builder.proxy(proxy);
        }
        builder
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .tcp_nodelay(true)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            // Divided among the addresses of a host.
            .connect_timeout(timeout)
            .connector_layer(ConnectLimit { timeout, gate })
            .build()
            .map(Self::Real)
            .map_err(|error| Invalid::from(error.to_string()))
    }

    /// Sends a request. Redirects are not followed.
    pub(crate) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<reqwest::Body>, BoxError> {
        match self {
            Self::Real(client) => Ok(client.execute(request.try_into()?).await?.into()),
            #[cfg(feature = "simulation")]
            Self::Simulated(network) => crate::simulation::send(&**network, request).await,
        }
    }
}

/// The limit of the time to connect, which is shorter before the first connection of a run.
#[derive(Clone)]
struct ConnectLimit {
    timeout: Duration,
    gate: Arc<Gate>,
}

impl<C> Layer<C> for ConnectLimit {
    type Service = LimitedConnector<C>;

    fn layer(&self, connector: C) -> LimitedConnector<C> {
        LimitedConnector { connector, limit: self.clone() }
    }
}

/// A connector with a limit.
#[derive(Clone)]
struct LimitedConnector<C> {
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
        let ConnectLimit { timeout, gate } = self.limit.clone();
        let limit = gate.connect_limit().map_or(timeout, |limit| limit.min(timeout));
        let connecting = self.connector.call(target);
        Box::pin(async move {
            let connected = tokio::time::timeout(limit, connecting).await;
            let connection = connected.map_err(|_| ConnectTimeout)??;
            gate.record_connection();
            Ok(connection)
        })
    }
}
