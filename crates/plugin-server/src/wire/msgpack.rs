//! Reading and writing msgpack by a type.

use std::borrow::Cow;

use rmp::encode as write;

use super::{Fault, MAX_DEPTH, Nesting, Number, ObjectShape, Path, Role, Type, Value};

/// A value with what was wrong in it.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The value; where something was wrong it is null.
    pub(crate) value: Value<'a>,
    /// What was wrong.
    pub(crate) faults: Vec<Fault>,
    /// Whether the bytes say it in another way than this crate would: absent members were filled
    /// in, or a refinement of an unknown value was dropped.
    pub(crate) rewritten: bool,
}

/// Bytes that end or nest where no msgpack value does.
struct Broken;

enum Token<'a> {
    Nil,
    Bool(bool),
    Number(Number<'a>),
    Text(&'a [u8]),
    Binary(&'a [u8]),
    Array(usize),
    Map(usize),
    Extension,
    /// The one-byte extension that Terraform writes for an unknown value.
    Unknown,
}

impl Token<'_> {
    fn in_words(&self) -> &'static str {
        match self {
            Self::Nil => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Binary(_) => "bytes",
            Self::Array(_) => "a list",
            Self::Map(_) => "an object",
            Self::Extension | Self::Unknown => "an unknown value",
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    faults: Vec<Fault>,
    rewritten: bool,
}

/// Reads a value of type `ty`; no bytes at all are null.
pub(crate) fn decode<'a>(bytes: &'a [u8], ty: &Type) -> Decoded<'a> {
    let mut reader = Reader { rest: bytes, faults: Vec::new(), rewritten: false };
    if bytes.is_empty() {
        return Decoded { value: Value::Null, faults: Vec::new(), rewritten: true };
    }
    let value = match reader.value(ty, Path::ROOT) {
        Ok(value) if reader.rest.is_empty() => value,
        Ok(_) => {
            reader.fault(Path::ROOT, "bytes follow after the end of the value");
            Value::Null
        }
        Err(Broken) => {
            reader.fault(Path::ROOT, "the bytes are no complete msgpack value");
            Value::Null
        }
    };
    Decoded { value, faults: reader.faults, rewritten: reader.rewritten }
}

impl<'a> Reader<'a> {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.faults.push(Fault::new(path, what));
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(Broken)?;
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        self.take(N)?.try_into().map_err(|_| Broken)
    }

    fn length(&mut self, width: usize) -> Result<usize, Broken> {
        Ok(self.take(width)?.iter().fold(0, |sum, byte| (sum << 8) | usize::from(*byte)))
    }

    fn token(&mut self) -> Result<Token<'a>, Broken> {
        let [first] = self.array::<1>()?;
        Ok(match first {
            0x00..=0x7f => Token::Number(Number::Signed(i64::from(first))),
            0x80..=0x8f => Token::Map(usize::from(first & 0x0f)),
            0x90..=0x9f => Token::Array(usize::from(first & 0x0f)),
            0xa0..=0xbf => Token::Text(self.take(usize::from(first & 0x1f))?),
            0xc0 => Token::Nil,
            0xc1 => return Err(Broken),
            0xc2 => Token::Bool(false),
            0xc3 => Token::Bool(true),
            0xc4..=0xc6 => {
                let length = self.length(1 << (first - 0xc4))?;
                Token::Binary(self.take(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.length(1 << (first - 0xc7))?;
                self.take(length + 1)?;
                Token::Extension
            }
            0xca => Token::Number(Number::Float(f64::from(f32::from_be_bytes(self.array()?)))),
            0xcb => Token::Number(Number::Float(f64::from_be_bytes(self.array()?))),
            0xcc => Token::Number(Number::Signed(i64::from(u8::from_be_bytes(self.array()?)))),
            0xcd => Token::Number(Number::Signed(i64::from(u16::from_be_bytes(self.array()?)))),
            0xce => Token::Number(Number::Signed(i64::from(u32::from_be_bytes(self.array()?)))),
            0xcf => {
                let number = u64::from_be_bytes(self.array()?);
                Token::Number(
                    i64::try_from(number).map_or(Number::Unsigned(number), Number::Signed),
                )
            }
            0xd0 => Token::Number(Number::Signed(i64::from(i8::from_be_bytes(self.array()?)))),
            0xd1 => Token::Number(Number::Signed(i64::from(i16::from_be_bytes(self.array()?)))),
            0xd2 => Token::Number(Number::Signed(i64::from(i32::from_be_bytes(self.array()?)))),
            0xd3 => Token::Number(Number::Signed(i64::from_be_bytes(self.array()?))),
            0xd4 => match self.array::<2>()? {
                [0, 0] => Token::Unknown,
                _ => Token::Extension,
            },
            0xd5..=0xd8 => {
                self.take((1 << (first - 0xd4)) + 1)?;
                Token::Extension
            }
            0xd9..=0xdb => {
                let length = self.length(1 << (first - 0xd9))?;
                Token::Text(self.take(length)?)
            }
            0xdc => Token::Array(self.length(2)?),
            0xdd => Token::Array(self.length(4)?),
            0xde => Token::Map(self.length(2)?),
            0xdf => Token::Map(self.length(4)?),
            0xe0..=0xff => Token::Number(Number::Signed(i64::from(i8::from_be_bytes([first])))),
        })
    }

    /// Passes over what `token` began.
    fn skip(&mut self, token: &Token<'a>, depth: usize) -> Result<(), Broken> {
        let values = match token {
            Token::Array(count) => *count,
            Token::Map(count) => count.saturating_mul(2),
            _ => return Ok(()),
        };
        if depth > MAX_DEPTH {
            return Err(Broken);
        }
        for _ in 0..values {
            let token = self.token()?;
            self.skip(&token, depth + 1)?;
        }
        Ok(())
    }

    fn text(&mut self, bytes: &'a [u8], path: Path<'_>) -> Option<&'a str> {
        let text = std::str::from_utf8(bytes).ok();
        if text.is_none() {
            self.fault(path, "the text is not valid UTF-8");
        }
        text
    }

    fn value(&mut self, ty: &Type, path: Path<'_>) -> Result<Value<'a>, Broken> {
        let token = self.token()?;
        self.value_of(token, ty, path)
    }

    fn value_of(
        &mut self,
        token: Token<'a>,
        ty: &Type,
        path: Path<'_>,
    ) -> Result<Value<'a>, Broken> {
        if path.depth() > MAX_DEPTH {
            return Err(Broken);
        }
        Ok(match (token, ty) {
            (Token::Nil, _) => Value::Null,
            (Token::Unknown, _) => Value::Unknown,
            (Token::Extension, _) => {
                self.rewritten = true;
                Value::Unknown
            }
            (Token::Bool(value), Type::Bool) => Value::Bool(value),
            (Token::Text(bytes), Type::String) => {
                self.text(bytes, path).map_or(Value::Null, |text| Value::String(text.into()))
            }
            (Token::Number(Number::Float(number)), Type::Number) if number.is_nan() => {
                self.fault(path, "it is not a number (NaN)");
                Value::Null
            }
            (Token::Number(number), Type::Number) => Value::Number(number),
            (Token::Text(bytes), Type::Number) => {
                let text = self.text(bytes, path).unwrap_or_default();
                let number = Number::Text(text.into());
                if number.canonical().is_some() {
                    Value::Number(number)
                } else {
                    self.fault(path, "a number is required, and the text is none");
                    Value::Null
                }
            }
            (Token::Array(count), Type::List(element)) => {
                let mut items = Vec::with_capacity(count.min(self.rest.len()));
                for index in 0..count {
                    items.push(self.value(element, path.index(index))?);
                }
                Value::Sequence(items)
            }
            (Token::Array(count), Type::Set(element)) => {
                let mut items = Vec::with_capacity(count.min(self.rest.len()));
                for _ in 0..count {
                    items.push(self.value(element, path.element())?);
                }
                Value::Sequence(items)
            }
            (Token::Array(count), Type::Tuple(types)) if count == types.len() => {
                let mut items = Vec::with_capacity(count);
                for (index, ty) in types.iter().enumerate() {
                    items.push(self.value(ty, path.index(index))?);
                }
                Value::Sequence(items)
            }
            (Token::Array(2), Type::Dynamic) => self.dynamic(path)?,
            (Token::Map(count), Type::Map(element)) => self.map(count, element, path)?,
            (Token::Map(count), Type::Object(shape)) => self.object(count, shape, path)?,
            (token, ty) => {
                self.fault(
                    path,
                    format!("{} is required, not {}", ty.in_words(), token.in_words()),
                );
                self.skip(&token, path.depth())?;
                Value::Null
            }
        })
    }

    fn dynamic(&mut self, path: Path<'_>) -> Result<Value<'a>, Broken> {
        let token = self.token()?;
        let ty = match token {
            Token::Text(bytes) | Token::Binary(bytes) => Type::parse(bytes),
            _ => None,
        };
        let Some(ty) = ty else {
            self.fault(path, "the type that comes with the value is none");
            self.skip(&token, path.depth())?;
            let inner = self.token()?;
            self.skip(&inner, path.depth())?;
            return Ok(Value::Null);
        };
        let value = self.value(&ty, path.inside())?;
        Ok(Value::Dynamic(Box::new((ty, value))))
    }

    fn map(&mut self, count: usize, element: &Type, path: Path<'_>) -> Result<Value<'a>, Broken> {
        let mut entries: Vec<(Cow<'a, str>, Value<'a>)> =
            Vec::with_capacity(count.min(self.rest.len()));
        for _ in 0..count {
            let Some(key) = self.key(path)? else { continue };
            let value = self.value(element, path.key(key))?;
            entries.push((key.into(), value));
        }
        Ok(Value::Map(entries))
    }

    fn object(
        &mut self,
        count: usize,
        shape: &ObjectShape,
        path: Path<'_>,
    ) -> Result<Value<'a>, Broken> {
        let mut members: Vec<Option<Value<'a>>> = vec![None; shape.fields.len()];
        for index in 0..count {
            let Some(key) = self.key(path)? else { continue };
            // Terraform writes all members in the order of their names, which is the shape's.
            let expected = shape.fields.get(index).filter(|field| field.name == key);
            let at = expected.map_or_else(|| shape.position(key), |_| Some(index));
            let slot = at.and_then(|at| Some((shape.fields.get(at)?, members.get_mut(at)?)));
            let Some((field, slot)) = slot else {
                self.fault(path.name(key), "the schema has no such attribute");
                let token = self.token()?;
                self.skip(&token, path.depth())?;
                continue;
            };
            let mut value = self.value(&field.ty, path.name(key))?;
            let never_null = matches!(
                field.role,
                Role::Block(Nesting::List | Nesting::Set | Nesting::Map | Nesting::Group)
            );
            if value.is_null() && never_null {
                self.rewritten = true;
                value = Value::absent(&field.ty, field.role);
            }
            *slot = Some(value);
        }
        let members = members.into_iter().zip(&shape.fields).map(|(member, field)| {
            member.unwrap_or_else(|| {
                self.rewritten = true;
                Value::absent(&field.ty, field.role)
            })
        });
        Ok(Value::Object(members.collect()))
    }

    fn key(&mut self, path: Path<'_>) -> Result<Option<&'a str>, Broken> {
        let token = self.token()?;
        if let Token::Text(bytes) = token
            && let Some(text) = self.text(bytes, path)
        {
            return Ok(Some(text));
        }
        if !matches!(token, Token::Text(_)) {
            self.fault(path, "a key is not a string");
            self.skip(&token, path.depth())?;
        }
        let value = self.token()?;
        self.skip(&value, path.depth())?;
        Ok(None)
    }
}

/// Writes a value of type `ty`.
pub(crate) fn encode(value: &Value<'_>, ty: &Type) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to a vector cannot fail; an error could only come from the writer.
    let written = put(&mut out, value, ty);
    debug_assert!(written.is_ok(), "a vector takes every byte");
    out
}

type Written = Result<(), write::ValueWriteError>;

fn put(out: &mut Vec<u8>, value: &Value<'_>, ty: &Type) -> Written {
    let length = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    match (value, ty) {
        (Value::Null, _) => out.push(0xc0),
        // What Terraform itself writes: extension type 0 with one byte.
        (Value::Unknown, _) => out.extend([0xd4, 0, 0]),
        (Value::Bool(value), _) => out.push(if *value { 0xc3 } else { 0xc2 }),
        (Value::String(text), _) => write::write_str(out, text)?,
        (Value::Number(number), _) => match number {
            Number::Signed(number) => {
                write::write_sint(out, *number)?;
            }
            Number::Unsigned(number) => {
                write::write_uint(out, *number)?;
            }
            Number::Float(number) => write::write_f64(out, *number)?,
            Number::Text(text) => write::write_str(out, text)?,
        },
        (Value::Sequence(items), ty) => {
            write::write_array_len(out, length(items.len()))?;
            for (index, item) in items.iter().enumerate() {
                let ty = match ty {
                    Type::List(element) | Type::Set(element) => element,
                    Type::Tuple(types) => types.get(index).unwrap_or(&Type::Dynamic),
                    _ => &Type::Dynamic,
                };
                put(out, item, ty)?;
            }
        }
        (Value::Map(entries), ty) => {
            let element = if let Type::Map(element) = ty { element } else { &Type::Dynamic };
            write::write_map_len(out, length(entries.len()))?;
            for (key, value) in entries {
                write::write_str(out, key)?;
                put(out, value, element)?;
            }
        }
        (Value::Object(members), Type::Object(shape)) => {
            write::write_map_len(out, length(shape.fields.len()))?;
            for (field, member) in shape.fields.iter().zip(members) {
                write::write_str(out, &field.name)?;
                put(out, member, &field.ty)?;
            }
        }
        (Value::Object(_), _) => out.push(0xc0),
        (Value::Dynamic(inner), _) => {
            write::write_array_len(out, 2)?;
            write::write_bin(out, inner.0.to_json().to_string().as_bytes())?;
            put(out, &inner.1, &inner.0)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "msgpack_tests.rs"]
mod tests;
