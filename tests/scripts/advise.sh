#!/bin/sh
# tenon advise as people meet it: table, JSON, rates of a file and measured ones, memory, wrong arguments.
#   advise.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"
export TENON_RATES="$scratch/cache/rates"

cat > cube.yaml <<'END'
tenon: 1
meshes: {cube: {box: {size: [1, 1, 1], cells: [6, 6, 6], cell: hex8}}}
materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}
structures: {cube: {mesh: cube, material: steel}}
supports: [{group: x0, fix: all}]
loads: [{group: x1, traction: [0, 0, 1e6]}]
analysis: {type: statics}
END
expect 0 "$tenon" advise cube.yaml -n 4
for solver in fronts skyline feti feti_dp schur schur_cg pcg; do
  grep -q "^$solver  *[a-z-]* *[0-9]" out || problem "no row of $solver"
done
says out "882 unknowns, 4 ranks, usual rates"
says out "advice     solver:"
says out "a run      without 'solver': feti, domains: 4"
# the word of the advice is one that runs know
word=$(sed -n 's/^advice     solver: \([a-z_]*\).*/\1/p' out)
expect 0 "$tenon" run cube.yaml --no-output --solver "$word"
expect 0 "$tenon" advise cube.yaml --json
"$json" < out > why || problem "--json: $(cat why)"
# rates of a file: skyline that never ends is not taken, a file that is wrong is refused
printf '# slow columns\nskyline 1\nfactor 1e10\n' > rates
expect 0 "$tenon" advise cube.yaml --rates rates
says out "rates of rates"
[ "$(sed -n 's/^advice     solver: \([a-z_]*\).*/\1/p' out)" != skyline ] || problem "skyline is advised"
echo 'speed 3' > rates
expect 2 "$tenon" advise cube.yaml --rates rates
says err "rates:1:"
expect 3 "$tenon" advise cube.yaml --rates nowhere
# little memory
expect 0 "$tenon" advise cube.yaml --memory 0.001
says out "none: all of them are out"
# trying them all
expect 0 "$tenon" advise cube.yaml --measure
says out "measured"
# rates of this machine: seven positive numbers in the file of TENON_RATES, which the next call takes
expect 0 "$tenon" advise --calibrate
says out "rates      $TENON_RATES"
[ "$(awk '/^#/ { next } $2 > 0 { n++ } END { print n }' "$TENON_RATES")" = 7 ] || problem "$(cat "$TENON_RATES")"
awk '$1 == "factor" || $1 == "skyline" { if ($2 < 1e7 || $2 > 1e12) exit 1 }' "$TENON_RATES" || problem "a speed that no machine has: $(cat "$TENON_RATES")"
expect 0 "$tenon" advise cube.yaml
says out "rates of $TENON_RATES"
# a rate that is a thousand times too low is corrected by what a trial takes: 1 + 0.3 (4 - 1) times as high
sed -i 's/cells: \[6, 6, 6\]/cells: [11, 11, 11]/' cube.yaml
printf 'factor 4e6\n' > slow
expect 0 "$tenon" advise cube.yaml --rates slow --measure
says out "learned    factor   4e+06 -> 7.6e+06: fronts took"
[ "$(awk '$1 == "factor" { print $2 }' slow)" = 7.6e+06 ] || problem "not learned: $(cat slow)"
expect 2 "$tenon" advise
expect 2 "$tenon" advise cube.yaml -n 2.5
# motions: what auto chooses from, and with what a run begins
expect 0 "$tenon" advise "$source/examples/pendulum/pendulum.yaml"
says out "advice     method: auto"
begins=$(awk '/ begins$/ { print $2 }' out)
expect 0 "$tenon" run "$source/examples/pendulum/pendulum.yaml" --until 1e-3 --no-output
says out "auto: $begins"
expect 0 "$tenon" --json advise "$source/examples/pendulum/pendulum.yaml"
says out '"choice": true'
printf 'tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nanalysis: {until: 1, method: radau}\n' > fixed.yaml
expect 0 "$tenon" advise fixed.yaml
says out "(the model says so)"
# statics without structures have neither
printf 'tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nforces: [{type: spring, bodies: [ground, b], at1: [0, 0, 1], at2: [0, 0, 0], stiffness: 1}]\nanalysis: {type: statics}\n' > still.yaml
expect 2 "$tenon" advise still.yaml
says err "no structures"
exit $failed
