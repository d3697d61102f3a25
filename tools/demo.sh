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
plot=$out/hmmwv14.png
"$tenon" plot "$out/hmmwv14.h5" 'chassis.position.z' 'wheel_*.position.z' --png "$plot" --quiet || {
  plot=$out/hmmwv14.svg # built without cairo
  "$tenon" plot "$out/hmmwv14.h5" 'chassis.position.z' 'wheel_*.position.z' --svg "$plot" --quiet
}
"$tenon" view "$out/hmmwv14.h5" --html "$out/hmmwv14.html" --quiet
echo
echo "The vehicle drove over a bump: results in $out/hmmwv14.h5 (HDF5), chassis motion in"
echo "$out/hmmwv14.csv, plot in $plot. Next: $tenon help, docs/user/guide.md"
echo "Look at it: open $out/hmmwv14.html in a browser (animation and plots, works offline)."
