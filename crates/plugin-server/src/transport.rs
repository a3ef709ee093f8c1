//! Accepting connections, TLS and HTTP/2.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio_rustls::TlsAcceptor;
use tonic::body::Body;
use tower_service::Service as _;

use crate::host_services::HostServices;
use crate::lifecycle::Lifecycle;
use crate::listen::{Listener, Stream};
use crate::pb::plugin::grpc_controller_server::GrpcControllerServer;
use crate::pb::plugin::grpc_stdio_server::GrpcStdioServer;
use crate::pb::tfplugin6::provider_server::ProviderServer;
use crate::provider_service::ProviderService;
use crate::tls::ACCEPT_TIMEOUT;

/// The largest message in either direction, in bytes, as in HashiCorp's providers.
pub(crate) const MAX_MESSAGE: usize = 256 << 20;

/// All services of the process.
#[derive(Clone)]
pub(crate) struct Services {
    provider: ProviderServer<ProviderService>,
    stdio: GrpcStdioServer<HostServices>,
    controller: GrpcControllerServer<HostServices>,
}

impl Services {
    pub(crate) fn new(provider: ProviderService, lifecycle: &Arc<Lifecycle>) -> Self {
        let host = HostServices(Arc::clone(lifecycle));
        Self {
            provider: ProviderServer::new(provider)
                .max_decoding_message_size(MAX_MESSAGE)
                .max_encoding_message_size(MAX_MESSAGE),
            stdio: GrpcStdioServer::new(host.clone()),
            controller: GrpcControllerServer::new(host),
        }
    }

    /// Passes a request to the service in its path. An unknown service is not implemented.
    pub(crate) async fn call(
        mut self,
        request: Request<Body>,
    ) -> Result<Response<Body>, Infallible> {
        let path = request.uri().path();
        let service = path.strip_prefix('/').and_then(|path| path.split('/').next()).unwrap_or("");
        let response = match service {
            "tfplugin6.Provider" => self.provider.call(request).await,
            "plugin.GRPCStdio" => self.stdio.call(request).await,
            "plugin.GRPCController" => self.controller.call(request).await,
            _ => Ok(tonic::Status::unimplemented("unknown service").into_http()),
        };
        response.map(with_grpc_code)
    }
}

/// Replaces the status "out of range", which tonic returns for a message that is too large, by
/// "resource exhausted", which gRPC hosts expect.
fn with_grpc_code(mut response: Response<Body>) -> Response<Body> {
    let is_out_of_range = response.headers().get("grpc-status").is_some_and(|code| code == "11");
    if is_out_of_range {
        response.headers_mut().insert("grpc-status", http::HeaderValue::from_static("8"));
    }
    response
}

/// Accepts connections until shutdown begins. `services` returns those of a new connection.
///
/// Each connection has a task of its own from the beginning, so that peers that connect and do not
/// send anything do not delay others.
pub(crate) async fn serve(
    listener: &Listener,
    tls: Option<TlsAcceptor>,
    lifecycle: &Arc<Lifecycle>,
    services: impl Fn() -> Services,
) {
    let shutdown = lifecycle.shutdown_token();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok(Some(stream)) => stream,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                // The likely cause is that all file descriptors are in use until another connection
                // closes.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let tls = tls.clone();
        let services = services();
        let lifecycle = Arc::clone(lifecycle);
        tokio::spawn(async move {
            let Some(tls) = tls else { return connection(stream, services, &lifecycle).await };
            match tokio::time::timeout(ACCEPT_TIMEOUT, tls.accept(stream)).await {
                Ok(Ok(stream)) => connection(Box::pin(stream), services, &lifecycle).await,
                Ok(Err(error)) => tracing::warn!(%error, "a connection was refused"),
                Err(_) => {
                    tracing::warn!("a connection did not complete its handshake and was closed")
                }
            }
        });
    }
}

/// Serves one connection to its end.
pub(crate) async fn connection(
    stream: Pin<Box<dyn Stream>>,
    services: Services,
    lifecycle: &Arc<Lifecycle>,
) {
    let _open = lifecycle.connection();
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        // Large states must not wait for window updates.
        .initial_stream_window_size(8 << 20)
        .initial_connection_window_size(16 << 20)
        // Terraform's -parallelism is the limit.
        .max_concurrent_streams(None)
        // An interrupted host resets all its streams at once, which is not an attack here.
        .max_pending_accept_reset_streams(1 << 16);
    let served = builder.serve_connection(
        TokioIo::new(stream),
        service_fn(move |request: Request<Incoming>| services.clone().call(request.map(Body::new))),
    );
    let mut served = std::pin::pin!(served);
    let result = tokio::select! {
        result = served.as_mut() => result,
        () = lifecycle.shutdown_token().cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended");
    }
}
