//! Values, and when two of them are the same.

use std::borrow::Cow;

use super::{Nesting, ObjectShape, Role, Type};

/// A value read by its type.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Unknown,
    Bool(bool),
    Number(Number<'a>),
    String(Cow<'a, str>),
    /// Elements of a list, a set or a tuple.
    Sequence(Vec<Self>),
    Map(Vec<(Cow<'a, str>, Self)>),
    /// Members in the order of the object's shape.
    Object(Vec<Self>),
    Dynamic(Box<(Type, Self)>),
}

/// A number in the form in which it came.
#[derive(Clone, Debug)]
pub(crate) enum Number<'a> {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    /// Decimal text, for what neither 64 bits nor a float can hold.
    Text(Cow<'a, str>),
}

/// Significant digits that take part in comparisons.
///
/// Terraform computes with 512 bits, which is 154 digits: beyond them two texts may differ and
/// still be one number to Terraform.
const DIGITS: usize = 150;

impl Number<'_> {
    /// Sign, digits without zeros at either end, and the power of ten of the last digit.
    ///
    /// `None` where the text is no number.
    pub(crate) fn canonical(&self) -> Option<(bool, String, i64)> {
        match self {
            Self::Signed(number) => canonical(&number.to_string()),
            Self::Unsigned(number) => canonical(&number.to_string()),
            // A float is compared by its exact value: 0.1 as a float is not the decimal 0.1.
            Self::Float(number) if number.is_finite() => canonical(&format!("{number:.1074}")),
            Self::Float(number) => Some((*number < 0.0, "inf".to_owned(), 0)),
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

impl<'a> Value<'a> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Whether nothing in here is unknown.
    pub(crate) fn is_wholly_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Sequence(items) | Self::Object(items) => items.iter().all(Self::is_wholly_known),
            Self::Map(entries) => entries.iter().all(|(_, value)| value.is_wholly_known()),
            Self::Dynamic(inner) => inner.1.is_wholly_known(),
            _ => true,
        }
    }

    /// The members of an object; none for anything else.
    pub(crate) fn members(&self) -> &[Self] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::Sequence(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// An object of `shape` in which nothing is set.
    pub(crate) fn empty_object(shape: &ObjectShape) -> Self {
        Self::Object(shape.fields.iter().map(|field| Self::absent(&field.ty, field.role)).collect())
    }

    /// What stands for a member that is not there.
    pub(crate) fn absent(ty: &Type, role: Role) -> Self {
        match role {
            Role::Block(Nesting::List | Nesting::Set) => Self::Sequence(Vec::new()),
            Role::Block(Nesting::Map) => Self::Map(Vec::new()),
            Role::Block(Nesting::Group) => ty.object().map_or(Self::Null, Self::empty_object),
            _ => Self::Null,
        }
    }

    /// Whether Terraform takes both for the same value of type `ty`.
    pub(crate) fn same(&self, other: &Self, ty: &Type) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) | (Self::Unknown, Self::Unknown) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a.canonical() == b.canonical(),
            (Self::Sequence(a), Self::Sequence(b)) => match ty {
                Type::Set(element) => {
                    let within = |x: &[Self], y: &[Self]| {
                        x.iter().all(|item| y.iter().any(|other| item.same(other, element)))
                    };
                    // Set elements that are equal count once, so lengths say nothing.
                    same_in_order(a, b, element) || (within(a, b) && within(b, a))
                }
                Type::List(element) => same_in_order(a, b, element),
                Type::Tuple(types) => {
                    a.len() == b.len()
                        && a.iter().zip(b).zip(types).all(|((x, y), ty)| x.same(y, ty))
                }
                _ => false,
            },
            (Self::Map(a), Self::Map(b)) => match ty {
                Type::Map(element) => {
                    a.len() == b.len()
                        && a.iter().all(|(key, value)| {
                            other.entry(key).is_some_and(|there| value.same(there, element))
                        })
                }
                _ => false,
            },
            (Self::Object(a), Self::Object(b)) => match ty {
                Type::Object(shape) => shape
                    .fields
                    .iter()
                    .zip(a.iter().zip(b))
                    .all(|(field, (x, y))| x.same(y, &field.ty)),
                _ => false,
            },
            (Self::Dynamic(a), Self::Dynamic(b)) => a.0 == b.0 && a.1.same(&b.1, &a.0),
            _ => false,
        }
    }
}

fn same_in_order(a: &[Value<'_>], b: &[Value<'_>], element: &Type) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y, element))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: &str) -> Number<'_> {
        Number::Text(number.into())
    }

    #[test]
    fn number_is_the_same_in_every_form() {
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
    fn number_refuses_other_text() {
        for wrong in ["", "-", ".", "1x", "0x10", "1e", "--1", "1.2.3"] {
            assert_eq!(text(wrong).canonical(), None, "{wrong}");
        }
    }

    #[test]
    fn set_is_the_same_in_any_order_and_list_is_not() {
        let string = |text: &'static str| Value::String(text.into());
        let a = Value::Sequence(vec![string("x"), string("y")]);
        let b = Value::Sequence(vec![string("y"), string("x"), string("x")]);
        assert!(a.same(&b, &Type::Set(Box::new(Type::String))));
        assert!(!a.same(&b, &Type::List(Box::new(Type::String))));
    }
}
