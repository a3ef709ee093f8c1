use super::*;
use crate::wire::ObjectShape;
use crate::wire::test_values::*;

#[test]
fn unknown_is_made_null() {
    let ty = Type::Object(shape());
    let mut value = object(Value::Unknown, objects(&[Value::Unknown]), text("a"));
    unknown_to_null(&mut value, &ty);
    assert!(value.is_wholly_known());
    assert!(value.members()[0].is_null());
    assert!(value.members()[1].items()[0].members()[0].is_null());
}

#[test]
fn path_is_cut_at_a_set() {
    let ty = Type::Object(shape());
    let nested = || AttributePath::new("nested").index(1).attribute("x");
    assert_eq!(until_set(nested(), &ty), nested());
    let set = || AttributePath::new("set");
    assert_eq!(until_set(set().index(0).attribute("x"), &ty), set());
    assert_eq!(until_set(set(), &ty), set());
    assert_eq!(until_set(AttributePath::new("other"), &ty), AttributePath::new("other"));
}

#[test]
fn read_only_attribute_is_found_once_and_outermost() {
    let computed = attribute(false, true);
    let inner = || Type::Object(ObjectShape::new(vec![field("id", Type::String, computed)]));
    let elements = || objects(&[text("x"), Value::Unknown]);
    for (ty, role, value, expected) in [
        (Type::Set(Box::new(inner())), attribute(true, false), elements(), "it id"),
        (Type::List(Box::new(inner())), computed, elements(), "it it"),
        (Type::Map(Box::new(inner())), attribute(true, false), map(objects(&[text("x")])), KEY),
    ] {
        let ty = Type::Object(ObjectShape::new(vec![field("it", ty, role)]));
        let mut found = Vec::new();
        let config = &mut Value::Object(vec![value]);
        configured(config, &ty, Path::ROOT, &mut found);
        let found: Vec<String> =
            found.iter().map(|found| format!("{} {}", found.path, found.name)).collect();
        assert_eq!(found, [expected]);
    }
}

const KEY: &str = "it[\"k\"].id id";

fn map(items: Value<'static>) -> Value<'static> {
    Value::Map(items.items().iter().map(|item| ("k".into(), item.clone())).collect())
}
