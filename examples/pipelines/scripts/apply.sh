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
scripts=$(dirname "$0")
# The paths of -chdir start at TF_ROOT.
case $results in /*) ;; *) results=$PWD/$results ;; esac

# Prints a message to standard error and ends the script.
fail() {
  echo "$1 Nothing was applied." >&2
  exit 1
}

[ -f "$results/plan" ] || fail "$results contains no plan. Run plan.sh first."
command -v jq >/dev/null || fail "jq is not installed."
base_urls=$(sh "$scripts/base-urls.sh")
if [ "$base_urls" != "$(cat "$results/base-urls")" ]; then
  {
    echo "The plan:"
    cat "$results/base-urls"
    echo "This apply:"
    printf '%s\n' "$base_urls"
  } >&2
  fail "This plan was made for other base addresses."
fi

# Terraform takes the place of this shell, so a job that is cancelled interrupts Terraform itself: it finishes the
# requests in flight, stores the state and releases its lock. What shows its output ignores the signal and is read to
# the end, because Terraform would be killed by a pipe that nobody reads.
pipe=$(mktemp -d)
mkfifo "$pipe/output"
(
  trap '' HUP INT TERM
  { sh "$scripts/inert.sh" "" || :; cat >/dev/null; } <"$pipe/output"
  rm -r "$pipe"
) &
exec "${TERRAFORM:-terraform}" -chdir="${TF_ROOT:-.}" apply -input=false -no-color -lock-timeout=5m \
  "$results/plan" >"$pipe/output" 2>&1
