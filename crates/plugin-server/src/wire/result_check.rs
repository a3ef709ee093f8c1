//! The check of the result of an apply by the rules of Terraform's own check.
//!
//! Every known value of the plan must be in the result. Terraform reports only "Provider produced
//! inconsistent result after apply". The errors of this check name the attribute.

use super::correlate::sets_correlate;
use super::key::by_name;
use super::msgpack::{decode, members};
use super::path::{Fault, Path};
use super::shape::{Field, ObjectShape, Type};
use super::value::Value;

/// The number of values that are compared one by one, in a set whose elements have unknown parts
/// inside collections. The rest is left to Terraform's own check.
const PAIRWISE_VALUES: usize = 1_000_000;

/// Returns the faults because of which Terraform would reject the result of a create or an update.
///
/// The values are encoded, and have been surveyed. An attribute that is as it was planned is not
/// decoded.
pub(crate) fn result_faults(shape: &ObjectShape, planned: &[u8], actual: &[u8]) -> Vec<Fault> {
    let mut check = ResultCheck {
        faults: Vec::new(),
        pairwise: false,
        pairwise_left: PAIRWISE_VALUES,
        conforms: true,
    };
    let planned = members(planned, shape);
    for (field, (planned, actual)) in
        shape.fields.iter().zip(planned.into_iter().zip(members(actual, shape)))
    {
        if planned != actual {
            let value = |bytes| decode(bytes, &field.ty).value;
            check.member(field, &value(planned), &value(actual), Path::ROOT);
        }
    }
    check.faults
}

struct ResultCheck {
    faults: Vec<Fault>,
    /// Whether two elements of a set are being compared, so that faults only set `conforms`.
    pairwise: bool,
    pairwise_left: usize,
    conforms: bool,
}

impl ResultCheck {
    fn fault(&mut self, path: Path<'_>, what: impl Into<String>) {
        if self.pairwise {
            self.conforms = false;
        } else {
            self.faults.push(Fault::new(path, what));
        }
    }

    fn object(
        &mut self,
        shape: &ObjectShape,
        planned: &Value<'_>,
        actual: &Value<'_>,
        path: Path<'_>,
    ) {
        for (at, field) in shape.fields.iter().enumerate() {
            self.member(field, planned.member(at), actual.member(at), path);
        }
    }

    fn member(&mut self, field: &Field, planned: &Value<'_>, actual: &Value<'_>, path: Path<'_>) {
        if !field.is_write_only() {
            self.value(&field.ty, planned, actual, path.name(&field.name));
        }
    }

    fn value(&mut self, ty: &Type, planned: &Value<'_>, actual: &Value<'_>, path: Path<'_>) {
        if self.pairwise {
            if !self.conforms || self.pairwise_left == 0 {
                return;
            }
            self.pairwise_left -= 1;
        }
        match (ty, planned, actual) {
            (_, planned, _) if planned.is_unknown() => {}
            (_, planned, actual) if planned.is_null() && actual.is_null() => {}
            (_, Value::Null, _) => self.fault(path, "it was planned to be null and is set now"),
            (_, _, Value::Null) => self.fault(path, "it was planned to be set and is null now"),
            (Type::Object(shape), _, _) => self.object(shape, planned, actual, path),
            (Type::List(_) | Type::Tuple(_), Value::Sequence(plan), Value::Sequence(now)) => {
                if plan.len() != now.len() {
                    let (plan, now) = (plan.len(), now.len());
                    self.fault(path, format!("{plan} elements were planned, there are {now} now"));
                    return;
                }
                for (index, (plan, now)) in plan.iter().zip(now).enumerate() {
                    let Some(ty) = ty.part(index) else { continue };
                    self.value(ty, plan, now, path.index(index));
                }
            }
            (Type::Map(element), Value::Map(plan), Value::Map(now)) => {
                let (planned, actual) = (by_name(plan), by_name(now));
                for (key, _) in now.iter().filter(|(key, _)| !planned.contains_key(&**key)) {
                    self.fault(path.key(key), "it was not planned and exists now");
                }
                for (key, plan) in plan {
                    match actual.get(&**key) {
                        Some(now) => self.value(element, plan, now, path.key(key)),
                        None => self.fault(path.key(key), "it was planned and is missing now"),
                    }
                }
            }
            (Type::Set(element), Value::Sequence(plan), Value::Sequence(now)) => {
                let mut conforms =
                    |plan: &Value<'_>, now: &Value<'_>| self.conforms(element, plan, now);
                if !sets_correlate(plan, now, element, &mut conforms) {
                    self.fault(path, "its elements are not those that were planned");
                }
            }
            (Type::Dynamic, Value::Dynamic(plan), Value::Dynamic(now)) if plan.0 == now.0 => {
                self.value(&plan.0, &plan.1, &now.1, path);
            }
            (_, planned, actual) => {
                if !planned.equals(actual, ty) {
                    self.fault(path, "it is not the value that was planned");
                }
            }
        }
    }

    /// Returns whether a planned element of a set may have become `actual`. Returns `None` after
    /// too many of these comparisons.
    fn conforms(
        &mut self,
        element: &Type,
        planned: &Value<'_>,
        actual: &Value<'_>,
    ) -> Option<bool> {
        let (outer_pairwise, outer_conforms) = (self.pairwise, self.conforms);
        (self.pairwise, self.conforms) = (true, true);
        self.value(element, planned, actual, Path::ROOT);
        let conforms = self.conforms;
        (self.pairwise, self.conforms) = (outer_pairwise, outer_conforms);
        (self.pairwise_left > 0).then_some(conforms)
    }
}

#[cfg(test)]
#[path = "result_check_tests.rs"]
mod tests;
