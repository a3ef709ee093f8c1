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
[ "${ACCESS_DRIFT_DETECTION:-}" != off ] || fail "ACCESS_DRIFT_DETECTION is off, so the plan reads nothing. Set it in other jobs."

sh "$scripts/plan.sh" "$results" >/dev/null &
plan=$!
trap 'trap "" HUP INT TERM; kill "$plan"; wait "$plan"; exit' HUP INT TERM
wait "$plan"
sh "$scripts/report.sh" "$results" --format json >"$results/report.json"

verdict=$(jq -nrR --slurpfile plan "$results/plan.json" --slurpfile report "$results/report.json" '
  $plan[0] as $plan
  # A check that read nothing must not be taken for one that found nothing. A provider may have another name.
  | [$plan.configuration.provider_config // {} | .[].expressions.drift_detection // empty
    | if has("constant_value") then .constant_value else "unknown" end | select(. != null and . != "auto")] as $off
  # Data sources that are read during an apply, such as those inside a `check` block, are no changes.
  | [($plan.resource_changes // [] | .[].change), ($plan.output_changes // {} | .[])
    | select(.actions != ["no-op"] and .actions != ["read"])] as $changes
  | [$plan.checks // [] | .[] | select(.status == "fail" or .status == "error")] as $checks
  # The provider warns if a plan could not read an object.
  | [inputs | fromjson? | select(.type == "diagnostic").diagnostic
    | select(.severity == "warning" and (.summary | startswith("Could not read "))).detail] as $unread
  | if $off != [] then "off"
    # With ignore_changes, or in resources that are not managed, drift changes no plan.
    elif $changes + $checks + $report[0].drift != [] then "drift"
    elif $unread != [] then "Could not read every object, so drift cannot be ruled out:", $unread[]
    else "none" end
' "$results/messages.jsonl")
case $verdict in
  none)
    echo "No drift."
    code=0
    ;;
  drift)
    for name in summary.md whole.md; do
      { printf '# Drift\n\n' && cat "$results/$name"; } >"$results/part"
      mv "$results/part" "$results/$name"
    done
    cat "$results/whole.md"
    code=2
    ;;
  off) fail 'drift_detection is or may be "off", so the plan reads nothing. Use "auto".' ;;
  *) printf '%s\n' "$verdict" | sh "$scripts/inert.sh" "" >&2 ;;
esac
