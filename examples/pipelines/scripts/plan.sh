#!/bin/sh
# Plans the configuration and keeps the plan for apply.sh.
#
#   plan.sh [DIRECTORY]     where the results go; default: access-plan
#
# Results:    DIRECTORY/plan            what apply.sh applies; it contains values of the state
#             DIRECTORY/summary.md      text of a comment: access report, errors, warnings and plan
#             DIRECTORY/messages.jsonl  the output of `terraform plan -json`
# Exit code:  0 if the plan was made, with or without changes; otherwise Terraform's
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
rm -f "$results/plan" "$results/summary.md" "$results/summary.part" "$results/messages.jsonl"

# Writes summary.md:  summarize TITLE
# Whole or not at all, because a part of a summary, without the report, would look like a whole one.
summarize() {
  sh "$scripts/summary.sh" "$1" "$results" >"$results/summary.part"
  mv "$results/summary.part" "$results/summary.md"
}

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
