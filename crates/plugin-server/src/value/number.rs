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
#[derive(Clone)]
pub struct Number(Form);

#[derive(Clone)]
enum Form {
    Integer(i64),
    /// A float that was received, or the shortest decimal that is read as this float.
    Float(f64),
    Decimal(Box<str>),
}

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
        float.is_finite().then(|| Self(Form::Float(float)).reduced())
    }

    /// Returns the number if it is whole and has 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Form::Integer(number) => Some(*number),
            Form::Float(_) | Form::Decimal(_) => None,
        }
    }

    /// Returns the float next to the number.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.wire().to_f64()
    }

    /// Makes whole numbers of 64 bits integers.
    fn reduced(self) -> Self {
        let (negative, digits, power) = self.canonical();
        let zeros = usize::try_from(power).ok().filter(|zeros| *zeros < 20);
        let whole = zeros.and_then(|zeros| {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{digits:0<width$}", width = digits.len() + zeros).parse().ok()
        });
        match whole {
            _ if digits.is_empty() => Self(Form::Integer(0)),
            Some(integer) => Self(Form::Integer(integer)),
            None => self,
        }
    }

    fn wire(&self) -> WireNumber<'_> {
        match &self.0 {
            Form::Integer(number) => WireNumber::Signed(*number),
            Form::Float(float) => WireNumber::of_float(*float),
            Form::Decimal(text) => WireNumber::Text((&**text).into()),
        }
    }

    fn canonical(&self) -> (bool, String, i64) {
        self.wire().canonical().unwrap_or_default()
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(Form::Integer(number))
    }
}

impl From<i32> for Number {
    fn from(number: i32) -> Self {
        Self(Form::Integer(number.into()))
    }
}

impl From<u32> for Number {
    fn from(number: u32) -> Self {
        Self(Form::Integer(number.into()))
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(Form::Decimal(number.to_string().into())).reduced()
    }
}

impl FromStr for Number {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        match WireNumber::Text(text.into()).canonical() {
            Some((_, digits, _)) if digits != "inf" => {
                Ok(Self(Form::Decimal(text.into())).reduced())
            }
            _ => Err(ParseNumberError),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Integer(a), Form::Integer(b)) => a == b,
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
        if let (Form::Integer(a), Form::Integer(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        let (a, b) = (self.canonical(), other.canonical());
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
            Form::Integer(number) => number.fmt(f),
            Form::Float(float) => float.fmt(f),
            Form::Decimal(text) => f.write_str(text),
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
            Form::Integer(number) => serializer.serialize_i64(*number),
            Form::Float(float) => serializer.serialize_f64(*float),
            Form::Decimal(text) => serializer.serialize_str(text),
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

    #[test]
    fn number_keeps_every_digit() {
        for text in ["0.1", "-7", "18446744073709551616", "1e400", "0.3333333333333333333333333"] {
            let written = rmp_serde::to_vec_named(&number(text)).unwrap();
            let read: Number = rmp_serde::from_slice(&written).unwrap();
            assert_eq!((&read, read.to_string()), (&number(text), text.to_owned()));
        }
    }
}
