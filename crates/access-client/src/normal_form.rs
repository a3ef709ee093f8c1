//! Normal form C of Unicode, in which Terraform stores every text. Without it, an `é` of two
//! characters, as some services and file systems store it, differs from the `é` of a configuration.

use unicode_normalization::UnicodeNormalization as _;

/// Returns a text in normal form C.
#[must_use]
pub fn normal_form(text: String) -> String {
    if text.is_ascii() { text } else { text.nfc().collect() }
}
