//! Plan modifiers, from plugin-server.

pub(crate) use plugin_server::plan_modifier::{
    requires_replace, resolve_unknown, use_state_for_unknown,
};
