//! Reads the arguments and their variables by the table of [`ARGUMENTS`].
//!
//! An argument wins over its variable, which counts only if the argument is null or blank: never if
//! it is unknown, because a value that another resource will give must not be replaced by a default
//! in the meantime.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plugin_server::Report as _;
use plugin_server::value::Number;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::arguments::{ARGUMENTS, Absent, Argument, ArgumentType, Values};
use crate::environment::Environment;

/// The values of the provider block, by argument. Not `Debug`: it contains the key.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ProviderConfig(pub(super) BTreeMap<String, Value<Given>>);

/// The value of an argument.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Given {
    Text(String),
    Number(Number),
}

/// Reads a provider block and the environment.
pub(super) struct Reader<'a> {
    pub(super) config: &'a ProviderConfig,
    /// Returns a variable, with [`char::REPLACEMENT_CHARACTER`] for what is not valid Unicode, which
    /// is refused: a variable that is set must not count as unset.
    pub(super) environment: Environment<'a>,
    /// Whether no variable sets an argument: the environment only shows which value is the key.
    pub(super) is_validate: bool,
}

/// A text that is set, and the variable that it comes from.
struct Text {
    value: String,
    variable: Option<&'static str>,
}

impl ProviderConfig {
    /// Returns a block with at most the base address.
    pub(crate) fn with_base_url(base_url: Option<&str>) -> Self {
        let value = |text: &str| Value::Value(Given::Text(text.to_owned()));
        Self(base_url.map(|text| ("base_url".to_owned(), value(text))).into_iter().collect())
    }

    fn is_unknown(&self, argument: &str) -> bool {
        self.0.get(argument).is_some_and(Value::is_unknown)
    }

    /// Returns the known value of an argument.
    fn text(&self, argument: &str) -> Option<Cow<'_, str>> {
        Some(match self.0.get(argument)?.as_ref_option()? {
            Given::Text(text) => text.into(),
            Given::Number(number) => number.to_string().into(),
        })
    }
}

impl Reader<'_> {
    /// Returns the arguments that are not known yet.
    pub(super) fn unknown(&self) -> Vec<&'static str> {
        let names = ARGUMENTS.iter().map(|argument| argument.name);
        names.filter(|name| self.config.is_unknown(name)).collect()
    }

    /// Reads every argument that is known, so that all errors are reported at once. A required
    /// argument has to be set if all are known.
    pub(super) fn read(&self, diags: &mut Diagnostics) -> Values {
        let mut values = Values::default();
        let is_complete = !self.is_validate && self.unknown().is_empty();
        for argument in ARGUMENTS.iter().filter(|it| !self.config.is_unknown(it.name)) {
            let name = argument.name;
            let default = |value: &str| Text { value: value.to_owned(), variable: None };
            let text = match (self.text(argument), &argument.absent) {
                (Some(text), _)
                    if argument.argument_type != ArgumentType::Secret
                        && self.is_key(&text.value) =>
                {
                    let source = self.source(&text);
                    let detail =
                        format!("The value of `{name}` is the API key, and is not shown.{source}");
                    // Not at the attribute: hosts print the line that has the value.
                    diags.report_error(format!("Invalid {name}"), detail);
                    continue;
                }
                (Some(text), _) => text,
                (None, Absent::Default(value)) => default(value),
                (None, Absent::Error(purpose)) if is_complete => {
                    let variable = argument.variable.unwrap_or_default();
                    let detail = format!(
                        "Set the argument `{name}` or the environment variable `{variable}`. {purpose}"
                    );
                    diags.report_attribute_error(name, format!("Missing {name}"), detail);
                    continue;
                }
                (None, Absent::Error(_) | Absent::Nothing) => continue,
            };
            let is_unreadable = text.value.contains(char::REPLACEMENT_CHARACTER);
            let result = match text.variable {
                Some(_) if is_unreadable => Err("Must be text in UTF-8.".to_owned()),
                _ => (argument.set)(&text.value, &mut values),
            };
            if let Err(rule) = result {
                let detail = self.detail(argument, &text, rule);
                diags.report_attribute_error(name, format!("Invalid {name}"), detail);
            }
        }
        values
    }

    /// Returns the value of the header `User-Agent` in the form of HashiCorp's providers:
    /// Terraform's version, `product` (`terraform-provider-access/1.0.0`), and the variable
    /// `TF_APPEND_USER_AGENT`. Adds an error if no header can or may contain the variable.
    pub(super) fn user_agent(
        &self,
        terraform_version: &str,
        product: &str,
        diags: &mut Diagnostics,
    ) -> String {
        let agent = match terraform_version {
            // `export` runs without Terraform.
            "" => product.to_owned(),
            version => format!("Terraform/{version} (+https://www.terraform.io) {product}"),
        };
        let Some(text) = self.variable("TF_APPEND_USER_AGENT") else { return agent };
        let refused = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && c != '\t';
        let added = text.value.trim();
        let rule = if self.is_key(added) {
            "Must not be the API key, because gateways log it."
        } else if added.contains(refused) {
            "Must be text in UTF-8 without line breaks and other control characters, because it is sent in \
             an HTTP header."
        } else {
            return format!("{agent} {added}");
        };
        let detail = format!("{rule}{}", self.source(&text));
        diags.report_error("Invalid TF_APPEND_USER_AGENT", detail);
        agent
    }

    /// Returns what an argument or its variable is set to. Blank counts as not set.
    fn text(&self, argument: &Argument) -> Option<Text> {
        let value = self.config.text(argument.name).filter(|text| is_set(text));
        value
            .map(|value| Text { value: value.into_owned(), variable: None })
            .or_else(|| self.variable(argument.variable.filter(|_| !self.is_validate)?))
    }

    /// Returns a variable. Blank counts as not set.
    fn variable(&self, name: &'static str) -> Option<Text> {
        let value = (self.environment)(name).filter(|text| is_set(text))?;
        Some(Text { value, variable: Some(name) })
    }

    /// Returns the detail of the error of an invalid value: the rule that it breaks, and the
    /// variable that it comes from.
    fn detail(&self, argument: &Argument, text: &Text, rule: String) -> String {
        match (argument.argument_type, text.variable) {
            (ArgumentType::Secret, Some(variable)) => {
                format!("{rule} The value comes from the environment variable {variable}.")
            }
            _ => rule + &self.source(text),
        }
    }

    /// Returns the sentence about the variable that a value comes from; an empty text for the value
    /// of an argument.
    fn source(&self, Text { value, variable }: &Text) -> String {
        let Some(variable) = variable else { return String::new() };
        if self.is_key(value) {
            return format!(" The environment variable {variable} is set to the API key.");
        }
        let shown: String = presentable(value).chars().take(200).collect();
        format!(" The environment variable {variable} is set to {shown:?}.")
    }

    /// Returns whether a text is the key, which a variable or another argument may hold by mistake.
    fn is_key(&self, text: &str) -> bool {
        let secrets =
            ARGUMENTS.iter().filter(|argument| argument.argument_type == ArgumentType::Secret);
        let mut values = secrets.flat_map(|argument| {
            let argument_value = self.config.text(argument.name).map(Cow::into_owned);
            let variable = argument.variable.and_then(|name| self.variable(name));
            [argument_value, variable.map(|text| text.value)]
        });
        values.any(|value| value.is_some_and(|value| value.trim() == text.trim()))
    }
}

/// Returns whether a text sets its argument: blanks alone do not.
fn is_set(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Removes the parts of a URL that may contain secrets: the user info, and what follows `?` or `#`.
fn presentable(text: &str) -> String {
    let (address, secrets) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
    let hidden = if secrets.is_empty() { "" } else { "…" };
    let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
    // A password that is not percent-encoded may contain any character.
    match address.rsplit_once('@') {
        _ if secrets.contains('@') => format!("{scheme}://[redacted]@…"),
        None => format!("{address}{hidden}"),
        Some((_, host)) => format!("{scheme}://[redacted]@{host}{hidden}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_of_a_url_is_shown() {
        for (text, shown) in [
            ("https://access.example/eu", "https://access.example/eu"),
            ("https://access.example/?key=secret", "https://access.example/…"),
            ("https://access.example/#secret", "https://access.example/…"),
            ("a://b:secret@e", "a://[redacted]@e"),
            ("a://b:secret/@secret@e/x", "a://[redacted]@e/x"),
            ("a://b:secret?secret@e", "a://[redacted]@…"),
            ("a://e/?to=secret@secret", "a://[redacted]@…"),
            ("a://b:secret@e/?secret", "a://[redacted]@e/…"),
        ] {
            assert_eq!(presentable(text), shown, "{text}");
        }
    }
}
