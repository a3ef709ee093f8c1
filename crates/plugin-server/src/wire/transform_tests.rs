use super::*;
use crate::wire::test_values::*;

#[test]
fn unknown_is_made_null() {
    let ty = Type::Object(shape());
    let mut value = object(Value::Unknown, Value::Null, blocks(&[Value::Unknown]), text("a"));
    unknown_to_null(&mut value, &ty);
    assert!(value.is_wholly_known());
    assert!(
        matches!(&value.members()[0], Value::Sequence(items) if items.is_empty()),
        "no null block"
    );
    assert!(value.members()[2].items()[0].members()[0].is_null());
}

#[test]
fn path_is_cut_at_a_set() {
    let ty = Type::Object(shape());
    let block = || AttributePath::new("block").index(1).attribute("x");
    assert_eq!(until_set(block(), &ty), block());
    let set = || AttributePath::new("set");
    assert_eq!(until_set(set().index(0).attribute("x"), &ty), set());
    assert_eq!(until_set(set(), &ty), set());
    assert_eq!(until_set(AttributePath::new("other"), &ty), AttributePath::new("other"));
}

#[test]
fn write_only_values_are_cleared_and_config_keeps_no_computed_ones() {
    let mut shape = shape();
    if let Some(field) = shape.field_mut("optional") {
        field.role =
            Role::Attribute { optional: true, computed: false, required: false, write_only: true };
    }
    let mut value = object(blocks(&[]), text("c"), Value::Null, text("secret"));
    clear_write_only(&mut value, &shape);
    assert!(value.members()[3].is_null() && !value.members()[1].is_null());
    keep_only_config(&mut value, &shape);
    assert!(value.members()[1].is_null());
}
