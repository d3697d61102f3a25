#!/bin/sh
# Relative links in the pages lead to files that exist, and to headings that exist.
#   doc_links.sh build-dir source-dir
set -eu
cd "$2"

# headings of a page as GitHub names them
anchors() {
  sed -n '/^```/,/^```/d; s/^##* *//p' "$1" |
    tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

fail=0
for page in *.md docs/*.md docs/*/*.md; do
  [ -f "$page" ] || continue
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | sort -u |
  while IFS= read -r link; do
    case $link in http*) continue ;; esac
    file=${link%%#*}
    part=""
    case $link in *"#"*) part=${link#*#} ;; esac
    target=$page
    [ -z "$file" ] || target=$(dirname "$page")/$file
    [ -e "$target" ] || { echo "$page: no file for '$link'"; continue; }
    [ -z "$part" ] || anchors "$target" | grep -qx -e "$part" || echo "$page: no heading for '$link'"
  done > "${TMPDIR:-/tmp}/doc_links.$$"
  if [ -s "${TMPDIR:-/tmp}/doc_links.$$" ]; then
    cat "${TMPDIR:-/tmp}/doc_links.$$"
    fail=1
  fi
done
rm -f "${TMPDIR:-/tmp}/doc_links.$$"
exit $fail
