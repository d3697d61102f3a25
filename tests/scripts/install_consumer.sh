#!/bin/sh
# What is installed is enough to build a program, with pkg-config and with the CMake package, and
# the installed command runs from any prefix.
#   install_consumer.sh build-dir source-dir
set -eu
build=$1
source=$2
cc=${CC:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/some where"
fail() {
  echo "$*"
  exit 1
}

cmake --install "$build" --prefix "$prefix" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
export PKG_CONFIG_PATH
version=$(sed -n 's/#define TN_VERSION "\(.*\)"/\1/p' "$source/include/tenon/types.h")
[ "$(pkg-config --modversion tenon)" = "$version" ] || fail "tenon.pc has another version"
[ "$("$prefix/bin/tenon" --version)" = "tenon $version" ] || fail "the command has another version"
for header in "$source"/include/tenon/*.h; do
  [ -f "$prefix/include/tenon/$(basename "$header")" ] || fail "$header is not installed"
done
[ "$(find "$prefix" -name '*.h' | wc -l)" = "$(find "$source/include" -name '*.h' | wc -l)" ] ||
  fail "more headers are installed than are public"

want="x = -0.27509 m, y = -0.96142 m"
check() {
  [ "$2" = "$want" ] || fail "built with $1, the pendulum says '$2', want '$want'"
}

# a prefix with a space comes escaped, as a shell wants it
eval "\"$cc\" -std=c11 -Wall -Werror \"$source/examples/c/pendulum.c\" -o \"$scratch/pendulum\" \
  $(pkg-config --cflags --libs tenon)"
lib=$(dirname "$PKG_CONFIG_PATH")
check pkg-config "$(LD_LIBRARY_PATH="$lib" "$scratch/pendulum")"

eval "\"$cc\" -std=c11 -Wall -Werror \"$source/examples/c/observer.c\" -o \"$scratch/observer\" \
  $(pkg-config --cflags --libs tenon) -lm"
said=$(LD_LIBRARY_PATH="$lib" "$scratch/observer")
[ "$said" = "balanced after 6 s, 300 samples" ] || fail "the observer says '$said'"

eval "\"$cc\" -std=c11 -Wall -Werror \"$source/examples/c/restart.c\" -o \"$scratch/restart\" \
  $(pkg-config --cflags --libs tenon) -lm"
said=$(LD_LIBRARY_PATH="$lib" "$scratch/restart")
# 0.5 cos 9 from 0.5 m on; what follows the end of a step is left open
case $said in
"x = -0.455565 m, again -0.455565 m, the same bits
with k = 25 N/m: x = "*"reset: t = 0 s, x = 0.500000 m") ;;
*) fail "the restart example says '$said'" ;;
esac

mkdir "$scratch/project"
cp "$source/examples/c/pendulum.c" "$scratch/project"
cat > "$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(pendulum C)
find_package(tenon $version REQUIRED)
add_executable(pendulum pendulum.c)
target_link_libraries(pendulum PRIVATE tenon::tenon)
END
{ cmake -S "$scratch/project" -B "$scratch/project/build" "-DCMAKE_PREFIX_PATH=$prefix" &&
  cmake --build "$scratch/project/build"; } > "$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
check "the CMake package" "$("$scratch/project/build/pendulum")"

# only what the headers declare is visible
hidden=$(nm -D --defined-only "$lib/libtenon.so" | awk '$3 !~ /^tn_/ && $2 == "T" {print $3}')
[ -z "$hidden" ] || fail "the library shows internal names: $hidden"
