#!/bin/sh
# Runs that end early: Ctrl-C, kill -9, a full disk, a file that others remove. What was stored is
# readable, and a restart goes on bit for bit, in a file of its own or in the same one.
#   interrupted.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
same=$1/tests/same_results
source=$2
scratch=$(mktemp -d)
pid=
trap 'test -z "$pid" || kill -9 "$pid" 2> /dev/null || :; rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
problem() {
  echo "$*"
  failed=1
}

# hours of work if nobody ends it
cat > long.yaml <<'END'
tenon: 1
title: chain that takes hours
gravity: [0, 0, -9.81]
params: {n: 12, L: 0.1}
repeat:
- for: {i: [1, n]}
  bodies: {"link{i}": {mass: 0.1, shape: {box: [L, 0.02, 0.02]}, at: [L*(i - 0.5), 0, 0]}}
- for: {i: [2, n]}
  joints:
    "pin{i}": {type: revolute, bodies: ["link{i-1}", "link{i}"], at: [L*(i - 1), 0, 0], axis: y}
joints:
  pin1: {type: revolute, bodies: [ground, link1], at: [0, 0, 0], axis: y}
analysis: {until: 100000, tolerance: 1e-6}
output: {every: 0.01, checkpoint: 0.1}
END

# rows of the CSV of a results file; 0 while there is none
rows() {
  if "$tenon" export "$1" --csv rows.csv 'bodies/link1/*' --quiet 2> /dev/null; then
    echo $(($(wc -l < rows.csv) - 1))
  else
    echo 0
  fi
}

# start file rows options: a run of hours in the background; wait until it has stored some rows
start() {
  file=$1
  least=$2
  shift 2
  "$tenon" run long.yaml --output "$file" "$@" > out 2> err &
  pid=$!
  tries=0
  while [ "$(rows "$file")" -lt "$least" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 800 ] || ! kill -0 $pid 2> /dev/null; then
      echo "nothing readable appears in $file while the run goes on"
      cat out err
      exit 1
    fi
    sleep 0.05
  done
}

# finish: wait for the background run; its exit code in code
finish() {
  code=0
  wait $pid || code=$?
  pid=
}

# --- Ctrl-C
start stopped.h5 100
kill -INT $pid
finish
[ $code = 1 ] || problem "exit code $code after Ctrl-C, want 1"
grep -q "stopped at t = " err || problem "Ctrl-C: no message where it stopped: $(cat err)"
grep -q "^stopped " out || problem "Ctrl-C: no summary"
"$tenon" info stopped.h5 > about
grep -q "outcome     stopped" about || problem "Ctrl-C: the results do not say that it was stopped"
n=$(rows stopped.h5)
[ "$n" -ge 100 ] || problem "Ctrl-C left $n rows"

# --- kill -9
start killed.h5 100
kill -9 $pid
finish
"$tenon" info killed.h5 > about || problem "kill -9: results cannot be opened"
grep -q "outcome     running" about || problem "kill -9: the results claim to be finished"
n=$(rows killed.h5)
[ "$n" -ge 100 ] || problem "kill -9 left $n rows"

# --- the killed run goes on from its last checkpoint as if nothing had happened
start whole.h5 "$((n + 200))"
kill -INT $pid
finish
start rest.h5 100 --restart killed.h5
kill -INT $pid
finish
"$tenon" export whole.h5 --csv whole.csv --quiet
"$tenon" export rest.h5 --csv rest.csv --quiet
# the rows that both have
awk -F, 'NR == FNR {seen[$1] = 1; next} $1 in seen' rest.csv whole.csv > whole.part
awk -F, 'NR == FNR {seen[$1] = 1; next} $1 in seen' whole.csv rest.csv > rest.part
[ "$(wc -l < rest.part)" -ge 50 ] || problem "only $(wc -l < rest.part) rows to compare"
cmp whole.part rest.part || problem "a restart after kill -9 does not continue bit for bit"

# --- a run with events continues bit for bit; with every method, row by row: tests/verify/restart.c
vehicle=$source/examples/vehicle/hmmwv14.yaml
for how in "rk45 cartesian" "adams joint"; do
  method=${how% *}
  set -- --method "$method" --representation "${how#* }" --until 1.5 --step 0.002 --quiet
  "$tenon" run "$vehicle" "$@" --output whole.h5
  "$tenon" run "$vehicle" "$@" --output rest.h5 --restart whole.h5 --restart-time 0.8
  "$tenon" export whole.h5 --csv whole.csv --quiet
  "$tenon" export rest.h5 --csv rest.csv --quiet
  n=$(($(wc -l < rest.csv) - 1))
  { [ $n -ge 60 ] && [ $n -lt 140 ]; } || problem "$how: the restarted run has $n rows"
  tail -n $n whole.csv > whole.tail
  tail -n $n rest.csv > rest.tail
  cmp whole.tail rest.tail || problem "$how: a restart does not continue bit for bit"
done
code=0
"$tenon" run long.yaml --restart whole.h5 --output x.h5 2> err || code=$?
[ $code = 2 ] || problem "exit code $code when restarted from another model, want 2"
grep -q "differs" err || problem "restart from another model: $(cat err)"

# --- by default a restart goes on in its file, which becomes that of the whole run
set -- "$vehicle" --quiet
"$tenon" run "$@" --until 1.5 --output whole.h5
"$tenon" run "$@" --until 0.8 --output part.h5
"$tenon" run "$@" --until 1.5 --restart part.h5
"$tenon" info part.h5 > about
grep -q "times       151, 0 to 1.5 s" about || problem "a longer restart in the same file: $(cat about)"
ls | grep -q 'h5.*part$' && problem "a restart leaves a temporary file: $(ls)"
cp whole.h5 precious.h5
"$tenon" run "$@" --until 1.5 --restart whole.h5 --restart-time 1.1 --output whole.h5
"$same" whole.h5 precious.h5 || problem "a restart at 1.1 s in the same file changes it"
cp precious.h5 copy.h5
code=0
"$tenon" run "$@" --until 1.5 --restart copy.h5 --restart-time 1.1 2> err || code=$?
{ [ $code = 2 ] && grep -q "would be replaced" err; } || problem "rows are replaced unasked: $(cat err)"
code=0
"$tenon" run "$@" --until 1 --restart copy.h5 2> err || code=$?
{ [ $code = 2 ] && grep -q "reaches 1.5 s already" err; } || problem "a file is cut: $(cat err)"
code=0
"$tenon" run long.yaml --quiet --restart copy.h5 2> err || code=$?
[ $code = 2 ] || problem "exit code $code after a restart with another model, want 2: $(cat err)"
cmp copy.h5 precious.h5 || problem "a refused restart changes its file"

# --- two runs on one file: the second is refused, the first goes on
start one.h5 50
code=0
"$tenon" run long.yaml --output one.h5 > out2 2> err2 || code=$?
[ $code = 3 ] || problem "exit code $code for a second run on a file, want 3"
grep -q "another run is writing this file" err2 || problem "second run: $(cat err2)"
code=0
"$tenon" run long.yaml --restart one.h5 > out2 2> err2 || code=$?
{ [ $code = 3 ] && grep -q "another run is writing this file" err2; } ||
  problem "restart of a file that is being written: exit code $code, $(cat err2)"
n=$(rows one.h5)
kill -INT $pid
finish
[ "$(rows one.h5)" -ge "$n" ] || problem "the first run lost rows to the second"

# --- results removed, emptied or replaced while the run goes on
for how in removed truncated replaced; do
  start victim.h5 50
  case $how in
    removed) rm victim.h5 ;;
    truncated) : > victim.h5 ;;
    replaced) cp stopped.h5 fresh.h5 && mv fresh.h5 victim.h5 ;;
  esac
  finish
  [ $code = 3 ] || problem "exit code $code after the results were $how, want 3"
  grep -q "victim.h5': the file was $how" err || problem "results $how: $(cat err)"
  [ $how != replaced ] || cmp stopped.h5 victim.h5 || problem "the file of somebody else was touched"
  rm -f victim.h5
done

# --- signals are seen while rows are written: here one step passes millions of them
cat > rows.yaml <<'END'
tenon: 1
bodies: {ball: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}
analysis: {until: 1000}
output: {every: 1e-5}
END
for signal in INT TERM; do
  "$tenon" run rows.yaml --output rows.h5 > out 2> err &
  pid=$!
  sleep 1
  begin=$(date +%s%N)
  kill -$signal $pid
  finish
  took=$((($(date +%s%N) - begin)/1000000))
  [ $code = 1 ] || problem "exit code $code after SIG$signal among rows, want 1: $(cat err)"
  [ $took -lt 1000 ] || problem "SIG$signal among rows took $took ms"
  grep -q "stopped at t = " err || problem "SIG$signal among rows: $(cat err)"
  "$tenon" info rows.h5 | grep -q "outcome     stopped" || problem "SIG$signal: not marked as stopped"
done

# --- a full disk: no file may grow beyond 4000 blocks of 512 or 1024 bytes
code=0
(ulimit -f 4000 && "$tenon" run long.yaml --output full.h5 > out 2> err) || code=$?
[ $code = 3 ] || problem "exit code $code on a full disk, want 3"
grep -q "full.h5" err || problem "full disk: no message that names the file: $(cat err)"
grep -q "File too large" err || problem "full disk: no reason: $(cat err)"
n=$(rows full.h5)
[ "$n" -ge 50 ] || problem "a full disk left $n rows"
grep -q "full.h5 ($n stored times)" out || problem "a full disk left $n rows, the summary says: $(cat out)"
exit $failed
