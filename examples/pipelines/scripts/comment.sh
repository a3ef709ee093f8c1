#!/bin/sh
# Posts a summary as a comment on the pull request, and updates that comment on later runs.
#
#   comment.sh [FILE]       default: access-plan/summary.md
#
# Exit code:  0 if the comment is there; 1 otherwise
#
# The comment is found by a hidden marker and its author. COMMENT_MARKER distinguishes the
# comments of several configurations; default: access-plan. Runs outside a pull request post nothing.
# Tokens: forge.sh.
# shellcheck disable=SC2016 # $marker and $self are variables of jq
set -eu
file=${1:-access-plan/summary.md}
scripts=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=forge.sh
. "$scripts/forge.sh"
detect_forge
marker="<!-- ${COMMENT_MARKER:-access-plan} -->"

if [ ! -f "$file" ]; then fail "$file does not exist. Run plan.sh first."; fi
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
  printf '%s\n' "$marker"
  cat "$file"
} >"$body"

case $forge in
  github)
    number=${GITHUB_REF:-}
    case $number in
      refs/pull/*) number=${number#refs/pull/} && number=${number%%/*} ;;
      *) echo "Not a pull request: no comment." && exit 0 ;;
    esac
    # `gh pr comment --edit-last` would edit a comment of any workflow, because all have the same author.
    export marker
    found=$(gh pr view "$number" --json comments --jq \
      '[.comments[] | select(.viewerDidAuthor and (.body | startswith(env.marker))).url][0] // ""')
    if [ -n "$found" ]; then
      gh api --method PATCH "repos/{owner}/{repo}/issues/comments/${found##*-}" --field "body=@$body" --silent
    else
      gh pr comment "$number" --body-file "$body"
    fi
    ;;
  gitlab)
    number=${CI_MERGE_REQUEST_IID:-}
    if [ -z "$number" ]; then echo "Not a merge request: no comment." && exit 0; fi
    self=$(api=${CI_API_V4_URL:?} && request GET /user)
    self=$(printf '%s\n' "$self" | jq .id)
    comments=$(pages "/merge_requests/$number/notes?order_by=created_at")
    found=$(printf '%s\n' "$comments" | jq -r --arg marker "$marker" --argjson self "$self" \
      'select(.author.id == $self and (.body | startswith($marker))) | .id' | sed -n 1p)
    if [ -n "$found" ]; then
      jq -Rs '{body: .}' "$body" | request PUT "/merge_requests/$number/notes/$found" >/dev/null
    else
      jq -Rs '{body: .}' "$body" | request POST "/merge_requests/$number/notes" >/dev/null
    fi
    ;;
  azure)
    number=${SYSTEM_PULLREQUEST_PULLREQUESTID:-}
    if [ -z "$number" ]; then echo "Not a pull request: no comment." && exit 0; fi
    if [ "${BUILD_REPOSITORY_PROVIDER:-}" != TfsGit ]; then
      echo "The repository is not in Azure Repos: no comment. The summary is on the page of the run."
      exit 0
    fi
    # connectionData is served with preview versions only.
    self=$(api=${SYSTEM_COLLECTIONURI:?}_apis && request GET "/connectionData?api-version=7.1-preview")
    self=$(printf '%s\n' "$self" | jq -e .authenticatedUser.id) ||
      fail "The service did not return the user of SYSTEM_ACCESSTOKEN."
    threads="/git/repositories/${BUILD_REPOSITORY_ID:?}/pullRequests/$number/threads"
    comments=$(request GET "$threads?api-version=7.1")
    found=$(printf '%s\n' "$comments" | jq -r --arg marker "$marker" --argjson self "$self" '
      .value[] | select(.isDeleted != true) | .id as $thread | .comments[:1][]
      | select(.author.id == $self and ((.content // "") | startswith($marker)))
      | "\($thread)/comments/\(.id)"' | sed -n 1p)
    if [ -n "$found" ]; then
      jq -Rs '{content: .}' "$body" | request PATCH "$threads/$found?api-version=7.1" >/dev/null
    else
      # A closed thread (4), so that the comment does not block the completion of the pull request.
      jq -Rs '{comments: [{parentCommentId: 0, commentType: 1, content: .}], status: 4}' "$body" |
        request POST "$threads?api-version=7.1" >/dev/null
    fi
    ;;
esac
