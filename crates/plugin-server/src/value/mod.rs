//! A type for exact numbers, and the types to choose from.
//!
//! [`tf_provider::value::Value`] is null, unknown or known. The table lists the types that fit
//! inside it. `testkit::problems` finds types that do not fit the schema.
//!
//! | schema type | Rust type in `Value` | what it represents |
//! |---|---|---|
//! | `String` | `Cow<str>`, `String` | every string, in normalisation form C as Terraform stores it |
//! | `String` | an enum with unit variants | its variants; another string is an error at the attribute |
//! | `Number` | [`Number`] | every number with every digit |
//! | `Number` | `i64`, `u64`, `i32`, … | whole numbers in its range; others are an error at the attribute |
//! | `Number` | `f64` | the float next to the number; one that is returned unchanged keeps its digits |
//! | `Bool` | `bool` | true and false |
//! | `List(T)` | `Vec<Value<T>>` | every list |
//! | `List(T)` | `Vec<T>` | lists without null and unknown elements |
//! | `Set(T)` | `Vec<Value<T>>` | every set |
//! | `Set(T)` | `BTreeSet<Value<T>>` | sets with at most one unknown element; more survive if the set is returned unchanged |
//! | `Map(T)` | `BTreeMap<Cow<str>, Value<T>>`, `HashMap<String, Value<T>>` | every map |
//! | `Object`, `AttributeSingle` | a struct with a field for each attribute | every object |
//! | `AttributeList`, `AttributeSet`, `AttributeMap` | `Vec`, `BTreeMap` of `Value<struct>` | as the collection |
//! | `Tuple` | a tuple of `Value<T>` | every tuple |
//! | block `Single`, `Group` | `Value<struct>` | every block; hosts require a `Single` block |
//! | block `Optional` | `Value<struct>` with `serde_as_vec` | no block, one block, or unknown |
//! | block `List`, `Set`, `Map` | `Vec`, `BTreeMap` of `Value<struct>` | as the collection |
//!
//! Outside `Value`, `Option<T>` represents null and known values, and `T` known values only. A
//! configuration with another value is an error at the attribute. An attribute that a configuration
//! may omit needs a type that represents null. Attributes of type `Any` are not served.

mod number;

pub use number::{Number, ParseNumberError};
