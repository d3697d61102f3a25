#!/bin/sh
# tenon check ends with 2 on every file of tests/input/bad, prints nothing on standard output and
# the message written in the first line of the file on standard error; " ... " there stands for any
# text (lists that grow with the program).
#   bad_inputs.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
cd "$2/tests/input/bad"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail=0
n=0
for file in *.yaml; do
  n=$((n + 1))
  code=0
  "$tenon" check "$file" > "$scratch/out" 2> "$scratch/err" || code=$?
  sed -n '1s/^# expect: /tenon: /p' "$file" > "$scratch/want"
  if [ $code != 2 ]; then
    echo "$file: exit code $code, want 2"
    fail=1
  fi
  if [ -s "$scratch/out" ]; then
    echo "$file: wrote to standard output"
    fail=1
  fi
  err=$(cat "$scratch/err")
  want=$(cat "$scratch/want")
  same=0
  case "$want" in
    *" ... "*)
      case "$err" in
        "${want%% ... *}"*"${want#* ... }") same=1 ;;
      esac ;;
    *) cmp -s "$scratch/err" "$scratch/want" && same=1 ;;
  esac
  if [ $same = 0 ]; then
    echo "$file: says"
    cat "$scratch/err" "$scratch/want"
    fail=1
  fi
done
echo "$n wrong models"
exit $fail
