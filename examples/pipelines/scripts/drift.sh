#!/bin/sh
# Detects changes that were made outside Terraform, and changes nothing.
#
#   drift.sh [DIRECTORY]    where the results go; default: access-drift
#
# Results:    DIRECTORY/summary.md   what was changed, and what the next apply would change, if there is drift
# Exit code:  0 no drift; 2 drift: the plan has changes, or its report lists drift that no apply corrects;
#             1 the check failed, or the plan could not read every object
#
# A merged commit that is not applied yet is a difference, too.
#
# Needs an initialised configuration, jq, and ACCESS_API_KEY; a read-only key is enough. TF_ROOT is the
# directory of the configuration (default: the working directory). TERRAFORM selects the command:
# terraform (default) or tofu.
set -eu
results=${1:-access-drift}
scripts=$(cd "$(dirname "$0")" && pwd)
terraform=${TERRAFORM:-terraform}

# Summaries of the provider's warnings about objects that a plan could not read.
unread='^Could not read '

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# Exit code 2 means drift and nothing else, but a command that fails can end the script with 2 as well.
has_drift=no
finish() {
  code=$?
  trap - EXIT
  if [ "$code" -ne 0 ] && [ "$has_drift" = no ]; then code=1; fi
  exit "$code"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# Terraform adds the variables to the arguments of every plan.
case " ${TF_CLI_ARGS:-} ${TF_CLI_ARGS_plan:-}" in
  *-minimal-refresh* | *-refresh=* | *-target* | *-exclude*)
    fail "A drift check must read every object. Remove -refresh, -minimal-refresh, -target and -exclude from TF_CLI_ARGS and TF_CLI_ARGS_plan in this job."
    ;;
esac

# The plan contains values of the state.
umask 077
mkdir -p "$results"
results=$(cd "$results" && pwd)
rm -f "$results/plan" "$results/plan.json" "$results/summary.md" "$results/messages.jsonl" "$results/report.json"
cd "${TF_ROOT:-.}"

code=0
"$terraform" plan -json -detailed-exitcode -input=false -lock-timeout=5m -out="$results/plan" \
  >"$results/messages.jsonl" || code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
  # Terraform keeps a plan that has failed. Its report would be about nothing.
  rm -f "$results/plan"
  sh "$scripts/summary.sh" "The drift check failed" "$results" >&2
  exit 1
fi
"$terraform" show -json "$results/plan" >"$results/plan.json"
sh "$scripts/report.sh" "$results" --format json >"$results/report.json"

# A check that read nothing must not be taken for one that found nothing.
off=$(jq -r '.configuration.provider_config // {} | .[] | select(.full_name | endswith("/access"))
  | .expressions.drift_detection // empty | select(.constant_value != "auto") | "off"' "$results/plan.json")
if [ -n "$off" ] || [ "${ACCESS_DRIFT_DETECTION:-}" = off ]; then
  fail 'drift_detection is or may be "off", so the plan reads nothing. Use "auto", or set ACCESS_DRIFT_DETECTION in other jobs.'
fi

# Data sources that are read during an apply, such as those inside a `check` block, make exit code 2 as
# well, and are no changes.
changes=$(jq '[(.resource_changes // [] | .[].change), (.output_changes // {} | .[])
  | select(.actions != ["no-op"] and .actions != ["read"])] | length' "$results/plan.json")
# With ignore_changes, or in resources that are not managed, drift changes no plan.
drift=$(jq '.drift | length' "$results/report.json")
if [ "$changes" -gt 0 ] || [ "$drift" -gt 0 ]; then
  {
    printf '# Drift\n\n'
    sh "$scripts/summary.sh" "What the next apply changes" "$results"
  } >"$results/summary.md"
  cat "$results/summary.md"
  has_drift=yes
  exit 2
fi

unread=$(jq -nrR --arg unread "$unread" '[inputs | fromjson? | select(.type == "diagnostic") | .diagnostic
  | select(.severity == "warning" and (.summary | test($unread))) | .detail] | unique[]' "$results/messages.jsonl")
if [ -n "$unread" ]; then
  {
    echo "Could not read every object, so drift cannot be ruled out:"
    printf '%s\n' "$unread" | sh "$scripts/inert.sh" "  "
  } >&2
  exit 1
fi
echo "No drift."
