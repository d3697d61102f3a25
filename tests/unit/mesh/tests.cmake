set(unit_tests cell generate mesh)
