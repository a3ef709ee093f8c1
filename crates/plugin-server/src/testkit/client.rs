//! The client of a host: the calls of the protocol, and those of go-plugin.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response, Uri};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::Streaming;
use tonic::body::Body;

use super::proto::tfplugin6 as pb;
use crate::pb::plugin::grpc_controller_client::GrpcControllerClient;
use crate::pb::plugin::grpc_stdio_client::GrpcStdioClient;
use crate::pb::plugin::{Empty, StdioData};
use crate::pb::tfplugin6::provider_client::ProviderClient;
use crate::transport::Services;

/// The way to the services, shared by all clients on it.
#[derive(Clone)]
enum Channel {
    Http2(http2::SendRequest<Body>),
    /// Services of this process, without a connection.
    Direct(Box<Services>),
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Channel")
    }
}

impl tower_service::Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match self {
            Self::Http2(connection) => connection.poll_ready(context),
            Self::Direct(_) => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self {
            Self::Http2(connection) => {
                let response = connection.send_request(request);
                Box::pin(async { Ok(response.await?.map(Body::new)) })
            }
            Self::Direct(services) => {
                let response = services.clone().call(request);
                Box::pin(async { response.await.map_err(|never| match never {}) })
            }
        }
    }
}

/// A call that failed with a gRPC status instead of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallError {
    /// The gRPC code, such as 12 for a call that is not implemented.
    pub code: i32,
    /// The message of the status.
    pub message: String,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gRPC code {}: {}", self.code, self.message)
    }
}

impl std::error::Error for CallError {}

/// Converts the status, because tonic is no part of the public interface.
fn call_error(status: tonic::Status) -> CallError {
    CallError { code: status.code().into(), message: status.message().to_owned() }
}

/// A host's connection to a provider, with a method for each call of the protocol.
///
/// Clones share the connection, which ends with the last of them. A call without a response returns
/// the gRPC status.
#[derive(Clone, Debug)]
pub struct Client {
    provider: ProviderClient<Channel>,
    channel: Channel,
}

macro_rules! calls {
    ($($call:ident: $rpc:literal),* $(,)?) => {
        impl Client {
            $(
                #[doc = concat!("Calls `", $rpc, "`.")]
                pub async fn $call(
                    &self,
                    request: pb::$call::Request,
                ) -> Result<pb::$call::Response, CallError> {
                    let response = self.provider.clone().$call(request).await;
                    response.map(tonic::Response::into_inner).map_err(call_error)
                }
            )*
        }
    };
}

calls! {
    apply_resource_change: "ApplyResourceChange",
    configure_provider: "ConfigureProvider",
    generate_resource_config: "GenerateResourceConfig",
    get_functions: "GetFunctions",
    get_metadata: "GetMetadata",
    get_provider_schema: "GetProviderSchema",
    get_resource_identity_schemas: "GetResourceIdentitySchemas",
    import_resource_state: "ImportResourceState",
    move_resource_state: "MoveResourceState",
    plan_resource_change: "PlanResourceChange",
    read_data_source: "ReadDataSource",
    read_resource: "ReadResource",
    stop_provider: "StopProvider",
    upgrade_resource_identity: "UpgradeResourceIdentity",
    upgrade_resource_state: "UpgradeResourceState",
    validate_data_resource_config: "ValidateDataResourceConfig",
    validate_list_resource_config: "ValidateListResourceConfig",
    validate_provider_config: "ValidateProviderConfig",
    validate_resource_config: "ValidateResourceConfig",
}

impl Client {
    /// Opens an HTTP/2 connection over a connected stream.
    pub(super) async fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, hyper::Error> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(8 << 20).initial_connection_window_size(16 << 20);
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
        // The task ends with the last client. The client's calls return the same error.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self::new(Channel::Http2(sender)))
    }

    /// Calls services of this process.
    pub(super) fn direct(services: Services) -> Self {
        Self::new(Channel::Direct(Box::new(services)))
    }

    fn new(channel: Channel) -> Self {
        let provider = ProviderClient::with_origin(channel.clone(), origin())
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX);
        Self { provider, channel }
    }

    /// Calls `ListResource`.
    pub async fn list_resource(
        &self,
        request: pb::list_resource::Request,
    ) -> Result<ListEvents, CallError> {
        let response = self.provider.clone().list_resource(request).await.map_err(call_error)?;
        Ok(ListEvents(response.into_inner()))
    }

    /// Asks the process to exit.
    pub async fn shutdown(&self) -> Result<(), CallError> {
        let mut controller = GrpcControllerClient::with_origin(self.channel.clone(), origin());
        controller.shutdown(Empty {}).await.map_err(call_error)?;
        Ok(())
    }

    /// Opens the stream of the process's further output.
    pub async fn stdio(&self) -> Result<SilentStream, CallError> {
        let mut stdio = GrpcStdioClient::with_origin(self.channel.clone(), origin());
        let stream = stdio.stream_stdio(()).await.map_err(call_error)?;
        Ok(SilentStream(stream.into_inner()))
    }
}

/// The events of a `ListResource` call.
#[derive(Debug)]
pub struct ListEvents(Streaming<pb::list_resource::Event>);

impl ListEvents {
    /// Waits for the next event; `None` at the end.
    pub async fn message(&mut self) -> Result<Option<pb::list_resource::Event>, CallError> {
        self.0.message().await.map_err(call_error)
    }
}

/// A stream of go-plugin on which providers send nothing.
#[derive(Debug)]
pub struct SilentStream(Streaming<StdioData>);

impl SilentStream {
    /// Waits for the next message; `None` at the end.
    pub async fn message(&mut self) -> Result<Option<()>, CallError> {
        Ok(self.0.message().await.map_err(call_error)?.map(drop))
    }
}

fn origin() -> Uri {
    Uri::from_static("http://localhost")
}
