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
    use std::marker::PhantomData;

    use serde::de::DeserializeOwned;
    use serde_json::{Value as Json, json};
    use tf_provider::AttributePath;
    use tf_provider::value::Value;

    use super::*;

    struct Arguments<A>(PhantomData<A>);

    impl<A: DeserializeOwned + Send> Family for Arguments<A> {
        type Of<'a> = A;
    }

    fn blamed<A: DeserializeOwned + Send>(arguments: &Json) -> Vec<AttributePath> {
        let mut diags = Diagnostics::default();
        let ty = Type::Tuple(vec![Type::String, Type::Number]);
        let bytes = rmp_serde::to_vec(arguments).unwrap();
        assert!(refit::<Arguments<A>>(&mut diags, &ty, &bytes).is_none(), "{arguments}");
        diags.errors.into_iter().map(|error| error.attribute).collect()
    }

    #[test]
    fn error_of_an_argument_does_not_blame_the_others() {
        #[derive(serde::Deserialize)]
        struct Named {
            _label: String,
            _weight: i64,
        }
        let argument = AttributePath::function_argument;
        for (arguments, expected) in [
            (json!(["plum", 0.5]), vec![argument(1)]),
            (json!(["plum", "1e30"]), vec![argument(1)]),
            (json!(["plum", null]), vec![argument(1)]),
            (json!([null, 1]), vec![argument(0)]),
            (json!([null, 0.5]), vec![argument(0), argument(1)]),
            (json!([null, null]), vec![argument(0), argument(1)]),
        ] {
            assert_eq!(blamed::<(String, i64)>(&arguments), expected, "{arguments}");
            assert_eq!(blamed::<Named>(&arguments), expected, "{arguments}");
        }
        assert_eq!(blamed::<(Value<String>, i64)>(&json!([null, 0.5])), [argument(1)]);
        assert_eq!(blamed::<(Value<String>, Value<i64>)>(&json!(["plum", 0.5])), [argument(1)]);
    }
}
