#!/bin/sh
# Install the Debian packages the build needs, and only those that are missing.
# Nothing is done, and no network is used, when all are there.
#   setup.sh         what the library, the command and most tests need
#   setup.sh test    also a browser to test the viewer with
#   setup.sh fuzz    also clang with its sanitizers and libFuzzer
#   setup.sh mpi     also Open MPI
set -eu

# without these nothing can be built
needed="gcc libc6-dev cmake ninja-build make pkg-config libopenblas-dev liblapacke-dev
libsuitesparse-dev libsundials-dev libmumps-seq-dev libmetis-dev libhdf5-dev libyaml-dev"
# without these there is less: no PNG plots, no live page, headers not tried in C++
wanted="libcairo2-dev fonts-dejavu-core libmicrohttpd-dev g++"
if [ "${1:-}" = fuzz ]; then
  needed="$needed clang libclang-rt-dev"
fi
if [ "${1:-}" = mpi ]; then
  needed="$needed openmpi-bin libopenmpi-dev"
fi
if [ "${1:-}" = test ]; then
  wanted="$wanted chromium"
  command -v node > /dev/null 2>&1 || wanted="$wanted nodejs"
fi

if ! command -v dpkg-query > /dev/null 2>&1; then
  # shellcheck disable=SC2086
  echo "tenon: no Debian package system here; make sure that these, or what corresponds to them," \
       "are installed:" $needed $wanted >&2
  exit 0
fi

# names of the packages among the arguments that are not installed
missing() {
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2> /dev/null | grep -q "ok installed" || printf ' %s' "$p"
  done
}
# shellcheck disable=SC2086
must=$(missing $needed)
# shellcheck disable=SC2086
may=$(missing $wanted)
[ -n "$must$may" ] || exit 0

give_up() {
  if [ -n "$must" ]; then
    echo "tenon: $1; type as root:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends$must$may" >&2
    exit 1
  fi
  echo "tenon: going on without$may: $1" >&2
  exit 0
}

if [ "$(id -u)" = 0 ]; then
  sudo=""
elif command -v sudo > /dev/null 2>&1 && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
  sudo="sudo"
else
  give_up "packages are missing and neither root nor sudo is at hand"
fi
echo "installing missing packages:$must$may"
# shellcheck disable=SC2086
{ $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    $must $may > /dev/null; } || give_up "packages could not be installed"
