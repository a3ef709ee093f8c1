//! Private state: what the provider remembers of an object beside the state that users see.
//!
//! Terraform keeps it as opaque bytes. Those of an object written by an older provider or another
//! one are empty or foreign, and a state file can be damaged. Nothing in it is worth failing for:
//! whatever does not read is nothing remembered, and the provider then assumes less.

use plugin_server::CallContext;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// Something remembered, or its default where the bytes do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Private<T>(pub(crate) T);

impl<'de, T: Default + DeserializeOwned> Deserialize<'de> for Private<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(T::deserialize(deserializer).unwrap_or_default()))
    }
}

/// What is remembered of the object that a create is to replace, while that is planned; else nothing.
pub(crate) fn of_replaced<T: Default + DeserializeOwned>() -> Private<T> {
    let remembered = CallContext::current().and_then(|call| call.read_private());
    Private(remembered.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Remembered {
        reads: bool,
        sent: Option<String>,
    }

    fn read(bytes: &[u8]) -> Private<Remembered> {
        // tf-provider hands an absent private state over as nil.
        let bytes = if bytes.is_empty() { &[0xc0] } else { bytes };
        rmp_serde::from_slice(bytes).expect("never an error")
    }

    #[test]
    fn private_state_survives_a_round_trip() {
        let memory = Private(Remembered { reads: true, sent: Some("x".to_owned()) });
        assert_eq!(read(&rmp_serde::to_vec_named(&memory).unwrap()), memory);
    }

    #[test]
    fn private_state_that_does_not_read_is_nothing_remembered() {
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
            assert_eq!(read(bytes), Private(Remembered::default()), "{bytes:?}");
        }
    }

    #[test]
    fn private_state_of_a_newer_version_is_read_as_far_as_it_is_known() {
        let newer = b"\x82\xa5reads\xc3\xa5extra\x01";
        assert_eq!(read(newer), Private(Remembered { reads: true, sent: None }));
    }

    proptest::proptest! {
        #[test]
        fn private_state_survives_anything(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64),
            place in 0_usize..32,
            byte in proptest::num::u8::ANY,
        ) {
            read(&bytes);
            let mut damaged = rmp_serde::to_vec_named(&Private(Remembered {
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
