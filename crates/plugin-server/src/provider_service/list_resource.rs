//! ListResource, a stream of events.

use std::sync::Arc;

use tf_provider::Diagnostics;
use tokio::sync::mpsc;
use tonic::Status;
use tonic::codegen::BoxStream;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;

use super::call::{ProviderService, nothing_returned};
use super::values::{CONFIG, known_value, msgpack_value, read_complete};
use crate::context::CallInfo;
use crate::diagnostic::{BUG, error, to_wire};
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::list_resource::{Event, Request};
use crate::registry::{Registered, ResourceEntry};
use crate::resource::Listed;

/// The number of events that are buffered for the host. If the buffer is full, the listing waits.
const LIST_BUFFER_EVENTS: usize = 16;

type Events = mpsc::Sender<Result<Event, Status>>;

impl ProviderService {
    /// Lists objects in a task of its own. The stream ends with the listing.
    pub(super) fn list(&self, request: Request) -> BoxStream<Event> {
        let (events, stream) = mpsc::channel(LIST_BUFFER_EVENTS);
        let service = self.clone();
        tokio::spawn(async move { service.send_list(request, events).await });
        Box::pin(ReceiverStream::new(stream))
    }

    /// Runs a listing and sends its events, until the provider ends it, an event has an error, or
    /// the host drops the stream.
    async fn send_list(&self, request: Request, events: Events) {
        let entry = match ResourceEntry::find(&self.registry, &request.type_name) {
            Ok(entry) => entry,
            Err(diags) => return send_diagnostics(&events, diags).await,
        };
        let (sender, mut results) = mpsc::channel(LIST_BUFFER_EVENTS);
        let info = CallInfo::of(&entry.name);
        let includes_resource = request.include_resource_object;
        let listed = Arc::clone(&entry);
        let to_host = events.clone();
        // This future owns the receiver. When it is dropped, the provider's next send fails.
        let forward = async move {
            while let Some(result) = results.recv().await {
                let event = event(&listed, result, includes_resource);
                let mut diagnostics = event.diagnostic.iter();
                let ends = diagnostics
                    .any(|diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error);
                if to_host.send(Ok(event)).await.is_err() || ends {
                    return;
                }
            }
        };
        let work = async move {
            let mut diags = Diagnostics::default();
            let listed = list(&entry, &mut diags, request, sender).await;
            if listed.is_none() {
                nothing_returned(&mut diags, "Could not list");
            }
            (listed, diags)
        };
        let listing = async { tokio::join!(forward, self.run_work("ListResource", info, work)) };
        let diags = tokio::select! {
            ((), (_, diags)) = listing => diags,
            // The host has dropped the stream or has exited. Dropping `listing` cancels the call,
            // in case the provider waits for something else than its next send.
            () = events.closed() => return,
        };
        if diags != Diagnostics::default() {
            send_diagnostics(&events, diags).await;
        }
    }
}

async fn send_diagnostics(events: &Events, diags: Diagnostics) {
    let event = Event { diagnostic: to_wire(diags), ..Event::default() };
    // Fails only if the host has dropped the stream.
    let _ = events.send(Ok(event)).await;
}

/// Calls the provider, which sends its results to `sender`.
async fn list(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: Request,
    sender: mpsc::Sender<Listed>,
) -> Option<()> {
    let list = entry.require_list(diags)?;
    let ty = &list.schema.ty;
    let config = read_complete(diags, request.config, ty, CONFIG)?;
    let limit = u64::try_from(request.limit).unwrap_or(0);
    if limit == 0 {
        return Some(());
    }
    let includes_resource = request.include_resource_object;
    list.handler.list(diags, &config, limit, includes_resource, &sender).await
}

/// Returns one object as an event, or an event with the errors of the object.
fn event(entry: &ResourceEntry, listed: Listed, includes_resource: bool) -> Event {
    const STATE: &str = "The state of a listed object";
    let mut diags = listed.diags;
    let mut event = Event { display_name: listed.display_name, ..Event::default() };
    if let Some(identity) = &entry.identity {
        let lead = "The identity of a listed object";
        let data = known_value(&mut diags, listed.identity, &identity.ty, lead);
        event.identity =
            Some(pb::ResourceIdentityData { identity_data: Some(msgpack_value(data)) });
    }
    match listed.resource {
        Some(state) => {
            let state = known_value(&mut diags, state, &entry.schema.ty, STATE);
            event.resource_object = Some(msgpack_value(state));
        }
        None if includes_resource && diags.errors.is_empty() => {
            let detail = format!("{STATE} was requested and is missing. {BUG}");
            error(&mut diags, "Invalid value from the provider", detail);
        }
        None => {}
    }
    if !diags.errors.is_empty() {
        event = Event { display_name: event.display_name, ..Event::default() };
    }
    event.diagnostic = to_wire(diags);
    event
}
