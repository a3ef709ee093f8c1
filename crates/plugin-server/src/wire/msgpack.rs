//! Decoding of msgpack, according to a type.
//!
//! A value is decoded to a tree only if it has to be changed or compared. Everything else that the
//! server has to know is collected by [`survey`], which allocates nothing for the value.

use std::borrow::Cow;
use std::marker::PhantomData;

use tf_provider::AttributePath;

use super::number::Number;
use super::path::{Fault, Path};
use super::shape::{MAX_DEPTH, Nesting, ObjectShape, Role, Type};
use super::text::is_normalised;
use super::token::{Broken, Token, Tokens};
use super::value::Value;

/// The properties of a value that decide whether it must be changed or compared.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The parts that do not fit the type.
    pub(crate) faults: Vec<Fault>,
    /// Whether this crate would encode the value differently: missing members were added, or the
    /// refinement of an unknown value was dropped.
    pub(crate) rewritten: bool,
    /// The first unknown value.
    pub(crate) unknown: Option<AttributePath>,
    /// Whether there are unknown values or typed nulls that some types of providers lose: those in
    /// sets, those of optional blocks, and dynamic ones.
    pub(crate) is_fragile: bool,
    /// Whether there are floats. A provider's float stands for the decimal that it was read from.
    pub(crate) has_floats: bool,
    /// Whether there is text that Terraform would normalise.
    pub(crate) has_raw_text: bool,
    /// Whether write-only attributes are set.
    pub(crate) sets_write_only: bool,
    /// Whether read-only attributes are set.
    pub(crate) sets_read_only: bool,
}

/// A value that was read, with its faults.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The value, with null in place of each fault.
    pub(crate) value: Value<'a>,
    /// The parts that do not fit the type.
    pub(crate) faults: Vec<Fault>,
}

/// Decodes a value of type `ty`. Empty bytes are null.
pub(crate) fn decode<'a>(bytes: &'a [u8], ty: &Type) -> Decoded<'a> {
    let (value, survey) = read::<Tree>(bytes, ty);
    let value = value.unwrap_or(Value::Null);
    Decoded { value, faults: survey.faults }
}

/// Checks a value of type `ty`. Empty bytes are null.
pub(crate) fn survey(bytes: &[u8], ty: &Type) -> Survey {
    read::<Nothing>(bytes, ty).1
}

fn read<'a, B: Build<'a>>(bytes: &'a [u8], ty: &Type) -> (Option<B::Node>, Survey) {
    let mut reader =
        Reader::<B> { tokens: Tokens::new(bytes), survey: Survey::default(), of: PhantomData };
    if bytes.is_empty() {
        reader.survey.rewritten = true;
        return (None, reader.survey);
    }
    let value = match reader.value(ty, Path::ROOT) {
        Ok(value) if reader.tokens.rest().is_empty() => Some(value),
        Ok(_) => {
            reader.fault(Path::ROOT, "bytes follow after the end of the value");
            None
        }
        Err(Broken) => {
            reader.fault(Path::ROOT, "the bytes are not a complete msgpack value");
            None
        }
    };
    (value, reader.survey)
}

/// The result of reading: a tree of values, or nothing but the survey.
trait Build<'a> {
    type Node;
    type Entry;

    fn leaf(value: Value<'a>) -> Self::Node;
    fn absent(ty: &Type, role: Role) -> Self::Node;
    fn sequence(items: Vec<Self::Node>) -> Self::Node;
    fn entry(key: &'a str, value: Self::Node) -> Self::Entry;
    fn map(entries: Vec<Self::Entry>) -> Self::Node;
    fn object(members: Vec<Self::Node>) -> Self::Node;
    fn dynamic(ty: Type, value: Self::Node) -> Self::Node;
}

struct Tree;

impl<'a> Build<'a> for Tree {
    type Node = Value<'a>;
    type Entry = (Cow<'a, str>, Value<'a>);

    fn leaf(value: Value<'a>) -> Value<'a> {
        value
    }

    fn absent(ty: &Type, role: Role) -> Value<'a> {
        Value::absent(ty, role)
    }

    fn sequence(items: Vec<Value<'a>>) -> Value<'a> {
        Value::Sequence(items)
    }

    fn entry(key: &'a str, value: Value<'a>) -> Self::Entry {
        (key.into(), value)
    }

    fn map(entries: Vec<Self::Entry>) -> Value<'a> {
        Value::Map(entries)
    }

    fn object(members: Vec<Value<'a>>) -> Value<'a> {
        Value::Object(members)
    }

    fn dynamic(ty: Type, value: Value<'a>) -> Value<'a> {
        Value::Dynamic(Box::new((ty, value)))
    }
}

/// Builds nothing. A vector of its nodes does not allocate.
struct Nothing;

impl<'a> Build<'a> for Nothing {
    type Node = ();
    type Entry = ();

    fn leaf(_: Value<'a>) {}
    fn absent(_: &Type, _: Role) {}
    fn sequence(_: Vec<()>) {}
    fn entry(_: &'a str, (): ()) {}
    fn map(_: Vec<()>) {}
    fn object(_: Vec<()>) {}
    fn dynamic(_: Type, (): ()) {}
}

struct Reader<'a, B> {
    tokens: Tokens<'a>,
    survey: Survey,
    of: PhantomData<B>,
}

impl<'a, B: Build<'a>> Reader<'a, B> {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.survey.faults.push(Fault::new(path, what));
    }

    fn text(&mut self, bytes: &'a [u8], path: Path<'_>) -> Option<&'a str> {
        let text = std::str::from_utf8(bytes).ok();
        match text {
            Some(text) => self.survey.has_raw_text |= !is_normalised(text),
            None => self.fault(path, "the text is not valid UTF-8"),
        }
        text
    }

    fn unknown(&mut self, path: Path<'_>) -> B::Node {
        self.survey.is_fragile |= path.is_in_set() || path.is_inside();
        if self.survey.unknown.is_none() {
            self.survey.unknown = Some(path.to_attribute_path());
        }
        B::leaf(Value::Unknown)
    }

    fn value(&mut self, ty: &Type, path: Path<'_>) -> Result<B::Node, Broken> {
        let token = self.tokens.token()?;
        self.value_of(token, ty, path)
    }

    fn value_of(&mut self, token: Token<'a>, ty: &Type, path: Path<'_>) -> Result<B::Node, Broken> {
        if path.depth() > MAX_DEPTH {
            return Err(Broken);
        }
        Ok(match (token, ty) {
            (Token::Nil, _) => {
                self.survey.is_fragile |= path.is_inside();
                B::leaf(Value::Null)
            }
            (Token::Unknown, _) => self.unknown(path),
            (Token::Extension, _) => {
                self.survey.rewritten = true;
                self.unknown(path)
            }
            (Token::Bool(value), Type::Bool) => B::leaf(Value::Bool(value)),
            (Token::Text(bytes), Type::String) => B::leaf(
                self.text(bytes, path).map_or(Value::Null, |text| Value::String(text.into())),
            ),
            (Token::Number(number), Type::Number) => {
                let is_nan = matches!(number, Number::Float(number) if number.is_nan());
                if is_nan {
                    self.fault(path, "it is not a number (NaN)");
                }
                self.survey.has_floats |= matches!(number, Number::Float(_));
                B::leaf(if is_nan { Value::Null } else { Value::Number(number) })
            }
            (Token::Text(bytes), Type::Number) => {
                let text = self.text(bytes, path).unwrap_or_default();
                let number = Number::Text(text.into());
                if number.canonical().is_some() {
                    B::leaf(Value::Number(number))
                } else {
                    self.fault(path, "a number is required, and the text is not a number");
                    B::leaf(Value::Null)
                }
            }
            (Token::Array(count), Type::List(element)) => {
                let mut items = self.room(count);
                for index in 0..count {
                    items.push(self.value(element, path.index(index))?);
                }
                B::sequence(items)
            }
            (Token::Array(count), Type::Set(element)) => {
                let mut items = self.room(count);
                for _ in 0..count {
                    items.push(self.value(element, path.element())?);
                }
                B::sequence(items)
            }
            (Token::Array(count), Type::Tuple(types)) if count == types.len() => {
                let mut items = Vec::with_capacity(count);
                for (index, ty) in types.iter().enumerate() {
                    items.push(self.value(ty, path.index(index))?);
                }
                B::sequence(items)
            }
            (Token::Array(2), Type::Dynamic) => self.dynamic(path)?,
            (Token::Map(count), Type::Map(element)) => self.map(count, element, path)?,
            (Token::Map(count), Type::Object(shape)) => self.object(count, shape, path)?,
            (token, ty) => {
                self.fault(
                    path,
                    format!("{} is required, not {}", ty.description(), token.description()),
                );
                self.tokens.skip(&token, path.depth())?;
                B::leaf(Value::Null)
            }
        })
    }

    /// Returns a vector for `count` items, if the bytes can contain as many.
    fn room<T>(&self, count: usize) -> Vec<T> {
        Vec::with_capacity(count.min(self.tokens.rest().len()))
    }

    fn dynamic(&mut self, path: Path<'_>) -> Result<B::Node, Broken> {
        let token = self.tokens.token()?;
        let ty = match token {
            Token::Text(bytes) | Token::Binary(bytes) => Type::parse(bytes),
            _ => None,
        };
        let Some(ty) = ty else {
            self.fault(path, "the type of the dynamic value is invalid");
            self.tokens.skip(&token, path.depth())?;
            let inner = self.tokens.token()?;
            self.tokens.skip(&inner, path.depth())?;
            return Ok(B::leaf(Value::Null));
        };
        let value = self.value(&ty, path.inside())?;
        Ok(B::dynamic(ty, value))
    }

    fn map(&mut self, count: usize, element: &Type, path: Path<'_>) -> Result<B::Node, Broken> {
        let mut entries = self.room(count);
        for _ in 0..count {
            let Some(key) = self.key(path)? else { continue };
            let value = self.value(element, path.key(key))?;
            entries.push(B::entry(key, value));
        }
        Ok(B::map(entries))
    }

    fn object(
        &mut self,
        count: usize,
        shape: &ObjectShape,
        path: Path<'_>,
    ) -> Result<B::Node, Broken> {
        let mut members: Vec<Option<B::Node>> = shape.fields.iter().map(|_| None).collect();
        for index in 0..count {
            let Some(key) = self.key(path)? else { continue };
            // Terraform writes the members in the order of their names, like the shape.
            let expected = shape.fields.get(index).filter(|field| field.name == key);
            let at = expected.map_or_else(|| shape.position(key), |_| Some(index));
            let slot = at.and_then(|at| Some((shape.fields.get(at)?, members.get_mut(at)?)));
            let token = self.tokens.token()?;
            let Some((field, slot)) = slot else {
                self.fault(path.name(key), "the schema does not have this attribute");
                self.tokens.skip(&token, path.depth())?;
                continue;
            };
            let is_null = matches!(token, Token::Nil);
            if is_null && field.is_never_null() {
                self.survey.rewritten = true;
                *slot = Some(B::absent(&field.ty, field.role));
                continue;
            }
            self.survey.sets_write_only |= !is_null && field.is_write_only();
            self.survey.sets_read_only |= !is_null && field.is_read_only();
            self.survey.is_fragile |= field.role == Role::Block(Nesting::Optional)
                && matches!(token, Token::Unknown | Token::Extension);
            *slot = Some(self.value_of(token, &field.ty, path.name(key))?);
        }
        let mut complete = Vec::with_capacity(members.len());
        for (member, field) in members.into_iter().zip(&shape.fields) {
            complete.push(match member {
                Some(member) => member,
                None => {
                    self.survey.rewritten = true;
                    B::absent(&field.ty, field.role)
                }
            });
        }
        Ok(B::object(complete))
    }

    fn key(&mut self, path: Path<'_>) -> Result<Option<&'a str>, Broken> {
        let token = self.tokens.token()?;
        if let Token::Text(bytes) = token
            && let Some(text) = self.text(bytes, path)
        {
            return Ok(Some(text));
        }
        if !matches!(token, Token::Text(_)) {
            self.fault(path, "a key is not a string");
            self.tokens.skip(&token, path.depth())?;
        }
        let value = self.tokens.token()?;
        self.tokens.skip(&value, path.depth())?;
        Ok(None)
    }
}

#[cfg(test)]
#[path = "msgpack_tests.rs"]
mod tests;
