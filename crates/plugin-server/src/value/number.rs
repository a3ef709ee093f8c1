//! Exact numbers.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire::Number as WireNumber;

/// A number of Terraform, with all its digits.
///
/// Numbers are compared by their values: `1.50` equals `1.5`.
///
/// ```
/// use plugin_server::value::Number;
///
/// let price: Number = "0.1".parse()?;
/// assert_eq!(price.to_string(), "0.1");
/// assert_eq!(price.as_i64(), None);
/// assert!(price < Number::from(1));
/// # Ok::<(), plugin_server::value::ParseNumberError>(())
/// ```
///
/// Whole numbers of 64 bits are always `Signed`. A float is one that was received, or stands for
/// the shortest decimal that is read as it.
#[derive(Clone)]
pub struct Number(WireNumber<'static>);

/// The error for text that is not a decimal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNumberError;

impl fmt::Display for ParseNumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text is not a decimal number")
    }
}

impl std::error::Error for ParseNumberError {}

impl Number {
    /// Returns the number that a float stands for: the shortest decimal that is read as this float.
    /// `None` if the float is infinite or not a number.
    #[must_use]
    pub fn from_f64(float: f64) -> Option<Self> {
        float.is_finite().then(|| Self::reduced(WireNumber::Float(float)))
    }

    /// Returns the number if it is whole and has 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        if let WireNumber::Signed(number) = self.0 { Some(number) } else { None }
    }

    /// Returns the float next to the number.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64()
    }

    fn reduced(number: WireNumber<'static>) -> Self {
        Self(number.to_i64().map_or(number, WireNumber::Signed))
    }

    fn canonical(&self) -> (bool, String, i64) {
        let canonical = match self.0 {
            WireNumber::Float(float) => WireNumber::of_float(float).canonical(),
            _ => self.0.canonical(),
        };
        canonical.unwrap_or_default()
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(WireNumber::Signed(number))
    }
}

impl From<i32> for Number {
    fn from(number: i32) -> Self {
        Self(WireNumber::Signed(number.into()))
    }
}

impl From<u32> for Number {
    fn from(number: u32) -> Self {
        Self(WireNumber::Signed(number.into()))
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self::reduced(WireNumber::Unsigned(number))
    }
}

impl FromStr for Number {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        let number = WireNumber::Text(text.to_owned().into());
        match number.canonical() {
            Some((_, digits, _)) if digits != "inf" => Ok(Self::reduced(number)),
            _ => Err(ParseNumberError),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (WireNumber::Signed(a), WireNumber::Signed(b)) => a == b,
            _ => self.canonical() == other.canonical(),
        }
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (WireNumber::Signed(a), WireNumber::Signed(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        let a = self.canonical();
        let b = other.canonical();
        let sign = |(negative, digits, _): &(bool, String, i64)| match (digits.is_empty(), negative)
        {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        // The power of the first digit, then the digits.
        let magnitude = |(_, digits, power): (bool, String, i64)| {
            (power.saturating_add(i64::try_from(digits.len()).unwrap_or(i64::MAX)), digits)
        };
        sign(&a).cmp(&sign(&b)).then_with(|| {
            let negative = a.0;
            let order = magnitude(a).cmp(&magnitude(b));
            if negative { order.reverse() } else { order }
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            WireNumber::Signed(number) => number.fmt(f),
            WireNumber::Unsigned(number) => number.fmt(f),
            WireNumber::Float(float) => float.fmt(f),
            WireNumber::Text(text) => f.write_str(text),
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
            WireNumber::Signed(number) => serializer.serialize_i64(*number),
            WireNumber::Unsigned(number) => serializer.serialize_u64(*number),
            WireNumber::Float(float) => serializer.serialize_f64(*float),
            WireNumber::Text(text) => serializer.serialize_str(text),
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
                Ok(number.into())
            }

            fn visit_f64<E: Error>(self, float: f64) -> Result<Number, E> {
                Number::from_f64(float)
                    .ok_or_else(|| E::invalid_value(Unexpected::Float(float), &self))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                text.parse().map_err(|_| E::invalid_type(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn number_is_compared_by_its_value() {
        assert_eq!(number("1.50"), number("15e-1"));
        assert_eq!(number("7.0").as_i64(), Some(7));
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
        assert_eq!(Number::from_f64(0.1).unwrap(), number("0.1"));
        assert_eq!(Number::from_f64(f64::NAN), None);
        assert_eq!("text".parse::<Number>(), Err(ParseNumberError));
        let sorted = ["-1e3", "-2.5", "-0.1", "0", "1e-9", "0.1", "2", "2.5", "1e3", "1e30"];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(number(a).cmp(&number(b)), at.cmp(&other), "{a} {b}");
            }
        }
    }

    #[test]
    fn number_reads_integers_floats_and_text() {
        let cases = [
            ("9223372036854775807", Some(i64::MAX), "9223372036854775807"),
            ("-9223372036854775808", Some(i64::MIN), "-9223372036854775808"),
            ("\"9223372036854775808\"", None, "9223372036854775808"),
            ("18446744073709551615", None, "18446744073709551615"),
            ("1.5", None, "1.5"),
            ("\"0.1\"", None, "0.1"),
            ("\"7\"", Some(7), "7"),
        ];
        for (json, integer, text) in cases {
            let read: Number = serde_json::from_str(json).unwrap();
            assert_eq!((read.as_i64(), read.to_string()), (integer, text.to_owned()), "{json}");
        }
        assert!(serde_json::from_str::<Number>("null").is_err());
        let written = |number: &Number| serde_json::to_string(number).unwrap();
        assert_eq!(written(&Number::from(i64::MIN)), i64::MIN.to_string());
        assert_eq!(written(&number("0.1")), "\"0.1\"");
    }
}
