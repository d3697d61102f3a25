set(unit_tests meshes scene)
