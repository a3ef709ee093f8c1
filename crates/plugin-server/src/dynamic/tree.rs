//! Deserialization of a provider's type from a decoded value, with an error that contains the
//! expectation of the type and the place.
//!
//! The calls deserialize from bytes. This slower way is taken if that fails, and at registration.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use serde::de::value::{BorrowedBytesDeserializer, BorrowedStrDeserializer, StringDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer as _, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::family::Family;
use crate::wire::{Number, Type, Value};

/// The reason for which a type does not accept a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The type expects another kind of value, such as "a string" or "i64".
    Kind(String),
    /// The struct has a field that the object does not have.
    MissingField(String),
    /// The struct refuses an attribute that it does not have.
    UnknownField(String),
    /// The enum has only these variants.
    Variant(&'static [&'static str]),
    /// The kind is right, and the value is not: a number out of range, or text of another form.
    Value,
    /// No variant of an untagged enum accepts the value. The reasons of its variants came before.
    Untagged,
}

impl Reason {
    /// Returns whether the type would refuse every value of this kind.
    fn is_of_type(&self) -> bool {
        !matches!(self, Self::Variant(_) | Self::Value)
    }
}

/// One step to the value that was not accepted: the position of a member, an element or an entry.
pub(super) type Step = usize;

/// The reasons for which a type does not accept a value.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    /// The first reason: that of an enum's first variant.
    pub(super) reason: Reason,
    /// Whether every reason is that of a type which refuses all values of the schema.
    pub(super) is_of_type: bool,
}

/// The error of the deserializer.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) cause: Cause,
    /// The steps to the innermost value that was deserialized in place.
    pub(super) path: Vec<Step>,
}

thread_local! {
    /// The reasons that were found in the present attribute. Untagged enums, such as tf-provider's
    /// `Value`, drop the errors of their variants.
    static REASONS: RefCell<Vec<Reason>> = const { RefCell::new(Vec::new()) };
}

impl Mismatch {
    fn new(reason: Reason) -> Self {
        REASONS.with_borrow_mut(|reasons| reasons.push(reason.clone()));
        let is_of_type = reason.is_of_type();
        Self { cause: Cause { reason, is_of_type }, path: Vec::new() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value does not fit the type")
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        // The message can contain the value, so that only its beginning is compared.
        let is_untagged = message.to_string().starts_with("data did not match any variant");
        Self::new(if is_untagged { Reason::Untagged } else { Reason::Value })
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(Reason::Kind(expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::new(Reason::Value)
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::new(Reason::Value)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Reason::Variant(expected))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(Reason::UnknownField(field.to_owned()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Reason::MissingField(field.to_owned()))
    }
}

/// Deserializes a value of the schema type `ty`.
///
/// # Errors
///
/// The first reason, with its place.
pub(super) fn from_value<'de, F: Family>(
    value: Value<'de>,
    ty: &Type,
) -> Result<F::Of<'de>, Mismatch> {
    in_place(&[], || de::Deserialize::deserialize(Tree { value, ty }))
}

/// Runs the deserialization of one part, and completes its error.
fn in_place<T>(step: &[Step], part: impl FnOnce() -> Result<T, Mismatch>) -> Result<T, Mismatch> {
    let before = REASONS.take();
    let result = part();
    let reasons = REASONS.replace(before);
    result.map_err(|mut mismatch| {
        if mismatch.path.is_empty() {
            mismatch.cause.is_of_type = reasons.iter().all(Reason::is_of_type);
            if let Some(first) = reasons.into_iter().next() {
                mismatch.cause.reason = first;
            }
        }
        mismatch.path.splice(0..0, step.iter().copied());
        mismatch
    })
}

struct Tree<'de, 't> {
    value: Value<'de>,
    ty: &'t Type,
}

const ANY: &Type = &Type::Dynamic;

impl<'de> Deserializer<'de> for Tree<'de, '_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Unknown => visitor.visit_newtype_struct(Extension),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match number {
                Number::Signed(number) => match u64::try_from(number) {
                    Ok(number) => visitor.visit_u64(number),
                    Err(_) => visitor.visit_i64(number),
                },
                Number::Unsigned(number) => visitor.visit_u64(number),
                Number::Float(number) => visitor.visit_f64(number),
                Number::Text(text) => visit_text(text, visitor),
            },
            Value::String(text) => visit_text(text, visitor),
            Value::Sequence(items) => {
                visitor.visit_seq(Items { items: items.into_iter().enumerate(), ty: self.ty })
            }
            Value::Map(entries) => visitor.visit_map(Entries::new(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, value, self.ty.part(0).unwrap_or(ANY))),
            )),
            Value::Object(members) => {
                let shape = self.ty.object().map(|shape| &shape.fields[..]).unwrap_or_default();
                let members = shape
                    .iter()
                    .zip(members)
                    .map(|(field, value)| (field.name.clone().into(), value, &field.ty));
                visitor.visit_map(Entries::new(members))
            }
            Value::Dynamic(inner) => {
                let ty = Value::String(inner.0.to_json().to_string().into());
                let pair = Type::Tuple(vec![Type::String, inner.0.clone()]);
                let items = vec![ty, inner.1].into_iter().enumerate();
                visitor.visit_seq(Items { items, ty: &pair })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.value {
            // The name by which rmp-serde recognises an extension.
            Value::Unknown if name == "_ExtStruct" => visitor.visit_newtype_struct(Extension),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.value {
            Value::String(text) => visitor.visit_enum(text.into_owned().into_deserializer()),
            Value::Map(entries) => {
                let mut entries = entries.into_iter();
                match (entries.next(), entries.next()) {
                    (Some((name, value)), None) => {
                        let ty = self.ty.part(0).unwrap_or(ANY);
                        visitor.visit_enum(Variant { name, inner: Tree { value, ty } })
                    }
                    _ => Err(Mismatch::new(Reason::Kind("an enum".to_owned()))),
                }
            }
            _ => Err(Mismatch::new(Reason::Kind("an enum".to_owned()))),
        }
    }

    // As rmp-serde.
    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Mismatch> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

struct Items<'de, 't> {
    items: std::iter::Enumerate<std::vec::IntoIter<Value<'de>>>,
    ty: &'t Type,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Mismatch;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mismatch> {
        let Some((index, value)) = self.items.next() else { return Ok(None) };
        let ty = self.ty.part(index).unwrap_or(ANY);
        in_place(&[index], || seed.deserialize(Tree { value, ty })).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'de, 't, I> {
    entries: std::iter::Enumerate<I>,
    value: Option<(usize, Value<'de>, &'t Type)>,
}

impl<'de, 't, I: Iterator<Item = (Cow<'de, str>, Value<'de>, &'t Type)>> Entries<'de, 't, I> {
    fn new(entries: I) -> Self {
        Self { entries: entries.enumerate(), value: None }
    }
}

impl<'de, 't, I> MapAccess<'de> for Entries<'de, 't, I>
where
    I: Iterator<Item = (Cow<'de, str>, Value<'de>, &'t Type)>,
{
    type Error = Mismatch;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mismatch> {
        let Some((index, (key, value, ty))) = self.entries.next() else { return Ok(None) };
        self.value = Some((index, value, ty));
        match key {
            Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Cow::Owned(key) => seed.deserialize(StringDeserializer::new(key)),
        }
        .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mismatch> {
        let Some((index, value, ty)) = self.value.take() else {
            return Err(Mismatch::new(Reason::Value));
        };
        in_place(&[index], || seed.deserialize(Tree { value, ty }))
    }
}

/// An unknown value, in the form in which rmp-serde represents extensions: a tag and bytes.
struct Extension;

impl<'de> Deserializer<'de> for Extension {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(ExtensionParts(0))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct ExtensionParts(u8);

impl<'de> SeqAccess<'de> for ExtensionParts {
    type Error = Mismatch;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mismatch> {
        self.0 += 1;
        match self.0 {
            1 => seed.deserialize(0_i8.into_deserializer()).map(Some),
            2 => seed.deserialize(BorrowedBytesDeserializer::new(&[])).map(Some),
            _ => Ok(None),
        }
    }
}

/// A variant of an enum, with its value.
struct Variant<'de, 't> {
    name: Cow<'de, str>,
    inner: Tree<'de, 't>,
}

impl<'de, 't> EnumAccess<'de> for Variant<'de, 't> {
    type Error = Mismatch;
    type Variant = Tree<'de, 't>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Tree<'de, 't>), Mismatch> {
        let name = StringDeserializer::new(self.name.into_owned());
        Ok((seed.deserialize(name)?, self.inner))
    }
}

impl<'de> VariantAccess<'de> for Tree<'de, '_> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mismatch> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_any(visitor)
    }
}
