#!/bin/sh
# Detects changes that were made outside Terraform, and changes nothing.
#
#   drift.sh [DIRECTORY]    where the results of plan.sh go; default: access-drift
#
# Exit code:  0 no drift; 2 drift: the plan has changes, a `check` of the configuration fails, or the access
#             report lists drift that no apply corrects; 1 the plan failed, or could not read every object
#
# A merged commit that is not applied yet is a difference, too. Needs what plan.sh needs.
set -eu
results=${1:-access-drift}
scripts=$(dirname "$0")

# The exit code of this script, whatever the code of a command that fails.
code=1
trap 'exit "$code"' EXIT

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit
}

# Terraform adds the variables to the arguments of every plan.
case " ${TF_CLI_ARGS:-} ${TF_CLI_ARGS_plan:-}" in
  *-minimal-refresh* | *-refresh=* | *-target* | *-exclude*)
    fail "A drift check must read every object. Remove -refresh, -minimal-refresh, -target and -exclude from TF_CLI_ARGS and TF_CLI_ARGS_plan in this job."
    ;;
esac

sh "$scripts/plan.sh" "$results" >/dev/null &
plan=$!
trap 'trap "" HUP INT TERM; kill "$plan"; wait "$plan"; exit' HUP INT TERM
wait "$plan"
sh "$scripts/report.sh" "$results" --format json >"$results/report.json"

# A check that read nothing must not be taken for one that found nothing. A provider may have another name.
off=$(jq '[.configuration.provider_config // {} | .[].expressions.drift_detection // empty
  | if has("constant_value") then .constant_value else "unknown" end | select(. != null and . != "auto")]
  | length' "$results/plan.json")
if [ "$off" -gt 0 ] || [ "${ACCESS_DRIFT_DETECTION:-}" = off ]; then
  fail 'drift_detection is or may be "off", so the plan reads nothing. Use "auto", or set ACCESS_DRIFT_DETECTION in other jobs.'
fi

# Data sources that are read during an apply, such as those inside a `check` block, are no changes.
changes=$(jq '[(.resource_changes // [] | .[].change), (.output_changes // {} | .[])
  | select(.actions != ["no-op"] and .actions != ["read"])] | length' "$results/plan.json")
checks=$(jq '[.checks // [] | .[] | select(.status == "fail" or .status == "error")] | length' "$results/plan.json")
# With ignore_changes, or in resources that are not managed, drift changes no plan.
drift=$(jq '.drift | length' "$results/report.json")
if [ $((changes + checks + drift)) -gt 0 ]; then
  for name in summary.md whole.md; do
    { printf '# Drift\n\n' && cat "$results/$name"; } >"$results/part"
    mv "$results/part" "$results/$name"
  done
  cat "$results/whole.md"
  code=2
  exit
fi

# The provider warns if a plan could not read an object.
unread=$(jq -rR 'fromjson? | select(.type == "diagnostic") | .diagnostic
  | select(.severity == "warning" and (.summary | startswith("Could not read "))) | .detail' "$results/messages.jsonl")
if [ -n "$unread" ]; then
  echo "Could not read every object, so drift cannot be ruled out:" >&2
  printf '%s\n' "$unread" | sh "$scripts/inert.sh" "  " >&2
  exit
fi
echo "No drift."
code=0
