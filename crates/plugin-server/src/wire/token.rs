//! The tokens of msgpack, without regard to types.

use rmp::Marker;

use super::number::Number;
use super::shape::MAX_DEPTH;

/// The byte that is null in msgpack.
pub(crate) const NIL: u8 = 0xc0;

/// The error for bytes that are not a complete msgpack value, or that are nested too deeply.
#[derive(Debug)]
pub(crate) struct Broken;

pub(crate) enum Token<'a> {
    Nil,
    Bool(bool),
    Number(Number<'a>),
    Text(&'a [u8]),
    /// A binary, which no value of a schema is.
    #[cfg_attr(not(feature = "testkit"), expect(dead_code, reason = "only the testkit shows it"))]
    Binary(&'a [u8]),
    Array(usize),
    Map(usize),
    Extension,
    /// The one-byte extension that Terraform writes for an unknown value.
    Unknown,
}

impl Token<'_> {
    pub(super) fn description(&self) -> &'static str {
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

/// Reads tokens from bytes.
pub(crate) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
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

    pub(crate) fn token(&mut self) -> Result<Token<'a>, Broken> {
        let [first] = self.array::<1>()?;
        let signed = |number| Ok(Token::Number(Number::Integer(number)));
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
                let text = |_| Number::Text(number.to_string().into());
                Ok(Token::Number(i64::try_from(number).map_or_else(text, Number::Integer)))
            }
            Marker::I8 => signed(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => signed(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => signed(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => signed(i64::from_be_bytes(self.array()?)),
            // Terraform writes a fraction as a float if that is exact.
            Marker::F64 => {
                let float = f64::from_be_bytes(self.array()?);
                Ok(Token::Number(Number::Text(float.to_string().into())))
            }
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
            Marker::F32 | Marker::Reserved => Err(Broken),
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
    pub(super) fn skip(&mut self, token: &Token<'a>, depth: usize) -> Result<(), Broken> {
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
}
