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

# a structure whose fields have datasets of their own: nodes, cells, held and loaded ends
cat > mesh.yaml << 'END'
tenon: 1
meshes: {m: {box: {size: [2, 1, 1], cells: [16, 11, 11], cell: hex8}}}
materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}
structures: {m: {mesh: m, material: a, formulation: large}}
supports: [{group: x0, fix: all}]
loads: [{group: x1, traction: [0, 0, 5]}]
analysis: {until: 0.02, method: central}
END
"$tenon" run mesh.yaml --quiet --every 0.01 --output mesh.h5
"$tenon" export mesh.h5 --vtk mesh.vtkhdf --time 0.02 2> /dev/null
cat > mesh.py << 'END'
from vtkmodules.vtkIOHDF import vtkHDFReader
reader = vtkHDFReader()
reader.SetFileName('mesh.vtkhdf')
reader.Update()
grid = reader.GetOutput()
assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (17*12*12, 16*11*11)
assert grid.GetCell(7).GetClassName() == 'vtkHexahedron'
moved = grid.GetPointData().GetArray('displacement')
held = [i for i in range(grid.GetNumberOfPoints()) if grid.GetPoint(i)[0] == 0]
loaded = [i for i in range(grid.GetNumberOfPoints()) if grid.GetPoint(i)[0] == 2]
assert len(held) == len(loaded) == 144
assert all(moved.GetTuple(i) == (0, 0, 0) for i in held)
assert all(moved.GetTuple(i)[2] > 1e-5 for i in loaded)
print('mesh.vtkhdf', grid.GetNumberOfPoints(), 'nodes')
END
"$python" mesh.py
check beams/pendulum.yaml 0.3 8 vtkLine
check slider-crank/slider_crank.yaml 0.2 2 vtkVertex
