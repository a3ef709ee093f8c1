//! Reads an argument: its value or its variable, and the error of an invalid one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use access_client::{ApiKey, ExtraHeader, KeyFile, PemBundle};
use plugin_server::Report as _;
use plugin_server::value::Number;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::arguments::{ProviderConfig, variable_of};
use crate::environment::Environment;

/// The argument whose value is never shown.
const API_KEY: &str = "api_key";
const API_KEY_FILE: &str = "api_key_file";
const HEADERS: &str = "request_headers";

/// An argument cannot be used: it is unknown, or its error is in the diagnostics.
pub(super) struct Unusable;

/// The value of an argument; `None` if it is not set.
pub(super) type Setting<T> = Result<Option<T>, Unusable>;

/// Reads arguments, collects the unknown ones, and reports invalid ones at the argument.
pub(super) struct Reader<'a> {
    pub(super) environment: Environment<'a>,
    /// Whether this is `validate`, which needs no key and reads no key file.
    pub(super) validates: bool,
    pub(super) unknown: Vec<&'static str>,
    pub(super) diags: &'a mut Diagnostics,
}

/// A text that is set, and the variable that it comes from.
struct Text {
    value: String,
    variable: Option<String>,
}

impl Reader<'_> {
    /// Parses a text argument, or its variable if the argument is not set. `parse` returns a sentence about
    /// the rule that the text breaks.
    pub(super) fn text<T>(
        &mut self,
        argument: &'static str,
        value: &Value<String>,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Setting<T> {
        let text = self.argument(argument, value)?.or_else(|| self.variable(argument));
        text.map(|text| self.parsed(argument, &text, parse)).transpose()
    }

    /// Returns the key of the first source that is set: the arguments before the variables, the key
    /// itself before the file.
    pub(super) fn api_key(&mut self, config: &ProviderConfig) -> Setting<ApiKey> {
        let key = self.argument(API_KEY, &config.api_key);
        let path = self.argument(API_KEY_FILE, &config.api_key_file);
        let (key, path) = match (key?, path?) {
            (Some(_), Some(_)) => {
                self.diags.report_attribute_error(
                    API_KEY_FILE,
                    "Conflicting arguments",
                    "`api_key` and `api_key_file` are both set. Remove one of them.",
                );
                return Err(Unusable);
            }
            (None, None) => (self.variable(API_KEY), self.variable(API_KEY_FILE)),
            set => set,
        };
        match (key, path) {
            (Some(key), _) => self.parsed(API_KEY, &key, parse_key).map(Some),
            (None, Some(path)) if !self.validates => self.key_of_file(&path).map(Some),
            (None, _) => Ok(None),
        }
    }

    /// Reads the file each time the provider is configured, so a rotated key is used from the next run on.
    fn key_of_file(&mut self, path: &Text) -> Result<ApiKey, Unusable> {
        let file = self.parsed(API_KEY_FILE, path, |path| {
            KeyFile::read(Path::new(path))
                .map_err(|error| format!("The file {path:?} {error}. Its content is not shown."))
        })?;
        if file.readable_by_others {
            self.diags.report_attribute_warning(
                API_KEY_FILE,
                "Every user of this machine can read the API key",
                format!(
                    "The permissions of the file {:?} allow every user to read it. Restrict them with \
                     `chmod 600`, or with the mode of the mounted secret.",
                    path.value
                ),
            );
        }
        Ok(file.key)
    }

    pub(super) fn number<T>(
        &mut self,
        argument: &'static str,
        value: &Value<Number>,
        rule: &str,
        parse: impl FnOnce(&Number) -> Option<T>,
    ) -> Setting<T> {
        let Some(number) = self.known(argument, value)? else { return Ok(None) };
        match parse(number) {
            None => Err(self.invalid(argument, None, format!("Must be {rule}, not {number}."))),
            parsed => Ok(parsed),
        }
    }

    pub(super) fn headers(
        &mut self,
        value: &Value<BTreeMap<String, Value<String>>>,
    ) -> Setting<Vec<ExtraHeader>> {
        let Some(headers) = self.known(HEADERS, value)? else { return Ok(None) };
        let mut parsed = Vec::with_capacity(headers.len());
        for (name, value) in headers {
            let header = match self.known(HEADERS, value)? {
                Some(value) => ExtraHeader::parse(name, value).map_err(|error| error.to_string()),
                None => Err("has no value".to_owned()),
            };
            let invalid = |error| self.invalid(HEADERS, None, format!("{name:?} {error}."));
            parsed.push(header.map_err(invalid)?);
        }
        Ok(Some(parsed))
    }

    /// Returns the addition to the user agent, with a blank before it; nothing if none is set.
    pub(super) fn user_agent_suffix(&mut self) -> String {
        let variable = (self.environment)("TF_APPEND_USER_AGENT").unwrap_or_default();
        let text = variable.trim();
        let refused = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && c != '\t';
        if text.is_empty() {
            return String::new();
        }
        if text.contains(refused) {
            let shown: String = text.chars().take(200).collect();
            self.diags.report_error(
                "Invalid TF_APPEND_USER_AGENT",
                format!(
                    "Must be text in UTF-8 without line breaks and other control characters, because it is \
                     sent in an HTTP header. The environment variable TF_APPEND_USER_AGENT is set to \
                     {shown:?}."
                ),
            );
        }
        format!(" {text}")
    }

    /// Returns a required setting, or adds an error. `purpose` is a sentence.
    pub(super) fn required<T>(
        &mut self,
        argument: &'static str,
        setting: Setting<T>,
        purpose: &str,
    ) -> Option<T> {
        let value = setting.ok()?;
        if value.is_none() {
            let variable = variable_of(argument).unwrap_or_default();
            self.diags.report_attribute_error(
                argument,
                format!("Missing {argument}"),
                format!(
                    "{purpose} Set the argument `{argument}` or the environment variable `{variable}`."
                ),
            );
        }
        value
    }

    /// Returns a text argument. Empty counts as not set.
    fn argument(&mut self, argument: &'static str, value: &Value<String>) -> Setting<Text> {
        let text = self.known(argument, value)?.filter(|text| is_set(text));
        Ok(text.map(|text| Text { value: text.clone(), variable: None }))
    }

    /// Returns the variable of a text argument. Empty counts as not set.
    fn variable(&self, argument: &str) -> Option<Text> {
        let variable = variable_of(argument)?;
        let value = (self.environment)(&variable).filter(|text| is_set(text))?;
        Some(Text { value, variable: Some(variable) })
    }

    /// Returns the value of an argument that is not unknown.
    fn known<'v, T>(&mut self, argument: &'static str, value: &'v Value<T>) -> Setting<&'v T> {
        if value.is_unknown() {
            if !self.unknown.contains(&argument) {
                self.unknown.push(argument);
            }
            return Err(Unusable);
        }
        Ok(value.as_ref_option())
    }

    fn parsed<T>(
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
        result.map_err(|rule| self.invalid(argument, Some(text), rule))
    }

    /// Adds the error of an invalid value. One from the environment is named with its variable and
    /// shown, except the key.
    fn invalid(&mut self, argument: &'static str, text: Option<&Text>, rule: String) -> Unusable {
        let detail = match text {
            Some(Text { value, variable: Some(variable) }) if argument != API_KEY => {
                let value = without_user_info(value);
                let shown: String = value.chars().filter(|c| !c.is_control()).take(200).collect();
                format!("{rule} The environment variable {variable} is set to {shown:?}.")
            }
            Some(Text { variable: Some(variable), .. }) => {
                format!("{rule} The value comes from the environment variable {variable}.")
            }
            _ => rule,
        };
        self.diags.report_attribute_error(argument, format!("Invalid {argument}"), detail);
        Unusable
    }
}

/// Returns the parser of an argument with a few values.
pub(super) fn one_of<T: Copy>(
    [first, second]: [(&'static str, T); 2],
) -> impl FnOnce(&str) -> Result<T, String> {
    move |text| match [first, second].into_iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value),
        None => Err(format!("Must be `{}` or `{}`, not {text:?}.", first.0, second.0)),
    }
}

pub(super) fn read_certificates(path: &str) -> Result<PemBundle, String> {
    fs::read(path)
        .map_err(|error| error.to_string())
        .and_then(|bytes| PemBundle::parse(&bytes).map_err(|error| error.to_string()))
        .map_err(|error| format!("Could not use {path} as a PEM file of certificates: {error}."))
}

fn parse_key(text: &str) -> Result<ApiKey, String> {
    ApiKey::parse(text).map_err(|error| format!("The API key {error}. Its value is not shown."))
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
