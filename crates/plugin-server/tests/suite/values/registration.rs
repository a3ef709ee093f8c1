//! The problems of schemas and types that the testkit finds.

use std::collections::BTreeMap;

use plugin_server::Server;
use plugin_server::testkit::unknown;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tf_provider::schema::{AttributeConstraint, AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{Diagnostics, Provider};

use super::echo::{One, of, optional, plan, problems, with_attribute, with_block};
use crate::suite::probe::schema::block;
use crate::suite::probe::store::Typed;
use crate::suite::support::{at, errors};

/// Checks that a type has exactly this problem.
fn refuses<T: Typed>(block: Block, expected: &str) {
    let name = std::any::type_name::<T>();
    assert_eq!(problems::<T>(block), [format!("probe_it: {expected}")], "{name}");
}

#[test]
fn type_of_another_kind_is_a_problem() {
    use AttributeType::{Bool, List, Map, Number, Set, String as StringType};
    let expects = |kind: &str, what: &str| {
        format!("it is {kind} in the schema, and the provider's type accepts {what}")
    };
    refuses::<One<Value<String>>>(of(Number), &expects("a number", "a string"));
    refuses::<One<Option<String>>>(of(Number), &expects("a number", "a string"));
    refuses::<One<Value<i64>>>(of(StringType), &expects("a string", "a number"));
    refuses::<One<Value<bool>>>(of(StringType), &expects("a string", "a boolean"));
    refuses::<One<Value<String>>>(of(Bool), &expects("a boolean", "a string"));
    let strings = || Box::new(StringType);
    refuses::<One<Value<String>>>(of(List(strings())), &expects("a list", "a string"));
    refuses::<One<Value<Vec<i64>>>>(of(List(strings())), &expects("a string", "a number"));
    refuses::<One<Value<Vec<Value<bool>>>>>(of(Set(strings())), &expects("a string", "a boolean"));
    refuses::<One<Value<Vec<Value<String>>>>>(of(Map(strings())), &expects("a map", "a list"));
    refuses::<One<Value<BTreeMap<String, Value<i64>>>>>(
        of(Map(strings())),
        &expects("a string", "a number"),
    );
}

#[tokio::test]
async fn value_of_a_type_that_does_not_fit_is_an_error() {
    let bug = "This is a bug in the provider, please report it to its maintainers.";
    let number = || of(AttributeType::Number);
    let planned = plan::<One<Value<String>>>(number(), &json!(7)).await;
    assert_eq!(errors(&planned.diagnostics), ["Unsupported value"]);
    assert_eq!(at(&planned.diagnostics[0]), "it");
    let detail =
        "The attribute it is a number in the schema, and the provider's type accepts a string.";
    assert_eq!(planned.diagnostics[0].detail, format!("{detail} {bug}"));
    let computed = with_attribute(AttributeType::String, AttributeConstraint::Computed);
    for (value, detail) in [
        (json!(null), "is null, and the provider's type requires a value."),
        (unknown(), "is unknown, and the provider's type requires a known value."),
    ] {
        let planned = plan::<One<String>>(computed.clone(), &value).await;
        assert_eq!(errors(&planned.diagnostics), ["Unsupported value"], "{value}");
        let detail = format!("The attribute it {detail} {bug}");
        assert_eq!(planned.diagnostics[0].detail, detail);
    }
    let rules = of(AttributeType::AttributeList(optional([("port", AttributeType::Number)])));
    let rule = json!([{ "port": 1 }]);
    let planned = plan::<One<Value<Vec<Value<NamedRule>>>>>(rules, &rule).await;
    let detail = "The attribute it[0] is an object, and the provider's type has other fields.";
    assert_eq!(planned.diagnostics[0].detail, format!("{detail} {bug}"));
    let planned = plan::<Two>(of(AttributeType::String), &json!("a")).await;
    assert_eq!(errors(&planned.diagnostics), ["Unreadable value"]);
    let detail = "The provider's type does not fit its schema.";
    assert_eq!(planned.diagnostics[0].detail, format!("{detail} {bug}"));
}

#[derive(Serialize, Deserialize)]
struct NamedRule {
    port: Value<i64>,
    name: Value<String>,
}

#[derive(Serialize, Deserialize)]
struct Two {
    it: Value<String>,
    other: Value<String>,
}

#[test]
fn struct_with_other_fields_than_the_schema_is_a_problem() {
    let port = || optional([("port", AttributeType::Number)]);
    let string = || of(AttributeType::String);
    refuses::<Two>(string(), "the provider's type does not read the object: missing field `other`");
    refuses::<One<Value<Vec<Value<NamedRule>>>>>(
        of(AttributeType::AttributeList(port())),
        "the provider's type of it has other fields than the schema",
    );
}

/// A number that is written as a list.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "i64", into = "Vec<i64>")]
struct Listed(i64);

impl From<i64> for Listed {
    fn from(number: i64) -> Self {
        Self(number)
    }
}

impl From<Listed> for Vec<i64> {
    fn from(number: Listed) -> Self {
        vec![number.0]
    }
}

#[test]
fn struct_that_lacks_an_attribute_of_the_schema_is_a_problem() {
    use AttributeType::{AttributeList, AttributeMap, AttributeSet, AttributeSingle, Number};
    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Port {
        port: Value<i64>,
    }
    type Map = One<Value<BTreeMap<String, Value<Port>>>>;
    let lacks = |name| format!("the provider's type does not have {name}, which the schema has");
    let string = AttributeType::String;
    let two = || block(optional([("it", string.clone()), ("other", string.clone())]));
    refuses::<One<Value<String>>>(two(), &lacks("other"));
    refuses::<One<Option<String>>>(two(), &lacks("other"));
    // An enum accepts no sample, and the rest is compared all the same.
    refuses::<One<Value<Mode>>>(two(), &lacks("other"));
    let rule = || optional([("port", Number), ("name", AttributeType::String)]);
    refuses::<One<Value<Port>>>(of(AttributeSingle(rule())), &lacks("it.name"));
    refuses::<One<Value<Vec<Value<Port>>>>>(of(AttributeList(rule())), &lacks("it.name"));
    refuses::<One<Value<Vec<Value<Port>>>>>(of(AttributeSet(rule())), &lacks("it.name"));
    refuses::<Map>(of(AttributeMap(rule())), &lacks("it.name"));
    let nested = with_block(NestedBlock::List, block(rule()));
    refuses::<One<Vec<Port>>>(nested, &lacks("it.name"));
    let blocks = [("steps".to_owned(), NestedBlock::List(block(rule())))].into();
    let with_steps = Block { blocks, ..of(AttributeType::String) };
    refuses::<One<Value<String>>>(with_steps, &lacks("steps"));
    let other_form =
        "the provider's type writes it in another form: a number is required, not a list";
    refuses::<One<Value<Listed>>>(of(Number), other_form);
}

#[test]
fn type_without_null_is_a_problem_for_an_attribute_that_can_be_omitted() {
    let message = "it can be null, and the provider's type requires a value";
    for constraint in [AttributeConstraint::Optional, AttributeConstraint::Computed] {
        refuses::<One<String>>(with_attribute(AttributeType::String, constraint), message);
    }
    let required = with_attribute(AttributeType::String, AttributeConstraint::Required);
    assert_eq!(problems::<One<String>>(required), [""; 0]);
    #[derive(Serialize, Deserialize)]
    struct BareRule {
        port: i64,
    }
    refuses::<One<Value<Vec<BareRule>>>>(
        of(AttributeType::AttributeList(optional([("port", AttributeType::Number)]))),
        "it.port can be null, and the provider's type requires a value",
    );
}

/// An enum that accepts few strings.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Open,
}

#[test]
fn type_that_accepts_only_some_values_is_not_refused() {
    let string = || of(AttributeType::String);
    assert_eq!(problems::<One<Value<Mode>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<std::net::IpAddr>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<serde_json::Value>>>(string()), [""; 0]);
}

/// A provider with one argument.
struct Named(&'static str);

#[async_trait::async_trait]
impl Provider for Named {
    type Config<'a> = BTreeMap<String, Value<String>>;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<tf_provider::schema::Schema> {
        let block = block(optional([(self.0, AttributeType::String)]));
        Some(tf_provider::schema::Schema { version: 0, block })
    }

    async fn configure<'a>(
        &self,
        _: &mut Diagnostics,
        _: String,
        _: BTreeMap<String, Value<String>>,
    ) -> Option<()> {
        Some(())
    }
}

#[test]
fn reserved_names_are_a_problem() {
    type State = BTreeMap<String, Value<String>>;
    type Blocks = BTreeMap<String, Value<Vec<Value<State>>>>;
    let string = |name| block(optional([(name, AttributeType::String)]));
    for name in
        ["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"]
    {
        let message = format!("Terraform reserves the name of the attribute {name} for itself");
        refuses::<State>(string(name), &message);
    }
    for name in ["lifecycle", "locals", "connection", "provisioner"] {
        let inner = string("text");
        let blocks = [(name.to_owned(), NestedBlock::List(inner))].into();
        let message = format!("Terraform reserves the name of the block {name} for itself");
        refuses::<Blocks>(Block { blocks, ..block([].into()) }, &message);
    }
    assert_eq!(problems::<State>(string("version")), [""; 0]);
    let nested = with_block(NestedBlock::List, string("count"));
    assert_eq!(problems::<Blocks>(nested), [""; 0], "only the root is reserved");
    for name in ["alias", "version", "count", "depends_on", "for_each", "source"] {
        let problems =
            plugin_server::testkit::problems(&Server::builder("probe", Named(name)).build());
        let expected = format!("the attribute {name} for itself");
        assert!(problems.len() == 1 && problems[0].contains(&expected), "{problems:?}");
    }
    let server = Server::builder("probe", Named("region")).build();
    assert_eq!(plugin_server::testkit::problems(&server), [""; 0]);
}

#[test]
fn every_registered_type_of_the_probe_fits() {
    assert_eq!(plugin_server::testkit::problems(&crate::suite::probe::server()), [""; 0]);
}
