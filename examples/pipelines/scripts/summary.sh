#!/bin/sh
# Writes a saved plan as Markdown that people can read in an issue, a job summary or an artifact.
#
#   summary.sh TITLE PLAN
#
# What stands in the plan was written by others. Each of its lines is indented, so that it is shown
# as code and nothing in it becomes a link, a mention or a heading.
set -eu
title=$1
text=$("${TERRAFORM:-terraform}" show -no-color "$2")

printf '## %s\n\n' "$title"
printf '%s\n' "$text" | sed -n -e 's/^Plan: \(.*\)$/\1/p' -e 's/^\(No changes\.\).*/\1/p' \
  -e 's/^Changes to Outputs:.*/Outputs change./p'
printf '\n'
# "  # access_listing_role.viewer will be updated in-place", but not the remarks in parentheses.
printf '%s\n' "$text" | sed -n -e "s/^ \{1,2\}# \([^( ].*\)\$/- \`\1\`/p" | sort -u
printf '\n<details>\n<summary>The whole plan</summary>\n\n'
printf '%s\n' "$text" | sed -e 's/^/    /'
printf '\n</details>\n'
