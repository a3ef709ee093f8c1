//! The check of a plan by the rules of Terraform's own check.
//!
//! Terraform reports only "Provider produced invalid plan". The errors of this check name the
//! attribute.

use super::key::{by_name, set_keys};
use super::msgpack::{decode, members};
use super::path::{Fault, Path};
use super::shape::{Field, Nesting, ObjectShape, Role, Type};
use super::value::Value;

/// Returns the faults because of which Terraform would reject the plan of a create or an update.
///
/// The values are encoded, and have been surveyed. An attribute that is planned as it is configured
/// is not decoded.
pub(crate) fn plan_faults(
    shape: &ObjectShape,
    prior: &[u8],
    config: &[u8],
    planned: &[u8],
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let (prior, config) = (members(prior, shape), members(config, shape));
    let values = prior.iter().zip(&config).zip(members(planned, shape));
    for (field, ((prior, config), planned)) in shape.fields.iter().zip(values) {
        if planned == *config && !planned.is_empty() && !field.is_write_only() {
            continue;
        }
        let value = |bytes| decode(bytes, &field.ty).value;
        let (prior, config, planned) = (value(prior), value(config), value(planned));
        plan_member(field, &prior, &config, &planned, Path::ROOT, &mut faults);
    }
    faults
}

fn plan_object(
    shape: &ObjectShape,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    for (at, field) in shape.fields.iter().enumerate() {
        plan_member(field, prior.member(at), config.member(at), planned.member(at), path, faults);
    }
}

fn plan_member(
    field: &Field,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    let path = path.name(&field.name);
    match field.role {
        Role::Attribute { computed, optional, write_only, .. } => {
            let allowed = if write_only {
                planned.is_null()
            } else {
                planned.equals(config, &field.ty)
                    || (planned.equals(prior, &field.ty) && !prior.is_null() && !config.is_null())
                    // A read-only attribute has a configuration through `ignore_changes`.
                    || (computed && (!optional || config.is_null()))
            };
            if !allowed {
                plan_attribute(field, prior, config, planned, path, faults);
            }
        }
        Role::Block(nesting) => {
            plan_blocks(nesting, &field.ty, prior, config, planned, path, faults);
        }
        Role::Member => {}
    }
}

fn plan_attribute(
    field: &Field,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    let nested = field
        .ty
        .object()
        .filter(|shape| shape.fields.iter().any(|field| field.role != Role::Member));
    match (nested, &field.ty) {
        _ if config.is_null() => {
            faults.push(Fault::new(
                path,
                "the configuration omits it, so the provider may not set it",
            ));
        }
        // A nested attribute is checked member by member.
        (Some(shape), Type::Object(_)) if !planned.is_null() && !planned.is_unknown() => {
            plan_object(shape, prior, config, planned, path, faults);
        }
        (Some(_), Type::List(_) | Type::Map(_) | Type::Set(_))
            if !planned.is_null() && !planned.is_unknown() =>
        {
            plan_collection(&field.ty, prior, config, planned, path, faults);
        }
        _ => faults.push(Fault::new(path, "it differs from the value in the configuration")),
    }
}

fn plan_blocks(
    nesting: Nesting,
    ty: &Type,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    if config.is_unknown() || planned.is_unknown() {
        if !(config.is_unknown() && planned.is_unknown()) {
            faults
                .push(Fault::new(path, "blocks are unknown in only one of plan and configuration"));
        }
        return;
    }
    match (nesting, ty) {
        (Nesting::Single | Nesting::Group, Type::Object(shape)) => {
            if config.is_null() != planned.is_null() {
                faults.push(Fault::new(path, "the block is in only one of plan and configuration"));
            } else {
                plan_object(shape, prior, config, planned, path, faults);
            }
        }
        _ => plan_collection(ty, prior, config, planned, path, faults),
    }
}

/// Checks lists by position and maps by key. The elements of sets are left to Terraform, because they
/// cannot be distinguished.
fn plan_collection(
    ty: &Type,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    let Some(shape) = ty.object() else { return };
    match ty {
        Type::List(_) => {
            let (config, planned) = (config.items(), planned.items());
            if config.len() != planned.len() {
                faults.push(Fault::new(
                    path,
                    format!("{} elements are planned, {} configured", planned.len(), config.len()),
                ));
                return;
            }
            for (index, (config, planned)) in config.iter().zip(planned).enumerate() {
                let prior = prior.items().get(index).unwrap_or(&Value::Null);
                plan_element(shape, prior, config, planned, path.index(index), faults);
            }
        }
        Type::Map(_) => {
            let (Value::Map(configured), Value::Map(plan)) = (config, planned) else { return };
            let (in_config, in_plan) = (by_name(configured), by_name(plan));
            let in_prior =
                if let Value::Map(prior) = prior { by_name(prior) } else { by_name(&[]) };
            for (key, _) in plan.iter().filter(|(key, _)| !in_config.contains_key(&**key)) {
                faults.push(Fault::new(path.key(key), "it is not in the configuration"));
            }
            for (key, config) in configured {
                let prior = in_prior.get(&**key).copied().unwrap_or(&Value::Null);
                match in_plan.get(&**key) {
                    Some(planned) => {
                        plan_element(shape, prior, config, planned, path.key(key), faults);
                    }
                    None => faults.push(Fault::new(path.key(key), "it is missing from the plan")),
                }
            }
        }
        Type::Set(element) => {
            let count = |value: &Value<'_>| set_keys(value.items(), element).len();
            let (configured, count) = (count(config), count(planned));
            if count < configured && !config.is_wholly_known() {
                faults.push(Fault::new(path, format!("{count} of {configured} {LOST_ELEMENTS}")));
            }
        }
        _ => {}
    }
}

/// Terraform accepts such a plan, and fails when the elements have become different ones.
const LOST_ELEMENTS: &str = "configured elements are planned. A `BTreeSet` keeps only one of several \
     elements that are equal as long as they are unknown; `plugin_server::value::Set` keeps all";

fn plan_element(
    shape: &ObjectShape,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    if config.is_unknown() {
        return;
    }
    if planned.is_unknown() || config.is_null() != planned.is_null() {
        faults.push(Fault::new(path, "it differs from the configuration"));
        return;
    }
    plan_object(shape, prior, config, planned, path, faults);
}

#[cfg(test)]
#[path = "plan_check_tests.rs"]
mod tests;
