//! Numbers, and their canonical form.

use std::borrow::Cow;

/// A number.
#[derive(Clone, Debug)]
pub(crate) enum Number<'a> {
    Integer(i64),
    /// Decimal text, for numbers that 64 bits cannot represent.
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
            Self::Integer(number) => canonical(&number.to_string()),
            Self::Text(text) => canonical(text),
        }
    }
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
    fn number_is_compared_by_its_value() {
        for (a, b, expected) in [
            (text("2.0"), Number::Integer(2), true),
            (text("2.50"), text("2.5"), true),
            (text("1e3"), Number::Integer(1000), true),
            (text("-0"), Number::Integer(0), true),
            (text("0.000001"), text("1E-6"), true),
            (Number::Integer(1), Number::Integer(-1), false),
            (Number::Integer(1), Number::Integer(10), false),
            (text("0.1"), text("0.10000000000000001"), false),
        ] {
            assert_eq!(a.canonical() == b.canonical(), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn number_refuses_other_text() {
        for wrong in ["", "-", ".", "1x", "0x10", "1e", "--1", "1.2.3"] {
            assert_eq!(text(wrong).canonical(), None, "{wrong}");
        }
    }
}
