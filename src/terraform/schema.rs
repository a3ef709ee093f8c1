//! Constructors of schemas, from plugin-server.

pub(crate) use plugin_server::schema::{
    computed, list_of_objects, map_of_strings, new_schema as schema, optional, optional_computed,
    required, sensitive, set_of_strings,
};
