// wedges and hexahedra of second order: triangles and quadrilaterals pulled up; prism_full.msh without SecondOrderIncomplete
Mesh.SecondOrderIncomplete = 1; Mesh.ElementOrder = 2;
Point(1) = {0,0,0,2}; Point(2) = {2,0,0,2}; Point(3) = {2,1,0,2}; Point(4) = {0,1,0,2}; Point(5) = {4,0,0,2}; Point(6) = {4,1,0,2};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1}; Line(5) = {2,5}; Line(6) = {5,6}; Line(7) = {6,3};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Curve Loop(2) = {5,6,7,-2}; Plane Surface(2) = {2};
Transfinite Curve {1,3,5,7} = 3; Transfinite Curve {2,4,6} = 2;
Transfinite Surface {1,2}; Recombine Surface {2};
a[] = Extrude {0,0,3} { Surface{1}; Layers{2}; Recombine; };
b[] = Extrude {0,0,3} { Surface{2}; Layers{2}; Recombine; };
Physical Volume("wedges") = {a[1]}; Physical Volume("hexes") = {b[1]};
Physical Surface("bottom") = {1,2}; Physical Surface("top") = {a[0], b[0]};
