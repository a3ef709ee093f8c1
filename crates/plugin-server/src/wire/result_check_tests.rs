use super::*;
use crate::wire::encode;
use crate::wire::key::set_keys;
use crate::wire::test_values::*;

fn faults(shape: &ObjectShape, planned: &Value<'_>, actual: &Value<'_>) -> Vec<Fault> {
    let ty = Type::Object(shape.clone());
    result_faults(shape, &encode(planned, &ty), &encode(actual, &ty))
}

#[test]
fn result_is_what_was_planned() {
    let with = |computed, optional| object(blocks(&[]), computed, Value::Null, optional);
    let judge = |plan, now| paths(&faults(&shape(), &plan, &now));
    assert_eq!(judge(with(Value::Unknown, text("a")), with(text("c"), text("a"))), [""; 0]);
    assert_eq!(judge(with(text("c"), text("a")), with(text("d"), text("a"))), ["computed"]);
    assert_eq!(
        judge(with(Value::Null, text("a")), with(text("d"), Value::Null)),
        ["computed", "optional"]
    );
}

#[test]
fn result_of_a_set_may_shrink_and_not_grow() {
    let set = |items: &[Value<'static>]| {
        Value::Object(vec![
            blocks(&[]),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Sequence(items.to_vec()),
        ])
    };
    let judge = |plan: &[Value<'static>], now: &[Value<'static>]| {
        paths(&faults(&shape(), &set(plan), &set(now)))
    };
    assert_eq!(judge(&[Value::Unknown, Value::Unknown], &[text("a")]), [""; 0]);
    assert_eq!(judge(&[text("a"), text("b")], &[text("b"), text("a")]), [""; 0]);
    assert_eq!(judge(&[text("a")], &[text("a"), text("b")]), ["set"]);
    assert_eq!(judge(&[text("a"), text("b")], &[text("a")]), ["set"]);
    assert_eq!(judge(&[Value::Unknown], &[text("a"), text("b")]), ["set"], "one became two");
}

/// The result of a set, compared with the set that was planned.
fn set_faults(element: Type, planned: Vec<Value<'static>>, actual: Vec<Value<'static>>) -> usize {
    let ty = Type::Set(Box::new(element));
    let shape = ObjectShape::new(vec![field("set", ty, attribute(true, false))]);
    let object = |items| Value::Object(vec![Value::Sequence(items)]);
    faults(&shape, &object(planned), &object(actual)).len()
}

/// An object of `(name, id)`.
fn pair_type() -> Type {
    let member = |name| field(name, Type::String, attribute(true, true));
    Type::Object(ObjectShape::new(vec![member("id"), member("name")]))
}

fn pair(id: Value<'static>, name: impl Into<String>) -> Value<'static> {
    Value::Object(vec![id, Value::String(name.into().into())])
}

#[test]
fn result_of_a_set_matches_elements_by_what_is_known_of_them() {
    let unknown = |name: &str| pair(Value::Unknown, name);
    let known = |name: &str| pair(text("id"), name);
    for (planned, actual, faults) in [
        (vec![unknown("a"), unknown("b")], vec![known("b"), known("a")], 0),
        (vec![unknown("a"), known("b")], vec![known("b"), known("a")], 0),
        (vec![unknown("a"), unknown("b")], vec![known("a")], 1),
        (vec![unknown("a")], vec![known("a"), known("b")], 1),
        (vec![unknown("a")], vec![known("c")], 1),
        (vec![unknown("a"), Value::Unknown], vec![known("a"), known("b")], 0),
        (vec![unknown("a"), Value::Unknown], vec![known("b")], 1),
        (vec![Value::Unknown], vec![], 1),
        (vec![unknown("a")], vec![pair(Value::Null, "a")], 0),
    ] {
        let case = format!("{planned:?} {actual:?}");
        assert_eq!(set_faults(pair_type(), planned, actual), faults, "{case}");
    }
}

#[test]
fn result_of_a_set_of_sets_may_have_unknown_inner_elements() {
    let element = || Type::Set(Box::new(Type::String));
    let inner =
        |names: &[&'static str]| Value::Sequence(names.iter().map(|name| text(name)).collect());
    let with_unknown = Value::Sequence(vec![text("a"), Value::Unknown]);
    let planned = vec![with_unknown, inner(&["c"])];
    let actual = vec![inner(&["c"]), inner(&["b", "a"])];
    assert_eq!(set_faults(element(), planned.clone(), actual), 0);
    assert_eq!(set_faults(element(), planned, vec![inner(&["c"]), inner(&["b"])]), 1);
}

/// The time that one comparison takes.
#[cfg(unix)]
fn timed(compare: impl FnOnce()) -> std::time::Duration {
    let start = processor_time();
    compare();
    processor_time() - start
}

/// Half a second, and three times as long without optimisation.
#[cfg(unix)]
const LIMIT: std::time::Duration =
    std::time::Duration::from_millis(if cfg!(debug_assertions) { 1_500 } else { 500 });

#[cfg(unix)]
#[test]
fn result_of_large_sets_is_compared_within_half_a_second() {
    let string = |at: usize| Value::String(format!("resources/item-{at:06}").into());
    let inner = |at: usize| Value::Sequence((0..10).map(|of| string(at * 10 + of)).collect());
    let set_of_strings = || Type::Set(Box::new(Type::String));
    for size in [8_000, 100_000] {
        let cases: Vec<(&str, Type, Vec<Value<'static>>, Vec<Value<'static>>)> = vec![
            (
                "strings",
                Type::String,
                (0..size).map(string).collect(),
                (0..size).rev().map(string).collect(),
            ),
            (
                "objects with an unknown attribute",
                pair_type(),
                (0..size).map(|at| pair(Value::Unknown, format!("{at}"))).collect(),
                (0..size).rev().map(|at| pair(text("id"), format!("{at}"))).collect(),
            ),
            (
                "sets",
                set_of_strings(),
                (0..size / 10).map(inner).collect(),
                (0..size / 10).rev().map(inner).collect(),
            ),
            (
                "strings and one unknown element",
                Type::String,
                (1..size).map(string).chain([Value::Unknown]).collect(),
                (0..size).rev().map(string).collect(),
            ),
        ];
        for (case, element, planned, actual) in cases {
            let spent = timed(|| assert_eq!(set_faults(element, planned, actual), 0, "{case}"));
            assert!(spent < LIMIT, "{size} {case}: {spent:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn result_of_sets_with_unknown_inner_elements_is_compared_in_bounded_time() {
    let string = |at: usize| Value::String(format!("resources/item-{at:06}").into());
    let element = Type::Set(Box::new(Type::String));
    let inner = |at: usize, second| Value::Sequence(vec![string(at), second]);
    let planned = (0..20_000).map(|at| inner(at, Value::Unknown)).collect();
    let actual = (0..20_000).rev().map(|at| inner(at, string(at + 20_000))).collect();
    let spent = timed(|| assert_eq!(set_faults(element, planned, actual), 0));
    assert!(spent < 4 * LIMIT, "20,000 times 20,000 comparisons take minutes: {spent:?}");
}

#[cfg(unix)]
#[test]
fn result_of_a_large_map_is_compared_within_half_a_second() {
    let entry = |at: usize| (format!("key-{at:06}").into(), text("v"));
    let ty = Type::Map(Box::new(Type::String));
    let shape = ObjectShape::new(vec![field("map", ty, attribute(true, false))]);
    let planned = Value::Object(vec![Value::Map((0..100_000).map(entry).collect())]);
    let actual = Value::Object(vec![Value::Map((0..100_000).rev().map(entry).collect())]);
    let spent = timed(|| assert_eq!(faults(&shape, &planned, &actual), []));
    assert!(spent < LIMIT, "{spent:?}");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// An object of a name, an ID and a set of tags, from few values, so that many are equal.
    fn element_type() -> Type {
        let member = |name, ty| field(name, ty, attribute(true, true));
        Type::Object(ObjectShape::new(vec![
            member("id", Type::String),
            member("name", Type::String),
            member("tags", Type::Set(Box::new(Type::String))),
        ]))
    }

    fn any_text(unknown: bool) -> impl Strategy<Value = Value<'static>> {
        let known = prop_oneof![Just(Value::Null), Just(text("a")), Just(text("b"))];
        if unknown {
            prop_oneof![3 => known, 1 => Just(Value::Unknown)].boxed()
        } else {
            known.boxed()
        }
    }

    fn any_set(unknown: bool) -> impl Strategy<Value = Vec<Value<'static>>> {
        let tags = prop::collection::vec(any_text(unknown), 0..3).prop_map(Value::Sequence);
        let tags =
            if unknown { prop_oneof![tags, Just(Value::Unknown)].boxed() } else { tags.boxed() };
        let object = (any_text(unknown), any_text(unknown), tags)
            .prop_map(|(id, name, tags)| Value::Object(vec![id, name, tags]));
        let element = if unknown {
            prop_oneof![9 => object, 1 => Just(Value::Unknown)].boxed()
        } else {
            object.boxed()
        };
        prop::collection::vec(element, 0..5)
    }

    /// Terraform's definition: each element of either set conforms to one of the other, and the set
    /// does not grow.
    fn correlate_pairwise(planned: &[Value<'static>], actual: &[Value<'static>]) -> bool {
        let conforms = |planned: &Value<'static>, actual: &Value<'static>| {
            let shape = ObjectShape::new(vec![field("it", element_type(), attribute(true, true))]);
            let object = |value: &Value<'static>| Value::Object(vec![value.clone()]);
            faults(&shape, &object(planned), &object(actual)).is_empty()
        };
        planned.iter().all(|planned| actual.iter().any(|actual| conforms(planned, actual)))
            && actual.iter().all(|actual| planned.iter().any(|planned| conforms(planned, actual)))
            && set_keys(actual, &element_type()).len() <= planned.len()
    }

    proptest! {
        #[test]
        fn result_of_a_set_is_that_of_a_pairwise_comparison(
            planned in any_set(true),
            actual in any_set(false),
            // Independent sets rarely correlate.
            of_plan in any::<bool>(),
        ) {
            let actual = if of_plan { completed(&planned) } else { actual };
            let expected = correlate_pairwise(&planned, &actual);
            prop_assert_eq!(set_faults(element_type(), planned, actual) == 0, expected);
        }
    }

    /// The planned elements in another order, with a value for everything unknown.
    fn completed(planned: &[Value<'static>]) -> Vec<Value<'static>> {
        fn complete(value: &Value<'static>) -> Value<'static> {
            match value {
                Value::Unknown => text("a"),
                Value::Sequence(items) => Value::Sequence(items.iter().map(complete).collect()),
                Value::Object(members) => Value::Object(members.iter().map(complete).collect()),
                known => known.clone(),
            }
        }
        planned
            .iter()
            .rev()
            .map(|element| match element {
                Value::Unknown => {
                    Value::Object(vec![text("b"), Value::Null, Value::Sequence(vec![])])
                }
                Value::Object(members) => {
                    let tags = match members[2] {
                        Value::Unknown => Value::Sequence(vec![text("b")]),
                        ref tags => complete(tags),
                    };
                    Value::Object(vec![complete(&members[0]), complete(&members[1]), tags])
                }
                other => other.clone(),
            })
            .collect()
    }
}

#[test]
fn result_of_a_dynamic_value_may_be_anything_that_was_unknown_or_a_null() {
    let shape = ObjectShape::new(vec![field("any", Type::Dynamic, attribute(true, true))]);
    let typed = |value| Value::Dynamic(Box::new((Type::String, value)));
    let judge = |planned, actual| {
        let object = |value| Value::Object(vec![value]);
        paths(&faults(&shape, &object(planned), &object(actual)))
    };
    assert_eq!(judge(typed(Value::Unknown), typed(text("a"))), [""; 0]);
    assert_eq!(judge(typed(Value::Null), Value::Null), [""; 0]);
    assert_eq!(judge(typed(text("a")), typed(text("b"))), ["any"]);
}
