#!/bin/sh
# Posts a summary as a comment on the pull request of a job of GitHub Actions, and updates that comment on
# later runs.
#
#   comment.sh [FILE]       default: access-plan/summary.md
#
# Exit code:  0 if the comment is there; 1 otherwise
#
# The comment names the commit. If FILE does not exist, because the job failed before it had a plan, the
# comment says so: an older plan must not look like that of this commit. Run it with `if: always()`.
#
# The comment is found by a hidden marker and its author. COMMENT_MARKER distinguishes the
# comments of several configurations; default: access-plan. Runs outside a pull request, and reruns for a
# commit that is not its newest, post nothing. Needs `gh`, jq, and GITHUB_TOKEN, the token of the job.
set -eu
file=${1:-access-plan/summary.md}
scripts=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=github.sh
. "$scripts/github.sh"
marker="<!-- ${COMMENT_MARKER:-access-plan} -->"

number=${GITHUB_REF:-}
case $number in
  refs/pull/*) number=${number#refs/pull/} && number=${number%%/*} ;;
  *) echo "Not a pull request: no comment." && exit 0 ;;
esac
# GITHUB_SHA is that of a merge, which nobody has seen.
commit=$(jq -er .pull_request.head.sha "${GITHUB_EVENT_PATH:?}")

# `gh pr comment --edit-last` would edit a comment of any workflow, because all have the same author.
export marker
found=$(gh pr view "$number" --json comments,headRefOid --jq '.headRefOid + " " + (
  [.comments[] | select(.viewerDidAuthor and (.body | startswith(env.marker))).url][0] // "")')
newest=${found%% *}
found=${found#* }
if [ "$newest" != "$commit" ]; then
  echo "The pull request has a newer commit than $commit, with a run of its own: no comment."
  exit 0
fi

body=$(mktemp)
trap 'rm -f "$body"' EXIT
job="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/${GITHUB_RUN_ID:?}"
{
  printf '%s\n' "$marker"
  if [ -f "$file" ]; then
    printf 'Commit %s ([job](%s))\n\n' "$commit" "$job"
    sh "$scripts/visible.sh" <"$file"
  else
    printf '## No plan\n\nThe [job](%s) failed before it had planned commit %s.\n' "$job" "$commit"
  fi
} >"$body"

if [ -n "$found" ]; then
  gh api --method PATCH "repos/{owner}/{repo}/issues/comments/${found##*-}" --field "body=@$body" --silent
else
  gh pr comment "$number" --body-file "$body"
fi
