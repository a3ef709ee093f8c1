//! Compares the code in `src/pb` with what is generated from `proto`.
//!
//! To regenerate it after a change of `proto`:
//! `PLUGIN_SERVER_WRITE_PB=1 cargo test -p plugin-server --test suite generated_code`.

use std::path::Path;

/// Compiles the protocol with protox, which is written in Rust, so that this test does not need
/// protoc.
fn generate(out: &Path) {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let descriptors =
        protox::compile([proto.join("tfplugin6.proto"), proto.join("plugin.proto")], [proto])
            .unwrap();
    tonic_prost_build::configure()
        .out_dir(out)
        .build_transport(false)
        .generate_default_stubs(true)
        .bytes(".")
        .btree_map(".")
        .client_mod_attribute(".", "#[cfg(feature = \"testkit\")]")
        .compile_fds(descriptors)
        .unwrap();
}

#[test]
fn generated_code_is_current() {
    let out = tempfile::tempdir().unwrap();
    generate(out.path());
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pb");
    for name in ["tfplugin6.rs", "plugin.rs"] {
        let fresh = std::fs::read_to_string(out.path().join(name)).unwrap();
        let target = checked_in.join(name);
        if std::env::var_os("PLUGIN_SERVER_WRITE_PB").is_some() {
            std::fs::write(&target, &fresh).unwrap();
        }
        let stored = std::fs::read_to_string(&target).unwrap();
        assert!(
            stored == fresh,
            "{name} is not generated from proto/: regenerate it as described at the top of this file"
        );
    }
}
