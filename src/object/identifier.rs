//! Identifiers in configurations, checked, with errors at the attribute.

use access_client::Identifier;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::terraform::diagnostics::Report;

/// Reports an identifier that the service could not be asked for. Unknown and null pass.
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
