#!/bin/sh
# Renders an access report as a comment on a pull request, in light and in dark:
#   render.sh REPORT DIRECTORY   writes report-light.png and report-dark.png there
# Needs Chromium on PATH, or in CHROME. `cargo xtask docs` runs it.
set -eu
browser=${CHROME:-}
for name in chromium-headless-shell chromium google-chrome chrome; do
  [ -n "$browser" ] || browser=$(command -v $name) || :
done
[ -n "$browser" ] || { echo "Chromium is not on PATH, and CHROME does not name it." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What reports consist of: headings, lists, check boxes, paragraphs and code. Chromium takes pictures of windows,
# not of pages: the first line is the height of the page.
awk '
  { gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;"); code = 0
    while (sub(/`/, code ? "</code>" : "<code>")) code = !code }
  /^- / && !is_list { list = list "<ul>"; is_list = 1 }
  !/^- / && is_list { list = list "</ul>"; is_list = 0 }
  { wrapped = 24 * int(length($0) / 130) }
  sub(/^- \[ \] /, "<li><input type=checkbox disabled> ") || sub(/^- /, "<li>") { height += 27 + wrapped }
  sub(/^## /, "<h2>") { $0 = $0 "</h2>"; height += 54 }
  /^$/ { height += 4 }
  !/^$/ && !/^<(li|h2)>/ { $0 = "<p>" $0; height += 34 + wrapped }
  { list = list $0 "\n" }
  END { print height + 60; print list }' "$1" >"$work/body"
mkdir -p "$2"
for theme in light dark; do
  {
    printf '<!doctype html>\n<meta charset=utf-8>\n<style>%s</style>\n' "$(cat "$(dirname "$0")/style.css")"
    printf '<body class=%s>\n<article>\n<header><b>access-pipeline</b> commented on this pull request</header>\n<section>' $theme
    sed 1d "$work/body"
    printf '</section>\n</article>\n'
  } >"$work/$theme.html"
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1.5 \
    --virtual-time-budget=1000 "--window-size=900,$(sed -n 1p "$work/body")" "--user-data-dir=$work/profile" \
    "--screenshot=$2/report-$theme.png" "file://$work/$theme.html" 2>/dev/null
  # A README should load at once.
  [ "$(wc -c <"$2/report-$theme.png")" -lt 200000 ] || { echo "$2/report-$theme.png is too large." >&2; exit 1; }
done
