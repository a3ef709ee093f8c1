//! The time to read and write values: `cargo bench -p plugin-server`.

#![allow(clippy::expect_used, reason = "a benchmark fails loudly")]

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plugin_server::testkit::codec::Codec;
use plugin_server::testkit::encode;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};
use tf_provider::value::{ValueBool, ValueMap, ValueNumber, ValueSet, ValueString};

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

criterion_group!(benches, codec);
criterion_main!(benches);
