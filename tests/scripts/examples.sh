#!/bin/sh
# Every example is fine, runs, is sound and can be exported; what they are expected to give is for tests/verify.
#   examples.sh build-dir source-dir [all]
# Without all those that take seconds run for a part of their time, or on a coarser mesh.
set -eu
tenon=$1/bin/tenon
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

# options of a run that is cut short
less_of() {
  case $1 in
    staggered/spin_up) echo --until 0.3 ;;
    structures/crash_tube) echo --until 5e-5 ;;
    structures/slider_crank | structures/slider_crank_reduced) echo --until 2e-4 ;;
    staggered/flexible_pendulum | staggered/deforming_pendulum) echo --until 0.2 ;;
    staggered/pinned_beam) echo --until 0.5 ;;
    beams/mast) echo --until 0.3 ;;
    beams/spin_up) echo --until 1 ;;
    contact/boards) echo --until 0.05 ;;
    structures/satellite) echo --set fine=1 ;;
    chain/chain) echo --until 0.4 ;;
  esac
}

for model in "$source"/examples/*/*.yaml; do
  name=${model#"$source"/examples/}
  less=
  [ "${3:-}" = all ] || less=$(less_of "${name%.yaml}")
  # shellcheck disable=SC2086
  { "$tenon" check "$model" --quiet && "$tenon" run "$model" --quiet $less --output example.h5 &&
    "$tenon" export example.h5 --csv example.csv --quiet; } > out 2> err ||
    { echo "$name: exit code $?: $(cat out err)"; failed=1; }
  [ ! -s err ] || { echo "$name: says $(cat err)"; failed=1; }
  [ "$(wc -l < example.csv)" -gt 1 ] || { echo "$name: no rows"; failed=1; }
done
exit $failed
