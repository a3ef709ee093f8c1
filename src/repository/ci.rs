//! The repository in the variables of CI systems.
//!
//! HCP Terraform sets commit, branch and tag of a run, but neither repository nor directory, and it
//! does not upload `.git`. There, `repo_uri` and `repo_dir` have to be set.

use std::path::PathBuf;

use crate::environment::Environment;

/// The checkout as a CI system describes it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Checkout {
    /// The remote, as it is written there.
    pub(super) uri: Option<String>,
    /// The top directory of the checkout.
    pub(super) top: Option<PathBuf>,
}

/// The variables of one system: its marker, the remote and the top directory.
struct System {
    marker: &'static str,
    uri: fn(Environment<'_>) -> Option<String>,
    top: &'static str,
}

const SYSTEMS: [System; 6] = [
    System {
        marker: "GITHUB_ACTIONS",
        uri: |environment| {
            let server =
                environment("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned());
            Some(format!("{server}/{}", environment("GITHUB_REPOSITORY")?))
        },
        top: "GITHUB_WORKSPACE",
    },
    System {
        marker: "GITLAB_CI",
        uri: |environment| environment("CI_PROJECT_URL"),
        top: "CI_PROJECT_DIR",
    },
    System {
        marker: "BITBUCKET_BUILD_NUMBER",
        uri: |environment| {
            environment("BITBUCKET_GIT_HTTP_ORIGIN").or_else(|| {
                Some(format!("https://bitbucket.org/{}", environment("BITBUCKET_REPO_FULL_NAME")?))
            })
        },
        top: "BITBUCKET_CLONE_DIR",
    },
    System {
        marker: "TF_BUILD",
        uri: |environment| environment("BUILD_REPOSITORY_URI"),
        top: "BUILD_SOURCESDIRECTORY",
    },
    System {
        marker: "BUILDKITE",
        uri: |environment| environment("BUILDKITE_REPO"),
        top: "BUILDKITE_BUILD_CHECKOUT_PATH",
    },
    System {
        marker: "CIRCLECI",
        uri: |environment| environment("CIRCLE_REPOSITORY_URL"),
        top: "CIRCLE_WORKING_DIRECTORY",
    },
];

/// Returns the checkout of the running CI system. A remote without the marker does not count: such
/// variables stay behind in shells.
pub(super) fn find_checkout(environment: Environment<'_>) -> Checkout {
    let Some(system) = SYSTEMS.iter().find(|system| environment(system.marker).is_some()) else {
        return Checkout::default();
    };
    let home = environment("HOME");
    let top = environment(system.top).map(|top| match (top.strip_prefix('~'), home) {
        // CircleCI writes its default as ~/project.
        (Some(rest), Some(home)) => PathBuf::from(format!("{home}{rest}")),
        _ => PathBuf::from(top),
    });
    Checkout { uri: (system.uri)(environment), top }
}
