//! Identifiers in configurations, checked, with errors at the attribute.

use access_client::Identifier;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::terraform::diagnostics::Report;

/// Adds an error for an identifier that no request can contain. Unknown and null pass.
pub(crate) fn validate_identifier(
    attribute: &'static str,
    value: &Value<String>,
    diags: &mut Diagnostics,
) {
    if let Value::Value(text) = value
        && let Err(error) = Identifier::parse(text)
    {
        diags.report_error(
            format!("Invalid {attribute}"),
            format!("The ID {text:?} cannot be used: it {error}."),
            Some(attribute),
        );
    }
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
