#!/bin/sh
# The rooms of src/ form layers: a file may include its own room and lower layers, never a
# neighbour in its layer or anything above. The command knows the public headers only.
#   include_direction.sh build-dir source-dir
# A list that is itself broken would let everything pass: the rules are tried on false files first.
set -eu
source=$2

# prints file:line: what, for every include that goes the wrong way
check() {
  (cd "$1" && find src -name '*.[ch]' | sort |
   xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null) |
  awk '
    BEGIN {
      n = split("base,parallel,kinematics mesh output,model,topology,linsolve,domains,input,materials scene," \
                "joints forces elements solids,compile,system,techniques,nonlinear,integrators,trajectory," \
                "analyses,api,deck", layers, ",")
      for (i = 1; i <= n; i++) {
        m = split(layers[i], rooms, " ")
        for (k = 1; k <= m; k++) layer[rooms[k]] = i
      }
    }
    {
      split($0, place, ":")
      file = place[1]
      split(file, path, "/")
      room = path[2]
      text = substr($0, length(file) + length(place[2]) + 3)
      quoted = text ~ /include[ \t]*"/
      match(text, /["<][^">]*[">]/)
      target = substr(text, RSTART + 1, RLENGTH - 2)
      if (room == "cli") {
        if (quoted && target != "cli.h") report("the command sees <tenon/...> and \"cli.h\" only")
        next
      }
      if (!(room in layer)) { report("room " room " has no place in the order of the rooms"); next }
      if (!quoted) next
      split(target, part, "/")
      if (target !~ /\//) report("write the room: \"" room "/" target "\"")
      else if (part[1] == room) next
      else if (!(part[1] in layer)) report("no such room")
      else if (layer[part[1]] == layer[room]) report("neighbours may not see each other")
      else if (layer[part[1]] > layer[room]) report(part[1] " is above " room)
    }
    function report(why) { printf "%s:%s: includes %s: %s\n", file, place[2], target, why }
  '
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/src/base" "$scratch/src/joints" "$scratch/src/output" "$scratch/src/cli" \
         "$scratch/src/attic"
printf '#include "base/base.h"\n#include "model/model.h"\n' > "$scratch/src/base/up.c"
printf '#include "model/spec.h"\n  #  include "forces/law.h"\n' > "$scratch/src/joints/side.c"
printf '#include "model/model.h"\n' > "$scratch/src/output/mechanics.c"
printf '#include "cli.h"\n#include <tenon/tenon.h>\n#include "base/base.h"\n' \
  > "$scratch/src/cli/in.c"
printf '#include <stdio.h>\n' > "$scratch/src/attic/lost.c"
found=$(check "$scratch" | cut -d: -f1,2 | tr '\n' ' ')
want="src/attic/lost.c:1 src/base/up.c:2 src/cli/in.c:3 src/joints/side.c:2 src/output/mechanics.c:1 "
if [ "$found" != "$want" ]; then
  echo "the check itself is wrong: found '$found' in the false files, want '$want'"
  exit 1
fi

wrong=$(check "$source")
if [ -n "$wrong" ]; then
  echo "$wrong"
  exit 1
fi

# the waist: whoever stands above a system asks it, and reads neither its operations nor the model behind it
past_waist() {
  (cd "$1"; grep -rnE '\b(s|d|c|data|cartesian)->ops\b' src/techniques src/nonlinear src/integrators src/analyses src/api
   grep -rnE "\b(s|data|cartesian|joint)->model\b" src/techniques src/nonlinear src/integrators src/analyses src/api
   # what the last evaluation left: ask for it at a state (tni_look_...)
   grep -rnE "\b(s|data|cartesian|joint|mine)->(kin|acc|potential|spent|dissipated|input|force_out|force_value)\b|tni_system_kinetic\(" \
     src/techniques src/nonlinear src/integrators src/trajectory src/analyses src/api) || true
}
mkdir -p "$scratch/src/techniques" "$scratch/src/nonlinear" "$scratch/src/integrators" "$scratch/src/trajectory" "$scratch/src/analyses" "$scratch/src/api"
printf 'it->s->ops->accel(it->s);\n' > "$scratch/src/analyses/patch.c"
printf 'n = s->model->nbody;\n' > "$scratch/src/integrators/peep.c"
printf 'E = it->s->potential;\n' > "$scratch/src/trajectory/left_over.c"
if [ "$(past_waist "$scratch" | wc -l)" != 3 ]; then
  echo "the check of the waist is wrong: it does not see what it should"
  exit 1
fi
wrong=$(past_waist "$source")
if [ -n "$wrong" ]; then
  echo "$wrong"
  echo "ask by the functions of system/system.h"
  exit 1
fi
echo "includes of $(find "$source/src" -name '*.[ch]' | wc -l) files go down only"
