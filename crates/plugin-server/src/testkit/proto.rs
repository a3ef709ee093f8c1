//! The messages of the protocol.

/// The messages of plugin protocol 6, by their names in `tfplugin6.proto`.
pub mod tfplugin6 {
    pub use crate::pb::tfplugin6::{
        AttributePath, ClientCapabilities, Diagnostic, DynamicValue, RawState,
        ResourceIdentityData, ResourceIdentitySchema, Schema, ServerCapabilities, StringKind,
        apply_resource_change, attribute_path, configure_provider, diagnostic,
        generate_resource_config, get_functions, get_metadata, get_provider_schema,
        get_resource_identity_schemas, import_resource_state, list_resource, move_resource_state,
        plan_resource_change, read_data_source, read_resource, resource_identity_schema, schema,
        stop_provider, upgrade_resource_identity, upgrade_resource_state,
        validate_data_resource_config, validate_list_resource_config, validate_provider_config,
        validate_resource_config,
    };
}
