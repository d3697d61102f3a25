#!/bin/sh
# tenon export --vtk: VTK's own reader finds the bodies and nodes where the CSV has them. Skipped without VTK for Python.
#   vtk.sh build-dir source-dir
set -eu
tenon=$1/bin/tenon
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

for try in python3 /usr/bin/python3; do
  "$try" -c 'from vtkmodules.vtkIOHDF import vtkHDFReader' 2> /dev/null && python=$try && break
done
[ -n "${python:-}" ] || { echo "VTK for Python is not here (package python3-vtk9)"; exit 77; }

cat > compare.py << 'END'
import csv, sys
from vtkmodules.vtkIOHDF import vtkHDFReader
grid_file, table_file, time = sys.argv[1], sys.argv[2], float(sys.argv[3])
reader = vtkHDFReader()
reader.SetFileName(grid_file)
assert reader.CanReadFile(grid_file)
reader.Update()
grid = reader.GetOutput()
rows = list(csv.reader(open(table_file)))
row = min(rows[1:], key=lambda r: abs(float(r[0]) - time))
value = {name.split(' ')[0]: float(x) for name, x in zip(rows[0], row)}
bodies = []
for name in value:
    if name.endswith('/position.x'): bodies.append(name[:-len('/position.x')])
points = [grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())]
found = 0
for body in bodies:
    want = [value[body + '/position.' + c] for c in 'xyz']
    near = min(points, key=lambda p: sum((a - b)**2 for a, b in zip(p, want)))
    assert max(abs(a - b) for a, b in zip(near, want)) < 1e-12, (body, want, near)
    i = points.index(near)
    speed = grid.GetPointData().GetArray('velocity').GetTuple(i)
    same = [p for p in points if p == near]
    if len(same) == 1:
        assert max(abs(a - value[body + '/velocity.' + c]) for a, c in zip(speed, 'xyz')) < 1e-12, body
    found += 1
assert found >= int(sys.argv[4]), found
kinds = {grid.GetCell(i).GetClassName() for i in range(grid.GetNumberOfCells())}
assert sys.argv[5] in kinds, kinds
print(grid_file, found, 'bodies and nodes,', sorted(kinds))
END

check() { # model time bodies kind
  "$tenon" run "$source/examples/$1" --quiet --until 0.5 --output run.h5
  "$tenon" export run.h5 --csv run.csv --quiet 2> /dev/null
  "$tenon" export run.h5 --vtk run.vtkhdf --time "$2" 2> /dev/null
  "$python" compare.py run.vtkhdf run.csv "$2" "$3" "$4"
}
check beams/pendulum.yaml 0.3 8 vtkLine
check slider-crank/slider_crank.yaml 0.2 2 vtkVertex
