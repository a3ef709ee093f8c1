//! The normalisation of text, which Terraform applies to every string of a response.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::value::Value;

/// Returns whether Terraform stores the text as it is, which it does in normalisation form C.
pub(super) fn is_normalised(text: &str) -> bool {
    text.is_ascii()
        || match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => true,
            IsNormalized::No => false,
            IsNormalized::Maybe => unicode_normalization::is_nfc(text),
        }
}

/// Normalises the strings and keys of a value.
pub(crate) fn normalise(value: &mut Value<'_>) {
    match value {
        Value::String(text) => normalise_text(text),
        Value::Map(entries) => entries.iter_mut().for_each(|(key, _)| normalise_text(key)),
        _ => {}
    }
    value.parts_mut(&mut normalise);
}

fn normalise_text(text: &mut Cow<'_, str>) {
    if !is_normalised(text) {
        *text = text.nfc().collect::<String>().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_normalised_everywhere_in_a_value() {
        let decomposed = || Cow::from("cafe\u{301}");
        let mut value = Value::Sequence(vec![
            Value::String(decomposed()),
            Value::Map(vec![(decomposed(), Value::Null)]),
            Value::String("caf\u{e9}".into()),
        ]);
        normalise(&mut value);
        let [Value::String(text), Value::Map(entries), Value::String(kept)] = value.items() else {
            panic!("{value:?}")
        };
        assert_eq!((&**text, &*entries[0].0, &**kept), ("caf\u{e9}", "caf\u{e9}", "caf\u{e9}"));
    }
}
