use super::*;

fn attribute(optional: bool, computed: bool) -> Role {
    Role::Attribute { optional, computed, required: !optional && !computed, write_only: false }
}

fn field(name: &str, ty: Type, role: Role) -> Field {
    Field { name: name.to_owned(), ty, role }
}

/// One attribute of each kind, a list of blocks, a set and a nested attribute.
fn shape() -> ObjectShape {
    let inner = |role| ObjectShape::new(vec![field("x", Type::String, role)]);
    let list = |shape| Type::List(Box::new(Type::Object(shape)));
    ObjectShape::new(vec![
        field("block", list(inner(attribute(true, false))), Role::Block(Nesting::List)),
        field("computed", Type::String, attribute(false, true)),
        field("nested", list(inner(attribute(true, true))), attribute(true, false)),
        field("optional", Type::String, attribute(true, false)),
        field("set", Type::Set(Box::new(Type::String)), attribute(true, false)),
    ])
}

fn text(text: &'static str) -> Value<'static> {
    Value::String(text.into())
}

fn blocks(values: &[Value<'static>]) -> Value<'static> {
    Value::Sequence(values.iter().map(|value| Value::Object(vec![value.clone()])).collect())
}

fn object(
    block: Value<'static>,
    computed: Value<'static>,
    nested: Value<'static>,
    optional: Value<'static>,
) -> Value<'static> {
    Value::Object(vec![block, computed, nested, optional, Value::Null])
}

fn paths(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| fault.path.to_string()).collect()
}

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
fn plan_of_a_nested_attribute_is_judged_by_its_members() {
    let with = |nested| object(blocks(&[]), Value::Null, nested, Value::Null);
    let judge =
        |config, plan| paths(&plan_faults(&shape(), &Value::Null, &with(config), &with(plan)));
    assert_eq!(judge(blocks(&[Value::Null]), blocks(&[Value::Unknown])), [""; 0]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[text("b")])), ["nested[0].x"]);
    assert_eq!(judge(blocks(&[text("a")]), blocks(&[])), ["nested"]);
    assert_eq!(judge(blocks(&[text("a")]), Value::Unknown), ["nested"]);
}

#[test]
fn result_is_what_was_planned() {
    let with = |computed, optional| object(blocks(&[]), computed, Value::Null, optional);
    let judge = |plan, now| paths(&result_faults(&shape(), &plan, &now));
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
        paths(&result_faults(&shape(), &set(plan), &set(now)))
    };
    assert_eq!(judge(&[Value::Unknown, Value::Unknown], &[text("a")]), [""; 0]);
    assert_eq!(judge(&[text("a"), text("b")], &[text("b"), text("a")]), [""; 0]);
    assert_eq!(judge(&[text("a")], &[text("a"), text("b")]), ["set"]);
    assert_eq!(judge(&[text("a"), text("b")], &[text("a")]), ["set"]);
}

#[test]
fn unknown_is_found_and_made_null() {
    let ty = Type::Object(shape());
    let mut value = object(Value::Unknown, Value::Null, blocks(&[Value::Unknown]), text("a"));
    assert_eq!(find_unknown(&value, &ty, Path::ROOT), Some(AttributePath::new("block")));
    unknown_to_null(&mut value, &ty);
    assert_eq!(find_unknown(&value, &ty, Path::ROOT), None);
    assert!(
        matches!(&value.members()[0], Value::Sequence(items) if items.is_empty()),
        "no null block"
    );
    assert!(value.members()[2].items()[0].members()[0].is_null());
}

#[test]
fn path_is_cut_at_a_set_and_must_exist() {
    let ty = Type::Object(shape());
    let mut value = object(blocks(&[text("a")]), Value::Null, Value::Null, text("a"));
    if let Value::Object(members) = &mut value {
        members[4] = Value::Sequence(vec![text("e")]);
    }
    let block = |index: i64| AttributePath::new("block").index(index).attribute("x");
    assert_eq!(path_exists(&value, &ty, &block(0)), Some(block(0)));
    assert_eq!(path_exists(&value, &ty, &block(1)), None);
    assert_eq!(
        path_exists(&value, &ty, &AttributePath::new("set").index(0)),
        Some(AttributePath::new("set"))
    );
    assert_eq!(path_exists(&value, &ty, &AttributePath::new("other")), None);
}

#[test]
fn write_only_values_are_cleared_and_config_keeps_no_computed_ones() {
    let mut shape = shape();
    if let Some(field) = shape.field_mut("optional") {
        field.role =
            Role::Attribute { optional: true, computed: false, required: false, write_only: true };
    }
    let mut value = object(blocks(&[]), text("c"), Value::Null, text("secret"));
    assert!(clear_write_only(&mut value, &shape));
    assert!(!clear_write_only(&mut value, &shape));
    assert!(value.members()[3].is_null() && !value.members()[1].is_null());
    keep_only_config(&mut value, &shape);
    assert!(value.members()[1].is_null());
}
