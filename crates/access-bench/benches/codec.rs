//! The time to read and write values: `cargo bench -p access-bench`.

#![allow(clippy::expect_used, reason = "a benchmark fails loudly")]

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

use async_trait::async_trait;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plugin_server::Server;
use plugin_server::testkit::codec::Codec;
use plugin_server::testkit::encode;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};
use tf_provider::value::{ValueBool, ValueEmpty, ValueMap, ValueNumber, ValueSet, ValueString};
use tf_provider::{DataSource, Diagnostics};

/// An object like those of most resources, with strings, a number, a boolean, a set and a map.
#[derive(Serialize, Deserialize)]
struct Shelf<'a> {
    #[serde(borrow = "'a")]
    name: ValueString<'a>,
    label: ValueString<'a>,
    id: ValueString<'a>,
    owner: ValueString<'a>,
    position: ValueNumber,
    open: ValueBool,
    jars: ValueSet<ValueString<'a>>,
    notes: ValueMap<'a, ValueString<'a>>,
}

fn block() -> Block {
    let attribute = |attr_type| Attribute {
        attr_type,
        description: Description::plain("For the benchmark."),
        constraint: AttributeConstraint::OptionalComputed,
        sensitive: false,
        deprecated: false,
    };
    let text = || attribute(AttributeType::String);
    let attributes = [
        ("name", text()),
        ("label", text()),
        ("id", text()),
        ("owner", text()),
        ("position", attribute(AttributeType::Number)),
        ("open", attribute(AttributeType::Bool)),
        ("jars", attribute(AttributeType::Set(Box::new(AttributeType::String)))),
        ("notes", attribute(AttributeType::Map(Box::new(AttributeType::String)))),
    ];
    let attributes: HashMap<_, _> =
        attributes.into_iter().map(|(name, attribute)| (name.to_owned(), attribute)).collect();
    let schema = Schema {
        version: 0,
        block: Block {
            attributes,
            description: Description::plain("A shelf."),
            ..Block::default()
        },
    };
    schema.block
}

/// Returns an object with `items` jars and notes.
fn shelf(items: usize) -> Json {
    let jars: Vec<_> = (0..items).map(|index| format!("jar-{index:05}")).collect();
    let notes: BTreeMap<_, _> =
        (0..items).map(|index| (format!("key-{index:05}"), format!("note {index}"))).collect();
    json!({
        "name": "upper", "label": "The upper shelf", "id": "shelves/upper", "owner": null,
        "position": 3, "open": true, "jars": jars, "notes": notes,
    })
}

fn codec(criterion: &mut Criterion) {
    let codec = Codec::new(&block());
    for (size, items) in [("small", 2), ("large", 1000)] {
        let value = shelf(items);
        let json = value.to_string();
        let bytes = encode(&value).msgpack;
        let mut group = criterion.benchmark_group(size);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("survey", |bencher| {
            bencher.iter(|| codec.is_valid(black_box(&bytes)));
        });
        group.bench_function("decode", |bencher| {
            bencher.iter(|| codec.decode(black_box(&bytes)));
        });
        let decoded = codec.decode(&bytes);
        group.bench_function("encode", |bencher| {
            bencher.iter(|| codec.encode(black_box(&decoded)));
        });
        group.bench_function("from_json", |bencher| {
            bencher.iter(|| codec.from_json(black_box(json.as_bytes())));
        });
        // Every call also reads and writes the provider's types, by serde.
        group.bench_function("typed_decode", |bencher| {
            bencher.iter(|| rmp_serde::from_slice::<Shelf<'_>>(black_box(&bytes)));
        });
        let typed: Shelf<'_> = rmp_serde::from_slice(&bytes).expect("a shelf");
        group.bench_function("typed_encode", |bencher| {
            bencher.iter(|| rmp_serde::to_vec_named(black_box(&typed)));
        });
        group.finish();
    }
}

/// A provider without arguments, and its data source.
struct Provider;

#[async_trait]
impl tf_provider::Provider for Provider {
    type Config<'a> = ValueEmpty;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let description = Description::plain("For the benchmark.");
        Some(Schema { version: 0, block: Block { description, ..Block::default() } })
    }

    async fn configure<'a>(&self, _: &mut Diagnostics, _: String, _: ValueEmpty) -> Option<()> {
        Some(())
    }
}

#[async_trait]
impl DataSource for Provider {
    type State<'a> = Shelf<'a>;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(Schema { version: 0, block: block() })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        config: Shelf<'a>,
        _: ValueEmpty,
    ) -> Option<Shelf<'a>> {
        Some(config)
    }
}

/// Measures the time that one data source adds to every start of the plugin.
fn registration(criterion: &mut Criterion) {
    let empty = || Server::builder("bench", Provider);
    criterion.bench_function("registration/provider", |bencher| {
        bencher.iter(|| empty().build());
    });
    criterion.bench_function("registration/provider_and_data_source", |bencher| {
        bencher.iter(|| empty().data_source("shelf", Provider).build());
    });
}

criterion_group!(benches, codec, registration);
criterion_main!(benches);
