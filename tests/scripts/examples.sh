#!/bin/sh
# Every example is fine, runs, is sound and can be exported; what they are expected to give is for tests/verify.
#   examples.sh build-dir source-dir [all]
# Without all those that take seconds run for a part of their time.
set -eu
tenon=$1/bin/tenon
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

# the end of a run that is cut short
until_of() {
  case $1 in
    staggered/spin_up) echo 0.3 ;;
    structures/crash_tube) echo 5e-5 ;;
    structures/slider_crank | structures/slider_crank_reduced) echo 2e-4 ;;
    staggered/flexible_pendulum | staggered/deforming_pendulum) echo 0.2 ;;
    staggered/pinned_beam) echo 0.5 ;;
    beams/mast) echo 0.3 ;;
    beams/spin_up) echo 1 ;;
    contact/boards) echo 0.05 ;;
    chain/chain) echo 0.4 ;;
  esac
}

for model in "$source"/examples/*/*.yaml; do
  name=${model#"$source"/examples/}
  end=
  [ "${3:-}" = all ] || end=$(until_of "${name%.yaml}")
  # shellcheck disable=SC2086
  { "$tenon" check "$model" --quiet && "$tenon" run "$model" --quiet ${end:+--until $end} --output example.h5 &&
    "$tenon" export example.h5 --csv example.csv --quiet; } > out 2> err ||
    { echo "$name: exit code $?: $(cat out err)"; failed=1; }
  [ ! -s err ] || { echo "$name: says $(cat err)"; failed=1; }
  [ "$(wc -l < example.csv)" -gt 1 ] || { echo "$name: no rows"; failed=1; }
done
exit $failed
