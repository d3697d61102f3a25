#!/bin/sh
# tenon compare as people meet it: table, files, Ctrl-C, wrong arguments.
#   compare.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"

pendulum=$source/examples/pendulum/pendulum.yaml
expect 0 "$tenon" compare "$pendulum" --methods rk45,rk4 --tolerances 1e-2..1e-4 --until 1
for word in "reference " "rk45 " "rk4 " "fixed step" "error/tol" "CPU [s]"; do says out "$word"; done
[ "$(grep -c '^rk' out)" = 6 ] || problem "the table has not 6 rows"
says err "pendulum-compare/"
for file in table.txt table.csv table.json steps.csv work_precision.svg steps.svg; do
  [ -s "pendulum-compare/$file" ] || problem "no $file"
done
cmp -s out pendulum-compare/table.txt || problem "table.txt is not what was printed"
"$json" < pendulum-compare/table.json > why || problem "table.json: $(cat why)"
expect 0 "$tenon" compare "$pendulum" --methods rk8 --tolerances 1e-3,1e-5 --until 1 --json --out here
"$json" < out > why || problem "--json: $(cat why)"
[ "$(wc -l < here/table.csv)" = 3 ] || problem "CSV has $(wc -l < here/table.csv) lines, want 3"
[ ! -s err ] || [ "$(wc -l < err)" = 1 ] || problem "more than one line on standard error"

# all techniques on one model, in both methods that have them
for method in staggered trapezoidal; do
  expect 0 "$tenon" techniques "$pendulum" --method $method --step 0.01 --until 0.5
  says out "method $method"
  for word in augmented partitioning baumgarte penalty staggered natural; do
    grep -q "^$word  *complete .*[0-9]" out || problem "techniques, $method: no row of $word"
  done
done
expect 0 "$tenon" techniques "$pendulum" --step 0.01 --until 0.5 --json
"$json" < out > why || problem "techniques --json: $(cat why)"
expect 2 "$tenon" techniques "$pendulum" --method trapezoid
says err "did you mean 'trapezoidal'?"
[ ! -s out ] || problem "techniques: a table of refusals"
expect 2 "$tenon" techniques "$pendulum" --method trapezoid --json
"$json" < out > why || problem "techniques --json: $(cat why)"

# many values of parameters (what the numbers are: tests/library/sweep.c)
absorber="$source/examples/absorber/absorber.yaml"
expect 0 "$tenon" sweep "$absorber" --vary speed=19..21/3 --until 0.5 --csv sweep.csv
grep -q "^ *2  *20 .*sound" out || problem "sweep: the second case has not the speed 20"
says out "3 sound, 0 doubtful, 0 failed"
[ "$(wc -l < sweep.csv)" = 4 ] || problem "sweep: CSV has $(wc -l < sweep.csv) lines, want 4"
expect 1 "$tenon" sweep "$absorber" --vary mass=100,0 --until 0.1 --json
"$json" < out > why || problem "sweep --json: $(cat why)"
says out "must be > 0"
for wrong in speed speed= =1 speed=1..2 speed=1..2/1 speed=0..2/3:log speed=1,,2 speed=1..2/9999999999; do
  expect 2 "$tenon" sweep "$absorber" --vary "$wrong"
  says err "--vary '$wrong', must be like"
done
expect 2 "$tenon" sweep "$absorber" --vary sped=1,2
says err "did you mean 'speed'?"
expect 2 "$tenon" sweep "$absorber"
says err "nothing varies"
expect 2 "$tenon" sweep missing.yaml --vary k=1

# Ctrl-C ends it at once (what it leaves: tests/library/compare.c)
code=0
"$tenon" compare "$source/examples/pendulum/double_pendulum.yaml" --until 1000 --methods rosen,rk45 \
  --tolerances 1e-2 --reference rosen --limit 1000 --out stopped > out 2> err &
pid=$!
sleep 1
kill -INT $pid
wait $pid || code=$?
[ $code = 1 ] || problem "exit code $code after an interrupt, want 1"
says err "stopped"

# wrong arguments leave nothing
rm -rf ./*
expect 2 "$tenon" compare
says err "no model file given"
expect 2 "$tenon" compare "$pendulum" --methods rk455
says err "unknown method 'rk455'; did you mean 'rk45'?"
expect 2 "$tenon" compare "$pendulum" --tolerances 1e-2..x
says err "must be like 1e-2..1e-6"
expect 2 "$tenon" compare "$pendulum" --tolerances 1e-2,2
says err "between 0 and 1"
expect 2 "$tenon" compare "$pendulum" --limit 0
says err "--limit = '0', must be a positive number"
expect 2 "$tenon" compare "$pendulum" --reference rk4
says err "fixed step"
expect 2 "$tenon" compare "$pendulum" --representation polar
says err "unknown representation 'polar'"
expect 2 "$tenon" compare "$pendulum" --tolerance 1e-3
says err "unknown option '--tolerance'"
expect 2 "$tenon" compare none.yaml
says err "cannot read 'none.yaml'"
[ "$(ls)" = "$(printf 'err\nout')" ] || problem "wrong arguments left files: $(ls)"
expect 3 "$tenon" compare "$pendulum" --methods rk8 --tolerances 1e-3 --until 0.1 --out no/such/place
says err "cannot make the folder 'no/such/place': No such file or directory"
exit $failed
