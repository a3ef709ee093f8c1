#!/bin/sh
# Applies the plan that plan.sh kept, and nothing else. Terraform rejects the plan if the state has
# changed since.
#
#   apply.sh [DIRECTORY]    where plan.sh left its results; default: access-plan
#
# Exit code:  0 if the plan was applied; otherwise Terraform's. Run plan.sh again after a failure.
#
# Refuses a plan that was made for other base addresses than those of this environment (base-urls.sh).
#
# Needs an initialised configuration, jq, and ACCESS_API_KEY, a key that may write. TF_ROOT is the
# directory of the configuration (default: the working directory). TERRAFORM selects the command:
# terraform (default) or tofu.
set -eu
results=${1:-access-plan}
scripts=$(cd "$(dirname "$0")" && pwd)

if [ ! -f "$results/plan" ] || [ ! -f "$results/base-urls" ]; then
  echo "$results does not contain a plan with its base addresses. Run plan.sh first." >&2
  exit 1
fi
results=$(cd "$results" && pwd)
cd "${TF_ROOT:-.}"
# Before the apply, which would be killed by a pipe that nobody reads.
command -v jq >/dev/null || { echo "jq is not installed. Nothing was applied." >&2 && exit 1; }

if ! sh "$scripts/base-urls.sh" | cmp -s - "$results/base-urls"; then
  {
    echo "This plan was made for other base addresses. Nothing was applied."
    echo "The plan:"
    sh "$scripts/inert.sh" "  " <"$results/base-urls"
    echo "This apply:"
    sh "$scripts/base-urls.sh" | sh "$scripts/inert.sh" "  "
  } >&2
  exit 1
fi

# A shell without pipefail returns the exit code of the last command of a pipe only.
rm -f "$results/code"
{
  code=0
  "${TERRAFORM:-terraform}" apply -input=false -no-color -lock-timeout=5m "$results/plan" 2>&1 || code=$?
  echo "$code" >"$results/code"
} | sh "$scripts/inert.sh" ""
exit "$(cat "$results/code")"
