#!/bin/sh
# Fuzz every target for some seconds, beginning with the examples and the bad inputs of the tests.
#   run.sh build-dir source-dir seconds [target ...]
# Inputs that fail are left in build-dir/fuzz/<target>-crash-...; exit code 1 then.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
seconds=$3
shift 3
[ $# -gt 0 ] || set -- model mesh grid expression results
corpus=$build/fuzz
failed=0
export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=allocator_may_return_null=1

seeds() {
  case $1 in
    model)
      find "$source/examples" "$source/tests/input/bad" -name '*.yaml' -size -8k |
        while read -r f; do cp "$f" "$2/$(echo "$f" | cksum | tr ' ' '-').yaml"; done ;;
    mesh)
      printf '0v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1/1/1 2/2 3//3 4\nf -1 -2 -3\n' > "$2/obj"
      printf '1solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n' > "$2/stl"
      printf 'endloop\nendfacet\nendsolid\n' >> "$2/stl" ;;
    grid)
      n=0
      for f in "$source"/tests/input/meshes/*.msh; do
        n=$((n + 1))
        { printf '0'; cat "$f"; } > "$2/msh$n"
      done
      printf '1*NODE, NSET=a\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=e\n1,1,2,3,4\n*NSET,NSET=b,GENERATE\n1,4,2\n' > "$2/inp"
      printf '*ELSET,ELSET=f\ne,1\n*SURFACE,NAME=s\ne,S2\n*STEP\n*STATIC\n0.1,1.\n*BOUNDARY\na,1,3\n*END STEP\n' >> "$2/inp" ;;
    expression)
      n=0
      for e in '1 + 2*x^2' 'sin(x)*exp(-y)' 'if(x > 0 and not y < 2, x, -y)' 'table(x, 0, 1, 2, 3)' \
               'spline(x, 0, 1, 2, 3, 4, 1)' 'step(x, 0, 0, 1, 1)' 'poly(x, 1, 2, 3)' \
               'angle(hinge) - atan2(y, x)' 'clamp(mod(x, 2), 0, 1e3)' '((((x))))**2**-1'; do
        n=$((n + 1))
        printf '%s' "$e" > "$2/e$n"
      done ;;
    results)
      printf '\000abcd' > "$2/finished"
      printf '\001abcdabcd' > "$2/killed"
      printf '\102abcd' > "$2/cut" ;;
  esac
}

for target in "$@"; do
  # HDF5 leaks on damaged files; what is ours is counted by the context (fuzz.h)
  leaks=1
  [ "$target" != results ] || leaks=0
  mkdir -p "$corpus/$target" "$corpus/seeds-$target"
  seeds "$target" "$corpus/seeds-$target"
  if "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -detect_leaks=$leaks -rss_limit_mb=3000 \
       -max_len=20000 -print_final_stats=1 -artifact_prefix="$corpus/$target-" \
       "$corpus/$target" "$corpus/seeds-$target" > "$corpus/$target.log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus/$target.log") inputs, no failure"
  else
    failed=1
    echo "$target: FAILED, see $corpus/$target.log"
    grep -E "SUMMARY|ERROR|runtime error|Test unit written" "$corpus/$target.log" | head -5
  fi
done
exit $failed
