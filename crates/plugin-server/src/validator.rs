//! Validators of configurations, whose errors name the attribute.
//!
//! Null and unknown values pass, because hosts check required attributes themselves and validate
//! again once all values are known.
//!
//! ```
//! use plugin_server::validator::{Validate, exactly_one_of};
//! use plugin_server::tf_provider::Diagnostics;
//! use plugin_server::tf_provider::value::Value;
//!
//! let mut diags = Diagnostics::default();
//! let label = Value::Value("plum/2026".to_owned());
//! diags.validate("label", &label).not_blank().satisfies(|label| {
//!     if label.contains('/') { Err("must not contain a slash") } else { Ok(()) }
//! });
//! assert_eq!(diags.errors[0].summary, "Invalid label");
//! assert_eq!(diags.errors[0].detail, "`label` must not contain a slash.");
//!
//! let id = Value::Value(1);
//! let owner = Value::<String>::Null;
//! exactly_one_of(&mut diags, &[("id", &id), ("owner", &owner)]);
//! assert_eq!(diags.errors.len(), 1);
//! ```

use std::fmt::Display;

use tf_provider::value::Value;
use tf_provider::{AttributePath, AttributePathStep, Diagnostics};

use crate::report::{Report as _, ToAttributePath};

/// Validates the attributes of a configuration.
pub trait Validate {
    /// Begins the validation of one attribute.
    fn validate<'v, T>(
        &'v mut self,
        attribute: impl ToAttributePath,
        value: &'v Value<T>,
    ) -> Validator<'v, T>;
}

impl Validate for Diagnostics {
    fn validate<'v, T>(
        &'v mut self,
        attribute: impl ToAttributePath,
        value: &'v Value<T>,
    ) -> Validator<'v, T> {
        let value = value.as_ref_option();
        Validator { diags: self, attribute: attribute.to_attribute_path(), value }
    }
}

/// The validation of one attribute. Each method adds an error if the value does not pass.
pub struct Validator<'v, T> {
    diags: &'v mut Diagnostics,
    attribute: AttributePath,
    /// `None` for a null or an unknown value, which passes, and after the first error.
    value: Option<&'v T>,
}

impl<'v, T> Validator<'v, T> {
    /// Requires that `check` returns `Ok`. Its error continues a sentence that begins with the name
    /// of the attribute, such as "must not contain a slash". It must not contain a secret.
    pub fn satisfies<V, E: Display>(mut self, check: impl FnOnce(&'v T) -> Result<V, E>) -> Self {
        if let Some(Err(error)) = self.value.map(check) {
            self.refuse(&error.to_string());
        }
        self
    }

    fn require(mut self, passes: impl FnOnce(&T) -> bool, what: impl FnOnce() -> String) -> Self {
        if self.value.is_some_and(|value| !passes(value)) {
            self.refuse(&what());
        }
        self
    }

    fn refuse(&mut self, what: &str) {
        let name = name(&self.attribute);
        let stop = if what.ends_with('.') { "" } else { "." };
        let summary = format!("Invalid {name}");
        let detail = format!("`{name}` {what}{stop}");
        self.diags.report_attribute_error(self.attribute.clone(), summary, detail);
        self.value = None;
    }
}

impl<T: AsRef<str>> Validator<'_, T> {
    /// Requires text that is more than white space.
    pub fn not_blank(self) -> Self {
        self.require(|text| !text.as_ref().trim().is_empty(), || "must not be blank".to_owned())
    }
}

/// An attribute of any type, for checks of several attributes at once.
pub trait Argument {
    /// Returns whether the configuration sets the attribute; `None` if that is not known yet.
    fn is_set(&self) -> Option<bool>;
}

impl<T> Argument for Value<T> {
    fn is_set(&self) -> Option<bool> {
        match self {
            Self::Value(_) => Some(true),
            Self::Null => Some(false),
            Self::Unknown => None,
        }
    }
}

/// Adds an error unless the configuration sets exactly one of these attributes. Returns `None` in
/// that case.
pub fn exactly_one_of(
    diags: &mut Diagnostics,
    attributes: &[(&'static str, &dyn Argument)],
) -> Option<()> {
    let set: Vec<&'static str> = attributes
        .iter()
        .filter(|(_, argument)| argument.is_set() == Some(true))
        .map(|(name, _)| *name)
        .collect();
    let may_be_set = attributes.iter().any(|(_, argument)| argument.is_set().is_none());
    let names: Vec<&str> = attributes.iter().map(|(name, _)| *name).collect();
    let rule = format!("Exactly one of {} must be set", listed(&names, "and"));
    match set[..] {
        [] if !may_be_set => {
            diags.report_error("Missing argument", format!("{rule}, and none of them is."));
            None
        }
        [] | [_] => Some(()),
        [.., last] => {
            let detail = format!("{rule}, not {}.", listed(&set, "and"));
            diags.report_attribute_error(last, "Conflicting arguments", detail);
            None
        }
    }
}

/// Returns the name of the innermost attribute of a path.
fn name(attribute: &AttributePath) -> String {
    let names = attribute.steps.iter().rev().filter_map(|step| match step {
        AttributePathStep::Attribute(name) => Some(name.to_string()),
        AttributePathStep::Key(_) | AttributePathStep::Index(_) => None,
    });
    names.into_iter().next().unwrap_or_else(|| "value".to_owned())
}

/// Returns the names as a list in a sentence: "`a`, `b` or `c`".
fn listed(names: &[&str], conjunction: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("{} {conjunction} {last}", rest.join(", "))
        }
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the errors of a check, each with its path.
    fn errors(check: impl FnOnce(&mut Diagnostics)) -> Vec<(String, String)> {
        let mut diags = Diagnostics::default();
        check(&mut diags);
        let found = diags.errors.into_iter();
        found.map(|error| (error.attribute.to_string(), error.detail.into_owned())).collect()
    }

    fn text(text: &str) -> Value<String> {
        Value::Value(text.to_owned())
    }

    #[test]
    fn validator_passes_null_and_unknown_values() {
        for value in [Value::Null, Value::Unknown] {
            let found = errors(|diags| {
                let validator = diags.validate::<String>("label", &value).not_blank();
                validator.satisfies(|_| Err::<(), _>("must be known"));
            });
            assert_eq!(found, []);
        }
    }

    #[test]
    fn validator_names_the_attribute_and_the_rule() {
        type Check = fn(Validator<'_, String>) -> Validator<'_, String>;
        let cases: [(&str, Check, &str); 3] = [
            ("  ", |label| label.not_blank(), "`label` must not be blank."),
            (
                "fig",
                |label| label.satisfies(|_| Err::<(), _>("is not ripe")),
                "`label` is not ripe.",
            ),
            (
                "",
                |label| label.not_blank().satisfies(|_| Err::<(), _>("is not ripe")),
                "`label` must not be blank.",
            ),
        ];
        for (label, check, detail) in cases {
            let label = text(label);
            let found = errors(|diags| drop(check(diags.validate("label", &label))));
            assert_eq!(found, [("label".to_owned(), detail.to_owned())]);
        }
        let passes = text("süß");
        let found = errors(|diags| {
            let label = diags.validate("label", &passes).not_blank();
            label.satisfies(|label| label.parse::<String>());
        });
        assert_eq!(found, []);
    }

    #[test]
    fn validator_shows_the_whole_path_of_a_nested_attribute() {
        let path = AttributePath::new("rules").index(1).attribute("name");
        let found = errors(|diags| drop(diags.validate(path.clone(), &text("")).not_blank()));
        assert_eq!(found, [(path.to_string(), "`name` must not be blank.".to_owned())]);
    }

    #[test]
    fn exactly_one_of_waits_for_unknown_values() {
        let set = text("a");
        let null = Value::<i64>::Null;
        let unknown = Value::<bool>::Unknown;
        let cases: [(&dyn Argument, &dyn Argument, Option<&str>); 6] = [
            (&set, &null, None),
            (&null, &set, None),
            (&unknown, &null, None),
            (&unknown, &set, None),
            (&null, &null, Some("Exactly one of `a` and `b` must be set, and none of them is.")),
            (&set, &set, Some("Exactly one of `a` and `b` must be set, not `a` and `b`.")),
        ];
        for (a, b, expected) in cases {
            let mut passes = None;
            let found = errors(|diags| passes = exactly_one_of(diags, &[("a", a), ("b", b)]));
            let details: Vec<&str> = found.iter().map(|(_, detail)| detail.as_str()).collect();
            assert_eq!(
                (details, passes),
                (expected.into_iter().collect(), expected.is_none().then_some(()))
            );
        }
    }
}
