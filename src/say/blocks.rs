//! Blocks of configurations that messages show, for an address that the reader replaces.

use std::fmt;

use plugin_server::hcl::quoted;

/// Returns an `import` block for the object with this name.
pub(crate) fn import_block(resource_type: &str, name: impl fmt::Display) -> String {
    let id = quoted(&name.to_string());
    format!("  import {{\n    to = {resource_type}.example # your resource\n    id = {id}\n  }}")
}

/// Returns a `removed` block that leaves the object at the service.
pub(crate) fn removed_block(resource_type: &str) -> String {
    format!(
        "  removed {{\n    from = {resource_type}.example # your resource\n    lifecycle {{\n      destroy = false\n    \
         }}\n  }}"
    )
}

/// Returns a `moved` block from an old address to a new one.
pub(crate) fn moved_block(resource_type: &str) -> String {
    format!(
        "  moved {{\n    from = {resource_type}.example_old\n    to   = {resource_type}.example_new\n  }}"
    )
}

/// Returns a `moved` block from an index to a key.
pub(crate) fn moved_index_block(resource_type: &str) -> String {
    format!(
        "  moved {{\n    from = {resource_type}.example[0]\n    to   = {resource_type}.example[\"key\"]\n  }}"
    )
}
