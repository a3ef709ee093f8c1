//! The value codec, for its benchmark.

use tf_provider::schema::{Block, Schema};

use crate::wire::{self, Type, Value};

/// Reads and writes values of one schema.
pub struct Codec {
    ty: Type,
}

/// A value that was read.
pub struct CodecValue<'b>(Value<'b>);

impl Codec {
    /// Returns the codec of the objects of a block.
    #[must_use]
    pub fn new(block: &Block) -> Self {
        let schema = Schema { version: 0, block: block.clone() };
        let message = crate::schema::schema(&schema, &[]).block.unwrap_or_default();
        Self { ty: Type::Object(crate::schema::of_block(&message)) }
    }

    /// Decodes msgpack in the same way as values that are compared or changed.
    #[must_use]
    pub fn decode<'b>(&self, bytes: &'b [u8]) -> CodecValue<'b> {
        let decoded = wire::decode(bytes, &self.ty);
        assert!(decoded.faults.is_empty(), "a value of the schema: {:?}", decoded.faults);
        CodecValue(decoded.value)
    }

    /// Checks msgpack without decoding it, like every value of a request.
    #[must_use]
    pub fn is_valid(&self, bytes: &[u8]) -> bool {
        wire::survey(bytes, &self.ty).faults.is_empty()
    }

    /// Reads the JSON of a state file.
    #[must_use]
    pub fn from_json(&self, json: &[u8]) -> CodecValue<'static> {
        let decoded = wire::from_json(json, &self.ty);
        assert!(decoded.faults.is_empty(), "a value of the schema: {:?}", decoded.faults);
        CodecValue(decoded.value)
    }

    /// Encodes a value as msgpack.
    #[must_use]
    pub fn encode(&self, value: &CodecValue<'_>) -> Vec<u8> {
        wire::encode(&value.0, &self.ty)
    }
}
