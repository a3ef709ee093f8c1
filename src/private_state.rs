//! Private state: the data that the provider stores with an object in addition to the state that
//! users see.
//!
//! Terraform keeps it as opaque bytes. The bytes of an older provider or of another one may be
//! empty or have another form, and a state file can be damaged. Unreadable private state is treated
//! as empty instead of reported: the provider is then more conservative.

use plugin_server::CallContext;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// The private state of an object, or its default if the bytes cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct PrivateState<T>(pub(crate) T);

impl<'de, T: Default + DeserializeOwned> Deserialize<'de> for PrivateState<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(T::deserialize(deserializer).unwrap_or_default()))
    }
}

/// Returns the private state of the object that a planned create replaces, if the host passes one.
///
/// Hosts pass it when they plan a replacement. From Terraform 1.16 on they also pass what the plan
/// stored when they plan again during the apply. The plan of an object that replaces nothing stores
/// the default.
pub(crate) fn of_replaced_object<T: Default + PartialEq + DeserializeOwned>() -> Option<T> {
    let private: T = CallContext::current().and_then(|call| call.read_private())?;
    (private != T::default()).then_some(private)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Stored {
        reads: bool,
        sent: Option<String>,
    }

    fn read(bytes: &[u8]) -> PrivateState<Stored> {
        // tf-provider passes an absent private state as nil.
        let bytes = if bytes.is_empty() { &[0xc0] } else { bytes };
        rmp_serde::from_slice(bytes).expect("never an error")
    }

    #[test]
    fn private_state_survives_a_round_trip() {
        let private = PrivateState(Stored { reads: true, sent: Some("x".to_owned()) });
        assert_eq!(read(&rmp_serde::to_vec_named(&private).unwrap()), private);
    }

    #[test]
    fn private_state_that_cannot_be_read_is_empty() {
        let damaged: [&[u8]; 7] = [
            b"",
            b"\xc0",
            b"\xc1",
            b"{\"schema_version\":1}",
            b"\x81\xa5reads\xa3yes",
            b"\x82\xa5reads\xc3",
            b"\xdf\xff\xff\xff\xff",
        ];
        for bytes in damaged {
            assert_eq!(read(bytes), PrivateState(Stored::default()), "{bytes:?}");
        }
    }

    #[test]
    fn private_state_of_a_newer_version_keeps_the_known_fields() {
        let newer = b"\x82\xa5reads\xc3\xa5extra\x01";
        assert_eq!(read(newer), PrivateState(Stored { reads: true, sent: None }));
    }

    proptest::proptest! {
        #[test]
        fn private_state_survives_anything(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64),
            place in 0_usize..32,
            byte in proptest::num::u8::ANY,
        ) {
            read(&bytes);
            let mut damaged = rmp_serde::to_vec_named(&PrivateState(Stored {
                reads: true,
                sent: Some("sent".to_owned()),
            })).unwrap();
            let place = place % damaged.len();
            damaged[place] = byte;
            read(&damaged);
            damaged.truncate(place);
            read(&damaged);
        }
    }
}
