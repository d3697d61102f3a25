#!/bin/sh
# The gallery: every example run and looked at by the program itself, the command beside each picture.
# Needs Chromium.
#   docs/gallery/make.sh [path/to/tenon]       writes docs/gallery/*.png and README.md
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
tenon=${1:-$root/build/release/bin/tenon}
case $tenon in /*) ;; *) tenon=$(pwd)/$tenon ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
page=$scratch/README.md

cat > "$page" << 'END'
# Gallery

Every picture is made by the commands beside it, all of them by `make gallery`. In place of `--png`,
`tenon view results.h5` opens the animation in the browser and `--html page.html` writes it as one
page; see [Seeing a run](../user/viewer.md).

END

# picture name "what it is" "model and options of run" "options of view"
picture() {
  name=$1 text=$2 run=$3 view=$4
  # shellcheck disable=SC2086 # options are words
  (cd "$root" && "$tenon" run $run --output "$scratch/$name.h5" --quiet)
  eval "set -- $view"
  "$tenon" view "$scratch/$name.h5" --png "$here/$name.png" --size 720x420 --quiet "$@"
  cat >> "$page" << END
## $text

![$text]($name.png)

\`\`\`sh
tenon run $run --output $name.h5
tenon view $name.h5 --png $name.png --size 720x420 $view
\`\`\`

END
  echo "wrote $name.png ($(wc -c < "$here/$name.png") bytes)"
}

picture vehicle "A vehicle of 14 bodies over a bump, with the forces of its springs and tyres" \
  examples/vehicle/hmmwv14.yaml "--time 0.55 --show forces"
picture mast "A mast of ten bays that unfolds, coloured by its bending moment" examples/beams/mast.yaml \
  "--time 0.7 --dark"
picture seven-body "The seven-body mechanism" examples/seven-body/seven_body.yaml "--time 0.01 --show trails"
picture slider-crank "A slider-crank and its reactions" examples/slider-crank/slider_crank.yaml \
  "--time 0.32 --show reactions,axes"
picture four-bars "Four-bars in a row, passing singular positions" \
  "examples/four-bar/n_four_bar.yaml --set N=6" "--time 0.62 --dark"
picture chain "A chain of 12 links" "examples/chain/chain.yaml --set N=12" "--time 0.36 --dark --show trails"
picture flexible-pendulum "A flexible pendulum, coloured by its bending moment" \
  examples/beams/pendulum.yaml "--time 0.24"
picture roll-up "A cantilever rolled up by a moment" examples/beams/roll_up.yaml "--time 0.8 --view top"
picture curved "A curved cantilever under a load out of its plane" examples/beams/curved_cantilever.yaml \
  "--time 1"
picture frame "Lateral buckling of a right-angle frame" examples/statics/right_angle_frame.yaml "--time 55"
picture column "Euler's column after it has buckled" examples/beams/column.yaml "--time 22"
picture cradle "Newton's cradle" examples/contact/newtons_cradle.yaml "--time 0.2 --view front"
picture boards "Boards and a log, with the forces between them" examples/contact/boards.yaml \
  "--time 1.5 --show forces"
picture rolling "A ball that rolls along a path" examples/staggered/rolling_ball.yaml "--time 12 --show trails"
picture arm "An arm on a turntable whose tip is driven along a path" examples/staggered/arm.yaml "--time 3"
picture unfolding "Three links that unfold and lock" examples/deployment/three_links.yaml \
  "--time 0.5 --show forces,trails"
picture balance "A rod balanced on a cart" examples/control/inverted_pendulum.yaml "--time 0.5 --dark"
picture bracket "A bracket on two bolts, coloured by von Mises stress" examples/structures/bracket.yaml ""
picture hole "A quarter of a plate with a hole under tension" examples/structures/plate_with_hole.yaml "--view front --color 'stress xx'"
picture fork "The mode of a tuning fork that sounds" examples/structures/tuning_fork.yaml "--mode 3 --dark"
picture satellite "A satellite under thrust: hub, joints, a boom of beams, a panel in twelve domains" examples/structures/satellite.yaml "--color displacement"
picture rod "A slider-crank with an elastic rod" examples/structures/slider_crank.yaml "--time 0.017"
picture crash "A plastic tube crushed by a ram, coloured by plastic strain" examples/structures/crash_tube.yaml "--time 0.0008 --color 'plastic strain'"
picture station "A bending mode of the truss of a station" examples/structures/truss_station.yaml "--mode 9 --dark"
cp "$page" "$here/README.md"
