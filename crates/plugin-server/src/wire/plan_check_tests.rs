use super::*;
use crate::wire::encode;
use crate::wire::test_values::*;

fn faults(shape: &ObjectShape, values: [&Value<'static>; 3]) -> Vec<String> {
    let ty = Type::Object(shape.clone());
    let [prior, config, planned] = values.map(|value| encode(value, &ty));
    paths(&plan_faults(shape, &prior, &config, &planned))
}

#[test]
fn plan_may_change_only_what_is_computed() {
    let config = object(blocks(&[]), Value::Null, Value::Null, text("a"));
    let prior = object(blocks(&[]), text("c"), Value::Null, text("b"));
    let plan = |computed, optional| object(blocks(&[]), computed, Value::Null, optional);
    let judge = |plan: Value<'static>| faults(&shape(), [&prior, &config, &plan]);
    assert_eq!(judge(plan(Value::Unknown, text("a"))), [""; 0]);
    assert_eq!(judge(plan(text("c"), text("b"))), [""; 0], "the prior spelling may be kept");
    assert_eq!(judge(plan(text("c"), text("z"))), ["optional"]);
    assert_eq!(judge(plan(text("c"), Value::Unknown)), ["optional"]);
    assert_eq!(judge(plan(text("c"), Value::Null)), ["optional"]);
}

#[test]
fn plan_may_not_invent_an_optional_value() {
    let config = object(blocks(&[]), Value::Null, Value::Null, Value::Null);
    let plan = object(blocks(&[]), Value::Null, Value::Null, text("a"));
    assert_eq!(faults(&shape(), [&Value::Null, &config, &plan]), ["optional"]);
}

#[test]
fn plan_has_the_blocks_of_the_configuration() {
    let with = |blocks| object(blocks, Value::Null, Value::Null, Value::Null);
    let judge = |config, plan| faults(&shape(), [&Value::Null, &with(config), &with(plan)]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[text("a")])), [""; 0]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[])), ["block"]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[text("b")])), ["block[0].x"]);
    assert_eq!(judge(Value::Unknown, Value::Unknown), [""; 0]);
    assert_eq!(judge(Value::Unknown, blocks(&[])), ["block"]);
    assert_eq!(judge(blocks(&[text("a")]), Value::Sequence(vec![Value::Unknown])), ["block[0]"]);
}

#[test]
fn plan_of_a_nested_attribute_is_checked_by_its_members() {
    let with = |nested| object(blocks(&[]), Value::Null, nested, Value::Null);
    let judge = |config, plan| faults(&shape(), [&Value::Null, &with(config), &with(plan)]);
    assert_eq!(judge(blocks(&[Value::Null]), blocks(&[Value::Unknown])), [""; 0]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[text("b")])), ["nested[0].x"]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[])), ["nested"]);
    assert_eq!(judge(blocks(&[text("a")]), Value::Unknown), ["nested"]);
}

#[test]
fn plan_may_change_a_read_only_attribute_that_ignore_changes_has_set() {
    // Terraform copies the prior value of an ignored attribute to the configuration.
    let config = object(blocks(&[]), text("c"), Value::Null, Value::Null);
    for planned in [Value::Unknown, text("d"), Value::Null] {
        let plan = object(blocks(&[]), planned, Value::Null, Value::Null);
        assert_eq!(faults(&shape(), [&config, &config, &plan]), [""; 0]);
    }
}

#[test]
fn plan_has_as_many_unknown_elements_of_a_set_as_the_configuration() {
    let element =
        Type::Object(ObjectShape::new(vec![field("x", Type::String, attribute(true, true))]));
    let shape = ObjectShape::new(vec![
        field("names", Type::Set(Box::new(Type::String)), attribute(true, false)),
        field("rules", Type::Set(Box::new(element)), attribute(true, false)),
    ]);
    let judge = |config: [Value<'static>; 2], plan: [Value<'static>; 2]| {
        faults(&shape, [&Value::Null, &Value::Object(config.into()), &Value::Object(plan.into())])
    };
    let unknown = |count| Value::Sequence(vec![Value::Unknown; count]);
    let rules = |count| blocks(&vec![Value::Unknown; count]);
    assert_eq!(judge([unknown(2), rules(2)], [unknown(2), rules(2)]), [""; 0]);
    assert_eq!(judge([unknown(2), rules(2)], [unknown(1), rules(1)]), ["names", "rules"]);
}

#[test]
fn plan_may_set_a_computed_dynamic_attribute_whose_null_has_a_type() {
    let shape = ObjectShape::new(vec![
        field("any", Type::Dynamic, attribute(true, true)),
        field("set", Type::Dynamic, attribute(true, false)),
    ]);
    let typed = |value| Value::Dynamic(Box::new((Type::String, value)));
    let null = || typed(Value::Null);
    let judge = |any, set| {
        let config = Value::Object(vec![null(), null()]);
        faults(&shape, [&Value::Null, &config, &Value::Object(vec![any, set])])
    };
    assert_eq!(judge(Value::Unknown, null()), [""; 0]);
    assert_eq!(judge(typed(text("a")), null()), [""; 0]);
    assert_eq!(judge(null(), typed(text("a"))), ["set"]);
}
