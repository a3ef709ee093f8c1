//! Correlation of the elements of a planned set with those of the resulting set.
//!
//! A planned element with unknown parts can become any element whose other parts are equal. Elements
//! are found by the key of their known parts, in O(n log n) if the unknown parts are whole attributes.
//! If a part is unknown inside a collection, the element is found by its other attributes and then
//! compared with each candidate.

use std::collections::HashMap;

use super::key::{Key, key, set_keys, write_key};
use super::shape::Type;
use super::value::Value;

/// The contribution of an attribute to the key of an element with unknown parts.
mod mask {
    /// Unknown: not part of the key.
    pub(super) const ANY: u8 = 0;
    /// Wholly known.
    pub(super) const KNOWN: u8 = 1;
    /// A collection with an unknown part: not part of the key, so that candidates must be compared.
    pub(super) const PARTIAL: u8 = 2;
    /// An object whose members follow.
    pub(super) const OBJECT: u8 = 3;
}

/// Returns whether every planned element corresponds to a resulting element, and every resulting
/// element was planned.
///
/// `conforms` compares a planned element with an actual one where keys cannot decide. If it returns
/// `None`, the comparison has become too long, and the sets count as correlated.
pub(super) fn sets_correlate(
    planned: &[Value<'_>],
    actual: &[Value<'_>],
    element: &Type,
    conforms: &mut impl FnMut(&Value<'_>, &Value<'_>) -> Option<bool>,
) -> bool {
    let count = planned.len();
    let (unknown, planned): (Vec<_>, Vec<_>) = planned.iter().partition(|item| item.is_unknown());
    let (known, partial): (Vec<_>, Vec<_>) =
        planned.into_iter().partition(|item| item.is_wholly_known());
    if !unknown.is_empty() && actual.is_empty() {
        return false;
    }
    // Elements that turn out to be equal coalesce, but a set never grows.
    if actual.len() > count && set_keys(actual, element).len() > count {
        return false;
    }
    let mut elements =
        Elements { actual, element, planned: vec![!unknown.is_empty(); actual.len()] };
    elements.match_known(&known)
        && match elements.match_partial(&partial, conforms) {
            Some(matched) => matched && elements.planned.iter().all(|planned| *planned),
            None => true,
        }
}

/// The elements of the resulting set.
struct Elements<'v, 'a> {
    actual: &'v [Value<'a>],
    element: &'v Type,
    /// For each element, whether it was planned.
    planned: Vec<bool>,
}

/// The elements that share a key.
#[derive(Default)]
struct Candidates {
    positions: Vec<usize>,
    all_planned: bool,
}

impl Elements<'_, '_> {
    /// Groups the elements by key.
    fn candidates(&self, key: impl Fn(&Value<'_>) -> Key) -> HashMap<Key, Candidates> {
        let mut candidates: HashMap<Key, Candidates> = HashMap::with_capacity(self.actual.len());
        for (position, item) in self.actual.iter().enumerate() {
            candidates.entry(key(item)).or_default().positions.push(position);
        }
        candidates
    }

    /// Marks all of `candidates` as planned.
    fn mark(&mut self, candidates: &mut Candidates) {
        if !candidates.all_planned {
            for position in &candidates.positions {
                if let Some(planned) = self.planned.get_mut(*position) {
                    *planned = true;
                }
            }
            candidates.all_planned = true;
        }
    }

    /// Marks the elements whose values were planned. Returns `false` if a planned one is missing.
    fn match_known(&mut self, planned: &[&Value<'_>]) -> bool {
        if planned.is_empty() {
            return true;
        }
        let mut candidates = self.candidates(|item| key(item, self.element));
        planned.iter().all(|item| match candidates.get_mut(&key(item, self.element)) {
            Some(candidates) => {
                self.mark(candidates);
                true
            }
            None => false,
        })
    }

    /// Marks the elements that planned elements with unknown parts may have become. Returns `false`
    /// if one of them does not have a counterpart.
    fn match_partial(
        &mut self,
        planned: &[&Value<'_>],
        conforms: &mut impl FnMut(&Value<'_>, &Value<'_>) -> Option<bool>,
    ) -> Option<bool> {
        // Planned elements whose unknown parts are the same attributes share one index.
        let mut by_mask: HashMap<Vec<u8>, Vec<&Value<'_>>> = HashMap::new();
        for item in planned {
            let mut mask = Vec::new();
            write_mask(&mut mask, item, self.element);
            by_mask.entry(mask).or_default().push(item);
        }
        for (mask, planned) in by_mask {
            let element = self.element;
            let masked_key = |value: &Value<'_>| {
                let mut out = Key::new();
                write_masked_key(&mut out, value, element, &mut mask.iter());
                out
            };
            let key_decides = !mask.contains(&mask::PARTIAL);
            let mut candidates = self.candidates(masked_key);
            for item in planned {
                let Some(candidates) = candidates.get_mut(&masked_key(item)) else {
                    return Some(false);
                };
                if key_decides {
                    self.mark(candidates);
                } else if !self.match_one_by_one(item, candidates, conforms)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Marks those of `candidates` that `item` may have become. Returns `false` if it does not find
    /// any.
    fn match_one_by_one(
        &mut self,
        item: &Value<'_>,
        candidates: &Candidates,
        conforms: &mut impl FnMut(&Value<'_>, &Value<'_>) -> Option<bool>,
    ) -> Option<bool> {
        let mut found = false;
        for position in &candidates.positions {
            let slot = self.actual.get(*position).zip(self.planned.get_mut(*position));
            if let Some((actual, planned)) = slot
                && conforms(item, actual)?
            {
                *planned = true;
                found = true;
            }
        }
        Some(found)
    }
}

/// Appends the mask of the known attributes of `value`, in the order in which [`write_masked_key`]
/// visits them.
fn write_mask(out: &mut Vec<u8>, value: &Value<'_>, ty: &Type) {
    match (value, ty) {
        (Value::Unknown, _) => out.push(mask::ANY),
        _ if value.is_wholly_known() => out.push(mask::KNOWN),
        (Value::Object(members), Type::Object(shape)) => {
            out.push(mask::OBJECT);
            for (field, member) in shape.fields.iter().zip(members) {
                write_mask(out, member, &field.ty);
            }
        }
        _ => out.push(mask::PARTIAL),
    }
}

/// Appends the key of those attributes of `value` that are known in the mask.
fn write_masked_key<'m>(
    out: &mut Key,
    value: &Value<'_>,
    ty: &Type,
    mask: &mut impl Iterator<Item = &'m u8>,
) {
    match mask.next().copied() {
        Some(mask::KNOWN) => write_key(out, value, ty),
        Some(mask::OBJECT) => {
            let Type::Object(shape) = ty else { return };
            // Null and an object of nulls have equal members. This byte distinguishes their keys.
            out.push(u8::from(matches!(value, Value::Object(_))));
            for (at, field) in shape.fields.iter().enumerate() {
                let member = value.members().get(at).unwrap_or(&Value::Null);
                write_masked_key(out, member, &field.ty, mask);
            }
        }
        _ => {}
    }
}
