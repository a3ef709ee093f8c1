//! The service that `--base-url` and the environment name, and its lists.

use std::sync::Arc;

use access_client::{ErrorKind, Identifier, Object, ObjectName as _, StopSignal};
use tf_provider::Diagnostics;

use crate::config::ProviderConfig;
use crate::run::{Configured, Incomplete, Run};

/// Returns the run of a provider block that has the base address or nothing. Sends no request.
///
/// # Errors
///
/// The errors that the provider would report.
pub(super) fn connect(base_url: Option<&str>) -> Result<Arc<Run>, String> {
    let config = ProviderConfig::with_base_url(base_url);
    let (configured, mut diags) = (Configured::new(), Diagnostics::default());
    match configured.configure(&config, "", StopSignal::default(), &mut diags) {
        Some(()) => configured.require(),
        None => {
            let errors = diags.errors.iter().map(|it| format!("{}. {}\n", it.summary, it.detail));
            let hint = "`export` reads no provider block. Its argument is `--base-url`; see `export --help`.";
            Err(errors.collect::<String>() + hint)
        }
    }
}

/// Returns the objects of a parent by ID, without deleted ones. Adds what could not be read to
/// `left_out`: a list that fails as a whole, because a part of it would look like the whole.
pub(super) async fn list<T: Object>(
    run: &Run,
    parent: &Identifier,
    left_out: &mut Vec<String>,
) -> Vec<T> {
    let parent_name = format!("{}s/{parent}", T::Name::WORDS.0);
    match run.latest_list::<T>(parent).await {
        Ok(list) => {
            left_out.extend(list.skipped.iter().map(|reason| {
                format!("An entry of {parent_name} is left out: the service returned {reason}.")
            }));
            let is_readable = |object: &&T| match object.defect() {
                Some(defect) => {
                    left_out.push(format!("{} is left out: {defect}.", object.name()));
                    false
                }
                None => true,
            };
            list.existing().filter(is_readable).cloned().collect()
        }
        Err(Incomplete { error, .. }) => {
            let advice = advice(error.kind());
            left_out.push(format!("{parent_name} is left out: {error}.\n{advice}"));
            Vec::new()
        }
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
