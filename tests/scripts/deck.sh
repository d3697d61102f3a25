#!/bin/sh
# tenon run deck.inp without another program: a bar of one cell, pulled, whose stretch is known; what is printed, what is written, what is refused.
#   deck.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"

# E A = 1000, 2 m long: 10 N stretch it by 0.02 m, 20 N by 0.04 m, and a quarter of the strain goes across
cat > pulled.inp <<'END'
*NODE, NSET=ALL
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 2
6, 1, 0, 2
7, 1, 1, 2
8, 0, 1, 2
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
1000, 0.25
*SOLID SECTION, ELSET=E, MATERIAL=M
*NSET, NSET=TOP
5, 6, 7, 8
*BOUNDARY
1, 1, 3
2, 2, 3
4, 1, 1
4, 3, 3
3, 3, 3
*STEP
*STATIC
*CLOAD
5, 3, 2.5
6, 3, 2.5
7, 3, 2.5
8, 3, 2.5
*NODE PRINT, NSET=TOP
U
*END STEP
*STEP
*STATIC
*CLOAD
5, 3, 5
6, 3, 5
7, 3, 5
8, 3, 5
*NODE PRINT, NSET=TOP
U
*END STEP
END

expect 0 "$tenon" run pulled.inp
says out "step       1"
says out "step       2"
says out "verdict    sound"
says out "tables     pulled.tenon.dat"
[ -s pulled.h5 ] && [ -s pulled.2.h5 ] || problem "no results of both steps"
# number of the node, three displacements: four nodes of two steps
awk 'NF == 4 && $1 >= 5 && $1 <= 8 {
  n++; load = n <= 4 ? 10 : 20; z = load*2/1000; across = -0.25*z/2
  x = $1 == 6 || $1 == 7 ? across : 0; y = $1 == 7 || $1 == 8 ? across : 0
  if (($2 - x)^2 + ($3 - y)^2 + ($4 - z)^2 > 1e-18) { print "node", $1, "moves by", $2, $3, $4, "want", x, y, z; bad = 1 }
} END { if (n != 8) print n, "rows"; exit bad || n != 8 }' pulled.tenon.dat > out 2> err || problem "displacements"

# nothing printed, nothing written; elsewhere; as JSON
rm -f pulled.*h5 pulled.tenon.dat
expect 0 "$tenon" run pulled.inp --quiet --no-output
[ ! -s out ] && [ ! -s err ] || problem "--quiet is not quiet"
[ "$(ls)" = "$(printf 'err\nout\npulled.inp')" ] || problem "--no-output writes"
mkdir there
expect 0 "$tenon" run pulled.inp --output there/other.h5 --quiet
[ -s there/other.tenon.dat ] && [ -s there/other.h5 ] || problem "--output is not followed"
expect 0 "$tenon" run pulled.inp --no-output --json
"$json" < out > json 2>&1 || problem "not JSON: $(cat json)"
says out '"outcome": "complete"'

# the model that it stands for runs by itself, and is the same
expect 0 "$tenon" run pulled.inp --translate
says out "# step 1"
says out "# step 2"
sed '/^# step 2/,$d' out > first.yaml
expect 0 "$tenon" run first.yaml --no-output
says out "potential 0.1 J" # half of 10 N times 0.02 m

# cards that nobody knows, options that are not for decks, files that are not there
sed 's/^\*CLOAD/*CLOUD/' pulled.inp > wrong.inp
expect 2 "$tenon" run wrong.inp
says err "wrong.inp:"
[ "$(wc -l < err)" = 1 ] || problem "more than one line"
[ ! -e wrong.h5 ] && [ ! -e wrong.tenon.dat ] || problem "something is left of a deck that is refused"
expect 2 "$tenon" run pulled.inp --until 3
says err "a deck says itself how it is run"
expect 2 "$tenon" run first.yaml --translate
says err "--translate is for decks"
expect 2 "$tenon" run nowhere.inp
says err "nowhere.inp"
exit $failed
