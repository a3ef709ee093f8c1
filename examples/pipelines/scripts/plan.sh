#!/bin/sh
# Plans the configuration and keeps the plan for apply.sh.
#
#   plan.sh [DIRECTORY]     where the results go; default: access-plan
#
# Results:    DIRECTORY/plan            what apply.sh applies; it contains values of the state
#             DIRECTORY/base-urls       the base addresses it was made for
#             DIRECTORY/summary.md      text of a comment: access report, errors, warnings and plan
#             DIRECTORY/messages.jsonl  the output of `terraform plan -json`
# Exit code:  0 if the plan was made, with or without changes; otherwise there is no DIRECTORY/plan
#
# Needs an initialised configuration, jq, and ACCESS_API_KEY; a read-only key is enough. TF_ROOT is the
# directory of the configuration (default: the working directory). TERRAFORM selects the command:
# terraform (default) or tofu.
set -eu
results=${1:-access-plan}
scripts=$(cd "$(dirname "$0")" && pwd)

# The plan contains values of the state.
umask 077
mkdir -p "$results"
results=$(cd "$results" && pwd)
cd "${TF_ROOT:-.}"
# A plan of an earlier run must not be applied in place of this one.
rm -f "$results/plan" "$results/base-urls" "$results/summary.md" "$results/summary.part" "$results/messages.jsonl"

# Terraform keeps a plan that has failed, and a plan without its report must not be applied.
finish() {
  code=$?
  trap - EXIT
  if [ "$code" -ne 0 ]; then rm -f "$results/plan"; fi
  exit "$code"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# Writes summary.md, whole or not at all:  summarize TITLE
summarize() {
  sh "$scripts/summary.sh" "$1" "$results" >"$results/summary.part"
  mv "$results/summary.part" "$results/summary.md"
}

sh "$scripts/base-urls.sh" >"$results/base-urls"
code=0
"${TERRAFORM:-terraform}" plan -json -input=false -lock-timeout=5m -out="$results/plan" \
  >"$results/messages.jsonl" || code=$?
if [ "$code" -ne 0 ]; then
  rm -f "$results/plan"
  summarize "Plan failed"
  cat "$results/summary.md" >&2
  exit "$code"
fi
summarize "Plan"
cat "$results/summary.md"
