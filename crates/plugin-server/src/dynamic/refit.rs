//! Values that do not fit the provider's type as they arrive.

use tf_provider::Diagnostics;

use super::family::Family;
use super::place::{Refused, part_mut, refused, relax, round};
use super::tree::{Reason, from_value};
use crate::diagnostic::{BUG, diagnostic, error};
use crate::wire::{self, Type, Value};

/// Deserializes a value that the provider's type cannot read from its bytes: in other encodings, and
/// with numbers rounded to floats. If that fails as well, the errors name the attributes.
pub(super) fn refit<'b, F: Family>(
    diags: &mut Diagnostics,
    ty: &Type,
    bytes: &'b [u8],
) -> Option<F::Of<'b>> {
    let mut value = wire::decode(bytes, ty).value;
    relax(&mut value, ty);
    loop {
        let mismatch = match from_value::<F>(value.clone(), ty) {
            Ok(typed) => return Some(typed),
            Err(mismatch) => mismatch,
        };
        // A float cannot have all digits of such a number. If the provider returns it, Terraform gets
        // all of them back.
        let mut rounded = value.clone();
        let part = part_mut(&mut rounded, &mismatch.path);
        if part.is_some_and(round)
            && from_value::<F>(rounded.clone(), ty)
                .err()
                .is_none_or(|next| next.path != mismatch.path)
        {
            value = rounded;
            continue;
        }
        for refused in refused::<F>(&value, ty, mismatch) {
            report(diags, refused);
        }
        return None;
    }
}

fn report(diags: &mut Diagnostics, refused: Refused<'_, '_>) {
    let Refused { place, value, ty, cause, takes_numbers } = refused;
    let reason = cause.reason;
    let misfit = || format!("{} {BUG}", misfit(ty, &reason));
    if place.path.steps.is_empty() {
        error(diags, "Unreadable value", misfit());
        return;
    }
    let detail = match &value {
        Value::Null => "A value is required.".to_owned(),
        Value::Unknown => "The value must be known here.".to_owned(),
        Value::Number(number) if takes_numbers && !number.is_whole() => {
            "A whole number is required.".to_owned()
        }
        Value::Number(_) if takes_numbers => "The number is out of range here.".to_owned(),
        _ => match &reason {
            Reason::Kind(_) | Reason::MissingField(_) | Reason::UnknownField(_) => misfit(),
            Reason::Variant([]) | Reason::Value | Reason::Untagged => {
                "The provider does not accept this value.".to_owned()
            }
            Reason::Variant(variants) => {
                format!("The value must be one of: {}.", variants.join(", "))
            }
        },
    };
    diags.errors.push(diagnostic("Unsupported value", detail, place.path));
}

/// Returns a sentence about a type that does not fit its schema.
fn misfit(ty: &Type, reason: &Reason) -> String {
    match reason {
        Reason::Kind(expected) => format!(
            "The schema has {} here, and the provider's type expects {expected}.",
            ty.description()
        ),
        Reason::MissingField(field) => {
            format!("The provider's type has the field {field}, which the schema does not have.")
        }
        Reason::UnknownField(field) => {
            format!("The provider's type does not have the attribute {field} of the schema.")
        }
        Reason::Variant(_) | Reason::Value | Reason::Untagged => {
            "The provider's type does not fit its schema.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};
    use tf_provider::AttributePath;

    struct Arguments;

    impl Family for Arguments {
        type Of<'a> = (String, i64);
    }

    #[test]
    fn error_of_an_argument_does_not_blame_the_others() {
        let ty = Type::Tuple(vec![Type::String, Type::Number]);
        let blamed = |arguments: Json| {
            let mut diags = Diagnostics::default();
            let bytes = rmp_serde::to_vec(&arguments).unwrap();
            assert!(refit::<Arguments>(&mut diags, &ty, &bytes).is_none(), "{arguments}");
            diags.errors.into_iter().map(|error| error.attribute).collect::<Vec<_>>()
        };
        let argument = AttributePath::function_argument;
        assert_eq!(blamed(json!(["plum", 0.5])), [argument(1)]);
        assert_eq!(blamed(json!(["plum", "1e30"])), [argument(1)]);
        assert_eq!(blamed(json!(["plum", null])), [argument(1)]);
        assert_eq!(blamed(json!([null, 1])), [argument(0)]);
        assert_eq!(blamed(json!([null, 0.5])), [argument(0), argument(1)]);
        assert_eq!(blamed(json!([null, null])), [argument(0), argument(1)]);
    }
}
