#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, and brings in no header of a third party.
#   headers_alone.sh build-dir source-dir
set -eu
cd "$2" # so that no path with a space has to be written
cc=${CC:-cc}
cxx=${CXX:-c++}
strict="-Wall -Wextra -Werror -pedantic -Wundef -Iinclude"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v "$cxx" > /dev/null || { echo "no C++ compiler ($cxx): C only"; cxx=""; }

fail=0
for header in include/tenon/*.h; do
  name=tenon/$(basename "$header")
  # twice: the guard must work
  printf '#include <%s>\n#include <%s>\n' "$name" "$name" > "$scratch/alone.c"
  cp "$scratch/alone.c" "$scratch/alone.cpp"
  # shellcheck disable=SC2086
  "$cc" -std=c11 $strict -Wstrict-prototypes -fsyntax-only "$scratch/alone.c" ||
    { echo "$name: does not compile alone as C11"; fail=1; }
  # shellcheck disable=SC2086
  [ -z "$cxx" ] || "$cxx" -std=c++17 $strict -fsyntax-only "$scratch/alone.cpp" ||
    { echo "$name: does not compile alone as C++17"; fail=1; }
  # what a user has to have: the standard library and Tenon
  if grep -n '^[[:space:]]*#[[:space:]]*include' "$header" |
     grep -vE '<(tenon/[a-z_]+|std[a-z]+|math|string|limits|float)\.h>'; then
    echo "$name: includes a header that is neither of C nor of Tenon"
    fail=1
  fi
  grep -q "include <$name>" include/tenon/tenon.h || [ "$name" = tenon/tenon.h ] ||
    { echo "$name: not included by tenon/tenon.h"; fail=1; }
done
exit $fail
