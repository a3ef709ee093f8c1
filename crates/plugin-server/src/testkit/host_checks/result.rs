//! A result must keep every value that was known in its plan.

use super::parts::{entry, member};
use crate::wire::{Fault, Path, Type, Value, set_keys};

/// Returns the faults because of which a host refuses the result of a create or an update, of the
/// type `ty`.
pub(super) fn faults(ty: &Type, planned: &Value<'_>, actual: &Value<'_>) -> Vec<Fault> {
    let mut check = ResultCheck(Vec::new());
    if planned.is_null() != actual.is_null() {
        check.fault(Path::ROOT, "it is in only one of plan and result");
    } else {
        check.value(ty, planned, actual, Path::ROOT);
    }
    check.0
}

/// The faults that were found so far.
struct ResultCheck(Vec<Fault>);

impl ResultCheck {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        self.0.push(Fault::new(path, what));
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
            (Type::List(element), Value::Sequence(plan), Value::Sequence(now)) => {
                if plan.len() != now.len() {
                    let plan = plan.len();
                    let now = now.len();
                    self.fault(path, format!("{plan} elements were planned, there are {now} now"));
                }
                for (index, (plan, now)) in plan.iter().zip(now).enumerate() {
                    self.value(element, plan, now, path.index(index));
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
