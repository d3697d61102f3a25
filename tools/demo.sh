#!/bin/sh
# Run the main example and say what happened and where the results are.
#   tools/demo.sh path/to/tenon folder-for-results
set -eu
tenon=$1
out=$2
model=examples/vehicle/hmmwv14.yaml

echo "== $tenon check $model"
"$tenon" check "$model"
echo
echo "== $tenon run $model"
"$tenon" run "$model" --output "$out/hmmwv14.h5"
"$tenon" export "$out/hmmwv14.h5" --csv "$out/hmmwv14.csv" bodies/chassis/position --quiet
plot="no plot (gnuplot is missing)"
if command -v gnuplot >/dev/null 2>&1; then
  plot="plot in $out/hmmwv14.png"
  gnuplot -e "
    set terminal pngcairo size 900,420;
    set output '$out/hmmwv14.png';
    set datafile separator ',';
    set xlabel 't [s]'; set ylabel 'chassis height [m]'; set grid; unset key;
    set title 'HMMWV, 14 bodies, over a half cylinder of 0.1 m at 4.47 m/s';
    plot '$out/hmmwv14.csv' using 1:4 skip 1 with lines lw 2"
fi
echo
echo "The vehicle drove over a bump: results in $out/hmmwv14.h5 (HDF5), chassis motion in"
echo "$out/hmmwv14.csv, $plot. Next: $tenon help, docs/user/guide.md"
