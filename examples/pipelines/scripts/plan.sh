#!/bin/sh
# Plans the configuration and keeps the plan for apply.sh.
#
#   plan.sh [DIRECTORY]     where the results go; default: access-plan
#
# Results:    DIRECTORY/plan            what apply.sh applies; it contains values of the state, and so do
#             DIRECTORY/plan.json, plan.txt   the plan as JSON and as text
#             DIRECTORY/base-urls       the base addresses it was made for
#             DIRECTORY/summary.md      text of a comment: access report, errors, warnings and plan
#             DIRECTORY/whole.md        the same, with nothing cut; printed as well
#             DIRECTORY/messages.jsonl  the output of `terraform plan -json`
# Exit code:  0 if the plan was made, with or without changes; otherwise there is no DIRECTORY/plan
#
# Needs an initialised configuration, jq, and ACCESS_API_KEY; a read-only key is enough. TF_ROOT is the
# directory of the configuration (default: the working directory). TERRAFORM selects the command:
# terraform (default) or tofu.
set -eu
results=${1:-access-plan}
scripts=$(dirname "$0")
terraform=${TERRAFORM:-terraform}
root=${TF_ROOT:-.}
# The paths of -chdir start at TF_ROOT.
case $results in /*) ;; *) results=$PWD/$results ;; esac

# The plan contains values of the state.
umask 077
mkdir -p "$results"
# A plan of an earlier run must not be applied in place of this one.
for name in plan plan.part plan.json plan.txt base-urls summary.md whole.md raw part messages.jsonl; do
  rm -f "$results/$name"
done

sh "$scripts/base-urls.sh" >"$results/base-urls"
"$terraform" -chdir="$root" plan -json -input=false -lock-timeout=5m -out="$results/plan.part" \
  >"$results/messages.jsonl" &
plan=$!
# A job that is cancelled interrupts Terraform once, which then releases its lock.
trap 'trap "" HUP INT TERM; kill "$plan"; wait "$plan"; exit 1' HUP INT TERM
code=0
wait "$plan" || code=$?
if [ "$code" -ne 0 ]; then
  # Terraform keeps a plan that has failed.
  rm -f "$results/plan.part"
  sh "$scripts/summary.sh" "Plan failed" "$results"
  cat "$results/whole.md" >&2
  exit "$code"
fi
"$terraform" -chdir="$root" show -json "$results/plan.part" >"$results/plan.json"
"$terraform" -chdir="$root" show -no-color "$results/plan.part" >"$results/plan.txt"
sh "$scripts/summary.sh" "Plan" "$results"
# A plan without its report must not be applied.
mv "$results/plan.part" "$results/plan"
cat "$results/whole.md"
