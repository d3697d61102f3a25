#!/usr/bin/env python3
# The cantilever of bench/fe.c with dolfinx: clamped at x = 0, traction downwards at the other end, small displacements.
#   cantilever_dolfinx.py NX NY NZ LX LY LZ TRACTION OUTPUT
# prints the strain energy; displacements and stresses (projected on cells) go to OUTPUT as dolfinx users write them.
import sys

import dolfinx
import numpy
import ufl
from dolfinx import fem, io, mesh
from dolfinx.fem.petsc import LinearProblem
from mpi4py import MPI
from petsc4py import PETSc

cells = [int(a) for a in sys.argv[1:4]]
size = [float(a) for a in sys.argv[4:7]]
traction, output = float(sys.argv[7]), sys.argv[8]
E, nu = 210e9, 0.3
mu, lam = E/(2*(1 + nu)), E*nu/((1 + nu)*(1 - 2*nu))

domain = mesh.create_box(MPI.COMM_WORLD, [numpy.zeros(3), numpy.array(size)], cells, mesh.CellType.hexahedron)
V = fem.VectorFunctionSpace(domain, ("CG", 1))


def sigma(w):
    return lam*ufl.tr(ufl.sym(ufl.grad(w)))*ufl.Identity(3) + 2*mu*ufl.sym(ufl.grad(w))


clamp = mesh.locate_entities_boundary(domain, 2, lambda x: numpy.isclose(x[0], 0))
held = fem.dirichletbc(numpy.zeros(3), fem.locate_dofs_topological(V, 2, clamp), V)
end = mesh.locate_entities_boundary(domain, 2, lambda x: numpy.isclose(x[0], size[0]))
ds = ufl.Measure("ds", domain=domain, subdomain_data=mesh.meshtags(domain, 2, numpy.sort(end), numpy.ones(len(end), dtype=numpy.int32)))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
load = fem.Constant(domain, PETSc.ScalarType((0, 0, traction)))
problem = LinearProblem(ufl.inner(sigma(u), ufl.sym(ufl.grad(v)))*ufl.dx, ufl.dot(load, v)*ds(1), bcs=[held],
                        petsc_options={"ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "mumps"})
w = problem.solve()
w.name = "displacement"
S = fem.FunctionSpace(domain, ("DG", 0))
s = sigma(w) - ufl.tr(sigma(w))/3*ufl.Identity(3)
mises = fem.Function(S)
mises.interpolate(fem.Expression(ufl.sqrt(1.5*ufl.inner(s, s)), S.element.interpolation_points()))
with io.XDMFFile(domain.comm, output, "w") as f:
    f.write_mesh(domain)
    f.write_function(w)
print("energy %.9g" % fem.assemble_scalar(fem.form(0.5*ufl.inner(sigma(w), ufl.sym(ufl.grad(w)))*ufl.dx)))
