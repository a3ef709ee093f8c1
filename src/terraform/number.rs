//! The value of a `number` attribute, as Terraform wrote it.
//!
//! tf-provider's own number is an `i64` that refuses `1.5` with a serde message that names no
//! attribute. Terraform itself sends whole numbers of 64 bits as integers, exact fractions as
//! floats and everything else as decimal text; this type accepts all three, so that validation can
//! report an invalid number at its attribute.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number: whole within 64 bits, or the text of any other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// A whole number that 64 bits hold exactly.
    Integer(i64),
    /// A fraction, or a whole number beyond 64 bits, in decimal text.
    Other(String),
}

impl Number {
    /// Returns the number if it is a whole number within 64 bits.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Other(_) => None,
        }
    }

    /// Returns the nearest 64-bit float; `None` for text that is not a number.
    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            // Settings in floats are rates: the rounding beyond 2^53 does not matter to them.
            #[allow(clippy::cast_precision_loss, reason = "see the comment above")]
            Self::Integer(value) => Some(*value as f64),
            Self::Other(text) => text.parse().ok(),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Other(text) => text.fmt(f),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Other(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Integer(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(i64::try_from(value)
                    .map_or_else(|_| Number::Other(value.to_string()), Number::Integer))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Other(value.to_string()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                Ok(text.parse().map_or_else(|_| Number::Other(text.to_owned()), Number::Integer))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_reads_what_terraform_sends() {
        let cases = [
            ("9223372036854775807", Number::Integer(i64::MAX)),
            ("-9223372036854775808", Number::Integer(i64::MIN)),
            ("\"9223372036854775808\"", Number::Other("9223372036854775808".to_owned())),
            ("18446744073709551615", Number::Other("18446744073709551615".to_owned())),
            ("1.5", Number::Other("1.5".to_owned())),
            ("\"0.1\"", Number::Other("0.1".to_owned())),
            ("\"7\"", Number::Integer(7)),
        ];
        for (json, expected) in cases {
            assert_eq!(serde_json::from_str::<Number>(json).unwrap(), expected, "{json}");
        }
        assert!(serde_json::from_str::<Number>("null").is_err());
    }

    #[test]
    fn number_goes_back_to_terraform_without_loss() {
        assert_eq!(
            serde_json::to_string(&Number::Integer(i64::MIN)).unwrap(),
            i64::MIN.to_string()
        );
        assert_eq!(serde_json::to_string(&Number::Other("0.1".to_owned())).unwrap(), "\"0.1\"");
    }
}
