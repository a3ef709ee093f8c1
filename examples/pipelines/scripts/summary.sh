#!/bin/sh
# Prints the results of a plan as Markdown: what it means for access, errors, warnings, and the plan.
#
#   summary.sh TITLE DIRECTORY
#
# DIRECTORY contains messages.jsonl, the output of `terraform plan -json`, and plan, unless the plan
# failed. Names and descriptions in a plan can be written by anyone who may change a role. The report shows
# them as code. Elsewhere they are indented, which Markdown renders as code, and inert.sh changes logging
# commands of runners and invisible characters in them.
#
# report.sh writes the report. SUMMARY_BYTES limits the size: two fifths are for the report. GitHub limits a
# comment to 65,536 characters.
set -eu
title=$1
results=$2
limit=${SUMMARY_BYTES:-50000}
scripts=$(dirname "$0")

# Prints the diagnostics of one severity, each once, as Terraform's own output has them.
diagnostics() {
  jq -rR --arg severity "$1" '
    fromjson? | select(.type == "diagnostic") | .diagnostic
    | select(.severity == $severity and (.summary | test("development overrides") | not))
    | (.severity | sub("^w"; "W") | sub("^e"; "E")) + ": " + .summary
      + ([
        (if .address then "\n  with " + .address else empty end),
        (if .range then "\n  on \(.range.filename) line \(.range.start.line)"
          + (if .snippet.context then ", in " + .snippet.context else "" end)
          + (if .snippet.code then ":\n  \(.snippet.start_line): " + .snippet.code else "" end)
        else empty end)
      ] | join(","))
      + (if .detail != "" then "\n\n" + .detail else "" end) + "\n"
  ' "$results/messages.jsonl"
}

if [ -f "$results/plan" ]; then
  # Into a variable, because a failure inside a pipe would not end the script.
  report=$(sh "$scripts/report.sh" "$results" --limit $((limit * 2 / 5)))
  printf '%s\n\n' "$report"
fi
printf '## %s\n\n' "$title"
# The counts of a plan that failed are about a part of it.
if [ -f "$results/plan" ]; then
  jq -rR 'fromjson? | select(.type == "change_summary")["@message"]' "$results/messages.jsonl"
fi
for severity in error warning; do
  found=$(diagnostics "$severity")
  if [ -n "$found" ]; then
    if [ "$severity" = error ]; then printf '\n### Errors\n\n'; else printf '\n### Warnings\n\n'; fi
    printf '%s\n' "$found" | sh "$scripts/inert.sh" "    " $((limit * 3 / 20))
  fi
done
if [ -f "$results/plan" ]; then
  printf '\n<details>\n<summary>Plan output</summary>\n\n'
  "${TERRAFORM:-terraform}" show -no-color "$results/plan" |
    sh "$scripts/inert.sh" "    " $((limit * 3 / 10))
  printf '\n</details>\n'
fi
