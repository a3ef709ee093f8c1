//! Which of an argument of the provider block and its environment variable counts, and how invalid
//! values are reported.
//!
//! An argument wins over its variable, which counts only if the argument is null or blank: never if
//! it is unknown, because a value that another resource will give must not be replaced by a default
//! in the meantime.

use std::borrow::Cow;

use plugin_server::Report as _;
use plugin_server::value::Number;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::arguments::{API_KEY, variable_of};
use crate::environment::Environment;

/// An argument cannot be used: it is unknown, or its error is in the diagnostics.
#[derive(Debug)]
pub(super) struct Unusable;

/// The value of an argument; `None` if it is not set.
pub(super) type Setting<T> = Result<Option<T>, Unusable>;

/// A text that is set, and the variable that it comes from.
pub(super) struct Text {
    value: String,
    variable: Option<String>,
}

impl Text {
    /// Returns the text.
    pub(super) fn as_str(&self) -> &str {
        &self.value
    }
}

/// Reads arguments, collects the unknown ones, and reports invalid ones at the argument.
pub(super) struct SettingsReader<'a> {
    /// The diagnostics of the call.
    pub(super) diags: &'a mut Diagnostics,
    /// The arguments that are not known yet, each once.
    pub(super) unknown: Vec<&'static str>,
    environment: Environment<'a>,
}

impl<'a> SettingsReader<'a> {
    /// Creates a reader.
    ///
    /// `environment` returns a variable, with [`char::REPLACEMENT_CHARACTER`] for what is not valid
    /// Unicode, which is refused: a variable that is set must not count as unset.
    pub(super) fn new(diags: &'a mut Diagnostics, environment: Environment<'a>) -> Self {
        Self { diags, unknown: Vec::new(), environment }
    }

    /// Parses a text argument, or its variable if the argument is not set. `parse` returns a
    /// sentence about the rule that the text breaks.
    ///
    /// # Errors
    ///
    /// The argument is unknown, or its value is invalid, which is added to the diagnostics.
    pub(super) fn text<T>(
        &mut self,
        argument: &'static str,
        value: &Value<String>,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Setting<T> {
        let text = self.argument(argument, value)?.or_else(|| self.variable(argument));
        text.map(|text| self.parsed(argument, &text, parse)).transpose()
    }

    /// Parses a number. It has no variable. `parse` returns `None` for a number that breaks `rule`,
    /// such as "a whole number from 0 to 9".
    ///
    /// # Errors
    ///
    /// The argument is unknown, or its value is invalid, which is added to the diagnostics.
    pub(super) fn number<T>(
        &mut self,
        argument: &'static str,
        value: &Value<Number>,
        rule: &str,
        parse: impl FnOnce(&Number) -> Option<T>,
    ) -> Setting<T> {
        let Some(number) = self.known(argument, value)? else { return Ok(None) };
        match parse(number) {
            None => Err(self.invalid(argument, format!("Must be {rule}, not {number}."))),
            parsed => Ok(parsed),
        }
    }

    /// Returns a required setting, or adds an error if it is not set. `purpose` is a sentence.
    pub(super) fn required<T>(
        &mut self,
        argument: &'static str,
        setting: Setting<T>,
        purpose: &str,
    ) -> Option<T> {
        let value = setting.ok()?;
        if value.is_none() {
            let variable = variable_of(argument);
            let or_variable = variable.map(|name| format!(" or the environment variable `{name}`"));
            self.diags.report_attribute_error(
                argument,
                format!("Missing {argument}"),
                format!(
                    "Set the argument `{argument}`{}. {purpose}",
                    or_variable.unwrap_or_default()
                ),
            );
        }
        value
    }

    /// Returns a text argument, without its variable. Blank counts as not set.
    ///
    /// # Errors
    ///
    /// The argument is unknown.
    pub(super) fn argument(
        &mut self,
        argument: &'static str,
        value: &Value<String>,
    ) -> Setting<Text> {
        let text = self.known(argument, value)?.filter(|text| is_set(text));
        Ok(text.map(|text| Text { value: text.clone(), variable: None }))
    }

    /// Returns the variable of a text argument. Blank counts as not set.
    pub(super) fn variable(&self, argument: &str) -> Option<Text> {
        let variable = variable_of(argument)?;
        let value = (self.environment)(&variable).filter(|text| is_set(text))?;
        Some(Text { value, variable: Some(variable) })
    }

    /// Returns the value of an argument of any type.
    ///
    /// # Errors
    ///
    /// The argument is unknown.
    pub(super) fn known<'v, T>(
        &mut self,
        argument: &'static str,
        value: &'v Value<T>,
    ) -> Setting<&'v T> {
        if value.is_unknown() {
            if !self.unknown.contains(&argument) {
                self.unknown.push(argument);
            }
            return Err(Unusable);
        }
        Ok(value.as_ref_option())
    }

    /// Parses a text that [`argument`](Self::argument) or [`variable`](Self::variable) has
    /// returned. `parse` returns a sentence about the rule that the text breaks.
    ///
    /// # Errors
    ///
    /// The text is invalid, which is added to the diagnostics.
    pub(super) fn parsed<T>(
        &mut self,
        argument: &'static str,
        text: &Text,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Unusable> {
        let result = if text.variable.is_some() && text.value.contains(char::REPLACEMENT_CHARACTER)
        {
            Err("Must be text in UTF-8.".to_owned())
        } else {
            parse(&text.value)
        };
        result.map_err(|rule| {
            let source = self.source(argument, text);
            self.invalid(argument, rule + &source)
        })
    }

    /// Adds the error of an invalid value. `detail` is a sentence about the rule that it breaks.
    pub(super) fn invalid(&mut self, argument: &'static str, detail: String) -> Unusable {
        self.diags.report_attribute_error(argument, format!("Invalid {argument}"), detail);
        Unusable
    }

    /// Returns the sentence about the variable that a value comes from, which shows the value
    /// unless it is the key. Returns an empty text for the value of an argument.
    fn source(&self, argument: &str, text: &Text) -> String {
        let Some(variable) = &text.variable else { return String::new() };
        if argument == API_KEY {
            return format!(" The value comes from the environment variable {variable}.");
        }
        let value = without_user_info(&text.value);
        let shown: String = value.chars().filter(|c| !c.is_control()).take(200).collect();
        format!(" The environment variable {variable} is set to {shown:?}.")
    }
}

/// Returns whether a text sets its argument: blanks alone do not.
fn is_set(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Replaces the user info of a URL, which may contain a password.
fn without_user_info(text: &str) -> Cow<'_, str> {
    let Some((user_info, rest)) = text.rsplit_once('@') else { return text.into() };
    // Up to the last "@": a password that is not percent-encoded may contain "/" or "@".
    let scheme = user_info.split_once("://").map_or("", |(scheme, _)| scheme);
    format!("{scheme}://[redacted]@{rest}").into()
}

/// Returns the parser of a text argument with two values, for [`SettingsReader::text`].
pub(super) fn one_of<T: Copy>(
    [first, second]: [(&'static str, T); 2],
) -> impl FnOnce(&str) -> Result<T, String> {
    move |text| match [first, second].into_iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value),
        None => Err(format!("Must be `{}` or `{}`, not {text:?}.", first.0, second.0)),
    }
}

/// Returns the value of the header `User-Agent` in the form of HashiCorp's providers: Terraform's
/// version, `product` (`terraform-provider-access/1.0.0`), and the variable `TF_APPEND_USER_AGENT`.
/// Adds an error if no header can contain the variable.
pub(super) fn user_agent(
    terraform_version: &str,
    product: &str,
    environment: Environment<'_>,
    diags: &mut Diagnostics,
) -> String {
    let own = format!("Terraform/{terraform_version} (+https://www.terraform.io) {product}");
    let variable = environment("TF_APPEND_USER_AGENT").unwrap_or_default();
    let text = variable.trim();
    if text.is_empty() {
        return own;
    }
    let refused = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && c != '\t';
    if text.contains(refused) {
        let shown: String = text.chars().take(200).collect();
        diags.report_error(
            "Invalid TF_APPEND_USER_AGENT",
            format!(
                "Must be text in UTF-8 without line breaks and other control characters, because it is \
                 sent in an HTTP header. The environment variable TF_APPEND_USER_AGENT is set to \
                 {shown:?}."
            ),
        );
    }
    format!("{own} {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a required number. Returns it, or the unknown argument, or the only error.
    fn outcome(argument: &'static str, text: &str, variable: &str) -> String {
        let value = match text {
            "" => Value::Null,
            "?" => Value::Unknown,
            text => Value::Value(text.to_owned()),
        };
        let environment = |_: &str| Some(variable.to_owned());
        let mut diags = Diagnostics::default();
        let mut reader = SettingsReader::new(&mut diags, &environment);
        let setting = reader.text(argument, &value, |text| {
            text.parse().map_err(|_| "Must be a number.".to_owned())
        });
        let number: Option<u8> = reader.required(argument, setting, "Needed.");
        let read = number.map(|number| number.to_string()).unwrap_or_default();
        let unknown = reader.unknown.concat();
        read + &unknown + &diags.errors.iter().map(|error| &*error.detail).collect::<String>()
    }

    #[test]
    fn variable_counts_only_if_the_argument_is_null_or_blank() {
        for (argument, text, variable, expected) in [
            ("repo_dir", "3", "bad", "3"),
            ("repo_dir", "?", "4", "repo_dir"),
            ("repo_dir", "", "4", "4"),
            ("repo_dir", " ", "4", "4"),
            ("repo_dir", "bad", "4", "Must be a number."),
            (
                "repo_dir",
                "",
                " ",
                "Set the argument `repo_dir` or the environment variable `ACCESS_REPO_DIR`. Needed.",
            ),
            ("repo_detection", "", "4", "Set the argument `repo_detection`. Needed."),
        ] {
            assert_eq!(outcome(argument, text, variable), expected, "{argument} {text:?}");
        }
    }

    #[test]
    fn error_names_the_variable_and_shows_no_secret() {
        let source = "The value comes from the environment variable ACCESS_API_KEY.";
        let shown =
            |value| format!("The environment variable ACCESS_REPO_DIR is set to {value:?}.");
        for (argument, variable, expected) in [
            ("repo_dir", "b\na\td", format!("Must be a number. {}", shown("bad"))),
            (
                "repo_dir",
                "a://b:c/@d@e",
                format!("Must be a number. {}", shown("a://[redacted]@e")),
            ),
            ("api_key", "bad", format!("Must be a number. {source}")),
            ("api_key", "4\u{fffd}", format!("Must be text in UTF-8. {source}")),
        ] {
            assert_eq!(outcome(argument, "", variable), expected);
        }
    }
}
