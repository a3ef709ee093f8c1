//! Blocks of configurations that messages show, for an address that the reader replaces.

use std::fmt;

use plugin_server::hcl::quoted;

/// Returns an `import` block for the object with this name, the way for a resource with keys, and
/// what to do where Terraform skips the block.
pub(crate) fn import_block(resource_type: &str, name: impl fmt::Display) -> String {
    let name = name.to_string();
    let id = quoted(&name);
    // Its own name, if the object is all owners of an integration, of which there is no list.
    let parent = name.match_indices('/').nth(1).map(|(end, _)| &name[..end]);
    let for_each = parent.map_or(String::new(), |parent| {
        format!(
            "For a resource with `for_each`, `terraform-provider-access export --for ADDRESS {parent}` prints the \
             block. If there are more objects than keys, add `--each` with the expression of `for_each`, in a module one \
             that the root module knows, such as `yamldecode(file(\"eu/{parent}.yaml\"))`. "
        )
    });
    format!(
        "  import {{\n    to = {resource_type}.example # your resource\n    id = {id}\n  }}\n\n{for_each}If the \
         address has an object already, Terraform skips the block: run `terraform state rm` for the address first."
    )
}

/// Returns a `removed` block that leaves the object at the service.
pub(crate) fn removed_block(resource_type: &str) -> String {
    format!(
        "  removed {{\n    from = {resource_type}.example # your resource\n    lifecycle {{\n      destroy = false\n    \
         }}\n  }}"
    )
}

/// Returns a `moved` block from an index to a key.
pub(crate) fn moved_block(resource_type: &str) -> String {
    format!(
        "  moved {{\n    from = {resource_type}.example[0]\n    to   = {resource_type}.example[\"key\"]\n  }}"
    )
}
