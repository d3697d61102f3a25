#!/bin/sh
# tenon advise as people meet it: table, JSON, rates of a file and measured ones, memory, wrong arguments.
#   advise.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
json=$1/tests/check_json
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TENON_RATES="$scratch/cache/rates"
failed=0

expect() {
  want=$1
  shift
  code=0
  "$@" > out 2> err || code=$?
  [ $code = "$want" ] || problem "exit code $code, want $want: $*"
}
problem() {
  echo "$*"
  sed 's/^/  out: /' out | head -n 8
  sed 's/^/  err: /' err | head -n 5
  failed=1
}
says() { grep -qF -- "$2" "$1" || problem "no '$2' in $1"; }

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
expect 2 "$tenon" advise
expect 2 "$tenon" advise cube.yaml -n 2.5
expect 2 "$tenon" advise "$source/examples/pendulum/pendulum.yaml"
says err "no structures"
exit $failed
