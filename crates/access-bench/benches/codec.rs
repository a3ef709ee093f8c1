//! The time to read and write values: `cargo bench -p access-bench`.

#![allow(clippy::expect_used, reason = "a benchmark fails loudly")]

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

use async_trait::async_trait;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plugin_server::Server;
use plugin_server::testkit::codec::Codec;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{connect, encode, null, unknown};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};
use tf_provider::value::{ValueBool, ValueEmpty, ValueMap, ValueNumber, ValueSet, ValueString};
use tf_provider::{AttributePath, DataSource, Diagnostics, Resource};

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

/// A resource that plans and stores what it receives.
struct Shelves;

type Stored<'a> = Option<(Shelf<'a>, ValueEmpty)>;

#[async_trait]
impl Resource for Shelves {
    type State<'a> = Shelf<'a>;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(Schema { version: 0, block: block() })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: Shelf<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<'a> {
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: Shelf<'a>,
        _: Shelf<'a>,
        _: ValueEmpty,
    ) -> Stored<'a> {
        // Unknown, so that neither the plan nor the result is the request byte by byte.
        Some((Shelf { id: ValueString::Unknown, ..proposed }, ValueEmpty::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        _: Shelf<'a>,
        proposed: Shelf<'a>,
        _: Shelf<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(Shelf<'a>, ValueEmpty, Vec<AttributePath>)> {
        Some((proposed, private, vec![]))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: Shelf<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        planned: Shelf<'a>,
        _: Shelf<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<'a> {
        Some((Shelf { id: ValueString::Value("shelves/upper".into()), ..planned }, private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: Shelf<'a>,
        planned: Shelf<'a>,
        _: Shelf<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<'a> {
        Some((planned, private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: Shelf<'a>,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }
}

/// Plans and applies a set of 100,000 elements, and reads 200 objects of 1 MiB at once.
fn calls(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = Server::builder("bench", Provider).resource("shelf", Shelves).build();
    let client = runtime.block_on(connect(server));
    let mut group = criterion.benchmark_group("calls");
    group.sample_size(10);

    let mut config = shelf(0);
    let jars: Vec<_> = (0..100_000).map(|index| format!("resources/item-{index:06}")).collect();
    config["jars"] = jars.into();
    config["id"] = Json::Null;
    let mut planned = config.clone();
    planned["id"] = unknown();
    let (config, planned) = (encode(&config), encode(&planned));
    let plan = pb::plan_resource_change::Request {
        type_name: "bench_shelf".into(),
        prior_state: Some(null()),
        proposed_new_state: Some(config.clone()),
        config: Some(config.clone()),
        ..Default::default()
    };
    group.bench_function("plan_set_of_100000", |bencher| {
        bencher.iter(|| {
            let response = runtime.block_on(client.plan_resource_change(plan.clone()));
            assert!(response.expect("a plan").diagnostics.is_empty());
        });
    });
    let apply = pb::apply_resource_change::Request {
        type_name: "bench_shelf".into(),
        prior_state: Some(null()),
        planned_state: Some(planned),
        config: Some(config),
        ..Default::default()
    };
    group.bench_function("apply_set_of_100000", |bencher| {
        bencher.iter(|| {
            let response = runtime.block_on(client.apply_resource_change(apply.clone()));
            assert!(response.expect("a state").diagnostics.is_empty());
        });
    });

    let mut large = shelf(2);
    large["label"] = "x".repeat(1 << 20).into();
    let read = pb::read_resource::Request {
        type_name: "bench_shelf".into(),
        current_state: Some(encode(&large)),
        ..Default::default()
    };
    group.bench_function("read_200_times_1_mib", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                let calls: Vec<_> = (0..200)
                    .map(|_| {
                        let (client, read) = (client.clone(), read.clone());
                        tokio::spawn(async move { client.read_resource(read).await })
                    })
                    .collect();
                for call in calls {
                    let response = call.await.expect("a task").expect("a state");
                    assert!(response.diagnostics.is_empty());
                }
            });
        });
    });
    group.finish();
}

criterion_group!(benches, codec, registration, calls);
criterion_main!(benches);
