#!/bin/sh
# Prints the results of a plan as Markdown.
#
#   summary.sh TITLE DIRECTORY
#
# DIRECTORY contains messages.jsonl, the output of `terraform plan -json`, and plan, unless the plan
# failed. Names and descriptions in a plan can be written by anyone who may change a role. All of them
# are indented, so that Markdown renders them as code and never as a link, a mention or a heading, and
# inert.sh changes logging commands of runners in them.
#
# SUMMARY_BYTES limits the size: half of it is for the plan, a sixth each for the list of changes, the
# errors and the warnings. GitHub limits a comment to 65,536 characters.
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

printf '## %s\n\n' "$title"
text=
if [ -f "$results/plan" ]; then
  text=$("${TERRAFORM:-terraform}" show -no-color "$results/plan")
  printf '%s\n' "$text" | sed -n -e 's/^Plan: \(.*\)$/\1/p' -e 's/^\(No changes\.\).*/\1/p' \
    -e 's/^Changes to Outputs:.*/Outputs change./p'
  printf '\n'
  # "  # access_listing_role.viewer will be updated in-place", without the remarks in parentheses. A
  # backtick in an address would end the code.
  printf '%s\n' "$text" | sed -n -e "s/\`/'/g" -e "s/^ \{1,2\}# \([^( ].*\)\$/\`\1\`/p" | sort -u |
    sh "$scripts/inert.sh" "- " $((limit / 6))
fi
for severity in error warning; do
  found=$(diagnostics "$severity")
  if [ -n "$found" ]; then
    if [ "$severity" = error ]; then printf '\n### Errors\n\n'; else printf '\n### Warnings\n\n'; fi
    printf '%s\n' "$found" | sh "$scripts/inert.sh" "    " $((limit / 6))
  fi
done
if [ -n "$text" ]; then
  printf '\n<details>\n<summary>Plan output</summary>\n\n'
  printf '%s\n' "$text" | sh "$scripts/inert.sh" "    " $((limit / 2))
  printf '\n</details>\n'
fi
