#!/bin/sh
# Indents text that others wrote, and makes logging commands in it inert.
#
#   inert.sh PREFIX [BYTES]    reads standard input; the output is cut after BYTES, by default nowhere
#
# GitHub Actions and Azure Pipelines execute commands in the output of a job: `##vso[...]` and `##[...]`
# anywhere in a line, and `::name::` at its beginning. The service, or a commit, may contain such text.
set -eu
LC_ALL=C awk -v prefix="$1" -v limit="${2:-0}" '
  is_cut { next }
  {
    # A carriage return ends a line for the runners.
    gsub(/\r/, " ")
    # Twice, because matches do not overlap: ### becomes # ## and then # # #.
    gsub(/##/, "# #")
    gsub(/##/, "# #")
  }
  # Blanks are all bytes that are not printable ASCII, because the runners skip blanks of Unicode too.
  match($0, /^([^!-~]|[-+~])*::/) { $0 = substr($0, 1, RLENGTH - 1) " " substr($0, RLENGTH) }
  { size += length(prefix $0) + 1 }
  limit > 0 && size > limit { print prefix "... (cut; the job has the whole plan)"; is_cut = 1; next }
  { print prefix $0 }
'
