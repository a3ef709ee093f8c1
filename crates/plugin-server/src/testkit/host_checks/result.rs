//! A result must keep every value that was known in its plan.

use super::parts::{entry, member};
use crate::wire::{Fault, Nesting, ObjectShape, Path, Role, Type, Value, set_keys};

/// Returns the faults because of which a host refuses the result of a create or an update.
pub(super) fn faults(shape: &ObjectShape, planned: &Value<'_>, actual: &Value<'_>) -> Vec<Fault> {
    let mut check = ResultCheck(Vec::new());
    check.block(shape, planned, actual, Path::ROOT);
    check.0
}

/// The faults that were found so far.
struct ResultCheck(Vec<Fault>);

impl ResultCheck {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.0.push(Fault::new(path, what));
    }

    /// Checks a block, which the result has if and only if the plan has it.
    fn block(
        &mut self,
        shape: &ObjectShape,
        planned: &Value<'_>,
        actual: &Value<'_>,
        path: Path<'_>,
    ) {
        if planned.is_null() || actual.is_null() {
            if planned.is_null() != actual.is_null() {
                self.fault(path, "it is in only one of plan and result");
            }
            return;
        }
        for (at, field) in shape.fields.iter().enumerate() {
            let planned = member(planned, at);
            let actual = member(actual, at);
            let path = path.name(&field.name);
            match field.role {
                Role::Block(nesting) => self.blocks(nesting, &field.ty, planned, actual, path),
                _ => self.value(&field.ty, planned, actual, path),
            }
        }
    }

    /// Checks nested blocks of one name. Blocks that are unknown in the plan can become any number
    /// of blocks.
    fn blocks(
        &mut self,
        nesting: Nesting,
        ty: &Type,
        planned: &Value<'_>,
        actual: &Value<'_>,
        path: Path<'_>,
    ) {
        let Some(shape) = ty.object() else { return };
        match (nesting, planned, actual) {
            // An unknown block can become none.
            (Nesting::Single | Nesting::Group, Value::Unknown, Value::Null) => {}
            (Nesting::Single | Nesting::Group, _, _) => self.block(shape, planned, actual, path),
            (Nesting::Set, Value::Sequence(plan), Value::Sequence(now)) => {
                let Some(element) = ty.part(0) else { return };
                let agree = |plan: &Value<'_>, now: &Value<'_>| faults(shape, plan, now).is_empty();
                self.set(plan, now, element, &agree, path);
            }
            (_, Value::Sequence(plan), Value::Sequence(now)) => {
                if plan.len() != now.len() {
                    return self.fault(path, "it has another number of blocks than the plan");
                }
                for (index, (planned, actual)) in plan.iter().zip(now).enumerate() {
                    self.block(shape, planned, actual, path.index(index));
                }
            }
            (_, Value::Map(plan), Value::Map(now)) => {
                if plan.len() != now.len() {
                    return self.fault(path, "it has another number of blocks than the plan");
                }
                for (key, planned) in plan {
                    if let Some(actual) = entry(actual, key) {
                        self.block(shape, planned, actual, path.key(key));
                    }
                }
            }
            // Unknown blocks can become any number of blocks.
            _ => {}
        }
    }

    /// Checks a value: what was unknown may be anything, and everything else is as planned.
    fn value(&mut self, ty: &Type, planned: &Value<'_>, actual: &Value<'_>, path: Path<'_>) {
        match (ty, planned, actual) {
            (_, Value::Unknown, _) | (_, Value::Null, Value::Null) => {}
            (_, Value::Null, _) => self.fault(path, "it was planned to be null and is set now"),
            (_, _, Value::Null) => self.fault(path, "it was planned to be set and is null now"),
            (_, _, Value::Unknown) => self.fault(path, "it was known in the plan"),
            (Type::Object(shape), _, _) => {
                for (at, field) in shape.fields.iter().enumerate() {
                    let path = path.name(&field.name);
                    self.value(&field.ty, member(planned, at), member(actual, at), path);
                }
            }
            (Type::Set(element), Value::Sequence(plan), Value::Sequence(now)) => {
                let agree = |plan: &Value<'_>, now: &Value<'_>| {
                    let mut inner = Self(Vec::new());
                    inner.value(element, plan, now, Path::ROOT);
                    inner.0.is_empty()
                };
                self.set(plan, now, element, &agree, path);
            }
            (_, Value::Sequence(plan), Value::Sequence(now)) => {
                if plan.len() != now.len() {
                    let plan = plan.len();
                    let now = now.len();
                    self.fault(path, format!("{plan} elements were planned, there are {now} now"));
                }
                for (index, (plan, now)) in plan.iter().zip(now).enumerate() {
                    let Some(ty) = ty.part(index) else { continue };
                    self.value(ty, plan, now, path.index(index));
                }
            }
            (Type::Map(element), Value::Map(plan), Value::Map(now)) => {
                for (key, plan) in plan {
                    match entry(actual, key) {
                        Some(now) => self.value(element, plan, now, path.key(key)),
                        None => self.fault(path.key(key), "it was planned and is missing now"),
                    }
                }
                for (key, _) in now.iter().filter(|(key, _)| entry(planned, key).is_none()) {
                    self.fault(path.key(key), "it was not planned and exists now");
                }
            }
            (_, planned, actual) => {
                if !planned.equals(actual, ty) {
                    self.fault(path, "it is not the value that was planned");
                }
            }
        }
    }

    /// Checks that every planned element can have become one of the result, and every one of the
    /// result was planned. Elements can turn out to be equal, so a set may shrink, but it may not
    /// grow.
    fn set(
        &mut self,
        plan: &[Value<'_>],
        now: &[Value<'_>],
        element: &Type,
        agree: &dyn Fn(&Value<'_>, &Value<'_>) -> bool,
        path: Path<'_>,
    ) {
        let all_planned = now.iter().all(|now| plan.iter().any(|plan| agree(plan, now)));
        let all_there = plan.iter().all(|plan| now.iter().any(|now| agree(plan, now)));
        if !all_planned
            || !all_there
            || set_keys(plan, element).len() < set_keys(now, element).len()
        {
            self.fault(path, "its elements are not those that were planned");
        }
    }
}
