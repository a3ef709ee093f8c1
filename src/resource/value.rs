//! Values of configurations and states: texts, identifiers with errors at the attribute, and names.

use access_client::time::is_same;
use access_client::{Identifier, ObjectName};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::say::Reported;
use crate::say::read::invalid_import_id;

/// Returns the text of a value; `None` if it is null or unknown.
pub(crate) fn known_text(value: &Value<String>) -> Option<&str> {
    value.as_ref_option().map(String::as_str)
}

/// Sets a time from a response. What is known stays if the response omits the time, or has it at a
/// coarser precision.
pub(crate) fn set_time(time: &mut Value<String>, response: Option<String>) {
    let is_known = match (&*time, &response) {
        (Value::Value(known), Some(response)) => is_same(known, response),
        (time, response) => response.is_none() && !time.is_unknown(),
    };
    if !is_known {
        *time = response.into();
    }
}

/// Adds an error for an identifier that no request can contain. Unknown and null pass.
pub(crate) fn validate_identifier(
    attribute: &'static str,
    value: &Value<String>,
    diags: &mut Diagnostics,
) {
    diags.validate(attribute, value).satisfies(|text| {
        Identifier::parse(text).map_err(|error| format!("cannot be {text:?}: it {error}"))
    });
}

/// Returns the identifier of an object to read, or adds the error of [`validate_identifier`].
/// Terraform reads only known configurations, and rejects null for a required argument.
pub(crate) fn read_identifier(
    attribute: &'static str,
    value: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Identifier> {
    validate_identifier(attribute, value, diags);
    Identifier::parse(value.as_ref_option()?).ok()
}

/// Returns the name in an import ID: a full name, or the parent and the object separated by a slash.
/// Otherwise adds an error.
pub(crate) fn parse_import_id<N: ObjectName>(
    id: &str,
    diags: &mut Diagnostics,
) -> Result<N, Reported> {
    let (parent, object) = N::WORDS;
    let form = format!(
        "`{parent}s/{{{parent}}}/{object}s/{{{object}}}`, or the two IDs with a slash between them"
    );
    N::parse_either(id)
        .map_err(|reason| invalid_import_id(id, &reason.to_string(), &form).refuse(diags))
}
