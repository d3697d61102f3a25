#!/bin/sh
# tools/setup.sh on machines that lack something, played with false dpkg-query, id, sudo and apt-get.
#   setup.sh build-dir source-dir
set -eu
setup=$2/tools/setup.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bin=$scratch/bin
failed=0
mkdir "$bin"
for tool in sh grep env; do ln -s "$(command -v $tool)" "$bin/$tool"; done

stub() {
  printf '#!/bin/sh\n%s\n' "$2" > "$bin/$1"
  chmod +x "$bin/$1"
}
# shellcheck disable=SC2016 # the stubs expand these
# $absent: packages that are not installed
stub dpkg-query 'for p in "$@"; do :; done
case " $absent " in *" $p "*) exit 1 ;; esac
echo "install ok installed"'
stub id 'echo $user_id'
stub apt-get 'echo "apt-get $*" >> "$calls"; exit $apt_code'

# play [arguments]: run with $absent, $user_id, $apt_code; then says, calls
play() {
  code=0
  : > "$scratch/calls"
  env -i PATH="$bin" calls="$scratch/calls" absent="$absent" user_id="$user_id" \
    apt_code="$apt_code" "$bin/sh" "$setup" "$@" > "$scratch/out" 2>&1 < /dev/null || code=$?
}
want() {
  [ $code = "$1" ] || { echo "exit code $code, want $1"; problem; }
  printf '%s' "$2" > "$scratch/want"
  cmp -s "$scratch/out" "$scratch/want" || { echo "wrong words, want:"; printf '%s' "$2"; problem; }
  printf '%s' "$3" > "$scratch/want"
  cmp -s "$scratch/calls" "$scratch/want" || { echo "wrong calls, want:"; printf '%s' "$3"; problem; }
}
problem() {
  echo "with absent='$absent' user_id=$user_id apt_code=$apt_code got:"
  cat "$scratch/out" "$scratch/calls"
  failed=1
}
install="apt-get install -y --no-install-recommends"

absent="" user_id=1000 apt_code=0
play
want 0 "" ""

absent="cmake libyaml-dev" user_id=1000 apt_code=0
play
want 1 "tenon: packages are missing and neither root nor sudo is at hand; type as root:
  apt-get update && $install cmake libyaml-dev
" ""

absent="libsundials-dev" user_id=0 apt_code=0
play
want 0 "installing missing packages: libsundials-dev
" "apt-get update -qq
$install libsundials-dev
"

absent="libsundials-dev" user_id=0 apt_code=100
play
want 1 "installing missing packages: libsundials-dev
tenon: packages could not be installed; type as root:
  apt-get update && $install libsundials-dev
" "apt-get update -qq
"

# what only PNG plots need stops nobody
absent="libcairo2-dev" user_id=1000 apt_code=0
play
want 0 "tenon: going on without libcairo2-dev: packages are missing and neither root nor sudo is at hand
" ""

# the browser is for tests only, and stops nobody either
absent="chromium nodejs" user_id=1000 apt_code=0
play
want 0 "" ""
play test
want 0 "tenon: going on without chromium nodejs: packages are missing and neither root nor sudo is at hand
" ""

stub sudo '[ "$1" = -n ] && shift; "$@"'
absent="ninja-build libcairo2-dev" user_id=1000 apt_code=0
play
want 0 "installing missing packages: ninja-build libcairo2-dev
" "apt-get update -qq
$install ninja-build libcairo2-dev
"

rm "$bin/dpkg-query"
absent="" user_id=1000 apt_code=0
play
[ $code = 0 ] || { echo "exit code $code without a package system, want 0"; problem; }
grep -q "no Debian package system here" "$scratch/out" || problem
exit $failed
