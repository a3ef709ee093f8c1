//! The documentation of functions begins with a verb, as in the standard library: "Returns …". A function
//! that returns nothing begins with another one.

use std::fs;

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, ItemFn, ItemMod, ReturnType, Signature, TraitItemFn};

use crate::{sources, top};

/// Collects the functions whose documentation does not begin with a verb, or begins with "Returns"
/// although they return nothing.
#[derive(Default)]
struct Functions {
    documented: usize,
    without_verb: Vec<String>,
    without_result: Vec<String>,
}

impl Functions {
    /// Collects the functions of a source.
    fn of(source: &str) -> Self {
        let mut functions = Self::default();
        functions.visit_file(&syn::parse_file(source).unwrap());
        functions
    }

    fn check(&mut self, attributes: &[Attribute], signature: &Signature) {
        let Some(first_line) = attributes.iter().find_map(documentation) else { return };
        self.documented += 1;
        if !begins_with_verb(&first_line) {
            self.without_verb.push(format!("{}: {first_line}", signature.ident));
        }
        let describes_result = first_line.split_whitespace().next() == Some("Returns");
        if describes_result && matches!(signature.output, ReturnType::Default) {
            self.without_result.push(format!("{}: {first_line}", signature.ident));
        }
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        let is_for_tests = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if !is_for_tests {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.check(&item.attrs, &item.sig);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.check(&item.attrs, &item.sig);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        self.check(&item.attrs, &item.sig);
    }
}

/// Returns the line of documentation in an attribute, unless it is empty.
fn documentation(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = &pair.value else {
        return None;
    };
    let line = line.value().trim().to_owned();
    (pair.path.is_ident("doc") && !line.is_empty()).then_some(line)
}

/// Returns whether the first word can be a verb in the third person.
fn begins_with_verb(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches([',', '.', ':']);
    word.len() > 2
        && word.ends_with('s')
        && word.starts_with(char::is_uppercase)
        && word.chars().skip(1).all(char::is_lowercase)
}

/// Returns whether a file contains tests alone.
fn is_test(file: &str) -> bool {
    file.starts_with("tests/") || file.contains("/tests/") || file.ends_with("tests.rs")
}

#[test]
fn functions_are_documented_with_a_verb() {
    let mut documented = 0;
    let mut report = Vec::new();
    for file in sources().iter().filter(|file| !is_test(file)) {
        let functions = Functions::of(&fs::read_to_string(top().join(file)).unwrap());
        documented += functions.documented;
        report.extend(functions.without_verb.iter().map(|function| format!("{file}: {function}")));
    }
    assert!(documented > 500, "{documented} documented functions");
    assert!(report.is_empty(), "Begin with a verb, such as \"Returns\":\n{}", report.join("\n"));
}

#[test]
fn verb_is_recognised() {
    for line in ["Returns the name.", "Waits, unless it is interrupted.", "Lists: all of them"] {
        assert!(begins_with_verb(line), "{line}");
    }
    for line in ["The name.", "Whether it exists.", "`x` of y", "Is it", ""] {
        assert!(!begins_with_verb(line), "{line}");
    }
}

#[test]
fn functions_that_return_nothing_are_not_documented_with_a_result() {
    let mut report = Vec::new();
    for file in sources() {
        let functions = Functions::of(&fs::read_to_string(top().join(&file)).unwrap());
        report
            .extend(functions.without_result.iter().map(|function| format!("{file}: {function}")));
    }
    assert!(report.is_empty(), "These functions return nothing:\n{}", report.join("\n"));
}

#[test]
fn documented_result_is_compared_with_the_signature() {
    let functions = Functions::of(
        "/// Returns every file.\nfn check_files() {}\n\
         /// Returns a name.\nfn name() -> String { String::new() }\n\
         /// Checks the files.\nasync fn check() {}\n\
         struct A;\nimpl A {\n    /// Returns the host.\n    async fn prepare(&self) {}\n}\n",
    );
    assert_eq!(functions.documented, 4);
    let found = ["check_files: Returns every file.", "prepare: Returns the host."];
    assert_eq!(functions.without_result, found);
}
