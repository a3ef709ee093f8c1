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
# The issue is found by a label, DRIFT_LABEL; default: access-drift. On Azure it is a work item with
# that tag: DRIFT_WORK_ITEM_TYPE (default: Issue) and DRIFT_CLOSED_STATE (default: Done) depend on the
# process of the project. Tokens: forge.sh.
# shellcheck disable=SC2016 # $title and $tag are variables of jq
set -eu
code=${1:?}
file=${2:-access-drift/summary.md}
scripts=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=forge.sh
. "$scripts/forge.sh"
label=${DRIFT_LABEL:-access-drift}
title="Access was changed outside Terraform"
closing="The last check found no drift."

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
detect_forge

# Prints JSON with the summary:  with_summary FILTER
# The filter is jq's: $title, $tag, and the summary as `.`.
with_summary() {
  jq -Rs --arg title "$title" --arg tag "$label" "$1" "$file"
}

case $forge in
  github)
    found=$(gh issue list --label "$label" --limit 1 --json number --jq '.[0].number // ""')
    if [ "$code" -eq 2 ] && [ -n "$found" ]; then
      gh issue edit "$found" --body-file "$file"
    elif [ "$code" -eq 2 ]; then
      # It fails if the label exists. With --force, it would change the label's colour.
      gh label create "$label" >/dev/null 2>&1 || :
      gh issue create --title "$title" --label "$label" --body-file "$file"
    elif [ -n "$found" ]; then
      gh issue close "$found" --comment "$closing"
    fi
    ;;
  gitlab)
    issues=$(request GET "/issues?state=opened&labels=$label&per_page=1")
    found=$(printf '%s\n' "$issues" | jq -r '.[0].iid // empty')
    if [ "$code" -eq 2 ] && [ -n "$found" ]; then
      body=$(with_summary '{description: .}')
      printf '%s\n' "$body" | request PUT "/issues/$found" >/dev/null
    elif [ "$code" -eq 2 ]; then
      body=$(with_summary '{title: $title, description: ., labels: $tag}')
      printf '%s\n' "$body" | request POST /issues >/dev/null
    elif [ -n "$found" ]; then
      jq -n --arg body "$closing" '{body: $body}' | request POST "/issues/$found/notes" >/dev/null
      echo '{"state_event": "close"}' | request PUT "/issues/$found" >/dev/null
    fi
    ;;
  azure)
    patch=application/json-patch+json
    closed=${DRIFT_CLOSED_STATE:-Done}
    query=$(jq -n --arg tag "$label" --arg closed "$closed" '{query: (
        "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project"
        + " AND [System.Tags] CONTAINS \u0027\($tag)\u0027 AND [System.State] <> \u0027\($closed)\u0027")}')
    issues=$(printf '%s\n' "$query" | request POST "/wit/wiql?api-version=7.1")
    found=$(printf '%s\n' "$issues" | jq -r '.workItems[0].id // empty')
    # Descriptions are HTML here.
    if [ "$code" -eq 2 ] && [ -n "$found" ]; then
      body=$(with_summary "[{op: \"add\", path: \"/fields/System.Description\", value: (\"<pre>\" + @html + \"</pre>\")}]")
      printf '%s\n' "$body" | request PATCH "/wit/workitems/$found?api-version=7.1" "$patch" >/dev/null
    elif [ "$code" -eq 2 ]; then
      body=$(with_summary "[{op: \"add\", path: \"/fields/System.Title\", value: \$title},
        {op: \"add\", path: \"/fields/System.Tags\", value: \$tag},
        {op: \"add\", path: \"/fields/System.Description\", value: (\"<pre>\" + @html + \"</pre>\")}]")
      type=${DRIFT_WORK_ITEM_TYPE:-Issue}
      printf '%s\n' "$body" | request POST "/wit/workitems/\$$type?api-version=7.1" "$patch" >/dev/null
    elif [ -n "$found" ]; then
      jq -n --arg closed "$closed" --arg history "$closing" '[
        {op: "add", path: "/fields/System.History", value: $history},
        {op: "add", path: "/fields/System.State", value: $closed}]' |
        request PATCH "/wit/workitems/$found?api-version=7.1" "$patch" >/dev/null
    fi
    ;;
esac
