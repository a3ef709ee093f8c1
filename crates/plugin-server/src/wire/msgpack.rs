//! Decoding of msgpack, according to a type.
//!
//! A value is decoded to a tree only if it has to be changed or compared. Everything else that the
//! server has to know is collected by [`survey`], which allocates nothing for the value.

use tf_provider::AttributePath;

use super::number::Number;
use super::path::{Fault, Path};
use super::shape::{ObjectShape, Type};
use super::token::{Broken, Token, Tokens};
use super::value::Value;

/// The number of missing values that a survey returns. A user who has mended these runs the command
/// again.
const MAX_MISSING: usize = 10;

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
    /// Whether read-only attributes are set.
    pub(crate) sets_read_only: bool,
    /// The first values that a configuration has to contain, and that are null: required
    /// attributes, and elements of lists and sets.
    pub(crate) missing: Vec<MissingValue>,
}

/// A value that a configuration has to contain, and that is null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingValue {
    /// The path of the attribute or of the element, or of the set that contains it.
    pub(crate) path: AttributePath,
    /// The name of the required attribute. `None` for an element of a list or of a set.
    pub(crate) attribute: Option<String>,
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
    let (value, survey) = read(bytes, ty, true);
    Decoded { value, faults: survey.faults }
}

/// Checks a value of type `ty`. Empty bytes are null.
pub(crate) fn survey(bytes: &[u8], ty: &Type) -> Survey {
    read(bytes, ty, false).1
}

/// Reads a value and surveys it. Without `keeps`, its parts are dropped as soon as they are
/// surveyed.
fn read<'a>(bytes: &'a [u8], ty: &Type, keeps: bool) -> (Value<'a>, Survey) {
    let mut reader = Reader { tokens: Tokens::new(bytes), survey: Survey::default(), keeps };
    if bytes.is_empty() {
        reader.survey.rewritten = true;
        return (Value::Null, reader.survey);
    }
    let value = match reader.value(ty, Path::ROOT) {
        Ok(value) if reader.tokens.rest().is_empty() => value,
        Ok(_) => reader.refused(Path::ROOT, "bytes follow after the end of the value"),
        Err(Broken) => reader.refused(Path::ROOT, "the bytes are not a complete msgpack value"),
    };
    (value, reader.survey)
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    survey: Survey,
    /// Whether the parts of a value are kept. If not, they are only surveyed, and collections and
    /// objects are returned empty.
    keeps: bool,
}

impl<'a> Reader<'a> {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.survey.faults.push(Fault::new(path, what));
    }

    /// Adds a fault, and returns the value in its place.
    fn refused(&mut self, path: Path<'_>, what: impl Into<String>) -> Value<'a> {
        self.fault(path, what);
        Value::Null
    }

    /// Returns text. `None` with a fault if it is not valid UTF-8.
    fn text(&mut self, bytes: &'a [u8], path: Path<'_>) -> Option<&'a str> {
        let text = std::str::from_utf8(bytes).ok();
        if text.is_none() {
            self.fault(path, "the text is not valid UTF-8");
        }
        text
    }

    /// Records a value that is null. `attribute` is the name of a required attribute.
    fn missing(&mut self, path: Path<'_>, attribute: Option<&str>) {
        let attribute = attribute.map(str::to_owned);
        let missing = MissingValue { path: path.to_attribute_path(), attribute };
        let found = &mut self.survey.missing;
        // The elements of a set have the same path, so one of them is enough.
        if found.len() < MAX_MISSING && found.last() != Some(&missing) {
            found.push(missing);
        }
    }

    fn unknown(&mut self, path: Path<'_>) -> Value<'a> {
        if self.survey.unknown.is_none() {
            self.survey.unknown = Some(path.to_attribute_path());
        }
        Value::Unknown
    }

    fn value(&mut self, ty: &Type, path: Path<'_>) -> Result<Value<'a>, Broken> {
        let token = self.tokens.token()?;
        self.value_of(token, ty, path)
    }

    /// Reads the value that `token` begins. A value that does not fit `ty` is skipped, and becomes
    /// null with a fault.
    fn value_of(
        &mut self,
        token: Token<'a>,
        ty: &Type,
        path: Path<'_>,
    ) -> Result<Value<'a>, Broken> {
        Ok(match (token, ty) {
            (Token::Nil, _) => Value::Null,
            (Token::Unknown, _) => self.unknown(path),
            (Token::Extension, _) => {
                self.survey.rewritten = true;
                self.unknown(path)
            }
            (Token::Bool(value), Type::Bool) => Value::Bool(value),
            (Token::Text(bytes), Type::String) => {
                self.text(bytes, path).map_or(Value::Null, |text| Value::String(text.into()))
            }
            (Token::Number(number), Type::Number) => self.number(number, path),
            (Token::Text(bytes), Type::Number) => {
                let text = self.text(bytes, path).unwrap_or_default();
                self.number(Number::Text(text.into()), path)
            }
            (Token::Array(count), Type::List(element)) => {
                self.sequence(count, element, false, path)?
            }
            (Token::Array(count), Type::Set(element)) => {
                self.sequence(count, element, true, path)?
            }
            (Token::Map(count), Type::Map(element)) => self.map(count, element, path)?,
            (Token::Map(count), Type::Object(shape)) => self.object(count, shape, path)?,
            (token, ty) => {
                let required = ty.description();
                let found = token.description();
                self.fault(path, format!("{required} is required, not {found}"));
                self.tokens.skip(&token, path.depth())?;
                Value::Null
            }
        })
    }

    /// Returns a vector for `count` items, if the bytes can contain as many.
    fn room<T>(&self, count: usize) -> Vec<T> {
        Vec::with_capacity(if self.keeps { count.min(self.tokens.rest().len()) } else { 0 })
    }

    fn number(&mut self, number: Number<'a>, path: Path<'_>) -> Value<'a> {
        if number.canonical().is_some() {
            Value::Number(number)
        } else {
            self.refused(path, "a number is required, and the text is not a number")
        }
    }

    fn sequence(
        &mut self,
        count: usize,
        element: &Type,
        is_set: bool,
        path: Path<'_>,
    ) -> Result<Value<'a>, Broken> {
        let mut items = self.room(count);
        for index in 0..count {
            let at = if is_set { path.element() } else { path.index(index) };
            let token = self.tokens.token()?;
            if matches!(token, Token::Nil) {
                self.missing(at, None);
            }
            let item = self.value_of(token, element, at)?;
            if self.keeps {
                items.push(item);
            }
        }
        Ok(Value::Sequence(items))
    }

    fn map(&mut self, count: usize, element: &Type, path: Path<'_>) -> Result<Value<'a>, Broken> {
        let mut entries = self.room(count);
        for _ in 0..count {
            let Some(key) = self.key(path)? else { continue };
            let value = self.value(element, path.key(key))?;
            if self.keeps {
                entries.push((key.into(), value));
            }
        }
        Ok(Value::Map(entries))
    }

    fn object(
        &mut self,
        count: usize,
        shape: &ObjectShape,
        path: Path<'_>,
    ) -> Result<Value<'a>, Broken> {
        let mut members = Vec::new();
        if self.keeps {
            members.resize(shape.fields.len(), Value::Null);
        }
        // Terraform writes the members in the order of their names, like the shape. If they are all
        // there in this order, the object is not rewritten.
        self.survey.rewritten |= count != shape.fields.len();
        for index in 0..count {
            let Some(key) = self.key(path)? else { continue };
            let expected = shape.fields.get(index).filter(|field| field.name == key);
            self.survey.rewritten |= expected.is_none();
            let at = expected.map_or_else(|| shape.position(key), |_| Some(index));
            let token = self.tokens.token()?;
            let Some((at, field)) = at.and_then(|at| Some((at, shape.fields.get(at)?))) else {
                self.fault(path.name(key), "the schema does not have this attribute");
                self.tokens.skip(&token, path.depth())?;
                continue;
            };
            let is_null = matches!(token, Token::Nil);
            if is_null && field.role.is_required() {
                self.missing(path.name(key), Some(key));
            }
            self.survey.sets_read_only |= !is_null && field.role.is_read_only();
            let value = self.value_of(token, &field.ty, path.name(key))?;
            if let Some(member) = members.get_mut(at) {
                *member = value;
            }
        }
        Ok(Value::Object(members))
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
