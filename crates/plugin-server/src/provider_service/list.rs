//! Listing, as a stream of events.

use std::sync::Arc;

use bytes::Bytes;
use tf_provider::Diagnostics;
use tokio::sync::mpsc;
use tonic::Status;
use tonic::codegen::BoxStream;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;

use super::call::About;
use super::held::{Held, Returned};
use super::{ProviderService, nothing_returned};
use crate::abilities::Listed;
use crate::diagnostic::{error, to_wire};
use crate::pb::tfplugin6 as pb;
use crate::registry::{IdentityEntry, ListEntry, ResourceEntry};

/// Events that wait for the host; a slow one slows the listing down.
const AHEAD: usize = 16;

type Events = mpsc::Sender<Result<pb::list_resource::Event, Status>>;

impl ProviderService {
    pub(super) fn list(
        &self,
        request: pb::list_resource::Request,
    ) -> BoxStream<pb::list_resource::Event> {
        let (events, stream) = mpsc::channel(AHEAD);
        let service = self.clone();
        tokio::spawn(async move { service.send_list(request, events).await });
        Box::pin(ReceiverStream::new(stream))
    }

    async fn send_list(&self, request: pb::list_resource::Request, events: Events) {
        let entry = match self.resource(&request.type_name) {
            Ok(entry) => entry,
            Err(diagnostic) => {
                let event = pb::list_resource::Event { diagnostic, ..Default::default() };
                // A host that is gone needs no answer.
                let _ = events.send(Ok(event)).await;
                return;
            }
        };
        let (sender, mut found) = mpsc::channel(AHEAD);
        let about = About::new("ListResource", &entry.name);
        let searched = Arc::clone(&entry);
        let wants_resource = request.include_resource_object;
        let work = async move {
            let mut diags = Diagnostics::default();
            let answer = search(&searched, &mut diags, request, sender).await;
            if answer.is_none() {
                nothing_returned(&mut diags, "Could not list", "answer");
            }
            (answer, diags)
        };
        let (forwarded, to_host) = (Arc::clone(&entry), events.clone());
        // Owns the receiving end: when it is dropped, the search learns that nobody listens.
        let forward = async move {
            while let Some(listed) = found.recv().await {
                let event = event(&forwarded, listed, wants_resource);
                let mut diagnostics = event.diagnostic.iter();
                let ends = diagnostics.any(|it| it.severity() == pb::diagnostic::Severity::Error);
                if to_host.send(Ok(event)).await.is_err() || ends {
                    return;
                }
            }
        };
        let ((), (_, diags)) = tokio::join!(forward, self.run(about, work));
        if diags != Diagnostics::default() {
            let event =
                pb::list_resource::Event { diagnostic: to_wire(diags), ..Default::default() };
            let _ = events.send(Ok(event)).await;
        }
    }
}

async fn search(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::list_resource::Request,
    sender: mpsc::Sender<Listed>,
) -> Option<()> {
    let Some(ListEntry { schema, erased }) = &entry.list else {
        error(
            diags,
            "Listing is not supported",
            format!("The provider cannot list {}.", entry.name),
        );
        return None;
    };
    let config = Held::read(diags, request.config, &schema.ty, "The configuration")?;
    let limit = u64::try_from(request.limit).unwrap_or(0);
    if limit == 0 {
        return Some(());
    }
    let wants_resource = request.include_resource_object;
    erased.list(diags, &schema.ty, config.bytes(), limit, wants_resource, &sender).await
}

/// One object as an event, or an event that says what is wrong with it.
fn event(entry: &ResourceEntry, listed: Listed, wants_resource: bool) -> pb::list_resource::Event {
    const IDENTITY: &str = "The identity of a listed object";
    const STATE: &str = "The state of a listed object";
    let mut diags = listed.diags;
    let mut event =
        pb::list_resource::Event { display_name: listed.display_name, ..Default::default() };
    if let Some(IdentityEntry { ty, .. }) = &entry.identity {
        let returned = Returned::read(&mut diags, &listed.identity, ty, IDENTITY);
        returned.require_known(&mut diags, IDENTITY);
        let msgpack = returned.rewritten().unwrap_or(listed.identity.clone()).into();
        event.identity = Some(pb::ResourceIdentityData {
            identity_data: Some(pb::DynamicValue { msgpack, json: Bytes::new() }),
        });
    }
    match &listed.resource {
        Some(state) => {
            let ty = &entry.schema.ty;
            let returned =
                Returned::read(&mut diags, state, ty, STATE).clear_write_only(entry.schema.shape());
            returned.require_known(&mut diags, STATE);
            let msgpack = returned.rewritten().unwrap_or_else(|| state.clone()).into();
            event.resource_object = Some(pb::DynamicValue { msgpack, json: Bytes::new() });
        }
        None if wants_resource && diags.errors.is_empty() => {
            let detail =
                format!("{STATE} was asked for and is missing. {}", crate::diagnostic::BUG);
            error(&mut diags, "Invalid value from the provider", detail);
        }
        None => {}
    }
    if !diags.errors.is_empty() {
        event = pb::list_resource::Event { display_name: event.display_name, ..Default::default() };
    }
    event.diagnostic = to_wire(diags);
    event
}
