#!/bin/sh
# The command as people and scripts meet it: exit codes, quiet, json, colour, wrong arguments.
#   cli.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"
escape=$(printf '\033')

pendulum=$source/examples/pendulum/pendulum.yaml

# --- help and wrong arguments
expect 0 "$tenon" help
for word in check run compare sweep plot report export info schema reference; do says out "  $word "; done
is_empty err
expect 0 "$tenon" --help
expect 0 "$tenon" run --help
says out "usage: tenon run"
expect 0 "$tenon" --version
says out "tenon "
expect 2 "$tenon"
says err "usage:"
is_empty out
expect 2 "$tenon" chekc "$pendulum"
says err "tenon: unknown command 'chekc'; did you mean 'check'?"
expect 2 "$tenon" walk
says err "tenon: unknown command 'walk'; 'tenon help' lists them"
expect 2 "$tenon" run
says err "tenon run: no model file given"
expect 2 "$tenon" run "$pendulum" --untli 3
says err "unknown option '--untli'; did you mean '--until'?"
# a letter too many in any option of any command is told with the right word
while read -r command options; do
  for option in $options; do
    expect 2 "$tenon" "$command" x "${option}x"
    says err "tenon $command: unknown option '${option}x'; did you mean '$option'?"
  done
  expect 2 "$tenon" "$command" x --zyxwvu
  says err "unknown option '--zyxwvu'"
  ! grep -qF 'did you mean' err || problem "a guess at nonsense"
done <<'END'
check --set --json --quiet --threads --help
run --output --no-output --keep --restart --restart-time --method --representation --solver --ordering --technique --until --tolerance --step --every --set --live --meet-tolerance
compare --methods --tolerances --out --reference --representation --until --limit --set
sweep --vary --paired --csv --set --method --representation --solver --until --tolerance --step --every --threads
plot --png --svg --title --list --together
report --html --plot --view --pictures
view --html --png --video --view --show --size --time --speed --dark
export --csv
info --json
END
expect 2 "$tenon" run "$pendulum" --output --no-output
says err "--output needs a value, got the option '--no-output'"
expect 2 "$tenon" run "$pendulum" --output x.h5 --no-output
says err "--output 'x.h5' and --no-output contradict each other"
expect 2 "$tenon" run "$pendulum" --restart-time 3
says err "--restart-time 3 needs --restart"
# an empty name is not "no output"
expect 2 "$tenon" run "$pendulum" --output ""
says err "--output: its value is empty"
expect 2 "$tenon" run "$pendulum" --output=
expect 2 "$tenon" run "$pendulum" --until
says err "--until needs a value"
expect 2 "$tenon" run "$pendulum" --until soon
says err "--until = 'soon', must be a positive number"
expect 2 "$tenon" run "$pendulum" --until -1
says err "must be a positive number"
expect 2 "$tenon" run "$pendulum" "$pendulum"
says err "one model at a time"
expect 2 "$tenon" run "$pendulum" --method rk5
says err "unknown method 'rk5'; did you mean 'rk45'?"
expect 2 "$tenon" run "$pendulum" --threads 0
says err "--threads needs a number from 1 to 1024"
expect 2 "$tenon" run "$pendulum" --set speed=3
says err "unknown parameter 'speed'"
expect 2 "$tenon" check no_such_model.yaml
says err "cannot read 'no_such_model.yaml': No such file or directory"
expect 2 "$tenon" info no_such_results.h5
says err "no_such_results.h5"
expect 2 "$tenon" info "$pendulum"
expect 2 "$tenon" export "$pendulum" --csv x.csv
[ ! -e x.csv ] || problem "a failed export left a file"
is_empty out
[ "$(ls)" = "$(printf 'err\nout')" ] || problem "wrong arguments left files: $(ls)"

# --- with --json every failure answers with one JSON value that has the message
fails_in_json() {
  want=$1
  shift
  expect "$want" "$tenon" --json "$@"
  "$json" < out > why || problem "$* --json: $(cat why)"
  message=$("$json" error < out) || problem "$* --json: no error"
  grep -qF -- "$(printf '%s' "$message" | sed 's/^"//; s/"$//; s/\\"/"/g')" err || problem "$*: another message"
}
fails_in_json 2 walk
fails_in_json 2 run --threads 0
fails_in_json 2 run
fails_in_json 2 run "$pendulum" --untli 3
fails_in_json 2 run no_such_model.yaml
fails_in_json 2 run "$pendulum" --method rk5 --no-output
fails_in_json 2 run "$pendulum" --every 1e-12 --no-output
fails_in_json 2 check no_such_model.yaml
fails_in_json 2 info no_such_results.h5
fails_in_json 2 compare "$pendulum" --methods rk5
fails_in_json 2 export no_such_results.h5 --csv x.csv
fails_in_json 2 plot no_such_results.h5 angle
fails_in_json 3 run "$pendulum" --output no_such_folder/x.h5
# one that stores rows and then cannot go on has a summary, with the message in it
cat > stuck.yaml <<'END'
tenon: 1
bodies: {b: {mass: 1, shape: {sphere: 1}}}
forces: {f: {type: force, body: b, force: ["1/(0.5 - t)", 0, 0]}}
analysis: {until: 1}
END
fails_in_json 1 run stuck.yaml --no-output
[ "$("$json" outcome < out)" = '"failed"' ] || problem "outcome of a run that failed"
rm -f stuck.yaml why

# --- check
expect 0 "$tenon" check "$pendulum"
says out "freedom    2 "
is_empty err
expect 0 "$tenon" check "$pendulum" --quiet
is_empty out
is_empty err
expect 0 "$tenon" check "$pendulum" --json
"$json" < out > why || problem "check --json: $(cat why)"
[ "$("$json" freedom < out)" = 2 ] || problem "check --json: freedom"
cat > far.yaml <<END
tenon: 1
bodies:
  rod: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0]}
joints:
  a: {type: distance, bodies: [ground, rod], at1: [0, 0, 5], at2: [0, 0, 0], length: 1}
  b: {type: distance, bodies: [ground, rod], at1: [0, 0, -5], at2: [0, 0, 0], length: 1}
END
expect 1 "$tenon" check far.yaml
says out "NOT ASSEMBLED"
expect 1 "$tenon" run far.yaml
says err "constraints cannot be met together"
[ ! -e far.h5 ] || problem "a run that could not start left results"

# --- run, info, export
expect 0 "$tenon" run "$pendulum"
is_empty err
says out "complete   t = 0 to 10 s"
says out "results    pendulum.h5 (201 stored times)"
[ "$(tail -1 out)" = "verdict    sound" ] || problem "run: the last line is '$(tail -1 out)'"
expect 0 "$tenon" run "$pendulum" --output second.h5
expect 0 "$tenon" run "$pendulum"
expect 0 "$tenon" export pendulum.h5 --csv one.csv
expect 0 "$tenon" export second.h5 --csv two.csv
cmp one.csv two.csv || problem "two runs of one model differ"
[ "$(wc -l < one.csv)" = 202 ] || problem "CSV has $(wc -l < one.csv) lines, want 202"
cp pendulum.h5 before.h5
expect 3 "$tenon" run "$pendulum" --keep
says err "pendulum.h5"
cmp pendulum.h5 before.h5 || problem "--keep did not keep the results"
expect 0 "$tenon" export pendulum.h5 --csv - 'bodies/*/position'
[ "$(wc -l < out)" = 202 ] || problem "CSV on standard output has $(wc -l < out) lines"
expect 2 "$tenon" export pendulum.h5 --csv none.csv 'bodies/bal/position'
says err "bodies/bal/position"
[ ! -e none.csv ] || problem "an export of nothing left a file"
expect 0 "$tenon" info pendulum.h5
says out "outcome     complete"
says out "verdict     sound"
expect 0 "$tenon" info pendulum.h5 --json
"$json" < out > why || problem "info --json: $(cat why)"
expect 0 "$tenon" run "$pendulum" --quiet --output quiet.h5
is_empty out
is_empty err
expect 0 "$tenon" run "$pendulum" --json --no-output
is_empty err
"$json" < out > why || problem "run --json: $(cat why)"
[ "$("$json" outcome < out)" = '"complete"' ] || problem "run --json: outcome"
[ "$("$json" t_end < out)" = 10 ] || problem "run --json: t_end"
[ "$("$json" verdict < out)" = '"sound"' ] || problem "run --json: verdict"

# --- a doubtful run: exit code 1, and everybody says so
expect 1 "$tenon" run "$pendulum" --method rk4 --step 0.5 --output rough.h5
is_empty err
tail -1 out | grep -q "^verdict    doubtful: energy balance off by .* try half the 'step'" ||
  problem "a doubtful run ends with '$(tail -1 out)'"
expect 1 "$tenon" run "$pendulum" --method rk4 --step 0.5 --quiet --output rough.h5
is_empty out
expect 0 "$tenon" info rough.h5
says out "verdict     doubtful: energy balance off by"
expect 0 "$tenon" info rough.h5 --json
[ "$("$json" sound < out)" = false ] || problem "info --json: sound"
expect 0 "$tenon" report rough.h5 --html rough.html
grep -q 'class="badge bad">doubtful<' rough.html || problem "the report does not say that the run is doubtful"
expect 0 "$tenon" report pendulum.h5 --html fine.html
grep -q 'class="badge good">sound<' fine.html || problem "the report does not say that the run is sound"
expect 0 "$tenon" schema
"$json" < out > why || problem "schema: $(cat why)"

# --- failures
expect 3 "$tenon" run "$pendulum" --output no/such/folder/x.h5
says err "no/such/folder/x.h5"
says err "No such file or directory"
expect 3 "$tenon" run "$pendulum" --output out/x.h5
says err "Not a directory"
expect 3 "$tenon" export pendulum.h5 --csv no/such/folder/x.csv
says err "cannot write 'no/such/folder/x.csv': No such file or directory"
if [ -c /dev/full ]; then
  code=0
  "$tenon" reference > /dev/full 2> err || code=$?
  [ $code = 3 ] || problem "exit code $code on a full standard output, want 3"
  says err "cannot write to standard output: No space left on device"
fi

# --- colour: never into a pipe or file, on a terminal unless NO_COLOR
bad=$source/tests/input/bad/mass_zero.yaml
expect 2 "$tenon" check "$bad"
! grep -qF "$escape" out err || problem "escape codes outside of a terminal"
if command -v script > /dev/null && script -qec true /dev/null > /dev/null 2>&1; then
  terminal() { TERM=xterm script -qec "$*" /dev/null < /dev/null > out 2>&1 || :; }
  terminal "'$tenon' check '$bad'"
  grep -qF "${escape}[31m" out || problem "no colour on a terminal"
  NO_COLOR=1
  export NO_COLOR
  terminal "'$tenon' check '$bad'"
  ! grep -qF "$escape" out || problem "NO_COLOR is ignored"
  unset NO_COLOR
fi

# --- a run with beams says what limits explicit steps, and what was done about it
sed 's/rhoI: 6e-4/rhoI: 6e-4, rotary_scale: 100/' "$source/examples/beams/spin_up.yaml" > scaled.yaml
expect 0 "$tenon" run scaled.yaml --no-output --until 0.01
says out "explicit steps below 0.000136 s: 'beam.element[0]' vibrates with"
says out "rotary inertia is scaled: 'beam' by 100"

exit $failed
