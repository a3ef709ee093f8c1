//! The arguments of the provider block: each complete in one row of a table, from which the schema,
//! the reading, and the messages are made.

use std::path::Path;
use std::time::Duration;

use access_client::{ApiKey, BaseUrl, PemBundle};
use plugin_server::duration;
use plugin_server::schema::{new_schema, optional, sensitive};
use tf_provider::schema::{Attribute, AttributeType, Schema};

use crate::repository::{normalise_dir, normalise_uri};

/// An argument of the provider block.
pub(super) struct Argument {
    pub(super) name: &'static str,
    /// The environment variable that counts if the argument is null or blank.
    pub(super) variable: Option<&'static str>,
    pub(super) argument_type: ArgumentType,
    pub(super) absent: Absent,
    /// What it is, without variable and default.
    description: &'static str,
    /// Parses a text, which may be the default, and sets the field. The error is a sentence about
    /// the rule that the text breaks.
    pub(super) set: fn(&str, &mut Values) -> Result<(), String>,
}

/// The type of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentType {
    Text,
    /// A text that is never shown.
    Secret,
    Number,
}

/// What an argument means that is not set, and whose variable is not either.
pub(super) enum Absent {
    Default(&'static str),
    Nothing,
    /// An error with this sentence.
    Error(&'static str),
}

/// The values of all arguments.
#[derive(Default)]
pub(super) struct Values {
    pub(super) base_url: Option<BaseUrl>,
    pub(super) api_key: Option<ApiKey>,
    pub(super) repo_uri: Option<String>,
    pub(super) repo_dir: Option<String>,
    pub(super) detects_repository: bool,
    pub(super) detects_drift: bool,
    pub(super) abandons: bool,
    pub(super) request_timeout: Duration,
    pub(super) max_retries: u32,
    pub(super) max_retry_wait: Duration,
    pub(super) extra_roots: Option<PemBundle>,
}

pub(super) static ARGUMENTS: [Argument; 11] = [
    Argument {
        name: "base_url",
        variable: Some("ACCESS_BASE_URL"),
        argument_type: ArgumentType::Text,
        absent: Absent::Error("The provider needs the regional base address of the service."),
        description: "Regional base address of the service, such as `https://eu.access.example.com`. `https` only; `http` is accepted for loopback hosts. A path prefix is kept, but `/api/v1` is refused, because the provider adds it.",
        set: |text, values| {
            let base_url = BaseUrl::parse(text);
            values.base_url = Some(base_url.map_err(|error| format!("The base address {error}."))?);
            Ok(())
        },
    },
    Argument {
        name: "api_key",
        variable: Some("ACCESS_API_KEY"),
        argument_type: ArgumentType::Secret,
        absent: Absent::Error(
            "The provider needs an API key of the service. Prefer the variable, or a file \
             (`api_key = file(\"…\")`): a key in a configuration ends up in its repository.",
        ),
        description: "API key, sent as `Authorization: Bearer`. From a file: `api_key = file(\"…\")`.",
        set: |text, values| {
            let api_key = ApiKey::parse(text);
            values.api_key = Some(
                api_key.map_err(|error| format!("The API key {error}. Its value is not shown."))?,
            );
            Ok(())
        },
    },
    Argument {
        name: "repo_uri",
        variable: Some("ACCESS_REPO_URI"),
        argument_type: ArgumentType::Text,
        absent: Absent::Nothing,
        description: "Repository recorded on every role, such as `https://github.com/example/access`. By default repository and directory are those of the Git checkout that contains the working directory. A value set here or in the variable is enforced: a role that records another repository is updated.",
        set: |text, values| {
            let uri = normalise_uri(text).map_err(|rule| format!("The repository URI {rule}."))?;
            values.repo_uri = Some(uri);
            Ok(())
        },
    },
    Argument {
        name: "repo_dir",
        variable: Some("ACCESS_REPO_DIR"),
        argument_type: ArgumentType::Text,
        absent: Absent::Nothing,
        description: "Directory in the repository, relative to its top. Enforced like `repo_uri`. Set both: if one is set, the other is not detected.",
        set: |text, values| {
            let dir = normalise_dir(text).map_err(|rule| format!("The directory {rule}."))?;
            values.repo_dir = Some(dir);
            Ok(())
        },
    },
    Argument {
        name: "repo_detection",
        variable: None,
        argument_type: ArgumentType::Text,
        absent: Absent::Default("auto"),
        description: "Whether to detect the repository if it is not set: `auto`, or `off` to record none.",
        set: |text, values| {
            values.detects_repository = one_of(text, [("auto", true), ("off", false)])?;
            Ok(())
        },
    },
    Argument {
        name: "drift_detection",
        variable: Some("ACCESS_DRIFT_DETECTION"),
        argument_type: ArgumentType::Text,
        absent: Absent::Default("auto"),
        description: "Whether changes made outside Terraform are detected: `auto` or `off`. With `off`, a refresh and a plan read nothing, except for an object that is replaced by one of another name.",
        set: |text, values| {
            values.detects_drift = one_of(text, [("auto", true), ("off", false)])?;
            Ok(())
        },
    },
    Argument {
        name: "deletion_policy",
        variable: Some("ACCESS_DELETION_POLICY"),
        argument_type: ArgumentType::Text,
        absent: Absent::Default("delete"),
        description: "What destroying a resource does: `delete` deletes the object, `abandon` leaves it at the service and sends no request.",
        set: |text, values| {
            values.abandons = one_of(text, [("delete", false), ("abandon", true)])?;
            Ok(())
        },
    },
    Argument {
        name: "request_timeout",
        variable: None,
        argument_type: ArgumentType::Text,
        absent: Absent::Default("30s"),
        description: "Time limit of one attempt of a request, as a Go duration such as `1m30s`.",
        set: |text, values| {
            values.request_timeout = duration::parse(text, Duration::from_millis(1))?;
            Ok(())
        },
    },
    Argument {
        name: "max_retries",
        variable: None,
        argument_type: ArgumentType::Number,
        absent: Absent::Default("10"),
        description: "Number of further attempts of one call after the first.",
        set: |text, values| {
            let number = text.parse().ok().filter(|number| *number <= 1_000);
            let rule = || format!("Must be a whole number from 0 to 1000, not {text}.");
            values.max_retries = number.ok_or_else(rule)?;
            Ok(())
        },
    },
    Argument {
        name: "max_retry_wait",
        variable: None,
        argument_type: ArgumentType::Text,
        absent: Absent::Default("2m"),
        description: "Longest total wait between the attempts of one call, as a Go duration.",
        set: |text, values| {
            values.max_retry_wait = duration::parse(text, Duration::ZERO)?;
            Ok(())
        },
    },
    Argument {
        name: "ca_file",
        variable: Some("ACCESS_CA_FILE"),
        argument_type: ArgumentType::Text,
        absent: Absent::Nothing,
        description: "PEM file of certificate authorities to trust in addition to those of the system.",
        set: |text, values| {
            values.extra_roots = Some(PemBundle::read(Path::new(text))?);
            Ok(())
        },
    },
];

impl Argument {
    /// Returns the argument as an attribute of the schema.
    fn attribute(&self) -> Attribute {
        let Self { variable, absent, description, .. } = self;
        let variable = match (variable, absent) {
            (Some(variable), Absent::Error(_)) => {
                format!(" Required here or as `{variable}`.")
            }
            (Some(variable), _) => format!(" Can also be set as `{variable}`."),
            (None, _) => String::new(),
        };
        let default = match absent {
            Absent::Default(default) => format!(" Defaults to `{default}`."),
            Absent::Nothing | Absent::Error(_) => String::new(),
        };
        let text = format!("{description}{variable}{default}");
        match self.argument_type {
            ArgumentType::Text => optional(AttributeType::String, &text),
            ArgumentType::Secret => sensitive(optional(AttributeType::String, &text)),
            ArgumentType::Number => optional(AttributeType::Number, &text),
        }
    }
}

pub(crate) fn provider_schema() -> Schema {
    new_schema(
        0,
        "Manages the roles of listings and the owners of integrations of the access-management service.",
        ARGUMENTS.iter().map(|argument| (argument.name, argument.attribute())),
    )
}

/// Returns the meaning of a text, which has two.
fn one_of(text: &str, [first, second]: [(&str, bool); 2]) -> Result<bool, String> {
    match [first, second].into_iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value),
        None => Err(format!("Must be `{}` or `{}`, not {text:?}.", first.0, second.0)),
    }
}
