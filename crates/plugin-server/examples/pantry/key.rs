//! `pantry_key`: a key to a jar, which is lent for one run.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use plugin_server::schema::{computed, new_schema, optional, required, sensitive};
use plugin_server::validator::Validate as _;
use plugin_server::{EphemeralResource, OpenResponse, OrReport as _, RenewResponse};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use crate::shelf::Shelf;

#[derive(Serialize, Deserialize)]
pub(crate) struct KeyState {
    label: Value<String>,
    seconds: Value<u32>,
    secret: Value<String>,
}

/// The private state: the label of the jar, and the seconds until the next renewal.
type Lease = Value<(String, u32)>;

fn in_seconds(seconds: u32) -> SystemTime {
    SystemTime::now() + Duration::from_secs(seconds.into())
}

pub(crate) struct Key(pub Arc<Shelf>);

/// A lent key is a hidden file, so that tests see when it is lent and when it is returned.
const PREFIX: &str = ".key-";

impl Key {
    fn write(&self, label: &str, state: &str) -> std::io::Result<()> {
        std::fs::write(self.0.file(PREFIX, label)?, state)
    }
}

#[async_trait]
impl EphemeralResource for Key {
    type State<'a> = KeyState;
    type PrivateState<'a> = Lease;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let seconds = "The seconds after which the key is renewed. Defaults to 300.";
        let attributes = [
            ("label", required(AttributeType::String, "The label of the jar.")),
            ("seconds", optional(AttributeType::Number, seconds)),
            ("secret", sensitive(computed(AttributeType::String, "The key."))),
        ];
        Some(new_schema(0, "A key to a jar.", attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: KeyState) -> Option<()> {
        diags.validate("label", &config.label).not_blank();
        Some(())
    }

    async fn open<'a>(
        &self,
        diags: &mut Diagnostics,
        config: KeyState,
    ) -> Option<OpenResponse<KeyState, Lease>> {
        let label = config.label.as_ref_option()?.clone();
        let seconds = config.seconds.as_ref_option().copied().unwrap_or(300);
        self.write(&label, "lent").or_report(diags, "Could not lend the key")?;
        let result = KeyState { secret: format!("open-{label}").into(), ..config };
        let lease = Value::Value((label, seconds));
        Some(OpenResponse::new(result, lease).renew_at(in_seconds(seconds)))
    }

    async fn renew<'a>(
        &self,
        diags: &mut Diagnostics,
        lease: Lease,
    ) -> Option<RenewResponse<Lease>> {
        let (label, seconds) = lease.as_ref_option()?;
        self.write(label, "renewed").or_report(diags, "Could not renew the key")?;
        let renew_at = in_seconds(*seconds);
        Some(RenewResponse::new(lease).renew_at(renew_at))
    }

    async fn close<'a>(&self, diags: &mut Diagnostics, lease: Lease) -> Option<()> {
        let (label, _) = lease.as_option()?;
        let returned = self.0.file(PREFIX, &label).and_then(std::fs::remove_file);
        returned.or_report(diags, "Could not take back the key")
    }
}
