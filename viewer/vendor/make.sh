#!/bin/sh
# Make third-party.js from the versions in package-lock.json. Needs node, npm and the network; the
# result is kept in the repository, so that the page can be built without any of them. Its second
# line has the sums of what it was made from and of what follows: tests/scripts/vendor.sh compares.
#   viewer/vendor/make.sh [out.js]       default: viewer/vendor/third-party.js
set -eu
viewer=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$viewer/vendor/third-party.js}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$viewer/package.json" "$viewer/package-lock.json" "$viewer/.npmrc" "$scratch"
cp "$viewer/vendor/entry.js" "$scratch"
(cd "$scratch" && npm ci --no-audit --no-fund --ignore-scripts > npm.log 2>&1) ||
  { cat "$scratch/npm.log" >&2; exit 1; }
(cd "$scratch" && node_modules/.bin/esbuild entry.js --bundle --minify --legal-comments=none \
  --charset=ascii --format=iife --target=es2020) > "$scratch/code.js"
from=$(cd "$viewer" && cat package.json package-lock.json .npmrc vendor/entry.js vendor/make.sh | sha256sum | cut -d' ' -f1)
{
  echo "/* three.js $(node -p "require('$scratch/node_modules/three/package.json').version"), MIT," \
       "(c) 2010-2025 three.js authors; uPlot" \
       "$(node -p "require('$scratch/node_modules/uplot/package.json').version"), MIT, (c) 2022 Leon" \
       "Sorokin. Texts of the licences: viewer/vendor/LICENSES. Made by viewer/vendor/make.sh. */"
  echo "/* from $from code $(sha256sum < "$scratch/code.js" | cut -d' ' -f1) */"
  cat "$scratch/code.js"
} > "$scratch/out.js"
cp "$scratch/out.js" "$out"
