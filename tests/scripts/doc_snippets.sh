#!/bin/sh
# What the README and the user guide show is tried: models are checked, programs compiled, commands
# run and their output compared.
#   doc_snippets.sh build-dir source-dir
#
# Fenced blocks, by the words behind the opening fence:
#   yaml            a whole model; a first line "# name.yaml" gives it a name; must pass tenon check
#   yaml fragment   part of a model, not tried
#   c               a program; the first line begins with "/* name.c"; becomes ./name
#   console         lines "$ command", each followed by what it prints, numbers included: within 2 %;
#                   below 1e-6, where rounding has a part, within a factor of 10; below 1e-11 any;
#                   times of the clock any; whole numbers that "tenon check" prints exactly. Which
#                   constraint is worst may differ. "..." stands for any number of lines.
#   sh, text, ...   not tried; but commands and options of tenon that are named there must exist, and nothing there may look like what tenon
#                   prints: that belongs into a console block
# All blocks of one page share a folder, so that a command sees the models above it. Pages without a console block: of their models those that
# begin with "tenon: 1", the reference aside, which is made by the program.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$build/bin:$PATH" NO_COLOR=1

# cut a page into files NNN.<kind> in the folder
cut_page() {
  awk -v dir="$2" '
    /^```/ {
      if (inside) { inside = 0; close(file); next }
      inside = 1
      info = substr($0, 4)
      kind = "skip"
      if (info == "yaml" || info == "c" || info == "console") kind = info
      file = sprintf("%s/%03d.%s", dir, ++n, kind)
      printf "" > file
      next
    }
    inside { print > file }
    END { if (inside) { print "a fence is not closed"; exit 1 } }
  ' "$1"
}

# times of the clock, and which constraint is worst, to "~"
mask() {
  sed -E 's/\(worst [^)]*\)/(worst ~)/; s/ in [0-9.e+-]+ s \([0-9.e+-]+ s CPU\)/ in ~ s (~ s CPU)/
          s/^(reference .*) \([0-9.e+-]+ s\)/\1 (~ s)/; s/^([a-z0-9_]+ +(joint|cartesian) .*) [0-9.e+-]+$/\1 ~/
          s/ +/ /g'
}

# Does the text in $2 match the pattern lines in $1, "..." standing for any lines? $3 = whole: whole numbers must be
# the same.
matches() {
  awk -v whole="$3" '
    NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
    function abs(x) { return x < 0 ? -x : x }
    function near(a, b) {
      if (a == b) return 1
      if (whole == "whole" && a !~ /[.e]/ && b !~ /[.e]/) return 0
      a += 0; b += 0
      if (abs(a) < 1e-11 && abs(b) < 1e-11) return 1
      if (abs(a) < 1e-6 && abs(b) < 1e-6) return abs(a) < 10*abs(b) && abs(b) < 10*abs(a)
      return abs(a - b) <= 0.02*abs(a)
    }
    function same(a, b, number) {
      number = "[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?"
      while (match(a, number)) {
        head = substr(a, 1, RSTART - 1); x = substr(a, RSTART, RLENGTH); a = substr(a, RSTART + RLENGTH)
        if (!match(b, number) || substr(b, 1, RSTART - 1) != head) return 0
        y = substr(b, RSTART, RLENGTH); b = substr(b, RSTART + RLENGTH)
        if (!near(x, y)) return 0
      }
      return a == b
    }
    function fits(i, j) {
      while (i <= n) {
        if (want[i] == "...") {
          for (; j <= m + 1; j++) if (fits(i + 1, j)) return 1
          return 0
        }
        if (j > m || !same(want[i], got[j])) return 0
        i++; j++
      }
      return j == m + 1
    }
    END { exit !fits(1, 1) }' "$1" "$2"
}

check_command() { # page, command, wanted file
  how=all
  case $2 in "tenon check "*) how=whole ;; esac
  (cd "$dir" && sh -c "$2") > "$scratch/raw" 2>&1 || true
  mask < "$scratch/raw" > "$scratch/got"
  mask < "$3" > "$scratch/want"
  matches "$scratch/want" "$scratch/got" $how && return
  echo "$1: '$2' prints something else than the page shows:"
  diff "$3" "$scratch/raw" || true
  fail=1
}

check_console() { # page, block
  : > "$scratch/expected"
  command=""
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      "\$ "*)
        [ -z "$command" ] || check_command "$1" "$command" "$scratch/expected"
        command=${line#"\$ "}
        : > "$scratch/expected" ;;
      *) printf '%s\n' "$line" >> "$scratch/expected" ;;
    esac
  done < "$2"
  [ -z "$command" ] || check_command "$1" "$command" "$scratch/expected"
}

fail=0
tried=0
for page in README.md $(cd "$source" && grep -l '^```console' docs/*/*.md); do
  dir=$scratch/$(basename "$page" .md)
  mkdir -p "$dir"
  ln -s "$source/examples" "$dir/examples"
  cut_page "$source/$page" "$dir"
  for block in "$dir"/[0-9]*; do
    case $block in
      *.yaml)
        name=$(sed -n '1s/^# \([a-z_0-9]*\.yaml\).*/\1/p' "$block")
        name=${name:-$(basename "$block")}
        [ "$dir/$name" = "$block" ] || cp "$block" "$dir/$name"
        (cd "$dir" && tenon check "$name" > "$scratch/raw" 2>&1) || {
          echo "$page: model $name does not pass:"
          cat "$scratch/raw"
          fail=1
        } ;;
      *.c)
        name=$(sed -n '1s/^\/\* \([a-z_0-9]*\)\.c.*/\1/p' "$block")
        cp "$block" "$dir/$name.c"
        "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$source/include" "$dir/$name.c" -L"$build" \
          -Wl,-rpath,"$build" -ltenon -lm -o "$dir/$name" || { echo "$page: $name.c"; fail=1; } ;;
      *.console) check_console "$page" "$block" ;;
      *) continue ;;
    esac
    tried=$((tried + 1))
  done
done
# whole models of other pages
for page in $(cd "$source" && grep -L '^```console' docs/*/*.md | grep -v '^docs/input/'); do
  dir=$scratch/models
  rm -rf "$dir"
  mkdir -p "$dir"
  cut_page "$source/$page" "$dir"
  for block in "$dir"/*.yaml; do
    [ -f "$block" ] && grep -q '^tenon: 1' "$block" || continue
    (cd "$dir" && tenon check "$block" > "$scratch/raw" 2>&1) || { echo "$page: model $(basename "$block") does not pass:"; cat "$scratch/raw"; fail=1; }
    tried=$((tried + 1))
  done
done
# commands in blocks that are not tried
(cd "$source" && awk '
  FNR == 1 { inside = 0 }
  /^```/ { inside = inside ? 0 : 1; tried = $0 ~ /^```(console|c$)/; next }
  !inside || tried { next }
  /^\$ / || /^(verdict   |complete  |assembly  |freedom   )/ { print FILENAME ":" FNR ": output" ; next }
  match($0, /(^|[ \/])tenon(_mpi)? [a-z]+( |$)/) {
    text = substr($0, RSTART); sub(/^[ \/]/, "", text); sub(/ #.*/, "", text); print FILENAME ":" FNR ": " text
  }' README.md CONTRIBUTING.md docs/*/*.md bench/peers/README.md) > "$scratch/commands"
while IFS= read -r line; do
  place=${line%%: *}
  text=${line#*: }
  [ "$text" != output ] || { echo "$place: looks like output; make it a console block"; fail=1; continue; }
  # shellcheck disable=SC2086
  set -- $text
  sub=$2
  tenon "$sub" --help > "$scratch/raw" 2>&1 || { echo "$place: there is no 'tenon $sub'"; fail=1; continue; }
  tenon --help | sed -n '/^for all/,$p' >> "$scratch/raw"
  for word in "$@"; do
    case $word in --[a-z]*) ;; *) continue ;; esac
    grep -q -e "$(echo "${word%%=*}" | sed 's/[^a-z-]*$//')\b" "$scratch/raw" || { echo "$place: 'tenon $sub' has no $word"; fail=1; }
  done
  tried=$((tried + 1))
done < "$scratch/commands"
[ "$tried" -gt 0 ] || { echo "no snippet found"; exit 1; }
echo "$tried snippets tried"
exit $fail
