//! The table of types in the documentation of `plugin_server::value`, row by row.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::pin::Pin;

use plugin_server::testkit::{decode, dynamic, encode, unknown};
use plugin_server::value::{Any, Number, Set};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{AttributeConstraint, AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, ValueAny, serde_as_vec};

use super::echo::{One, of, optional, plan, problems, with_attribute, with_block};
use crate::suite::probe::schema::block;
use crate::suite::probe::store::Typed;
use crate::suite::support::{at, errors};

/// The values that a type represents, and those that it refuses with the detail of the error.
type Values = (Vec<Json>, Vec<(Json, &'static str)>);

type Check = Pin<Box<dyn Future<Output = ()>>>;

struct Row {
    schema: &'static str,
    rust: &'static str,
    checks: Vec<Check>,
}

fn row(schema: &'static str, rust: &'static str, checks: Vec<Check>) -> Row {
    Row { schema, rust, checks }
}

/// Checks that a type fits a schema, and which values it represents.
fn check<T: Typed>(block: Block, (represented, refused): Values) -> Check {
    Box::pin(async move {
        let name = std::any::type_name::<T>();
        assert_eq!(problems::<T>(block.clone()), [""; 0], "{name}");
        for value in represented {
            let planned = plan::<T>(block.clone(), &value).await;
            assert_eq!(errors(&planned.diagnostics), [""; 0], "{name} {value}");
            let returned = decode(planned.planned_state.as_ref().unwrap());
            assert_eq!(returned["it"], decode(&encode(&value)), "{name}");
        }
        for (value, detail) in refused {
            let planned = plan::<T>(block.clone(), &value).await;
            assert_eq!(errors(&planned.diagnostics), ["Unsupported value"], "{name} {value}");
            assert_eq!(planned.diagnostics[0].detail, detail, "{name} {value}");
            assert!(at(&planned.diagnostics[0]).starts_with("it"), "{name} {value}");
        }
    })
}

fn attribute<T: Typed>(ty: AttributeType, (mut represented, refused): Values) -> Check {
    represented.extend([Json::Null, unknown()]);
    check::<One<Value<T>>>(of(ty), (represented, refused))
}

fn nested<T: Typed>(nesting: fn(Block) -> NestedBlock, represented: Vec<Json>) -> Check {
    check::<One<T>>(with_block(nesting, block(rule_attributes())), (represented, vec![]))
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Rule {
    port: Value<i64>,
    name: Value<String>,
}

fn rule_attributes() -> HashMap<String, tf_provider::schema::Attribute> {
    optional([("port", AttributeType::Number), ("name", AttributeType::String)])
}

fn rule(port: Json) -> Json {
    json!({ "port": port, "name": "n" })
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Open,
    Closed,
}

#[derive(Serialize, Deserialize)]
struct OptionalBlock {
    #[serde(with = "serde_as_vec")]
    it: Value<Rule>,
}

const WHOLE: &str = "A whole number is required.";
const RANGE: &str = "The number is out of range here.";
const KNOWN: &str = "The value must be known here.";

/// A third with more digits than a float has.
const THIRD: &str = "0.33333333333333333333333333333333333333333333333333";

fn scalars() -> Vec<Row> {
    use AttributeType::{Bool, Number as NumberType, String as StringType};
    let texts = || (vec![json!(""), json!("caf\u{e9}")], vec![]);
    let whole = |beyond| {
        let refused = vec![(json!(1.5), WHOLE), (json!("0.1"), WHOLE), (beyond, RANGE)];
        (vec![json!(0), json!(7)], refused)
    };
    let numbers = || {
        let values = [json!(7), json!(-7), json!(0.5), json!("0.1"), json!(THIRD), json!("1e300")];
        (values.to_vec(), vec![])
    };
    let large = json!("18446744073709551616");
    let mut exact = numbers();
    exact.0.extend([large.clone(), json!("1e400"), json!("-2.50")]);
    vec![
        row(
            "`String`",
            "`Cow<str>`, `String`",
            vec![
                attribute::<Cow<'static, str>>(StringType, texts()),
                attribute::<String>(StringType, texts()),
            ],
        ),
        row(
            "`String`",
            "an enum with unit variants",
            vec![attribute::<Mode>(
                StringType,
                (
                    vec![json!("open"), json!("closed")],
                    vec![(json!("ajar"), "The provider does not accept this value.")],
                ),
            )],
        ),
        row("`Number`", "[`Number`]", vec![attribute::<Number>(NumberType, exact)]),
        row(
            "`Number`",
            "`i64`, `u64`, `i32`, …",
            vec![
                attribute::<i64>(NumberType, whole(large.clone())),
                attribute::<u64>(NumberType, whole(large)),
                attribute::<i32>(NumberType, whole(json!(3_000_000_000_u32))),
            ],
        ),
        row("`Number`", "`f64`", vec![attribute::<f64>(NumberType, numbers())]),
        row(
            "`Bool`",
            "`bool`",
            vec![attribute::<bool>(Bool, (vec![json!(true), json!(false)], vec![]))],
        ),
    ]
}

fn collections() -> Vec<Row> {
    use AttributeType::{List, Map, Object, Tuple};
    let string = || Box::new(AttributeType::String);
    let set = || AttributeType::Set(string());
    let all = || vec![json!([]), json!(["a", null, unknown()])];
    let several = || vec![json!([]), json!(["a", unknown(), unknown()])];
    let maps = || (vec![json!({}), json!({ "k": "v", "n": null, "u": unknown() })], vec![]);
    let known = || (vec![json!([]), json!(["a"])], vec![(json!(["a", unknown()]), KNOWN)]);
    let objects = || (vec![rule(json!(1)), rule(unknown()), rule(Json::Null)], vec![]);
    let object_type = || {
        Object(
            [("port", AttributeType::Number), ("name", AttributeType::String)]
                .map(|(name, ty)| (name.to_owned(), ty))
                .into(),
        )
    };
    let rules = || vec![json!([]), json!([rule(json!(1)), rule(unknown()), unknown()])];
    let twins = || vec![json!([rule(unknown()), rule(unknown()), unknown()])];
    let rule_maps = || vec![json!({}), json!({ "k": rule(json!(1)), "u": rule(unknown()) })];
    let pair = || Tuple(vec![AttributeType::String, AttributeType::Number]);
    vec![
        row(
            "`List(T)`",
            "`Vec<Value<T>>`",
            vec![attribute::<Vec<Value<String>>>(List(string()), (all(), vec![]))],
        ),
        row("`List(T)`", "`Vec<T>`", vec![attribute::<Vec<String>>(List(string()), known())]),
        row(
            "`Set(T)`",
            "[`Set`]`<Value<T>>`, `Vec<Value<T>>`",
            vec![
                attribute::<Set<Value<String>>>(set(), (several(), vec![])),
                attribute::<Vec<Value<String>>>(set(), (several(), vec![])),
            ],
        ),
        row(
            "`Set(T)`",
            "`BTreeSet<Value<T>>`",
            vec![attribute::<BTreeSet<Value<String>>>(set(), (several(), vec![]))],
        ),
        row(
            "`Map(T)`",
            "`BTreeMap<Cow<str>, Value<T>>`, `HashMap<String, Value<T>>`",
            vec![
                attribute::<BTreeMap<Cow<'static, str>, Value<String>>>(Map(string()), maps()),
                attribute::<HashMap<String, Value<String>>>(Map(string()), maps()),
            ],
        ),
        row(
            "`Object`, `AttributeSingle`",
            "a struct with a field for each attribute",
            vec![
                attribute::<Rule>(object_type(), objects()),
                attribute::<Rule>(AttributeType::AttributeSingle(rule_attributes()), objects()),
            ],
        ),
        row(
            "`AttributeList`, `AttributeSet`, `AttributeMap`",
            "`Vec`, [`Set`], `BTreeMap` of `Value<struct>`",
            vec![
                attribute::<Vec<Value<Rule>>>(
                    AttributeType::AttributeList(rule_attributes()),
                    (rules(), vec![]),
                ),
                attribute::<Set<Value<Rule>>>(
                    AttributeType::AttributeSet(rule_attributes()),
                    (twins(), vec![]),
                ),
                attribute::<BTreeMap<String, Value<Rule>>>(
                    AttributeType::AttributeMap(rule_attributes()),
                    (rule_maps(), vec![]),
                ),
            ],
        ),
        row(
            "`Tuple`",
            "a tuple of `Value<T>`",
            vec![attribute::<(Value<String>, Value<i64>)>(
                pair(),
                (vec![json!(["a", 1]), json!([null, unknown()])], vec![]),
            )],
        ),
    ]
}

fn dynamic_values_and_blocks() -> Vec<Row> {
    let any = || of(AttributeType::Any);
    let texts = || {
        let list = dynamic(json!(["list", "string"]), json!(["a", null, unknown()]));
        vec![Json::Null, unknown(), dynamic(json!("string"), json!("a")), list]
    };
    let mut exact = texts();
    exact.extend([
        dynamic(json!("number"), json!("0.1")),
        dynamic(json!(["list", "number"]), json!([0.5, THIRD])),
        dynamic(json!("string"), Json::Null),
        dynamic(json!("bool"), unknown()),
    ]);
    let one = || json!([rule(json!(1))]);
    let known = || rule(json!(1));
    vec![
        row("`Any`", "[`Any`] without `Value`", vec![check::<One<Any>>(any(), (exact, vec![]))]),
        row(
            "`Any`",
            "`Value<ValueAny>`",
            vec![check::<One<Value<ValueAny>>>(any(), (texts(), vec![]))],
        ),
        row(
            "block `Single`, `Group`",
            "`Value<struct>`",
            vec![
                nested::<Value<Rule>>(NestedBlock::Single, vec![known(), rule(unknown())]),
                nested::<Value<Rule>>(NestedBlock::Group, vec![known(), rule(unknown())]),
            ],
        ),
        row(
            "block `Optional`",
            "`Value<struct>` with `serde_as_vec`",
            vec![check::<OptionalBlock>(
                with_block(NestedBlock::Optional, block(rule_attributes())),
                (vec![json!([]), one(), unknown()], vec![]),
            )],
        ),
        row(
            "block `List`, `Set`, `Map`",
            "`Vec`, [`Set`], `BTreeMap` of `Value<struct>`",
            vec![
                nested::<Value<Vec<Value<Rule>>>>(
                    NestedBlock::List,
                    vec![json!([]), one(), unknown()],
                ),
                nested::<Value<Set<Value<Rule>>>>(
                    NestedBlock::Set,
                    vec![json!([]), json!([rule(unknown()), rule(unknown())]), unknown()],
                ),
                nested::<Value<BTreeMap<String, Value<Rule>>>>(
                    NestedBlock::Map,
                    vec![json!({}), json!({ "k": rule(json!(1)) }), unknown()],
                ),
            ],
        ),
    ]
}

#[tokio::test]
async fn table_of_types_is_true() {
    let documented: Vec<(&str, &str)> = include_str!("../../../src/value/mod.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! | "))
        .skip(1)
        .map(|line| {
            let mut cells = line.split(" | ");
            (cells.next().unwrap(), cells.next().unwrap())
        })
        .collect();
    let rows: Vec<Row> =
        scalars().into_iter().chain(collections()).chain(dynamic_values_and_blocks()).collect();
    assert_eq!(documented, rows.iter().map(|row| (row.schema, row.rust)).collect::<Vec<_>>());
    for row in rows {
        for check in row.checks {
            check.await;
        }
    }
}

#[tokio::test]
async fn type_outside_value_represents_less() {
    let required = || with_attribute(AttributeType::String, AttributeConstraint::Required);
    let values = |value: Json| (vec![json!("a")], vec![(value, KNOWN)]);
    check::<One<String>>(required(), values(unknown())).await;
    check::<One<Option<String>>>(required(), values(unknown())).await;
    let optional = of(AttributeType::String);
    check::<One<Option<String>>>(optional, (vec![json!("a"), Json::Null], vec![])).await;
}
