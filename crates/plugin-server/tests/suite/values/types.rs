//! The table of types in the documentation of `plugin_server::value`, row by row.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use plugin_server::testkit::{decode, encode, unknown};
use plugin_server::value::Number;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{AttributeConstraint, AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, serde_as_vec};

use super::echo::{One, of, optional, plan, problems, with_attribute, with_block};
use crate::suite::probe::schema::block;
use crate::suite::probe::store::Typed;
use crate::suite::support::{at, errors};

/// The values that a type represents, and those that it refuses with the detail of the error.
type Values = (Vec<Json>, Vec<(Json, &'static str)>);

/// Checks that a type fits a schema, and which values it represents.
async fn check<T: Typed>(block: Block, (represented, refused): Values) {
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
}

async fn attribute<T: Typed>(ty: AttributeType, (mut represented, refused): Values) {
    represented.extend([Json::Null, unknown()]);
    check::<One<Value<T>>>(of(ty), (represented, refused)).await;
}

/// Checks an attribute whose type represents all of these values.
async fn all<T: Typed>(ty: AttributeType, represented: Vec<Json>) {
    attribute::<T>(ty, (represented, vec![])).await;
}

async fn nested<T: Typed>(nesting: fn(Block) -> NestedBlock, represented: Vec<Json>) {
    check::<One<T>>(with_block(nesting, block(rule_attributes())), (represented, vec![])).await;
}

/// The first two columns of the rows that were checked.
type Rows = Vec<(&'static str, &'static str)>;

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

async fn scalars(rows: &mut Rows) {
    use AttributeType::{Bool, Number as NumberType, String as StringType};
    let texts = || vec![json!(""), json!("caf\u{e9}")];
    let whole = |beyond| {
        let refused = vec![(json!(1.5), WHOLE), (json!("0.1"), WHOLE), (beyond, RANGE)];
        (vec![json!(0), json!(7)], refused)
    };
    let numbers = vec![json!(7), json!(-7), json!(0.5), json!("0.1"), json!(THIRD), json!("1e300")];
    let large = json!("18446744073709551616");
    let mut exact = numbers.clone();
    exact.extend([large.clone(), json!("1e400"), json!("-2.50")]);
    rows.push(("`String`", "`Cow<str>`, `String`"));
    all::<Cow<'static, str>>(StringType, texts()).await;
    all::<String>(StringType, texts()).await;
    rows.push(("`String`", "an enum with unit variants"));
    let refused = vec![(json!("ajar"), "The provider does not accept this value.")];
    attribute::<Mode>(StringType, (vec![json!("open"), json!("closed")], refused)).await;
    rows.push(("`Number`", "[`Number`]"));
    all::<Number>(NumberType, exact).await;
    rows.push(("`Number`", "`i64`, `u64`, `i32`, …"));
    attribute::<i64>(NumberType, whole(large.clone())).await;
    attribute::<u64>(NumberType, whole(large)).await;
    attribute::<i32>(NumberType, whole(json!(3_000_000_000_u32))).await;
    rows.push(("`Number`", "`f64`"));
    all::<f64>(NumberType, numbers).await;
    rows.push(("`Bool`", "`bool`"));
    all::<bool>(Bool, vec![json!(true), json!(false)]).await;
}

async fn collections(rows: &mut Rows) {
    use AttributeType::{
        AttributeList, AttributeMap, AttributeSet, AttributeSingle, List, Map, Object,
    };
    let string = || Box::new(AttributeType::String);
    let set = || AttributeType::Set(string());
    let several = || vec![json!([]), json!(["a", unknown(), unknown()])];
    let maps = || vec![json!({}), json!({ "k": "v", "n": null, "u": unknown() })];
    rows.push(("`List(T)`", "`Vec<Value<T>>`"));
    all::<Vec<Value<String>>>(List(string()), vec![json!([]), json!(["a", unknown()])]).await;
    rows.push(("`List(T)`", "`Vec<T>`"));
    let known = (vec![json!([]), json!(["a"])], vec![(json!(["a", unknown()]), KNOWN)]);
    attribute::<Vec<String>>(List(string()), known).await;
    rows.push(("`Set(T)`", "`Vec<Value<T>>`"));
    all::<Vec<Value<String>>>(set(), several()).await;
    rows.push(("`Set(T)`", "`BTreeSet<Value<T>>`"));
    all::<BTreeSet<Value<String>>>(set(), several()).await;
    rows.push(("`Map(T)`", "`BTreeMap<Cow<str>, Value<T>>`, `HashMap<String, Value<T>>`"));
    all::<BTreeMap<Cow<'static, str>, Value<String>>>(Map(string()), maps()).await;
    all::<HashMap<String, Value<String>>>(Map(string()), maps()).await;
    rows.push(("`Object`, `AttributeSingle`", "a struct with a field for each attribute"));
    let objects = || vec![rule(json!(1)), rule(unknown()), rule(Json::Null)];
    let members = [("port", AttributeType::Number), ("name", AttributeType::String)];
    let members = members.map(|(name, ty)| (name.to_owned(), ty));
    all::<Rule>(Object(members.into()), objects()).await;
    all::<Rule>(AttributeSingle(rule_attributes()), objects()).await;
    rows.push((
        "`AttributeList`, `AttributeSet`, `AttributeMap`",
        "`Vec`, `BTreeMap` of `Value<struct>`",
    ));
    let rules = vec![json!([]), json!([rule(json!(1)), rule(unknown()), unknown()])];
    all::<Vec<Value<Rule>>>(AttributeList(rule_attributes()), rules).await;
    let twins = vec![json!([rule(unknown()), rule(unknown()), unknown()])];
    all::<Vec<Value<Rule>>>(AttributeSet(rule_attributes()), twins).await;
    let rule_maps = vec![json!({}), json!({ "k": rule(json!(1)), "u": rule(unknown()) })];
    all::<BTreeMap<String, Value<Rule>>>(AttributeMap(rule_attributes()), rule_maps).await;
    rows.push(("`Tuple`", "a tuple of `Value<T>`"));
    let pair = AttributeType::Tuple(vec![AttributeType::String, AttributeType::Number]);
    let pairs = vec![json!(["a", 1]), json!([null, unknown()])];
    all::<(Value<String>, Value<i64>)>(pair, pairs).await;
}

async fn blocks(rows: &mut Rows) {
    let known = || rule(json!(1));
    let lists = || vec![json!([]), json!([known()]), unknown()];
    rows.push(("block `Single`, `Group`", "`Value<struct>`"));
    nested::<Value<Rule>>(NestedBlock::Single, vec![known(), rule(unknown())]).await;
    nested::<Value<Rule>>(NestedBlock::Group, vec![known(), rule(unknown())]).await;
    rows.push(("block `Optional`", "`Value<struct>` with `serde_as_vec`"));
    let optional = with_block(NestedBlock::Optional, block(rule_attributes()));
    check::<OptionalBlock>(optional, (lists(), vec![])).await;
    rows.push(("block `List`, `Set`, `Map`", "`Vec`, `BTreeMap` of `Value<struct>`"));
    nested::<Value<Vec<Value<Rule>>>>(NestedBlock::List, lists()).await;
    let twins = vec![json!([]), json!([rule(unknown()), rule(unknown())]), unknown()];
    nested::<Value<Vec<Value<Rule>>>>(NestedBlock::Set, twins).await;
    let maps = vec![json!({}), json!({ "k": known() }), unknown()];
    nested::<Value<BTreeMap<String, Value<Rule>>>>(NestedBlock::Map, maps).await;
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
    let mut rows = Rows::new();
    scalars(&mut rows).await;
    collections(&mut rows).await;
    blocks(&mut rows).await;
    assert_eq!(documented, rows);
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
