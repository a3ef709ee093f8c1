//! Exact numbers.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire::Number as WireNumber;

/// A number of Terraform. Every whole number of 64 bits is exact, in each encoding of hosts.
///
/// ```
/// use plugin_server::value::Number;
///
/// assert_eq!(Number::from(7).as_i64(), Some(7));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Number(Kind);

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Integer(i64),
    /// The decimal text of any other number.
    Other(String),
}

impl Number {
    /// Returns the number if it is whole and has 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        if let Kind::Integer(number) = self.0 { Some(number) } else { None }
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(Kind::Integer(number))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Integer(number) => number.fmt(f),
            Kind::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Kind::Integer(number) => serializer.serialize_i64(*number),
            Kind::Other(text) => serializer.serialize_str(text),
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

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(number.into())
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: Error>(self, float: f64) -> Result<Number, E> {
                self.visit_str(&float.to_string())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                if let Ok(number) = text.parse() {
                    return Ok(Number(Kind::Integer(number)));
                }
                let is_number = WireNumber::Text(text.into()).canonical().is_some();
                let other = is_number.then(|| Number(Kind::Other(text.to_owned())));
                other.ok_or_else(|| E::invalid_type(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_reads_integers_floats_and_text() {
        let cases = [
            ("9223372036854775807", Some(i64::MAX), "9223372036854775807"),
            ("-9223372036854775808", Some(i64::MIN), "-9223372036854775808"),
            ("\"9223372036854775808\"", None, "9223372036854775808"),
            ("18446744073709551615", None, "18446744073709551615"),
            ("1.5", None, "1.5"),
            ("7.0", Some(7), "7"),
            ("\"0.1\"", None, "0.1"),
            ("\"7\"", Some(7), "7"),
        ];
        for (json, integer, text) in cases {
            let read: Number = serde_json::from_str(json).unwrap();
            assert_eq!((read.as_i64(), read.to_string()), (integer, text.to_owned()), "{json}");
        }
        for wrong in ["null", "\"text\"", "\"\""] {
            assert!(serde_json::from_str::<Number>(wrong).is_err(), "{wrong}");
        }
        let written = |json: &str| {
            serde_json::to_string(&serde_json::from_str::<Number>(json).unwrap()).unwrap()
        };
        assert_eq!(written("-9223372036854775808"), i64::MIN.to_string());
        assert_eq!(written("\"0.1\""), "\"0.1\"");
    }
}
