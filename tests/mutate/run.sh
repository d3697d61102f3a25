#!/bin/sh
# Break one line at a time and see whether the tests notice.
#   run.sh work-dir source-dir count [room ...]
#   run.sh work-dir source-dir again            those that were not noticed once more, with the tests as they are now
#
# Everything is made once: a copy of the source in work-dir (its lines are what is broken until work-dir is removed), the library with all
# internal names in one shared file, the test programs that load it, and what every program runs, line by line (gcov). A mutant is then one file compiled
# (-O1, as all of the library here) and one library linked. Compiled to the same instructions as the unbroken file it is the same program and is not
# counted ("same"). The objects of those that nobody noticed yet are kept.
# Tried are the quick programs of tests/unit, tests/library, tests/verify that run the line, until one fails: those that noticed other mutants of the
# file first, then the shortest, those of the room as if they took a third of their time. That happens in two rounds over all mutants: in the first as many programs are asked as take
# FIRST seconds (8) of the processor unbroken, in the second those that are left, as many as take BUDGET seconds (60) in all. A line without
# instructions of its own (a table, the rest of a statement) counts as run by those that run anything of its file. A program may take five times the
# processor's time that it takes unbroken, and three seconds more; one that takes longer has noticed.
#
# tests/mutate/judged names mutants that were read and change nothing that a result could show, each with the reason: file, the line with
# {what was => what is there instead}, reason. They are tried as all others are; the shares are given with and without those of them that nobody noticed.
#
# Written: work-dir/mutants.txt (a line per attempt, the last one of a mutant counts), work-dir/mutants.md (shares per room), work-dir/survivors.txt.
# Exit code 1 when less than 85 % of all are noticed. Goes on where it was stopped; asks what was not asked yet when BUDGET is larger.
# JOBS mutants at a time. LEAVE_OUT: programs that are not asked. DRAW: other lines (0, 1, 2, ...).
set -eu
mkdir -p "$1"
work=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
count=$3
shift 3
jobs=${JOBS:-2}
first=${FIRST:-8}
budget=${BUDGET:-60}
tree=$work/tree
build=$work/build
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 TN_FIRST=1
ulimit -v 12000000      # a mutant may ask for all memory
ulimit -c 0
tab=$(printf '\t')
mkdir -p "$work/time" "$work/lines" "$work/kept"

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
  cmake -S "$tree" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Mutants -DCMAKE_C_FLAGS_MUTANTS="-O1 -ffp-contract=off -DNDEBUG" -DTENON_TESTS_SHARED=ON \
    -DCMAKE_EXE_LINKER_FLAGS="$quick" -DCMAKE_SHARED_LINKER_FLAGS="$quick" "$2" > "$work/configure.log" || { cat "$work/configure.log"; exit 2; }
}
make_it() { ninja -C "$@" > "$work/build.log" || { tail -30 "$work/build.log"; exit 2; }; }
configure "$build" -DTENON_COVERAGE=OFF
configure "$work/counted" -DTENON_COVERAGE=ON
programs=$(cd "$tree/tests" && find unit verify library -name '*.c' | sort | sed 's|/|_|g; s|\.c$||')
for p in ${LEAVE_OUT:-}; do programs=$(echo "$programs" | grep -vx "$p"); done
make_it "$build" -j "$jobs" $programs
make_it "$work/counted" -j "$jobs" tenon_whole
ln -sf "$build/libtenon_petsc.so" "$work/counted/"

# try library-dir program scratch-dir: the exit code is the answer; the processor's time is left in scratch-dir.times
try() {
  limit=$(awk -v t="$(cat "$work/time/$2")" 'BEGIN { printf "%d", 5*t + 3 }')
  (mkdir -p "$3" && cd "$3" && ulimit -t "$limit" && {
    LD_LIBRARY_PATH=$1 timeout -k 1 $((50*limit)) "$build/tests/$2" > "$3.output" 2>&1 && code=0 || code=$?
    times > "$3.times"
    exit $code
  }) 2> /dev/null
}
# objects of which nothing was run leave counts of this size
counts() { (cd "$work/counted" && find . -name '*.gcda' -printf '%p %s\n' | sort); }
find "$work/counted" -name '*.gcda' -delete
LD_LIBRARY_PATH=$work/counted LD_PRELOAD=$work/counted/libtenon_whole.so /bin/true
counts > "$work/idle.txt"
# file, line and 1 or 0 for lines with instructions, of all sources that this program has run something of
lines_run() {
  counts | comm -23 - "$work/idle.txt" | cut -d' ' -f1 > "$work/counts.txt"
  (cd "$work/counted" && xargs gcov -t < "$work/counts.txt" 2> /dev/null) | awk -v source="$tree/" '
    / 0:Source:/ { file = substr($0, index($0, "Source:") + 7); ours = index(file, source "src/") == 1; file = substr(file, length(source) + 1); next }
    !ours { next }
    { i = index($0, ":"); n = substr($0, 1, i - 1); gsub(/ /, "", n); if (n == "-") next
      k = file "\t" (substr($0, i + 1) + 0); now = n ~ /^[0-9]/; if (!(k in r) || now > r[k]) r[k] = now }
    END { for (k in r) print k "\t" r[k] }' > "$1"
}
for p in $programs; do
  [ ! "$work/time/$p" -nt "$build/tests/$p" ] || continue
  echo 100 > "$work/time/$p"
  if ! try "$build" "$p" "$work/scratch"; then
    echo "$p fails unbroken and is left out:"
    tail -3 "$work/scratch.output"
    rm "$work/time/$p"
    touch "$work/time/$p.fails"
    continue
  fi
  awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, m, /[ms]/); t += 60*m[1] + m[2] }; print t }' "$work/scratch.times" > "$work/time/$p"
  find "$work/counted" -name '*.gcda' -delete
  (cd "$work/scratch" && LD_LIBRARY_PATH=$work/counted timeout 600 "$build/tests/$p" > /dev/null 2>&1) || true
  lines_run "$work/lines/$p"
  touch "$work/time/$p"
done

# ---- mutants -------------------------------------------------------------------------------------------------------------
touch "$work/mutants.txt"
[ $again = yes ] || "$work/mutants" list "$count" "$tree" "$@" > "$work/list.txt"
# one of every room in turn, so that a run that was stopped says something about all
awk -F "$tab" '{ print n[$1]++ "\t" $0 }' "$work/list.txt" | sort -s -n | cut -f2- > "$work/turns.txt"
(cd "$build" && ninja -t commands tenon_whole) > "$work/commands.txt"
link=$(grep 'libtenon_whole.so' "$work/commands.txt" | tail -1)
export CCACHE_DISABLE=1 # what is broken is compiled once

# the programs that run each line that is broken: file, line, whether the program is one of the room, its time, its name
cut -f2,3 "$work/list.txt" | sort -u > "$work/places.txt"
for p in $(cd "$work/time" && ls | grep -v fails); do
  awk -F "$tab" -v p="$p" -v t="$(cat "$work/time/$p")" -v made="$(stat -c %Y "$work/time/$p")" '
    NR == FNR { want[$1, $2] = 1; if (!($1 in file)) { file[$1] = 1 } place[++n] = $1 "\t" $2; of[n] = $1; next }
    ($1 in file) { if ($3) any[$1] = 1; if (($1, $2) in want) has[$1 "\t" $2] = $3 ? 2 : 1 }
    END {
      for (i = 1; i <= n; i++) {
        if (has[place[i]] == 2 || (!has[place[i]] && any[of[i]])) {
          split(of[i], at, "/")
          print place[i] "\t" (index(p, "unit_" at[2] "_") != 1) "\t" t "\t" p "\t" made
        }
      }
    }' "$work/places.txt" "$work/lines/$p"
done > "$work/runs.txt"
# programs_of file line place seconds: what is to be asked, those that were asked about this mutant before with the same tests left out
programs_of() {
  grep -F "$3$tab" "$work/mutants.txt" | tail -1 | awk -F "$tab" '{ n = split($9, p, ","); for (i = 1; i <= n; i++) print "asked\t" p[i] "\t" $10 }' > "$own/before.txt"
  awk -F "$tab" -v file="$1" '$2 == file && $7 ~ /^(unit|verify|library)_/ { print "noticed\t" $7 }' "$work/mutants.txt" >> "$own/before.txt"
  grep -F "$1$tab$2$tab" "$work/runs.txt" | awk -F "$tab" '
    $1 == "asked" { asked[$2] = $3; next }
    $1 == "noticed" { noticed[$2]++; next }
    { $3 = $4*($3 ? 1 : 0.3); print ($4 < 3 ? noticed[$5] + 0 : 0) "\t" $0 "\t" (asked[$5] != "" && asked[$5] >= $6) }' OFS="$tab" "$own/before.txt" - |
    sort -t "$tab" -k1,1nr -k4,4g | awk -F "$tab" -v budget="$4" '$8 { sum += $5; next } { sum += $5; if (sum > budget && n++) exit; print $6 }'
}

worker() { # number of this one, seconds that programs may take
  own=$work/worker.$1
  rm -rf "$own"
  mkdir -p "$own/tree" && cp -r "$tree/src" "$tree/include" "$tree/tests" "$own/tree/"
  n=0
  while IFS=$tab read -r room file line column length kind text shown; do
    n=$((n + 1))
    [ $((n % jobs)) = "$1" ] || continue
    place="$room$tab$file$tab$line$tab$column$tab$kind$tab$text"
    before=$(grep -F "$place$tab" "$work/mutants.txt" | tail -1 | cut -f7)
    case $before in SURVIVED | '') ;; *) continue ;; esac
    ask=$(programs_of "$file" "$line" "$place" "$2")
    if [ ! "$ask" ] && [ "$before" ]; then continue; fi
    "$work/mutants" apply "$tree/$file" "$line" "$column" "$length" "$text" > "$own/tree/$file"
    rm -rf "$own/objects" "$own/lib"
    mkdir -p "$own/objects" "$own/lib"
    ln -s "$build/libtenon_petsc.so" "$own/lib/" # beside what loads it
    compiles=$own/compiles.txt
    case $file in
    *.h) # ccache may have written the path from the build on
      ninja -C "$build" -t deps | awk -v file="/tree/$file" '
        /^[^ ]/ { o = substr($1, 1, length($1) - 1) } substr($1, length($1) - length(file) + 1) == file { print o }' | grep tenon_objects.dir ;;
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
    kept="$work/kept/$(echo "$place" | md5sum | cut -d' ' -f1).o"
    while read -r o; do
      name=$(echo "$o" | tr / _)
      if [ -f "$kept" ]; then
        mv "$kept" "$own/objects/$name"
      else
        grep -F -- "-o $o " "$work/commands.txt" | head -1 | sed "s|$tree/|$own/tree/|g; s| -MD | |; s| -MT [^ ]*||; s| -MF [^ ]*||;
          s|-o $o |-fmacro-prefix-map=$own/tree/=$tree/ -o $own/objects/$name |" > "$compiles"
        if ! (cd "$build" && sh "$compiles" > "$own/compile.log" 2>&1); then what="not compiled"; break; fi
      fi
      cmp -s "$own/objects/$name" "$build/$o" || same=no
      join=$(echo "$join" | sed "s|$o|$own/objects/$name|")
    done < "$own/broken.txt"
    [ "$what" ] || [ $same = no ] || what=same
    if [ ! "$what" ]; then
      join=$(echo "$join" | sed "s|-o [^ ]*libtenon_whole.so|-o $own/lib/libtenon_whole.so|")
      (cd "$build" && sh -c "$join" > "$own/link.log" 2>&1) || what="not compiled"
    fi
    if [ ! "$what" ]; then
      asked=$(awk -F "$tab" '$1 == "asked" { printf "%s,", $2 }' "$own/before.txt")
      for p in $ask; do
        try "$own/lib" "$p" "$own/scratch" || { what=$p; break; }
        asked="$asked$p,"
        rm -rf "$own/scratch"
      done
      rm -rf "$own/scratch"
    fi
    case $what$file in *.c) [ "$what" ] || mv "$own/objects/$name" "$kept" ;; esac
    echo "$place$tab${what:-SURVIVED}$tab$shown$tab${asked:-}$tab$(date +%s)" >> "$work/mutants.txt"
    cp "$tree/$file" "$own/tree/$file"
  done < "$work/turns.txt"
}
for seconds in $first $budget; do
  k=0
  while [ $k -lt "$jobs" ]; do
    worker $k "$seconds" &
    k=$((k + 1))
  done
  wait
done

[ -f "$source/tests/mutate/judged" ] && cp "$source/tests/mutate/judged" "$work/judged.txt" || : > "$work/judged.txt"
awk -F "$tab" '
  FILENAME ~ /judged.txt$/ { reason[$1, $2] = $3; next }
  FILENAME ~ /list.txt$/ { p = $1 "\t" $2 "\t" $3 "\t" $4 "\t" $6 "\t" $7; order[++places] = p; next }
  { p = $1 "\t" $2 "\t" $3 "\t" $4 "\t" $5 "\t" $6; what[p] = $7; shown[p] = $8 }
  END {
    survivors = ARGV[3]
    sub(/mutants.txt$/, "survivors.txt", survivors)
    printf "" > survivors
    for (i = 1; i <= places; i++) {
      p = order[i]
      if (!(p in what)) { missing++; continue }
      if (what[p] == "not compiled" || what[p] == "same") { left[what[p]]++; continue }
      split(p, part, "\t")
      r = part[1]
      if (!(r in n)) room[++rooms] = r
      n[r]++; total++
      if (what[p] != "SURVIVED") { killed[r]++; all++; continue }
      why = reason[part[2], shown[p]]
      if (why != "") { same[r]++; equal++ }
      print part[2] ":" part[3] "\t" shown[p] "\t" why > survivors
    }
    print "| room | mutants | noticed | share | equivalent | share without them |\n|---|---:|---:|---:|---:|---:|"
    for (i = 1; i <= rooms; i++) {
      r = room[i]
      printf "| %s | %d | %d | %.0f %% | %d | %.0f %% |\n", r, n[r], killed[r], 100*killed[r]/n[r], same[r], 100*killed[r]/(n[r] - same[r])
    }
    printf "| all | %d | %d | %.1f %% | %d | %.1f %% |\n", total, all, 100*all/total, equal, 100*all/(total - equal)
    printf "\nnot compiled %d, the same instructions %d, not tried %d\n", left["not compiled"], left["same"], missing
    exit all < 0.85*total
  }' "$work/judged.txt" "$work/list.txt" "$work/mutants.txt" > "$work/mutants.md" && status=0 || status=1
cat "$work/mutants.md"
echo "survivors: $work/survivors.txt"
exit $status
