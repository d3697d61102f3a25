// plane mesh with a hole, seen from below: normals along -z
SetFactory("OpenCASCADE");
Rectangle(1) = {0,0,0, 4,2}; Disk(2) = {2,1,0, 0.5};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
Mesh.CharacteristicLengthMax = 1.2;
ReverseMesh Surface{3};
Physical Surface("plate") = {3};
Physical Curve("hole") = Curve In BoundingBox {1.4,0.4,-1, 2.6,1.6,1};
Physical Curve("left") = Curve In BoundingBox {-0.1,-0.1,-1, 0.1,2.1,1};
Physical Curve(7) = Curve In BoundingBox {3.9,-0.1,-1, 4.1,2.1,1};
