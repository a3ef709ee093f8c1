//! What Terraform refuses in an answer, found before it does.
//!
//! The rules are those of Terraform's own checks of plans and results, of which users see only
//! "Provider produced invalid plan" or "inconsistent result" and no way out.

use tf_provider::{AttributePath, AttributePathStep};

use super::{Fault, Field, Nesting, ObjectShape, Path, Role, Type, Value};

/// The type of the parts of `ty`, by their position.
fn part(ty: &Type, index: usize) -> Option<&Type> {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
        Type::Tuple(types) => types.get(index),
        _ => None,
    }
}

/// The first place at which something is unknown.
pub(crate) fn find_unknown(value: &Value<'_>, ty: &Type, path: Path<'_>) -> Option<AttributePath> {
    match value {
        Value::Unknown => Some(path.to_attribute_path()),
        Value::Sequence(items) => items.iter().enumerate().find_map(|(index, item)| {
            let at = if matches!(ty, Type::Set(_)) { path.element() } else { path.index(index) };
            find_unknown(item, part(ty, index)?, at)
        }),
        Value::Map(entries) => {
            entries.iter().find_map(|(key, item)| find_unknown(item, part(ty, 0)?, path.key(key)))
        }
        Value::Object(members) => match ty {
            Type::Object(shape) => shape.fields.iter().zip(members).find_map(|(field, member)| {
                find_unknown(member, &field.ty, path.name(&field.name))
            }),
            _ => None,
        },
        Value::Dynamic(inner) => find_unknown(&inner.1, &inner.0, path),
        _ => None,
    }
}

/// Makes null of everything unknown, for a state that has to be kept after an error.
pub(crate) fn unknown_to_null(value: &mut Value<'_>, ty: &Type) {
    match value {
        Value::Unknown => *value = Value::Null,
        Value::Sequence(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                unknown_to_null(item, part(ty, index).unwrap_or(&Type::Dynamic));
            }
        }
        Value::Map(entries) => {
            for (_, item) in entries {
                unknown_to_null(item, part(ty, 0).unwrap_or(&Type::Dynamic));
            }
        }
        Value::Object(members) => {
            if let Type::Object(shape) = ty {
                for (field, member) in shape.fields.iter().zip(members) {
                    unknown_to_null(member, &field.ty);
                    if member.is_null() {
                        *member = Value::absent(&field.ty, field.role);
                    }
                }
            }
        }
        Value::Dynamic(inner) => {
            let (ty, value) = &mut **inner;
            unknown_to_null(value, ty);
        }
        _ => {}
    }
}

/// Calls `change` on every member of every object of the schema, outermost first.
fn each_member(
    value: &mut Value<'_>,
    shape: &ObjectShape,
    change: &mut impl FnMut(&Field, &mut Value<'_>),
) {
    let Value::Object(members) = value else { return };
    for (field, member) in shape.fields.iter().zip(members) {
        change(field, member);
        let Some(inner) = field.ty.object() else { continue };
        match member {
            Value::Object(_) => each_member(member, inner, change),
            Value::Sequence(items) => {
                items.iter_mut().for_each(|item| each_member(item, inner, change))
            }
            Value::Map(entries) => {
                entries.iter_mut().for_each(|(_, item)| each_member(item, inner, change));
            }
            _ => {}
        }
    }
}

/// Makes unknown what only the provider can set and nobody has.
pub(crate) fn computed_to_unknown(value: &mut Value<'_>, shape: &ObjectShape) {
    let Value::Object(members) = value else { return };
    for (member, field) in members.iter_mut().zip(&shape.fields) {
        if matches!(field.role, Role::Attribute { computed: true, .. }) && member.is_null() {
            *member = Value::Unknown;
        }
    }
}

/// Makes null of write-only attributes, which must never be stored. Tells whether any was set.
pub(crate) fn clear_write_only(value: &mut Value<'_>, shape: &ObjectShape) -> bool {
    let mut changed = false;
    if shape.has_write_only() {
        each_member(value, shape, &mut |field, member| {
            if matches!(field.role, Role::Attribute { write_only: true, .. }) && !member.is_null() {
                *member = Value::Null;
                changed = true;
            }
        });
    }
    changed
}

/// Makes null of what a configuration cannot set.
pub(crate) fn keep_only_config(value: &mut Value<'_>, shape: &ObjectShape) {
    each_member(value, shape, &mut |field, member| {
        if matches!(field.role, Role::Attribute { computed: true, optional: false, .. }) {
            *member = Value::Null;
        }
    });
}

/// Where `path` leads in `value`, cut where it enters a set; `None` where it leads nowhere.
pub(crate) fn path_exists(
    value: &Value<'_>,
    ty: &Type,
    path: &AttributePath,
) -> Option<AttributePath> {
    let (mut value, mut ty) = (value, ty);
    let mut kept = AttributePath::default();
    for step in &path.steps {
        (value, ty) = match (ty, step) {
            (Type::Set(_) | Type::Dynamic, _) => return Some(kept),
            (Type::Object(shape), AttributePathStep::Attribute(name)) => {
                let at = shape.position(name)?;
                (value.members().get(at)?, &shape.fields.get(at)?.ty)
            }
            (Type::Map(element), AttributePathStep::Key(key)) => (value.entry(key)?, &**element),
            (Type::List(_) | Type::Tuple(_), AttributePathStep::Index(index)) => {
                let index = usize::try_from(*index).ok()?;
                (value.items().get(index)?, part(ty, index)?)
            }
            _ => return None,
        };
        kept.steps.push(step.clone());
    }
    Some(kept)
}

/// What Terraform would refuse in the plan of a create or an update.
pub(crate) fn plan_faults(
    shape: &ObjectShape,
    prior: &Value<'_>,
    config: &Value<'_>,
    planned: &Value<'_>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    plan_object(shape, prior, config, planned, Path::ROOT, &mut faults);
    faults
}

/// The members of the nth object, or nulls where there is no such object.
fn member<'v, 'a>(value: &'v Value<'a>, at: usize) -> &'v Value<'a> {
    value.members().get(at).unwrap_or(&Value::Null)
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
        let (prior, config, planned) = (member(prior, at), member(config, at), member(planned, at));
        let path = path.name(&field.name);
        match field.role {
            Role::Attribute { computed, write_only, .. } => {
                let allowed = if write_only {
                    planned.is_null()
                } else {
                    planned.same(config, &field.ty)
                        || (planned.same(prior, &field.ty) && !prior.is_null() && !config.is_null())
                        || (computed && config.is_null())
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
                "the configuration leaves it out and the provider may not set it",
            ));
        }
        // The inside of a nested attribute is judged member by member.
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

/// Lists by position, maps by key; sets are trusted, since their elements have no identity.
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
            for (key, _) in plan.iter().filter(|(key, _)| config.entry(key).is_none()) {
                faults.push(Fault::new(path.key(key), "it is not in the configuration"));
            }
            for (key, config) in configured {
                let prior = prior.entry(key).unwrap_or(&Value::Null);
                match planned.entry(key) {
                    Some(planned) => {
                        plan_element(shape, prior, config, planned, path.key(key), faults);
                    }
                    None => faults.push(Fault::new(path.key(key), "it is missing from the plan")),
                }
            }
        }
        _ => {}
    }
}

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
        faults.push(Fault::new(path, "it is configured and the plan does not have it so"));
        return;
    }
    plan_object(shape, prior, config, planned, path, faults);
}

/// What Terraform would refuse in the result of a create or an update: whatever the plan promised
/// must have become true.
pub(crate) fn result_faults(
    shape: &ObjectShape,
    planned: &Value<'_>,
    actual: &Value<'_>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    result_object(shape, planned, actual, Path::ROOT, &mut faults);
    faults
}

fn result_object(
    shape: &ObjectShape,
    planned: &Value<'_>,
    actual: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    for (at, field) in shape.fields.iter().enumerate() {
        if matches!(field.role, Role::Attribute { write_only: true, .. }) {
            continue;
        }
        result_value(
            &field.ty,
            member(planned, at),
            member(actual, at),
            path.name(&field.name),
            faults,
        );
    }
}

fn result_value(
    ty: &Type,
    planned: &Value<'_>,
    actual: &Value<'_>,
    path: Path<'_>,
    faults: &mut Vec<Fault>,
) {
    match (ty, planned, actual) {
        (_, Value::Unknown, _) => {}
        (_, Value::Null, Value::Null) => {}
        (_, Value::Null, _) => {
            faults.push(Fault::new(path, "it was planned to be null and is set now"))
        }
        (_, _, Value::Null) => {
            faults.push(Fault::new(path, "it was planned to be set and is null now"))
        }
        (Type::Object(shape), _, _) => result_object(shape, planned, actual, path, faults),
        (Type::List(_) | Type::Tuple(_), Value::Sequence(plan), Value::Sequence(now)) => {
            if plan.len() != now.len() {
                faults.push(Fault::new(
                    path,
                    format!("{} elements were planned, {} are there now", plan.len(), now.len()),
                ));
                return;
            }
            for (index, (plan, now)) in plan.iter().zip(now).enumerate() {
                let Some(ty) = part(ty, index) else { continue };
                result_value(ty, plan, now, path.index(index), faults);
            }
        }
        (Type::Map(element), Value::Map(plan), Value::Map(now)) => {
            for (key, _) in now.iter().filter(|(key, _)| planned.entry(key).is_none()) {
                faults.push(Fault::new(path.key(key), "it was not planned and is there now"));
            }
            for (key, plan) in plan {
                match actual.entry(key) {
                    Some(now) => result_value(element, plan, now, path.key(key), faults),
                    None => faults
                        .push(Fault::new(path.key(key), "it was planned and is not there now")),
                }
            }
        }
        (Type::Set(element), Value::Sequence(plan), Value::Sequence(now)) => {
            let fits = |plan: &Value<'_>, now: &Value<'_>| {
                let mut faults = Vec::new();
                result_value(element, plan, now, Path::ROOT, &mut faults);
                faults.is_empty()
            };
            let kept = plan.iter().all(|plan| now.iter().any(|now| fits(plan, now)));
            let none_added = now.iter().all(|now| plan.iter().any(|plan| fits(plan, now)));
            if !(kept && none_added) {
                faults.push(Fault::new(path, "its elements are not those that were planned"));
            }
        }
        (Type::Dynamic, Value::Dynamic(plan), Value::Dynamic(now)) if plan.0 == now.0 => {
            result_value(&plan.0, &plan.1, &now.1, path, faults);
        }
        (_, planned, actual) => {
            if !planned.same(actual, ty) {
                faults.push(Fault::new(path, "it is not the value that was planned"));
            }
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
