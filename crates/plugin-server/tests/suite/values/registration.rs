//! Schemas and types that are refused at registration.

use std::collections::BTreeMap;

use plugin_server::Server;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tf_provider::schema::{AttributeConstraint, AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{Diagnostics, Provider};

use super::echo::{One, Typed, optional, plan, problems, with_attribute, with_block};
use crate::suite::probe::schema::block;
use crate::suite::support::{errors, path};

/// Checks that the registration of a type fails with exactly this problem.
fn refuses<T: Typed>(block: Block, expected: &str) {
    let problems = problems::<T>(block);
    let name = std::any::type_name::<T>();
    let bug = "This is a bug in the provider, please report it to its maintainers.";
    assert_eq!(problems, [format!("probe_it: {expected}. {bug}")], "{name}");
}

fn of(ty: AttributeType) -> Block {
    with_attribute(ty, AttributeConstraint::Optional)
}

#[test]
fn type_of_another_kind_is_refused_at_registration() {
    use AttributeType::{Bool, List, Map, Number, Set, String as StringType};
    let expects = |kind: &str, what: &str| {
        format!("it is {kind} in the schema, and the provider's type expects {what}")
    };
    refuses::<One<Value<String>>>(of(Number), &expects("a number", "a string"));
    refuses::<One<Option<String>>>(of(Number), &expects("a number", "a string"));
    refuses::<One<Value<i64>>>(of(StringType), &expects("a string", "i64"));
    refuses::<One<Value<bool>>>(of(StringType), &expects("a string", "a boolean"));
    refuses::<One<Value<String>>>(of(Bool), &expects("a boolean", "a string"));
    let strings = || Box::new(StringType);
    refuses::<One<Value<String>>>(of(List(strings())), &expects("a list", "a string"));
    refuses::<One<Value<Vec<i64>>>>(of(List(strings())), &expects("a string", "i64"));
    refuses::<One<Value<Vec<Value<bool>>>>>(of(Set(strings())), &expects("a string", "a boolean"));
    refuses::<One<Value<Vec<Value<String>>>>>(of(Map(strings())), &expects("a map", "a sequence"));
    refuses::<One<Value<BTreeMap<String, Value<i64>>>>>(
        of(Map(strings())),
        &expects("a string", "i64"),
    );
}

#[tokio::test]
async fn value_of_a_type_that_does_not_fit_is_reported_as_a_bug() {
    let bug = "This is a bug in the provider, please report it to its maintainers.";
    let number = || of(AttributeType::Number);
    let planned = plan::<One<Value<String>>>(number(), &json!(7)).await;
    assert_eq!(errors(&planned.diagnostics), ["Unsupported value"]);
    assert_eq!(path(planned.diagnostics[0].attribute.as_ref().unwrap()), "it");
    let kind = "The schema has a number here, and the provider's type expects a string.";
    assert_eq!(planned.diagnostics[0].detail, format!("{kind} {bug}"), "not out of range");
    let planned = plan::<Two>(of(AttributeType::String), &json!("a")).await;
    assert_eq!(errors(&planned.diagnostics), ["Unreadable value"]);
    let field = "The provider's type has the field other, which the schema does not have.";
    assert_eq!(planned.diagnostics[0].detail, format!("{field} {bug}"));
}

#[derive(Serialize, Deserialize)]
struct Rule {
    port: Value<i64>,
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
fn struct_with_other_fields_than_the_schema_is_refused_at_registration() {
    let port = || optional([("port", AttributeType::Number)]);
    let both = || optional([("port", AttributeType::Number), ("name", AttributeType::String)]);
    let string = || of(AttributeType::String);
    refuses::<Two>(
        string(),
        "the provider's type has the field other, which the schema does not have",
    );
    refuses::<One<Value<Vec<Value<NamedRule>>>>>(
        of(AttributeType::AttributeList(port())),
        "the provider's type of it has the field name, which the schema does not have",
    );
    refuses::<One<Value<Vec<Value<Rule>>>>>(
        with_block(NestedBlock::List, block(both())),
        "the provider's type does not write the attribute it.name",
    );
    let with_more = block(optional([
        ("it", AttributeType::String),
        ("other", AttributeType::String),
        ("third", AttributeType::Bool),
    ]));
    refuses::<Two>(with_more, "the provider's type does not write the attribute third");
}

#[test]
fn type_without_null_is_refused_for_an_attribute_that_can_be_omitted() {
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

/// A string that is parsed.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[derive(Clone)]
struct Address(std::net::IpAddr);

impl TryFrom<String> for Address {
    type Error = std::net::AddrParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.0.to_string()
    }
}

/// A number, or one of few strings.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Size {
    Number(i64),
    Mode(Mode),
}

#[test]
fn type_that_accepts_only_some_values_is_not_refused() {
    let string = || of(AttributeType::String);
    assert_eq!(problems::<One<Value<Mode>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<Address>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<std::net::IpAddr>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<Size>>>(string()), [""; 0]);
    assert_eq!(problems::<One<Value<serde_json::Value>>>(string()), [""; 0]);
    let required = with_attribute(AttributeType::String, AttributeConstraint::Required);
    assert_eq!(problems::<One<Mode>>(required), [""; 0]);
}

#[test]
fn collection_with_an_attribute_of_any_type_is_refused() {
    let any = || optional([("any", AttributeType::Any)]);
    type Rules = One<Value<Vec<Value<BTreeMap<String, plugin_server::value::Any>>>>>;
    let message = |kind: &str, single: &str| {
        format!(
            "probe_it: the {kind} it has an attribute of any type. The elements of a collection \
             have one type, so that hosts would send another type than the schema's. Give the \
             attribute a type, or use a single {single}."
        )
    };
    for (schema, kind, single) in [
        (with_block(NestedBlock::List, block(any())), "list", "block"),
        (with_block(NestedBlock::Optional, block(any())), "list", "block"),
        (with_block(NestedBlock::Set, block(any())), "set", "block"),
        (with_block(NestedBlock::Map, block(any())), "map", "block"),
        (of(AttributeType::AttributeList(any())), "list", "nested attribute"),
        (of(AttributeType::AttributeSet(any())), "set", "nested attribute"),
        (of(AttributeType::AttributeMap(any())), "map", "nested attribute"),
    ] {
        let problems = problems::<Rules>(schema);
        let expected = message(kind, single);
        assert!(problems.iter().any(|problem| problem.starts_with(&expected)), "{problems:?}");
    }
    #[derive(Serialize, Deserialize)]
    struct Inner {
        any: plugin_server::value::Any,
    }
    let single = of(AttributeType::AttributeSingle(any()));
    assert_eq!(problems::<One<Value<Inner>>>(single), [""; 0]);
    let group = with_block(NestedBlock::Group, block(any()));
    assert_eq!(problems::<One<Value<Inner>>>(group), [""; 0]);
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
fn reserved_names_are_refused() {
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
        let problems = Server::builder("probe", Named(name)).build();
        let details: Vec<&str> =
            problems.problems().errors.iter().map(|problem| &*problem.detail).collect();
        let expected = format!("the attribute {name} for itself");
        assert!(details.len() == 1 && details[0].contains(&expected), "{details:?}");
    }
    let server = Server::builder("probe", Named("region")).build();
    assert!(server.problems().errors.is_empty());
}

#[test]
fn every_registered_type_of_the_probe_fits() {
    let server = crate::suite::probe::server();
    let details: Vec<&str> =
        server.problems().errors.iter().map(|problem| &*problem.detail).collect();
    assert_eq!(details, [""; 0]);
}
