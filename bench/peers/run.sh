#!/bin/sh
# Build the programs for the simulators found on this machine and collect their figures.
#   bench/peers/run.sh OUTPUT_DIR [cmake options]
# leaves OUTPUT_DIR/<peer>.json, one flat object a peer. A missing simulator costs one line.
set -eu

out=${1:?usage: bench/peers/run.sh OUTPUT_DIR [cmake options]}
shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
build=$out/peers-build

cmake -S "$here" -B "$build" "$@" > "$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
sed -n 's/^-- \(.* not found, left out.*\)/\1/p' "$build.log"
cmake --build "$build" >> "$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }

export OPENBLAS_NUM_THREADS=1
for peer in simbody mujoco dart; do
  if [ -x "$build/${peer}_bench" ]; then
    "$build/${peer}_bench" > "$out/$peer.json.part"
    mv "$out/$peer.json.part" "$out/$peer.json"
    echo "figures in $out/$peer.json"
  fi
done

# accelerations and reactions of random mechanisms, where somebody has written them (bench_random_states)
if [ -x "$build/simbody_random" ] && [ -s "$out/random_states.txt" ]; then
  code=0
  "$build/simbody_random" < "$out/random_states.txt" > "$out/simbody_random.json.part" || code=$?
  mv "$out/simbody_random.json.part" "$out/simbody_random.json"
  echo "figures in $out/simbody_random.json"
  exit $code
fi
