//! Decoding and encoding of msgpack, according to a type.

use std::borrow::Cow;

use rmp::{Marker, encode as write};

use super::number::Number;
use super::path::{Fault, Path};
use super::shape::{MAX_DEPTH, Nesting, ObjectShape, Role, Type};
use super::value::Value;

/// The byte that is null in msgpack.
pub(crate) const NIL: u8 = 0xc0;

/// A value that was read, with its faults.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The value, with null in place of each fault.
    pub(crate) value: Value<'a>,
    /// The parts that do not fit the type.
    pub(crate) faults: Vec<Fault>,
    /// Whether this crate would encode the value differently: missing members were added, or the
    /// refinement of an unknown value was dropped.
    pub(crate) rewritten: bool,
}

/// The error for bytes that are not a complete msgpack value, or that are nested too deeply.
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
    fn description(&self) -> &'static str {
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

/// Decodes a value of type `ty`. Empty bytes are null.
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
            reader.fault(Path::ROOT, "the bytes are not a complete msgpack value");
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
        let signed = |number| Ok(Token::Number(Number::Signed(number)));
        match Marker::from_u8(first) {
            Marker::Null => Ok(Token::Nil),
            Marker::False => Ok(Token::Bool(false)),
            Marker::True => Ok(Token::Bool(true)),
            Marker::FixPos(number) => signed(number.into()),
            Marker::FixNeg(number) => signed(number.into()),
            Marker::U8 => signed(u8::from_be_bytes(self.array()?).into()),
            Marker::U16 => signed(u16::from_be_bytes(self.array()?).into()),
            Marker::U32 => signed(u32::from_be_bytes(self.array()?).into()),
            Marker::U64 => {
                let number = u64::from_be_bytes(self.array()?);
                Ok(Token::Number(
                    i64::try_from(number).map_or(Number::Unsigned(number), Number::Signed),
                ))
            }
            Marker::I8 => signed(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => signed(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => signed(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => signed(i64::from_be_bytes(self.array()?)),
            Marker::F32 => {
                Ok(Token::Number(Number::Float(f32::from_be_bytes(self.array()?).into())))
            }
            Marker::F64 => Ok(Token::Number(Number::Float(f64::from_be_bytes(self.array()?)))),
            Marker::FixStr(length) => Ok(Token::Text(self.take(length.into())?)),
            Marker::Str8 => self.sized(1).map(Token::Text),
            Marker::Str16 => self.sized(2).map(Token::Text),
            Marker::Str32 => self.sized(4).map(Token::Text),
            Marker::Bin8 => self.sized(1).map(Token::Binary),
            Marker::Bin16 => self.sized(2).map(Token::Binary),
            Marker::Bin32 => self.sized(4).map(Token::Binary),
            Marker::FixArray(count) => Ok(Token::Array(count.into())),
            Marker::Array16 => self.length(2).map(Token::Array),
            Marker::Array32 => self.length(4).map(Token::Array),
            Marker::FixMap(count) => Ok(Token::Map(count.into())),
            Marker::Map16 => self.length(2).map(Token::Map),
            Marker::Map32 => self.length(4).map(Token::Map),
            Marker::FixExt1 => match self.array::<2>()? {
                [0, 0] => Ok(Token::Unknown),
                _ => Ok(Token::Extension),
            },
            Marker::FixExt2 => self.extension(2),
            Marker::FixExt4 => self.extension(4),
            Marker::FixExt8 => self.extension(8),
            Marker::FixExt16 => self.extension(16),
            Marker::Ext8 => self.length(1).and_then(|length| self.extension(length)),
            Marker::Ext16 => self.length(2).and_then(|length| self.extension(length)),
            Marker::Ext32 => self.length(4).and_then(|length| self.extension(length)),
            Marker::Reserved => Err(Broken),
        }
    }

    /// Takes bytes that follow their length.
    fn sized(&mut self, width: usize) -> Result<&'a [u8], Broken> {
        let length = self.length(width)?;
        self.take(length)
    }

    /// Takes the type and the bytes of an extension.
    fn extension(&mut self, length: usize) -> Result<Token<'a>, Broken> {
        self.take(length.saturating_add(1))?;
        Ok(Token::Extension)
    }

    /// Skips the value that `token` begins.
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
                    self.fault(path, "a number is required, and the text is not a number");
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
                    format!("{} is required, not {}", ty.description(), token.description()),
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
            self.fault(path, "the type of the dynamic value is invalid");
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
            // Terraform writes the members in the order of their names, like the shape.
            let expected = shape.fields.get(index).filter(|field| field.name == key);
            let at = expected.map_or_else(|| shape.position(key), |_| Some(index));
            let slot = at.and_then(|at| Some((shape.fields.get(at)?, members.get_mut(at)?)));
            let Some((field, slot)) = slot else {
                self.fault(path.name(key), "the schema does not have this attribute");
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
        (Value::Null, _) => out.push(NIL),
        // Terraform writes extension type 0 with one byte, too.
        (Value::Unknown, _) => out.extend([Marker::FixExt1.to_u8(), 0, 0]),
        (Value::Bool(true), _) => out.push(Marker::True.to_u8()),
        (Value::Bool(false), _) => out.push(Marker::False.to_u8()),
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
        (Value::Object(_), _) => out.push(NIL),
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
