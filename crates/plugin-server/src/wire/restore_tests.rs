use super::*;
use crate::wire::encode;
use crate::wire::test_values::{attribute, field, text};

fn number(text: &'static str) -> Value<'static> {
    Value::Number(Number::Text(text.into()))
}

fn float(float: f64) -> Value<'static> {
    Value::Number(Number::Float(float))
}

/// Returns whether `value` becomes `expected`, if the provider received `received`.
fn restores(
    mut value: Value<'static>,
    received: &[Value<'static>],
    expected: &Value<'static>,
    ty: &Type,
) -> bool {
    restore(&mut value, &received.iter().collect::<Vec<_>>(), ty);
    encode(&value, ty) == encode(expected, ty)
}

#[test]
fn float_in_a_set_becomes_the_number_it_was_read_from() {
    let ty = Type::Set(Box::new(Type::Number));
    let third = number("0.33333333333333333333333333333333333333");
    let sent = Value::Sequence(vec![number("0.1"), third.clone()]);
    let returned = Value::Sequence(vec![float(1.0 / 3.0), float(0.1)]);
    assert!(restores(returned, std::slice::from_ref(&sent), &sent, &ty));
    let more = Value::Sequence(vec![float(1.0 / 3.0), float(0.25)]);
    let expected = Value::Sequence(vec![third, float(0.25)]);
    assert!(restores(more, &[sent], &expected, &ty));
}

fn pair_type() -> Type {
    let member = |name| field(name, Type::String, attribute(true, true));
    Type::Object(ObjectShape::new(vec![member("id"), member("name")]))
}

fn pair(id: Value<'static>, name: Value<'static>) -> Value<'static> {
    Value::Object(vec![id, name])
}

#[test]
fn set_gets_back_its_unknown_elements() {
    let ty = Type::Set(Box::new(Type::String));
    let sent = Value::Sequence(vec![text("a"), Value::Unknown, Value::Unknown]);
    let collapsed = Value::Sequence(vec![Value::Unknown, text("a")]);
    assert!(restores(collapsed.clone(), std::slice::from_ref(&sent), &sent, &ty));
    let other = Value::Sequence(vec![text("b")]);
    assert!(restores(collapsed.clone(), &[other], &collapsed, &ty), "not from another set");
}

#[test]
fn set_gets_back_elements_in_which_the_provider_set_more() {
    let ty = Type::Set(Box::new(pair_type()));
    let unnamed = |id| pair(id, Value::Unknown);
    let sent = Value::Sequence(vec![unnamed(Value::Null), unnamed(Value::Null)]);
    let planned = Value::Sequence(vec![unnamed(Value::Unknown)]);
    let expected = Value::Sequence(vec![unnamed(Value::Unknown), unnamed(Value::Unknown)]);
    assert!(restores(planned, &[sent], &expected, &ty));
}

#[test]
fn optional_block_stays_unknown() {
    let list = Type::List(Box::new(pair_type()));
    let role = Role::Block(Nesting::Optional);
    let ty = Type::Object(ObjectShape::new(vec![field("block", list, role)]));
    let with = |block| Value::Object(vec![block]);
    let none = || with(Value::Sequence(vec![]));
    let unknown = with(Value::Unknown);
    for written in [vec![], vec![Value::Unknown]] {
        let written = with(Value::Sequence(written));
        assert!(restores(written, std::slice::from_ref(&unknown), &unknown, &ty));
    }
    assert!(restores(none(), &[none(), unknown], &none(), &ty), "only the configuration counts");
}
