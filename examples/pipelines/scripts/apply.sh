#!/bin/sh
# Applies the plan that plan.sh kept, and nothing else. Terraform rejects the plan if the state has
# changed since.
#
#   apply.sh [DIRECTORY]    where plan.sh left its results; default: access-plan
#
# Exit code:  0 if the plan was applied; otherwise Terraform's. Run plan.sh again after a failure.
#
# APPLIED_BRANCH names a branch, such as access-applied, that the script moves to the applied commit.
# drift.sh plans that commit, so commits that are merged but not applied are not reported as drift.
#
# Needs an initialised configuration, jq, and ACCESS_API_KEY, a key that may write. TF_ROOT is the
# directory of the configuration (default: the working directory). TERRAFORM selects the command:
# terraform (default) or tofu.
set -eu
results=${1:-access-plan}
scripts=$(cd "$(dirname "$0")" && pwd)

if [ ! -f "$results/plan" ]; then
  echo "$results/plan does not exist. Run plan.sh first." >&2
  exit 1
fi
results=$(cd "$results" && pwd)
cd "${TF_ROOT:-.}"
# Before the apply, which would be killed by a pipe that nobody reads.
command -v jq >/dev/null || { echo "jq is not installed. Nothing was applied." >&2 && exit 1; }

# A shell without pipefail returns the exit code of the last command of a pipe only.
rm -f "$results/code"
{
  code=0
  "${TERRAFORM:-terraform}" apply -input=false -no-color -lock-timeout=5m "$results/plan" 2>&1 || code=$?
  echo "$code" >"$results/code"
} | sh "$scripts/inert.sh" ""
code=$(cat "$results/code")
[ "$code" -eq 0 ] || exit "$code"

if [ -n "${APPLIED_BRANCH:-}" ]; then
  # Forced, because a rerun of an older pipeline applies an older commit.
  if ! git push --quiet --force origin "HEAD:refs/heads/$APPLIED_BRANCH"; then
    echo "The plan was applied, but the branch $APPLIED_BRANCH could not be moved to this commit." >&2
    echo "Give the job permission to push to that branch, or drift.sh compares with an older commit." >&2
    exit 1
  fi
fi
