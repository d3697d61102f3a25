# What scripts that try the command have in common; read with  . "$2/tests/scripts/common.sh"  where $1 is the build's folder and
# $2 that of the source. Leaves one in an empty folder that is removed at the end. A script ends with  exit $failed
#
#   expect code command ...   run it, what it prints goes to out and err; another exit code is a problem
#   says file text            the text is in the file (out, err)
#   is_empty file             nothing is in it
#   problem text ...          tell it, with the first lines of out and err
tenon=$1/bin/tenon
json=$1/tests/check_json
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

expect() {
  want=$1
  shift
  code=0
  "$@" > out 2> err || code=$?
  [ $code = "$want" ] || problem "exit code $code, want $want: $*"
}
problem() {
  echo "$*"
  [ ! -f out ] || sed 's/^/  out: /' out | head -n 8
  [ ! -f err ] || sed 's/^/  err: /' err | head -n 5
  failed=1
}
says() { grep -qF -- "$2" "$1" || problem "no '$2' in $1"; }
is_empty() { [ ! -s "$1" ] || problem "$1 is not empty"; }
