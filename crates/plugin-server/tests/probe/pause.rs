//! An action that waits until it is cancelled.

use std::path::Path;

use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::{Action, ActionProgress, OrReport as _, Report as _, stop_token};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

pub(crate) struct Pause;

#[derive(Serialize, Deserialize)]
pub(crate) struct PauseConfig {
    directory: Value<String>,
}

#[async_trait]
impl Action for Pause {
    type Config<'a> = PauseConfig;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let directory = required(AttributeType::String, "Where to create the file `waiting`.");
        Some(new_schema(0, "Waits until it is cancelled.", [("directory", directory)]))
    }

    async fn invoke<'a>(
        &self,
        diags: &mut Diagnostics,
        config: PauseConfig,
        progress: &ActionProgress,
    ) -> Option<()> {
        progress.send("Waiting.").await;
        let file = Path::new(config.directory.as_deref_option()?).join("waiting");
        std::fs::write(file, "").or_report(diags, "Could not create the file")?;
        stop_token().cancelled().await;
        diags.report_error("Interrupted", "The action was cancelled.");
        None
    }
}
