//! Search for the parts of a value that a provider's type does not accept.
//!
//! An error of serde ends at the outermost untagged enum, such as tf-provider's `Value`. The value is
//! therefore deserialized again with fewer parts, to find those that fail.

use tf_provider::{AttributePath, AttributePathStep};

use super::family::Family;
use super::tree::{Cause, Mismatch, Step, from_value};
use crate::wire::{Nesting, Number, ObjectShape, Role, Type, Value};

/// The number of places that are reported. A user who has mended these runs the command again.
const MAX_PLACES: usize = 10;

/// A part of a value that the provider's type does not accept.
pub(super) struct Refused<'b, 't> {
    pub(super) place: Place,
    pub(super) value: Value<'b>,
    pub(super) ty: &'t Type,
    pub(super) cause: Cause,
    /// Whether the type accepts small whole numbers here.
    pub(super) takes_numbers: bool,
}

/// The place of a part of a value.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// The path for diagnostics, which ends at the first set.
    pub(super) path: AttributePath,
    /// The names of the attributes.
    pub(super) names: Vec<String>,
    is_in_set: bool,
}

impl Place {
    fn step(mut self, step: AttributePathStep) -> Self {
        if let AttributePathStep::Attribute(name) = &step {
            self.names.push(name.to_string());
        }
        if !self.is_in_set {
            self.path.steps.push(step);
        }
        self
    }

    fn member(&self, name: &str) -> Self {
        self.clone().step(AttributePathStep::Attribute(name.to_owned().into()))
    }

    fn key(&self, key: &str) -> Self {
        self.clone().step(AttributePathStep::Key(key.to_owned().into()))
    }

    fn index(&self, index: usize, ty: &Type) -> Self {
        let mut place = self.clone();
        place.is_in_set |= matches!(ty, Type::Set(_));
        place.step(AttributePathStep::Index(i64::try_from(index).unwrap_or(i64::MAX)))
    }
}

/// Returns the part of a value to which a step leads, with its type and its place.
fn child<'t>(
    value: &Value<'_>,
    ty: &'t Type,
    place: &Place,
    step: Step,
) -> Option<(&'t Type, Place)> {
    Some(match (value, ty) {
        (Value::Object(_), Type::Object(shape)) => {
            let field = shape.fields.get(step)?;
            (&field.ty, place.member(&field.name))
        }
        (Value::Sequence(_), _) => (ty.part(step)?, place.index(step, ty)),
        (Value::Map(entries), _) => (ty.part(0)?, place.key(&entries.get(step)?.0)),
        _ => return None,
    })
}

pub(super) fn part_mut<'v, 'b>(
    value: &'v mut Value<'b>,
    steps: &[Step],
) -> Option<&'v mut Value<'b>> {
    let Some((step, rest)) = steps.split_first() else { return Some(value) };
    let part = match value {
        Value::Object(items) | Value::Sequence(items) => items.get_mut(*step)?,
        Value::Map(entries) => &mut entries.get_mut(*step)?.1,
        _ => return None,
    };
    part_mut(part, rest)
}

/// Returns the parts of `value` that the type does not accept, beginning with that of `mismatch`.
pub(super) fn refused<'b, 't, F: Family>(
    value: &Value<'b>,
    ty: &'t Type,
    mismatch: Mismatch,
) -> Vec<Refused<'b, 't>> {
    let mut whole = value.clone();
    let mut next = Some(mismatch);
    let mut found = Vec::new();
    while let Some(mismatch) = next.take() {
        let (mut part_ty, mut place) = (ty, Place::default());
        let mut part = &whole;
        for step in &mismatch.path {
            let Some((ty, inner)) = child(part, part_ty, &place, *step) else { break };
            part = match part {
                Value::Object(items) | Value::Sequence(items) => &items[*step],
                Value::Map(entries) => &entries[*step].1,
                _ => break,
            };
            (part_ty, place) = (ty, inner);
        }
        let part = part.clone();
        let alone = |part: Value<'b>| with_part::<F>(&whole, ty, &mismatch.path, part);
        let mut search = Search { found: &mut found };
        search.part(&part, part_ty, place, mismatch.cause.clone(), &alone);
        if found.len() >= MAX_PLACES {
            break;
        }
        // This part is left out, so that the parts after it are examined.
        let blanks = [Value::Null, Value::Unknown, sample(part_ty)];
        let blank = blanks.into_iter().find(|blank| alone(blank.clone()).is_none());
        if let (Some(blank), Some(slot)) = (blank, part_mut(&mut whole, &mismatch.path)) {
            *slot = blank;
            next = from_value::<F>(whole.clone(), ty).err();
        }
    }
    found
}

/// Deserializes `whole` with another part at `steps`. Returns the cause if that part is refused.
fn with_part<'b, F: Family>(
    whole: &Value<'b>,
    ty: &Type,
    steps: &[Step],
    part: Value<'b>,
) -> Option<Cause> {
    let mut whole = whole.clone();
    *part_mut(&mut whole, steps)? = part;
    let mismatch = from_value::<F>(whole, ty).err()?;
    mismatch.path.starts_with(steps).then_some(mismatch.cause)
}

/// Returns why a part is refused, if everything else stays.
type Alone<'c, 'b> = &'c dyn Fn(Value<'b>) -> Option<Cause>;

struct Search<'f, 'b, 't> {
    found: &'f mut Vec<Refused<'b, 't>>,
}

impl<'b, 't> Search<'_, 'b, 't> {
    /// Adds the places inside `part`, which is refused.
    fn part(
        &mut self,
        part: &Value<'b>,
        ty: &'t Type,
        place: Place,
        cause: Cause,
        alone: Alone<'_, 'b>,
    ) {
        let before = self.found.len();
        match (part, ty) {
            (Value::Object(members), Type::Object(shape)) => {
                self.members(members, shape, &place, alone);
            }
            (Value::Sequence(items), Type::List(element) | Type::Set(element)) => {
                let rebuilt = |items: Vec<Value<'b>>| alone(Value::Sequence(items));
                if rebuilt(Vec::new()).is_none() {
                    let at = |index| place.index(index, ty);
                    self.elements(items, 0, element, &at, &rebuilt);
                }
            }
            (Value::Map(entries), Type::Map(element)) => {
                let keys: Vec<_> = entries.iter().map(|(key, _)| key.clone()).collect();
                let items: Vec<_> = entries.iter().map(|(_, value)| value.clone()).collect();
                let rebuilt = |items: Vec<Value<'b>>| {
                    alone(Value::Map(keys.iter().cloned().zip(items).collect()))
                };
                if rebuilt(Vec::new()).is_none() {
                    let at = |index: usize| place.key(keys.get(index).map_or("", |key| key));
                    self.elements(&items, 0, element, &at, &rebuilt);
                }
            }
            _ => {}
        }
        if self.found.len() == before && before < MAX_PLACES {
            let number = |number| alone(Value::Number(Number::Signed(number))).is_none();
            let takes_numbers = *ty == Type::Number && (number(1) || number(0));
            let value = part.clone();
            self.found.push(Refused { place, value, ty, cause, takes_numbers });
        }
    }

    fn members(
        &mut self,
        members: &[Value<'b>],
        shape: &'t ObjectShape,
        place: &Place,
        alone: Alone<'_, 'b>,
    ) {
        let blank = Value::empty_object(shape).members().to_vec();
        // If the type needs more than that, each member is examined among the others.
        let others = if alone(Value::Object(blank.clone())).is_none() { &blank } else { members };
        for (index, (field, member)) in shape.fields.iter().zip(members).enumerate() {
            let with = |member: Value<'b>| {
                let mut members = others.to_vec();
                if let Some(slot) = members.get_mut(index) {
                    *slot = member;
                }
                alone(Value::Object(members))
            };
            let blank = Value::absent(&field.ty, field.role);
            let is_cause = with(blank).is_none() || with(sample(&field.ty)).is_none();
            if let (true, Some(cause)) = (is_cause, with(member.clone())) {
                self.part(member, &field.ty, place.member(&field.name), cause, &with);
            }
        }
    }

    /// Halves the elements until those that are refused stand alone.
    fn elements(
        &mut self,
        items: &[Value<'b>],
        offset: usize,
        element: &'t Type,
        place: &dyn Fn(usize) -> Place,
        rebuilt: &dyn Fn(Vec<Value<'b>>) -> Option<Cause>,
    ) {
        let Some(cause) = rebuilt(items.to_vec()) else { return };
        if self.found.len() >= MAX_PLACES {
            return;
        }
        if let [item] = items {
            let alone = |item| rebuilt(vec![item]);
            self.part(item, element, place(offset), cause, &alone);
            return;
        }
        let (left, right) = items.split_at(items.len() / 2);
        self.elements(left, offset, element, place, rebuilt);
        self.elements(right, offset + left.len(), element, place, rebuilt);
    }
}

/// Returns a known value of a type, in which every collection has one element.
pub(super) fn sample(ty: &Type) -> Value<'static> {
    match ty {
        Type::String => Value::String("text".into()),
        Type::Number => Value::Number(Number::Signed(1)),
        Type::Bool => Value::Bool(true),
        Type::Dynamic => Value::Dynamic(Box::new((Type::String, sample(&Type::String)))),
        Type::List(element) | Type::Set(element) => Value::Sequence(vec![sample(element)]),
        Type::Map(element) => Value::Map(vec![("key".into(), sample(element))]),
        Type::Tuple(types) => Value::Sequence(types.iter().map(sample).collect()),
        Type::Object(shape) => {
            Value::Object(shape.fields.iter().map(|field| sample(&field.ty)).collect())
        }
    }
}

/// Rewrites a value for types that cannot read Terraform's encoding: decimal text becomes the float
/// that stands for it, and an unknown optional block becomes a list of one unknown block.
pub(super) fn relax(value: &mut Value<'_>, ty: &Type) {
    match (value, ty) {
        (Value::Number(number), _) => {
            if let (Number::Text(_), Some(float)) = (&*number, number.to_decimal_float()) {
                *number = Number::Float(float);
            }
        }
        (Value::Sequence(items), _) => {
            for (index, item) in items.iter_mut().enumerate() {
                relax(item, ty.part(index).unwrap_or(&Type::Dynamic));
            }
        }
        (Value::Map(entries), _) => {
            let element = ty.part(0).unwrap_or(&Type::Dynamic);
            entries.iter_mut().for_each(|(_, item)| relax(item, element));
        }
        (Value::Object(members), Type::Object(shape)) => {
            for (field, member) in shape.fields.iter().zip(members) {
                if field.role == Role::Block(Nesting::Optional) && member.is_unknown() {
                    *member = Value::Sequence(vec![Value::Unknown]);
                }
                relax(member, &field.ty);
            }
        }
        (Value::Dynamic(inner), _) => {
            let (ty, value) = &mut **inner;
            relax(value, ty);
        }
        _ => {}
    }
}

/// Replaces decimal text by the float next to it. Returns whether there was any.
pub(super) fn round(value: &mut Value<'_>) -> bool {
    let mut changed = false;
    match value {
        Value::Number(number) => {
            let float = number.to_f64();
            if matches!(number, Number::Text(_)) && float.is_finite() {
                *number = Number::Float(float);
                changed = true;
            }
        }
        Value::Sequence(items) | Value::Object(items) => {
            items.iter_mut().for_each(|item| changed |= round(item));
        }
        Value::Map(entries) => entries.iter_mut().for_each(|(_, item)| changed |= round(item)),
        Value::Dynamic(inner) => changed = round(&mut inner.1),
        _ => {}
    }
    changed
}
