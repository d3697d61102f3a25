#!/bin/sh
# Break one line at a time and see whether the tests of its room notice.
#   run.sh work-dir source-dir count [room ...]
# Builds a copy of the source in work-dir, once per mutant what depends on the changed file, and runs the programs
# that the list `rooms` names until one fails, the shortest first; each is linked when its turn comes. A program may
# take ten times as long as it does unbroken, and five seconds more. Written: work-dir/mutants.txt (one line per mutant), work-dir/mutants.md (shares per room). Exit code
# 1 when less than 85 % of all are noticed. Goes on where it was stopped when mutants.txt is there.
set -eu
mkdir -p "$1"
work=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
count=$3
shift 3
all=$(sed -n 's/^\([a-z]*\):.*/\1/p' "$source/tests/mutate/rooms")
[ $# -gt 0 ] || set -- $all
jobs=${JOBS:-2}
tree=$work/tree
build=$work/build
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
ulimit -v 8000000       # a mutant may ask for all memory
ulimit -c 0

tests_of() {
  patterns=$(sed -n "s/^$1: *//p" "$source/tests/mutate/rooms")
  (cd "$source/tests" && for p in $patterns; do
    find unit verify library -name '*.c' | sort | sed 's|/|_|g; s|\.c$||' | while read -r name; do
      case $name in $p) echo "$name" ;; esac
    done
  done)
}

# a program, with the time that it may take; the exit code is the answer
try() {
  limit=$(awk -v t="$(cat "$work/time/$1")" 'BEGIN { printf "%.1f", 10*t + 5 }')
  (cd "$work/scratch" && timeout -k 1 "$limit" "$build/tests/$1" > "$work/output" 2>&1) 2> /dev/null
}

mkdir -p "$tree" "$build" "$work/time" "$work/scratch"
# what is there and the same is not built again
(cd "$source" && find . \( -path ./build -o -path ./.git \) -prune -o -type f -print) | while read -r file; do
  cmp -s "$source/$file" "$tree/$file" || { mkdir -p "$tree/$(dirname "$file")" && cp "$source/$file" "$tree/$file"; }
done
${CC:-cc} -O1 -o "$work/mutants" "$source/tests/mutate/mutants.c"
quick= # linking is most of the work
for linker in lld mold; do ! command -v ld.$linker > /dev/null || quick=-fuse-ld=$linker; done
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXE_LINKER_FLAGS="$quick" > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 2; }
programs=$(for room in "$@"; do tests_of "$room"; done | sort -u)
ninja -C "$build" -j "$jobs" $programs > "$work/build.log" || { tail -30 "$work/build.log"; exit 2; }
for p in $programs; do
  [ ! "$work/time/$p" -nt "$build/tests/$p" ] || continue
  echo 60 > "$work/time/$p"
  begin=$(date +%s.%N)
  try "$p" || { echo "$p fails unbroken:"; tail -5 "$work/output"; exit 2; }
  awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }' > "$work/time/$p"
done

export CCACHE_DISABLE=1 # what is broken is compiled once
touch "$work/mutants.txt"
"$work/mutants" list "$count" "$source" "$@" > "$work/list.txt"
tab=$(printf '\t')
# one of every room in turn, so that a run that was stopped says something about all
awk -F "$tab" '{ print n[$1]++ "\t" $0 }' "$work/list.txt" | sort -s -n | cut -f2- > "$work/turns.txt"
while IFS=$tab read -r room file line column length kind text; do
  place="$room$tab$file$tab$line$tab$column$tab$kind$tab$text"
  ! grep -qF "$place$tab" "$work/mutants.txt" || continue
  "$work/mutants" apply "$source/$file" "$line" "$column" "$length" "$text" > "$tree/$file"
  what=
  for p in $(tests_of "$room" | while read -r p; do echo "$(cat "$work/time/$p") $p"; done | sort -g | cut -d' ' -f2); do
    if ! ninja -C "$build" -j "$jobs" "$p" > "$work/build.log" 2>&1; then what="not compiled"; break; fi
    if ! try "$p"; then what="$p"; break; fi
  done
  echo "$place$tab${what:-SURVIVED}$tab$(sed -n "${line}s/^ *//p" "$source/$file")" >> "$work/mutants.txt"
  cp "$source/$file" "$tree/$file"
done < "$work/turns.txt"

awk -F "$tab" '
  $7 != "not compiled" { n[$1]++; total++; if ($7 != "SURVIVED") { killed[$1]++; all++ } }
  { if (!($1 in seen)) { seen[$1] = 1; room[++rooms] = $1 } }
  END {
    print "| room | mutants | noticed | share |\n|---|---:|---:|---:|"
    for (i = 1; i <= rooms; i++) {
      r = room[i]
      if (n[r]) printf "| %s | %d | %d | %.0f %% |\n", r, n[r], killed[r], 100*killed[r]/n[r]
    }
    printf "| all | %d | %d | %.1f %% |\n", total, all, 100*all/total
    exit all < 0.85*total
  }' "$work/mutants.txt" > "$work/mutants.md" && status=0 || status=1
cat "$work/mutants.md"
grep SURVIVED "$work/mutants.txt" > "$work/survivors.txt" || true
echo "survivors: $work/survivors.txt"
exit $status
