#!/bin/sh
# tenon_mpi as people meet it: the results of tenon on 1 to 4 processes, one message where something is wrong, a process that is
# killed ends all, what was stored is readable.
#   run.sh build-dir source-dir
set -eu
build=$1
source=$2
same=$build/tests/same_results
scratch=$(mktemp -d)
pid=
trap 'test -z "$pid" || kill -9 "$pid" 2> /dev/null || :; rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
problem() {
  echo "$*"
  failed=1
}
# ranks n command...: more processes than cores, and as root where it must be
ranks() {
  n=$1
  shift
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OPENBLAS_NUM_THREADS=1 \
    timeout 400 mpirun -n "$n" "$@"
}

# ---- the examples give what they give alone ------------------------------------------------------
for example in structures/bracket structures/plate_with_hole; do
  "$build/bin/tenon" run "$source/examples/$example.yaml" --output alone.h5 --quiet
  for n in 1 2 3 4; do
    ranks $n "$build/bin/tenon_mpi" run "$source/examples/$example.yaml" --output "many$n.h5" > out 2> err ||
      problem "$example on $n ranks: $(cat err)"
    [ "$(grep -c '^verdict' out)" = 1 ] || problem "$example on $n ranks: $(grep -c '^verdict' out) summaries"
    [ ! -s err ] || problem "$example on $n ranks says: $(cat err)"
    "$same" alone.h5 "many$n.h5" 2e-9 || problem "$example on $n ranks: other results"
  done
  grep -q '4 ranks' out || problem "$example: 4 ranks do not say so: $(cat out)"
done
# joints, beams and a mesh in one model: domains of the mesh are divided, the rest is around them. The wing is slender: what 1e-9 of the forces leave
# open is 1e-7 of its displacements.
"$build/bin/tenon" run "$source/examples/structures/satellite.yaml" --output alone.h5 --quiet
for n in 1 2 3 4; do
  ranks $n "$build/bin/tenon_mpi" run "$source/examples/structures/satellite.yaml" --output "many$n.h5" > out 2> err ||
    problem "the satellite on $n ranks: $(cat err)"
  [ $n = 1 ] || grep -q "on $n ranks.*around them" out || problem "the satellite on $n ranks does not say so: $(cat out)"
  "$same" alone.h5 "many$n.h5" 1e-6 || problem "the satellite on $n ranks: other results"
done
# mechanisms are done by all alike: the same bits
"$build/bin/tenon" run "$source/examples/pendulum/pendulum.yaml" --output alone.h5 --quiet
ranks 2 "$build/bin/tenon_mpi" run "$source/examples/pendulum/pendulum.yaml" --output many.h5 --quiet
"$same" alone.h5 many.h5 || problem "the pendulum on 2 ranks: other results"

# ---- implicit motions: factors by domains -----------------------------------------------------------
cat > implicit.yaml <<'END'
tenon: 1
meshes: {m: {box: {size: [2, 0.5, 0.4], cells: [12, 3, 3], cell: hex8}}}
materials: {a: {type: elastic, E: 2e6, nu: 0.3, density: 1000, rayleigh: [3, 1e-4]}}
structures: {m: {mesh: m, material: a}}
supports: [{group: x0, fix: all}]
loads: [{group: x1, traction: [0, 100, "-1e3*sin(20*t)"]}]
output: {every: 0.02}
analysis: {until: 0.1, method: alpha, steps: equal, step: 0.005}
END
"$build/bin/tenon" run implicit.yaml --output alone.h5 --quiet
for n in 1 2 3 4; do
  ranks $n "$build/bin/tenon_mpi" run implicit.yaml --output "many$n.h5" > out 2> err || problem "implicit on $n ranks: $(cat err)"
  [ $n = 1 ] || grep -q "domains .* on $n ranks" out || problem "implicit on $n ranks does not say so: $(cat out)"
  "$same" alone.h5 "many$n.h5" 1e-8 || problem "implicit on $n ranks: other results"
done

# ---- one message ----------------------------------------------------------------------------------
printf 'tenon: 1\nbodies: {a: {mas: 1}}\n' > bad.yaml
code=0
ranks 3 "$build/bin/tenon_mpi" run bad.yaml > out 2> err || code=$?
[ $code = 2 ] || problem "a wrong model: exit code $code, want 2"
[ "$(grep -c '^tenon' err)" = 1 ] || problem "a wrong model: $(grep -c '^tenon' err) messages"

# ---- a rank that fails alone, the others waiting ----------------------------------------------------
for who in 0 1 2; do
  ranks 3 "$build/tests/mpi_ranks" fail $who > out 2> err || problem "rank $who fails: $(cat out err)"
  grep -q 'all end: .*no way' out || problem "rank $who fails: $(cat out)"
done

# ---- a rank that is killed ends all within ten seconds -------------------------------------------------
ranks 3 "$build/tests/mpi_ranks" wait > out 2> err &
pid=$!
for i in $(seq 100); do
  [ "$(grep -c process out)" = 3 ] && break
  sleep 0.1
done
kill -9 "$(sed -n 's/rank 1 is process //p' out)"
begin=$(date +%s)
wait $pid && problem "a killed rank: exit code 0"
pid=
took=$(($(date +%s) - begin))
[ $took -le 10 ] || problem "a killed rank: the others went on for $took s"
[ "$(grep -c 'signal 9' err)" = 1 ] || problem "a killed rank: $(cat err)"

# ---- an error of one process inside of an engine of others, where there are some: all end, with one message --------------------------
if [ -e "$build/libtenon_petsc.so" ]; then
  begin=$(date +%s)
  ranks 3 "$build/tests/mpi_ranks" petsc "$build/libtenon_petsc.so" > out 2> err && problem "nonsense for PETSc: exit code 0"
  took=$(($(date +%s) - begin))
  [ $took -le 20 ] || problem "nonsense for PETSc: the others waited for $took s"
  [ "$(grep -c '^tenon: .*PETSc' err)" = 1 ] || problem "nonsense for PETSc: $(cat err)"
fi

# ---- explicit steps: killed in the middle, readable, and any number of ranks goes on ---------------------------
cat > wave.yaml <<'END'
tenon: 1
meshes: {m: {box: {size: [2, 1, 1], cells: [24, 12, 12], cell: hex8, distort: 0.1}}}
materials: {a: {type: plastic, E: 1000, nu: 0.3, yield: 3, hardening: 50, density: 1}}
structures: {m: {mesh: m, material: a, element: one, formulation: large}}
supports: [{group: x0, fix: all}]
loads: [{group: x1, traction: [0, 0, "3*t"]}]
output: {every: 0.02, checkpoint: 0.1}
analysis: {until: 1.2, method: central}
END
"$build/bin/tenon" run wave.yaml --output alone.h5 --quiet
for n in 2 3; do
  ranks $n "$build/bin/tenon_mpi" run wave.yaml --output "many$n.h5" > out 2> err || problem "explicit on $n ranks: $(cat err)"
  grep -q "divided among $n ranks" out || problem "explicit on $n ranks does not say so: $(cat out)"
  "$same" alone.h5 "many$n.h5" 1e-9 || problem "explicit on $n ranks: other results"
done
ranks 2 "$build/bin/tenon_mpi" run wave.yaml --output killed.h5 > out 2> err &
pid=$!
for i in $(seq 300); do
  [ "$("$build/bin/tenon" info killed.h5 2> /dev/null | grep -c checkpoint)" -gt 0 ] && sleep 1 && break
  sleep 0.1
done
# the ranks of this run alone, by the file they write
rank=$(pgrep -f "tenon_mpi run wave.yaml --output killed.h5" | tail -1)
kill -9 "$rank" || problem "explicit: over before it could be killed"
begin=$(date +%s)
wait $pid && problem "explicit, a killed rank: exit code 0"
pid=
took=$(($(date +%s) - begin))
[ $took -le 10 ] || problem "explicit, a killed rank: the others went on for $took s"
"$build/bin/tenon" info killed.h5 > out 2>&1 || problem "explicit, killed: not readable: $(cat out)"
for n in 1 2 3 4; do
  cp killed.h5 "on$n.h5"
  ranks $n "$build/bin/tenon_mpi" run wave.yaml --restart "on$n.h5" > out 2> err || problem "explicit, on $n ranks again: $(cat err)"
  if [ $n = 2 ]; then "$same" many2.h5 on2.h5 || problem "explicit, on 2 ranks again: other bits"
  else "$same" alone.h5 "on$n.h5" 1e-9 || problem "explicit, on $n ranks again: other results"
  fi
done

# ---- a results file that is refused: exit code 3, one message of the first rank, and nothing that was not there before ----------------
refused() { # what file text
  code=0
  ranks 3 "$build/bin/tenon_mpi" run wave.yaml --until 0.1 --output "$2" > out 2> err || code=$?
  [ $code = 3 ] || problem "$1: exit code $code, want 3"
  [ "$(grep -c '^tenon' err)" = 1 ] || problem "$1: $(grep -c '^tenon' err) messages: $(cat err)"
  grep -q "$3" err || problem "$1: $(cat err)"
  grep -q '^verdict' out && problem "$1: a summary"
  return 0
}
refused "no such folder" none/r.h5 "none/r.h5"
[ ! -e none ] || problem "no such folder: it is there now"
mkdir folder
refused "a folder of that name" folder "folder"
[ -z "$(ls -A folder)" ] || problem "a folder of that name: $(ls -A folder) is in it"
"$build/bin/tenon" run wave.yaml --output held.h5 > out1 2>&1 &
pid=$!
for i in $(seq 300); do
  "$build/bin/tenon" info held.h5 > /dev/null 2>&1 && break
  sleep 0.02
done
kill -STOP $pid # it must not end before the others have been refused
refused "a file that another run holds" held.h5 "another run"
kill -CONT $pid
wait $pid || problem "the run whose file others wanted: $(cat out1)"
pid=
"$same" alone.h5 held.h5 || problem "the run whose file others wanted: other bits"

# ---- ranks that do not see the file of the first one: it writes alone, all of it ---------------------------------
mkdir here there
cp wave.yaml here
cp wave.yaml there
ranks 1 -wdir "$scratch/here" "$build/bin/tenon_mpi" run wave.yaml --output r.h5 : \
  -n 2 -wdir "$scratch/there" "$build/bin/tenon_mpi" run wave.yaml --output r.h5 > out 2> err || problem "no common folder: $(cat err)"
[ "$(grep -c '^verdict' out)" = 1 ] || problem "no common folder: $(grep -c '^verdict' out) summaries"
"$same" alone.h5 here/r.h5 1e-9 || problem "no common folder: other results"
[ "$(ls -A there)" = wave.yaml ] || problem "no common folder: the others have left $(ls -A there)"
exit $failed
