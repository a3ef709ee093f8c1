//! The service that the environment variables and `--base-url` name, and its lists.

use std::collections::BTreeMap;
use std::path::Path;

use access_client::{
    ApiKey, BaseUrl, Client, Error, ErrorKind, Identifier, Object, ObjectName as _, PemBundle,
    ProxySettings, Settings,
};

use crate::environment;

pub(super) struct Service {
    client: Client,
    base_url: String,
}

impl Service {
    /// Sends no request.
    ///
    /// # Errors
    ///
    /// The base address or the key is missing, or a setting is invalid.
    pub(super) fn connect(base_url: Option<&str>) -> Result<Self, String> {
        let url =
            base_url.map(|url| ("--base-url", url.to_owned())).or_else(|| set("ACCESS_BASE_URL"));
        let (source, url) = url.ok_or("Add `--base-url URL`, or set `ACCESS_BASE_URL`.")?;
        let base_url = BaseUrl::parse(&url).map_err(|error| format!("`{source}` {error}."))?;
        let (source, key) = set("ACCESS_API_KEY").ok_or("Set `ACCESS_API_KEY`.")?;
        let key = ApiKey::parse(&key).map_err(|error| format!("`{source}` {error}."))?;
        let roots = set("ACCESS_CA_FILE").map(|(source, path)| {
            PemBundle::read(Path::new(&path)).map_err(|error| format!("`{source}`: {error}"))
        });
        let settings = Settings {
            // The service recognises the provider by this.
            user_agent: concat!("terraform-provider-access/", env!("CARGO_PKG_VERSION")).to_owned(),
            extra_roots: roots.transpose()?,
            proxy: ProxySettings::from_env(environment::variable),
            ..Settings::new(base_url, key)
        };
        let base_url = settings.base_url.to_string();
        let client =
            Client::new(settings).map_err(|error| format!("Could not connect: {error}."))?;
        Ok(Self { client, base_url })
    }

    pub(super) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the objects of a parent by ID, without deleted ones. Adds what could not be read to
    /// `left_out`: a list that fails as a whole, because a part of it would look like the whole.
    pub(super) async fn list<T: Object>(
        &self,
        parent: &Identifier,
        left_out: &mut Vec<String>,
    ) -> Vec<T> {
        let parent_name = format!("{}s/{parent}", T::Name::WORDS.0);
        let mut pages = T::pages(&self.client, parent);
        let mut objects = BTreeMap::new();
        let mut unreadable = Vec::new();
        loop {
            match pages.next(usize::MAX).await {
                Ok(Some(page)) => {
                    unreadable.extend(page.skipped);
                    let items = page.items.into_iter().map(|item| (item.name().id().clone(), item));
                    objects.extend(items);
                }
                Ok(None) => break,
                Err(error) => {
                    let (reason, advice) = (reason(&error), advice(error.kind()));
                    left_out.push(format!("{parent_name} is left out: {reason}.\n{advice}"));
                    return Vec::new();
                }
            }
        }
        left_out.extend(unreadable.into_iter().map(|reason| {
            format!("An entry of {parent_name} is left out: the service returned {reason}.")
        }));
        objects.into_values().filter(|object| object.delete_time().is_none()).collect()
    }
}

/// Returns a variable with its name; `None` if it is blank.
fn set(name: &'static str) -> Option<(&'static str, String)> {
    let value = environment::variable(name).filter(|value| !value.trim().is_empty())?;
    Some((name, value))
}

/// Returns what failed. The client's text of a requested wait names a limit of the provider block.
fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::TooManyRequests => {
            format!("{} {} (at {})", error.brief(), error.message(), error.base_url())
        }
        _ => error.to_string(),
    }
}

/// Returns the next step after a list that failed.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "Check the ID, and `--base-url` or `ACCESS_BASE_URL`.",
        ErrorKind::Unauthorized => "Check `ACCESS_API_KEY`.",
        ErrorKind::Forbidden => "Set `ACCESS_API_KEY` to a key that may list this.",
        ErrorKind::NotImplemented => {
            "Write an `import` block for each object instead, and run\n\
             `terraform plan -generate-config-out=generated.tf`."
        }
        ErrorKind::Redirect
        | ErrorKind::Unreachable
        | ErrorKind::NotTls
        | ErrorKind::Unreadable => "Check `--base-url` or `ACCESS_BASE_URL`, or try again.",
        ErrorKind::Certificate { .. } => {
            "Set `ACCESS_CA_FILE` to the certificate authority's PEM file."
        }
        ErrorKind::Proxy { .. } => "Check this variable.",
        _ => "Try again later.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_export_has() {
        for (kind, part) in [
            (ErrorKind::NotFound, "Check the ID"),
            (ErrorKind::Unauthorized, "ACCESS_API_KEY"),
            (ErrorKind::Forbidden, "ACCESS_API_KEY"),
            (ErrorKind::NotImplemented, "-generate-config-out"),
            (ErrorKind::Unreachable, "--base-url"),
            (ErrorKind::Certificate { is_authority: false }, "ACCESS_CA_FILE"),
            (ErrorKind::Server, "Try again"),
            (ErrorKind::TooManyRequests, "Try again"),
        ] {
            assert!(advice(kind).contains(part), "{kind:?}");
        }
    }
}
