#!/bin/sh
# The viewer in a browser without a window. Skipped (exit code 77) where node or Chromium is missing.
#   viewer.sh build-dir source-dir page|speed
set -eu
for program in node "${TENON_BROWSER:-chromium}"; do
  command -v "$program" > /dev/null 2>&1 ||
    { echo "skipped: $program is not installed; on Debian: apt-get install nodejs chromium"; exit 77; }
done
exec node "$2/tests/viewer/page.test.mjs" "$1/bin/tenon" "$2" "$3"
