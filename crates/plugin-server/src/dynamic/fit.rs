//! A type of the provider, for its comparison with the schema. The testkit compares them.

use serde::Serialize;

use super::input::Family;

/// Reads an encoded value, and returns it as the type writes it: `None` if it cannot write it.
/// The error is the reason why the type does not accept the value.
#[cfg(feature = "testkit")]
type Echo = fn(&[u8]) -> Result<Option<Vec<u8>>, String>;

/// How a type of the provider reads and writes values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    #[cfg(feature = "testkit")]
    pub(crate) echo: Echo,
}

impl Fit {
    /// Returns how the types of a family read and write.
    pub(crate) fn of<F: Family>() -> Self
    where
        for<'a> F::Of<'a>: Serialize,
    {
        Self {
            #[cfg(feature = "testkit")]
            echo: |bytes| Ok(rmp_serde::to_vec_named(&read::<F>(bytes)?).ok()),
        }
    }
}

#[cfg(feature = "testkit")]
fn read<F: Family>(bytes: &[u8]) -> Result<F::Of<'_>, String> {
    rmp_serde::from_slice(bytes).map_err(|error| error.to_string())
}
