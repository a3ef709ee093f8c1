# shellcheck shell=sh
# What approvals.sh, comment.sh and drift-issue.sh have in common. Sourced, not run.

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

[ "${GITHUB_ACTIONS:-}" = true ] || fail "This is not a job of GitHub Actions. Elsewhere, publish the file with what your system offers."
GH_TOKEN=${GITHUB_TOKEN:?Set GITHUB_TOKEN to the token of the job.}
# `gh` reads this one for a GitHub Enterprise Server.
GH_ENTERPRISE_TOKEN=$GH_TOKEN
GH_HOST=${GITHUB_SERVER_URL:?}
GH_HOST=${GH_HOST#*://}
GH_REPO=${GITHUB_REPOSITORY:?}
export GH_TOKEN GH_ENTERPRISE_TOKEN GH_HOST GH_REPO
