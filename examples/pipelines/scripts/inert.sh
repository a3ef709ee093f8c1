#!/bin/sh
# Indents text that others wrote, makes logging commands in it inert, and shows what is invisible.
#
#   inert.sh PREFIX    reads standard input
#
# GitHub Actions and Azure Pipelines execute commands in the output of a job: `##vso[...]` and `##[...]`
# anywhere in a line, and `::name::` at its beginning. The service, or a commit, may contain such text. With a
# change of direction, or a letter without a glyph, it would look like another text.
set -eu
# jq 1.6 ends a line at NUL.
LC_ALL=C tr '\000' '\001' | jq -Rr --unbuffered --arg prefix "$1" '
  # Controls, format characters, and what Unicode calls ignorable.
  def invisible: test("[\\p{C}\\p{Zl}\\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\udb40\udd00-\udb40\uddef]");
  # By character, because the time of gsub grows with the square of its matches.
  def shown: if . == 9 or (. > 31 and . < 127) then . elif [.] | implode | invisible then 65533 else . end;
  # Runners take a carriage return for the end of a line.
  def visible: split("\r") | join(" ") | if invisible then explode | map(shown) | implode else . end;
  def apart: split("##") | join("# #");
  # Twice, because matches do not overlap: ### becomes # ## and then # # #. Blanks are all characters that are
  # not printable ASCII, because the runners skip blanks of Unicode too.
  # A heading of Markdown stays: the commands have no blank behind ##.
  def inert: (match("^(#+ )?").string) as $heading
    | $heading + (.[$heading | length:] | apart | apart | sub("^(?<start>([^!-~]|[-+~*])*:):"; "\(.start) :"));
  $prefix + (visible | inert)
'
