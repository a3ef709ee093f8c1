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
limit=${SUMMARY_BYTES:-50000}
scripts=$(dirname "$0")
text=$results/plan.txt
[ -f "$text" ] || text=/dev/null

# Writes the summary, with its parts cut for this size:  summary FILE BYTES
summary() {
  {
    if [ -f "$results/plan.json" ]; then
      sh "$scripts/report.sh" "$results" --limit $(($2 * 2 / 5))
      echo
    fi
    jq -nrR --arg title "$title" --rawfile plan "$text" --argjson limit "$2" '
      # Indents a text, and cuts it after a part of the limit.
      def code($part):
        (rtrimstr("\n") | split("\n") | map("    " + .)) as $lines
        | [foreach $lines[] as $line (0; . + ($line | utf8bytelength) + 1; select(. <= $limit * $part) | $line)]
        | .[], (if length < ($lines | length) then "    ... (cut; the log of the job has the rest)" else empty end);
      # As in the output of Terraform.
      def diagnostic:
        .summary
        + ([
          (if .address then "\n  with " + .address else empty end),
          (if .range then "\n  on \(.range.filename) line \(.range.start.line)"
            + (if .snippet.context then ", in " + .snippet.context else "" end)
            + (if .snippet.code then ":\n  \(.snippet.start_line): " + .snippet.code else "" end)
          else empty end)
        ] | join(","))
        + (if .detail != "" then "\n\n" + .detail else "" end);
      [inputs | fromjson?] as $messages
      | "## \($title)\n",
        # The counts of a plan that failed are about a part of it.
        (if $plan == "" then empty else $messages[] | select(.type == "change_summary")["@message"] end),
        (
          ("Error", "Warning") as $severity
          | [
            $messages[] | select(.type == "diagnostic").diagnostic
            | select(.severity == ($severity | ascii_downcase)) | "\($severity): \(diagnostic)"
          ]
          | select(length > 0) | "\n### \($severity)s\n", (join("\n\n") | code(0.15))
        ),
        (if $plan == "" then empty else
          "\n<details>\n<summary>Plan output</summary>\n", ($plan | code(0.3)), "\n</details>"
        end)
    ' "$results/messages.jsonl"
  } >"$results/raw"
  sh "$scripts/inert.sh" "" <"$results/raw" >"$results/part"
  rm "$results/raw"
  mv "$results/part" "$1"
}

summary "$results/whole.md" 1000000000
if [ "$(wc -c <"$results/whole.md")" -le "$limit" ]; then
  cp "$results/whole.md" "$results/summary.md"
else
  summary "$results/summary.md" "$limit"
fi
