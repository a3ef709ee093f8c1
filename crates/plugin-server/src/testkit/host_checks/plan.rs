//! A plan must keep what the configuration sets, unless it keeps the prior value instead.

use super::parts::{entry, member};
use crate::wire::{Fault, Field, ObjectShape, Path, Role, Type, Value, set_keys};

/// A part of the three values that are compared.
#[derive(Clone, Copy)]
pub(super) struct Values<'v> {
    pub(super) prior: &'v Value<'v>,
    pub(super) config: &'v Value<'v>,
    pub(super) planned: &'v Value<'v>,
}

/// Returns the faults because of which a host refuses the plan of a create or an update.
pub(super) fn faults(shape: &ObjectShape, values: Values<'_>) -> Vec<Fault> {
    let mut check = PlanCheck(Vec::new());
    match (values.config.is_null(), values.planned.is_null()) {
        (false, false) => check.object(shape, values, Path::ROOT),
        (true, true) => {}
        _ => check.fault(Path::ROOT, "it is in only one of plan and configuration"),
    }
    check.0
}

const COUNT: &str = "it has another number of elements than the configuration";

/// The faults that were found so far.
struct PlanCheck(Vec<Fault>);

impl PlanCheck {
    fn fault(&mut self, path: Path<'_>, what: &str) {
        self.0.push(Fault::new(path, what));
    }

    fn object(&mut self, shape: &ObjectShape, values: Values<'_>, path: Path<'_>) {
        for (at, field) in shape.fields.iter().enumerate() {
            let values = Values {
                prior: member(values.prior, at),
                config: member(values.config, at),
                planned: member(values.planned, at),
            };
            self.attribute(field, values, path.name(&field.name));
        }
    }

    /// Checks an attribute. The plan may have the value of the configuration, the prior value in
    /// place of another one, or any value for what only the provider sets. A nested attribute is
    /// otherwise checked member by member.
    fn attribute(&mut self, field: &Field, values: Values<'_>, path: Path<'_>) {
        let Role::Attribute { computed, optional, .. } = field.role else { return };
        let Values { prior, config, planned } = values;
        let ty = &field.ty;
        if planned.equals(config, ty)
            || (planned.equals(prior, ty) && !prior.is_null() && !config.is_null())
            // A read-only attribute has a configuration through `ignore_changes`.
            || (computed && (!optional || config.is_null()))
        {
            return;
        }
        let nested =
            ty.object().filter(|shape| shape.fields.iter().any(|field| field.role != Role::Member));
        match (nested, ty) {
            _ if config.is_null() => {
                self.fault(path, "the configuration omits it, so the provider may not set it");
            }
            _ if planned.is_null() || planned.is_unknown() => self.fault(path, DIFFERS),
            (Some(_), Type::Set(element)) => self.set(element, values, path),
            (Some(shape), Type::Object(_)) => self.object(shape, values, path),
            // An element that is unknown is an object whose members are all unknown.
            (Some(shape), _) => self.elements(shape, values, path),
            (None, _) => self.fault(path, DIFFERS),
        }
    }

    /// The elements of a set cannot be correlated, so only their number is checked: the two sets
    /// must be able to have the same.
    fn set(&mut self, element: &Type, values: Values<'_>, path: Path<'_>) {
        let counts = (count(values.config, element), count(values.planned, element));
        if let (Some(configured), Some(planned)) = counts
            && (configured.1 < planned.0 || planned.1 < configured.0)
        {
            self.fault(path, COUNT);
        }
    }

    /// Checks the elements of a list or a map, which must be those of the configuration.
    fn elements(&mut self, shape: &ObjectShape, values: Values<'_>, path: Path<'_>) {
        match (values.config, values.planned) {
            (Value::Sequence(configured), Value::Sequence(plan))
                if configured.len() == plan.len() =>
            {
                for (index, (config, planned)) in configured.iter().zip(plan).enumerate() {
                    let prior = values.prior.items().get(index).unwrap_or(&Value::Null);
                    self.object(shape, Values { prior, config, planned }, path.index(index));
                }
            }
            (Value::Map(configured), Value::Map(plan)) if configured.len() == plan.len() => {
                for (key, planned) in plan {
                    let prior = entry(values.prior, key).unwrap_or(&Value::Null);
                    match entry(values.config, key) {
                        Some(config) => {
                            let values = Values { prior, config, planned };
                            self.object(shape, values, path.key(key));
                        }
                        None => self.fault(path.key(key), "it is not in the configuration"),
                    }
                }
            }
            _ => self.fault(path, COUNT),
        }
    }
}

const DIFFERS: &str = "it differs from the value in the configuration";

/// Returns the least and the most elements that a set can have when all of them are known. `None`
/// if the set is unknown as a whole.
fn count(set: &Value<'_>, element: &Type) -> Option<(usize, usize)> {
    let Value::Sequence(items) = set else { return None };
    let most = set_keys(items, element).len();
    Some((if set.is_wholly_known() { most } else { most.min(1) }, most))
}
