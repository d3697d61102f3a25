#!/bin/sh
# CalculiX on a beam that Tenon has too: the curved cantilever of 45 degrees (examples/beams), 8 and 64 elements of
# three nodes, six load steps. Its beams are expanded to bricks; B32R is the type that does not lock.
#   bench/peers/calculix.sh OUTPUT_DIR TENON
# leaves OUTPUT_DIR/calculix.json; without ccx one line says so. Times are user seconds of the whole program, the
# least of three runs.
set -eu

out=${1:?usage: bench/peers/calculix.sh OUTPUT_DIR TENON}
tenon=${2:?usage: bench/peers/calculix.sh OUTPUT_DIR TENON}
here=$(cd "$(dirname "$0")" && pwd)
tenon=$(cd "$(dirname "$tenon")" && pwd)/$(basename "$tenon")
model=$here/../../examples/beams/curved_cantilever.yaml
if ! command -v ccx > /dev/null; then
  echo "CalculiX (ccx) not found, left out: apt-get install calculix-ccx"
  exit 0
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# input of n elements of a type
input() {
  awk -v n="$1" -v type="$2" 'BEGIN {
    N = 2*n + 1; pi = atan2(0, -1)
    print "*NODE, NSET=ALL"
    for (i = 0; i < N; i++) { a = pi/4*i/(N - 1); printf "%d, %.12g, %.12g, 0\n", i + 1, 100*(1 - cos(a)), 100*sin(a) }
    print "*ELEMENT, TYPE=" type ", ELSET=BEAM"
    for (e = 0; e < n; e++) printf "%d, %d, %d, %d\n", e + 1, 2*e + 1, 2*e + 2, 2*e + 3
    print "*NSET, NSET=TIP\n" N "\n*MATERIAL, NAME=M\n*ELASTIC\n1e7, 0"
    print "*BEAM SECTION, ELSET=BEAM, MATERIAL=M, SECTION=RECT\n1, 1\n0, 0, 1"
    print "*BOUNDARY\n1, 1, 6\n*STEP, NLGEOM, INC=200\n*STATIC\n0.1667, 1, 1e-5, 0.1667\n*CLOAD"
    print N ", 3, 600\n*NODE PRINT, NSET=TIP\nU\n*END STEP" }'
}

# user seconds of a command, the least of three
seconds() {
  for i in 1 2 3; do
    ( TIMEFORMAT=%U; export TIMEFORMAT; bash -c 'time "$@" > log 2>&1' - "$@" 2>&1 )
  done | sort -g | head -1
}

cd "$scratch"
{
  echo "{"
  for n in 8 64; do
    input $n B32R > beam.inp
    t=$(seconds ccx beam)
    tip=$(tail -1 beam.dat | awk '{printf "%.4f, %.4f, %.4f", 100*(1 - cos(atan2(0, -1)/4)) + $2, 100*sin(atan2(0, -1)/4) + $3, $4}')
    sed "s/elements: 8/elements: $n/" "$model" > beam.yaml
    u=$(seconds "$tenon" run beam.yaml --output beam.h5)
    "$tenon" export beam.h5 --csv beam.csv 'sensors/bow.end.position' --quiet
    own=$(tail -1 beam.csv | awk -F, '{printf "%.4f, %.4f, %.4f", $2, $3, $4}')
    echo "curved cantilever, $n elements: CalculiX ($tip) in $t s, Tenon ($own) in $u s" >&2
    echo "  \"curved.$n.calculix_seconds\": $t, \"curved.$n.tenon_seconds\": $u,"
    echo "  \"curved.$n.calculix_tip\": [$tip], \"curved.$n.tenon_tip\": [$own],"
  done
  echo "  \"elements\": [8, 64]"
  echo "}"
} > "$out/calculix.json"
echo "figures in $out/calculix.json"
