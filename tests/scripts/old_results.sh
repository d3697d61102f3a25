#!/bin/sh
# Results files of format version 2, without fields, are read as the program that wrote them read them: the
# numbers of every channel, plots, the scene of the viewer. tests/input/results/version2.h5.gz is a beam, a body
# and a cable; version2.csv is the export of that program.
#   old_results.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
input=$2/tests/input/results
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

gzip -dc "$input/version2.h5.gz" > "$scratch/old.h5"
"$tenon" export "$scratch/old.h5" --csv "$scratch/old.csv" > "$scratch/said" || fail "cannot export"
cmp "$scratch/old.csv" "$input/version2.csv" || fail "the numbers of an old file have changed"
"$tenon" export "$scratch/old.h5" --csv "$scratch/one.csv" "arm.node*/position.z" > "$scratch/said" || fail "no node"
# t and the inner nodes of three elements
[ "$(head -1 "$scratch/one.csv" | tr ',' '\n' | wc -l)" -ge 3 ] || fail "nodes of the beam are missing"
"$tenon" view "$scratch/old.h5" --html "$scratch/old.html" > "$scratch/said" || fail "cannot make a page"
[ -s "$scratch/old.html" ] || fail "the page is empty"
echo "a file of version 2 is read as before"
