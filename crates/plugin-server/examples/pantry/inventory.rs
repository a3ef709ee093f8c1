//! `pantry_inventory`: an action that writes the labels of all jars to a file.

use std::sync::Arc;

use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::validator::Validate as _;
use plugin_server::{Action, ActionProgress, OrReport as _, Report as _, stop_token};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use crate::shelf::Shelf;

#[derive(Serialize, Deserialize)]
pub(crate) struct InventoryConfig {
    file: Value<String>,
}

pub(crate) struct Inventory(pub Arc<Shelf>);

#[async_trait]
impl Action for Inventory {
    type Config<'a> = InventoryConfig;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let file = required(AttributeType::String, "The file to write.");
        Some(new_schema(0, "Writes the labels of all jars to a file.", [("file", file)]))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: InventoryConfig) -> Option<()> {
        diags.validate("file", &config.file).not_blank();
        Some(())
    }

    async fn invoke<'a>(
        &self,
        diags: &mut Diagnostics,
        config: InventoryConfig,
        progress: &ActionProgress,
    ) -> Option<()> {
        let labels = self.0.labels().or_report(diags, "Could not read the shelf")?;
        for label in &labels {
            if stop_token().is_cancelled() {
                diags.report_error("The inventory was interrupted", "No file was written.");
                return None;
            }
            progress.send(format!("Found {label}.")).await;
        }
        let file = config.file.as_option()?;
        std::fs::write(file, labels.join("\n")).or_report(diags, "Could not write the inventory")
    }
}
