//! What provider functions share: texts in, errors at the argument to blame.
//!
//! Functions are pure: no service, no configuration of the provider. Hosts call them with known
//! values that are not null, and put their own full stop behind an error.

use std::fmt;

use access_client::Identifier;
use tf_provider::schema::{Description, FunctionSchema, Parameter, Type};
use tf_provider::{AttributePath, Diagnostic, Diagnostics};

/// A function of texts; `summary` is plain text, `description` Markdown.
pub(crate) fn function<const N: usize>(
    summary: &str,
    description: &str,
    parameters: [(&str, &str); N],
    return_type: Type,
) -> FunctionSchema {
    let parameter = |(name, description): (&str, &str)| Parameter {
        name: name.to_owned(),
        param_type: Type::String,
        allow_null: false,
        allow_unknown: false,
        description: Description::markdown(description),
    };
    FunctionSchema {
        parameters: parameters.map(parameter).into(),
        variadic: None,
        return_type,
        summary: summary.to_owned(),
        description: Description::markdown(description),
        deprecated: None,
    }
}

/// An object of texts.
pub(crate) fn object_of_texts<const N: usize>(members: [&str; N]) -> Type {
    Type::Object(members.map(|name| (name.to_owned(), Type::String)).into())
}

/// The identifier in an argument, or an error at the argument; the first argument is 0.
pub(crate) fn identifier(index: i64, text: &str, diags: &mut Diagnostics) -> Option<Identifier> {
    argument(index, text, "cannot be used as an ID", Identifier::parse(text), diags)
}

/// What an argument was read as, or an error at the argument. `fault` goes on from its text:
/// "is neither a name nor two IDs".
pub(crate) fn argument<T, E: fmt::Display>(
    index: i64,
    text: &str,
    fault: &str,
    read: Result<T, E>,
    diags: &mut Diagnostics,
) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(error) => {
            diags.errors.push(Diagnostic {
                summary: format!("{text:?} {fault}: it {error}").into(),
                detail: "".into(),
                attribute: AttributePath::function_argument(index),
            });
            None
        }
    }
}
