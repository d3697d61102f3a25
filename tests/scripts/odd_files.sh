#!/bin/sh
# Files that are no files, texts that are no texts, counts that are no counts, readers that go away.
#   odd_files.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
library=$(ls "$1"/libtenon.so*.*.* | head -1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
problem() {
  echo "$*"
  failed=1
}
# refused code pattern command...: ends soon with the code and a message that matches
refused() {
  want=$1
  pattern=$2
  shift 2
  code=0
  timeout -s KILL 30 "$tenon" "$@" > out 2> err || code=$?
  [ $code = "$want" ] || problem "$*: exit code $code, want $want: $(cat err)"
  grep -q "$pattern" err || problem "$*: says '$(cat err)', want '$pattern'"
}

cat > model.yaml <<'EOF'
tenon: 1
title: a model
bodies: {rod: {mass: 1, inertia: [1, 1, 1], look: {mesh: part.obj}}}
analysis: {until: 0.1}
EOF
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > part.obj
"$tenon" run model.yaml --output run.h5 --quiet

# --- pipes: with a writer they are files, without one they are given up after some seconds, which both wait at once
mkfifo pipe silent
mkdir apart
(cd apart && mkfifo part.obj && cp ../model.yaml . && refused 2 "pipe that nobody writes to" check model.yaml; exit $failed) &
waiting=$!
(mkdir other && cd other && refused 2 "pipe that nobody writes to" check ../silent; exit $failed) &
waits=$!
cat model.yaml > pipe &
timeout -s KILL 30 "$tenon" check pipe > out || problem "a pipe with a model is refused"
grep -q "a model" out || problem "a pipe with a model: $(cat out)"
grep -v look model.yaml > plain.yaml
echo 'bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}' >> plain.yaml
timeout -s KILL 30 "$tenon" check /dev/stdin < plain.yaml > out || problem "standard input is refused"
cp part.obj kept.obj
refused 2 "not a regular file" info pipe

# --- meshes with indices that are no numbers of points
for index in 4294967297 99999999999999999999 -4294967295 0 -5; do
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 %s\n' "$index" > part.obj
  refused 2 "a face refers to point" check model.yaml
done
cp kept.obj part.obj

# --- control characters
printf 'tenon: 1\ntitle: "a\\e[31mb"\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n' > escape.yaml
refused 2 "control character 0x1B" check escape.yaml
printf 'tenon: 1\ntitle: "a\\x9bb"\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n' > escape.yaml
refused 2 "control character 0x9B" check escape.yaml
printf 'tenon: 1\ntitle: "a\\r\\nb"\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n' > lines.yaml
"$tenon" check lines.yaml > out
[ "$(grep -c "^model      a  b$" out)" = 1 ] || problem "a title of two lines: $(head -2 out)"
name=$(printf 'no\033[31mfile.yaml')
refused 2 "no \[31mfile.yaml" check "$name"

# --- counts beyond all memory are refused before it is spent
for range in '{i: [1, 1e12]}' '{i: [1, 1000], j: [1, 100000]}' '{i: [1, 1000000], j: [1, i]}'; do
  printf 'tenon: 1\nrepeat:\n- for: %s\n  bodies: {"b{i}": {mass: 1, inertia: [1, 1, 1]}}\n' "$range" > many.yaml
  (ulimit -v 300000; refused 2 "more than 1000000 repetitions" check many.yaml; exit $failed) || failed=1
done
printf 'tenon: 1\nrepeat:\n- for: {i: [1, 900000]}\n  bodies: {"b{i}": {mass: 1, inertia: [1, 1, 1]}}\n' > many.yaml
(ulimit -v 1000000; refused 2 "need about .* GB of memory" check many.yaml; exit $failed) || failed=1
printf 'tenon: 1\nbeams:\n  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 900000, EA: 1, EI: 1, GJ: 1, GA: 1, rhoA: 1, rhoI: 1}\n' > many.yaml
(ulimit -v 1000000; refused 3 "need about .* GB" check many.yaml; exit $failed) || failed=1

# --- masses: refused beyond reason, and the count of freedoms does not depend on them
masses() {
  printf 'tenon: 1\nbodies:\n  a: {mass: %s, inertia: [%s, %s, %s], at: [0.5, 0, 0]}\n  b: {mass: %s, inertia: [%s, %s, %s], at: [1.5, 0, 0]}\njoints:\n  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n  q: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}\n' \
    "$1" "$1" "$1" "$1" "$2" "$2" "$2" "$2" > masses.yaml
}
for m in 1e-150 1e160 1e-300 1e300; do
  masses $m $m
  refused 2 "must be between 1e-60 and 1e+60" check masses.yaml
done
for m in 1e-40 1e-20 1e-12 1 1e12 1e20 1e40; do
  for other in 1 $m; do
    masses "$other" $m
    "$tenon" check masses.yaml > out || problem "masses $other and $m are refused"
    grep -q "^freedom    2 = 12 coordinates - 10 independent" out || problem "masses $other, $m: $(grep freedom out)"
  done
done

# --- a reader that goes away is no failure, and nothing is said about it
mkfifo gone
for command in "info run.h5" "export run.h5 --csv -" reference schema help "check model.yaml" \
               "run model.yaml --no-output" "run model.yaml --no-output --json"; do
  : < gone & # opened by both, closed by the reader before the command begins
  # shellcheck disable=SC2086
  { code=0; wait $!; "$tenon" $command 2> err || code=$?; echo $code > code; } > gone
  [ "$(cat code)" = 0 ] || problem "tenon $command | : has exit code $(cat code)"
  [ ! -s err ] || problem "tenon $command | : says $(cat err)"
done
code=0
"$tenon" reference > /dev/full 2> err || code=$?
{ [ $code = 3 ] && grep -q "cannot write" err; } || problem "a full device: exit code $code, $(cat err)"

# --- what is written: a link stays and leads to the new file, a pipe or device is written as it is, the file that is read is not
cp run.h5 kept.h5
echo old > aim
ln -sf aim link
mkfifo wide
for command in "export run.h5 --csv" "report run.h5 --html"; do
  # shellcheck disable=SC2086
  "$tenon" $command link > /dev/null 2>&1 || problem "tenon $command to a link fails"
  { [ -L link ] && [ "$(wc -l < aim)" -gt 5 ]; } || problem "tenon $command: the link is a file now, or nothing was written where it leads"
  echo old > aim
  timeout 20 cat wide > got &
  # shellcheck disable=SC2086
  timeout 20 "$tenon" $command wide > /dev/null 2>&1 || problem "tenon $command to a pipe fails"
  wait $! || :
  { [ -p wide ] && [ "$(wc -l < got)" -gt 5 ]; } || problem "tenon $command: the pipe is a file now, or got nothing"
  [ ! -p wide ] && rm -f wide && mkfifo wide
  code=0
  # shellcheck disable=SC2086
  "$tenon" $command run.h5 > out 2> err || code=$?
  { [ $code = 2 ] && grep -q "is what is read" err; } || problem "tenon $command run.h5: exit code $code, $(cat err)"
  cmp -s run.h5 kept.h5 || problem "tenon $command run.h5: the results are gone"
  cp kept.h5 run.h5
done
sed 's/until: 0.1/until: p/; s/title:.*/params: {p: 0.1}/' model.yaml > varied.yaml
cp varied.yaml varied.before
refused 2 "is what is read" sweep varied.yaml --vary p=0.1,0.2 --csv varied.yaml
cmp -s varied.yaml varied.before || problem "sweep --csv varied.yaml: the model is gone"
echo 1 > a.svg
ln -sf a.svg b.svg
"$tenon" plot run.h5 energy/energy --svg b.svg --quiet
{ [ -L b.svg ] && grep -q "<svg" a.svg; } || problem "plot: the link is a file now"

# --- the library shows public names only
if command -v nm > /dev/null; then
  nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^tn_' > names || :
  [ ! -s names ] || problem "exported beside tn_*: $(head -5 names)"
fi
wait $waiting || failed=1
wait $waits || failed=1
exit $failed
