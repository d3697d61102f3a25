#!/bin/sh
# Install the Debian packages the build needs, and only those that are missing.
# Nothing is done, and no network is used, when all are there.
set -eu

packages="gcc cmake ninja-build make pkg-config libopenblas-dev liblapacke-dev libsuitesparse-dev
libsundials-dev libhdf5-dev libyaml-dev gnuplot-nox"

missing=""
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q "ok installed" || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
  sudo=""
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
  sudo="sudo"
else
  echo "tenon: packages are missing and neither root nor sudo is at hand; type as root:" >&2
  echo "  apt-get update && $line" >&2
  exit 1
fi
echo "installing missing packages:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo $line >/dev/null
