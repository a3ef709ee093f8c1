#!/bin/sh
# Asks the owners of what a plan changes for a review, and checks that they have approved, in a job of GitHub
# Actions.
#
#   approvals.sh [DIRECTORY] [FILE]   DIRECTORY contains plan; default: access-plan
#                                     FILE is on the pull request's base branch; default:
#                                     ci/reviewers.json. It names the logins of owners:
#                                     {"teams/platform": ["ada", "bea"], "users/cy": ["cy"]}
#
# Exit code:  0 if the plan shows no owner to ask, or an owner of each listing and integration that the plan
#             changes has approved the newest commit; 1 otherwise
#
# Whoever becomes an owner only by this plan is not asked. The author of the pull request does not count. Needs
# `gh`, jq, GITHUB_TOKEN, the token of the job, and an initialised configuration in TF_ROOT (default: the
# working directory).
# shellcheck disable=SC2016 # $logins and $pull are variables of jq
set -eu
results=${1:-access-plan}
file=${2:-ci/reviewers.json}
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=github.sh
. "$scripts/github.sh"

number=${GITHUB_REF:-}
case $number in
  refs/pull/*) number=${number#refs/pull/} && number=${number%%/*} ;;
  *) echo "Not a pull request: nobody is asked." && exit 0 ;;
esac
[ -f "$results/plan" ] || fail "$results/plan does not exist. Run plan.sh first."
results=$(cd "$results" && pwd)
report=$(cd "${TF_ROOT:-.}" && sh "$scripts/report.sh" "$results" --format json)
commit=$(jq -er .pull_request.head.sha "${GITHUB_EVENT_PATH:?}")
pull=$(gh pr view "$number" --json author,baseRefName,headRefOid,reviews --jq .)
if [ "$(printf '%s\n' "$pull" | jq -r .headRefOid)" != "$commit" ]; then
  fail "The pull request has a newer commit than $commit, with a run of its own."
fi
# The base branch's file: a pull request must not choose its own reviewers.
base=$(printf '%s\n' "$pull" | jq -r .baseRefName)
logins=$(gh api "repos/{owner}/{repo}/contents/$file?ref=$base" --jq '.content | @base64d') ||
  fail "$file could not be read on the branch $base."

# One line for each listing and integration: whether an owner has approved, its name, and the logins of its
# owners. Of each reviewer the last review that decides counts, and only for the newest commit.
asked=$(printf '%s\n' "$report" | jq -r --argjson logins "$logins" --argjson pull "$pull" '
  [$pull.reviews | map(select(.state != "COMMENTED" and .state != "PENDING")) | group_by(.author.login)[]
    | max_by(.submittedAt)
    | select(.state == "APPROVED" and .commit.oid == $pull.headRefOid) | .author.login | ascii_downcase] as $approved
  | .approvers[] | select(.become_owners | not)
  | ([.owners[] | $logins[.] // [] | .[] | ascii_downcase] | unique - [$pull.author.login | ascii_downcase])
    as $reviewers
  | [if any($reviewers[]; IN($approved[])) then "yes" else "no" end,
     (.listing // .integration | @json), ($reviewers | join(","))] | join(" ")')
waiting=$(printf '%s\n' "$asked" | sed -n 's/^no //p')
if [ -z "$waiting" ]; then
  echo "Nobody is left to ask."
  exit 0
fi
reviewers=$(printf '%s\n' "$waiting" | sed 's/.* //' | tr ',' '\n' | sed '/^$/d' | sort -u | paste -s -d , -)
if [ -n "$reviewers" ]; then gh pr edit "$number" --add-reviewer "$reviewers" >&2; fi
{
  echo "An owner of each of these has to approve the newest commit (the logins are those of $file):"
  printf '%s\n' "$waiting" | sh "$scripts/inert.sh" "  "
} >&2
exit 1
