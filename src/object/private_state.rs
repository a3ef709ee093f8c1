//! Private state: the data that the provider stores with an object in addition to the state that users
//! see.
//!
//! Terraform keeps it as opaque bytes. The bytes of an older or a foreign provider may be empty or
//! have another form, and a state file can be damaged. Unreadable private state is treated as empty
//! instead of reported: the provider is then more conservative.

use ::time::OffsetDateTime;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::DeletionPolicy;
use crate::service::Session;

/// The private state of an object: the part that all entities have, and the entity's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PrivateState<P, S> {
    pub(crate) object: ObjectPrivateState,
    pub(crate) entity: P,
    /// The planned state of the object that replaces this one. Only the private state of a plan contains
    /// it, for the destroy; it is never stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced_by: Option<S>,
    /// Whether the plan leaves the object at the service: the apply may run without
    /// `ACCESS_DELETION_POLICY`. Like `replaced_by`, for the destroy only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_abandoned: bool,
}

impl<P, S> PrivateState<P, S> {
    /// Forgets what an earlier plan has said.
    pub(crate) fn begin_plan(&mut self) {
        self.replaced_by = None;
        self.is_abandoned = false;
    }

    /// Returns whether a destroy leaves the object at the service, by its plan or by the policy.
    pub(crate) fn is_left(&self, policy: DeletionPolicy) -> bool {
        self.is_abandoned || policy == DeletionPolicy::Abandon
    }
}

impl<P: Default, S> Default for PrivateState<P, S> {
    fn default() -> Self {
        Self {
            object: ObjectPrivateState::default(),
            entity: P::default(),
            replaced_by: None,
            is_abandoned: false,
        }
    }
}

impl<'de, P, S> Deserialize<'de> for PrivateState<P, S>
where
    P: Default + DeserializeOwned,
    S: DeserializeOwned,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(bound = "P: DeserializeOwned, S: DeserializeOwned")]
        struct Parts<P, S> {
            object: ObjectPrivateState,
            entity: P,
            #[serde(default)]
            replaced_by: Option<S>,
            #[serde(default)]
            is_abandoned: bool,
        }
        Ok(match Parts::deserialize(deserializer) {
            Ok(Parts { object, entity, replaced_by, is_abandoned }) => {
                Self { object, entity, replaced_by, is_abandoned }
            }
            Err(_) => Self::default(),
        })
    }
}

/// The private state that all entities have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ObjectPrivateState {
    /// The full name. Terraform passes it to the create that replaces the object.
    pub(crate) name: Option<String>,
    /// Whether a GET or an entry of a list has returned the object, or the read-back under its parent has
    /// succeeded in the run that created it. Without that, a 404 may mean that there are no reads.
    #[serde(rename = "reads")]
    pub(crate) read_before: bool,
    /// The base address under which the object was last seen or written.
    pub(crate) base_url: Option<String>,
    /// Identifies the last write: a destroy of an older state must not delete what was written since.
    pub(crate) write_id: Option<String>,
    /// The time of the last write, in seconds since the epoch, by the service's clock.
    pub(crate) written_at: Option<i64>,
    /// `create_time` of the object that this configuration has written or imported last. Another time in the
    /// state shows that somebody has made the object anew.
    pub(crate) own_create_time: Option<String>,
    /// An update returned 404. The next refresh reads the object, also if drift detection is off.
    pub(crate) update_found_nothing: bool,
}

impl ObjectPrivateState {
    /// Returns whether the object was last seen at this base address.
    pub(crate) fn is_here(&self, session: &Session) -> bool {
        self.base_url.as_ref() == Some(&session.base_url)
    }

    /// Returns whether the object was last seen at another base address. It is neither here nor elsewhere if
    /// no address is known.
    pub(crate) fn is_elsewhere(&self, session: &Session) -> bool {
        self.base_url.is_some() && !self.is_here(session)
    }

    pub(crate) fn record_read(&mut self, session: &Session, name: String) {
        self.name = Some(name);
        self.read_before = true;
        self.base_url = Some(session.base_url.clone());
        self.update_found_nothing = false;
    }

    /// Records the creation time of an object that was written or imported.
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
        self.base_url = Some(session.base_url.clone());
        self.write_id = Some(write_id);
        self.written_at = date.map(OffsetDateTime::unix_timestamp);
        self.update_found_nothing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    struct Own {
        sent: Option<String>,
    }

    fn read(bytes: &[u8]) -> PrivateState<Own, String> {
        // tf-provider passes an absent private state as nil.
        let bytes = if bytes.is_empty() { &[0xc0] } else { bytes };
        rmp_serde::from_slice(bytes).expect("never an error")
    }

    fn private() -> PrivateState<Own, String> {
        let object = ObjectPrivateState { read_before: true, ..Default::default() };
        PrivateState { object, entity: Own { sent: Some("x".to_owned()) }, ..Default::default() }
    }

    #[test]
    fn private_state_that_cannot_be_read_is_empty() {
        let damaged: [&[u8]; 6] = [
            b"",
            b"\xc0",
            b"\xc1",
            b"{\"schema_version\":1}",
            b"\x82\xa6object\x81\xa5reads\xa3yes\xa6entity\x80",
            b"\xdf\xff\xff\xff\xff",
        ];
        for bytes in damaged {
            assert_eq!(read(bytes), PrivateState::default(), "{bytes:?}");
        }
    }

    #[test]
    fn private_state_of_a_newer_version_keeps_the_known_fields() {
        let newer =
            b"\x83\xa6object\x82\xa5reads\xc3\xa5extra\x01\xa6entity\x81\xa4sent\xa1x\xa4more\x01";
        assert_eq!(read(newer), private());
    }

    proptest::proptest! {
        #[test]
        fn private_state_survives_anything(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64),
            place in 0_usize..32,
            byte in proptest::num::u8::ANY,
        ) {
            read(&bytes);
            let mut damaged = rmp_serde::to_vec_named(&private()).unwrap();
            assert_eq!(read(&damaged), private());
            let place = place % damaged.len();
            damaged[place] = byte;
            read(&damaged);
            damaged.truncate(place);
            read(&damaged);
        }
    }
}
