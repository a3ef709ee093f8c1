//! The forms in which a text can contain a secret.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Returns what no output may contain: a part of the secret that does not occur by chance and that
/// escapes leave alone, and the secret in base64, at each of the three alignments.
pub(crate) fn forms(secret: &str, part: &str) -> Vec<String> {
    let in_base64 = (0..3).map(|shift| {
        let encoded = STANDARD_NO_PAD.encode(format!("{}{secret}", "x".repeat(shift)));
        // The ends depend on the text around the secret.
        encoded[4..encoded.len() - 4].to_owned()
    });
    in_base64.chain([part.to_owned()]).collect()
}

/// Returns what the files in a plan contain.
pub(crate) fn unpacked(plan: &Path) -> Vec<u8> {
    let file = std::fs::File::open(plan).expect("a plan");
    let mut archive = zip::ZipArchive::new(file).expect("a plan is an archive");
    assert!(!archive.is_empty());
    let mut bytes = Vec::new();
    for index in 0..archive.len() {
        archive.by_index(index).expect("a member").read_to_end(&mut bytes).expect("its bytes");
    }
    bytes
}
