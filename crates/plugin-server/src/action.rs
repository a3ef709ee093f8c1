//! Actions: operations that change something other than the state of a resource.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tokio::sync::mpsc;
use tonic::Status;

use crate::dynamic::{Family, Input};
use crate::pb::tfplugin6::invoke_action::Event;
use crate::pb::tfplugin6::invoke_action::event::{Progress, Type as EventType};

/// An action (Terraform 1.14).
///
/// Terraform invokes it when a resource with an `action_trigger` is created or updated, or by
/// `terraform apply -invoke`. An action has no state: Terraform does not record that it ran.
///
/// Registered by [`Builder::action`](crate::Builder::action).
///
/// ```
/// use async_trait::async_trait;
/// use plugin_server::schema::{new_schema, required};
/// use plugin_server::{Action, ActionProgress, Report, stop_token};
/// use serde::{Deserialize, Serialize};
/// use plugin_server::tf_provider::Diagnostics;
/// use plugin_server::tf_provider::schema::{AttributeType, Schema};
/// use plugin_server::tf_provider::value::Value;
///
/// struct Stir;
///
/// #[derive(Serialize, Deserialize)]
/// struct StirConfig {
///     label: Value<String>,
/// }
///
/// #[async_trait]
/// impl Action for Stir {
///     type Config<'a> = StirConfig;
///
///     fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
///         let label = required(AttributeType::String, "The label of the jar.");
///         Some(new_schema(0, "Stirs a jar.", [("label", label)]))
///     }
///
///     async fn invoke<'a>(
///         &self,
///         diags: &mut Diagnostics,
///         config: StirConfig,
///         progress: &ActionProgress,
///     ) -> Option<()> {
///         let label = config.label.as_option()?;
///         for round in 1..=3 {
///             if stop_token().is_cancelled() {
///                 let detail = format!("{label} was stirred {} times.", round - 1);
///                 diags.report_error("Stirring was interrupted", detail);
///                 return None;
///             }
///             progress.send(format!("{label}: round {round}")).await;
///         }
///         Some(())
///     }
/// }
/// ```
#[async_trait]
pub trait Action: Send + Sync {
    /// The configuration, which is the `config` block of an `action` block. If that is omitted, all
    /// attributes are null.
    type Config<'a>: Serialize + Deserialize<'a> + Send;

    /// Returns the attributes of the `config` block. Called once, at registration.
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;

    /// Validates the configuration, which may contain unknown values.
    async fn validate<'a>(&self, diags: &mut Diagnostics, config: Self::Config<'a>) -> Option<()> {
        let _ = (diags, config);
        Some(())
    }

    /// Checks, while Terraform plans, whether the action can be invoked. The configuration may
    /// contain unknown values. Errors fail the plan.
    ///
    /// [`CallContext::defer`](crate::CallContext::defer) defers the action.
    async fn modify_plan<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::Config<'a>,
    ) -> Option<()> {
        let _ = (diags, config);
        Some(())
    }

    /// Invokes the action. A long action sends its progress, and ends when
    /// [`stop_token`](crate::stop_token) is cancelled, because the host stops it or has exited.
    async fn invoke<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::Config<'a>,
        progress: &ActionProgress,
    ) -> Option<()>;
}

/// Sends the progress of an action to the host, which shows it to the user.
#[derive(Debug)]
pub struct ActionProgress(mpsc::Sender<Result<Event, Status>>);

impl ActionProgress {
    pub(crate) fn new(events: mpsc::Sender<Result<Event, Status>>) -> Self {
        Self(events)
    }

    /// Sends a message for the user. It must not contain secrets.
    ///
    /// Waits if the host receives slowly. A message to a host that has exited is discarded.
    pub async fn send(&self, message: impl Into<String> + Send) {
        let progress = Progress { message: message.into() };
        let _ = self.0.send(Ok(Event { r#type: Some(EventType::Progress(progress)) })).await;
    }
}

#[async_trait]
pub(crate) trait DynAction: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn modify_plan(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn invoke(
        &self,
        diags: &mut Diagnostics,
        config: &Input<'_>,
        progress: &ActionProgress,
    ) -> Option<()>;
}

pub(crate) struct TypedAction<A>(pub(crate) A);

impl<A: Action> Family for TypedAction<A> {
    type Of<'a> = A::Config<'a>;
}

#[async_trait]
impl<A: Action> DynAction for TypedAction<A> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.validate(diags, config).await
    }

    async fn modify_plan(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.modify_plan(diags, config).await
    }

    async fn invoke(
        &self,
        diags: &mut Diagnostics,
        config: &Input<'_>,
        progress: &ActionProgress,
    ) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.invoke(diags, config, progress).await
    }
}
