//! Environment variables that set the extent of a test.

/// Returns the number in an environment variable, or `None` if the variable is not set.
///
/// # Panics
///
/// Panics if the value is not a number: a run with other numbers than the requested ones proves nothing.
pub(crate) fn number(variable: &str) -> Option<u64> {
    let value = std::env::var_os(variable)?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    Some(number.unwrap_or_else(|| panic!("{variable} is not a number: {value:?}")))
}
