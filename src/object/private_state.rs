//! The part of the private state that roles and owners share.

use serde::{Deserialize, Serialize};
use tf_provider::value::Value;
use time::OffsetDateTime;

use super::stale;
use crate::service::Service;

/// The history of an object, which decides about a failed read: the columns of the tables in DESIGN.md,
/// "Conclusions from reads".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    /// No read of the object is known to work.
    NoEvidence,
    /// Reads by GET work for the object.
    Evidence,
    /// The object was last seen under another base address.
    OtherAddress,
}

/// The data that the provider stores with every object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ObjectPrivateState {
    /// The full name of the object. A create that replaces it finds it here.
    pub(crate) name: Option<String>,
    /// `create_time` of the object that a planned create replaces.
    pub(crate) create_time: Option<String>,
    /// The plan of a create received no private state. If the create replaces a tainted object, the
    /// destroy of that object gets this: its base address is not known, so it compares the creation times.
    pub(crate) is_unverified: bool,
    /// Whether the plan of a same-name replacement is marked. `None` before it is planned. From
    /// Terraform 1.16 on, the apply plans again with what the plan stored here.
    pub(crate) is_marked: Option<bool>,
    /// Evidence (DESIGN.md): reads by GET work for this object, so that a later 404 counts.
    pub(crate) reads: bool,
    /// Whether a GET has returned the object since it was last written.
    pub(crate) seen: bool,
    /// The base address under which the object was last seen or written.
    pub(crate) base_url: Option<String>,
    /// Identifies the last write. A destroy of an older state must not delete what was written
    /// since.
    pub(crate) write_id: Option<String>,
    /// The time of the last write, in seconds since the epoch, by the service's clock if it sends
    /// one.
    pub(crate) written_at: Option<i64>,
}

impl ObjectPrivateState {
    /// Returns the private state of a planned create that received none.
    pub(crate) fn of_create() -> Self {
        Self { is_unverified: true, ..Self::default() }
    }

    /// Returns whether the object was last seen under another base address.
    pub(crate) fn is_elsewhere(&self, service: &Service) -> bool {
        self.base_url.as_ref().is_some_and(|base_url| *base_url != service.base_url)
    }

    /// Returns the history of the object, as seen from the configured base address.
    pub(crate) fn history(&self, service: &Service) -> History {
        if self.is_elsewhere(service) {
            History::OtherAddress
        } else if self.reads {
            History::Evidence
        } else {
            History::NoEvidence
        }
    }

    /// Records name and creation time of the state: a create that replaces the object compares them. The
    /// private state of a prior version, or of an object that was moved or imported, may lack the name.
    pub(crate) fn identify(&mut self, name: &Value<String>, create_time: &Value<String>) {
        if self.name.is_none() {
            self.name = name.as_ref_option().cloned();
        }
        self.create_time = create_time.as_ref_option().cloned();
    }

    /// Records that a GET returned the object.
    pub(crate) fn record_read(&mut self, service: &Service, name: String) {
        self.name = Some(name);
        self.reads = true;
        self.seen = true;
        self.base_url = Some(service.base_url.clone());
    }

    /// Records a write, after which no read has returned the object yet. `date` is that of the
    /// response.
    pub(crate) fn record_write(
        &mut self,
        service: &Service,
        name: String,
        date: Option<OffsetDateTime>,
    ) {
        self.record_presence(service, name);
        self.seen = false;
        self.written_at = Some(stale::now(date).unix_timestamp());
    }

    /// Records that the object was seen, though not by GET: in a list, or in the response to an
    /// update.
    pub(crate) fn record_presence(&mut self, service: &Service, name: String) {
        self.name = Some(name);
        self.base_url = Some(service.base_url.clone());
    }
}
