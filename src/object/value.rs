//! Values of configurations and states: texts, and identifiers with errors at the attribute.

use access_client::Identifier;
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

/// Returns the text of a value; `None` if it is null or unknown.
pub(crate) fn known_text(value: &Value<String>) -> Option<&str> {
    value.as_ref_option().map(String::as_str)
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
