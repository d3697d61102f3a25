#!/bin/sh
# Lines and branches of src/ that have been run, per room, from the counts that a build with TENON_COVERAGE left.
#   coverage.sh build-dir source-dir
# Written: build-dir/coverage.md (rooms), build-dir/files.md (files, least covered first). Exit code 1 when less than 80 %
# of the lines of a file of src/ were run.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
objects=$build/CMakeFiles/tenon_objects.dir/src
cd "$build"
find "$objects" "$build/src" -name '*.gcno' | while read -r note; do
  gcov -b -n -o "$(dirname "$note")" "$note" 2> /dev/null
done | awk -v source="$source/src/" '
  /^File / { name = substr($2, 2, length($2) - 2); ours = index(name, source) == 1; name = substr(name, length(source) + 1); next }
  !ours { next }
  function share(text, at) { split(text, at, /[:% ]+/); return at[3] }
  /^Lines executed/ { n = $NF; run = share($0); if (run*n >= hit[name]*lines[name]) { hit[name] = run; lines[name] = n } }
  /^Taken at least once/ { split($0, at, /[:%]/); n = $NF; if (at[2]*n >= taken[name]*branches[name]) { taken[name] = at[2]; branches[name] = n } }
  END { for (f in lines) printf "%s %.2f %d %.2f %d\n", f, hit[f], lines[f], taken[f], branches[f] }
' | sort > files.txt
awk '
  { split($1, at, "/"); r = at[1]; if (!(r in n)) { n[r] = 0; room[++rooms] = r } n[r] += $3; l[r] += $2*$3/100; b[r] += $5; t[r] += $4*$5/100 }
  END {
    print "| room | lines | run | branches | taken |\n|---|---:|---:|---:|---:|"
    for (i = 1; i <= rooms; i++) {
      r = room[i]
      printf "| %s | %d | %.1f %% | %d | %.1f %% |\n", r, n[r], 100*l[r]/n[r], b[r], b[r] ? 100*t[r]/b[r] : 100
      N += n[r]; L += l[r]; B += b[r]; T += t[r]
    }
    printf "| all | %d | %.1f %% | %d | %.1f %% |\n", N, 100*L/N, B, 100*T/B
  }' files.txt > coverage.md
{ echo "| file | lines | run | taken |"; echo "|---|---:|---:|---:|"
  sort -k2 -n files.txt | awk '{ printf "| %s | %d | %.1f %% | %.1f %% |\n", $1, $3, $2, $4 }'; } > files.md
cat coverage.md
awk '$2 < 80 { print "below 80 %: src/" $1 ", " $2 " % of " $3 " lines"; bad = 1 } END { exit bad }' files.txt
