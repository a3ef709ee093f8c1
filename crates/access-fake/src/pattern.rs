//! Text patterns in which `*` stands for any text.

/// Returns whether `text` contains `pattern` or, if the pattern contains a `*`, matches it as a
/// whole.
pub(crate) fn contains_or_matches(pattern: &str, text: &str) -> bool {
    if pattern.contains('*') { matches(pattern, text) } else { text.contains(pattern) }
}

/// Returns whether `text` equals `pattern`, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_is_contained_or_matches_the_whole_text() {
        let table = [
            ("/roles/", "/listings/x/roles/y", true),
            ("/owners", "/listings/x/roles/y", false),
            ("*/roles/*", "/listings/x/roles/y", true),
            ("/listings/*/roles", "/listings/x/roles/y", false),
            ("/listings/*/roles", "/listings/x/roles", true),
            ("/listings/*/*s", "/listings/x/roles", true),
            ("a*a", "a", false),
            ("*", "", true),
        ];
        for (pattern, text, expected) in table {
            assert_eq!(contains_or_matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
