#!/bin/sh
# tenon plot as people meet it: files, names, suggestions, nothing left behind by a failure.
#   plot.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"

crank=$source/examples/slider-crank/slider_crank.yaml
expect 0 "$tenon" run "$crank" --quiet --output crank.h5
expect 0 "$tenon" run "$crank" --quiet --output fast.h5 --set speed=18

# default name, and where it went
expect 0 "$tenon" plot crank.h5 rod.position.x
says err "wrote crank.svg"
says crank.svg "position [m]"
says crank.svg "time [s]"
# forces and moments have units and panels of their own
expect 0 "$tenon" plot crank.h5 pin.reaction --svg reaction.svg --quiet
[ ! -s err ] || problem "--quiet is not quiet"
says reaction.svg "force [N]"
says reaction.svg "moment [N·m]"
# the same bytes again
cp reaction.svg first.svg
expect 0 "$tenon" plot crank.h5 pin.reaction --svg reaction.svg
cmp first.svg reaction.svg || problem "two plots of one file differ"
# two files over each other, by name
expect 0 "$tenon" plot crank.h5 fast.h5 rod.position.x 'pin.angle.*' --svg two.svg
for word in ">crank<" ">fast<" "rate [rad/s]" "angle [rad]"; do says two.svg "$word"; done
expect 0 "$tenon" plot crank.h5 rod.position.z --x rod.position.x --svg x.svg
says x.svg "rod.position.x [m]"
expect 0 "$tenon" plot crank.h5 '*.position.z' constraint --log --together --svg all.svg --title 'a < b'
says all.svg "a &lt; b"
if "$tenon" plot crank.h5 energy --png e.png --svg e.svg > out 2> err; then
  [ -s e.png ] && [ -s e.svg ] || problem "asked for PNG and SVG, one is missing"
else
  says err "libcairo2-dev"
fi
# the steps of the method
pendulum=$source/examples/pendulum/pendulum.yaml
expect 0 "$tenon" run "$pendulum" --quiet --output pendulum.h5
expect 0 "$tenon" plot pendulum.h5 step_size --svg steps.svg
says steps.svg "step [s]"
expect 0 "$tenon" plot pendulum.h5 --list
says out "step_size "
expect 0 "$tenon" plot crank.h5 --list
says out "rod.position.x "
says out "pin.angle.rate "

# wrong arguments leave nothing
rm -f ./*.svg ./*.png
expect 2 "$tenon" plot
says err "no results file given"
expect 2 "$tenon" plot crank.h5
says err "--list shows the signals"
expect 2 "$tenon" plot crank.h5 rod.postion.x
says err "did you mean 'rod.position.x'?"
expect 2 "$tenon" plot crank.h5 rod.position --x rod.position
says err "--x 'rod.position' is more than one signal"
expect 2 "$tenon" plot crank.h5 rod.position --x rod.positin.x
says err "did you mean 'rod.position.x'?"
expect 2 "$tenon" plot crank.h5 step_size
says err "no steps were taken"
expect 2 "$tenon" plot pendulum.h5 step_size --x ball.position.x
says err "leave out --x"
expect 2 "$tenon" plot rod.position.x crank.h5
says err "files come before signals"
expect 2 "$tenon" plot crank.h5 rod.position --pgn x.png
says err "unknown option '--pgn'"
expect 2 "$tenon" plot crank.h5 rod.position --png
says err "--png needs a value"
expect 2 "$tenon" plot crank.h5 rod.position --svg x.pdf
says err "must end in .svg or .png"
expect 2 "$tenon" plot none.h5 rod.position
says err "none.h5"
expect 2 "$tenon" plot "$crank" rod.position
says err "is not a results file"
expect 3 "$tenon" plot crank.h5 rod.position --svg no/such/x.svg
says err "cannot write 'no/such/x.svg': No such file or directory"
[ "$(ls)" = "$(printf 'crank.h5\nerr\nfast.h5\nout\npendulum.h5')" ] || problem "wrong arguments left files: $(ls)"
# events of a single run are marks with one name; over another signal than time they have no place
expect 0 "$tenon" run "$source/examples/contact/bouncing_ball.yaml" --quiet --output ball.h5 --until 3
expect 0 "$tenon" plot ball.h5 ball.position.z ball.velocity.z --svg ball.svg
[ "$(grep -c '>events<' ball.svg)" = 1 ] || problem "events are named $(grep -c '>events<' ball.svg) times"
expect 0 "$tenon" plot ball.h5 ball.velocity.z --x ball.position.z --svg phase.svg
! grep -q '>events<' phase.svg || problem "events over a position"
expect 0 "$tenon" plot crank.h5 crank.position.x --svg none.svg
! grep -q '>events<' none.svg || problem "events where there are none"
exit $failed
