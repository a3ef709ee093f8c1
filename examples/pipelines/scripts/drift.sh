#!/bin/sh
# Tells whether somebody changed by hand what the configuration manages. Changes nothing.
#
#   drift.sh [DIRECTORY]    where the results go; default: access-drift
#
# Results:    DIRECTORY/summary.md  what the next apply would put right, where there is something
# Exit code:  0 no drift, and nothing is printed; 2 drift; else the check itself failed
#
# Needs an initialised working directory and ACCESS_API_KEY; a key that may only read is enough, but for
# drift_detection = "patch", which reads by an update. "off" reads nothing: the check fails then.
# TERRAFORM names another command than terraform.
set -eu
results=${1:-access-drift}
scripts=$(dirname "$0")

# The plan holds values of the state.
umask 077
mkdir -p "$results"
rm -f "$results/plan" "$results/summary.md"
code=0
"${TERRAFORM:-terraform}" plan -detailed-exitcode -input=false -no-color -lock-timeout=5m \
  -out="$results/plan" >"$results/log.txt" 2>&1 || code=$?

# A check that cannot see anything must not look like one that found nothing.
if [ "${ACCESS_DRIFT_DETECTION:-}" = off ] ||
  { [ -f "$results/plan" ] && "${TERRAFORM:-terraform}" show -json "$results/plan" |
    grep -q '"drift_detection":{"constant_value":"off"}'; }; then
  echo "drift_detection is \"off\": this check reads nothing, and would always be quiet." >&2
  exit 1
fi
if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
  cat "$results/log.txt" >&2
  exit "$code"
fi
if [ "$code" -eq 2 ]; then
  sh "$scripts/summary.sh" "Drift of listing roles and integration owners" "$results/plan" \
    >"$results/summary.md"
  cat "$results/summary.md"
  exit 2
fi
if grep -q 'Drift of listing roles cannot be seen' "$results/log.txt"; then
  cat "$results/log.txt" >&2
  echo "This check sees no drift of roles, for the service offers no reads. See drift_detection." >&2
  exit 1
fi
if grep -q 'Drift of .* cannot be seen' "$results/log.txt"; then
  echo "Drift of integration owners cannot be seen here. Roles were checked." >&2
fi
