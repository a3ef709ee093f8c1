#!/bin/sh
# Indents text that others wrote, makes logging commands in it inert, and shows what is invisible (visible.sh).
#
#   inert.sh PREFIX [BYTES]    reads standard input; the output is cut after BYTES, by default nowhere
#
# GitHub Actions and Azure Pipelines execute commands in the output of a job: `##vso[...]` and `##[...]`
# anywhere in a line, and `::name::` at its beginning. The service, or a commit, may contain such text.
set -eu
scripts=$(dirname "$0")
sh "$scripts/visible.sh" | jq -nRr --unbuffered --arg prefix "$1" --argjson limit "${2:-0}" '
  def apart: split("##") | join("# #");
  # Twice, because matches do not overlap: ### becomes # ## and then # # #. Blanks are all characters that are
  # not printable ASCII, because the runners skip blanks of Unicode too.
  def inert: apart | apart | sub("^(?<start>([^!-~]|[-+~*])*:):"; "\(.start) :");
  foreach inputs as $text (
    {size: 0};
    .line = $prefix + ($text | inert)
    | .size += (.line | utf8bytelength) + 1
    | .was_cut = .is_cut
    | .is_cut = ($limit > 0 and .size > $limit);
    if .was_cut then empty elif .is_cut then $prefix + "... (cut; the job has the whole plan)" else .line end
  )
'
