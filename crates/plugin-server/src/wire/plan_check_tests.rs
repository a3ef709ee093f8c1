use super::*;
use crate::wire::test_values::*;

#[test]
fn plan_may_change_only_what_is_computed() {
    let config = object(blocks(&[]), Value::Null, Value::Null, text("a"));
    let prior = object(blocks(&[]), text("c"), Value::Null, text("b"));
    let plan = |computed, optional| object(blocks(&[]), computed, Value::Null, optional);
    let judge = |plan: Value<'static>| paths(&plan_faults(&shape(), &prior, &config, &plan));
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
    assert_eq!(paths(&plan_faults(&shape(), &Value::Null, &config, &plan)), ["optional"]);
}

#[test]
fn plan_has_the_blocks_of_the_configuration() {
    let with = |blocks| object(blocks, Value::Null, Value::Null, Value::Null);
    let judge =
        |config, plan| paths(&plan_faults(&shape(), &Value::Null, &with(config), &with(plan)));
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
    let judge =
        |config, plan| paths(&plan_faults(&shape(), &Value::Null, &with(config), &with(plan)));
    assert_eq!(judge(blocks(&[Value::Null]), blocks(&[Value::Unknown])), [""; 0]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[text("b")])), ["nested[0].x"]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[])), ["nested"]);
    assert_eq!(judge(blocks(&[text("a")]), Value::Unknown), ["nested"]);
}
