#!/bin/sh
# tenon decompose as people meet it: table, JSON, file of parts, wrong arguments.
#   decompose.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"

cat > cube.yaml <<'END'
tenon: 1
meshes: {cube: {box: {size: [1, 1, 1], cells: [8, 8, 8], cell: hex8}}}
materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}
structures: {cube: {mesh: cube, material: steel}}
supports: [{group: x0, fix: all}]
analysis: {type: statics}
END
expect 0 "$tenon" decompose cube.yaml --parts 16
for rule in greedy frontier bands strips bisect inertia metis scotch best; do
  grep -q "^$rule  *[0-9]" out || problem "no row of $rule"
done
says out "512 cells, 729 nodes in 16 parts"
# 4 x 2 x 2 boxes: 9 neighbours and 3.5 of them along faces in the mean
grep -q "^bisect  *32 to  *32  *1.000 .* 9.0 ( 11)  *3.5 (  4)" out || problem "halves are not boxes"
expect 0 "$tenon" decompose cube.yaml --parts 16 --json
"$json" < out > why || problem "--json: $(cat why)"
expect 0 "$tenon" decompose cube.yaml --parts 3 --output parts.txt
[ "$(grep -vc '^#' parts.txt)" = 512 ] || problem "parts.txt has not one line a cell"
[ "$(grep -v '^#' parts.txt | sort -u | tr '\n' ' ')" = "0 1 2 " ] || problem "parts.txt has other parts"
# a file of one's own cuts as it says: neighbours in fewer parts, never in more; what is solved so is what the whole gives
by() { # file with the parts, keys of the analysis, model
  sed -e "s/{cube: {box/{cube: {${1:+parts: $1, }box/" -e "s/type: statics/type: statics$2/" cube.yaml > "$3"
  echo 'loads: [{group: x1, traction: [0, 0, -1e6]}]' >> "$3"
}
by parts.txt ', solver: feti' own.yaml
expect 0 "$tenon" decompose own.yaml --rule file --output again.txt
grep -v '^#' parts.txt > written
grep -v '^#' again.txt | cmp -s written - || problem "rule file does not give the file"
expect 0 "$tenon" run own.yaml --no-output
says out "feti, 3 domains by file"
grep '^energy' out > by_file
by '' '' whole.yaml
expect 0 "$tenon" run whole.yaml --no-output
grep '^energy' out | cmp -s by_file - || problem "by file: $(cat by_file), the whole: $(grep '^energy' out)"
by parts.txt ', solver: feti, domains: 2' own.yaml
expect 0 "$tenon" run own.yaml --no-output
says out "feti, 2 domains by file"
by parts.txt ', solver: feti, domains: 4' own.yaml
expect 2 "$tenon" run own.yaml --no-output
says err "4 parts are asked for, its file of parts has 3"
by '' ', solver: feti, decomposer: file' own.yaml
expect 2 "$tenon" run own.yaml --no-output
says err "no parts are written"
sed '$d' parts.txt > short.txt
by short.txt ', solver: feti' own.yaml
expect 2 "$tenon" run own.yaml --no-output
says err "511 parts for the 512 cells"
expect 2 "$tenon" decompose cube.yaml --rule metiss
says err "greedy, frontier"
expect 2 "$tenon" decompose cube.yaml --parts 513
says err "1 to 512"
expect 2 "$tenon" decompose cube.yaml --parts 2.5
expect 2 "$tenon" decompose cube.yaml --structure ball
says err "'ball'"
expect 2 "$tenon" decompose "$source/examples/pendulum/pendulum.yaml"
says err "no structures"
expect 3 "$tenon" decompose cube.yaml --output nowhere/parts.txt
exit $failed
