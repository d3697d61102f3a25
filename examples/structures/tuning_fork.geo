// Tuning fork: two prongs of 4 x 6 mm, joined by half a ring, and a round stem. Lengths in metres.
//   gmsh -3 tuning_fork.geo -order 2 -format msh22 -bin -o tuning_fork.msh
SetFactory("OpenCASCADE");
h = 0.004; b = 0.006; gap = 0.008; l = 0.0787; stem = 0.040;
Box(1) = {-gap/2 - h, -b/2, 0, h, b, l};
Box(2) = {gap/2, -b/2, 0, h, b, l};
Cylinder(3) = {0, -b/2, 0, 0, b, 0, gap/2 + h, 2*Pi};
Cylinder(4) = {0, -b/2, 0, 0, b, 0, gap/2, 2*Pi};
BooleanDifference(5) = { Volume{3}; Delete; }{ Volume{4}; Delete; };
Box(6) = {-gap, -b, 0, 2*gap, 2*b, 2*gap};
BooleanDifference(7) = { Volume{5}; Delete; }{ Volume{6}; Delete; };
Cylinder(8) = {0, 0, -gap/2 - h/2, 0, 0, -stem, 0.003};
BooleanUnion(9) = { Volume{1}; Delete; }{ Volume{2, 7, 8}; Delete; };
e = 1e-4;
Physical Volume("steel") = {9};
Physical Surface("end") = Surface In BoundingBox {-0.003 - e, -0.003 - e, -gap/2 - h/2 - stem - e, 0.003 + e, 0.003 + e, -gap/2 - h/2 - stem + e};
Physical Surface("tips") = Surface In BoundingBox {-gap/2 - h - e, -b/2 - e, l - e, gap/2 + h + e, b/2 + e, l + e};
Mesh.MeshSizeMax = 0.004;
Mesh.MeshSizeMin = 0.002;
Mesh.Optimize = 1;
