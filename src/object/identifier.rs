//! Identifiers in configurations, checked, with errors at the attribute.

use access_client::Identifier;
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

/// Reports an identifier that the service could not be asked for. Unknown and null pass.
pub(crate) fn validate_identifier(
    attribute: &'static str,
    value: &Value<String>,
    diags: &mut Diagnostics,
) {
    diags.validate(attribute, value).satisfies(|text| {
        Identifier::parse(text).map_err(|error| format!("cannot be {text:?}: it {error}"))
    });
}

/// The identifier in a configuration that is to be read, or the same error. Terraform reads only
/// what is known, and refuses null where an argument is required.
pub(crate) fn read_identifier(
    attribute: &'static str,
    value: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Identifier> {
    validate_identifier(attribute, value, diags);
    Identifier::parse(value.as_ref_option()?).ok()
}
