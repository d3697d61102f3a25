#!/bin/sh
# The viewer in a browser without a window. Skipped (exit code 77) where node or Chromium is missing.
#   viewer.sh build-dir source-dir page|speed
set -eu
for program in node "${TENON_BROWSER:-chromium}"; do
  command -v "$program" > /dev/null 2>&1 ||
    { echo "skipped: $program is not installed; on Debian: apt-get install nodejs chromium"; exit 77; }
done
# twenty seconds become minutes when others want the processors, and waits run out
busy=$(awk -v n="$(nproc)" '{ if ($1 > 3*n) print $1 " on " n }' /proc/loadavg)
[ -z "$busy" ] || { echo "skipped: the machine is too busy for a browser (load $busy processors)"; exit 77; }
exec node "$2/tests/viewer/page.test.mjs" "$1/bin/tenon" "$2" "$3"
