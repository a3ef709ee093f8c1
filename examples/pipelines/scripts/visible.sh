#!/bin/sh
# Replaces characters that have no visible form with U+FFFD: controls such as ESC and NUL, changes of direction,
# and letters without a glyph. With them, a description that somebody wrote at the service would look like
# another text, or move the cursor of a terminal.
#
#   visible.sh    reads standard input
#
# Line feeds and tabs stay, and so do the blanks that people write. A carriage return becomes a blank, because
# runners take it for the end of a line.
set -eu
# jq 1.6 ends a line at NUL.
LC_ALL=C tr '\000' '\001' | jq -Rr --unbuffered '
  def is_within(first; last): . >= first and . <= last;
  def is_invisible:
    (. < 32 and . != 9) or . > 126 and (is_within(127; 159) or . == 173 or . == 847 or is_within(1536; 1541)
    or . == 1564 or . == 1757 or . == 1807 or is_within(2192; 2193) or . == 2274 or is_within(4447; 4448)
    or is_within(6068; 6069) or is_within(6155; 6159) or is_within(8203; 8207) or is_within(8232; 8238)
    or is_within(8288; 8303) or . == 10240 or . == 12644 or is_within(57344; 63743)
    or is_within(64976; 65007) or is_within(65024; 65038) or . == 65279 or . == 65440
    or is_within(65520; 65531) or is_within(65534; 65535) or . == 69821 or . == 69837
    or is_within(78896; 78911) or is_within(113824; 113827) or is_within(119155; 119162)
    or is_within(917504; 921599) or . >= 983040);
  explode | map(if . == 13 then 32 elif is_invisible then 65533 else . end) | implode
'
