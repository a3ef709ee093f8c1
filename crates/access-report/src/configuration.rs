//! The two things that the report reads from a configuration, both only to say more: which
//! resources run commands, and whether a provider block may leave what is deleted.

use crate::members::{Members, address, elements, inner};

/// Returns the addresses of the resources with provisioners, without instance keys.
pub(crate) fn provisioned(configuration: &Members<'_>) -> Vec<String> {
    let mut addresses = Vec::new();
    let mut modules = vec![(String::new(), inner(configuration, "root_module"))];
    while let Some((path, module)) = modules.pop() {
        for resource in elements(&module, "resources") {
            if !elements(&resource, "provisioners").is_empty() {
                addresses.push(path.clone() + &address(&resource));
            }
        }
        for (name, call) in inner(&module, "module_calls") {
            let call: Members<'_> = serde_json::from_str(call.get()).unwrap_or_default();
            modules.push((format!("{path}module.{name}."), inner(&call, "module")));
        }
    }
    addresses
}

/// Returns whether a provider block sets `deletion_policy` to anything but the constant `delete`.
pub(crate) fn may_leave(configuration: &Members<'_>) -> bool {
    let blocks = inner(configuration, "provider_config");
    blocks.values().any(|block| {
        let block: Members<'_> = serde_json::from_str(block.get()).unwrap_or_default();
        let expressions = inner(&block, "expressions");
        expressions.contains_key("deletion_policy") && {
            let policy = inner(&expressions, "deletion_policy");
            let constant = policy.get("constant_value").map(|raw| raw.get());
            !matches!(constant, Some("null" | "\"delete\""))
        }
    })
}
