//! ValidateActionConfig, PlanAction and InvokeAction, which is a stream of events.

use tf_provider::Diagnostics;
use tokio::sync::mpsc;
use tonic::codegen::BoxStream;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;

use super::call::{Call, ProviderService, deferred, nothing_returned};
use super::validate::{READ_ONLY, refuse};
use super::values::{CONFIG, is_null, read_json, read_value};
use crate::action::ActionProgress;
use crate::context::CallInfo;
use crate::diagnostic::to_wire;
use crate::dynamic::Input;
use crate::pb::tfplugin6::invoke_action::event::{Completed, Type as EventType};
use crate::pb::tfplugin6::invoke_action::{self, Event};
use crate::pb::tfplugin6::{DynamicValue, plan_action, validate_action_config};
use crate::registry::{ActionEntry, Registered};

/// The number of events that are buffered for the host. If the buffer is full, the action waits.
const ACTION_BUFFER_EVENTS: usize = 16;

/// Reads the configuration. Terraform sends null for an action without a `config` block.
fn read_config<'t>(
    entry: &'t ActionEntry,
    diags: &mut Diagnostics,
    config: Option<DynamicValue>,
) -> Option<Input<'t>> {
    let ty = &entry.schema.ty;
    if is_null(config.as_ref()) {
        return read_json(diags, b"{}", ty, CONFIG);
    }
    read_value(diags, config, ty, CONFIG)
}

impl Call for validate_action_config::Request {
    const RPC: &'static str = "ValidateActionConfig";
    const FAILURE: &'static str = "Could not validate the configuration";
    type Entry = ActionEntry;
    type Response = validate_action_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = read_config(entry, diags, self.config)?;
        refuse(diags, &config, &READ_ONLY, config.sets_read_only);
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for plan_action::Request {
    const RPC: &'static str = "PlanAction";
    const FAILURE: &'static str = "Could not plan the action";
    type Entry = ActionEntry;
    type Response = plan_action::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.action_type).client(self.client_capabilities.as_ref())
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = read_config(entry, diags, self.config)?;
        entry.handler.modify_plan(diags, &config).await?;
        Some(Self::Response { deferred: deferred(), ..Self::Response::default() })
    }
}

impl ProviderService {
    /// Invokes an action. The stream ends with one `Completed` event, in every case.
    pub(super) fn invoke(&self, request: invoke_action::Request) -> BoxStream<Event> {
        let (events, stream) = mpsc::channel(ACTION_BUFFER_EVENTS);
        let service = self.clone();
        tokio::spawn(async move {
            let progress = ActionProgress::new(events.clone());
            let diags = tokio::select! {
                diags = service.run_action(request, progress) => diags,
                // The host has dropped the stream. This drops the call, which cancels its token.
                () = events.closed() => return,
            };
            let completed = Completed { diagnostics: to_wire(diags) };
            let event = Event { r#type: Some(EventType::Completed(completed)) };
            // Fails only if the host has dropped the stream.
            let _ = events.send(Ok(event)).await;
        });
        Box::pin(ReceiverStream::new(stream))
    }

    async fn run_action(
        &self,
        request: invoke_action::Request,
        progress: ActionProgress,
    ) -> Diagnostics {
        let entry = match ActionEntry::find(&self.registry, &request.action_type) {
            Ok(entry) => entry,
            Err(diags) => return diags,
        };
        let info = CallInfo::of(&request.action_type).client(request.client_capabilities.as_ref());
        let work = async move {
            let mut diags = Diagnostics::default();
            let invoked = match read_config(&entry, &mut diags, request.config) {
                Some(config) => entry.handler.invoke(&mut diags, &config, &progress).await,
                None => None,
            };
            if invoked.is_none() {
                nothing_returned(&mut diags, "Could not invoke the action");
            }
            (invoked, diags)
        };
        self.run_work("InvokeAction", info, work).await.1
    }
}
