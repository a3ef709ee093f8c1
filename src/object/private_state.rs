//! Private state: the data that the provider stores with an object in addition to the state that
//! users see.
//!
//! Terraform keeps it as opaque bytes. plugin-server treats bytes that it cannot read as empty: the
//! provider is then more conservative.

use access_client::time::OffsetDateTime;
use serde::{Deserialize, Serialize};

use crate::service::{Key, Session};

/// The private state of an object: the part that all entities have, and the entity's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, bound(deserialize = "P: Default + Deserialize<'de>"))]
pub(crate) struct PrivateState<P> {
    pub(crate) object: ObjectPrivateState,
    pub(crate) entity: P,
    /// What the plan of a create creates in place of this object. Only the destroy of a
    /// destroy-first replacement receives it; it is never stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<Successor>,
    /// Whether the plan leaves the object at the service: the apply may run without
    /// `ACCESS_DELETION_POLICY`. Like `successor`, for the destroy only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_abandoned: bool,
}

/// The object that a create makes, as its plan knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Successor {
    /// The known keys of the new object.
    pub(crate) keys: Vec<Key>,
    /// Whether the create adopts an object that exists.
    pub(crate) adopts: bool,
}

/// The private state that all entities have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ObjectPrivateState {
    /// The full name. Terraform passes it to the create that replaces the object.
    pub(crate) name: Option<String>,
    /// Whether a GET or an entry of a list has returned the object, or the read-back under its
    /// parent has succeeded in the run that created it. Without that, a 404 may mean that there are
    /// no reads.
    #[serde(rename = "reads")]
    pub(crate) read_before: bool,
    /// The base address under which the object was last seen or written.
    pub(crate) base_url: Option<String>,
    /// Identifies the last write: a destroy of an older state must not delete what was written
    /// since.
    pub(crate) write_id: Option<String>,
    /// The time of the last write, in seconds since the epoch, by the service's clock.
    pub(crate) written_at: Option<i64>,
    /// `create_time` of the object that this configuration has written or imported last. Another
    /// time in the state shows that somebody has recreated the object.
    pub(crate) own_create_time: Option<String>,
}

/// Where an object was last seen or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastSeen {
    /// At the base address of this run.
    Here,
    Elsewhere,
    /// Private state records no address.
    Unknown,
}

impl ObjectPrivateState {
    /// Returns where the object was last seen.
    pub(crate) fn last_seen(&self, session: &Session) -> LastSeen {
        match self.base_url {
            Some(_) if session.base_url == self.base_url => LastSeen::Here,
            Some(_) if session.has_settings() => LastSeen::Elsewhere,
            _ => LastSeen::Unknown,
        }
    }

    pub(crate) fn is_here(&self, session: &Session) -> bool {
        self.last_seen(session) == LastSeen::Here
    }

    pub(crate) fn is_elsewhere(&self, session: &Session) -> bool {
        self.last_seen(session) == LastSeen::Elsewhere
    }

    /// Records that a GET or an entry of a list has returned the object at this base address.
    pub(crate) fn record_read(&mut self, session: &Session, name: String) {
        self.name = Some(name);
        self.read_before = true;
        self.base_url.clone_from(&session.base_url);
    }

    /// Records the creation time of an object that was just written or imported. A response without
    /// one changes nothing.
    pub(crate) fn record_own(&mut self, create_time: Option<&str>) {
        self.own_create_time =
            create_time.map(str::to_owned).or_else(|| self.own_create_time.take());
    }

    /// Records a write. `date` is that of the response.
    pub(crate) fn record_write(
        &mut self,
        session: &Session,
        name: String,
        write_id: String,
        date: Option<OffsetDateTime>,
    ) {
        self.name = Some(name);
        self.base_url.clone_from(&session.base_url);
        self.write_id = Some(write_id);
        self.written_at = date.map(OffsetDateTime::unix_timestamp);
    }
}
