#!/bin/sh
# Keeps one issue about drift: opens it, updates it while there is drift, and closes it afterwards.
#
#   drift-issue.sh CODE [FILE]   CODE is the exit code of drift.sh: 2 opens or updates the issue,
#                                0 closes it, unless drift.sh did not compare everything
#                                (unchecked.txt next to FILE); FILE defaults to
#                                access-drift/summary.md
#
# Exit code:  0 if the issue is as described; 1 otherwise, and for every other CODE, because a check
#             that failed shows neither drift nor its absence
#
# The issue is found by a label, DRIFT_LABEL; default: access-drift. If APPLIED_BRANCH is set and everyone may
# push that branch, the script warns. Needs `gh`, and GITHUB_TOKEN, the token of the job.
set -eu
code=${1:?}
file=${2:-access-drift/summary.md}
scripts=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=github.sh
. "$scripts/github.sh"
label=${DRIFT_LABEL:-access-drift}

case $code in
  0)
    unchecked=$(dirname "$file")/unchecked.txt
    if [ -s "$unchecked" ]; then
      echo "Not everything was compared ($unchecked). An open issue is left open."
      exit 0
    fi
    ;;
  2) if [ ! -f "$file" ]; then fail "$file does not exist. Run drift.sh first."; fi ;;
  *) fail "The drift check failed with exit code $code. The issue is left as it is." ;;
esac

found=$(gh issue list --label "$label" --limit 1 --json number --jq '.[0].number // ""')
if [ "$code" -eq 2 ]; then
  body=$(mktemp)
  trap 'rm -f "$body"' EXIT
  sh "$scripts/visible.sh" <"$file" >"$body"
  if [ -n "$found" ]; then
    gh issue edit "$found" --body-file "$body"
  else
    # It fails if the label exists. With --force, it would change the label's colour.
    gh label create "$label" >/dev/null 2>&1 || :
    gh issue create --title "Access was changed outside Terraform" --label "$label" --body-file "$body"
  fi
elif [ -n "$found" ]; then
  gh issue close "$found" --comment "The last check found no drift."
fi

if [ -n "${APPLIED_BRANCH:-}" ]; then
  # A rule set restricts updates, or else the older branch protection does. Older servers have no rule sets.
  rules=$(gh api "repos/{owner}/{repo}/rules/branches/$APPLIED_BRANCH" --jq 'map(select(.type == "update")) | length') ||
    rules=0
  protected=$(gh api "repos/{owner}/{repo}/branches/$APPLIED_BRANCH" --jq .protected) || protected=no
  if [ "$rules" = 0 ] && [ "$protected" != true ]; then
    echo "::warning::Whoever can push to this repository can hide drift by moving the branch $APPLIED_BRANCH. Restrict who may update it."
  fi
fi
