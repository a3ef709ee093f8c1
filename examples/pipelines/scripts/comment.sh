#!/bin/sh
# Posts a summary as a comment, in a job of GitHub Actions: on the pull request, where later runs update it, and
# otherwise on the commit, where it stays.
#
#   comment.sh [FILE]       default: access-plan/summary.md
#
# Exit code:  0 if the comment is there; 1 otherwise
#
# The comment names the commit. If FILE does not exist, because the job failed before it had a plan, the
# comment says so: an older plan must not look like that of this commit. Run it with `if: always()`.
#
# The comment of a pull request is found by a hidden marker and its author. COMMENT_MARKER distinguishes the
# comments of several configurations; default: access-plan. Reruns for a commit that is not the newest of its
# pull request post nothing. APPLY_OUTCOME is shown, if it is set. Needs `gh`, jq, and GITHUB_TOKEN, the token of the job.
set -eu
file=${1:-access-plan/summary.md}

if [ "${GITHUB_ACTIONS:-}" != true ]; then
  echo "This is not a job of GitHub Actions. Elsewhere, publish $file with what your system offers." >&2
  exit 1
fi
GH_TOKEN=${GITHUB_TOKEN:?Set GITHUB_TOKEN to the token of the job.}
# `gh` reads this one for a GitHub Enterprise Server.
GH_ENTERPRISE_TOKEN=$GH_TOKEN
GH_HOST=${GITHUB_SERVER_URL:?}
GH_HOST=${GH_HOST#*://}
GH_REPO=${GITHUB_REPOSITORY:?}
marker="<!-- ${COMMENT_MARKER:-access-plan} -->"
export GH_TOKEN GH_ENTERPRISE_TOKEN GH_HOST GH_REPO marker

number=
found=
commit=${GITHUB_SHA:?}
case ${GITHUB_REF:?} in
  refs/pull/*)
    number=${GITHUB_REF#refs/pull/}
    number=${number%%/*}
    # GITHUB_SHA is that of a merge, which nobody has seen.
    commit=$(jq -er .pull_request.head.sha "${GITHUB_EVENT_PATH:?}")
    # `gh pr comment --edit-last` would edit a comment of any workflow, because all have the same author.
    found=$(gh pr view "$number" --json comments,headRefOid --jq '.headRefOid + " " + (
      [.comments[] | select(.viewerDidAuthor and (.body | startswith(env.marker))).url][0] // "")')
    newest=${found%% *}
    found=${found#* }
    if [ "$newest" != "$commit" ]; then
      echo "The pull request has a newer commit than $commit, with a run of its own: no comment."
      exit 0
    fi
    ;;
esac

body=$(mktemp)
trap 'rm -f "$body"' EXIT
job="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/${GITHUB_RUN_ID:?}"
{
  printf '%s\n' "$marker"
  if [ -f "$file" ]; then
    printf 'Commit %s ([job](%s))%s\n\n' "$commit" "$job" "${APPLY_OUTCOME:+, apply: $APPLY_OUTCOME}"
    cat "$file"
  else
    printf '## No plan\n\nThe [job](%s) failed before it had planned commit %s.\n' "$job" "$commit"
  fi
} >"$body"

if [ -n "$found" ]; then
  gh api --method PATCH "repos/{owner}/{repo}/issues/comments/${found##*-}" --field "body=@$body" --silent
elif [ -n "$number" ]; then
  gh pr comment "$number" --body-file "$body"
else
  gh api --method POST "repos/{owner}/{repo}/commits/$commit/comments" --field "body=@$body" --silent
fi
