#!/bin/sh
# Little memory: every command ends, with what it was asked for or with exit code 3 and a reason; no
# crash, no endless loop. The limits go from what just loads the libraries to what is enough.
#   low_memory.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
# as a user starts it, with as many threads of BLAS as the machine has cores
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS || :
(ulimit -v 4000000) 2> /dev/null || exit 77

cat > chain.yaml <<'EOF'
tenon: 1
gravity: [0, 0, -9.81]
params: {n: 100, L: 0.1}
repeat:
- for: {i: [1, n]}
  bodies: {"link{i}": {mass: 0.1, shape: {box: [L, 0.02, 0.02]}, at: [L*(i - 0.5), 0, 0]}}
- for: {i: [2, n]}
  joints:
    "pin{i}": {type: revolute, bodies: ["link{i-1}", "link{i}"], at: [L*(i - 1), 0, 0], axis: y}
joints:
  pin1: {type: revolute, bodies: [ground, link1], at: [0, 0, 0], axis: y}
analysis: {until: 0.02, tolerance: 1e-4}
output: {every: 0.01}
EOF
"$tenon" run chain.yaml --output whole.h5 --quiet

# try kB command...: exit code 0 or 3, and a reason with 3
try() {
  size=$1
  shift
  code=0
  (ulimit -c 0 && ulimit -v "$size" && exec timeout -s KILL 60 "$tenon" "$@") > out 2> err || code=$?
  if [ $code = 3 ]; then
    grep -q "out of memory" err || { echo "$size kB, $*: no reason: $(cat err)"; failed=1; }
    short=$((short + 1))
  elif [ $code = 0 ]; then
    enough=$((enough + 1))
  else
    echo "$size kB, $*: exit code $code: $(head -c 300 err)"
    failed=1
  fi
}
short=0 enough=0
for size in 100000 120000 150000 200000 210000 215000 220000 225000 230000 235000 240000 250000 260000 \
            270000 280000 290000 300000 320000 500000; do
  try $size run chain.yaml --output short.h5 --quiet
done
for size in 100000 120000 150000 220000 240000; do
  try $size run chain.yaml --output short.h5 --quiet --method radau
  try $size check chain.yaml
  try $size info whole.h5
  try $size export whole.h5 --csv whole.csv --quiet
done
# both ends of the ladder were there
[ $short -ge 10 ] || { echo "only $short tries ran out of memory"; failed=1; }
[ $enough -ge 5 ] || { echo "only $enough tries had enough memory"; failed=1; }
exit $failed
