//! prost-build without protoc, for tonic-build 0.12, which the build script of tf-provider calls.
//!
//! The published prost-build runs protoc to parse `.proto` files, and does not contain one. This
//! crate parses them with protox, which is written in Rust, and passes the result to the published
//! crate, which generates the code. So cargo builds the workspace on every platform without a
//! program that has to be installed, and without a script that starts one.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;

pub use published::{Comments, Method, Service, ServiceGenerator};

/// A configuration of the generated code. Settings of protoc have no effect.
#[derive(Default)]
pub struct Config(published::Config);

impl Config {
    /// Creates the default configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Generates code from `.proto` files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be parsed, and if the code cannot be written.
    pub fn compile_protos(
        &mut self,
        protos: &[impl AsRef<Path>],
        includes: &[impl AsRef<Path>],
    ) -> io::Result<()> {
        let descriptors = protox::compile(protos, includes)
            // The debug form of the error begins with the file and the line.
            .map_err(|error| io::Error::other(format!("{error:?}")))?;
        self.0.compile_fds(descriptors)
    }

    /// Generates code from the descriptors of parsed files, a `FileDescriptorSet` of prost-types
    /// 0.13.
    ///
    /// # Errors
    ///
    /// Returns an error if the descriptors are invalid, and if the code cannot be written.
    pub fn compile_fds(&mut self, descriptors: impl prost::Message) -> io::Result<()> {
        // The published crate has the same type in another version.
        let bytes = descriptors.encode_to_vec();
        self.0.compile_fds(decode(&bytes)?)
    }
}

fn decode<M: protox::prost::Message + Default>(bytes: &[u8]) -> io::Result<M> {
    M::decode(bytes).map_err(io::Error::other)
}

impl Deref for Config {
    type Target = published::Config;

    fn deref(&self) -> &published::Config {
        &self.0
    }
}

impl DerefMut for Config {
    fn deref_mut(&mut self) -> &mut published::Config {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = r#"syntax = "proto3";
package jars;
import "google/protobuf/empty.proto";
// A jar of jam.
message Jar {
  optional string label = 1;
}
service Pantry {
  rpc Fill(Jar) returns (google.protobuf.Empty);
}
"#;

    /// Writes the name of each service in place of its code.
    struct Names;

    impl ServiceGenerator for Names {
        fn generate(&mut self, service: Service, code: &mut String) {
            code.push_str(&format!("pub trait {} {{}}", service.name));
        }
    }

    /// Generates code as tonic-build does.
    fn generate(text: &str) -> io::Result<String> {
        let directory = tempfile::tempdir()?;
        let proto = directory.path().join("jars.proto");
        std::fs::write(&proto, text)?;
        let mut config = Config::new();
        config.out_dir(directory.path());
        config.service_generator(Box::new(Names));
        // It would be an error that protoc does not exist, if protoc were run.
        config.protoc_executable("/no/protoc");
        config.compile_protos(&[proto], &[directory.path()])?;
        std::fs::read_to_string(directory.path().join("jars.rs"))
    }

    #[test]
    fn code_is_generated_without_protoc() {
        let code = generate(PROTO).unwrap();
        for part in
            ["/// A jar of jam.", "pub label: ::core::option::Option<", "pub trait Pantry {}"]
        {
            assert!(code.contains(part), "{part} in {code}");
        }
    }

    #[test]
    fn file_that_cannot_be_parsed_is_an_error_with_its_name() {
        let error = generate("syntax = \"proto3\";\nmessage {").unwrap_err();
        assert!(error.to_string().contains("jars.proto:2:9"), "{error}");
    }
}
