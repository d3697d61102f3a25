#!/bin/sh
# The pictures of the documentation:
#   chain.png     a chain of 100 links released horizontally, its shape every 0.2 s (needs gnuplot)
#   compare.svg   what methods cost on the stiff double pendulum
#   cycle.svg, boundary.svg   the driven pendulum of the guide: its steady cycle, and the rate that leads to an angle
#   docs/pictures/make.sh [path/to/tenon]       writes them to docs/pictures/
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tenon=${1:-$here/../../build/release/bin/tenon}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$tenon" compare "$here/../../examples/pendulum/double_pendulum.yaml" --out "$scratch/compare" --quiet
cp "$scratch/compare/work_precision.svg" "$here/compare.svg"
sed -n '/^# swing.yaml/,/^```/p' "$here/../user/guide.md" | sed '$d' > "$scratch/swing.yaml"
"$tenon" run "$scratch/swing.yaml" --output "$scratch/cycle.h5" --quiet
"$tenon" plot "$scratch/cycle.h5" sensors/pin.rate --x sensors/pin.angle --title 'Steady cycle of the driven pendulum' --svg "$here/cycle.svg"
sed 's/^analysis:.*/analysis: {type: boundary, until: 1.5, free: w0, targets: {pin.angle: 0.25}}/' "$scratch/swing.yaml" > "$scratch/aim.yaml"
"$tenon" run "$scratch/aim.yaml" --set q0=1 --output "$scratch/aim.h5" --quiet
"$tenon" plot "$scratch/aim.h5" sensors/pin.angle --title 'The rate at the beginning that leads to 0.25 rad' --svg "$here/boundary.svg"
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
