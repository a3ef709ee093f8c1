//! The comparison with Terraform's own checks.
//!
//! `tests/data/host_checks.jsonl` contains random schemas, each followed by its cases: a plan or a
//! result, whether Terraform 1.15.0 accepts it (`AssertPlanValid`, `AssertObjectCompatible`), and
//! the values. Objects are written as lists of their members by name, and an unknown value as
//! `{"?":0}`.

use serde_json::Value as Json;

use super::{plan, result};
use crate::wire::{Field, Number, ObjectShape, Role, Type, Value};

fn attribute_fields(attributes: &Json) -> Vec<Field> {
    let field = |(name, attribute): (&String, &Json)| {
        let has = |flag: char| attribute[0].as_str().unwrap().contains(flag);
        let optional = has('o');
        let computed = has('c');
        let required = has('r');
        let nested = |attributes| Type::Object(ObjectShape::new(attribute_fields(attributes)));
        let ty = match &attribute[2] {
            Json::Null => Type::parse(attribute[1].to_string().as_bytes()).unwrap(),
            attributes => collection(attribute[1].as_str().unwrap(), nested(attributes)),
        };
        let role = Role::Attribute { optional, computed, required };
        Field { name: name.clone(), ty, role }
    };
    attributes.as_object().unwrap().iter().map(field).collect()
}

fn collection(nesting: &str, object: Type) -> Type {
    match nesting {
        "single" | "group" => object,
        "list" => Type::List(Box::new(object)),
        "set" => Type::Set(Box::new(object)),
        "map" => Type::Map(Box::new(object)),
        other => panic!("{other}"),
    }
}

fn value(json: &Json, ty: &Type) -> Value<'static> {
    match (json, ty) {
        (Json::Null, _) => Value::Null,
        (Json::Object(members), _) if members.contains_key("?") => Value::Unknown,
        (Json::Bool(bool), _) => Value::Bool(*bool),
        (Json::Number(number), _) => Value::Number(Number::Text(number.to_string().into())),
        (Json::String(text), _) => Value::String(text.clone().into()),
        (Json::Array(items), Type::Object(shape)) => {
            assert_eq!(items.len(), shape.fields.len());
            let members = items.iter().zip(&shape.fields);
            Value::Object(members.map(|(item, field)| value(item, &field.ty)).collect())
        }
        (Json::Array(items), _) => {
            let element = ty.element().unwrap();
            Value::Sequence(items.iter().map(|item| value(item, element)).collect())
        }
        (Json::Object(entries), _) => {
            let element = ty.element().unwrap();
            let entry = |(key, item): (&String, &Json)| (key.clone().into(), value(item, element));
            Value::Map(entries.iter().map(entry).collect())
        }
    }
}

#[test]
fn checks_agree_with_terraform_in_recorded_cases() {
    let mut ty = Type::Object(ObjectShape::default());
    let mut schema = "";
    let text = include_str!("../../../tests/data/host_checks.jsonl");
    let mut counts = [[0; 2]; 2];
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let Some(kind) = case[0].as_str() else {
            ty = Type::Object(ObjectShape::new(attribute_fields(&case[0])));
            schema = line;
            continue;
        };
        let shape = ty.object().unwrap();
        let at = |index: usize| value(&case[index], &ty);
        let faults = match kind {
            "plan" => {
                let prior = &at(2);
                let config = &at(3);
                let planned = &at(4);
                plan::faults(shape, plan::Values { prior, config, planned })
            }
            _ => result::faults(&ty, &at(2), &at(3)),
        };
        let accepted = case[1].as_bool().unwrap();
        counts[usize::from(kind == "plan")][usize::from(accepted)] += 1;
        if faults.is_empty() != accepted {
            wrong.push(format!("{schema}\n{line}\n{faults:?}"));
        }
    }
    assert!(counts.iter().flatten().all(|count| *count > 0), "{counts:?}");
    assert!(
        wrong.is_empty(),
        "{} of {counts:?}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].join("\n\n")
    );
}
