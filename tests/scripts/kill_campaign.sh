#!/bin/sh
# Kill runs again and again, at times spread over their whole length. Whatever a kill leaves must be
# readable, and a restart in the same file must end with the file of a run that nobody killed, bit for
# bit, also when the restarts are killed themselves.
#   kill_campaign.sh build-dir source-dir kills
set -eu
tenon=$1/bin/tenon
same=$1/tests/same_results
kills=${3:-1000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat > chain.yaml <<'EOF'
tenon: 1
title: chain that is killed
gravity: [0, 0, -9.81]
params: {n: 6, L: 0.1}
repeat:
- for: {i: [1, n]}
  bodies: {"link{i}": {mass: 0.1, shape: {box: [L, 0.02, 0.02]}, at: [L*(i - 0.5), 0, 0]}}
- for: {i: [2, n]}
  joints:
    "pin{i}": {type: revolute, bodies: ["link{i-1}", "link{i}"], at: [L*(i - 1), 0, 0], axis: y}
joints:
  pin1: {type: revolute, bodies: [ground, link1], at: [0, 0, 0], axis: y}
forces:
  limit: {type: stop, joint: pin2, min: -0.4, max: 0.4, restitution: 0.7, duration: 0.01}
analysis: {until: 3, tolerance: 1e-6}
output: {every: 0.002, checkpoint: 0.1}
EOF

fail() {
  echo "$*"
  cp run.h5 "$keep" 2> /dev/null || :
  exit 1
}
keep=$1/kill-campaign-failed.h5

begin=$(date +%s%N)
"$tenon" run chain.yaml --output whole.h5 --quiet
[ "$("$tenon" export whole.h5 --csv - --events | wc -l)" -gt 10 ] || fail "no events to compare"
length=$((($(date +%s%N) - begin)/1000000)) # ms

killed=0 round=0 restarts=0 readable=0
while [ $killed -lt "$kills" ]; do
  round=$((round + 1))
  rm -f run.h5
  code=137
  while [ $code = 137 ]; do
    # a delay from a sequence that is the same every time, up to a bit more than the run takes
    delay=$(awk -v k="$killed" -v r="$round" -v n="$length" \
            'BEGIN {x = (k*0.6180339887 + r*0.4142135624) % 1; printf "%.4f", x*n/1000*1.1 + 0.002}')
    set -- --quiet
    [ ! -e run.h5 ] || set -- --restart run.h5 --quiet
    [ $# = 1 ] || restarts=$((restarts + 1))
    code=0
    # in a shell of its own, which may say "Killed"; in the foreground timeout waits until the run is gone, and its lock with it
    sh -c 'timeout --foreground --preserve-status -s KILL "$@" 2> err; exit $?' sh "$delay" "$tenon" run chain.yaml \
      --output run.h5 "$@" 2> said || code=$?
    [ $code = 0 ] || [ $code = 137 ] || fail "round $round: exit code $code: $(cat err)"
    [ $code = 0 ] || killed=$((killed + 1))
    [ -e run.h5 ] || continue
    "$tenon" info run.h5 > about 2>&1 || fail "round $round: not readable: $(cat about)"
    readable=$((readable + 1))
  done
  "$same" whole.h5 run.h5 || fail "round $round: not the file of an uninterrupted run"
  rm -f run.h5.*.part
done
echo "$killed kills, $restarts restarts, $readable readable files, $round runs completed, all the same bits"
