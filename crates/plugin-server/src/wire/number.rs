//! Numbers, and their canonical form.

use std::borrow::Cow;

/// A number in the encoding in which it arrived.
#[derive(Clone, Debug)]
pub(crate) enum Number<'a> {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    /// Decimal text, for numbers that neither 64 bits nor a float can represent.
    Text(Cow<'a, str>),
}

/// The number of significant digits that are compared.
///
/// Terraform computes with 512 bits, which is 154 digits: beyond them two strings may differ and
/// still be one number to Terraform.
const DIGITS: usize = 150;

impl Number<'_> {
    /// Returns the sign, the digits without zeros at either end, and the power of ten of the last
    /// digit; `None` if the text is not a number.
    pub(crate) fn canonical(&self) -> Option<(bool, String, i64)> {
        match self {
            Self::Signed(number) => canonical(&number.to_string()),
            Self::Unsigned(number) => canonical(&number.to_string()),
            // A float is compared by its exact value: 0.1 as a float is not the decimal 0.1.
            Self::Float(number) if number.is_finite() => {
                canonical(&format!("{number:.*}", fraction_digits(*number)))
            }
            Self::Float(number) => Some((*number < 0.0, "inf".to_owned(), 0)),
            Self::Text(text) => canonical(text),
        }
    }

    /// Returns whether the number has no fraction.
    pub(crate) fn is_whole(&self) -> bool {
        self.canonical().is_some_and(|(_, _, power)| power >= 0)
    }

    /// Returns the number if it is whole and has 64 bits.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        let (negative, digits, power) = self.canonical()?;
        let zeros = usize::try_from(power).ok().filter(|zeros| *zeros < 20)?;
        let sign = if negative { "-" } else { "" };
        format!("{sign}0{digits}{}", "0".repeat(zeros)).parse().ok()
    }

    /// Returns the float next to the number.
    #[allow(clippy::cast_precision_loss, reason = "the float next to the number is asked for")]
    pub(crate) fn to_f64(&self) -> f64 {
        match self {
            Self::Signed(number) => *number as f64,
            Self::Unsigned(number) => *number as f64,
            Self::Float(number) => *number,
            Self::Text(text) => text.parse().unwrap_or(f64::NAN),
        }
    }
}

impl Number<'static> {
    /// Returns the number that a float of a provider stands for: an integer, or the shortest
    /// decimal that is read as this float. The exact value of the float 0.1 has 55 digits, and
    /// Terraform would store each of them.
    pub(crate) fn of_float(float: f64) -> Self {
        if float.fract() == 0.0 && float.abs() < I64_LIMIT {
            #[allow(clippy::cast_possible_truncation, reason = "it is an integer of 64 bits")]
            return Number::Signed(float as i64);
        }
        // `Display` never writes an exponent.
        let has_exponent = !(1e-7..1e21).contains(&float.abs());
        let decimal = if has_exponent { format!("{float:e}") } else { float.to_string() };
        let is_exact = canonical(&decimal) == Number::Float(float).canonical();
        if is_exact { Number::Float(float) } else { Number::Text(decimal.into()) }
    }
}

/// 2^63, the first number beyond an `i64`.
const I64_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// Returns the number of decimal places of the exact value of a finite float, which is that of its
/// binary places.
fn fraction_digits(number: f64) -> usize {
    const MANTISSA_BITS: i32 = 52;
    const BIAS: i32 = 1_023;
    let bits = number.to_bits();
    let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
    let biased = i32::try_from(bits >> MANTISSA_BITS & 0x7ff).unwrap_or_default();
    // A subnormal number has no implicit leading bit, and the exponent of the smallest normal one.
    let (mantissa, biased) =
        if biased == 0 { (mantissa, 1) } else { (mantissa | 1 << MANTISSA_BITS, biased) };
    let trailing = i32::try_from(mantissa.trailing_zeros()).unwrap_or_default();
    usize::try_from(BIAS + MANTISSA_BITS - biased - trailing).unwrap_or(0)
}

fn canonical(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("infinity") {
        return Some((negative, "inf".to_owned(), 0));
    }
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let mut power = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let trimmed = digits.trim_start_matches('0');
    let kept = &trimmed[..trimmed.len().min(DIGITS)];
    power = power.checked_add(i64::try_from(trimmed.len() - kept.len()).ok()?)?;
    let short = kept.trim_end_matches('0');
    if short.is_empty() {
        return Some((false, String::new(), 0));
    }
    power = power.checked_add(i64::try_from(kept.len() - short.len()).ok()?)?;
    Some((negative, short.to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: &str) -> Number<'_> {
        Number::Text(number.into())
    }

    #[test]
    fn number_is_equal_in_every_encoding() {
        for (a, b) in [
            (Number::Signed(2), Number::Float(2.0)),
            (text("2.50"), Number::Float(2.5)),
            (text("1e3"), Number::Signed(1000)),
            (text("-0"), Number::Unsigned(0)),
            (text("18446744073709551615"), Number::Unsigned(u64::MAX)),
            (text("0.000001"), text("1E-6")),
        ] {
            assert_eq!(a.canonical(), b.canonical(), "{a:?} {b:?}");
        }
    }

    #[test]
    fn number_as_float_is_not_the_decimal_it_was_written_as() {
        assert_ne!(Number::Float(0.1).canonical(), text("0.1").canonical());
        assert_ne!(Number::Signed(1).canonical(), Number::Signed(-1).canonical());
        assert_ne!(Number::Signed(1).canonical(), Number::Signed(10).canonical());
    }

    #[test]
    fn number_of_a_float_is_its_shortest_decimal() {
        for (float, expected) in [
            (0.1, text("0.1")),
            (-2.5, Number::Float(-2.5)),
            (2.0, Number::Signed(2)),
            (-0.0, Number::Signed(0)),
            (1e300, text("1e300")),
            (1.0 / 3.0, text("0.3333333333333333")),
            (9_007_199_254_740_992.0, Number::Signed(9_007_199_254_740_992)),
        ] {
            let number = Number::of_float(float);
            assert_eq!(number.canonical(), expected.canonical(), "{float}");
            assert!(!matches!(number, Number::Float(number) if number.to_string().len() > 18));
        }
    }

    #[test]
    fn number_refuses_other_text() {
        for wrong in ["", "-", ".", "1x", "0x10", "1e", "--1", "1.2.3"] {
            assert_eq!(text(wrong).canonical(), None, "{wrong}");
        }
    }

    #[test]
    fn number_as_float_has_its_exact_value() {
        for number in [0.5, 0.1, 1e300, 2.0, -3.25, f64::MIN_POSITIVE, 5e-324, 0.0, 1e-10] {
            let all_places = canonical(&format!("{number:.1074}"));
            assert_eq!(Number::Float(number).canonical(), all_places, "{number}");
        }
    }
}
