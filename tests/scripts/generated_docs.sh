#!/bin/sh
# The input reference and the JSON Schema in docs/ are what the command prints today.
#   generated_docs.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail=0
same() {
  "$tenon" "$1" > "$scratch/text"
  if ! diff -u "$source/docs/input/$2" "$scratch/text"; then
    echo "docs/input/$2 differs from what 'tenon $1' prints; run 'make docs' and commit the file"
    fail=1
  fi
}
same reference reference.md
same schema tenon.schema.json
# every key says what it means
if grep -n '|  |$' "$source/docs/input/reference.md"; then
  echo "docs/input/reference.md has keys without a meaning"
  fail=1
fi
exit $fail
