#!/bin/sh
# Break one line at a time and see whether the tests notice.
#   run.sh work-dir source-dir count [room ...]
#   run.sh work-dir source-dir again            those that were not noticed once more, with the tests as they are now
#
# Everything is made once: a copy of the source in work-dir (its lines are what is broken until work-dir is removed), the library with all
# internal names in one shared file, the test programs that load it, and what every program runs, line by line (gcov). A mutant is then one file compiled
# and one library linked. Compiled to the same instructions as the unbroken file it is the same program and is not counted ("same").
# Tried are the quick programs of tests/unit, tests/library, tests/verify that run the line, until one fails: those of the room first, then the shortest,
# as many as take BUDGET seconds (40) unbroken. A line without instructions of its own (a table, the rest of a statement) counts as run by those that
# run anything of its file. A program may take five times the processor's time that it takes unbroken, and three seconds more; one that takes longer has noticed.
#
# Written: work-dir/mutants.txt (one line per mutant), work-dir/mutants.md (shares per room), work-dir/survivors.txt. Exit code 1 when less than 85 % of
# all are noticed. Goes on where it was stopped. JOBS mutants at a time. LEAVE_OUT: programs that are not asked.
set -eu
mkdir -p "$1"
work=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
count=$3
shift 3
jobs=${JOBS:-2}
budget=${BUDGET:-40}
tree=$work/tree
build=$work/build
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 TN_FIRST=1
ulimit -v 12000000      # a mutant may ask for all memory
ulimit -c 0
tab=$(printf '\t')
mkdir -p "$work/time" "$work/lines"

copy() { # what is there and the same is not built again
  (cd "$source" && find "$@" \( -path ./build -o -path ./.git \) -prune -o -type f -print) | while read -r file; do
    cmp -s "$source/$file" "$tree/$file" || { mkdir -p "$tree/$(dirname "$file")" && cp "$source/$file" "$tree/$file"; }
  done
}
again=no
if [ "$count" = again ]; then
  again=yes
  copy ./tests
else
  [ -d "$tree" ] || copy .
fi
all=$(cat "$tree/tests/mutate/rooms")
[ $# -gt 0 ] || set -- $all
${CC:-cc} -O1 -o "$work/mutants" "$source/tests/mutate/mutants.c"

# ---- programs, their times, their lines -------------------------------------------------------------------------------
quick=
! command -v ld.mold > /dev/null || quick=-fuse-ld=mold
configure() {
  cmake -S "$tree" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_TESTS_SHARED=ON -DCMAKE_EXE_LINKER_FLAGS="$quick" \
    -DCMAKE_SHARED_LINKER_FLAGS="$quick" "$2" > "$work/configure.log" || { cat "$work/configure.log"; exit 2; }
}
make_it() { ninja -C "$@" > "$work/build.log" || { tail -30 "$work/build.log"; exit 2; }; }
configure "$build" -DTENON_COVERAGE=OFF
configure "$work/counted" -DTENON_COVERAGE=ON
programs=$(cd "$tree/tests" && find unit verify library -name '*.c' | sort | sed 's|/|_|g; s|\.c$||')
for p in ${LEAVE_OUT:-}; do programs=$(echo "$programs" | grep -vx "$p"); done
make_it "$build" -j "$jobs" $programs
make_it "$work/counted" -j "$jobs" tenon_whole
ln -sf "$build/libtenon_petsc.so" "$work/counted/"

# try library-dir program scratch-dir: the exit code is the answer
try() {
  limit=$(awk -v t="$(cat "$work/time/$2")" 'BEGIN { printf "%d", 5*t + 3 }')
  (mkdir -p "$3" && cd "$3" && ulimit -t "$limit" && LD_LIBRARY_PATH=$1 timeout -k 1 $((20*limit)) "$build/tests/$2" > "$3.output" 2>&1) 2> /dev/null
}
# file, line and 1 or 0 for lines with instructions, of all sources that this program has run something of
lines_run() {
  (cd "$work/counted" && find . -name '*.gcda' | sort | xargs gcov -t 2> /dev/null) | awk -v source="$tree/" '
    / 0:Source:/ { file = substr($0, index($0, "Source:") + 7); ours = index(file, source "src/") == 1; file = substr(file, length(source) + 1); next }
    !ours || NF < 2 { next }
    { i = index($0, ":"); n = substr($0, 1, i - 1); gsub(/ /, "", n); if (n == "-") next
      rest = substr($0, i + 1); line = rest + 0; print file "\t" line "\t" (n ~ /^[0-9]/) }' |
    sort -u | awk -F "\t" '{ k = $1 "\t" $2; if (!(k in r) || $3 > r[k]) r[k] = $3 } END { for (k in r) print k "\t" r[k] }' > "$1"
}
for p in $programs; do
  [ ! "$work/time/$p" -nt "$build/tests/$p" ] || continue
  echo 100 > "$work/time/$p"
  begin=$(date +%s.%N)
  if ! try "$build" "$p" "$work/scratch"; then
    echo "$p fails unbroken and is left out:"
    tail -3 "$work/scratch.output"
    rm "$work/time/$p"
    touch "$work/time/$p.fails"
    continue
  fi
  awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }' > "$work/time/$p"
  find "$work/counted" -name '*.gcda' -delete
  (cd "$work/scratch" && LD_LIBRARY_PATH=$work/counted timeout 600 "$build/tests/$p" > /dev/null 2>&1) || true
  lines_run "$work/lines/$p"
  touch "$work/time/$p"
done

# ---- mutants -------------------------------------------------------------------------------------------------------------
touch "$work/mutants.txt"
if [ $again = yes ]; then
  grep -v "${tab}SURVIVED$tab" "$work/mutants.txt" > "$work/kept.txt" || true
  mv "$work/kept.txt" "$work/mutants.txt"
else
  "$work/mutants" list "$count" "$tree" "$@" > "$work/list.txt"
fi
# one of every room in turn, so that a run that was stopped says something about all
awk -F "$tab" '{ print n[$1]++ "\t" $0 }' "$work/list.txt" | sort -s -n | cut -f2- > "$work/turns.txt"
(cd "$build" && ninja -t commands tenon_whole) > "$work/commands.txt"
link=$(grep 'libtenon_whole.so' "$work/commands.txt" | tail -1)
export CCACHE_DISABLE=1 # what is broken is compiled once

# the programs that run each line that is broken: file, line, whether the program is one of the room, its time, its name
cut -f2,3 "$work/list.txt" | sort -u > "$work/places.txt"
for p in $(cd "$work/time" && ls | grep -v fails); do
  awk -F "$tab" -v p="$p" -v t="$(cat "$work/time/$p")" '
    NR == FNR { want[$1, $2] = 1; if (!($1 in file)) { file[$1] = 1 } place[++n] = $1 "\t" $2; of[n] = $1; next }
    ($1 in file) { if ($3) any[$1] = 1; if (($1, $2) in want) has[$1 "\t" $2] = $3 ? 2 : 1 }
    END {
      for (i = 1; i <= n; i++) {
        if (has[place[i]] == 2 || (!has[place[i]] && any[of[i]])) {
          split(of[i], at, "/")
          print place[i] "\t" (index(p, "unit_" at[2] "_") != 1) "\t" t "\t" p
        }
      }
    }' "$work/places.txt" "$work/lines/$p"
done > "$work/runs.txt"
programs_of() { # file line
  grep -F "$1$tab$2$tab" "$work/runs.txt" | sort -t "$tab" -k3,3n -k4,4g | awk -F "$tab" -v budget="$budget" '{ sum += $4; if (sum > budget && NR > 1) exit; print $5 }'
}

worker() { # number of this one
  own=$work/worker.$1
  mkdir -p "$own/plain"
  rm -rf "$own/tree"
  mkdir -p "$own/tree" && cp -r "$tree/src" "$tree/include" "$tree/tests" "$own/tree/"
  n=0
  while IFS=$tab read -r room file line column length kind text; do
    n=$((n + 1))
    [ $((n % jobs)) = "$1" ] || continue
    place="$room$tab$file$tab$line$tab$column$tab$kind$tab$text"
    ! grep -qF "$place$tab" "$work/mutants.txt" || continue
    "$work/mutants" apply "$tree/$file" "$line" "$column" "$length" "$text" > "$own/tree/$file"
    rm -rf "$own/objects" "$own/lib"
    mkdir -p "$own/objects" "$own/lib"
    ln -s "$build/libtenon_petsc.so" "$own/lib/" # beside what loads it
    compiles=$own/compiles.txt
    case $file in
    *.h) ninja -C "$build" -t deps | awk -v file="$tree/$file" '/^[^ ]/ { o = substr($1, 1, length($1) - 1) } $1 == file { print o }' | grep tenon_objects.dir ;;
    *) echo "CMakeFiles/tenon_objects.dir/$file.o" ;;
    esac > "$own/broken.txt"
    what=
    join=$link
    same=yes
    # a header is compiled into the programs that include it, too: those of its room first, because all of the library is dear
    case $file in *.h)
      for p in $(cd "$work/time" && ls | grep "^unit_${room}_" | grep -v fails); do
        (cd "$build" && ninja -t commands "$p") | grep -e "-o tests/CMakeFiles/$p.dir/" -e "-o tests/$p " | sed "s|$tree/|$own/tree/|g; s| -MD | |; s| -MT [^ ]*||; s| -MF [^ ]*||; s|tests/CMakeFiles/$p.dir/[^ ]*\.o|$own/objects/program.o|g;
          s|-o tests/$p |-o $own/lib/program |" > "$compiles"
        (cd "$build" && sh -e "$compiles" > "$own/compile.log" 2>&1) || { what="not compiled"; break; }
        (cd "$own" && LD_LIBRARY_PATH=$build timeout 60 lib/program > /dev/null 2>&1) || { what=$p; break; }
      done ;;
    esac
    [ ! "$what" ] || : > "$own/broken.txt"
    while read -r o; do
      name=$(echo "$o" | tr / _)
      grep -F -- "-o $o " "$work/commands.txt" | head -1 | sed "s|$tree/|$own/tree/|g; s| -O3 | -O1 |; s| -MD | |; s| -MT [^ ]*||; s| -MF [^ ]*||;
        s|-o $o |-fmacro-prefix-map=$own/tree/= -o $own/objects/$name |" > "$compiles"
      if ! (cd "$build" && sh "$compiles" > "$own/compile.log" 2>&1); then what="not compiled"; break; fi
      case $file in *.h) same=no; : > "$own/plain/$name" ;; esac
      if [ ! -f "$own/plain/$name" ]; then # the unbroken one, compiled alike
        cp "$tree/$file" "$own/tree/$file"
        sed "s|$own/objects/$name|$own/plain/$name|" "$compiles" > "$compiles.plain"
        (cd "$build" && sh "$compiles.plain" > /dev/null 2>&1)
        "$work/mutants" apply "$tree/$file" "$line" "$column" "$length" "$text" > "$own/tree/$file"
      fi
      cmp -s "$own/objects/$name" "$own/plain/$name" || same=no
      join=$(echo "$join" | sed "s|$o|$own/objects/$name|")
    done < "$own/broken.txt"
    [ "$what" ] || [ $same = no ] || what=same
    if [ ! "$what" ]; then
      join=$(echo "$join" | sed "s|-o [^ ]*libtenon_whole.so|-o $own/lib/libtenon_whole.so|")
      (cd "$build" && sh -c "$join" > "$own/link.log" 2>&1) || what="not compiled"
    fi
    if [ ! "$what" ]; then
      for p in $(programs_of "$file" "$line"); do
        try "$own/lib" "$p" "$own/scratch" || { what=$p; break; }
        rm -rf "$own/scratch"
      done
      rm -rf "$own/scratch"
    fi
    echo "$place$tab${what:-SURVIVED}$tab$(sed -n "${line}s/^ *//p" "$tree/$file")" >> "$work/mutants.txt"
    cp "$tree/$file" "$own/tree/$file"
  done < "$work/turns.txt"
}
k=0
while [ $k -lt "$jobs" ]; do
  worker $k &
  k=$((k + 1))
done
wait

awk -F "$tab" '
  $7 == "not compiled" || $7 == "same" { left[$7]++; next }
  { n[$1]++; total++; if ($7 != "SURVIVED") { killed[$1]++; all++ } }
  { if (!($1 in seen)) { seen[$1] = 1; room[++rooms] = $1 } }
  END {
    print "| room | mutants | noticed | share |\n|---|---:|---:|---:|"
    for (i = 1; i <= rooms; i++) {
      r = room[i]
      if (n[r]) printf "| %s | %d | %d | %.0f %% |\n", r, n[r], killed[r], 100*killed[r]/n[r]
    }
    printf "| all | %d | %d | %.1f %% |\n", total, all, 100*all/total
    printf "\nnot compiled %d, the same instructions %d\n", left["not compiled"], left["same"]
    exit all < 0.85*total
  }' "$work/mutants.txt" > "$work/mutants.md" && status=0 || status=1
cat "$work/mutants.md"
grep SURVIVED "$work/mutants.txt" > "$work/survivors.txt" || true
echo "survivors: $work/survivors.txt"
exit $status
