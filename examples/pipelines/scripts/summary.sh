#!/bin/sh
# Writes what a plan means as Markdown: for access (report.sh), errors, warnings, and the plan.
#
#   summary.sh TITLE DIRECTORY
#
# DIRECTORY contains messages.jsonl and, unless the plan failed, plan.json and plan.txt, as plan.sh writes them.
#
# Results:    DIRECTORY/summary.md  cut to SUMMARY_BYTES (default: 50000). GitHub limits a comment to 65,536
#                                   characters
#             DIRECTORY/whole.md    for the log of the job
#
# Names and descriptions in a plan can be written by anyone who may change a role. The report shows them as code.
# Elsewhere they are indented, which Markdown renders as code. All is made inert (inert.sh).
set -eu
title=$1
results=$2
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

# Prints the summary:  summary BYTES
summary() {
  if [ -f "$results/plan.json" ]; then
    # Into a variable, because a failure inside a pipe would not end the script.
    report=$(sh "$scripts/report.sh" "$results" --limit $(($1 * 2 / 5)))
    printf '%s\n\n' "$report" | sh "$scripts/inert.sh" ""
  fi
  printf '## %s\n\n' "$title"
  # The counts of a plan that failed are about a part of it.
  if [ -f "$results/plan.json" ]; then
    jq -rR 'fromjson? | select(.type == "change_summary")["@message"]' "$results/messages.jsonl"
  fi
  for severity in error warning; do
    found=$(diagnostics "$severity")
    if [ -n "$found" ]; then
      if [ "$severity" = error ]; then printf '\n### Errors\n\n'; else printf '\n### Warnings\n\n'; fi
      printf '%s\n' "$found" | sh "$scripts/inert.sh" "    " $(($1 * 3 / 20))
    fi
  done
  if [ -f "$results/plan.txt" ]; then
    printf '\n<details>\n<summary>Plan output</summary>\n\n'
    sh "$scripts/inert.sh" "    " $(($1 * 3 / 10)) <"$results/plan.txt"
    printf '\n</details>\n'
  fi
}

summary "${SUMMARY_BYTES:-50000}" >"$results/summary.part"
summary 1000000000 >"$results/whole.md"
mv "$results/summary.part" "$results/summary.md"
