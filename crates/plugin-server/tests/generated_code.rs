//! The code in `src/pb` is what the files in `proto` say.
//!
//! To write it anew after a change there: `PLUGIN_SERVER_WRITE_PB=1 cargo test -p plugin-server --test generated_code`.

use std::path::Path;

/// Compiles the protocol in pure Rust (protox), so that neither this test nor a build needs protoc.
fn generate(out: &Path) {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let descriptors = protox::compile(
        [proto.join("tfplugin6.proto"), proto.join("plugin.proto"), proto.join("health.proto")],
        [proto],
    )
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
    for name in ["tfplugin6.rs", "plugin.rs", "grpc.health.v1.rs"] {
        let fresh = std::fs::read_to_string(out.path().join(name)).unwrap();
        let target = checked_in.join(name);
        if std::env::var_os("PLUGIN_SERVER_WRITE_PB").is_some() {
            std::fs::write(&target, &fresh).unwrap();
        }
        let stored = std::fs::read_to_string(&target).unwrap();
        assert!(
            stored == fresh,
            "{name} is not what proto/ says: write it anew as this file's head tells"
        );
    }
}
