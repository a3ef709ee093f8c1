//! Names of resource blocks, made from the IDs of objects.

use std::collections::HashSet;

/// Returns a resource name for each text, in the same order: valid, all different, and the same in
/// each run as long as no two texts make the same name.
pub(super) fn resource_names(texts: &[String]) -> Vec<String> {
    let plain: Vec<String> = texts.iter().map(|text| identifier(text)).collect();
    // No suffix makes the plain name of another object.
    let reserved: HashSet<&String> = plain.iter().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(plain.len());
    for name in &plain {
        let mut candidate = name.clone();
        let mut number = 1_usize;
        while taken.contains(&candidate) || (number > 1 && reserved.contains(&candidate)) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        taken.insert(candidate.clone());
        names.push(candidate);
    }
    names
}

/// Returns the text with everything replaced that a name of Terraform cannot contain. Other
/// letters than ASCII's could, but they would look like each other.
fn identifier(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name
    } else {
        format!("_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        resource_names(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn name_is_a_valid_identifier() {
        let given = ["github_viewer", "a.b c", "1st", "-x", "é", ""];
        assert_eq!(names(&given), ["github_viewer", "a_b_c", "_1st", "_-x", "_", "__2"]);
    }

    #[test]
    fn name_that_is_taken_gets_a_suffix() {
        assert_eq!(
            names(&["a.b", "a_b", "a_b_2", "a:b", "A_b"]),
            ["a_b", "a_b_3", "a_b_2", "a_b_4", "A_b"]
        );
    }

    proptest::proptest! {
        #[test]
        fn names_are_valid_and_different(texts in proptest::collection::vec("[ab_.é12-]{0,4}", 0..40)) {
            let names = resource_names(&texts);
            assert_eq!(names.len(), texts.len());
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
            for name in names {
                assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{name}");
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            }
        }
    }
}
