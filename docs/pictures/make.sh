#!/bin/sh
# The pictures of the documentation:
#   chain.png     a chain of 100 links released horizontally, its shape every 0.2 s (needs gnuplot)
#   compare.svg   what methods cost on the stiff double pendulum
#   docs/pictures/make.sh [path/to/tenon]       writes them to docs/pictures/
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tenon=${1:-$here/../../build/release/bin/tenon}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$tenon" compare "$here/../../examples/pendulum/double_pendulum.yaml" --out "$scratch/compare" --quiet
cp "$scratch/compare/work_precision.svg" "$here/compare.svg"
"$tenon" run "$here/../../examples/chain/chain.yaml" --set N=100 --every 0.2 --output "$scratch/chain.h5"
"$tenon" export "$scratch/chain.h5" --csv "$scratch/chain.csv" --quiet 'bodies/link*/position'
# one line per time -> one block of t, x, z per time, links in their order
awk -F, 'NR > 1 { print $1, 0, 0; for (i = 2; i < NF; i += 3) print $1, $i, $(i + 2); print "" }' \
  "$scratch/chain.csv" > "$scratch/shapes"
gnuplot -e "
  set terminal pngcairo size 860,480 font 'sans,11' truecolor;
  set output '$here/chain.png';
  set size ratio -1; set xrange [-10.5:10.5]; set yrange [-10.3:1.2];
  set xlabel 'x [m]'; set ylabel 'z [m]'; set grid lc rgb '#dddddd'; unset key;
  set cblabel 't [s]'; set palette defined (0 '#16325c', 1 '#2f8f9d', 2 '#e8a33d', 3 '#c8372d');
  set title '100 links of 0.1 m, released horizontally: shape every 0.2 s for 5 s';
  plot '$scratch/shapes' using 2:3:1 with lines lw 1.6 lc palette"
