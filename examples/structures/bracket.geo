// Steel bracket: a foot with two bolt holes, an upright plate with an eye, a rounded corner between them. Lengths in metres.
//   gmsh -3 bracket.geo -order 2 -format msh22 -bin -o bracket.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.08, 0.06, 0.008};       // foot
Box(2) = {0, 0, 0, 0.008, 0.06, 0.075};      // upright
Box(3) = {0.008, 0, 0.008, 0.012, 0.06, 0.012};
Cylinder(4) = {0.020, -0.01, 0.020, 0, 0.08, 0, 0.012};
BooleanDifference(5) = { Volume{3}; Delete; }{ Volume{4}; Delete; };
BooleanUnion(6) = { Volume{1}; Delete; }{ Volume{2, 5}; Delete; };
Cylinder(7) = {0.055, 0.015, -0.01, 0, 0, 0.03, 0.0045};
Cylinder(8) = {0.055, 0.045, -0.01, 0, 0, 0.03, 0.0045};
Cylinder(9) = {-0.01, 0.03, 0.055, 0.03, 0, 0, 0.010};
BooleanDifference(10) = { Volume{6}; Delete; }{ Volume{7, 8, 9}; Delete; };
e = 1e-4;
bolt() = Surface In BoundingBox {0.0505 - e, 0.0105 - e, -e, 0.0595 + e, 0.0495 + e, 0.008 + e};
eye() = Surface In BoundingBox {-e, 0.02 - e, 0.045 - e, 0.008 + e, 0.04 + e, 0.065 + e};
bend() = Surface In BoundingBox {0.008 - e, -e, 0.008 - e, 0.020 + e, 0.06 + e, 0.020 + e};
Physical Volume("steel") = {10};
Physical Surface("bolts") = {bolt()};
Physical Surface("eye") = {eye()};
Physical Surface("bend") = {bend()};
Mesh.MeshSizeMax = 0.010;
Mesh.MeshSizeMin = 0.003;
Mesh.MeshSizeFromCurvature = 10;
Mesh.Optimize = 1;
