//! The arguments that need more than a parser: the key and the headers.

use std::collections::BTreeMap;
use std::path::Path;

use access_client::{ApiKey, ExtraHeader};
use plugin_server::Report as _;
use tf_provider::value::Value;

use super::arguments::{API_KEY, API_KEY_FILE, HEADERS, ProviderConfig};
use super::key_file::KeyFile;
use super::settings::{Setting, SettingsReader, Text, Unusable};

/// Returns the key of the first source that is set: the arguments before the variables, the key
/// itself before the file. `validate` needs no key and reads no file.
pub(super) fn api_key(
    reader: &mut SettingsReader<'_>,
    config: &ProviderConfig,
    reads_file: bool,
) -> Setting<ApiKey> {
    let key = reader.argument(API_KEY, &config.api_key);
    let path = reader.argument(API_KEY_FILE, &config.api_key_file);
    let (key, path) = match (key?, path?) {
        (Some(_), Some(_)) => {
            reader.diags.report_attribute_error(
                API_KEY_FILE,
                "Conflicting arguments",
                "`api_key` and `api_key_file` are both set. Remove one of them.",
            );
            return Err(Unusable);
        }
        (None, None) => (reader.variable(API_KEY), reader.variable(API_KEY_FILE)),
        set => set,
    };
    match (key, path) {
        (Some(key), _) => reader.parsed(API_KEY, &key, parse_key).map(Some),
        (None, Some(path)) if reads_file => key_of_file(reader, &path).map(Some),
        (None, _) => Ok(None),
    }
}

fn parse_key(text: &str) -> Result<ApiKey, String> {
    ApiKey::parse(text).map_err(|error| format!("The API key {error}. Its value is not shown."))
}

/// Reads the file each time the provider is configured, so a rotated key is used from the next run
/// on.
fn key_of_file(reader: &mut SettingsReader<'_>, path: &Text) -> Result<ApiKey, Unusable> {
    let file = reader.parsed(API_KEY_FILE, path, |path| {
        KeyFile::read(Path::new(path))
            .map_err(|error| format!("The file {path:?} {error}. Its content is not shown."))
    })?;
    if file.readable_by_others {
        reader.diags.report_attribute_warning(
            API_KEY_FILE,
            "Every user of this machine can read the API key",
            format!(
                "The permissions of the file {:?} allow every user to read it. Restrict them with \
                 `chmod 600`, or with the mode of the mounted secret.",
                path.as_str()
            ),
        );
    }
    Ok(file.key)
}

/// Returns the headers of `request_headers`, each checked. None of its values is shown.
pub(super) fn headers(
    reader: &mut SettingsReader<'_>,
    value: &Value<BTreeMap<String, Value<String>>>,
) -> Setting<Vec<ExtraHeader>> {
    let Some(headers) = reader.known(HEADERS, value)? else { return Ok(None) };
    let mut parsed = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let header = match reader.known(HEADERS, value)? {
            Some(value) => ExtraHeader::parse(name, value).map_err(|error| error.to_string()),
            None => Err("has no value".to_owned()),
        };
        let invalid = |error| reader.invalid(HEADERS, format!("{name:?} {error}."));
        parsed.push(header.map_err(invalid)?);
    }
    Ok(Some(parsed))
}
