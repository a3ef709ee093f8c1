//! What CI systems say about the repository in their variables.
//!
//! HCP Terraform tells commit, branch and tag of a run, but neither repository nor directory, and
//! it uploads no `.git`: there `repo_uri` and `repo_dir` have to be set.

use std::path::PathBuf;

use super::Checkout;
use crate::environment::Environment;

/// The variables of one system: the one that tells that it runs, the remote, the top directory.
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

/// What the system that runs says. A remote alone, without the marker, counts for nothing: such
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
